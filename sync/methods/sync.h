/* sync/methods/sync.h - synchronizes the clocks of all ranks, by one of several methods.
 *
 * Usage, on every rank:
 *     syn_sync_options_default(&options);
 *     syn_sync_begin(&options, &transport, &clock, identity, &sync);     in MPI_Init
 *     syn_sync_measure(sync);                                            any time in between,
 * together syn_sync_end(sync);                                                in MPI_Finalize
 *     timeline = syn_sync_timeline(sync);                                any time after begin
 * All ranks of the transport make the same calls in the same order. */
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
    SYN_SYNC_AUTO, /* docs/methods-clock.md: groups; HCA3 over leaders, with bounds and Theil-Sen;
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
    int fitpoint_count; /* points of a drift regression, per pair of ranks */
    int exchange_count; /* ping-pongs of a point */
    double budget_s;    /* AUTO: seconds for a level; points are spread over them */
};

/* A raw measurement, kept in the trace. */
struct syn_fitpoint {
    int32_t peer_rank;
    int32_t stage;    /* 0 begin; 1.. in between; -1 end */
    int64_t local_ns; /* time on the own clock */
    int64_t low_ns;   /* hard bounds on own clock minus peer's clock (in HCA3, the peer's *global*
                         clock) */
    int64_t high_ns;
    int64_t rtt_min_ns; /* shortest round trip */
};

/* Cost and quality of a synchronization. */
struct syn_sync_quality {
    int64_t begin_ns;       /* duration of syn_sync_begin on this rank */
    int64_t end_ns;         /* duration of syn_sync_end */
    int64_t message_count;  /* sent by this rank */
    int32_t round_count;    /* levels of the tree */
    int32_t group_size;     /* ranks that share this rank's clock; 1 without groups */
    int32_t reference_rank; /* rank that this one learned from; -1 on rank 0 */
    double slope_ppm;       /* learned drift against rank 0 */
    int64_t half_width_ns;  /* bound on the offset at the end of syn_sync_begin */
};

struct syn_sync;

/* Returns a method's name on the command line ("hca3"; "auto" is the default). NULL if out of
 * range. */
const char *syn_sync_method_name(enum syn_sync_method method);
/* Returns 0; or SYN_EINVAL for an unknown name: *method is then unchanged. */
int syn_sync_method_parse(const char *name, enum syn_sync_method *method);

void syn_sync_options_default(struct syn_sync_options *options);

/* Synchronize any number of ranks >= 1. `transport` and `clock` are copied; their ctx must outlive
 * *out. On error *out is NULL, and the caller uses local time. */
int syn_sync_begin(const struct syn_sync_options *options, const struct syn_transport *transport,
                   const struct syn_clock *clock, struct syn_clock_identity identity,
                   struct syn_sync **out);
struct syn_clock_groups;
/* A rank's knowledge of the others before synchronization. */
struct syn_sync_known {
    const struct syn_clock_groups *groups; /* by identity (group.h); read only during the call */
    /* The ranks with rank 0's identity have compared their clocks with it (e.g. by
     * syn_clock_can_be_shared). Same value on all ranks. */
    bool compared;
    bool contradicts; /* compared: this rank's clock is not rank 0's, although the identities agree
                       */
};
/* Like syn_sync_begin, with fewer messages. Ranks that have compared clocks skip verification. If
 * all ranks share rank 0's clock, ranks also do not agree on the status: a caller that passes
 * `compared` lets them agree, and frees *out on all ranks if one has failed. */
int syn_sync_begin_known(const struct syn_sync_options *options,
                         const struct syn_transport *transport, const struct syn_clock *clock,
                         const struct syn_sync_known *known, struct syn_sync **out);
/* Measure the offset again and add a knot. All ranks call it, between syn_sync_begin and
 * syn_sync_end. */
int syn_sync_measure(struct syn_sync *sync);
/* Make the last measurement; afterwards the timeline interpolates. This holds for all methods, also
 * for those that measure only an offset: methods differ in the model made at begin. */
int syn_sync_end(struct syn_sync *sync);

/* Owned by *sync; changes with each measurement. After syn_sync_begin it has one knot and slopes:
 * the method's prediction. */
const struct syn_timeline *syn_sync_timeline(const struct syn_sync *sync);
const struct syn_sync_quality *syn_sync_quality(const struct syn_sync *sync);
/* Returns all raw measurements so far [*count]; owned by *sync. */
const struct syn_fitpoint *syn_sync_fitpoints(const struct syn_sync *sync, size_t *count);

void syn_sync_free(struct syn_sync *sync);

#endif
