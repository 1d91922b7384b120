/* analyze/causes/replay/replay.c - replays calls in an order in which each comes after all that
 * influenced it. */
#include "analyze/causes/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Least number of intervals of all histories before unneeded ones are dropped. */
#define INTERVALS_LEAST ((size_t)1 << 16)
#define PATH_LEAST      ((size_t)1 << 16)

/* ---- life ---- */

/* Allocates the arrivals at each communicator whose instances can be complete, with turns if a rank
 * has several threads. */
static int begin_arriving(struct syn_replay *replay)
{
    const struct syn_cause_plan *plan = replay->plan;
    const struct syn_comms *comms = plan->comms;
    size_t total = 0, turns = 0, largest = 0;
    for (uint32_t c = 0; c < comms->count; c++) {
        if (plan->group_of_comm[c] == SYN_NO_GROUP)
            continue;
        total += comms->comm[c].size;
        turns += syn_plan_has_turns(plan, c) ? comms->comm[c].size : 0;
        largest = syn_largest(comms->comm[c].size, largest);
    }
    replay->arriving = calloc(comms->count + 1, sizeof *replay->arriving);
    replay->arriving_members = malloc((total + 1) * sizeof *replay->arriving_members);
    replay->turns = turns ? calloc(turns, sizeof *replay->turns) : NULL;
    replay->member = malloc((largest + 1) * sizeof *replay->member);
    replay->comm_bound = calloc(2 * comms->count + 1, sizeof *replay->comm_bound);
    if (!replay->arriving || !replay->arriving_members || !replay->member || !replay->comm_bound ||
        (turns && !replay->turns))
        return SYN_ENOMEM;
    for (size_t m = 0; m < total; m++)
        replay->arriving_members[m].location = SYN_NO_NUMBER;
    total = turns = 0;
    for (uint32_t c = 0; c < comms->count; c++) {
        const bool is_known = plan->group_of_comm[c] != SYN_NO_GROUP;
        replay->arriving[c].member = replay->arriving_members + total;
        total += is_known ? comms->comm[c].size : 0;
        if (!syn_plan_has_turns(plan, c))
            continue;
        replay->arriving[c].turn = replay->turns + turns;
        turns += comms->comm[c].size;
    }
    return 0;
}

static int begin_histories(struct syn_replay *replay)
{
    const struct syn_cause_plan *plan = replay->plan;
    const uint32_t count = plan->location_count;
    int status = 0;
    replay->history = aligned_alloc(SYN_LINE_BYTES, ((size_t)count + 1) * sizeof *replay->history);
    replay->list = malloc(((size_t)count + 1) * sizeof *replay->list);
    replay->synchronized_ns =
        malloc(((size_t)plan->group_count + 1) * sizeof *replay->synchronized_ns);
    replay->bounds = calloc((size_t)plan->rank_count + 1, sizeof *replay->bounds);
    const int64_t begin_ns = replay->sums->bins.begin_ns;
    for (uint32_t i = 0; replay->history && i < count; i++)
        replay->history[i] = (struct syn_history){
            .now_ns = begin_ns, .path.from_ns = begin_ns, .bin_end_ns = INT64_MIN};
    if (!replay->history || !replay->list || !replay->synchronized_ns || !replay->bounds)
        return SYN_ENOMEM;
    for (uint32_t g = 0; g < plan->group_count; g++)
        replay->synchronized_ns[g] = SYN_NEVER_NS;
    for (int32_t r = 0; r < plan->rank_count && status == SYN_OK; r++) {
        const struct syn_rank_file *file = syn_trace_rank(plan->trace, r);
        status = file ? syn_bounds_init(&replay->bounds[r], file) : SYN_OK;
    }
    return status;
}

struct syn_replay *syn_replay_new(const struct syn_cause_plan *plan,
                                  struct syn_cause_tables *tables, struct syn_cause_sums *sums,
                                  struct syn_message_part *messages, size_t memory_bytes)
{
    struct syn_replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return NULL;
    replay->pages.budget_bytes = syn_largest(memory_bytes, SYN_PAGES_LEAST);
    replay->path_most = PATH_LEAST;
    replay->plan = plan;
    replay->tables = tables;
    replay->sums = sums;
    replay->message_sums = messages->of && messages->of->rank ? messages : NULL;
    replay->known_ns = INT64_MIN;
    replay->interval_most = INTERVALS_LEAST + 64 * (size_t)plan->location_count;
    if (syn_label_cache_begin(replay, SYN_LABEL_CACHE_BITS) || begin_arriving(replay) ||
        begin_histories(replay) || syn_nonblocking_begin(replay) || syn_messages_begin(replay) ||
        syn_path_begin(&replay->path)) {
        syn_replay_free(replay);
        return NULL;
    }
    return replay;
}

void syn_replay_free(struct syn_replay *replay)
{
    if (!replay)
        return;
    for (uint32_t i = 0; replay->history && i < replay->plan->location_count; i++) {
        struct syn_history *history = &replay->history[i];
        free(history->call);
        syn_spilled_free(&replay->pages, history->interval,
                         history->interval_capacity * sizeof *history->interval);
        free(history->completion);
        free(history->completed);
    }
    for (int32_t r = 0; replay->bounds && r < replay->plan->rank_count; r++)
        syn_bounds_free(&replay->bounds[r]);
    syn_nonblocking_free(replay);
    syn_messages_free(replay);
    syn_path_free(&replay->path);
    free(replay->history);
    free(replay->bounds);
    free(replay->arriving);
    free(replay->arriving_members);
    free(replay->turns);
    free(replay->member);
    free(replay->comm_bound);
    free(replay->label_cache);
    free(replay->list);
    free(replay->synchronized_ns);
    syn_attribution_free(replay);
    free(replay->window.last);
    free(replay->window.others);
    free(replay->window.touched);
    syn_spilled_free(&replay->pages, replay->window.node,
                     replay->window.node_capacity * sizeof *replay->window.node);
    syn_pages_end(&replay->pages);
    free(replay);
}

/* ---- queues ---- */

void syn_replay_list(struct syn_replay *replay, uint32_t location)
{
    if (!replay->history[location].listed)
        replay->list[replay->list_count++] = location;
    replay->history[location].listed = true;
}

struct syn_replay_call *syn_replay_append(struct syn_replay *replay, uint32_t location)
{
    struct syn_history *history = &replay->history[location];
    const size_t count = history->count + history->held_count;
    if (__builtin_expect(history->first + count == history->capacity, 0)) {
        if (history->first > history->capacity / 2) {
            memmove(history->call, history->call + history->first, count * sizeof *history->call);
            history->first = 0;
        } else if (SYN_ROOM(history->call, history->capacity, history->capacity) != SYN_OK) {
            return NULL;
        }
    }
    history->held_count++;
    return &history->call[history->first + count];
}

/* Moves the first `count` of the calls held back to the queue. */
static void enqueue(struct syn_replay *replay, uint32_t location, size_t count)
{
    struct syn_history *history = &replay->history[location];
    history->held_count -= count;
    history->count += count;
    replay->queued_count += count;
    syn_replay_list(replay, location);
}

int syn_replay_release(struct syn_replay *replay, uint32_t location, size_t count)
{
    const struct syn_history *history = &replay->history[location];
    struct syn_replay_call *call = history->call + history->first + history->count;
    int status = 0;
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        if (syn_event_kind_at(replay->tables, call[i].kind)->message)
            status = syn_message_release(replay, location, history->passed + history->count + i,
                                         &call[i]);
    enqueue(replay, location, count);
    return status;
}

/* ---- turns ----
 *
 * The turn of a rank on a communicator is the sequence number of its next call there. Calls of one
 * thread are in order; if a rank has several threads, each call waits for its turn. */

/* Returns the turns of a communicator, by member; NULL if each of its ranks has one thread. */
static uint64_t *turns_of(const struct syn_replay *replay, const struct syn_event_kind *kind)
{
    return kind->comm == SYN_NO_COMM ? NULL : replay->arriving[kind->comm].turn;
}

/* Returns whether it is the call's turn. Calls of several threads on one communicator are in
 * different queues. Each has to wait for the earlier calls of its rank; else members of an instance
 * would be compared with later calls. */
static bool is_turn(const struct syn_replay *replay, const struct syn_replay_call *call)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    const uint64_t *turn = turns_of(replay, kind);
    return !turn || call->sequence <= turn[call->member];
}

/* Notes that a location passes the first call of its queue. Threads that waited for this turn can
 * go on. */
static __attribute__((noinline)) void end_turn(struct syn_replay *replay, uint32_t location)
{
    const struct syn_cause_plan *plan = replay->plan;
    const struct syn_replay_call *call = syn_history_head(&replay->history[location]);
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    const int32_t rank = plan->location[location].rank;
    uint64_t *turn = turns_of(replay, kind);
    if (!turn || call->sequence < turn[call->member])
        return;
    turn[call->member] = call->sequence + 1;
    for (uint32_t i = plan->first_location[rank]; i < plan->first_location[rank + 1]; i++)
        if (replay->history[i].waits_turn && is_turn(replay, syn_history_head(&replay->history[i])))
            syn_replay_list(replay, i);
}

/* Removes the first call from the queue of a location. */
static inline void pop(struct syn_replay *replay, uint32_t location)
{
    struct syn_history *history = &replay->history[location];
    if (replay->turns)
        end_turn(replay, location);
    history->first++;
    history->passed++;
    history->entered = false;
    replay->queued_count--;
    if (--history->count + history->held_count == 0)
        history->first = 0;
}

size_t syn_replay_queued(const struct syn_replay *replay)
{
    return replay->queued_count;
}

const struct syn_replay_call *syn_replay_held(const struct syn_replay *replay, uint32_t location,
                                              size_t *count)
{
    const struct syn_history *history = &replay->history[location];
    *count = history->held_count;
    return history->call + history->first + history->count;
}

void syn_replay_drop(struct syn_replay *replay, uint32_t location, size_t count)
{
    struct syn_history *history = &replay->history[location];
    history->first += count;
    history->held_count -= count;
    if (history->count + history->held_count == 0)
        history->first = 0;
}

/* ---- arriving at a blocking instance ----
 *
 * Members stand at the earliest instance of the communicator that any of them has reached. A
 * location at a later one is aside: it is only counted, and arrives again when that instance has
 * been passed. */

static void clear_members(struct syn_arriving *arriving, uint32_t size)
{
    for (uint32_t m = 0; m < size; m++)
        arriving->member[m].location = SYN_NO_NUMBER;
    arriving->count = 0;
}

/* Notes that a location has arrived at a blocking instance. If the instance is earlier than the one
 * that members stand at, these members are aside. */
static void stand(struct syn_replay *replay, uint32_t location, const struct syn_replay_call *call)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    struct syn_arriving *arriving = &replay->arriving[kind->comm];
    const uint32_t size = replay->plan->comms->comm[kind->comm].size;
    if (arriving->count > 0 && call->sequence < arriving->sequence) {
        arriving->aside += arriving->count;
        clear_members(arriving, size);
    }
    if (arriving->count == 0) {
        arriving->sequence = call->sequence;
        arriving->is_clear = true;
    }
    struct syn_member_call *member = &arriving->member[call->member];
    if (call->sequence == arriving->sequence && member->location == SYN_NO_NUMBER) {
        *member = syn_member_call(call, location);
        member->call = NULL;
        arriving->is_clear &= replay->history[location].now_ns <= call->start_ns;
        arriving->count++;
    } else {
        arriving->aside++;
    }
}

/* Lets a location, whose turn it is, arrive at the blocking instance of its next call. */
static int arrive(struct syn_replay *replay, uint32_t location)
{
    struct syn_history *history = &replay->history[location];
    const struct syn_replay_call *call = syn_history_head(history);
    const int status = syn_history_reach(replay, location, call);
    history->entered = true;
    stand(replay, location, call);
    return status;
}

/* Clears the instance at which locations stand. Those that stand at later instances arrive again;
 * the earliest of these instances is next. */
static void clear_arriving(struct syn_replay *replay, uint32_t comm)
{
    const struct syn_cause_plan *plan = replay->plan;
    const struct syn_communicator *of = &plan->comms->comm[comm];
    struct syn_arriving *arriving = &replay->arriving[comm];
    clear_members(arriving, of->size);
    if (__builtin_expect(arriving->aside == 0, 1))
        return;
    arriving->aside = 0;
    for (uint32_t m = 0; m < of->size; m++)
        for (uint32_t i = plan->first_location[of->world_rank[m]];
             i < plan->first_location[of->world_rank[m] + 1]; i++) {
            const struct syn_history *history = &replay->history[i];
            if (history->entered &&
                syn_event_kind_at(replay->tables, syn_history_head(history)->kind)->comm == comm)
                stand(replay, i, syn_history_head(history));
        }
}

/* ---- passing ---- */

/* Passes a call whose instance is not known. Its time is counted, but no waiting. */
static int pass_alone(struct syn_replay *replay, uint32_t location)
{
    struct syn_history *history = &replay->history[location];
    const struct syn_replay_call *call = syn_history_head(history);
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    const struct syn_inside inside = {kind->point, SYN_NEVER_NS,
                                      kind->is_blocking ? call->end_ns : call->call_end_ns,
                                      SYN_NO_NODE};
    const struct syn_replay_completion completion = syn_completion_of(call, kind, NULL);
    int status = syn_history_reach(replay, location, call);
    if (status == SYN_OK)
        status = syn_history_pass(replay, location, &inside);
    if (status == SYN_OK && !kind->is_blocking && kind->is_completed)
        status = syn_history_expect(replay, location, &completion);
    pop(replay, location);
    return status;
}

/* Passes the start of a nonblocking operation or a half of a message. If a message is completed by
 * the call that posts it, the time of the call is divided at its completion. */
static int pass_start(struct syn_replay *replay, uint32_t location)
{
    const struct syn_replay_call call = *syn_history_head(&replay->history[location]);
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call.kind);
    const struct syn_inside inside = {kind->point, SYN_NEVER_NS, call.call_end_ns, SYN_NO_NODE};
    int status = syn_history_reach(replay, location, &call);
    if (status == SYN_OK)
        status = kind->message ? syn_message_start(replay, location, &call)
                               : syn_nonblocking_start(replay, location, &call);
    if (status == SYN_OK && (!kind->message || kind->point != kind->completion_point))
        status = syn_history_pass(replay, location, &inside);
    pop(replay, location);
    return status;
}

/* Drops the history of a location before a cut. */
static void forget(struct syn_replay *replay, struct syn_history *history)
{
    replay->interval_total -= history->interval_count;
    history->interval_first = history->interval_count = history->completed_count = 0;
}

/* Bytes of an interval with its share of nodes and weights. */
#define INTERVAL_BYTES 64

/* Removes the mapped pages from the process. The newest ones, which are in use, come back. */
static void cool(struct syn_replay *replay)
{
    syn_pages_cool(&replay->pages);
    replay->interval_warm =
        replay->interval_total + replay->pages.budget_bytes / (2 * INTERVAL_BYTES);
}

/* Lets a location that has left an instance go on. RATIONALE: with very many locations, nothing of
 * a location is in the cache when its turn comes again. So it arrives at its next instance at once,
 * unless it is the last to arrive there. */
static int go_on_at_once(struct syn_replay *replay, uint32_t location)
{
    const struct syn_history *history = &replay->history[location];
    if (history->count == 0)
        return 0;
    const struct syn_event_kind *kind =
        syn_event_kind_at(replay->tables, syn_history_head(history)->kind);
    if (kind->is_blocking && kind->comm != SYN_NO_COMM &&
        replay->plan->group_of_comm[kind->comm] != SYN_NO_GROUP && !replay->turns &&
        replay->completion_count == 0 &&
        replay->arriving[kind->comm].count + 1 < replay->plan->comms->comm[kind->comm].size)
        return arrive(replay, location);
    syn_replay_list(replay, location);
    return 0;
}

/* Lets all members leave an instance: adds the call of each to its history. `node` has the waiting,
 * `path` is that of members that waited. */
static int leave(struct syn_replay *replay, const struct syn_arrivals *arrivals, uint32_t node,
                 struct syn_path_position path)
{
    int status = 0;
    for (uint32_t m = 0; m < arrivals->count && status == SYN_OK; m++) {
        const struct syn_member_call *member = &arrivals->member[m];
        struct syn_history *history = &replay->history[member->location];
        const bool waited = member->end_ns >= arrivals->due_ns - arrivals->bound_ns;
        const struct syn_inside inside = {syn_event_kind_at(replay->tables, member->kind)->point,
                                          arrivals->due_ns, member->end_ns,
                                          waited && m != arrivals->cause ? node : SYN_NO_NODE};
        if (m + SYN_HISTORY_AHEAD < arrivals->count) {
            syn_history_fetch(replay, member[SYN_HISTORY_AHEAD].location);
            syn_history_fetch_calls(replay, member[SYN_CALL_AHEAD].location, 2);
            syn_history_fetch_intervals(replay, member[SYN_CALL_AHEAD].location);
        }
        if (arrivals->is_cut)
            forget(replay, history);
        if (syn_had_to_wait(arrivals, m))
            history->path = path;
        status = syn_history_pass(replay, member->location, &inside);
        pop(replay, member->location);
        if (status == SYN_OK)
            status = go_on_at_once(replay, member->location);
    }
    return status;
}

/* Evaluates an instance at which all members have arrived, and passes it. A cut is an instance of
 * all locations behind which no cause window reaches (cuts.c).
 *
 * Plan: find the awaited member; at a cut, give up what is pending; divide the waiting; find the
 * critical path; at a cut, attribute all waiting, as all before it is forgotten; leave. */
static int meet(struct syn_replay *replay, struct syn_arrivals *arrivals)
{
    uint32_t node = SYN_NO_NODE;
    syn_arrivals_judge(replay, arrivals);
    if (arrivals->is_cut &&
        replay->nonblocking.count > 0) /* no member waits for these, and members that start them
                                          behind the cut are too late */
        syn_nonblocking_give_up(replay, true);
    if (arrivals->is_cut)
        syn_messages_give_up(replay);
    struct syn_path_position path =
        replay->history[arrivals->member[arrivals->cause].location].path;
    int status = syn_arrivals_divide(replay, arrivals, &node);
    if (status == SYN_OK)
        status = syn_path_after_instance(replay, arrivals, &path);
    if (arrivals->synchronizes) { /* the group was together in this instance */
        int64_t *together_ns = &replay->synchronized_ns[arrivals->group];
        *together_ns = syn_largest(arrivals->last_start_ns, *together_ns);
    }
    if (status == SYN_OK && arrivals->is_cut) {
        status = syn_attribute_all(replay);
        replay->has_completed = false;
        node = SYN_NO_NODE;
    }
    return status != SYN_OK ? status : leave(replay, arrivals, node, path);
}

bool syn_arrivals_agree(const struct syn_replay *replay, const struct syn_arrivals *arrivals)
{
    for (uint32_t m = 1; m < arrivals->count; m++)
        if (arrivals->member[m].kind != arrivals->member[0].kind &&
            syn_event_kind_at(replay->tables, arrivals->member[m].kind)->op != arrivals->kind->op)
            return false;
    return true;
}

/* Passes the instance at which all members have arrived, and further ones as long as all members
 * stand at the next. */
static int pass_together(struct syn_replay *replay, uint32_t comm)
{
    int status = 0;
    while (status == SYN_OK &&
           replay->arriving[comm].count == replay->plan->comms->comm[comm].size) {
        /* Passes the instance at which all members stand. They leave it for their next ones. */
        struct syn_arriving *arriving = &replay->arriving[comm];
        const bool any_aside = arriving->aside > 0;
        struct syn_arrivals arrivals = {
            .kind = syn_event_kind_at(replay->tables, arriving->member[0].kind),
            .member = replay->member,
            .count = arriving->count,
            .group = replay->plan->group_of_comm[comm],
            .is_clear = arriving->is_clear};
        memcpy(replay->member, arriving->member, arrivals.count * sizeof *replay->member);
        clear_members(arriving, arrivals.count);
        if (syn_arrivals_agree(replay, &arrivals)) {
            status = meet(replay, &arrivals);
        } else {
            for (uint32_t m = 0; m < arrivals.count && status == SYN_OK; m++) {
                syn_replay_list(replay, arrivals.member[m].location);
                status = pass_alone(replay, arrivals.member[m].location);
            }
        }
        if (__builtin_expect(any_aside, 0))
            clear_arriving(replay, comm);
    }
    return status;
}

/* ---- advancing ---- */

/* Passes calls of a location until it has to wait for others. */
static int go_on(struct syn_replay *replay, uint32_t location)
{
    struct syn_history *history = &replay->history[location];
    int status = 0;
    while (status == SYN_OK && history->count > 0 && !history->entered) {
        const struct syn_replay_call *call = syn_history_head(history);
        const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
        bool waits = false;
        /* A call completes what is waited for up to its start. RATIONALE: both halves of
         * MPI_Sendrecv start when the wait for both begins, so a half must not complete what is
         * waited for at its own start: the other half would come too late for its call. */
        if (__builtin_expect(replay->completion_count > 0, 0))
            status = syn_history_complete(replay, location, call->start_ns - (kind->message != 0),
                                          &waits);
        if (status != SYN_OK || waits)
            return status;
        history->waits_turn = replay->turns && !is_turn(replay, call);
        if (history->waits_turn)
            return SYN_OK;
        if (!kind->message && (kind->comm == SYN_NO_COMM ||
                               replay->plan->group_of_comm[kind->comm] == SYN_NO_GROUP)) {
            status = pass_alone(replay, location);
        } else if (!kind->is_blocking) { /* is_blocking is false for messages, too */
            status = pass_start(replay, location);
        } else {
            status = arrive(replay, location);
            if (status == SYN_OK)
                status = pass_together(replay, kind->comm);
        }
    }
    return status;
}

int syn_replay_advance(struct syn_replay *replay)
{
    int status = 0;
    while (replay->list_count > 0 && status == SYN_OK) {
        const uint32_t location = replay->list[--replay->list_count];
        if (replay->list_count >= SYN_HISTORY_AHEAD) {
            const uint32_t *next = &replay->list[replay->list_count];
            syn_history_fetch(replay, next[-SYN_HISTORY_AHEAD]);
            syn_history_fetch_calls(replay, next[-SYN_CALL_AHEAD], 1);
            syn_history_fetch_intervals(replay, next[-SYN_CALL_AHEAD]);
        }
        replay->history[location].listed = false;
        status = go_on(replay, location);
        if (status == SYN_OK &&
            __builtin_expect(replay->interval_total > replay->interval_most, 0)) {
            status = syn_histories_forget(replay);
            if (status == SYN_OK)
                status = syn_attribute_unreferenced(replay);
            replay->interval_most = INTERVALS_LEAST + 64 * (size_t)replay->plan->location_count;
            if (2 * replay->interval_total > replay->interval_most)
                replay->interval_most = 2 * replay->interval_total;
            cool(replay);
        }
        if (status == SYN_OK && __builtin_expect(replay->path.piece_count > replay->path_most, 0)) {
            status = syn_path_compact(replay);
            replay->path_most = syn_largest(2 * replay->path.piece_count, PATH_LEAST);
        }
        if (__builtin_expect(replay->interval_total > replay->interval_warm, 0))
            cool(replay);
    }
    return status;
}

/* ---- giving up ---- */

void syn_replay_know(struct syn_replay *replay, int64_t known_ns)
{
    replay->known_ns = syn_largest(known_ns, replay->known_ns);
}

/* Returns the first queued call on a communicator, or NULL if there is none. */
static const struct syn_replay_call *next_queued(const struct syn_replay *replay,
                                                 const struct syn_history *history, uint32_t comm)
{
    for (size_t i = 0; i < history->count; i++) {
        const struct syn_replay_call *call = &history->call[history->first + i];
        if (syn_event_kind_at(replay->tables, call->kind)->comm == comm)
            return call;
    }
    return NULL;
}

/* Returns whether all calls that a rank made before this one have been released. */
static bool is_known_before(const struct syn_replay *replay, int32_t rank,
                            const struct syn_replay_call *call)
{
    const uint32_t *first = &replay->plan->first_location[rank];
    return replay->drains || first[1] - first[0] == 1 || call->start_ns < replay->known_ns;
}

/* A member has passed a number for certain if it has a later call in its queue, or if no more calls
 * will come. */
bool syn_replay_has_passed(const struct syn_replay *replay, uint32_t comm, uint32_t member,
                           uint64_t sequence)
{
    const int32_t rank = (int32_t)replay->plan->comms->comm[comm].world_rank[member];
    bool later = replay->drains;
    for (uint32_t i = replay->plan->first_location[rank];
         i < replay->plan->first_location[rank + 1]; i++) {
        const struct syn_replay_call *next = next_queued(replay, &replay->history[i], comm);
        if (next && next->sequence <= sequence)
            return false;
        later |= next && is_known_before(replay, rank, next);
    }
    return later;
}

/* Returns whether no other thread of the rank has an earlier call on the communicator than the one
 * that a location waits with. RATIONALE: numbers of a rank's calls may have gaps, because some
 * calls were not recorded. */
static bool is_next(const struct syn_replay *replay, uint32_t location)
{
    const struct syn_replay_call *call = syn_history_head(&replay->history[location]);
    const uint32_t comm = syn_event_kind_at(replay->tables, call->kind)->comm;
    const int32_t rank = replay->plan->location[location].rank;
    if (!is_known_before(replay, rank, call))
        return false;
    for (uint32_t i = replay->plan->first_location[rank];
         i < replay->plan->first_location[rank + 1]; i++) {
        const struct syn_replay_call *other = next_queued(replay, &replay->history[i], comm);
        if (other && other->sequence < call->sequence)
            return false;
    }
    return true;
}

/* Gives the turn to the location, and advances. Returns 0 or SYN_ENOMEM. */
static int let_in(struct syn_replay *replay, uint32_t location)
{
    const struct syn_replay_call *call = syn_history_head(&replay->history[location]);
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    replay->arriving[kind->comm].turn[call->member] = call->sequence;
    syn_replay_list(replay, location);
    return syn_replay_advance(replay);
}

/* Gives the turn to locations that wait for calls that were never recorded. */
static int give_up_turns(struct syn_replay *replay)
{
    int status = 0;
    for (bool found = replay->turns; found && status == SYN_OK;) {
        found = false;
        for (uint32_t i = 0; i < replay->plan->location_count && status == SYN_OK; i++)
            while (status == SYN_OK && replay->history[i].waits_turn && is_next(replay, i)) {
                status = let_in(replay, i);
                found = true;
            }
    }
    return status;
}

/* Returns whether a member has passed the instance at which a location stands, without calling it.
 */
static bool is_hopeless(const struct syn_replay *replay, uint32_t location)
{
    const struct syn_replay_call *call = syn_history_head(&replay->history[location]);
    const uint32_t comm = syn_event_kind_at(replay->tables, call->kind)->comm;
    for (uint32_t m = 0; m < replay->plan->comms->comm[comm].size; m++)
        if (syn_replay_has_passed(replay, comm, m, call->sequence))
            return true;
    return false;
}

/* Passes the first call of a location without its instance, and advances. */
static int give_up_first(struct syn_replay *replay, uint32_t location)
{
    const uint32_t comm =
        syn_event_kind_at(replay->tables, syn_history_head(&replay->history[location])->kind)->comm;
    struct syn_arriving *arriving = &replay->arriving[comm];
    const uint64_t sequence = syn_history_head(&replay->history[location])->sequence;
    int status = pass_alone(replay, location);
    if (sequence == arriving->sequence || arriving->aside > 0)
        arriving->aside++; /* locations that arrived at the same instance arrive again */
    clear_arriving(replay, comm);
    syn_replay_list(replay, location);
    if (status == SYN_OK)
        status = pass_together(replay, comm);
    return status != SYN_OK ? status : syn_replay_advance(replay);
}

int syn_replay_give_up(struct syn_replay *replay)
{
    int status = syn_replay_advance(replay);
    if (status == SYN_OK)
        status = give_up_turns(replay);
    for (bool found = true; found && status == SYN_OK;) {
        const size_t open_before = replay->nonblocking.count, queued_before = replay->queued_count;
        syn_nonblocking_give_up(replay, false);
        status = syn_replay_advance(replay);
        for (uint32_t i = 0; i < replay->plan->location_count && status == SYN_OK; i++)
            while (status == SYN_OK && replay->history[i].entered && is_hopeless(replay, i))
                status = give_up_first(replay, i);
        if (status == SYN_OK)
            status = give_up_turns(replay);
        found = replay->queued_count < queued_before || replay->nonblocking.count < open_before;
    }
    return status;
}

/* Returns the location that started first among those that have arrived, or with for_turn among
 * those that wait for their turn; SYN_NO_NUMBER if there is none. A location at its last call is
 * left out if the calls lead to a cut, because all locations will arrive at the cut. */
static uint32_t first_waiting(const struct syn_replay *replay, bool for_turn)
{
    uint32_t first = SYN_NO_NUMBER;
    for (uint32_t i = 0; i < replay->plan->location_count; i++)
        if ((for_turn ? replay->history[i].waits_turn : replay->history[i].entered) &&
            (!replay->leads_to_cut || replay->history[i].count > 1) &&
            (first == SYN_NO_NUMBER || syn_history_head(&replay->history[i])->start_ns <
                                           syn_history_head(&replay->history[first])->start_ns))
            first = i;
    return first;
}

/* Lets the earliest message that locations wait for go on without waiting, if it is due by
 * before_ns. RATIONALE: wrong clocks can make locations wait for one another in a circle. Returns
 * whether there was one. */
static bool give_up_message(struct syn_replay *replay, int64_t before_ns)
{
    struct syn_replay_completion *first = NULL;
    uint32_t location = 0;
    for (uint32_t i = 0; replay->messages.count > 0 && i < replay->plan->location_count; i++)
        for (size_t k = 0; k < replay->history[i].completion_count; k++) {
            struct syn_replay_completion *completion = &replay->history[i].completion[k];
            if (completion->wait_start_ns != replay->history[i].completion[0].wait_start_ns)
                break;
            if (completion->message && !completion->is_ready &&
                (replay->history[i].count == 0 ||
                 completion->wait_start_ns < syn_history_head(&replay->history[i])->start_ns) &&
                (!first || completion->due_ns < first->due_ns)) {
                first = completion;
                location = i;
            }
        }
    if (!first || first->due_ns > before_ns)
        return false;
    first->due_ns = SYN_NEVER_NS;
    first->is_ready = true;
    syn_replay_list(replay, location);
    return true;
}

/* Replays the released calls to their end. No more calls will come. */
static int drain_released(struct syn_replay *replay)
{
    replay->drains = true;
    for (uint32_t i = 0; replay->messages.count > 0 && i < replay->plan->location_count; i++)
        if (replay->history[i].completion_count > 0)
            syn_replay_list(replay, i);
    int status = syn_replay_give_up(replay);
    while (status == SYN_OK && replay->queued_count > 0) {
        const uint32_t next = first_waiting(replay, true), first = first_waiting(replay, false);
        if (give_up_message(replay, first == SYN_NO_NUMBER
                                        ? INT64_MAX
                                        : syn_history_head(&replay->history[first])->start_ns))
            status = syn_replay_advance(replay);
        else if (next != SYN_NO_NUMBER)
            status = let_in(replay, next);
        else if (first != SYN_NO_NUMBER)
            status = give_up_first(replay, first);
        else
            syn_nonblocking_give_up(replay, true);
        if (status == SYN_OK)
            status = syn_replay_give_up(replay);
    }
    syn_nonblocking_give_up(replay, true);
    if (status == SYN_OK) {
        /* Completes the operations that the passed calls began. */
        bool found = true;
        status = 0;
        while (found && status == SYN_OK) {
            size_t left = 0;
            found = false;
            for (uint32_t i = 0; i < replay->plan->location_count && status == SYN_OK; i++) {
                const size_t had = replay->history[i].completion_count;
                bool waits;
                status = syn_history_complete(replay, i, INT64_MAX, &waits);
                found |= replay->history[i].completion_count < had;
                left += replay->history[i].completion_count;
            }
            if (!found && left > 0)
                found = give_up_message(replay, INT64_MAX);
        }
        replay->list_count = 0;
        for (uint32_t i = 0; i < replay->plan->location_count; i++)
            replay->history[i].listed = false;
    }
    replay->drains = false;
    return status;
}

/* Goes from cut to cut among the released calls. An instance that lacks members before a cut has
 * them nowhere. It is given up as if nothing came behind the cut, however many calls are there. So
 * those calls are held back until the cut is passed. */
int syn_replay_drain(struct syn_replay *replay)
{
    const uint32_t locations = replay->plan->location_count;
    size_t *count = malloc(((size_t)locations + 1) *
                           sizeof *count); /* [location_count] calls up to the cut, including it */
    bool found = true;
    int status = count ? syn_replay_advance(replay) : SYN_ENOMEM;
    while (status == SYN_OK && found && replay->queued_count > 0 && replay->plan->has_cover) {
        status = syn_cuts_find_queued(replay, count, &found);
        if (status != SYN_OK || !found)
            break;
        for (uint32_t i = 0; i < locations; i++) {
            struct syn_history *history = &replay->history[i];
            const size_t held = history->count - count[i];
            history->count -= held;
            history->held_count += held;
            replay->queued_count -= held;
            count[i] = held;
        }
        replay->leads_to_cut = true;
        status = drain_released(replay);
        replay->leads_to_cut = false;
        for (uint32_t i = 0; i < locations; i++)
            enqueue(replay, i, count[i]);
        if (status == SYN_OK)
            status = syn_replay_advance(replay);
    }
    free(count);
    return status != SYN_OK ? status : drain_released(replay);
}

/* ---- starting behind a cut ---- */

int syn_replay_stand_at(struct syn_replay *replay, const struct syn_cut *cut)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, cut->call[0].kind);
    const uint32_t group = replay->plan->group_of_comm[kind->comm];
    syn_messages_give_up(replay);
    int status = syn_path_sum_up(replay, 0);
    if (status == SYN_OK)
        status = syn_attribute_all(replay);
    replay->has_completed = false;
    for (uint32_t i = 0; i < replay->plan->location_count && status == SYN_OK; i++) {
        const struct syn_replay_call *call = &cut->call[i];
        struct syn_history *history = &replay->history[i];
        forget(replay, history);
        history->point = syn_event_kind_at(replay->tables, call->kind)->point;
        history->now_ns = call->start_ns;
        history->path.node = SYN_PATH_ROOT;
        history->path.from_ns = cut->synchronized_ns;
        status = syn_history_note_inside(replay, i, cut->synchronized_ns, call->end_ns);
    }
    replay->synchronized_ns[group] = cut->synchronized_ns;
    return status;
}

/* ---- the end ---- */

int syn_replay_finish(struct syn_replay *replay, int64_t end_ns)
{
    const uint32_t count = replay->plan->location_count;
    int64_t last_ns = INT64_MIN;
    uint32_t last = 0;
    int status = syn_replay_drain(replay);
    syn_messages_end(replay);
    for (uint32_t i = 0; i < count;
         i++) { /* finds the last to enter MPI_Finalize or to end its last call */
        const int64_t finalize_ns = replay->plan->location[i].finalize_ns;
        const int64_t over_ns = syn_largest(finalize_ns == INT64_MAX ? INT64_MIN : finalize_ns,
                                            replay->history[i].now_ns);
        last = i == 0 || over_ns > last_ns ? i : last;
        last_ns = syn_largest(over_ns, last_ns);
    }
    for (uint32_t i = 0; i < count && status == SYN_OK; i++)
        status = syn_history_end(replay, i, syn_largest(end_ns, replay->history[last].now_ns));
    replay->sums->path_start_ns = replay->sums->bins.begin_ns;
    replay->sums->path_end_ns = count ? replay->history[last].now_ns : replay->sums->path_start_ns;
    if (status == SYN_OK && count > 0)
        status = syn_path_finish(replay, last);
    return status != SYN_OK ? status : syn_attribute_all(replay);
}
