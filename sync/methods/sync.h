/* sync/methods/sync.h - synchronize the clocks of all ranks: the methods, by name.
 *
 * Usage, on every rank:
 *     syn_sync_options_default(&options);
 *     syn_sync_begin(&options, &transport, &clock, identity, &sync);     in MPI_Init
 *     syn_sync_measure(sync);                                            at any collective moment
 * in between syn_sync_end(sync);                                                in MPI_Finalize
 *     timeline = syn_sync_timeline(sync);                                at any time after begin
 * Every rank of the transport must make the same calls in the same order. */
#ifndef SYN_SYNC_H
#define SYN_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/status.h"
#include "sync/ranks/transport.h"
#include "sync/time/clock.h"
#include "sync/time/identity.h"
#include "sync/time/timeline.h"

enum syn_sync_method {
    SYN_SYNC_AUTO, /* docs/methods-clock.md: groups, HCA3 over leaders, bounds + Theil-Sen,
                      interpolated */
    SYN_SYNC_NONE,
    SYN_SYNC_SKAMPI,
    SYN_SYNC_NETGAUGE,
    SYN_SYNC_JK,
    SYN_SYNC_HCA,
    SYN_SYNC_HCA2,
    SYN_SYNC_HCA3,
    SYN_SYNC_METHOD_COUNT
};

struct syn_sync_options {
    enum syn_sync_method method;
    int fitpoint_count; /* points of a drift regression, per pair */
    int exchange_count; /* ping-pongs for one point */
    double budget_s;    /* AUTO: seconds a level may take; the points are spread over them */
};

/* One raw measurement, kept in the trace. */
struct syn_fitpoint {
    int32_t peer_rank;
    int32_t stage;    /* 0 begin, 1.. in between, -1 end */
    int64_t local_ns; /* when, own clock */
    int64_t
        low_ns; /* hard bounds on own clock minus the peer's (the peer's *global* clock in HCA3) */
    int64_t high_ns;
    int64_t rtt_min_ns; /* tightest round trip */
};

/* Cost and stated quality of a synchronization. */
struct syn_sync_quality {
    int64_t begin_ns;       /* time taken by syn_sync_begin, and */
    int64_t end_ns;         /*   by syn_sync_end, on this rank */
    int64_t message_count;  /* sent by this rank */
    int32_t round_count;    /* levels of the tree */
    int32_t group_size;     /* ranks that share this rank's clock (1 where not grouped) */
    int32_t reference_rank; /* whom this rank learned from; -1 on the root */
    double slope_ppm;       /* learned drift against the root */
    int64_t half_width_ns;  /* bound on the offset at the end of syn_sync_begin */
};

struct syn_sync;

/* Method name as on the command line ("hca3"; "auto" is the default's). NULL if out of range. */
const char *syn_sync_method_name(enum syn_sync_method method);
/* Returns 0, or SYN_EINVAL for a name that is none; *method is then unchanged. */
int syn_sync_method_parse(const char *name, enum syn_sync_method *method);

void syn_sync_options_default(struct syn_sync_options *options);

/* Synchronize. `transport` and `clock` are copied; their ctx must outlive *out.
 * Any number of ranks >= 1. On error *out is NULL and the caller goes on with local time. */
int syn_sync_begin(const struct syn_sync_options *options, const struct syn_transport *transport,
                   const struct syn_clock *clock, struct syn_clock_identity identity,
                   struct syn_sync **out);
struct syn_clock_groups;
/* A rank's knowledge of the others before they synchronize, from the caller's messages. */
struct syn_sync_known {
    const struct syn_clock_groups *groups; /* by identity (group.h); only read during the call */
    /* Have the ranks of rank 0's identity compared their clocks with its (by
     * syn_clock_can_be_shared, say)? The same on all ranks. */
    bool compared;
    bool
        contradicts; /* Then: is this rank's clock not rank 0's, although their identities agree? */
};
/* As syn_sync_begin, with less to ask. Those who have compared are not asked to verify it by
 * ping-pongs, and where no clock but rank 0's is left at all, the ranks do not agree on how they
 * fared: a caller that passes `compared` has them agree, and frees *out where one failed. */
int syn_sync_begin_known(const struct syn_sync_options *options,
                         const struct syn_transport *transport, const struct syn_clock *clock,
                         const struct syn_sync_known *known, struct syn_sync **out);
/* Measure the offset once more and add a knot; between syn_sync_begin and syn_sync_end, all ranks.
 */
int syn_sync_measure(struct syn_sync *sync);
/* The last measurement; afterwards the timeline interpolates. For methods that are offset-only or
 * as printed in Hunold & Carpen-Amarie 2015 too: what differs between the methods is how the model
 * at begin is made. */
int syn_sync_end(struct syn_sync *sync);

/* Owned by *sync, changes with each measurement. After syn_sync_begin it has one knot and slopes:
 * what the method alone predicts. */
const struct syn_timeline *syn_sync_timeline(const struct syn_sync *sync);
const struct syn_sync_quality *syn_sync_quality(const struct syn_sync *sync);
/* All raw measurements so far; *count elements, owned by *sync. */
const struct syn_fitpoint *syn_sync_fitpoints(const struct syn_sync *sync, size_t *count);

void syn_sync_free(struct syn_sync *sync);

#endif
