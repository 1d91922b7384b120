/* analyze/export/export_command.c - `syncopate export`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/cli/cli.h"
#include "analyze/clocks/clocks.h"
#include "analyze/export/export.h"
#include "analyze/match/match.h"
#include "analyze/match/members/bounds.h"
#include "analyze/match/members/streams.h"
#include "analyze/print/command.h"
#include "analyze/print/terminal.h"
#include "analyze/runs.h"
#include "analyze/symbols/wrappers.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/calls.h"
#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/events/message.h"
#include "trace/read/reader.h"

struct exporting {
    const struct syn_export_format *format;
    struct syn_export_writer writer;
    struct syn_names names;
    struct syn_symbols *symbols;
    struct syn_bounds bounds;            /* of the current rank */
    bool has_messages, has_samples;      /* of the current rank: times that it recorded */
    struct syn_message_numbers numbers;  /* of the current run */
    size_t *first_sent;                  /* [channel count] index of a channel's first message */
    uint64_t *sent_bytes;                /* of each message of the run, channel by channel */
    struct syn_message_reader *messages; /* of the current rank; NULL: the run has no messages */
    struct syn_message_mark *mark;       /* [mark_count], of the current chunk */
    size_t mark_count;
    struct syn_progress progress;
    uint64_t done, expected;
    int error; /* errno of the first failure; the cleanup may change errno */
};

/* ---- functions for the formats ---- */

const char *syn_export_quoted(struct syn_export_writer *writer, uint32_t name)
{
    if (name >= writer->quoted_count) {
        const size_t wanted = (size_t)name + 64, count = writer->quoted_count;
        if (SYN_RESERVE(writer->quoted, wanted) != SYN_OK)
            return NULL;
        memset(writer->quoted + count, 0, (wanted - count) * sizeof *writer->quoted);
        writer->quoted_count = wanted;
    }
    if (!writer->quoted[name]) {
        const char *plain = syn_names_text(writer->rank.names, name);
        SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
        writer->format->quote(&text, plain ? plain : "");
        writer->quoted[name] = text.failed ? NULL : strdup(syn_text_chars(&text));
    }
    return writer->quoted[name];
}

static const struct syn_communicator *comm_of(const struct syn_export_writer *writer, uint32_t comm)
{
    const struct syn_comms *comms = writer->rank.comms;
    uint32_t number = comms->place[writer->rank.rank][comm].comm;
    return number == SYN_NO_COMM ? NULL : &comms->comm[number];
}

uint32_t syn_export_comm(const struct syn_export_writer *writer, uint32_t comm)
{
    const struct syn_communicator *known = comm_of(writer, comm);
    const struct syn_comm_record *record = syn_rank_comm(writer->rank.file, comm);
    if (known && syn_names_text(writer->rank.names, known->label))
        return known->label;
    return syn_names_id(writer->rank.names, !known && record ? record->name : "?");
}

int64_t syn_export_comm_size(const struct syn_export_writer *writer, uint32_t comm)
{
    const struct syn_communicator *known = comm_of(writer, comm);
    const struct syn_comm_record *record = syn_rank_comm(writer->rank.file, comm);
    return known ? (int64_t)known->full_size : record ? record->size : 0;
}

const struct syn_partners_instance *syn_export_instance(const struct syn_export_writer *writer,
                                                        const struct syn_row *row)
{
    const uint32_t comm = writer->rank.comms->place[row->rank][row->comm].comm;
    return syn_partners_find(&writer->partners, comm, row->sequence);
}

const char *syn_export_op(const struct syn_row *row, char *bytes)
{
    const char *name = row->is_message ? syn_call_name(row->op) : syn_op_name(row->op);
    if (!name)
        snprintf(bytes, SYN_EXPORT_OP_BYTES, "operation %u", (unsigned)row->op);
    return name ? name : bytes;
}

char *syn_export_natural(char *to, uint64_t value)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

char *syn_export_integer(char *to, int64_t value)
{
    if (value >= 0)
        return syn_export_natural(to, (uint64_t)value);
    *to++ = '-';
    return syn_export_natural(to, 0 - (uint64_t)value);
}

/* ---- the rows of a rank ---- */

/* Returns the figure of event i; -1: not recorded. A column that no event of the chunk needs is
 * NULL, and stands for 0. */
static int64_t figure_at(const int64_t *figure, size_t i, bool recorded)
{
    return !recorded ? -1 : figure ? figure[i] : 0;
}

static int64_t bound_at(struct exporting *exporting, int64_t global_ns)
{
    if (!exporting->writer.with_bounds)
        return -1;
    const int64_t bound_ns = syn_bounds_at(&exporting->bounds, global_ns);
    return bound_ns < SYN_BOUND_UNKNOWN_NS ? bound_ns : -1;
}

/* Reads the next chunk, and the marks of its messages. */
static int load_chunk(struct exporting *exporting, struct syn_rank_stream *stream)
{
    const int status = syn_stream_load(stream);
    const size_t count = stream->columns.count;
    if (status != SYN_OK || !exporting->messages)
        return status;
    if (exporting->mark_count < count && SYN_RESERVE(exporting->mark, count))
        return SYN_ENOMEM;
    exporting->mark_count = syn_largest(exporting->mark_count, count);
    syn_message_reader_seek(exporting->messages, stream->chunk_next - 1);
    syn_message_reader_next(exporting->messages, &stream->columns, 0, count, exporting->mark);
    return SYN_OK;
}

static size_t sent_at(const struct exporting *exporting, const struct syn_message_mark *mark)
{
    return exporting->first_sent[mark->channel] + mark->k;
}

/* Notes the sizes of the messages that a rank sent. */
static int note_sent(struct exporting *exporting, struct syn_rank_file *file, int32_t rank)
{
    struct syn_rank_stream stream;
    int status = syn_stream_open(&stream, file, rank, NULL);
    exporting->messages = syn_message_reader_new(&exporting->numbers, rank);
    if (!exporting->messages)
        status = SYN_ENOMEM;
    while (status == SYN_OK && (status = load_chunk(exporting, &stream)) == SYN_OK)
        for (size_t i = 0; i < stream.columns.count; i++)
            if (exporting->mark[i].channel < SYN_CHANNEL_LIMIT &&
                !(stream.columns.attributes[i] & SYN_MESSAGE_RECEIVE))
                exporting->sent_bytes[sent_at(exporting, &exporting->mark[i])] =
                    stream.columns.bytes[i];
    syn_stream_close(&stream);
    syn_message_reader_free(exporting->messages);
    exporting->messages = NULL;
    return status == SYN_EEND ? SYN_OK : status;
}

/* Numbers the messages of a run, and notes their sizes: of many receives only the posted buffer's
 * is recorded. */
static int pair_messages(struct exporting *exporting, struct syn_trace *trace,
                         const struct syn_comms *comms)
{
    const struct syn_message_numbers *numbers = &exporting->numbers;
    int status = syn_message_numbers_make(trace, comms, &exporting->numbers);
    if (status != SYN_OK || !numbers->any)
        return status;
    size_t count = 0;
    exporting->first_sent = malloc((numbers->channel_count + 1) * sizeof *exporting->first_sent);
    for (size_t c = 0; exporting->first_sent && c < numbers->channel_count; c++) {
        exporting->first_sent[c] = count;
        count += numbers->channel[c].sent_count;
    }
    exporting->sent_bytes = calloc(count + 1, sizeof *exporting->sent_bytes);
    if (!exporting->first_sent || !exporting->sent_bytes)
        return SYN_ENOMEM;
    for (int32_t rank = 0; rank < syn_trace_size(trace) && status == SYN_OK; rank++) {
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        status = file ? note_sent(exporting, file, rank) : SYN_OK;
    }
    return status;
}

static void unpair_messages(struct exporting *exporting)
{
    free(exporting->first_sent);
    free(exporting->sent_bytes);
    exporting->first_sent = NULL;
    exporting->sent_bytes = NULL;
    syn_message_numbers_free(&exporting->numbers);
}

static int row_at(struct exporting *exporting, struct syn_rank_stream *stream, size_t i,
                  struct syn_row *row)
{
    const struct syn_export_writer *writer = &exporting->writer;
    const struct syn_event_columns *columns = &stream->columns;
    const bool messages = exporting->has_messages, samples = exporting->has_samples;
    *row = (struct syn_row){
        .run = writer->rank.run,
        .rank = stream->rank,
        .thread = columns->thread,
        .op = columns->op[i],
        .flags = SYN_EVENT_FLAGS(columns->flags[i]),
        .comm = columns->comm[i],
        .site = syn_rank_names_site(stream->names, columns->stack[i]),
        .phase = syn_rank_names_phase(stream->names, SYN_EVENT_PHASE(columns->flags[i])),
        .root = columns->root[i],
        .sequence = columns->sequence[i],
        .bytes = columns->bytes[i],
        .start_ns = columns->start_ns[i],
        .end_ns = columns->end_ns[i],
        .call_end_ns = columns->call_end_ns[i],
        .wait_start_ns = columns->wait_start_ns[i],
        .start_bound_ns = bound_at(exporting, columns->start_ns[i]),
        .end_bound_ns = bound_at(exporting, columns->end_ns[i]),
        .messages_ns = figure_at(columns->messages_ns, i, messages),
        .wait_messages_ns = figure_at(columns->wait_messages_ns, i, messages),
        .off_cpu_ns = figure_at(columns->off_cpu_ns, i, samples),
        .wait_off_cpu_ns = figure_at(columns->wait_off_cpu_ns, i, samples),
        .waiting_ns = -1,
    };
    if (syn_is_message(row->op)) {
        row->is_message = true;
        row->message_bits = columns->attributes[i];
        row->peer = row->root;
        row->tag = syn_message_tag(row->sequence);
        row->sequence = syn_message_order(row->sequence);
        row->root = -1;
        row->mark = exporting->messages ? exporting->mark[i]
                                        : (struct syn_message_mark){SYN_CHANNEL_UNMATCHED, 0};
        if ((row->message_bits & SYN_MESSAGE_POSTED) && row->mark.channel < SYN_CHANNEL_LIMIT) {
            const uint64_t sent = exporting->sent_bytes[sent_at(exporting, &row->mark)];
            row->bytes = syn_least(sent, row->bytes); /* a longer message is truncated */
            row->message_bits &= (uint16_t)~SYN_MESSAGE_POSTED;
        }
    }
    const struct syn_partners_instance *instance =
        !row->is_message && writer->partners.comm ? syn_export_instance(writer, row) : NULL;
    if (instance) { /* as in reports (match/match.h) */
        const struct syn_member member = {
            .start_ns = row->start_ns,
            .call_end_ns = row->call_end_ns == row->end_ns ? row->start_ns : row->call_end_ns,
            .wait_start_ns = row->wait_start_ns,
            .end_ns = row->end_ns,
        };
        row->waiting_ns = syn_member_waiting_ns(&member, instance->last_start_ns);
    }
    return row->site == SYN_NO_NAME || row->phase == SYN_NO_NAME ? SYN_ENOMEM : 0;
}

/* Finds whether the file has its events in the order of their starts, as nearly all have. Returns 0
 * or a negative status. */
static int find_sorted(struct syn_rank_file *file, int32_t rank, bool *sorted)
{
    struct syn_rank_stream stream;
    int64_t last_ns = INT64_MIN;
    *sorted = true;
    int status = syn_stream_open(&stream, file, rank, NULL);
    while (status == SYN_OK && *sorted && (status = syn_stream_load(&stream)) == 0) {
        for (size_t i = 0; i < stream.columns.count; i++) {
            *sorted &= stream.columns.start_ns[i] >= last_ns;
            last_ns = stream.columns.start_ns[i];
        }
    }
    syn_stream_close(&stream);
    return status == SYN_EEND ? 0 : status;
}

struct placed_row {
    struct syn_row row;
    size_t place; /* index in the file, which orders equal starts */
};
struct placed_rows {
    struct placed_row *at; /* [count] */
    size_t count, capacity;
};

static int keep_row(struct placed_rows *rows, const struct syn_row *row)
{
    if (SYN_ROOM(rows->at, rows->capacity, rows->count) != SYN_OK)
        return SYN_ENOMEM;
    rows->at[rows->count] = (struct placed_row){*row, rows->count};
    rows->count++;
    return SYN_OK;
}

/* Reads the rows of the rank. Writes them at once, or puts them into `kept`. */
static int read_rows(struct exporting *exporting, struct syn_rank_stream *stream,
                     struct placed_rows *kept)
{
    struct syn_row row;
    int status;
    while ((status = load_chunk(exporting, stream)) == 0) {
        for (size_t i = 0; i < stream->columns.count && status == SYN_OK; i++) {
            status = row_at(exporting, stream, i, &row);
            SYN_STEP(status, kept ? keep_row(kept, &row)
                                  : exporting->format->row(&exporting->writer, &row));
        }
        exporting->done += stream->columns.count;
        syn_progress_update(&exporting->progress, (double)exporting->done,
                            (double)exporting->expected);
        if (status != SYN_OK)
            return status;
    }
    return status == SYN_EEND ? 0 : status;
}

SYN_ORDER(by_start, struct placed_row, SYN_UP(row.start_ns) ?: SYN_UP(place))

static int sort_rows(struct exporting *exporting, struct syn_rank_stream *stream)
{
    struct placed_rows rows = {0};
    int status = read_rows(exporting, stream, &rows);
    if (rows.count > 0)
        qsort(rows.at, rows.count, sizeof *rows.at, by_start);
    for (size_t i = 0; i < rows.count && status == SYN_OK; i++)
        status = exporting->format->row(&exporting->writer, &rows.at[i].row);
    free(rows.at);
    return status;
}

static int export_rank(struct exporting *exporting, struct syn_rank_file *file, int32_t rank)
{
    struct syn_rank_stream stream = {0};
    bool sorted;
    exporting->writer.rank.file = file;
    exporting->writer.rank.rank = rank;
    exporting->has_messages = syn_rank_has_messages(file);
    exporting->has_samples = syn_rank_has_samples(file);
    int status = find_sorted(file, rank, &sorted);
    SYN_STEP(status, syn_bounds_init(&exporting->bounds, file));
    if (status != SYN_OK)
        return status;
    struct syn_rank_names *names = syn_rank_names_new(file, exporting->symbols, &exporting->names);
    status = names ? syn_stream_open(&stream, file, rank, names) : SYN_ENOMEM;
    if (status == SYN_OK && exporting->numbers.any) {
        exporting->messages = syn_message_reader_new(&exporting->numbers, rank);
        status = exporting->messages ? SYN_OK : SYN_ENOMEM;
    }
    if (status == SYN_OK && exporting->format->rank)
        status = exporting->format->rank(&exporting->writer, &exporting->writer.rank);
    SYN_STEP(status, sorted ? read_rows(exporting, &stream, NULL) : sort_rows(exporting, &stream));
    syn_stream_close(&stream);
    syn_message_reader_free(exporting->messages);
    exporting->messages = NULL;
    syn_rank_names_free(names);
    syn_bounds_free(&exporting->bounds);
    return status;
}

/* ---- traces ---- */

static int export_trace(struct exporting *exporting, struct syn_trace *trace, uint32_t run)
{
    struct syn_comms comms;
    int status = syn_comms_open(trace, &exporting->names, &comms);
    if (status != SYN_OK)
        return status;
    exporting->writer.rank.run = run;
    exporting->writer.rank.comms = &comms;
    exporting->writer.rank.names = &exporting->names;
    status = syn_symbols_take(exporting->symbols, trace);
    SYN_STEP(status, syn_symbols_find_wrappers(exporting->symbols, trace));
    if (status == SYN_OK && exporting->format->with_instances)
        status = syn_partners_make(trace, &comms, &exporting->names, &exporting->writer.partners);
    SYN_STEP(status, pair_messages(exporting, trace, &comms));
    if (status == SYN_OK && exporting->format->run_begin)
        status = exporting->format->run_begin(&exporting->writer, trace);
    for (int32_t rank = 0; rank < syn_trace_size(trace) && status == SYN_OK; rank++) {
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        if (file)
            status = export_rank(exporting, file, rank);
    }
    if (status == SYN_OK && exporting->format->run_end)
        status = exporting->format->run_end(&exporting->writer);
    syn_partners_free(&exporting->writer.partners);
    unpair_messages(exporting);
    syn_comms_close(&comms);
    return status;
}

static int note_failure(struct exporting *exporting, int status)
{
    if (status != SYN_OK && !exporting->error)
        exporting->error = errno;
    return status;
}

/* Exports one run, and counts it in *readable_count if it could be opened. */
static int export_run(struct exporting *exporting, const struct syn_run_path *path,
                      size_t *readable_count)
{
    struct syn_export_writer *writer = &exporting->writer;
    struct syn_trace *trace;
    struct syn_clock_check check;
    size_t fault_count;
    int status = syn_runs_open(path, &trace);
    if (status != SYN_OK)
        return status == SYN_ENOMEM ? status : 0;
    status = syn_clocks_mend(trace, 0, &check);
    const struct syn_manifest *manifest = syn_trace_manifest(trace);
    writer->run = syn_trace_span(trace);
    writer->start_unix_ns = manifest ? manifest->start_unix_ns : 0;
    exporting->done = exporting->expected = 0;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        exporting->expected += file ? syn_rank_event_count(file) : 0;
    }
    if ((*readable_count)++ == 0 &&
        status == SYN_OK) /* before the first byte of output, so that bad input gives no output */
        status = note_failure(exporting, exporting->format->begin(writer));
    syn_progress_start(&exporting->progress, "exporting");
    SYN_STEP(status, note_failure(exporting, export_trace(exporting, trace, path->run)));
    syn_progress_end(&exporting->progress);
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &fault_count);
    for (size_t i = 0; i < fault_count; i++)
        syn_bad_fault(i, fault_count, faults[i].text);
    syn_trace_close(trace);
    return status;
}

struct request {
    const struct syn_export_format *format;
    const char *output;
    bool with_bounds;
};

static int export_to(const struct request *request, const struct syn_experiment *experiment)
{
    const struct syn_export_format *format = request->format;
    const char *output = request->output;
    struct exporting exporting = {
        .format = format, .writer = {.format = format, .with_bounds = request->with_bounds}};
    int status = 0;
    if (format->is_directory)
        exporting.writer.path = output;
    else
        status = note_failure(&exporting, syn_output_open(output, &exporting.writer.output));
    if (status == SYN_OK) {
        size_t readable_count = 0;
        status = syn_symbols_open(&exporting.symbols);
        for (size_t i = 0; i < experiment->count && status == SYN_OK; i++)
            status = export_run(&exporting, &experiment->run[i], &readable_count);
        if (status == SYN_OK && readable_count == 0)
            status = SYN_ENOTTRACE;
        if (status == SYN_OK && exporting.format->end)
            status = note_failure(&exporting, exporting.format->end(&exporting.writer));
        if (status == SYN_OK && !exporting.format->is_directory)
            status = note_failure(&exporting, syn_output_commit(exporting.writer.output));
        for (size_t i = 0; i < exporting.writer.quoted_count; i++)
            free(exporting.writer.quoted[i]);
        free(exporting.writer.quoted);
        free(exporting.mark);
        syn_names_free(&exporting.names);
        syn_symbols_close(exporting.symbols);
    }
    if (status != SYN_OK && status != SYN_ENOTTRACE)
        syn_bad_input("%s: %s", output ? output : "standard output",
                      status == SYN_EIO ? strerror(exporting.error) : syn_status_text(status));
    if (format->close)
        format->close(&exporting.writer);
    syn_output_close(exporting.writer.output);
    return status != SYN_OK ? SYN_EXIT_BAD : SYN_EXIT_OK;
}

/* Exports in a child process. RATIONALE: a library that writes a directory may crash: OTF2 reads
 * freed memory if the disk is full. */
static int export_apart(const struct request *request, const struct syn_experiment *experiment)
{
    int ended;
    pid_t child = fork();
    if (child == 0) {
        int code = export_to(request, experiment);
        fflush(NULL);
        _exit(code);
    }
    if (child < 0 || waitpid(child, &ended, 0) != child)
        return syn_bad_input("%s: %s", request->output, strerror(errno));
    if (WIFEXITED(ended))
        return WEXITSTATUS(ended);
    return syn_bad_input("%s: %s", request->output,
                         strerror(request->format->discard(request->output)));
}

static int run(const struct request *request, char *const *paths, size_t path_count)
{
    struct syn_experiment experiment;
    if (syn_runs_list(paths, path_count, &experiment))
        return SYN_EXIT_BAD;
    int code = SYN_EXIT_BAD;
    if (!request->format->is_directory)
        code = export_to(request, &experiment);
    else if (experiment.count > 1)
        syn_bad_input("%s: %zu runs; an archive of %s takes one", paths[0], experiment.count,
                      request->format->name);
    else
        code = export_apart(request, &experiment);
    syn_experiment_free(&experiment);
    return code;
}

/* ---- the command line ---- */

#define FORMATS "csv parquet perfetto otf2"

static int take_format(void *target, const char *value)
{
    static const struct syn_export_format *const formats[] = {
        &syn_export_csv,
        &syn_export_parquet,
        &syn_export_perfetto,
#ifdef SYN_HAVE_OTF2
        &syn_export_otf2,
#endif
    };
    struct request *request = target;
    request->format = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, value) == 0)
            request->format = formats[i];
    if (!request->format && syn_cli_choice(FORMATS, value) >= 0)
        return syn_bad_usage("export", "--format %s: built without the library for it", value);
    return request->format ? 0 : SYN_EINVAL;
}

SYN_CLI_KEEP(take_output, struct request, output)
SYN_CLI_SET(take_bounds, struct request, with_bounds)

static const struct syn_cli_option options[] = {
    {"format", 0, "FORMAT", FORMATS,
     "csv: a line for each call, nothing lost or rounded. parquet: the same columns with types, "
     "for pandas, R and DuckDB. perfetto: trace events (JSON) for ui.perfetto.dev. otf2: an "
     "archive in the directory FILE, for Vampir",
     "csv, parquet, perfetto or otf2", take_format},
    {"output", 'o', "FILE", "/", "write there instead of to standard output", "a file",
     take_output},
    {"bounds", 0, NULL, "", "csv: also the bound of the clock's error at each start and end", NULL,
     take_bounds},
};
static const struct syn_cli_section sections[] = {
    {NULL, options, sizeof options / sizeof *options, 0}};

static int run_command(int argc, char **argv)
{
    struct request request = {0};
    const int status = syn_cli_parse(&syn_command_export, argc, argv, &request);
    if (status != SYN_CLI_GOES_ON)
        return status;
    if (!request.format)
        return syn_bad_usage("export", "no --format given (see syncopate export --help)");
    if (request.format->is_directory && !request.output)
        return syn_bad_usage("export", "--format %s: -o DIRECTORY is needed", request.format->name);
    if (request.with_bounds && request.format != &syn_export_csv)
        return syn_bad_usage("export", "--bounds: --format %s has no place for them",
                             request.format->name);
    char *const *paths;
    size_t path_count;
    if (syn_traces_given("export", argc, argv, &paths, &path_count))
        return SYN_EXIT_BAD;
    if (syn_output_check(request.output))
        return SYN_EXIT_BAD;
    return run(&request, paths, path_count);
}

const struct syn_cli_command syn_command_export = {
    .name = "export",
    .summary = "every event, in the formats of other programs",
    .usage = "syncopate export --format csv|parquet|perfetto|otf2 [-o FILE] [TRACE...]",
    .description = "Writes every rank's part in every collective, ordered by rank and start.",
    .section = sections,
    .section_count = 1,
    .notes = "The columns of csv: docs/reports.md (in share/doc/syncopate).",
    .examples = "  syncopate export --format csv >calls.csv\n"
                "  syncopate export --format parquet -o calls.parquet trace\n"
                "  syncopate export --format perfetto -o trace.json trace",
    .run = run_command,
};
