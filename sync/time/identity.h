/* sync/time/identity.h - tells which ranks may share a clock, and gives those ranks one tick
 * length. sync/methods/whereabouts.h exchanges the data. */
#ifndef SYN_IDENTITY_H
#define SYN_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/time/clock.h"

/* Largest difference of a shared counter between two processors. */
#define SYN_SHARED_CLOCK_NS 20

/* Identity of a rank's clock, known without messages. Only ranks with equal identities may share a
 * clock. */
struct syn_clock_identity {
    uint64_t machine;    /* hash of the boot id; unique to the rank if it must not share */
    uint64_t namespace_; /* time namespace; 0 if the clock is not shifted by namespaces */
    uint64_t rate; /* kind and tick length: a counter that is scaled differently is another clock */
};

/* Store a hash of the machine's boot id, which is the same in all its processes while it runs.
 * Returns 0; or SYN_EMISSING if it cannot be read: *hash is then unchanged. */
int syn_machine_hash(uint64_t *hash);

/* Read the identity of this process's clock. It is unique to the process if the boot id cannot be
 * read, or for SYN_CLOCK_FUNCTION, whose zero may differ between processes. Returns 0. */
int syn_clock_identity_read(const struct syn_tick_source *source, struct syn_clock_identity *out);

/* Description of a rank's clock, made before the kind of clock is agreed on. It suffices to
 * tell which ranks may share a clock, and whether two such clocks can be the same. */
struct syn_clock_offer {
    uint64_t machine;             /* as in struct syn_clock_identity */
    uint64_t namespace_;          /* time namespace */
    uint64_t multiplier;          /* scale of the TSC; 0: not trusted */
    struct syn_tick_reading sent; /* reading before the offer was sent */
};

/* Describe the clock of this process. *tsc: its calibrated TSC (another kind: not trusted). */
void syn_clock_offer_make(const struct syn_tick_source *tsc, struct syn_clock_offer *out);
/* Use the tick length of the machine: `multiplier`, from one of its ranks (0: none trusts its TSC).
 * Changes only a TSC. Call this before taking any local time. */
void syn_tick_source_adopt(struct syn_tick_source *source, uint64_t multiplier);
/* Returns the identity of a clock of `kind` (its fallback if the TSC is not trusted), as
 * syn_clock_identity_read would after syn_tick_source_adopt. Not for SYN_CLOCK_FUNCTION. */
struct syn_clock_identity syn_clock_offer_identity(const struct syn_clock_offer *offer,
                                                   enum syn_clock_kind kind, uint64_t multiplier);
/* Returns false if rank 0's clock and this rank's differ by more than SYN_SHARED_CLOCK_NS. Rank 0
 * took `root` after it had received the offer sent at `sent`, and before it sent the message that
 * arrived here at `arrived`; both read their clocks through *source. The time of these messages
 * limits what is noticed. For SYN_CLOCK_TSC and SYN_CLOCK_MONOTONIC_RAW. */
bool syn_clock_can_be_shared(const struct syn_tick_source *source,
                             const struct syn_tick_reading *sent,
                             const struct syn_tick_reading *root,
                             const struct syn_tick_reading *arrived);
/* Returns a reading as local time in ns; for the same kinds. */
int64_t syn_tick_reading_local_ns(const struct syn_tick_source *source,
                                  const struct syn_tick_reading *reading);

#endif
