/* analyze/export/export_perfetto.c - writes JSON of the Trace Event Format, which ui.perfetto.dev
 * and chrome://tracing read. A rank is a process. A call is a slice, and contains a slice for its
 * waiting. A flow leads from the rank that came last to each rank that waited. A counter has the
 * number of ranks inside calls. Times are in microseconds, with three decimals for nanoseconds.
 *
 * RATIONALE: slices of one thread must nest. A nonblocking operation lasts longer than its call,
 * and operations end in any order. So an operation is an asynchronous slice, and its two calls are
 * slices of the thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export/export.h"
#include "analyze/print/json.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/event.h"
#include "trace/events/message.h"

/* A change of the number of ranks that are inside calls. */
struct edge {
    int64_t time_ns;
    int32_t change;
};

struct perfetto {
    struct edge *edge; /* [edge_count], of the current run */
    size_t edge_count, edge_capacity;
    size_t merged_count;    /* edges of ranks whose rows are all written; they come first */
    uint64_t first_process; /* process of rank 0 of the run; the run's own process comes after that
                               of its last rank */
    int32_t rank_count;
    uint64_t next_id; /* id of the latest flow or asynchronous slice */
    struct completion {
        uint64_t process; /* 0: none */
        int64_t start_ns;
        uint32_t thread;
    } completion; /* the latest call that completed messages and has a slice */
};

/* Appends a name as a JSON string. */
static void quote(struct syn_text *out, const char *name)
{
    struct syn_json json = syn_json_start(out);
    syn_json_string(&json, NULL, name);
    while (out->length > 0 && out->data[out->length - 1] == '\n')
        out->length--;
}

/* ---- parts of an event ---- */

/* Appends `to` - `from` in microseconds with three decimals. It is exact for any two times, as a
 * file may have any. */
static void put_us(struct syn_text *text, const char *key, int64_t from, int64_t to)
{
    bool negative = to < from;
    uint64_t size = negative ? (uint64_t)from - (uint64_t)to : (uint64_t)to - (uint64_t)from;
    syn_text_format(text, ",\"%s\":%s%llu.%03u", key, negative ? "-" : "",
                    (unsigned long long)(size / 1000), (unsigned)(size % 1000));
}

/* Appends the begin of an event. Threads are numbered from 1, as viewers use 0 for the idle
 * task. */
static void put_head(struct syn_export_writer *writer, struct syn_text *text, char phase,
                     uint64_t process, uint32_t thread)
{
    syn_text_format(text, "%s{\"ph\":\"%c\",\"pid\":%llu,\"tid\":%llu",
                    writer->row_count++ ? ",\n" : "\n", phase, (unsigned long long)process,
                    (unsigned long long)thread + 1);
}

static uint64_t process_of(const struct syn_export_writer *writer, int32_t rank)
{
    const struct perfetto *state = writer->state;
    return state->first_process + (uint64_t)rank;
}

static void put_slice(struct syn_export_writer *writer, struct syn_text *text,
                      const struct syn_row *row, int64_t from_ns, int64_t to_ns)
{
    put_head(writer, text, 'X', process_of(writer, row->rank), row->thread);
    put_us(text, "ts", 0, from_ns);
    put_us(text, "dur", from_ns, to_ns);
}

static int write_text(struct syn_export_writer *writer, struct syn_text *text)
{
    int status =
        text->failed ? SYN_ENOMEM : syn_output_write(writer->output, text->data, text->length);
    syn_text_free(text);
    return status;
}

/* ---- counting the ranks inside calls ---- */

SYN_ORDER(by_time, struct edge, SYN_UP(time_ns))

/* Replaces the edges of a rank's calls, which may overlap, by those at which it enters its first
 * call or leaves its last. */
static void merge_edges(struct perfetto *state)
{
    struct edge *edge = state->edge + state->merged_count;
    const size_t count = state->edge_count - state->merged_count;
    size_t kept = 0;
    int64_t depth = 0;
    if (count)
        qsort(edge, count, sizeof *edge, by_time);
    for (size_t i = 0; i < count;) {
        const int64_t time_ns = edge[i].time_ns, before = depth;
        for (; i < count && edge[i].time_ns == time_ns; i++)
            depth += edge[i].change;
        if ((before > 0) != (depth > 0))
            edge[kept++] = (struct edge){time_ns, depth > 0 ? 1 : -1};
    }
    state->edge_count = state->merged_count += kept;
}

/* ---- names of processes and threads ---- */

static void put_name(struct syn_export_writer *writer, struct syn_text *text, uint64_t process,
                     const char *what, const char *name)
{
    SYN_CLEANUP(syn_text_free) struct syn_text quoted = {0};
    quote(&quoted, name);
    put_head(writer, text, 'M', process, 0);
    syn_text_format(text, ",\"name\":\"%s\",\"args\":{\"name\":%s}}", what,
                    syn_text_chars(&quoted));
    text->failed |= quoted.failed;
}

static void put_order(struct syn_export_writer *writer, struct syn_text *text, uint64_t process)
{
    put_head(writer, text, 'M', process, 0);
    syn_text_format(text, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%llu}}",
                    (unsigned long long)process);
}

static int write_rank(struct syn_export_writer *writer, const struct syn_export_rank *rank)
{
    struct syn_text text = {0};
    const char *host = syn_rank_meta(rank->file, "host.name");
    const uint64_t process = process_of(writer, rank->rank);
    char name[300];
    merge_edges(writer->state);
    snprintf(name, sizeof name, "rank %d%s%.200s", rank->rank, host ? " on " : "",
             host ? host : "");
    put_name(writer, &text, process, "process_name", name);
    put_name(writer, &text, process, "thread_name", "collectives");
    put_order(writer, &text, process);
    return write_text(writer, &text);
}

/* ---- calls ---- */

static int put_arguments(struct syn_export_writer *writer, struct syn_text *text,
                         const struct syn_row *row, const struct syn_partners_instance *instance)
{
    const char *comm = syn_export_quoted(writer, syn_export_comm(writer, row->comm));
    const char *site = syn_export_quoted(writer, row->site);
    if (!comm || !site)
        return SYN_ENOMEM;
    syn_text_format(text, ",\"args\":{\"comm\":%s,\"seq\":%llu,\"site\":%s,\"bytes\":%llu", comm,
                    (unsigned long long)row->sequence, site, (unsigned long long)row->bytes);
    if (row->root >= 0)
        syn_text_format(text, ",\"root\":%d", row->root);
    if (row->is_message)
        syn_text_format(text, ",\"peer\":%d,\"tag\":%d", row->peer, row->tag);
    const char *name = syn_names_text(writer->rank.names, row->phase);
    const char *phase = name && name[0] ? syn_export_quoted(writer, row->phase) : NULL;
    if (phase)
        syn_text_format(text, ",\"phase\":%s", phase);
    if (instance)
        syn_text_format(text, ",\"completion_ns\":%lld,\"wait_ns\":%lld,\"last_rank\":%d",
                        (long long)(instance->last_end_ns - instance->first_start_ns),
                        (long long)(instance->last_start_ns - row->start_ns), instance->last_rank);
    syn_text_string(text, "}}");
    return 0;
}

/* Appends the slice of a wait, from from_ns until the last rank arrives, but not beyond to_ns.
 * There is none if it would be within the clock bound. */
static void put_waiting(struct syn_export_writer *writer, struct syn_text *text,
                        const struct syn_row *row, const struct syn_partners_instance *instance,
                        int64_t from_ns, int64_t to_ns)
{
    if (!instance || instance->last_rank == row->rank)
        return;
    const int64_t until_ns = syn_least(instance->last_start_ns, to_ns);
    if (until_ns - from_ns <= instance->bound_ns || until_ns <= from_ns)
        return;
    put_slice(writer, text, row, from_ns, until_ns);
    syn_text_format(text,
                    ",\"cat\":\"waiting\",\"name\":\"waiting for rank %d\",\"args\":{"
                    "\"last_rank\":%d}}",
                    instance->last_rank, instance->last_rank);
    /* A flow leads from the arrival of the last rank to this rank. It needs the thread that came
     * last, which an instance does not have: a rank with several threads has no flow. */
    if (instance->last_start_ns > to_ns || writer->partners.has_threads[instance->last_rank])
        return;
    const unsigned long long id = ++((struct perfetto *)writer->state)->next_id;
    const char *words = ",\"cat\":\"lateness\",\"name\":\"came last\"";
    put_head(writer, text, 's', process_of(writer, instance->last_rank), 0);
    syn_text_format(text, "%s,\"id\":%llu", words, id);
    put_us(text, "ts", 0, instance->last_start_ns);
    syn_text_char(text, '}');
    put_head(writer, text, 'f', process_of(writer, row->rank), row->thread);
    syn_text_format(text, "%s,\"id\":%llu,\"bp\":\"e\"", words, id);
    put_us(text, "ts", 0, until_ns);
    syn_text_char(text, '}');
}

static int note_edges(struct perfetto *state, int64_t from_ns, int64_t to_ns)
{
    if (SYN_ROOM(state->edge, state->edge_capacity, state->edge_count + 1) != SYN_OK)
        return SYN_ENOMEM;
    state->edge[state->edge_count++] = (struct edge){from_ns, 1};
    state->edge[state->edge_count++] = (struct edge){to_ns, -1};
    return 0;
}

/* Appends one end of a message's flow: at the start of a send, or just before the end of a receive.
 * There is none if the other end is unknown, as viewers draw no flow with one end. Perfetto reads
 * an id as a hexadecimal number of 64 bits. It distinguishes flows of one id by their names. */
static void put_arrow(struct syn_export_writer *writer, struct syn_text *text,
                      const struct syn_row *row)
{
    const bool receives = row->message_bits & SYN_MESSAGE_RECEIVE;
    if (!row->is_message || row->mark.channel >= SYN_CHANNEL_LIMIT ||
        (receives && row->flags & SYN_EVENT_NO_COMPLETION))
        return;
    put_head(writer, text, receives ? 'f' : 's', process_of(writer, row->rank), row->thread);
    syn_text_format(text, ",\"cat\":\"message\",\"name\":\"message of run %u\",\"id\":\"%x%08x\"",
                    writer->rank.run, row->mark.channel, row->mark.k);
    if (receives)
        syn_text_string(text, ",\"bp\":\"e\"");
    put_us(text, "ts", 0,
           receives ? syn_largest(row->wait_start_ns, row->end_ns - 1) : row->start_ns);
    syn_text_char(text, '}');
}

static const char *category_of(const struct syn_row *row)
{
    return row->is_message ? "message" : "collective";
}

static int write_blocking(struct syn_export_writer *writer, const struct syn_row *row,
                          const struct syn_partners_instance *instance, const char *op)
{
    struct syn_text text = {0};
    put_slice(writer, &text, row, row->start_ns, row->end_ns);
    syn_text_format(&text, ",\"cat\":\"%s\",\"name\":\"%s\"", category_of(row), op);
    int status = put_arguments(writer, &text, row, instance);
    put_arrow(writer, &text, row);
    put_waiting(writer, &text, row, instance, row->start_ns, row->end_ns);
    if (status == SYN_OK && !row->is_message)
        status = note_edges(writer->state, row->start_ns, row->end_ns);
    const int written = write_text(writer, &text);
    return status != SYN_OK ? status : written;
}

/* Appends the begin or the end of a nonblocking operation. */
static void put_asynchronous(struct syn_export_writer *writer, struct syn_text *text,
                             const struct syn_row *row, char phase, const char *op)
{
    const struct perfetto *state = writer->state;
    put_head(writer, text, phase, process_of(writer, row->rank), row->thread);
    put_us(text, "ts", 0, phase == 'b' ? row->start_ns : row->end_ns);
    syn_text_format(text, ",\"cat\":\"nonblocking\",\"name\":\"%s\",\"id\":%llu", op,
                    (unsigned long long)state->next_id);
}

/* Appends the slice of the call that completes a message, once for all the messages that it
 * completes one after the other: a slice for each would lie within the others. */
static void put_completion(struct syn_export_writer *writer, struct syn_text *text,
                           const struct syn_row *row)
{
    struct perfetto *state = writer->state;
    const struct completion call = {process_of(writer, row->rank), row->wait_start_ns, row->thread};
    if (state->completion.process == call.process && state->completion.thread == call.thread &&
        state->completion.start_ns == call.start_ns)
        return;
    state->completion = call;
    put_slice(writer, text, row, row->wait_start_ns, row->end_ns);
    syn_text_string(text, ",\"cat\":\"message\",\"name\":\"completion\"}");
}

static int write_nonblocking(struct syn_export_writer *writer, const struct syn_row *row,
                             const struct syn_partners_instance *instance, const char *op)
{
    struct perfetto *state = writer->state;
    struct syn_text text = {0};
    state->next_id++;
    put_asynchronous(writer, &text, row, 'b', op);
    int status = put_arguments(writer, &text, row, instance);
    put_asynchronous(writer, &text, row, 'e', op);
    syn_text_char(&text, '}');
    put_slice(writer, &text, row, row->start_ns, row->call_end_ns);
    syn_text_format(&text, ",\"cat\":\"%s\",\"name\":\"%s\"}", category_of(row), op);
    if (row->is_message && row->wait_start_ns >= row->call_end_ns) {
        put_completion(writer, &text, row);
    } else if (row->wait_start_ns >= row->call_end_ns) {
        put_slice(writer, &text, row, row->wait_start_ns, row->end_ns);
        syn_text_format(&text, ",\"cat\":\"collective\",\"name\":\"completion of %s\"}", op);
        put_waiting(writer, &text, row, instance, row->wait_start_ns, row->end_ns);
        SYN_STEP(status, note_edges(state, row->wait_start_ns, row->end_ns));
    }
    if (status == SYN_OK && !row->is_message)
        status = note_edges(state, row->start_ns, row->call_end_ns);
    put_arrow(writer, &text, row); /* after the slices that it begins or ends in */
    const int written = write_text(writer, &text);
    return status != SYN_OK ? status : written;
}

static int write_row(struct syn_export_writer *writer, const struct syn_row *row)
{
    const struct syn_partners_instance *instance =
        row->is_message ? NULL : syn_export_instance(writer, row);
    char bytes[SYN_EXPORT_OP_BYTES];
    const char *op = syn_export_op(row, bytes);
    return row->call_end_ns == row->end_ns ? write_blocking(writer, row, instance, op)
                                           : write_nonblocking(writer, row, instance, op);
}

/* ---- runs ---- */

static int begin(struct syn_export_writer *writer)
{
    static const char head[] = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
    struct perfetto *state = calloc(1, sizeof *state);
    if (!state)
        return SYN_ENOMEM;
    state->first_process = 1;
    writer->state = state;
    return syn_output_write(writer->output, head, sizeof head - 1);
}

static int run_begin(struct syn_export_writer *writer, struct syn_trace *trace)
{
    struct perfetto *state = writer->state;
    state->rank_count = syn_trace_size(trace);
    return 0;
}

static int run_end(struct syn_export_writer *writer)
{
    struct perfetto *state = writer->state;
    const uint64_t process = process_of(writer, state->rank_count);
    struct syn_text text = {0};
    char name[40];
    merge_edges(state);
    snprintf(name, sizeof name, "run %u", writer->rank.run);
    put_name(writer, &text, process, "process_name", name);
    put_order(writer, &text, process);
    int status = write_text(writer, &text);
    /* Write a counter of the ranks that are inside calls. */
    int64_t inside = 0;
    if (state->edge_count)
        qsort(state->edge, state->edge_count, sizeof *state->edge, by_time);
    for (size_t i = 0; i < state->edge_count && status == SYN_OK; i++) {
        struct syn_text counted = {0};
        inside += state->edge[i].change;
        if (i + 1 < state->edge_count && state->edge[i + 1].time_ns == state->edge[i].time_ns)
            continue;
        put_head(writer, &counted, 'C', process, 0);
        put_us(&counted, "ts", 0, state->edge[i].time_ns);
        syn_text_format(&counted, ",\"name\":\"ranks inside\",\"args\":{\"ranks\":%lld}}",
                        (long long)inside);
        status = write_text(writer, &counted);
    }
    state->edge_count = state->merged_count = 0;
    state->first_process = process + 1;
    return status;
}

static int end(struct syn_export_writer *writer)
{
    static const char tail[] = "\n]}\n";
    return syn_output_write(writer->output, tail, sizeof tail - 1);
}

static void close_state(struct syn_export_writer *writer)
{
    struct perfetto *state = writer->state;
    if (!state)
        return;
    free(state->edge);
    free(state);
    writer->state = NULL;
}

const struct syn_export_format syn_export_perfetto = {.name = "perfetto",
                                                      .begin = begin,
                                                      .run_begin = run_begin,
                                                      .rank = write_rank,
                                                      .row = write_row,
                                                      .run_end = run_end,
                                                      .end = end,
                                                      .quote = quote,
                                                      .close = close_state,
                                                      .with_instances = true};
