/* analyze/causes/replay/cuts.c - finds cuts among calls that are queued or held back. The replay
 * finds the same cuts when all members have arrived (arrivals.c). */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Returns when a call is over, including the call that completed its operation. */
static int64_t over_of(const struct syn_replay *replay, const struct syn_replay_call *call)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    int64_t over_ns = call->start_ns;
    if (!kind->is_blocking)
        over_ns = syn_largest(call->call_end_ns, over_ns);
    if (!kind->is_blocking && kind->is_completed)
        over_ns = syn_largest(call->wait_start_ns, over_ns);
    return kind->is_blocking || kind->is_completed ? syn_largest(call->end_ns, over_ns) : over_ns;
}

/* ---- among calls that wait ---- */

int syn_cut_search_begin(struct syn_cut_search *search, const struct syn_replay *replay,
                         uint32_t comm)
{
    const size_t count = replay->plan->location_count;
    *search = (struct syn_cut_search){.comm = comm};
    search->at = calloc(count + 1, sizeof *search->at);
    search->over_ns = malloc((count + 1) * sizeof *search->over_ns);
    return search->at && search->over_ns ? 0 : SYN_ENOMEM;
}

void syn_cut_search_free(struct syn_cut_search *search)
{
    free(search->ended);
    free(search->at);
    free(search->over_ns);
    *search = (struct syn_cut_search){0};
}

/* Returns the calls to examine, and sets *count to their number. */
static const struct syn_replay_call *calls_of(const struct syn_replay *replay, uint32_t location,
                                              bool in_queues, size_t *count)
{
    const struct syn_history *history = &replay->history[location];
    *count = in_queues ? history->count : history->held_count;
    return syn_history_head(history) + (in_queues ? 0 : history->count);
}

static bool may_cut(const struct syn_cut_search *search, const struct syn_replay *replay,
                    const struct syn_event_kind *kind)
{
    const struct syn_cause_plan *plan = replay->plan;
    if (!kind->is_blocking || kind->comm == SYN_NO_COMM)
        return false;
    if (search->comm != SYN_NO_COMM)
        return kind->comm == search->comm;
    return plan->group_of_comm[kind->comm] != SYN_NO_GROUP &&
           plan->group[plan->group_of_comm[kind->comm]].covers_all;
}

/* Finds a location's call of an instance, among the calls from `at` on, and stores it as a member.
 * Returns false if there is none. */
static bool find_member(struct syn_cut_search *search, struct syn_replay *replay, uint32_t location,
                        const struct syn_event_kind *kind, uint64_t sequence)
{
    size_t count, k = search->at[location];
    const struct syn_replay_call *call = calls_of(replay, location, search->in_queues, &count);
    for (; k < count; k++) {
        const struct syn_event_kind *other = syn_event_kind_at(replay->tables, call[k].kind);
        if (other->comm == kind->comm && call[k].sequence >= sequence)
            break;
    }
    if (k == count && search->ended)
        search->ended[kind->comm] = true;
    if (k == count || call[k].sequence != sequence ||
        !syn_event_kind_at(replay->tables, call[k].kind)->is_blocking)
        return false;
    replay->member[location] = syn_member_call(&call[k], location);
    return true;
}

/* Returns whether the instance of the stored members is a cut: all call the same operation, the
 * operation synchronizes, and all calls before it are over. If it synchronizes, each location's
 * calls up to it are examined. RATIONALE: operations that do not synchronize are many, so calls
 * before them are left for later. */
static bool is_cut(struct syn_cut_search *search, struct syn_replay *replay,
                   int64_t *synchronized_ns)
{
    struct syn_arrivals arrivals = {.member = replay->member,
                                    .count = replay->plan->location_count,
                                    .kind =
                                        syn_event_kind_at(replay->tables, replay->member[0].kind)};
    bool clear = true;
    size_t count;
    arrivals.group = replay->plan->group_of_comm[arrivals.kind->comm];
    if (!syn_arrivals_agree(replay, &arrivals))
        return false;
    syn_arrivals_judge(replay, &arrivals);
    *synchronized_ns = arrivals.last_start_ns;
    for (uint32_t i = 0; arrivals.synchronizes && i < replay->plan->location_count; i++) {
        const struct syn_replay_call *call = calls_of(replay, i, search->in_queues, &count);
        const size_t to = (size_t)(replay->member[i].call - call);
        int64_t over_ns = search->over_ns[i];
        for (size_t k = search->at[i]; k < to; k++)
            over_ns = syn_largest(over_of(replay, &call[k]), over_ns);
        search->at[i] = to;
        search->over_ns[i] = over_ns;
        clear &= over_ns <= call[to].start_ns;
    }
    return arrivals.synchronizes && clear;
}

bool syn_cut_search_last(struct syn_cut_search *search, struct syn_replay *replay,
                         uint64_t sequence, int64_t *synchronized_ns)
{
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        size_t count;
        const struct syn_replay_call *call = calls_of(replay, i, false, &count);
        while (count > 0 &&
               (call[count - 1].sequence != sequence ||
                !may_cut(search, replay, syn_event_kind_at(replay->tables, call[count - 1].kind))))
            count--;
        if (count == 0)
            return false;
        replay->member[i] = syn_member_call(&call[count - 1], i);
    }
    return is_cut(search, replay, synchronized_ns);
}

void syn_cut_search_restart(struct syn_cut_search *search, const struct syn_replay *replay)
{
    search->next = 0;
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        search->at[i] = 0;
        search->over_ns[i] = replay->history[i].now_ns;
    }
}

/* Returns whether the k-th call of the first location belongs to a cut. */
static bool is_in_cut(struct syn_cut_search *search, struct syn_replay *replay, size_t k,
                      int64_t *synchronized_ns)
{
    size_t count;
    const struct syn_replay_call *call = calls_of(replay, 0, search->in_queues, &count) + k;
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    replay->member[0] = syn_member_call(call, 0);
    for (uint32_t i = 1; i < replay->plan->location_count; i++)
        if (!find_member(search, replay, i, kind, call->sequence))
            return false;
    return is_cut(search, replay, synchronized_ns);
}

bool syn_cut_search_held(struct syn_cut_search *search, struct syn_replay *replay, uint64_t most,
                         int64_t *synchronized_ns)
{
    size_t count;
    const struct syn_replay_call *call = calls_of(replay, 0, false, &count);
    for (; search->next < count; search->next++) {
        const struct syn_replay_call *next = &call[search->next];
        if (!may_cut(search, replay, syn_event_kind_at(replay->tables, next->kind)))
            continue;
        if (next->sequence > most)
            return false;
        if (is_in_cut(search, replay, search->next, synchronized_ns))
            return true;
    }
    return false;
}

int syn_cuts_find_queued(struct syn_replay *replay, size_t *count, bool *found)
{
    struct syn_cut_search search;
    int64_t synchronized_ns;
    size_t queued;
    int status = syn_cut_search_begin(&search, replay, SYN_NO_COMM);
    search.in_queues = true;
    search.ended = calloc(replay->plan->comms->count + 1, sizeof *search.ended);
    *found = false;
    if (status == SYN_OK && !search.ended)
        status = SYN_ENOMEM;
    for (uint32_t i = 0; i < replay->plan->location_count && status == SYN_OK; i++) {
        const struct syn_history *history = &replay->history[i];
        search.over_ns[i] =
            history->now_ns; /* or the end of the operations that the location has begun */
        for (size_t k = 0; k < history->completion_count; k++)
            search.over_ns[i] = syn_largest(
                syn_largest(history->completion[k].wait_start_ns, history->completion[k].end_ns),
                search.over_ns[i]);
    }
    const struct syn_replay_call *call = calls_of(replay, 0, true, &queued);
    for (size_t next = 0; status == SYN_OK && next < queued && !*found; next++) {
        const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call[next].kind);
        *found = may_cut(&search, replay, kind) && !search.ended[kind->comm] &&
                 is_in_cut(&search, replay, next, &synchronized_ns);
    }
    for (uint32_t i = 0; *found && i < replay->plan->location_count; i++)
        count[i] = search.at[i] + 1;
    syn_cut_search_free(&search);
    return status;
}
