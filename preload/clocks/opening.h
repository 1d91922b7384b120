/* preload/clocks/opening.h - the first messages of a run: all ranks' to rank 0, one of its to all.
 * After them every rank knows rank 0's options, who shares its machine and who may share its clock
 * (sync/methods/whereabouts.h); of the other ranks it knows no more than who leads the clocks.
 *
 * RATIONALE: one way up and one down for everything. Where ranks share processors it is not
 * the messages that take time but the turns that ranks have to wait for one another. */
#ifndef SYN_OPENING_H
#define SYN_OPENING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/options.h"
#include "preload/facts/host_facts.h"
#include "preload/facts/nodes.h"
#include "sync/methods/whereabouts.h"
#include "sync/ranks/transport.h"

/* Rank 0's word. No pointers in here. */
struct syn_greeting {
    struct syn_options options;
    char top_directory[4096]; /* of who was started first: there the started ones have a place */
    uint8_t run_id[16];
    int32_t status;               /* of making the directory ready; not 0: nobody records */
    bool crowded;                 /* rank 0's machine has more ranks than processors */
    uint64_t multiplier;          /* rank 0's, of its TSC; 0: not trusted */
    struct syn_tick_reading root; /* rank 0's clock, when it had heard of everyone */
};

struct syn_opening {
    struct syn_greeting greeting;
    struct syn_tick_reading sent;    /* this rank's clock, before it said a word, */
    struct syn_tick_reading arrived; /*   and when it had the greeting */
    uint64_t multiplier;             /* that this machine's ranks scale their TSC by; 0: none */
    struct syn_clock_groups groups;  /* of equal clocks, as far as ranks can know; owned */
    struct syn_node_ranks node;
    struct syn_host_facts *host_facts; /* owned; NULL where memory failed */
};

/* All ranks of the transport call, each with what it says of itself (but for when it was sent).
 * `make_greeting` is called on rank 0 alone, before it waits for the others, and fills all but
 * `crowded`, `multiplier` and `root`; *ctx is its own. Returns 0, SYN_ENOMEM or SYN_ETRANSPORT
 * (then some ranks may not know each other: do not go on). */
int syn_opening_exchange(const struct syn_transport *transport, const struct syn_introduction *self,
                         void (*make_greeting)(struct syn_greeting *greeting, void *ctx), void *ctx,
                         struct syn_opening *out);
void syn_opening_free(struct syn_opening *opening);

/* Do all ranks run on one machine? The same answer on every rank. */
static inline bool syn_opening_is_local(const struct syn_opening *opening, int size)
{
    return opening->node.member_count == size;
}

#endif
