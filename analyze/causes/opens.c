/* analyze/causes/opens.c - nonblocking instances. Its members start one each in its own time; it is
 * divided once all have, and a member's waiting lies where it completes it. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay_parts.h"
#include "sync/base/status.h"

#define BUCKETS_LEAST 64

int syn_opens_begin(struct syn_replay *replay)
{
    replay->bucket_count = BUCKETS_LEAST;
    replay->bucket = calloc(BUCKETS_LEAST, sizeof(struct syn_open *));
    return replay->bucket ? 0 : SYN_ENOMEM;
}

void syn_opens_free(struct syn_replay *replay)
{
    for (size_t b = 0; replay->bucket && b < replay->bucket_count; b++) {
        for (struct syn_open *open = replay->bucket[b], *next; open; open = next) {
            next = open->next;
            free(open);
        }
    }
    free(replay->bucket);
}

static size_t bucket_of(const struct syn_replay *replay, uint32_t comm, uint64_t sequence)
{
    return (size_t)((comm * UINT64_C(0x9E3779B97F4A7C15) + sequence) & (replay->bucket_count - 1));
}

static int grow(struct syn_replay *replay)
{
    const size_t had = replay->bucket_count;
    struct syn_open **old = replay->bucket, **bucket = calloc(2 * had, sizeof(struct syn_open *));
    if (!bucket)
        return SYN_ENOMEM;
    replay->bucket = bucket;
    replay->bucket_count = 2 * had;
    for (size_t b = 0; b < had; b++) {
        for (struct syn_open *open = old[b], *next; open; open = next) {
            size_t at = bucket_of(replay, open->comm, open->sequence);
            next = open->next;
            open->next = bucket[at];
            bucket[at] = open;
        }
    }
    free(old);
    return 0;
}

static struct syn_open *add(struct syn_replay *replay, uint32_t comm, uint64_t sequence)
{
    const uint32_t size = replay->plan->comms->comm[comm].size;
    if (replay->open_count >= replay->bucket_count && grow(replay))
        return NULL;
    struct syn_open *open = malloc(sizeof *open + size * sizeof *open->member);
    if (!open)
        return NULL;
    struct syn_open **bucket = &replay->bucket[bucket_of(replay, comm, sequence)];
    *open = (struct syn_open){.next = *bucket,
                              .sequence = sequence,
                              .comm = comm,
                              .node = SYN_NO_NODE,
                              .path_node = SYN_NO_NODE};
    for (uint32_t m = 0; m < size; m++)
        open->member[m].location = SYN_NO_NUMBER;
    *bucket = open;
    replay->open_count++;
    return open;
}

static struct syn_open *find(struct syn_replay *replay, uint32_t comm, uint64_t sequence)
{
    struct syn_open *open = replay->bucket[bucket_of(replay, comm, sequence)];
    while (open && (open->comm != comm || open->sequence != sequence))
        open = open->next;
    return open;
}

void syn_open_release(struct syn_replay *replay, struct syn_open *open)
{
    struct syn_open **link = &replay->bucket[bucket_of(replay, open->comm, open->sequence)];
    if (!open->is_settled)
        return;
    while (*link != open)
        link = &(*link)->next;
    *link = open->next;
    replay->open_count--;
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
                                      syn_call_kind_at(replay->tables, open->member[0].call.kind),
                                  .member = replay->member,
                                  .count = size,
                                  .group = replay->plan->group_of_comm[open->comm]};
    for (uint32_t m = 0; m < size; m++) {
        replay->member[m] =
            (struct syn_member_call){&open->member[m].call, open->member[m].location};
        if (syn_call_kind_at(replay->tables, open->member[m].call.kind)->op != meeting.kind->op) {
            close(replay, open, true);
            return 0;
        }
    }
    syn_meeting_judge(replay, &meeting);
    open->last_start_ns = meeting.due_ns;
    int status = syn_meeting_divide(replay, &meeting, &open->node);
    if (status == SYN_OK)
        status = syn_path_meet(replay, &meeting, open);
    if (meeting.synchronizes && meeting.last_start_ns > replay->synchronized_ns[meeting.group])
        replay->synchronized_ns[meeting.group] = meeting.last_start_ns;
    if (status == SYN_OK)
        close(replay, open, false);
    return status;
}

static int expect(struct syn_replay *replay, uint32_t location, const struct syn_replay_call *call,
                  struct syn_open *open)
{
    const struct syn_call_kind *kind = syn_call_kind_at(replay->tables, call->kind);
    const struct syn_replay_completion completion = syn_completion_of(call, kind, open);
    if (!kind->is_completed)
        return 0;
    if (open)
        open->held_count++;
    return syn_track_expect(replay, location, &completion);
}

int syn_open_start(struct syn_replay *replay, uint32_t location, const struct syn_replay_call *call)
{
    const struct syn_call_kind *kind = syn_call_kind_at(replay->tables, call->kind);
    const struct syn_communicator *comm = &replay->plan->comms->comm[kind->comm];
    struct syn_open *open = find(replay, kind->comm, call->sequence);
    if (!open)
        open = add(replay, kind->comm, call->sequence);
    if (!open)
        return SYN_ENOMEM;
    const bool is_new = open->member[kind->member].location == SYN_NO_NUMBER && !open->is_settled;
    int status = expect(replay, location, call, is_new ? open : NULL);
    if (!is_new || status != SYN_OK)
        return status;
    open->member[kind->member].location = location;
    open->member[kind->member].call = *call;
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
    for (size_t b = 0; b < replay->bucket_count; b++) {
        for (struct syn_open *open = replay->bucket[b], *next; open; open = next) {
            next = open->next;
            if (!open->is_settled && (all || is_hopeless(replay, open)))
                close(replay, open, true);
        }
    }
}
