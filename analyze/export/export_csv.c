/* analyze/export/export_csv.c - writes a line for each event, with the columns of docs/reports.md.
 * RATIONALE: numbers are formatted by hand, and texts are escaped once each, so that ten million
 * rows take seconds rather than minutes. */
#include <stdlib.h>
#include <string.h>

#include "analyze/export/export.h"
#include "analyze/print/text.h"
#include "sync/base/status.h"

/* Exceeds the length of all numbers, commas and the name of an operation in a row. */
#define ROW_BYTES 512

static int begin(struct syn_export_writer *writer)
{
    static const char header[] = "run,rank,thread,op,comm,comm_size,comm_rank,seq,site,bytes,root,"
                                 "start_ns,end_ns,call_end_ns,wait_start_ns,flags,phase,"
                                 "messages_ns,off_cpu_ns,wait_messages_ns,wait_off_cpu_ns";
    static const char bounds[] = ",start_bound_ns,end_bound_ns",
                      waiting[] = ",waiting_ns,peer,tag,message_bits\n";
    int status = syn_output_write(writer->output, header, sizeof header - 1);
    if (status == SYN_OK && writer->with_bounds)
        status = syn_output_write(writer->output, bounds, sizeof bounds - 1);
    return status != SYN_OK ? status
                            : syn_output_write(writer->output, waiting, sizeof waiting - 1);
}

static char *finish_text(struct syn_text *text)
{
    char *copy = text->failed ? NULL : strdup(syn_text_chars(text));
    syn_text_free(text);
    return copy;
}

/* Returns ",label,size,rank," of a communicator, cached. NULL: no memory. */
static const char *comm_text(struct syn_export_writer *writer, uint32_t comm)
{
    char **cache = syn_export_comm_cache(writer, comm);
    if (!cache || *cache)
        return cache ? *cache : NULL;
    struct syn_text text = {0};
    const struct syn_comm_record *record = syn_rank_comm(writer->rank.file, comm);
    syn_text_char(&text, ',');
    syn_csv_field(&text, syn_export_comm_label(writer, comm));
    syn_text_format(&text, ",%lld,%d,", (long long)syn_export_comm_size(writer, comm),
                    record ? record->rank : -1);
    return *cache = finish_text(&text);
}

/* Returns ",site,", cached. NULL: no memory. */
static const char *site_text(struct syn_export_writer *writer, uint32_t site)
{
    char **cache = syn_export_site_cache(writer, site);
    if (!cache || *cache)
        return cache ? *cache : NULL;
    struct syn_text text = {0};
    const char *name = syn_names_text(writer->rank.names, site);
    syn_text_char(&text, ',');
    syn_csv_field(&text, name ? name : "");
    syn_text_char(&text, ',');
    return *cache = finish_text(&text);
}

static char *put(char *to, const char *text)
{
    size_t length = strlen(text);
    memcpy(to, text, length);
    return to + length;
}

static char *put_integer(char *to, int64_t value)
{
    *to++ = ',';
    return syn_export_integer(to, value);
}

static char *put_head(char *to, const struct syn_row *row)
{
    char op[SYN_EXPORT_OP_BYTES];
    to = syn_export_natural(to, row->run);
    to = put_integer(to, row->rank);
    to = put_integer(to, row->thread);
    *to++ = ',';
    return put(to, syn_export_op(row, op));
}

static char *put_tail(char *to, const struct syn_row *row)
{
    to = syn_export_natural(to, row->bytes);
    *to++ = ',';
    if (row->root >= 0)
        to = syn_export_integer(to, row->root);
    to = put_integer(to, row->start_ns);
    to = put_integer(to, row->end_ns);
    to = put_integer(to, row->call_end_ns);
    to = put_integer(to, row->wait_start_ns);
    to = put_integer(to, row->flags);
    *to++ = ',';
    return to;
}

static int write_phase(struct syn_export_writer *writer, uint32_t phase)
{
    const char *name = syn_names_text(writer->rank.names, phase);
    struct syn_text text = {0};
    if (!name || !name[0])
        return 0;
    syn_csv_field(&text, name);
    int status = text.failed ? SYN_ENOMEM
                             : syn_output_write(writer->output, syn_text_chars(&text),
                                                strlen(syn_text_chars(&text)));
    syn_text_free(&text);
    return status;
}

/* Appends a figure, which is empty if it is unknown. */
static char *put_figure(char *to, int64_t value)
{
    if (value >= 0)
        return put_integer(to, value);
    *to++ = ',';
    return to;
}

static char *put_figures(char *to, const struct syn_row *row, bool with_bounds)
{
    to = put_figure(to, row->messages_ns);
    to = put_figure(to, row->off_cpu_ns);
    to = put_figure(to, row->wait_messages_ns);
    to = put_figure(to, row->wait_off_cpu_ns);
    if (with_bounds) {
        to = put_figure(to, row->start_bound_ns);
        to = put_figure(to, row->end_bound_ns);
    }
    to = put_figure(to, row->waiting_ns);
    if (row->is_message) {
        to = put_integer(to, row->peer);
        to = put_integer(to, row->tag);
        to = put_integer(to, row->message_bits);
    } else {
        to = put(to, ",,,");
    }
    *to++ = '\n';
    return to;
}

static int write_row(struct syn_export_writer *writer, const struct syn_row *row)
{
    char part[ROW_BYTES];
    const char *comm = comm_text(writer, row->comm);
    const char *site = site_text(writer, row->site);
    if (!comm || !site)
        return SYN_ENOMEM;
    int status = syn_output_write(writer->output, part, (size_t)(put_head(part, row) - part));
    if (status == SYN_OK)
        status = syn_output_write(writer->output, comm, strlen(comm));
    if (status == SYN_OK)
        status = syn_output_write(writer->output, part,
                                  (size_t)(syn_export_natural(part, row->sequence) - part));
    if (status == SYN_OK)
        status = syn_output_write(writer->output, site, strlen(site));
    if (status == SYN_OK)
        status = syn_output_write(writer->output, part, (size_t)(put_tail(part, row) - part));
    if (status == SYN_OK)
        status = write_phase(writer, row->phase);
    if (status == SYN_OK)
        status = syn_output_write(writer->output, part,
                                  (size_t)(put_figures(part, row, writer->with_bounds) - part));
    return status;
}

static int nothing(struct syn_export_writer *writer, const struct syn_export_rank *rank)
{
    (void)writer;
    (void)rank;
    return 0;
}

static int end(struct syn_export_writer *writer)
{
    (void)writer;
    return 0;
}

const struct syn_export_format syn_export_csv = {.name = "csv",
                                                 .begin = begin,
                                                 .rank = nothing,
                                                 .row = write_row,
                                                 .end = end,
                                                 .takes_messages = true,
                                                 .with_instances = true};
