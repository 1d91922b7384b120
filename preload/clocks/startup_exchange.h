/* preload/clocks/startup_exchange.h - the startup exchange: the first messages of a run, up a tree
 * to rank 0 and down again. Afterwards each rank knows rank 0's options, the ranks on its machine
 * and those that may share its clock (sync/methods/whereabouts.h), and which rank leads each clock.
 *
 * RATIONALE: a single exchange carries everything. If ranks share processors, the time goes into
 * waiting for their turns, not into messages. */
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

/* Rank 0's proposal to all ranks. Sent as bytes: no pointers. */
struct syn_startup_proposal {
    struct syn_options options;
    char top_directory[4096]; /* directory of the first program; spawned programs get a place in it
                               */
    uint8_t run_id[16];
    int32_t status;               /* of preparing the directory; not 0: no rank records */
    bool crowded;                 /* rank 0's machine has more ranks than processors */
    uint64_t multiplier;          /* scale of rank 0's TSC; 0: not trusted */
    struct syn_tick_reading root; /* rank 0's clock when it had all introductions */
};

struct syn_startup {
    struct syn_startup_proposal proposal;
    struct syn_tick_reading sent;    /* this rank's clock before it sent anything */
    struct syn_tick_reading arrived; /* this rank's clock when the proposal arrived */
    uint64_t multiplier;            /* scale that this machine's ranks use for their TSC; 0: none */
    struct syn_clock_groups groups; /* ranks that may share a clock; owned */
    struct syn_node_ranks node;
    struct syn_host_facts *host_facts; /* owned; NULL without memory */
};

/* Called by all ranks of the transport, each with its introduction (the time of sending is added
 * here). On rank 0 `make_proposal(proposal, ctx)` fills the proposal, except `crowded`,
 * `multiplier` and `root`, before any message is received. Returns 0, SYN_ENOMEM or SYN_ETRANSPORT;
 * after an error, ranks may disagree: do not go on. */
int syn_startup_exchange(const struct syn_transport *transport, const struct syn_introduction *self,
                         void (*make_proposal)(struct syn_startup_proposal *proposal, void *ctx),
                         void *ctx, struct syn_startup *out);
void syn_startup_free(struct syn_startup *startup);

/* Returns true if all ranks run on one machine: the same answer on every rank. */
static inline bool syn_startup_is_local(const struct syn_startup *startup, int size)
{
    return startup->node.member_count == size;
}

#endif
