/* analyze/causes/replay/nonblocking.c - instances of nonblocking operations. Members start at
 * different times. The waiting is divided once all have started. A member waits in the call that
 * completes the operation. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define LISTS_LEAST 64

int syn_nonblocking_begin(struct syn_replay *replay)
{
    return syn_chains_begin(&replay->nonblocking, LISTS_LEAST);
}

struct syn_nonblocking *syn_nonblocking_next(const struct syn_replay *replay,
                                             const struct syn_nonblocking *nonblocking)
{
    return (struct syn_nonblocking *)syn_chains_next(&replay->nonblocking,
                                                     nonblocking ? &nonblocking->chained : NULL);
}

void syn_nonblocking_free(struct syn_replay *replay)
{
    struct syn_nonblocking *next =
        replay->nonblocking.head ? syn_nonblocking_next(replay, NULL) : NULL;
    for (struct syn_nonblocking *of; (of = next) != NULL; free(of))
        next = syn_nonblocking_next(replay, of);
    syn_chains_free(&replay->nonblocking);
}

/* Returns a hash. Consecutive instances of a communicator have consecutive ones. */
static uint64_t hash_of_instance(uint32_t comm, uint64_t sequence)
{
    return syn_hash_word(comm) + sequence;
}

static struct syn_nonblocking *add_open(struct syn_replay *replay, uint32_t comm, uint64_t sequence)
{
    const uint32_t size = replay->plan->comms->comm[comm].size;
    const uint32_t above = replay->plan->group[replay->plan->group_of_comm[comm]].above_count;
    struct syn_nonblocking *nonblocking =
        malloc(sizeof *nonblocking + size * sizeof *nonblocking->member +
               above * sizeof *nonblocking->together_ns);
    if (!nonblocking)
        return NULL;
    *nonblocking = (struct syn_nonblocking){.sequence = sequence,
                                            .comm = comm,
                                            .node = SYN_NO_NODE,
                                            .synchronized_ns = SYN_NEVER_NS,
                                            .path.node = SYN_NO_NODE};
    for (uint32_t m = 0; m < size; m++)
        nonblocking->member[m].location = SYN_NO_NUMBER;
    nonblocking->together_ns = (int64_t *)(nonblocking->member + size);
    for (uint32_t i = 0; i < above; i++)
        nonblocking->together_ns[i] = INT64_MAX;
    if (syn_chains_add(&replay->nonblocking, &nonblocking->chained,
                       hash_of_instance(comm, sequence)) == SYN_OK)
        return nonblocking;
    free(nonblocking);
    return NULL;
}

void syn_nonblocking_release(struct syn_replay *replay, struct syn_nonblocking *nonblocking)
{
    if (!nonblocking->is_settled)
        return;
    syn_chains_remove(&replay->nonblocking, &nonblocking->chained);
    free(nonblocking);
}

/* Marks an instance as settled. Locations that waited for it can go on. */
static void close(struct syn_replay *replay, struct syn_nonblocking *nonblocking, bool is_given_up)
{
    const uint32_t size = replay->plan->comms->comm[nonblocking->comm].size;
    nonblocking->is_settled = true;
    nonblocking->is_given_up = is_given_up;
    for (uint32_t m = 0; m < size; m++)
        if (nonblocking->member[m].location != SYN_NO_NUMBER)
            syn_replay_list(replay, nonblocking->member[m].location);
    if (nonblocking->held_count == 0)
        syn_nonblocking_release(replay, nonblocking);
}

/* Divides the waiting of an instance that all members have started. */
static int settle(struct syn_replay *replay, struct syn_nonblocking *nonblocking)
{
    const uint32_t size = replay->plan->comms->comm[nonblocking->comm].size;
    struct syn_arrivals arrivals = {
        .kind = syn_event_kind_at(replay->tables, nonblocking->member[0].call.kind),
        .member = replay->member,
        .count = size,
        .together_ns = nonblocking->together_ns,
        .group = replay->plan->group_of_comm[nonblocking->comm]};
    for (uint32_t m = 0; m < size; m++) {
        replay->member[m] =
            syn_member_call(&nonblocking->member[m].call, nonblocking->member[m].location);
        if (syn_event_kind_at(replay->tables, nonblocking->member[m].call.kind)->op !=
            arrivals.kind->op) {
            close(replay, nonblocking, true);
            return 0;
        }
    }
    syn_arrivals_judge(replay, &arrivals);
    nonblocking->last_start_ns = arrivals.due_ns;
    nonblocking->bound_ns = arrivals.bound_ns;
    int status = syn_arrivals_divide(replay, &arrivals, &nonblocking->node);
    nonblocking->path = nonblocking->member[arrivals.cause].path;
    if (status == SYN_OK)
        status = syn_path_after_instance(replay, &arrivals, &nonblocking->path);
    if (arrivals.synchronizes)
        nonblocking->synchronized_ns = arrivals.last_start_ns;
    if (status == SYN_OK)
        close(replay, nonblocking, false);
    return status;
}

int syn_nonblocking_start(struct syn_replay *replay, uint32_t location,
                          const struct syn_replay_call *call)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    const struct syn_communicator *comm = &replay->plan->comms->comm[kind->comm];
    struct syn_chained *at =
        syn_chains_first(&replay->nonblocking, hash_of_instance(kind->comm, call->sequence));
    while (at && (((struct syn_nonblocking *)at)->comm != kind->comm ||
                  ((struct syn_nonblocking *)at)->sequence != call->sequence))
        at = at->next;
    struct syn_nonblocking *nonblocking = (struct syn_nonblocking *)at;
    if (!nonblocking)
        nonblocking = add_open(replay, kind->comm, call->sequence);
    if (!nonblocking)
        return SYN_ENOMEM;
    const bool is_new =
        nonblocking->member[call->member].location == SYN_NO_NUMBER && !nonblocking->is_settled;
    if (kind->is_completed) {
        const struct syn_replay_completion completion =
            syn_completion_of(call, kind, is_new ? nonblocking : NULL);
        nonblocking->held_count += is_new;
        if (syn_history_expect(replay, location, &completion) != SYN_OK)
            return SYN_ENOMEM;
    }
    if (!is_new)
        return 0;
    nonblocking->member[call->member].location = location;
    nonblocking->member[call->member].call = *call;
    nonblocking->member[call->member].path = replay->history[location].path;
    syn_window_started(replay, location, nonblocking);
    return ++nonblocking->arrived_count == comm->size ? settle(replay, nonblocking) : 0;
}

/* ---- giving up ---- */

/* Returns whether a missing member has passed the instance for certain. */
static bool is_hopeless(const struct syn_replay *replay, const struct syn_nonblocking *nonblocking)
{
    const struct syn_communicator *comm = &replay->plan->comms->comm[nonblocking->comm];
    for (uint32_t m = 0; m < comm->size; m++)
        if (nonblocking->member[m].location == SYN_NO_NUMBER &&
            syn_replay_has_passed(replay, nonblocking->comm, m, nonblocking->sequence))
            return true;
    return false;
}

void syn_nonblocking_give_up(struct syn_replay *replay, bool all)
{
    for (struct syn_nonblocking *nonblocking = syn_nonblocking_next(replay, NULL), *next;
         nonblocking; nonblocking = next) {
        next = syn_nonblocking_next(replay, nonblocking);
        if (!nonblocking->is_settled && (all || is_hopeless(replay, nonblocking)))
            close(replay, nonblocking, true);
    }
}
