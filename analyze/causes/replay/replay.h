/* analyze/causes/replay/replay.h - the calls of all locations once more, in an order in which
 * whatever influenced a call comes before it, and what they say: where each location's time went,
 * who made whom wait by what, and the critical path. docs/methods-causes.md describes the method.
 *
 * Calls are appended location by location, each location's in its order; advancing goes on as far
 * as instances are complete. A blocking call is passed once all members of its instance stand at
 * it. The threads of a rank take turns on a communicator, by sequence number. */
#ifndef SYN_REPLAY_H
#define SYN_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/sums/plan.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/causes/sums/tables.h"
#include "analyze/match/members/bounds.h"
#include "sync/base/status.h"

/* One call of one location. A blocking one: call_end = wait_start = start. `sequence` of a message:
 * its channel and number there (match/members/message_numbers.h); SYN_NO_MESSAGE: it has no other
 * half. */
#define SYN_NO_MESSAGE UINT64_MAX
struct syn_replay_call {
    int64_t start_ns, call_end_ns, wait_start_ns, end_ns;
    uint64_t sequence;
    int64_t messages_ns, off_cpu_ns;           /* of the segment before it */
    int64_t wait_messages_ns, wait_off_cpu_ns; /* of that before the call that completed it */
    uint32_t kind;
    uint32_t spare;
};

/* A state in which nothing before matters any more: all locations have left a blocking instance
 * that none left before all had come, and all that each of them did before, with what it began, was
 * over when it called. What is a cut follows from the calls alone, and every one is passed as such:
 * so it does not matter which of them a part begins and ends with. */
struct syn_cut {
    int64_t synchronized_ns;
    struct syn_replay_call
        *call; /* [location_count], the call in it; owned by whoever has the cut */
};

struct syn_replay;
/* `tables` gives numbers to labels; it adds to `sums`, from the begin of whose bins on each
 * location's time is divided. What is kept of it beyond memory_bytes goes to temporary files
 * (spilled.h). NULL: no memory. */
struct syn_replay *syn_replay_new(const struct syn_cause_plan *plan,
                                  struct syn_cause_tables *tables, struct syn_cause_sums *sums,
                                  size_t memory_bytes);
void syn_replay_free(struct syn_replay *replay);
/* Appends a call, to be filled in, to those of the location that are held back. NULL: no memory. */
struct syn_replay_call *syn_replay_append(struct syn_replay *replay, uint32_t location);
/* Releases `count` of the calls held back, to be replayed. 0 or SYN_ENOMEM. */
int syn_replay_release(struct syn_replay *replay, uint32_t location, size_t count);
/* The calls held back, valid until one is appended; drop: the first `count` were never there. */
const struct syn_replay_call *syn_replay_held(const struct syn_replay *replay, uint32_t location,
                                              size_t *count);
void syn_replay_drop(struct syn_replay *replay, uint32_t location, size_t count);
/* Notes that all calls that start before known_ns have been released. Nobody asks for ranks with
 * one thread, whose calls come in order. */
void syn_replay_know(struct syn_replay *replay, int64_t known_ns);
/* Go on as far as it goes. 0 or SYN_ENOMEM. */
int syn_replay_advance(struct syn_replay *replay);
/* Goes on, and gives up instances that wait for a member that has already passed. */
int syn_replay_give_up(struct syn_replay *replay);
/* Goes on to the end of the released calls: a location that waits for another goes on without
 * it. */
int syn_replay_drain(struct syn_replay *replay);
/* Calls that were released and wait for others. */
size_t syn_replay_queued(const struct syn_replay *replay);
/* Cuts among what is held back, as more of it comes: nothing of it may be dropped in between, so
 * that each call is looked at once. Only instances of one communicator, of all locations, are
 * asked. */
struct syn_cut_search {
    uint32_t comm;    /* SYN_NO_COMM: any that covers all */
    bool in_queues;   /* not of what is held back, but of what was released */
    uint8_t *ended;   /* [comm count] of which a location has no more; NULL: nobody asks; owned */
    size_t next;      /* call of the first location that is asked next */
    size_t *at;       /* [location_count], looked at up to there; owned */
    int64_t *over_ns; /* [location_count], when all before that is over; owned */
};
/* over_ns is to be filled in. 0 or SYN_ENOMEM; free in any case. */
int syn_cut_search_begin(struct syn_cut_search *search, const struct syn_replay *replay,
                         uint32_t comm);
void syn_cut_search_free(struct syn_cut_search *search);
/* Each location has the instance of number `most`, or a later one: those up to it are asked. `at`:
 * of each location the call in the cut that was found. */
bool syn_cut_search_held(struct syn_cut_search *search, struct syn_replay *replay, uint64_t most,
                         int64_t *synchronized_ns);
/* Is the instance of that number one? None is before those that were asked before; `at` as above.
 */
bool syn_cut_search_last(struct syn_cut_search *search, struct syn_replay *replay,
                         uint64_t sequence, int64_t *synchronized_ns);
/* Begins the search anew, behind the replay's place. */
void syn_cut_search_restart(struct syn_cut_search *search, const struct syn_replay *replay);
/* Stand right behind a cut, after draining; what is held back lies behind it. 0 or SYN_ENOMEM. */
int syn_replay_stand_at(struct syn_replay *replay, const struct syn_cut *cut);
/* Every location's time goes to end_ns, the critical path from there back to the begin. */
int syn_replay_finish(struct syn_replay *replay, int64_t end_ns);

#endif
