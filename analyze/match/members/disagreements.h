/* analyze/match/members/disagreements.h - collects instances whose members did not make the same
 * call.
 *
 * A match passes each instance whose members' attributes differ in a way that MPI forbids, and each
 * that lacks members. The first one of each communicator is kept with the arguments of every
 * member; the others are counted. Calls that have not returned are included: they are added before
 * the match. */
#ifndef SYN_DISAGREEMENTS_H
#define SYN_DISAGREEMENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/attributes.h"
#include "analyze/match/members/comms.h"
#include "analyze/match/members/said.h"
#include "sync/base/bytes.h"

struct syn_disagreement {
    uint64_t instance_count; /* disagreeing instances of the communicator */
    uint64_t sequence;       /* sequence number of the first one */
    int64_t start_ns;        /* start of its first member */
    struct syn_said *said;   /* [said_count] the members' arguments; owned */
    size_t said_count;
};

/* An instance with members whose calls have not returned. */
struct syn_open_instance {
    uint32_t comm;
    uint64_t sequence;
    int64_t start_ns;
    struct syn_said *said; /* [said_count] arguments of the open calls, then of the events; owned */
    size_t said_count, said_capacity;
};

struct syn_disagreements {
    pthread_mutex_t lock;
    const struct syn_comms *comms;
    struct syn_disagreement *first; /* [comms->count] */
    struct syn_open_instance *open; /* [open_count], sorted by communicator and sequence number */
    size_t open_count, open_capacity;
    bool failed; /* memory ran out */
};

/* Borrows `comms`. Returns 0 or SYN_ENOMEM. The caller ends it in any case. */
int syn_disagreements_begin(struct syn_disagreements *all, const struct syn_comms *comms);
/* Adds a member's call that has not returned. Called before the match, in any order. Returns 0 or
 * SYN_ENOMEM. */
int syn_disagreements_add_open(struct syn_disagreements *all, uint32_t comm, uint64_t sequence,
                               int64_t start_ns, const struct syn_said *said);
/* Sorts the open instances, after the last call was added. */
void syn_disagreements_ready(struct syn_disagreements *all);
/* Takes an instance that disagrees or lacks members. The match calls it, from any thread. */
struct syn_pending;
void syn_disagreements_take(struct syn_disagreements *all, const struct syn_pending *pending,
                            const struct syn_attribute_table *attributes);
/* Compares the open instances as well, after the match. Returns 0, or SYN_ENOMEM if memory ran out
 * here or before. */
int syn_disagreements_settle(struct syn_disagreements *all);
void syn_disagreements_end(struct syn_disagreements *all);
/* Returns whether calls that have not returned disagree in the operation, the root or the bytes,
 * any of which may keep them from returning. Another reduction or type is an error, too, but keeps
 * no call from returning. Called after syn_disagreements_settle. */
bool syn_disagreements_block(const struct syn_disagreements *all);

#endif
