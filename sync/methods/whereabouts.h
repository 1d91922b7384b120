/* sync/methods/whereabouts.h - finds which ranks share a machine, which may share a clock, and the
 * tick length of each machine. One exchange of classes (classes.h): a rank learns about its own
 * machine and the leaders of clocks; only rank 0 learns about all ranks.
 *
 * Usage, on every rank, before syn_sync_begin_known:
 *     syn_tick_source_init(&source, SYN_CLOCK_TSC, NULL, 0.02);
 *     syn_clock_offer_make(&source, &self.offer);
 *     syn_whereabouts_exchange(&transport, &self, &root, &message, &proposal, &place);
 *     syn_tick_source_adopt(&source, place.multiplier); */
#ifndef SYN_WHEREABOUTS_H
#define SYN_WHEREABOUTS_H

#include "sync/methods/group.h"
#include "sync/ranks/transport.h"
#include "sync/time/identity.h"

/* A rank's description of itself. */
struct syn_introduction {
    uint64_t node_key; /* equal on ranks of the same machine */
    struct syn_clock_offer offer;
};

struct syn_whereabouts {
    int *members; /* [member_count] ranks of this machine, ascending; owned */
    int member_count;
    int member_index;               /* of this rank */
    uint64_t multiplier;            /* the machine's TSC scale; 0: no rank trusts its TSC */
    struct syn_clock_groups groups; /* by identity; owned */
};

/* Rank 0's part in the exchange. */
struct syn_survey_root {
    enum syn_clock_kind kind; /* kind of clock that all ranks will read */
    /* Appends the proposal to all ranks. `member_count`: ranks on rank 0's machine. */
    void (*put_proposal)(void *ctx, int member_count, struct syn_bytes *out);
    void *ctx;
};

/* Called by all ranks of the transport; *root is read on rank 0 only. *message holds the received
 * message and is owned by the caller; *proposal points to the bytes in it that put_proposal
 * appended. Returns 0, SYN_ENOMEM or SYN_ETRANSPORT; after an error, ranks may disagree: do not go
 * on. */
int syn_whereabouts_exchange(const struct syn_transport *transport,
                             const struct syn_introduction *self,
                             const struct syn_survey_root *root, struct syn_bytes *message,
                             struct syn_take *proposal, struct syn_whereabouts *place);
void syn_whereabouts_free(struct syn_whereabouts *place);

#endif
