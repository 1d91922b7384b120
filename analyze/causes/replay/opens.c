/* analyze/causes/replay/opens.c - nonblocking instances. Its members start one each in its own
 * time; it is divided once all have, and a member's waiting lies where it completes it. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define LISTS_LEAST 64

int syn_opens_begin(struct syn_replay *replay)
{
    return syn_chains_begin(&replay->opens, LISTS_LEAST);
}

struct syn_open *syn_opens_next(const struct syn_replay *replay, const struct syn_open *open)
{
    return (struct syn_open *)syn_chains_next(&replay->opens, open ? &open->chained : NULL);
}

void syn_opens_free(struct syn_replay *replay)
{
    for (struct syn_open *open = replay->opens.head ? syn_opens_next(replay, NULL) : NULL, *next;
         open; open = next) {
        next = syn_opens_next(replay, open);
        free(open);
    }
    syn_chains_free(&replay->opens);
}

/* Consecutive instances of a communicator lie side by side. */
static uint64_t hash_of_instance(uint32_t comm, uint64_t sequence)
{
    return syn_hash_word(comm) + sequence;
}

static struct syn_open *add_open(struct syn_replay *replay, uint32_t comm, uint64_t sequence)
{
    const uint32_t size = replay->plan->comms->comm[comm].size;
    const uint32_t above = replay->plan->group[replay->plan->group_of_comm[comm]].above_count;
    struct syn_open *open =
        malloc(sizeof *open + size * sizeof *open->member + above * sizeof *open->together_ns);
    if (!open)
        return NULL;
    *open = (struct syn_open){.sequence = sequence,
                              .comm = comm,
                              .node = SYN_NO_NODE,
                              .synchronized_ns = SYN_NEVER_NS,
                              .path.node = SYN_NO_NODE};
    for (uint32_t m = 0; m < size; m++)
        open->member[m].location = SYN_NO_NUMBER;
    open->together_ns = (int64_t *)(open->member + size);
    for (uint32_t i = 0; i < above; i++)
        open->together_ns[i] = INT64_MAX;
    if (syn_chains_add(&replay->opens, &open->chained, hash_of_instance(comm, sequence)) == SYN_OK)
        return open;
    free(open);
    return NULL;
}

static struct syn_open *find(struct syn_replay *replay, uint32_t comm, uint64_t sequence)
{
    struct syn_chained *at = syn_chains_first(&replay->opens, hash_of_instance(comm, sequence));
    while (at &&
           (((struct syn_open *)at)->comm != comm || ((struct syn_open *)at)->sequence != sequence))
        at = at->next;
    return (struct syn_open *)at;
}

void syn_open_release(struct syn_replay *replay, struct syn_open *open)
{
    if (!open->is_settled)
        return;
    syn_chains_remove(&replay->opens, &open->chained);
    free(open);
}

/* Whoever waits for it may go on. */
static void wake(struct syn_replay *replay, const struct syn_open *open)
{
    const uint32_t size = replay->plan->comms->comm[open->comm].size;
    for (uint32_t m = 0; m < size; m++)
        if (open->member[m].location != SYN_NO_NUMBER)
            syn_replay_list(replay, open->member[m].location);
}

static void close(struct syn_replay *replay, struct syn_open *open, bool is_given_up)
{
    open->is_settled = true;
    open->is_given_up = is_given_up;
    wake(replay, open);
    if (open->held_count == 0)
        syn_open_release(replay, open);
}

/* All have started. */
static int settle(struct syn_replay *replay, struct syn_open *open)
{
    const uint32_t size = replay->plan->comms->comm[open->comm].size;
    struct syn_meeting meeting = {.kind =
                                      syn_event_kind_at(replay->tables, open->member[0].call.kind),
                                  .member = replay->member,
                                  .count = size,
                                  .together_ns = open->together_ns,
                                  .group = replay->plan->group_of_comm[open->comm]};
    for (uint32_t m = 0; m < size; m++) {
        replay->member[m] =
            (struct syn_member_call){&open->member[m].call, open->member[m].location};
        if (syn_event_kind_at(replay->tables, open->member[m].call.kind)->op != meeting.kind->op) {
            close(replay, open, true);
            return 0;
        }
    }
    syn_meeting_judge(replay, &meeting);
    open->last_start_ns = meeting.due_ns;
    open->bound_ns = meeting.bound_ns;
    int status = syn_meeting_divide(replay, &meeting, &open->node);
    if (status == SYN_OK)
        status = syn_path_meet(replay, &meeting, open);
    if (meeting.synchronizes)
        open->synchronized_ns = meeting.last_start_ns;
    if (status == SYN_OK)
        close(replay, open, false);
    return status;
}

static int expect(struct syn_replay *replay, uint32_t location, const struct syn_replay_call *call,
                  struct syn_open *open)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    const struct syn_replay_completion completion = syn_completion_of(call, kind, open);
    if (!kind->is_completed)
        return 0;
    if (open)
        open->held_count++;
    return syn_track_expect(replay, location, &completion);
}

int syn_open_start(struct syn_replay *replay, uint32_t location, const struct syn_replay_call *call)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    const struct syn_communicator *comm = &replay->plan->comms->comm[kind->comm];
    struct syn_open *open = find(replay, kind->comm, call->sequence);
    if (!open)
        open = add_open(replay, kind->comm, call->sequence);
    if (!open)
        return SYN_ENOMEM;
    const bool is_new = open->member[kind->member].location == SYN_NO_NUMBER && !open->is_settled;
    int status = expect(replay, location, call, is_new ? open : NULL);
    if (!is_new || status != SYN_OK)
        return status;
    open->member[kind->member].location = location;
    open->member[kind->member].call = *call;
    open->member[kind->member].path = replay->track[location].path;
    syn_window_started(replay, location, open);
    return ++open->arrived_count == comm->size ? settle(replay, open) : 0;
}

/* ---- giving up ---- */

/* Has every member that is missing gone past it? What a location has still to tell is in its queue,
 * in order of sequence for each communicator. */
static bool is_hopeless(const struct syn_replay *replay, const struct syn_open *open)
{
    const struct syn_communicator *comm = &replay->plan->comms->comm[open->comm];
    for (uint32_t m = 0; m < comm->size; m++)
        if (open->member[m].location == SYN_NO_NUMBER &&
            syn_replay_has_passed(replay, open->comm, m, open->sequence))
            return true;
    return false;
}

void syn_opens_give_up(struct syn_replay *replay, bool all)
{
    for (struct syn_open *open = syn_opens_next(replay, NULL), *next; open; open = next) {
        next = syn_opens_next(replay, open);
        if (!open->is_settled && (all || is_hopeless(replay, open)))
            close(replay, open, true);
    }
}
