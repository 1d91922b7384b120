/* sync/methods/whereabouts.h - finds where each rank runs: who shares its machine, who may share
 * its clock, and the tick length that its machine's ranks agree on. One exchange of classes
 * (classes.h): a rank hears of its own machine and of the leaders of clocks, and rank 0 alone of
 * everybody.
 *
 * Usage, on every rank, before syn_sync_begin_known:
 *     syn_tick_source_init(&source, SYN_CLOCK_TSC, NULL, 0.02);
 *     syn_clock_offer_make(&source, &self.offer);
 *     syn_whereabouts_exchange(&transport, &self, greet, ctx, &told, &greeting, &place);
 *     syn_tick_source_adopt(&source, place.multiplier); */
#ifndef SYN_WHEREABOUTS_H
#define SYN_WHEREABOUTS_H

#include "sync/methods/group.h"
#include "sync/ranks/transport.h"
#include "sync/time/identity.h"

/* A rank's description of itself. */
struct syn_introduction {
    uint64_t node_key; /* equal on ranks that see the same machine */
    struct syn_clock_offer offer;
};

struct syn_whereabouts {
    int *members; /* [member_count] ranks of this machine, ascending; owned */
    int member_count;
    int member_index;    /* of this rank */
    uint64_t multiplier; /* of the lowest rank of the machine that trusts its TSC; 0: none does */
    struct syn_clock_groups groups; /* by identity; owned */
};

/* Rank 0's knowledge when all ranks have been heard, and its message to all of them. */
struct syn_survey_word {
    enum syn_clock_kind kind; /* that all are to read: in, before anybody is heard */
    /* Put the greeting behind what is there. `member_count`: of rank 0's machine. */
    void (*greet)(void *ctx, int member_count, struct syn_bytes *out);
    void *ctx;
};

/* All ranks of the transport call; `word` is read on rank 0 alone. `told` keeps what was said, and
 * is the caller's; *greeting is the window on it with what greet() put there. Returns 0, SYN_ENOMEM
 * or SYN_ETRANSPORT (then some ranks may not know each other: do not go on). */
int syn_whereabouts_exchange(const struct syn_transport *transport,
                             const struct syn_introduction *self,
                             const struct syn_survey_word *word, struct syn_bytes *told,
                             struct syn_take *greeting, struct syn_whereabouts *place);
void syn_whereabouts_free(struct syn_whereabouts *place);

#endif
