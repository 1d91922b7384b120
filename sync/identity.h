/* sync/identity.h - which ranks may share a clock, and one tick length for those that do.
 *
 * Usage, on every rank, before syn_sync_begin:
 *     syn_tick_source_init(&source, SYN_CLOCK_TSC, NULL, 0.02);
 *     syn_clock_identity_read(&source, &identity);
 *     syn_tick_source_share(&source, &transport, &identity); */
#ifndef SYN_IDENTITY_H
#define SYN_IDENTITY_H

#include <stdint.h>

#include "clock.h"
#include "transport.h"

/* What a rank knows of its clock before any message; only ranks that are equal in all of it may
 * share a clock. */
struct syn_clock_identity {
    uint64_t
        machine; /* hash of the boot id; something unique to the rank where it must stand alone */
    uint64_t namespace_; /* of the time namespace; 0 for a clock that namespaces do not shift */
    uint64_t rate; /* kind and tick length: the same counter scaled differently is not one clock */
};

/* The same on all processes of one machine as long as it runs: a hash of its boot id. Returns 0, or
 * SYN_EMISSING where it cannot be read; *hash is then unchanged. */
int syn_machine_hash(uint64_t *hash);

/* Read the identity of this process's clock. Where the boot id cannot be read, and for
 * SYN_CLOCK_FUNCTION (whose zero may differ from process to process), the identity is unique to
 * the process. Returns 0. */
int syn_clock_identity_read(const struct syn_tick_source *source, struct syn_clock_identity *out);

/* Let all ranks of one machine scale the TSC alike: each adopts the rate of the lowest rank with
 * its own machine. All ranks of the transport must call; binomial gather and broadcast, 2 ceil(log2
 * p) rounds. `identity->rate` follows. Call before any local time is taken; other kinds keep their
 * rate. Returns 0, SYN_ENOMEM or SYN_ETRANSPORT; *source and *identity are then unchanged. */
int syn_tick_source_share(struct syn_tick_source *source, const struct syn_transport *transport,
                          struct syn_clock_identity *identity);

#endif
