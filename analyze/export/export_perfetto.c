/* analyze/export/export_perfetto.c - the JSON trace-event format, as ui.perfetto.dev and
 * chrome://tracing read it: a process for each rank, a slice for each call. Times are microseconds
 * there; three decimals keep the nanosecond. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export/export.h"
#include "analyze/print/json.h"
#include "sync/status.h"
#include "trace/ops.h"

/* A JSON string, cached for reuse. */
static const char *quoted(char **cache, const char *value)
{
    if (!cache || *cache)
        return cache ? *cache : NULL;
    struct syn_text text = {0};
    struct syn_json json = syn_json_start(&text);
    syn_json_string(&json, NULL, value ? value : "");
    *cache = text.failed ? NULL : strdup(syn_text_chars(&text));
    syn_text_free(&text);
    return *cache;
}

static int begin(struct syn_export_writer *writer)
{
    static const char head[] = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
    return syn_output_write(writer->output, head, sizeof head - 1);
}

static int write_text(struct syn_export_writer *writer, struct syn_text *text)
{
    int status =
        text->failed ? SYN_ENOMEM : syn_output_write(writer->output, text->data, text->length);
    syn_text_free(text);
    return status;
}

static int write_rank(struct syn_export_writer *writer, const struct syn_export_rank *rank)
{
    struct syn_text text = {0};
    const char *host = syn_rank_meta(rank->file, "host.name");
    char name[300];
    snprintf(name, sizeof name, "rank %d%s%.200s", rank->rank, host ? " on " : "",
             host ? host : "");
    syn_text_string(&text, writer->row_count++ ? ",\n" : "\n");
    struct syn_json json = syn_json_start(&text);
    syn_json_open_line(&json, NULL, '{');
    syn_json_string(&json, "ph", "M");
    syn_json_string(&json, "name", "process_name");
    syn_json_count(&json, "pid", (uint64_t)rank->run * 1000000 + (uint64_t)rank->rank);
    syn_json_open(&json, "args", '{');
    syn_json_string(&json, "name", name);
    syn_json_close(&json);
    syn_json_close(&json);
    while (text.length && text.data[text.length - 1] == '\n')
        text.length--;
    return write_text(writer, &text);
}

/* `to` - `from` in microseconds with three decimals, exact: any two times can be in a file. */
static void put_us(struct syn_text *text, const char *key, int64_t from, int64_t to)
{
    bool negative = to < from;
    uint64_t size = negative ? (uint64_t)from - (uint64_t)to : (uint64_t)to - (uint64_t)from;
    syn_text_format(text, ",\"%s\":%s%llu.%03u", key, negative ? "-" : "",
                    (unsigned long long)(size / 1000), (unsigned)(size % 1000));
}

static void put_phase(struct syn_text *text, const char *name)
{
    char *phase = NULL;
    if (!name || !name[0])
        return;
    if (quoted(&phase, name))
        syn_text_format(text, ",\"phase\":%.*s", (int)strcspn(phase, "\n"), phase);
    free(phase);
}

static int write_row(struct syn_export_writer *writer, const struct syn_row *row)
{
    const char *op = syn_op_name(row->op);
    const char *comm =
        quoted(syn_export_comm_cache(writer, row->comm), syn_export_comm_label(writer, row->comm));
    const char *site = quoted(syn_export_site_cache(writer, row->site),
                              syn_names_text(writer->rank.names, row->site));
    struct syn_text text = {0};
    if (!comm || !site)
        return SYN_ENOMEM;
    syn_text_format(
        &text, "%s{\"ph\":\"X\",\"cat\":\"collective\",\"name\":\"%s\",\"pid\":%llu,\"tid\":%u",
        writer->row_count++ ? ",\n" : "\n", op ? op : "unknown operation",
        (unsigned long long)row->run * 1000000 + (unsigned long long)row->rank, row->thread);
    put_us(&text, "ts", 0, row->start_ns);
    put_us(&text, "dur", row->start_ns, row->end_ns);
    syn_text_format(&text, ",\"args\":{\"comm\":%.*s,\"seq\":%llu,\"site\":%.*s,\"bytes\":%llu",
                    (int)strcspn(comm, "\n"), comm, (unsigned long long)row->sequence,
                    (int)strcspn(site, "\n"), site, (unsigned long long)row->bytes);
    if (row->root >= 0)
        syn_text_format(&text, ",\"root\":%d", row->root);
    put_phase(&text, syn_names_text(writer->rank.names, row->phase));
    syn_text_string(&text, "}}");
    return write_text(writer, &text);
}

static int end(struct syn_export_writer *writer)
{
    static const char tail[] = "\n]}\n";
    return syn_output_write(writer->output, tail, sizeof tail - 1);
}

const struct syn_export_format syn_export_perfetto = {
    .name = "perfetto", .begin = begin, .rank = write_rank, .row = write_row, .end = end};
