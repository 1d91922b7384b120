/* sync/time/identity.h - tells which ranks may share a clock, and finds one tick length for those
 * that do. How ranks hear of one another: sync/methods/whereabouts.h. */
#ifndef SYN_IDENTITY_H
#define SYN_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/time/clock.h"

/* Largest disagreement of two CPUs that share a counter. */
#define SYN_SHARED_CLOCK_NS 20

/* A rank's knowledge of its clock before any message; only ranks that are equal in all of it may
 * share a clock. */
struct syn_clock_identity {
    uint64_t
        machine; /* hash of the boot id; something unique to the rank where it must stand alone */
    uint64_t namespace_; /* of the time namespace; 0 for a clock that namespaces do not shift */
    uint64_t rate; /* kind and tick length: the same counter scaled differently is not one clock */
};

/* Returns a hash of the machine's boot id, equal in all its processes as long as it runs. Returns
 * 0, or SYN_EMISSING where it cannot be read; *hash is then unchanged. */
int syn_machine_hash(uint64_t *hash);

/* Read the identity of this process's clock. Where the boot id cannot be read, and for
 * SYN_CLOCK_FUNCTION (whose zero may differ from process to process), the identity is unique to
 * the process. Returns 0. */
int syn_clock_identity_read(const struct syn_tick_source *source, struct syn_clock_identity *out);

/* A rank's description of its clock, made before it is known which kind all ranks will read. It
 * suffices to tell who may share a clock, and whether two such clocks can be one. */
struct syn_clock_offer {
    uint64_t machine;             /* as in struct syn_clock_identity */
    uint64_t namespace_;          /* of the time namespace */
    uint64_t multiplier;          /* the TSC's; 0: it is not trusted */
    struct syn_tick_reading sent; /* before the offer was sent */
};

/* Describes the clock of this process, whose TSC is calibrated as *tsc (or fell back to another
 * kind: not trusted). */
void syn_clock_offer_make(const struct syn_tick_source *tsc, struct syn_clock_offer *out);
/* Scale the TSC as all ranks of the machine do: by `multiplier`, one of theirs (0: none trusts its
 * own). Other kinds keep their rate. Call before any local time is taken. */
void syn_tick_source_adopt(struct syn_tick_source *source, uint64_t multiplier);
/* The identity of a rank's clock of `kind` (where its TSC is not trusted, of its fallback), as
 * syn_clock_identity_read would give it after syn_tick_source_adopt. Not for SYN_CLOCK_FUNCTION. */
struct syn_clock_identity syn_clock_offer_identity(const struct syn_clock_offer *offer,
                                                   enum syn_clock_kind kind, uint64_t multiplier);
/* Rank 0 took `root` after the offer that was sent at `sent` had come to it, and before it sent
 * what arrived here at `arrived`. So much is true of one clock that both read through *source;
 * false: the clocks are two, and differ by more than SYN_SHARED_CLOCK_NS. How much they may differ
 * unnoticed is the time that the messages took. For SYN_CLOCK_TSC and SYN_CLOCK_MONOTONIC_RAW. */
bool syn_clock_can_be_shared(const struct syn_tick_source *source,
                             const struct syn_tick_reading *sent,
                             const struct syn_tick_reading *root,
                             const struct syn_tick_reading *arrived);
/* A reading as the local time of a source of those two kinds, ns. */
int64_t syn_tick_reading_local_ns(const struct syn_tick_source *source,
                                  const struct syn_tick_reading *reading);

#endif
