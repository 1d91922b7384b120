/* analyze/hang/look.c - open calls and events of a trace become a model.
 *
 *     ranks and how they ended --> calls --> communicators with open calls --> what each member has
 *                                                                              begun of them
 *
 * A communicator has three indices:
 *
 *     in a rank's file (a line, an event) --place[rank]--> in syn_comms --model_comm--> in the
 * model differs between ranks                                of the run                  if calls
 * are open
 */
#include "analyze/hang/look.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/hang/process.h"
#include "analyze/hang/under_way.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/calls.h"
#include "trace/base/event.h"
#include "trace/directory/manifest.h"
#include "trace/events/message.h"
#include "trace/read/open_calls.h"

/* ---- how ranks ended ---- */

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

/* A signal that a launcher, a scheduler or a person sends to all ranks. */
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

/* A rank that left no word was killed with all others, or before them: that cannot be told. One
 * whose file has no end, and whose raw blocks are gone, may have been inside any call. */
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

/* Look up a line's communicator; its comm is SYN_NO_COMM if it is none of the run's. */
static struct syn_comm_place comm_place(const struct syn_look *look, int32_t rank, uint32_t comm)
{
    return comm < look->comms->place_count[rank] ? look->comms->place[rank][comm]
                                                 : (struct syn_comm_place){.comm = SYN_NO_COMM};
}

/* A rank in a communicator of `rank`'s file, in MPI_COMM_WORLD; -1: not known. */
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

/* To or from whom, in MPI_COMM_WORLD. False: it does not say. */
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

static enum syn_hang_inside inside_of(const struct syn_look *look, const struct syn_rank_file *file,
                                      const struct syn_open_call *call, struct syn_hang_call *out)
{
    switch (syn_call_kind(call->call)) {
    case SYN_CALL_KIND_FINALIZE:
        return SYN_HANG_FINALIZE;
    case SYN_CALL_KIND_MESSAGE: {
        /* RATIONALE: a target need not come. Whoever holds its lock lets the call return. */
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

/* Its `comm` is an index into syn_comms until the model has its communicators. */
static struct syn_hang_call convert(const struct syn_look *look, int32_t rank,
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
                                    syn_rank_names_site(look->rank_names->rank[rank], call->stack),
                                .since_ns = call->start_ns};
    if (call->state == SYN_OPEN_MOVING)
        out.since_ns = now_ns;
    else if (call->state == SYN_OPEN_OUTSIDE)
        out.since_ns = call->end_ns;
    else
        out.inside = inside_of(look, file, call, &out);
    return out;
}

/* Was the same call open in the look before? */
static bool was_open(const struct syn_rank_file *before, const struct syn_open_call *call)
{
    struct syn_open_call former;
    for (size_t i = 0; before && syn_rank_open_call_at(before, i, &former); i++)
        if (former.thread == call->thread)
            return former.state == SYN_OPEN_INSIDE && former.start_ns == call->start_ns;
    return false;
}

/* Add a call that completes requests. The numbers of all messages are made for the first one. */
static int add_completion(const struct syn_look *look, const struct syn_hang_call *call,
                          struct syn_looked *out)
{
    const int status = out->has_numbers
                           ? SYN_OK
                           : syn_message_numbers_make(look->trace, look->comms, &out->numbers);
    out->has_numbers = true;
    return status != SYN_OK
               ? status
               : syn_hang_add_messages(look->trace, look->comms, &out->numbers, call, &out->model);
}

static int add_call(const struct syn_look *look, int32_t rank, struct syn_open_call *call,
                    struct syn_looked *out)
{
    if (look->before && call->state == SYN_OPEN_INSIDE &&
        !was_open(syn_trace_rank(look->before, rank), call))
        call->state = SYN_OPEN_MOVING;
    const struct syn_hang_call converted = convert(look, rank, call, out->model.now_ns);
    out->has_open_calls = true;
    return converted.inside == SYN_HANG_SOMEBODY &&
                   syn_call_kind(call->call) == SYN_CALL_KIND_COMPLETION &&
                   call->of_op == SYN_OPEN_NO_OP
               ? add_completion(look, &converted, out)
               : syn_hang_model_call(&out->model, &converted);
}

/* Add the last call that has returned, for a rank that wrote its file before it went and left no
 * lines. */
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
                last.site = syn_rank_names_site(look->rank_names->rank[rank], columns.stack[e]);
            }
    }
    syn_cursor_close(cursor);
    return last.since_ns == INT64_MIN ? SYN_OK : syn_hang_model_call(&out->model, &last);
}

/* Add what a rank's threads are inside. A live rank's lines are read once more, after its events.
 */
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
    if (status == SYN_OK)
        status = syn_open_view_read(view, &lines, &count, &is_behind);
    if (status == SYN_OK) {
        for (size_t i = 0; i < count && status == SYN_OK; i++) {
            call = lines[i];
            status = add_call(look, rank, &call, out);
        }
    } else if (status == SYN_EMISSING) { /* dead, or it has ended meanwhile */
        status = SYN_OK;
        for (size_t i = 0; status == SYN_OK && syn_rank_open_call_at(file, i, &call); i++)
            status = add_call(look, rank, &call, out);
    }
    syn_open_view_free(view);
    if (status == SYN_OK && out->model.call_count == before)
        status = add_last_event(look, rank, out);
    return status;
}

/* ---- when ---- */

/* The last moment that a rank's file knows of. */
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

/* Is it known when a rank ended? A signal notes it. */
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

static int64_t now_of(const struct syn_look *look)
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

/* A rank has ended its recording in MPI_Finalize, which it does not leave before all others have
 * come: if one has not, it is inside. */
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

/* ---- how far members have come ---- */

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Members as the record lists them, whether they have used the communicator or not. */
static uint32_t *list_of_record(const struct syn_look *look, const struct syn_comm_record *record,
                                uint32_t *count)
{
    uint32_t *members = malloc(((size_t)record->size + 1) * sizeof *members);
    for (int32_t m = 0; members && m < record->size; m++)
        if (record->world_ranks[m] >= 0 && record->world_ranks[m] < syn_trace_size(look->trace))
            members[(*count)++] = (uint32_t)record->world_ranks[m];
    if (*count > 0)
        qsort(members, *count, sizeof *members, by_number);
    return members;
}

/* List the members that have used an intercommunicator: no record has them all. */
static uint32_t *list_of_places(const struct syn_look *look, uint32_t comm, uint32_t *count)
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

/* The members of a communicator that `rank` has a call on, in order of world ranks; *count of
 * them. NULL: no memory. */
static uint32_t *list_members(const struct syn_look *look, int32_t rank, uint32_t comm,
                              uint32_t *count)
{
    /* The record of a communicator in the file of a rank that has one. */
    uint32_t index = 0;
    while (index < look->comms->place_count[rank] && look->comms->place[rank][index].comm != comm)
        index++;
    const struct syn_comm_record *record = syn_rank_comm(syn_trace_rank(look->trace, rank), index);
    *count = 0;
    return record && record->remote_size == 0 ? list_of_record(look, record, count)
                                              : list_of_places(look, comm, count);
}

/* Communicators with open calls, and those of messages from anybody, become the model's. */
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

/* How far one rank has come in the communicators of the model. */
struct search {
    const struct syn_look *look;
    const uint32_t *model_comm;
    struct syn_hang_model *model;
    int32_t rank;
};

/* It has begun the instance before `begun`. */
static void note_begun(const struct search *search, uint32_t comm, uint64_t begun)
{
    const uint32_t in_model = comm == SYN_NO_COMM ? SYN_HANG_NO_COMM : search->model_comm[comm];
    if (in_model == SYN_HANG_NO_COMM)
        return;
    struct syn_hang_comm *of = &search->model->comm[in_model];
    const uint32_t member = syn_hang_member(of, (uint32_t)search->rank);
    if (member != SYN_HANG_NO_MEMBER && of->begun[member] != SYN_HANG_ALL_BEGUN)
        of->begun[member] = syn_largest(of->begun[member], begun);
}

/* Has every communicator of the model that the rank is a member of got its number? */
static bool knows_all(const struct search *search)
{
    for (size_t c = 0; c < search->model->comm_count; c++) {
        const struct syn_hang_comm *of = &search->model->comm[c];
        const uint32_t member = syn_hang_member(of, (uint32_t)search->rank);
        if (member != SYN_HANG_NO_MEMBER && of->begun[member] == 0)
            return false;
    }
    return true;
}

/* Chunks backwards, until all is known: of several threads' also the chunks that reach beyond the
 * one in which the last was found. */
static int read_back(const struct search *search)
{
    struct syn_rank_file *file = syn_trace_rank(search->look->trace, search->rank);
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
                note_begun(search, search->look->comms->place[search->rank][columns.comm[e]].comm,
                           columns.sequence[e] + 1);
        if (since_ns == INT64_MIN && knows_all(search))
            since_ns = chunk.start_ns;
    }
    syn_cursor_close(cursor);
    return status == SYN_ENOMEM ? status : SYN_OK;
}

/* A rank of one thread whose last call is a collective has begun that one, and no later. A
 * completion, or the last event to end, may be of an earlier one. */
static int find_begun(const struct syn_look *look, const uint32_t *model_comm,
                      struct syn_looked *out)
{
    int status = SYN_OK;
    size_t i = 0;
    for (int32_t r = 0; r < out->model.rank_count && status == SYN_OK; r++) {
        const struct search search = {look, model_comm, &out->model, r};
        size_t own = 0;
        bool newest = true;
        for (; i < out->model.call_count && out->model.call[i].rank == r; i++, own++) {
            const struct syn_hang_call *call = &out->model.call[i];
            newest &= call->is_newest;
            if (call->comm != SYN_HANG_NO_COMM && call->sequence != SYN_OPEN_NO_SEQUENCE)
                note_begun(&search, out->comm[call->comm], call->sequence + 1);
        }
        if (syn_trace_rank(look->trace, r) && (own != 1 || !newest || !knows_all(&search)))
            status = read_back(&search);
    }
    return status;
}

/* ---- all of it ---- */

/* Plan: ranks; their calls, in order; communicators of these; how far members have come. */
int syn_hang_look(const struct syn_look *look, struct syn_looked *out)
{
    uint32_t *model_comm = malloc((look->comms->count + 1) * sizeof *model_comm);
    *out = (struct syn_looked){0};
    int status =
        model_comm ? syn_hang_model_begin(&out->model, syn_trace_size(look->trace)) : SYN_ENOMEM;
    if (status == SYN_OK) {
        out->model.live = look->before != NULL;
        out->model.now_ns = now_of(look);
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
    if (status == SYN_OK)
        status = add_finalize(look, out);
    if (status == SYN_OK) {
        syn_hang_model_settle(&out->model);
        status = add_comms(look, out, model_comm);
    }
    if (status == SYN_OK)
        status = find_begun(look, model_comm, out);
    free(model_comm);
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
                .site = syn_rank_names_site(look->rank_names->rank[r], call.stack),
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
