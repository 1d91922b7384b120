/* analyze/causes/replay/history.c - divides each location's time without gaps: into segments
 * between calls, and calls into waiting and operation. The newest intervals are kept, as far back
 * as any window may reach. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

int syn_label_cache_begin(struct syn_replay *replay, unsigned bits)
{
    const size_t bytes = sizeof *replay->label_cache << bits;
    struct syn_cached_label *cache = malloc(bytes);
    if (!cache)
        return SYN_ENOMEM;
    memset(cache, 0xFF, bytes);
    free(replay->label_cache);
    replay->label_cache = cache;
    replay->label_cache_bits = bits;
    return 0;
}

/* Returns the place of a label in the cache. RATIONALE: calls are numbered as they first occur, so
 * successive calls often have successive numbers. Then the labels of a loop lie side by side, in
 * the order of access. */
static inline struct syn_cached_label *cached_label(const struct syn_replay *replay, uint32_t from,
                                                    uint32_t to)
{
    const uint32_t mask = (UINT32_C(1) << replay->label_cache_bits) - 1;
    const uint32_t place =
        to == SYN_POINT_INSIDE ? 2 * from : 2 * from + 1 + (to - from - 1) * UINT32_C(0x3C6EF362);
    return &replay->label_cache[place & mask];
}

static __attribute__((noinline)) uint32_t find_label(struct syn_replay *replay, uint32_t from,
                                                     uint32_t to)
{
    const uint32_t label = syn_label_of(replay->tables, from, to);
    if (label == SYN_NO_NUMBER)
        return label;
    if (label >> replay->label_cache_bits > 0 && replay->label_cache_bits < SYN_LABEL_CACHE_MOST)
        (void)syn_label_cache_begin(replay, SYN_LABEL_CACHE_MOST);
    *cached_label(replay, from, to) = (struct syn_cached_label){from, to, label};
    return label;
}

static inline uint32_t label_between(struct syn_replay *replay, uint32_t from, uint32_t to)
{
    const struct syn_cached_label *cached = cached_label(replay, from, to);
    return __builtin_expect(cached->from == from && cached->to == to, 1)
               ? cached->label
               : find_label(replay, from, to);
}

void syn_history_find_bin(const struct syn_time_bins *bins, struct syn_history *history)
{
    history->bin = syn_time_bin_of(bins, history->now_ns);
    history->bin_end_ns = syn_time_bin_end(bins, history->bin);
}

/* Makes room for `more` intervals. Returns 0 or SYN_ENOMEM. */
static int grow_intervals(struct syn_replay *replay, struct syn_history *history, size_t more)
{
    if (history->interval_first > history->interval_capacity / 2) {
        memmove(history->interval, history->interval + history->interval_first,
                history->interval_count * sizeof *history->interval);
        history->interval_first = 0;
    }
    int status = 0;
    while (history->interval_first + history->interval_count + more > history->interval_capacity &&
           status == SYN_OK)
        status = SYN_SPILLED_ROOM(&replay->pages, history->interval, history->interval_capacity,
                                  history->interval_capacity);
    return status;
}

static inline int reserve_intervals(struct syn_replay *replay, struct syn_history *history,
                                    size_t more)
{
    return __builtin_expect(history->interval_first + history->interval_count + more >
                                history->interval_capacity,
                            0)
               ? grow_intervals(replay, history, more)
               : 0;
}

/* Adds an interval of `ns` to the history, for which there is room. */
static inline void note(struct syn_replay *replay, struct syn_history *history, int64_t ns,
                        uint32_t key, uint32_t node)
{
    if (ns <= 0)
        return;
    history->now_ns += ns;
    history->interval[history->interval_first + history->interval_count++] =
        (struct syn_history_interval){history->now_ns, ns, key, node};
    replay->interval_total++;
}

/* Adds the segment from now_ns to start_ns, which ends at the point `to`. Returns 0 or
 * SYN_ENOMEM. */
static int pass_segment(struct syn_replay *replay, uint32_t location, uint32_t to,
                        const struct syn_replay_call *call)
{
    struct syn_history *history = &replay->history[location];
    const int64_t segment_ns = call->start_ns - history->now_ns;
    int64_t ns[3];
    if (segment_ns <= 0)
        return 0;
    const uint32_t label = label_between(replay, history->point, to);
    ns[SYN_CATEGORY_MESSAGES] = syn_least(syn_largest(call->messages_ns, 0), segment_ns);
    ns[SYN_CATEGORY_OFF_CPU] =
        syn_least(syn_largest(call->off_cpu_ns, 0), segment_ns - ns[SYN_CATEGORY_MESSAGES]);
    ns[SYN_CATEGORY_COMPUTING] = segment_ns - ns[SYN_CATEGORY_MESSAGES] - ns[SYN_CATEGORY_OFF_CPU];
    const struct syn_bin_values added = {.count = 1, .ns = {ns[0], ns[1], ns[2]}};
    if (label == SYN_NO_NUMBER || syn_history_add(replay, location, label, &added) != SYN_OK ||
        reserve_intervals(replay, history, 3))
        return SYN_ENOMEM;
    if (__builtin_expect(call->start_ns > history->bin_end_ns, 0)) {
        const struct syn_cause_span span = {history->bin, history->now_ns, call->start_ns};
        if (syn_bin_overlap_useful(replay->sums, location, &span,
                                   segment_ns - ns[SYN_CATEGORY_MESSAGES]) != SYN_OK)
            return SYN_ENOMEM;
    }
    for (uint32_t category = 0; category < 3; category++)
        note(replay, history, ns[category], syn_category_key(label, category), SYN_NO_NODE);
    return 0;
}

int syn_history_reach(struct syn_replay *replay, uint32_t location,
                      const struct syn_replay_call *call)
{
    return pass_segment(replay, location, syn_event_kind_at(replay->tables, call->kind)->point,
                        call);
}

/* Returns the waiting in a call that lasts from now_ns to end_ns. */
static int64_t waiting_in(const struct syn_history *history, int64_t due_ns, int64_t end_ns)
{
    const int64_t begin_ns = syn_least(history->now_ns, end_ns);
    return due_ns > begin_ns ? syn_least(due_ns, end_ns) - begin_ns : 0;
}

static int note_call(struct syn_replay *replay, struct syn_history *history, uint32_t label,
                     const struct syn_inside *inside)
{
    const int64_t waiting_ns = waiting_in(history, inside->due_ns, inside->end_ns);
    const int64_t operation_ns = inside->end_ns - history->now_ns - waiting_ns;
    if (label == SYN_NO_NUMBER || reserve_intervals(replay, history, 2))
        return SYN_ENOMEM;
    note(replay, history, waiting_ns, syn_category_key(label, SYN_CATEGORY_WAITING), inside->node);
    note(replay, history, operation_ns, syn_category_key(label, SYN_CATEGORY_OPERATION),
         SYN_NO_NODE);
    return 0;
}

int syn_history_note_inside(struct syn_replay *replay, uint32_t location, int64_t due_ns,
                            int64_t end_ns)
{
    struct syn_history *history = &replay->history[location];
    const struct syn_inside inside = {.due_ns = due_ns, .end_ns = end_ns, .node = SYN_NO_NODE};
    return note_call(replay, history, label_between(replay, history->point, SYN_POINT_INSIDE),
                     &inside);
}

int syn_history_pass(struct syn_replay *replay, uint32_t location, const struct syn_inside *inside)
{
    struct syn_history *history = &replay->history[location];
    const uint32_t label = label_between(replay, inside->point, SYN_POINT_INSIDE);
    const int64_t waiting_ns = waiting_in(history, inside->due_ns, inside->end_ns);
    const int64_t operation_ns = syn_largest(inside->end_ns - history->now_ns, 0) - waiting_ns;
    const struct syn_bin_values added = {.count = 1, .ns = {operation_ns, waiting_ns}};
    if (label == SYN_NO_NUMBER || syn_history_add(replay, location, label, &added) != SYN_OK)
        return SYN_ENOMEM;
    if (__builtin_expect(history->now_ns + waiting_ns > history->bin_end_ns, 0)) {
        const struct syn_cause_span span = {history->bin, history->now_ns,
                                            history->now_ns + waiting_ns};
        if (syn_bin_overlap_waiting(replay->sums, location, &span) != SYN_OK)
            return SYN_ENOMEM;
    }
    history->point = inside->point;
    return note_call(replay, history, label, inside);
}

int syn_history_end(struct syn_replay *replay, uint32_t location, int64_t end_ns)
{
    struct syn_history *history = &replay->history[location];
    const struct syn_replay_call leave = {
        .start_ns = syn_least(replay->plan->location[location].finalize_ns, end_ns)};
    const bool is_passed = leave.start_ns > history->now_ns;
    int status = pass_segment(replay, location, SYN_POINT_OUTSIDE, &leave);
    const int64_t rest_ns = end_ns - history->now_ns;
    if (status != SYN_OK || rest_ns <= 0)
        return status;
    const uint32_t label = label_between(replay, history->point, SYN_POINT_OUTSIDE);
    const struct syn_bin_values added = {.count = is_passed ? 0 : 1,
                                         .ns = {[SYN_CATEGORY_MESSAGES] = rest_ns}};
    if (label == SYN_NO_NUMBER || syn_history_add(replay, location, label, &added) != SYN_OK ||
        reserve_intervals(replay, history, 1))
        return SYN_ENOMEM;
    note(replay, history, rest_ns, syn_category_key(label, SYN_CATEGORY_MESSAGES), SYN_NO_NODE);
    return SYN_OK;
}

/* ---- completions ---- */

int syn_history_expect(struct syn_replay *replay, uint32_t location,
                       const struct syn_replay_completion *completion)
{
    struct syn_history *history = &replay->history[location];
    if (SYN_ROOM(history->completion, history->completion_capacity, history->completion_count) !=
        SYN_OK)
        return SYN_ENOMEM;
    size_t at = history->completion_count++;
    for (; at > 0 && history->completion[at - 1].wait_start_ns > completion->wait_start_ns; at--)
        history->completion[at] = history->completion[at - 1];
    history->completion[at] = *completion;
    replay->completion_count++;
    return 0;
}

/* Returns when the awaited member started, or SYN_NEVER_NS if that is not known. */
static int64_t due_of(const struct syn_replay_completion *completion)
{
    const struct syn_nonblocking *nonblocking = completion->nonblocking;
    if (completion->message)
        return completion->due_ns;
    return nonblocking && !nonblocking->is_given_up ? nonblocking->last_start_ns : SYN_NEVER_NS;
}

/* Returns the node of the instance for which a completion waited. A rank that left before the
 * awaited member had started did not wait for that one; then the result is SYN_NO_NODE. */
static uint32_t node_of(const struct syn_replay_completion *completion)
{
    const struct syn_nonblocking *nonblocking = completion->nonblocking;
    return nonblocking && !nonblocking->is_given_up &&
                   completion->end_ns >= nonblocking->last_start_ns - nonblocking->bound_ns
               ? nonblocking->node
               : SYN_NO_NODE;
}

/* Divides the time of a completing call among its `count` completions. The call waits for one after
 * the other as they become due. The last of them has the rest of the call, so each moment is
 * waiting for one of them or for none. The first of them has the messages and the time off the
 * processor of the segment before the call. */
static void divide_completion(struct syn_replay_completion *completion, size_t count)
{
    int64_t end_ns = INT64_MIN, messages_ns = 0, off_cpu_ns = 0;
    for (size_t i = 0; i < count; i++) { /* sorts them by the time at which they are due */
        const struct syn_replay_completion moved = completion[i];
        size_t at = i;
        for (; at > 0 && due_of(&completion[at - 1]) > due_of(&moved); at--)
            completion[at] = completion[at - 1];
        completion[at] = moved;
        end_ns = syn_largest(moved.end_ns, end_ns);
        messages_ns = syn_largest(moved.messages_ns, messages_ns);
        off_cpu_ns = syn_largest(moved.off_cpu_ns, off_cpu_ns);
    }
    for (size_t i = 0; i + 1 < count; i++)
        completion[i].end_ns =
            syn_least(syn_largest(due_of(&completion[i]), completion[i].wait_start_ns), end_ns);
    completion[count - 1].end_ns = end_ns;
    completion[0].messages_ns = messages_ns;
    completion[0].off_cpu_ns = off_cpu_ns;
}

static struct syn_group_together *completed_of(const struct syn_history *history, uint32_t group)
{
    for (size_t i = 0; i < history->completed_count; i++)
        if (history->completed[i].group == group)
            return &history->completed[i];
    return NULL;
}

/* Notes that a location has completed an instance of a group, which was together at together_ns.
 * Returns 0 or SYN_ENOMEM. */
static int note_completed(struct syn_replay *replay, uint32_t location, uint32_t group,
                          int64_t together_ns)
{
    struct syn_history *history = &replay->history[location];
    struct syn_group_together *completed = completed_of(history, group);
    if (completed) {
        completed->together_ns = syn_largest(together_ns, completed->together_ns);
        return 0;
    }
    if (SYN_ROOM(history->completed, history->completed_capacity, history->completed_count) !=
        SYN_OK)
        return SYN_ENOMEM;
    history->completed[history->completed_count++] =
        (struct syn_group_together){group, together_ns};
    replay->has_completed = true;
    return 0;
}

static int complete(struct syn_replay *replay, uint32_t location,
                    const struct syn_replay_completion *completion)
{
    struct syn_history *history = &replay->history[location];
    struct syn_nonblocking *nonblocking = completion->nonblocking;
    const struct syn_replay_call wait = {.start_ns = completion->wait_start_ns,
                                         .messages_ns = completion->messages_ns,
                                         .off_cpu_ns = completion->off_cpu_ns};
    struct syn_inside inside = {.point = completion->point,
                                .due_ns = due_of(completion),
                                .end_ns = completion->end_ns,
                                .node = node_of(completion)};
    int status = pass_segment(replay, location, completion->point, &wait);
    if (nonblocking && inside.due_ns > history->now_ns && completion->end_ns >= inside.due_ns)
        syn_path_after_nonblocking(replay, location, nonblocking);
    if (completion->message && status == SYN_OK)
        status = syn_message_wait(replay, location, completion, &inside);
    if (status == SYN_OK)
        status = syn_history_pass(replay, location, &inside);
    if (nonblocking && nonblocking->synchronized_ns != SYN_NEVER_NS && status == SYN_OK)
        status = note_completed(replay, location, replay->plan->group_of_comm[nonblocking->comm],
                                nonblocking->synchronized_ns);
    if (nonblocking && --nonblocking->held_count == 0)
        syn_nonblocking_release(replay, nonblocking);
    if (completion->message)
        syn_message_complete(replay, completion);
    return status;
}

/* Completes the first `count` completions, which are those of the next completing call. */
static int complete_call(struct syn_replay *replay, uint32_t location, size_t count)
{
    struct syn_history *history = &replay->history[location];
    int status = 0;
    /* Joins the messages among the completions into one. A call that completes several messages
     * waits for the one that is due last, so that one remains, with the point of the one that was
     * posted first. `left` is the number of completions that remain. */
    struct syn_replay_completion *completion = history->completion;
    size_t first = 0, left;
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        if (completion[i].is_message)
            status = syn_message_sum_half(replay, &completion[i]);
    while (first < count && !completion[first].is_message)
        first++;
    left = first + (first < count);
    for (size_t i = left; i < count; i++) {
        struct syn_replay_completion *joined = &completion[first], other = completion[i];
        if (!other.is_message) {
            completion[left++] = other;
            continue;
        }
        if (syn_message_comes_later(&other, joined)) { /* the call waits for `other` */
            const struct syn_replay_completion was = *joined;
            *joined = other;
            joined->point = was.point;
            other = was;
        }
        joined->end_ns = syn_largest(other.end_ns, joined->end_ns);
        joined->messages_ns = syn_largest(other.messages_ns, joined->messages_ns);
        joined->off_cpu_ns = syn_largest(other.off_cpu_ns, joined->off_cpu_ns);
        if (other.message)
            syn_message_complete(replay, &other);
    }
    if (first < count) {
        SYN_STEP(status, syn_message_sum_call(replay, location, &completion[first]));
        syn_message_claim(&completion[first]);
    }
    if (left > 1)
        divide_completion(history->completion, left);
    for (size_t i = 0; i < left && status == SYN_OK; i++)
        status = complete(replay, location, &history->completion[i]);
    history->completion_count -= count;
    replay->completion_count -= count;
    memmove(history->completion, history->completion + count,
            history->completion_count * sizeof *history->completion);
    return status;
}

/* Returns how many completions the next completing call has. Sets *waits if one of them belongs to
 * an instance that is not settled, or to a message that is not ready. */
static size_t count_of_call(struct syn_replay *replay, uint32_t location, bool *waits)
{
    const struct syn_history *history = &replay->history[location];
    size_t count = 0;
    while (count < history->completion_count &&
           history->completion[count].wait_start_ns == history->completion[0].wait_start_ns)
        count++;
    for (size_t i = 0; i < count; i++) {
        const struct syn_nonblocking *nonblocking = history->completion[i].nonblocking;
        *waits |= nonblocking && !nonblocking->is_settled;
        if (history->completion[i].message && !history->completion[i].is_ready)
            *waits |= !syn_message_is_ready(replay, &history->completion[i], count == 1);
    }
    return count;
}

int syn_history_complete(struct syn_replay *replay, uint32_t location, int64_t before_ns,
                         bool *waits)
{
    struct syn_history *history = &replay->history[location];
    int status = 0;
    *waits = false;
    while (status == SYN_OK && history->completion_count > 0 &&
           history->completion[0].wait_start_ns <= before_ns) {
        const size_t count = count_of_call(replay, location, waits);
        if (*waits)
            return 0;
        status = complete_call(replay, location, count);
    }
    return status;
}

/* ---- windows ---- */

int64_t syn_history_completed_ns(const struct syn_replay *replay, uint32_t location, uint32_t group)
{
    const struct syn_group_together *completed = completed_of(&replay->history[location], group);
    return completed ? completed->together_ns : SYN_NEVER_NS;
}

void syn_window_started(const struct syn_replay *replay, uint32_t location,
                        struct syn_nonblocking *nonblocking)
{
    const struct syn_cause_plan *plan = replay->plan;
    const struct syn_rank_group *of = &plan->group[plan->group_of_comm[nonblocking->comm]];
    for (uint32_t i = 0; i < of->above_count; i++)
        nonblocking->together_ns[i] = syn_least(
            syn_history_completed_ns(replay, location, of->above[i]), nonblocking->together_ns[i]);
}

int64_t syn_window_begin(const struct syn_replay *replay, const struct syn_arrivals *arrivals)
{
    const struct syn_rank_group *of = &replay->plan->group[arrivals->group];
    int64_t begin_ns = SYN_NEVER_NS;
    for (uint32_t i = 0; i < of->above_count; i++) {
        int64_t together_ns = replay->has_completed ? INT64_MAX : SYN_NEVER_NS;
        if (arrivals->together_ns) /* noted as members started; else the earliest that a member has
                                      completed */
            together_ns = arrivals->together_ns[i];
        for (uint32_t m = 0;
             !arrivals->together_ns && m < arrivals->count && together_ns != SYN_NEVER_NS; m++)
            together_ns = syn_least(
                syn_history_completed_ns(replay, arrivals->member[m].location, of->above[i]),
                together_ns);
        begin_ns =
            syn_largest(syn_largest(replay->synchronized_ns[of->above[i]], together_ns), begin_ns);
    }
    return begin_ns;
}

/* ---- what windows may still reach back to ---- */

/* Returns the earliest time, over the members of a communicator, at which each has known a group to
 * be together. Threads of a rank that know no such time are ignored. Returns SYN_NEVER_NS if some
 * rank knows none. */
static int64_t earliest_completed(const struct syn_replay *replay,
                                  const struct syn_communicator *comm, uint32_t group)
{
    const uint32_t *first = replay->plan->first_location;
    int64_t earliest_ns = INT64_MAX;
    for (uint32_t m = 0; m < comm->size && earliest_ns != SYN_NEVER_NS; m++) {
        int64_t own_ns = INT64_MAX;
        for (uint32_t i = first[comm->world_rank[m]]; i < first[comm->world_rank[m] + 1]; i++)
            if (syn_history_completed_ns(replay, i, group) != SYN_NEVER_NS)
                own_ns = syn_least(syn_history_completed_ns(replay, i, group), own_ns);
        earliest_ns = syn_least(own_ns == INT64_MAX ? SYN_NEVER_NS : own_ns, earliest_ns);
    }
    return earliest_ns;
}

/* Returns the earliest time at which the window of a later instance on the communicator can begin,
 * or that of the pending one `nonblocking` if not NULL. The times that locations know only
 * increase. */
static int64_t earliest_begin(const struct syn_replay *replay, const struct syn_communicator *comm,
                              uint32_t group, const struct syn_nonblocking *nonblocking)
{
    const struct syn_rank_group *of = &replay->plan->group[group];
    int64_t begin_ns = SYN_NEVER_NS;
    for (uint32_t i = 0; i < of->above_count; i++) {
        int64_t together_ns =
            replay->has_completed ? earliest_completed(replay, comm, of->above[i]) : SYN_NEVER_NS;
        if (nonblocking)
            together_ns = syn_least(nonblocking->together_ns[i], together_ns);
        begin_ns =
            syn_largest(syn_largest(replay->synchronized_ns[of->above[i]], together_ns), begin_ns);
    }
    return begin_ns;
}

static void note_need(const struct syn_replay *replay, const struct syn_communicator *comm,
                      int64_t begin_ns, int64_t *needed_ns)
{
    const uint32_t *first = replay->plan->first_location;
    for (uint32_t m = 0; begin_ns != SYN_NEVER_NS && m < comm->size; m++)
        for (uint32_t i = first[comm->world_rank[m]]; i < first[comm->world_rank[m] + 1]; i++)
            needed_ns[i] = syn_least(needed_ns[i], begin_ns);
}

int syn_histories_forget(struct syn_replay *replay)
{
    const struct syn_cause_plan *plan = replay->plan;
    const uint32_t count = plan->location_count;
    int64_t *needed_ns = malloc(((size_t)count + 1) * sizeof *needed_ns);
    if (!needed_ns)
        return SYN_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        needed_ns[i] = replay->history[i].path.from_ns;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct syn_communicator *comm = &plan->comms->comm[plan->group[g].comm];
        note_need(replay, comm, earliest_begin(replay, comm, g, NULL), needed_ns);
    }
    for (struct syn_nonblocking *nonblocking = NULL;
         (nonblocking = syn_nonblocking_next(replay, nonblocking));) {
        /* Notes what a pending instance needs: its own window, and the paths at the starts of its
         * members. If its members were never together before, later windows may begin at this
         * instance. */
        const struct syn_communicator *comm = &replay->plan->comms->comm[nonblocking->comm];
        const int64_t begin_ns = earliest_begin(
            replay, comm, replay->plan->group_of_comm[nonblocking->comm], nonblocking);
        int64_t first_ns = INT64_MAX;
        for (uint32_t m = 0; m < comm->size; m++) {
            const struct syn_started_member *member = &nonblocking->member[m];
            if (member->location == SYN_NO_NUMBER)
                continue;
            first_ns = syn_least(member->call.start_ns, first_ns);
            if (!nonblocking->is_settled)
                needed_ns[member->location] =
                    syn_least(member->path.from_ns, needed_ns[member->location]);
        }
        note_need(replay, comm, begin_ns == SYN_NEVER_NS ? first_ns : begin_ns, needed_ns);
    }
    syn_messages_need(replay, needed_ns);
    for (uint32_t i = 0; i < count; i++) {
        struct syn_history *history = &replay->history[i];
        while (history->interval_count > 0 &&
               history->interval[history->interval_first].end_ns <= needed_ns[i]) {
            history->interval_first++;
            history->interval_count--;
            replay->interval_total--;
        }
    }
    free(needed_ns);
    return 0;
}
