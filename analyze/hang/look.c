/* analyze/hang/look.c - makes the model of a hang (model.h) from a trace: the calls in which ranks
 * are, and how far each rank has come on each communicator.
 *
 * A communicator has three indices. Open calls and events have its index in their rank's file,
 * which differs between ranks. comms->place[rank] leads from there to its index in syn_comms, which
 * is one for the run. model_comm leads from there to its index in the model, which has
 * communicators with open calls only. */
#include "analyze/hang/look.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/hang/process.h"
#include "analyze/hang/under_way.h"
#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/calls.h"
#include "trace/base/event.h"
#include "trace/directory/manifest.h"
#include "trace/events/message.h"
#include "trace/read/open_calls.h"

/* ---- whether the run is over, live, or going on ---- */

bool syn_is_unended(const struct syn_trace *trace)
{
    for (int32_t r = 0; r < syn_trace_size(trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        const enum syn_ending ending = file ? syn_rank_end(file)->ending : SYN_ENDING_FINALIZE;
        if (ending != SYN_ENDING_FINALIZE && ending != SYN_ENDING_DISABLED)
            return true;
    }
    return false;
}

static void note_process(void *found, int32_t rank, const char *pid)
{
    (void)rank;
    (void)pid;
    *(bool *)found = true;
}

bool syn_is_live(const struct syn_trace *trace, bool *is_known)
{
    bool is_live = false;
    *is_known = true;
    if (syn_trace_manifest(trace))
        return false;
    is_live = syn_trace_is_claimed(syn_trace_directory(trace), is_known);
    if (!*is_known) {
        syn_hang_each_process(trace, note_process, &is_live);
        *is_known = is_live;
    }
    return is_live;
}

/* Says whether the rank recorded an event, or entered or left a call, between the two openings. */
static bool rank_has_moved(const struct syn_rank_file *before, const struct syn_rank_file *after)
{
    struct syn_open_call was, is;
    bool moved = syn_rank_event_count(before) != syn_rank_event_count(after);
    for (size_t i = 0; !moved && syn_rank_open_call_at(after, i, &is); i++)
        moved = !syn_rank_open_call_at(before, i, &was) || was.state != is.state ||
                was.start_ns != is.start_ns || was.end_ns != is.end_ns;
    return moved;
}

bool syn_has_moved(const struct syn_trace *before, const struct syn_trace *after)
{
    bool moved = syn_trace_size(before) != syn_trace_size(after);
    for (int32_t r = 0; r < syn_trace_size(after) && !moved; r++) {
        const struct syn_rank_file *was = syn_trace_rank(before, r), *is = syn_trace_rank(after, r);
        moved = was && is ? rank_has_moved(was, is) : was != is;
    }
    return moved;
}

/* Says whether the signal is one that a launcher, a scheduler or a user sends to all ranks. */
static bool is_sent_to_all(enum syn_ending ending)
{
    switch ((int)ending - SYN_ENDING_SIGNAL) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
    case SIGUSR1:
    case SIGUSR2:
    case SIGXCPU:
    case SIGKILL:
        return true;
    default:
        return false;
    }
}

/* ---- how ranks ended ---- */

/* Says how a rank's process ended. RATIONALE: a rank that was killed without notice may have been
 * killed with all others or before them, so it counts as running. A rank whose file has no end, and
 * whose raw blocks are gone, may have been inside any call: it is unknown. */
static enum syn_hang_process process_of(enum syn_ending ending)
{
    switch (ending) {
    case SYN_ENDING_FINALIZE:
        return SYN_HANG_ENDED;
    case SYN_ENDING_DISABLED:
    case SYN_ENDING_UNKNOWN:
        return SYN_HANG_UNKNOWN;
    case SYN_ENDING_KILLED:
        return SYN_HANG_RUNS;
    default:
        return is_sent_to_all(ending) ? SYN_HANG_RUNS : SYN_HANG_DIED;
    }
}

/* ---- calls ---- */

/* Looks up the communicator of an open call. The `comm` of the result is SYN_NO_COMM if the run has
 * no such communicator. */
static struct syn_comm_place comm_place(const struct syn_look *look, int32_t rank, uint32_t comm)
{
    return comm < look->comms->place_count[rank] ? look->comms->place[rank][comm]
                                                 : (struct syn_comm_place){.comm = SYN_NO_COMM};
}

/* Converts a rank of a communicator to a rank of MPI_COMM_WORLD; -1: it is not known. */
static int32_t world_rank(const struct syn_rank_file *file, uint32_t comm, int32_t rank)
{
    const struct syn_comm_record *record = syn_rank_comm(file, comm);
    return record && record->remote_size == 0 && rank >= 0 && rank < record->size
               ? record->world_ranks[rank]
               : -1;
}

static bool is_collective(const struct syn_open_call *call)
{
    const uint16_t id = call->call;
    return call->sequence != SYN_OPEN_NO_SEQUENCE &&
           (syn_call_kind(id) == SYN_CALL_KIND_COLLECTIVE ||
            (call->of_op != SYN_OPEN_NO_OP && id != SYN_CALL_Waitany && id != SYN_CALL_Waitsome));
}

/* Converts the peer of a message to a rank of MPI_COMM_WORLD. Returns false if the peer is not
 * known. */
static bool peer_of(const struct syn_look *look, const struct syn_rank_file *file, uint32_t comm,
                    const struct syn_open_peer *peer, struct syn_hang_peer *out)
{
    *out = (struct syn_hang_peer){SYN_HANG_NOBODY,
                                  peer->tag == SYN_TAG_ANY ? SYN_HANG_ANY_TAG : peer->tag};
    if (peer->rank == SYN_PEER_ANY)
        out->rank = SYN_HANG_ANYBODY;
    else if (peer->rank == SYN_PEER_UNKNOWN)
        return false;
    else if (peer->rank >= 0)
        out->rank = world_rank(file, comm, peer->rank);
    return peer->rank < 0 || (out->rank >= 0 && out->rank < syn_trace_size(look->trace));
}

/* Says what a call waits for: MPI_Finalize, a message, a collective, or ranks that are not
 * known. */
static enum syn_hang_inside inside_of(const struct syn_look *look, const struct syn_rank_file *file,
                                      const struct syn_open_call *call, struct syn_hang_call *out)
{
    switch (syn_call_kind(call->call)) {
    case SYN_CALL_KIND_FINALIZE:
        return SYN_HANG_FINALIZE;
    case SYN_CALL_KIND_MESSAGE: {
        /* RATIONALE: a target need not enter a call. The rank that holds its lock lets the call
         * return. */
        if (syn_call_waits(call->call) == SYN_WAITS_TARGETS && call->to.rank != SYN_PEER_NOBODY)
            return SYN_HANG_SOMEBODY;
        const bool to = peer_of(look, file, call->comm, &call->to, &out->to);
        const bool from = peer_of(look, file, call->comm, &call->from, &out->from);
        return to && from ? SYN_HANG_MESSAGE : SYN_HANG_SOMEBODY;
    }
    case SYN_CALL_KIND_UNKNOWN:
        return SYN_HANG_OUTSIDE;
    default:
        return is_collective(call) && out->comm != SYN_HANG_NO_COMM ? SYN_HANG_COLLECTIVE
                                                                    : SYN_HANG_SOMEBODY;
    }
}

/* Converts an open call of the trace to a call of the model. Its `comm` stays an index into
 * syn_comms until add_comms.
 *
 * Plan: copy the fields, with ranks of MPI_COMM_WORLD; then the time since which the call waits,
 * or, if the rank is outside MPI, since which it is outside. */
static struct syn_hang_call make_model_call(const struct syn_look *look, int32_t rank,
                                            const struct syn_open_call *call, int64_t now_ns)
{
    const struct syn_rank_file *file = syn_trace_rank(look->trace, rank);
    const bool completion = call->of_op != SYN_OPEN_NO_OP;
    struct syn_hang_call out = {.rank = rank,
                                .thread = call->thread,
                                .op = completion ? call->of_op : call->call,
                                .name = syn_call_name(call->call),
                                .comm = comm_place(look, rank, call->comm).comm,
                                .sequence = call->sequence,
                                .is_newest = syn_call_kind(call->call) == SYN_CALL_KIND_COLLECTIVE,
                                .root = world_rank(file, call->comm, call->root),
                                .to = {SYN_HANG_NOBODY, SYN_HANG_ANY_TAG},
                                .from = {SYN_HANG_NOBODY, SYN_HANG_ANY_TAG},
                                .site =
                                    syn_rank_names_site(look->rank_names.rank[rank], call->stack),
                                .since_ns = call->start_ns};
    if (call->state == SYN_OPEN_MOVING)
        out.since_ns = now_ns;
    else if (call->state == SYN_OPEN_OUTSIDE)
        out.since_ns = call->end_ns;
    else
        out.inside = inside_of(look, file, call, &out);
    return out;
}

/* Says whether the same call was open when the run was opened before. */
static bool was_open(const struct syn_rank_file *before, const struct syn_open_call *call)
{
    struct syn_open_call former;
    for (size_t i = 0; before && syn_rank_open_call_at(before, i, &former); i++)
        if (former.thread == call->thread)
            return former.state == SYN_OPEN_INSIDE && former.start_ns == call->start_ns;
    return false;
}

/* Adds an open call. In a live run a call that was not open a moment earlier counts as moving: it
 * may return at any time. */
static int add_call(const struct syn_look *look, int32_t rank, struct syn_open_call *call,
                    struct syn_looked *out)
{
    if (look->before && call->state == SYN_OPEN_INSIDE &&
        !was_open(syn_trace_rank(look->before, rank), call))
        call->state = SYN_OPEN_MOVING;
    const struct syn_hang_call model_call = make_model_call(look, rank, call, out->model.now_ns);
    out->has_open_calls = true;
    if (model_call.inside != SYN_HANG_SOMEBODY ||
        syn_call_kind(call->call) != SYN_CALL_KIND_COMPLETION || call->of_op != SYN_OPEN_NO_OP)
        return syn_hang_model_call(&out->model, &model_call);
    /* The message numbers are made for the first call that completes requests. */
    const int status = out->has_numbers
                           ? SYN_OK
                           : syn_message_numbers_make(look->trace, look->comms, &out->numbers);
    out->has_numbers = true;
    return status != SYN_OK ? status
                            : syn_hang_add_messages(look->trace, look->comms, &out->numbers,
                                                    &model_call, &out->model);
}

/* Adds the last collective that has returned. It stands for a rank that wrote its file and left no
 * open calls.
 *
 * Plan: read chunks backwards until one has a collective; take its event that ended last. */
static int add_last_event(const struct syn_look *look, int32_t rank, struct syn_looked *out)
{
    struct syn_rank_file *file = syn_trace_rank(look->trace, rank);
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    struct syn_hang_call last = {.rank = rank, .since_ns = INT64_MIN};
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status;
    for (size_t i = syn_rank_chunk_count(file); i-- > 0 && last.since_ns == INT64_MIN;) {
        syn_cursor_seek(cursor, i);
        if (syn_cursor_next(cursor, &columns) != SYN_OK)
            continue;
        for (size_t e = 0; e < columns.count; e++)
            if (columns.end_ns[e] > last.since_ns && !syn_is_message(columns.op[e])) {
                last.since_ns = columns.end_ns[e];
                last.op = columns.op[e];
                last.sequence = columns.sequence[e];
                last.comm = look->comms->place[rank][columns.comm[e]].comm;
                last.site = syn_rank_names_site(look->rank_names.rank[rank], columns.stack[e]);
            }
    }
    syn_cursor_close(cursor);
    return last.since_ns == INT64_MIN ? SYN_OK : syn_hang_model_call(&out->model, &last);
}

/* Adds the calls that a rank's threads are inside, or else its last call. The open calls of a live
 * rank are read once more, after its events. */
static int add_calls(const struct syn_look *look, int32_t rank, struct syn_looked *out)
{
    const struct syn_rank_file *file = syn_trace_rank(look->trace, rank);
    const struct syn_open_call *lines;
    struct syn_open_view *view = NULL;
    struct syn_open_call call;
    const size_t before = out->model.call_count;
    size_t count = 0;
    bool is_behind;
    int status = look->before ? syn_open_view_new(file, &view) : SYN_EMISSING;
    SYN_STEP(status, syn_open_view_read(view, &lines, &count, &is_behind));
    if (status == SYN_OK) {
        for (size_t i = 0; i < count && status == SYN_OK; i++) {
            call = lines[i];
            status = add_call(look, rank, &call, out);
        }
    } else if (status == SYN_EMISSING) { /* the run is dead, or the rank has just ended */
        status = SYN_OK;
        for (size_t i = 0; status == SYN_OK && syn_rank_open_call_at(file, i, &call); i++)
            status = add_call(look, rank, &call, out);
    }
    syn_open_view_free(view);
    if (status == SYN_OK && out->model.call_count == before)
        status = add_last_event(look, rank, out);
    return status;
}

/* ---- times ---- */

/* Returns the latest time in a rank's file. */
static int64_t last_known_ns(const struct syn_rank_file *file)
{
    struct syn_chunk_summary chunk;
    struct syn_open_call call;
    int64_t last_ns = INT64_MIN, end_ns;
    if (syn_rank_end_ns(file, &end_ns))
        last_ns = end_ns;
    for (size_t i = 0; syn_rank_chunk(file, i, &chunk); i++)
        if (chunk.event_count > 0)
            last_ns = syn_largest(last_ns, chunk.end_ns);
    for (size_t i = 0; syn_rank_open_call_at(file, i, &call); i++)
        if (call.state != SYN_OPEN_MOVING)
            last_ns = syn_largest(last_ns, syn_largest(call.start_ns, call.end_ns));
    return last_ns;
}

/* Says whether a rank's end is noted, as a signal handler does. */
static bool is_end_noted(const struct syn_look *look)
{
    int64_t end_ns;
    for (int32_t r = 0; r < syn_trace_size(look->trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(look->trace, r);
        if (file && syn_rank_end_ns(file, &end_ns))
            return true;
    }
    return false;
}

/* Returns the present time of a live run, as a rank of this host reads it. Returns the latest time
 * in any file for a dead run, or if no rank is on this host. */
static int64_t now_of_run(const struct syn_look *look)
{
    int64_t last_ns = INT64_MIN, now_ns;
    for (int32_t r = 0; r < syn_trace_size(look->trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(look->trace, r);
        if (!file)
            continue;
        last_ns = syn_largest(last_ns, last_known_ns(file));
        if (look->before && syn_is_of_this_host(file) && syn_rank_now_ns(file, &now_ns))
            return now_ns;
    }
    return last_ns == INT64_MIN ? 0 : last_ns;
}

/* ---- ranks that wait in MPI_Finalize ---- */

/* Adds calls of MPI_Finalize. RATIONALE: a rank's recording ends when it enters MPI_Finalize, and
 * it leaves when all ranks have entered. So it is still inside if another rank has not ended. */
static int add_finalize(const struct syn_look *look, struct syn_looked *out)
{
    bool all = true;
    int status = SYN_OK;
    for (int32_t r = 0; r < out->model.rank_count; r++)
        all &= out->model.rank[r].process == SYN_HANG_ENDED ||
               out->model.rank[r].process == SYN_HANG_UNKNOWN;
    for (int32_t r = 0; !all && r < out->model.rank_count && status == SYN_OK; r++) {
        if (out->model.rank[r].process != SYN_HANG_ENDED)
            continue;
        const struct syn_hang_call call = {
            .rank = r,
            .inside = SYN_HANG_FINALIZE,
            .name = syn_call_name(SYN_CALL_Finalize),
            .comm = SYN_NO_COMM,
            .site = SYN_HANG_NO_SITE,
            .since_ns = last_known_ns(syn_trace_rank(look->trace, r)),
        };
        out->model.rank[r].process = SYN_HANG_RUNS;
        status = syn_hang_model_call(&out->model, &call);
    }
    return status;
}

/* ---- communicators and their members ---- */

SYN_ORDER(by_number, uint32_t, SYN_UP_ITSELF)

/* Lists all members of an intracommunicator, from its record. */
static uint32_t *list_recorded_members(const struct syn_look *look,
                                       const struct syn_comm_record *record, uint32_t *count)
{
    uint32_t *members = malloc(((size_t)record->size + 1) * sizeof *members);
    for (int32_t m = 0; members && m < record->size; m++)
        if (record->world_ranks[m] >= 0 && record->world_ranks[m] < syn_trace_size(look->trace))
            members[(*count)++] = (uint32_t)record->world_ranks[m];
    if (*count > 0)
        qsort(members, *count, sizeof *members, by_number);
    return members;
}

/* Lists the members of an intercommunicator that have used it: no record has all members. */
static uint32_t *list_known_members(const struct syn_look *look, uint32_t comm, uint32_t *count)
{
    const struct syn_comms *comms = look->comms;
    uint32_t *members = malloc(((size_t)comms->comm[comm].known_count + 1) * sizeof *members);
    for (int32_t r = 0; members && r < comms->rank_count; r++)
        for (size_t i = 0; i < comms->place_count[r]; i++)
            if (comms->place[r][i].comm == comm && *count < comms->comm[comm].known_count) {
                members[(*count)++] = (uint32_t)r;
                break;
            }
    return members;
}

/* Lists the members of a communicator on which `rank` has a call, as ranks of MPI_COMM_WORLD in
 * ascending order. NULL: no memory. */
static uint32_t *list_members(const struct syn_look *look, int32_t rank, uint32_t comm,
                              uint32_t *count)
{
    uint32_t index = 0;
    while (index < look->comms->place_count[rank] && look->comms->place[rank][index].comm != comm)
        index++;
    const struct syn_comm_record *record = syn_rank_comm(syn_trace_rank(look->trace, rank), index);
    *count = 0;
    return record && record->remote_size == 0 ? list_recorded_members(look, record, count)
                                              : list_known_members(look, comm, count);
}

/* Adds the communicators with open calls to the model.
 *
 * Plan: for each call: if its communicator is not in the model, add it with its members; then
 * replace the call's index by the model's. */
static int add_comms(const struct syn_look *look, struct syn_looked *out, uint32_t *model_comm)
{
    const struct syn_comms *comms = look->comms;
    int status = SYN_OK;
    memset(model_comm, 0xFF, comms->count * sizeof *model_comm);
    out->members = calloc(comms->count + 1, sizeof *out->members);
    out->comm = calloc(comms->count + 1, sizeof *out->comm);
    if (!out->members || !out->comm)
        return SYN_ENOMEM;
    for (size_t i = 0; i < out->model.call_count && status == SYN_OK; i++) {
        struct syn_hang_call *call = &out->model.call[i];
        const uint32_t comm = call->comm;
        call->comm = SYN_HANG_NO_COMM;
        if (comm == SYN_NO_COMM)
            continue;
        if (model_comm[comm] == SYN_HANG_NO_COMM && syn_hang_is_open(call)) {
            struct syn_hang_comm made = {.label =
                                             syn_names_text(look->names, comms->comm[comm].label),
                                         .intercomm = comms->comm[comm].intercomm};
            made.world_rank = out->members[comm] = list_members(look, call->rank, comm, &made.size);
            status = made.world_rank ? syn_hang_model_comm(&out->model, &made) : SYN_ENOMEM;
            out->comm[out->comm_count] = comm;
            model_comm[comm] = (uint32_t)out->comm_count++;
        }
        call->comm = model_comm[comm];
    }
    return status;
}

/* ---- how far ranks have come on each communicator ---- */

/* State while the progress of one rank is read. */
struct progress {
    const struct syn_look *look;
    const uint32_t *model_comm;
    struct syn_hang_model *model;
    int32_t rank;
};

/* Notes that the rank has begun `begun` collectives on a communicator, at least. */
static void note_begun(const struct progress *progress, uint32_t comm, uint64_t begun)
{
    const uint32_t in_model = comm == SYN_NO_COMM ? SYN_HANG_NO_COMM : progress->model_comm[comm];
    if (in_model == SYN_HANG_NO_COMM)
        return;
    struct syn_hang_comm *of = &progress->model->comm[in_model];
    const uint32_t member = syn_hang_member(of, (uint32_t)progress->rank);
    if (member != SYN_HANG_NO_MEMBER && of->begun[member] != SYN_HANG_ALL_BEGUN)
        of->begun[member] = syn_largest(of->begun[member], begun);
}

/* Says whether such a number is known for each communicator of the model that has the rank as a
 * member. */
static bool has_all_numbers(const struct progress *progress)
{
    for (size_t c = 0; c < progress->model->comm_count; c++) {
        const struct syn_hang_comm *of = &progress->model->comm[c];
        const uint32_t member = syn_hang_member(of, (uint32_t)progress->rank);
        if (member != SYN_HANG_NO_MEMBER && of->begun[member] == 0)
            return false;
    }
    return true;
}

/* Reads the numbers from the rank's events. Reads chunks backwards until all numbers are known, and
 * then the chunks that overlap with the last one read: other threads may have begun later
 * collectives.
 *
 * Plan: for each chunk, from the last on: skip it if it ends before the overlap; note the sequence
 * number of each collective; once all numbers are known, set the start of the overlap. */
static int read_backwards(const struct progress *progress)
{
    struct syn_rank_file *file = syn_trace_rank(progress->look->trace, progress->rank);
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    struct syn_chunk_summary chunk;
    int64_t since_ns = INT64_MIN;
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status;
    for (size_t i = syn_rank_chunk_count(file); i-- > 0 && status != SYN_ENOMEM;) {
        if (!syn_rank_chunk(file, i, &chunk) || chunk.end_ns < since_ns)
            continue;
        syn_cursor_seek(cursor, i);
        status = syn_cursor_next(cursor, &columns);
        for (size_t e = 0; status == SYN_OK && e < columns.count; e++)
            if (!syn_is_message(columns.op[e]))
                note_begun(progress,
                           progress->look->comms->place[progress->rank][columns.comm[e]].comm,
                           columns.sequence[e] + 1);
        if (since_ns == INT64_MIN && has_all_numbers(progress))
            since_ns = chunk.start_ns;
    }
    syn_cursor_close(cursor);
    return status == SYN_ENOMEM ? status : SYN_OK;
}

/* ---- all steps ---- */

/* Plan: set how each rank ended; add the calls of ranks that have not ended; add those of
 * MPI_Finalize; add their communicators; find how far each member has come. */
int syn_hang_look(const struct syn_look *look, struct syn_looked *out)
{
    SYN_FREED uint32_t *model_comm = malloc((look->comms->count + 1) * sizeof *model_comm);
    *out = (struct syn_looked){0};
    int status =
        model_comm ? syn_hang_model_begin(&out->model, syn_trace_size(look->trace)) : SYN_ENOMEM;
    if (status == SYN_OK) {
        out->model.live = look->before != NULL;
        out->model.now_ns = now_of_run(look);
        out->model.now_is_least = !out->model.live && !is_end_noted(look);
        for (int32_t r = 0; r < out->model.rank_count; r++) {
            const struct syn_rank_file *file = syn_trace_rank(look->trace, r);
            if (!file || !syn_rank_records(file))
                continue;
            out->model.rank[r].ending = syn_rank_end(file)->ending;
            out->model.rank[r].process = process_of(out->model.rank[r].ending);
        }
        if (look->before)
            syn_hang_find_processes(look->trace, &out->model);
    }
    for (int32_t r = 0; status == SYN_OK && r < out->model.rank_count; r++)
        if (out->model.rank[r].process != SYN_HANG_UNKNOWN &&
            out->model.rank[r].process != SYN_HANG_ENDED)
            status = add_calls(look, r, out);
    SYN_STEP(status, add_finalize(look, out));
    if (status == SYN_OK) {
        syn_hang_model_settle(&out->model);
        status = add_comms(look, out, model_comm);
    }
    if (status == SYN_OK) {
        /* Find how far each rank has come. RATIONALE: if a rank's only open call is a collective,
         * that is its newest one, and its events are not read. A completion, or the last event to
         * end, may belong to an earlier collective. */
        size_t i = 0;
        for (int32_t r = 0; r < out->model.rank_count && status == SYN_OK; r++) {
            const struct progress progress = {look, model_comm, &out->model, r};
            size_t own = 0;
            bool newest = true;
            for (; i < out->model.call_count && out->model.call[i].rank == r; i++, own++) {
                const struct syn_hang_call *call = &out->model.call[i];
                newest &= call->is_newest;
                if (call->comm != SYN_HANG_NO_COMM && call->sequence != SYN_OPEN_NO_SEQUENCE)
                    note_begun(&progress, out->comm[call->comm], call->sequence + 1);
            }
            if (syn_trace_rank(look->trace, r) &&
                (own != 1 || !newest || !has_all_numbers(&progress)))
                status = read_backwards(&progress);
        }
    }
    return status;
}

void syn_looked_free(struct syn_looked *looked)
{
    for (size_t i = 0; i < looked->comm_count; i++)
        free(looked->members[looked->comm[i]]);
    free(looked->members);
    free(looked->comm);
    syn_message_numbers_free(&looked->numbers);
    syn_hang_model_free(&looked->model);
    *looked = (struct syn_looked){0};
}

/* Plan: for each open call of each rank: skip it unless it is inside a collective; make its
 * arguments (struct syn_said); add them. */
int syn_look_add_open(const struct syn_look *look, struct syn_disagreements *out)
{
    struct syn_open_call call;
    int status = SYN_OK;
    for (int32_t r = 0; r < syn_trace_size(look->trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(look->trace, r);
        for (size_t i = 0; file && status == SYN_OK && syn_rank_open_call_at(file, i, &call); i++) {
            const struct syn_comm_place place = comm_place(look, r, call.comm);
            if (call.state != SYN_OPEN_INSIDE || place.comm == SYN_NO_COMM ||
                syn_call_kind(call.call) != SYN_CALL_KIND_COLLECTIVE ||
                call.sequence == SYN_OPEN_NO_SEQUENCE)
                continue;
            const struct syn_comm_record *record = syn_rank_comm(file, call.comm);
            const struct syn_said said = {
                .bytes = call.bytes == SYN_OPEN_NO_BYTES ? SYN_SAID_NO_BYTES : call.bytes,
                .member = place.member,
                .site = syn_rank_names_site(look->rank_names.rank[r], call.stack),
                .root = call.root,
                .op = call.call,
                .flags = record && record->remote_size != 0 ? SYN_EVENT_INTERCOMM : 0,
                .elements = call.attributes};
            status =
                syn_disagreements_add_open(out, place.comm, call.sequence, call.start_ns, &said);
        }
    }
    syn_disagreements_ready(out);
    return status;
}
