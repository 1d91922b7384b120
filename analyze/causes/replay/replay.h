/* analyze/causes/replay/replay.h - replays the calls of all locations in an order in which each
 * call comes after all that influenced it. The result is where each location's time went, which
 * ranks made others wait by what, and the critical path. docs/methods-causes.md describes the
 * method.
 *
 * Calls are appended location by location, in each location's order. Advancing replays them as far
 * as instances are complete. A blocking call is passed once all members of its instance have
 * reached it. The threads of a rank take turns on a communicator, in the order of sequence
 * numbers. */
#ifndef SYN_REPLAY_H
#define SYN_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/sums/plan.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/causes/sums/tables.h"
#include "analyze/match/members/bounds.h"
#include "analyze/messages/message_pass.h"
#include "sync/base/status.h"

/* One call of one location. In a blocking call call_end_ns = wait_start_ns = start_ns. */
struct syn_replay_call {
    int64_t start_ns, call_end_ns, wait_start_ns, end_ns;
    union {
        uint64_t sequence; /* of a message: its mark (match/members/message_numbers.h), channel <<
                              32 | k */
        struct syn_replay_message *message; /* of a message that is released; NULL: it has no other
                                               half */
    };
    uint64_t bytes;                            /* of a message */
    int64_t messages_ns, off_cpu_ns;           /* in the segment before the call */
    int64_t wait_messages_ns, wait_off_cpu_ns; /* before the call that completed it */
    uint32_t kind, member; /* member: number of the location's rank in the communicator */
};

/* A state that does not depend on anything before it. All locations have left a blocking instance
 * that none left before all had arrived. All their earlier calls, with the operations begun there,
 * were over when they called. Cuts follow from the calls alone, and every cut is treated as one. So
 * it does not matter at which cuts a part begins and ends. */
struct syn_cut {
    int64_t synchronized_ns;
    struct syn_replay_call *call; /* [location_count], each location's call in the instance; owned
                                     by the owner of the cut */
};

struct syn_replay;
/* Makes a replay, which numbers labels by `tables` and adds to `sums` and `messages`. Each
 * location's time is divided from the begin of the bins of `sums` on. Data beyond memory_bytes goes
 * to temporary files (spilled.h). Returns NULL if out of memory. */
struct syn_replay *syn_replay_new(const struct syn_cause_plan *plan,
                                  struct syn_cause_tables *tables, struct syn_cause_sums *sums,
                                  struct syn_message_part *messages, size_t memory_bytes);
void syn_replay_free(struct syn_replay *replay);
/* Appends a call to those of the location that are held back. The caller fills it in. Returns NULL
 * if out of memory. */
struct syn_replay_call *syn_replay_append(struct syn_replay *replay, uint32_t location);
/* Releases the first `count` of the calls held back, so that they are replayed. Returns 0 or
 * SYN_ENOMEM. */
int syn_replay_release(struct syn_replay *replay, uint32_t location, size_t count);
/* Returns the calls held back, valid until the next one is appended. syn_replay_drop removes the
 * first `count` of them. */
const struct syn_replay_call *syn_replay_held(const struct syn_replay *replay, uint32_t location,
                                              size_t *count);
void syn_replay_drop(struct syn_replay *replay, uint32_t location, size_t count);
/* Notes that all calls that start before known_ns have been released. This matters for ranks with
 * several threads only: the calls of a single thread come in order. */
void syn_replay_know(struct syn_replay *replay, int64_t known_ns);
/* Replays as far as possible. Returns 0 or SYN_ENOMEM. */
int syn_replay_advance(struct syn_replay *replay);
/* Advances, and gives up instances that wait for a member that has already passed them. */
int syn_replay_give_up(struct syn_replay *replay);
/* Replays all released calls. A location that waits for another one goes on without it. */
int syn_replay_drain(struct syn_replay *replay);
/* Returns the number of released calls that have not been passed. */
size_t syn_replay_queued(const struct syn_replay *replay);
/* A search for cuts among the calls held back, while more are appended. No call may be dropped in
 * between, so that each call is examined once. Only instances of communicators of all locations are
 * examined. */
struct syn_cut_search {
    uint32_t comm;    /* communicator to search; SYN_NO_COMM: any that covers all locations */
    bool in_queues;   /* searches the released calls instead of those held back */
    uint8_t *ended;   /* [comm count] a location has no further instance of the communicator; NULL:
                         not tracked; owned */
    size_t next;      /* call of the first location that is examined next */
    size_t *at;       /* [location_count] number of calls examined; owned */
    int64_t *over_ns; /* [location_count] time at which all calls before that are over; owned */
};
/* Begins a search. The caller sets over_ns. Returns 0 or SYN_ENOMEM. The caller frees *search in
 * either case. */
int syn_cut_search_begin(struct syn_cut_search *search, const struct syn_replay *replay,
                         uint32_t comm);
void syn_cut_search_free(struct syn_cut_search *search);
/* Searches for the next cut. Each location has the instance of number `most` or a later one;
 * instances up to `most` are examined. Returns whether there is a cut. If so, sets `at` to the
 * index of each location's call in it, and *synchronized_ns to the time at which all had
 * arrived. */
bool syn_cut_search_held(struct syn_cut_search *search, struct syn_replay *replay, uint64_t most,
                         int64_t *synchronized_ns);
/* Returns whether the instance of that number is a cut. It must not be earlier than instances that
 * were examined before. Sets `at` and *synchronized_ns like syn_cut_search_held. */
bool syn_cut_search_last(struct syn_cut_search *search, struct syn_replay *replay,
                         uint64_t sequence, int64_t *synchronized_ns);
/* Begins the search anew, behind the calls that were replayed. */
void syn_cut_search_restart(struct syn_cut_search *search, const struct syn_replay *replay);
/* Puts a drained replay right behind a cut. The calls held back must lie behind it. Returns 0 or
 * SYN_ENOMEM. */
int syn_replay_stand_at(struct syn_replay *replay, const struct syn_cut *cut);
/* Takes the messages of which `from`, a drained replay, lacks a half. The other replay stands
 * behind its last cut, so no location waits in them. Returns 0 or SYN_ENOMEM. */
int syn_messages_take(struct syn_replay *replay, struct syn_replay *from);
/* Ends the replay: divides every location's time up to end_ns, and finds the critical path from
 * there back to the run's begin. */
int syn_replay_finish(struct syn_replay *replay, int64_t end_ns);

#endif
