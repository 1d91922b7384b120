/* preload/clocks/startup_exchange.h - the first messages of a run: from all ranks up to rank 0, and
 * from rank 0 down to all. Then every rank knows rank 0's options, which ranks share its machine
 * and which may share its clock (sync/methods/whereabouts.h). Of other ranks it knows only which
 * one leads each clock.
 *
 * RATIONALE: one way up and one down for everything. Where ranks share processors it is not
 * the messages that take time but the turns that ranks have to wait for one another. */
#ifndef SYN_STARTUP_EXCHANGE_H
#define SYN_STARTUP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/options.h"
#include "preload/facts/host_facts.h"
#include "preload/facts/nodes.h"
#include "sync/methods/whereabouts.h"
#include "sync/ranks/transport.h"

/* Proposal of rank 0 to all ranks. It is sent as bytes: no pointers. */
struct syn_startup_proposal {
    struct syn_options options;
    char top_directory[4096]; /* of who was started first: there the started ones have a place */
    uint8_t run_id[16];
    int32_t status;               /* of making the directory ready; not 0: nobody records */
    bool crowded;                 /* rank 0's machine has more ranks than processors */
    uint64_t multiplier;          /* rank 0's, of its TSC; 0: not trusted */
    struct syn_tick_reading root; /* rank 0's clock, when it had the facts of all ranks */
};

struct syn_startup {
    struct syn_startup_proposal greeting;
    struct syn_tick_reading sent;    /* this rank's clock before it sent anything, */
    struct syn_tick_reading arrived; /*   and when it had the proposal */
    uint64_t multiplier;             /* that this machine's ranks scale their TSC by; 0: none */
    struct syn_clock_groups groups;  /* of equal clocks, as far as ranks can know; owned */
    struct syn_node_ranks node;
    struct syn_host_facts *host_facts; /* owned; NULL where memory failed */
};

/* All ranks of the transport call, each with what it says of itself (but for when it was sent).
 * `make_proposal` is called on rank 0 alone, before it waits for the others, and fills all but
 * `crowded`, `multiplier` and `root`; *ctx is its own. Returns 0, SYN_ENOMEM or SYN_ETRANSPORT
 * (then some ranks may not know each other: do not go on). */
int syn_startup_exchange(const struct syn_transport *transport, const struct syn_introduction *self,
                         void (*make_proposal)(struct syn_startup_proposal *greeting, void *ctx),
                         void *ctx, struct syn_startup *out);
void syn_startup_free(struct syn_startup *opening);

/* Do all ranks run on one machine? The same answer on every rank. */
static inline bool syn_startup_is_local(const struct syn_startup *opening, int size)
{
    return opening->node.member_count == size;
}

#endif
