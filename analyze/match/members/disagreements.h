/* analyze/match/members/disagreements.h - instances whose members did not make the same call.
 *
 * A match shows each instance whose members' attributes differ in a way that MPI forbids, and each
 * that lacks members. Of each communicator the first one is kept, with what every member said, and
 * the number of all. Calls that have not returned take part: they are told beforehand.
 */
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
    uint64_t instance_count; /* of the communicator that disagree; 0: none does */
    uint64_t sequence;       /* of the first one, and */
    int64_t start_ns;        /*   when the first member came, */
    struct syn_said *said;   /*   and what they said: [said_count], owned */
    size_t said_count;
};

/* An instance that calls are inside that have not returned. */
struct syn_open_instance {
    uint32_t comm;
    uint64_t sequence;
    int64_t start_ns;
    struct syn_said *said; /* [said_count], owned: of open calls, then of events */
    size_t said_count, said_capacity;
};

struct syn_disagreements {
    pthread_mutex_t lock;
    const struct syn_comms *comms;
    struct syn_disagreement *first; /* [comms->count] */
    struct syn_open_instance *open; /* [open_count], by communicator and sequence number */
    size_t open_count, open_capacity;
    bool failed; /* memory ran out */
};

/* `comms` is borrowed. 0 or SYN_ENOMEM; end it in any case. */
int syn_disagreements_begin(struct syn_disagreements *all, const struct syn_comms *comms);
/* A call of a member that has not returned: before the match, in any order. 0 or SYN_ENOMEM. */
int syn_disagreements_add_open(struct syn_disagreements *all, uint32_t comm, uint64_t sequence,
                               int64_t start_ns, const struct syn_said *said);
/* After the last of them. */
void syn_disagreements_ready(struct syn_disagreements *all);
/* By the match, from any thread: an instance that disagrees, or of which members are missing. */
struct syn_pending;
void syn_disagreements_take(struct syn_disagreements *all, const struct syn_pending *pending,
                            const struct syn_attribute_table *attributes);
/* After the match: open instances are compared, too. 0, or SYN_ENOMEM for anything before. */
int syn_disagreements_settle(struct syn_disagreements *all);
void syn_disagreements_end(struct syn_disagreements *all);
/* Do calls that have not returned disagree in what may keep them from it: operation, root, bytes?
 * Another reduction or type is wrong and stops nobody. After syn_disagreements_settle. */
bool syn_disagreements_block(const struct syn_disagreements *all);

#endif
