/* tests/unit/sync/sim_sync.h - a synchronization on all ranks of a simulated network. */
#ifndef SIM_SYNC_H
#define SIM_SYNC_H

#include "sim_net.h"
#include "sync/methods/sync.h"

struct sim_sync {
    struct sim_net *net;
    int ranks;
    struct syn_sync_options options;
    struct syn_sync **syncs;    /* [ranks] NULL where begin failed */
    int *statuses;              /* [ranks] of the last call */
    struct syn_timeline *first; /* [ranks] as begin left it: what the method alone predicts */
    double begin_ns;            /* true time from the first rank's entry to the last one's return */
    double end_ns;
    bool deadlocked;
    struct syn_clock_identity *identities; /* [ranks], and */
    const bool *contradicts;               /*   [ranks]: for sim_sync_begin_known */
};

/* The options of a method, as in syn_sync_options_default. */
struct syn_sync_options sim_sync_options(enum syn_sync_method method);

/* Run syn_sync_begin everywhere. *sync is set up; the network must outlive it. */
void sim_sync_begin(struct sim_sync *sync, struct sim_net *net,
                    const struct syn_sync_options *options);
/* Run syn_sync_begin_known: identities are known; those of rank 0's identity have compared their
 * clocks with its, and found that the ones that `contradicts` [ranks] marks are others. */
void sim_sync_begin_known(struct sim_sync *sync, struct sim_net *net,
                          const struct syn_sync_options *options, const bool *contradicts);
void sim_sync_measure(struct sim_sync *sync);
void sim_sync_end(struct sim_sync *sync);
void sim_sync_free(struct sim_sync *sync);

/* The largest |error| of any rank at a true time. `first`: by what begin alone predicts. */
int64_t sim_sync_worst_ns(const struct sim_sync *sync, double true_ns, bool first);

struct sim_coverage {
    int64_t checked_count;
    int64_t outside_count;
    int64_t worst_error_ns;
    int64_t worst_bound_ns;
};

/* Compare `per_rank` instants of every rank, evenly from..until, with the stated bound; rank 0's
 * error is 0 by definition and it is left out. Adds to *coverage. */
void sim_sync_cover(const struct sim_sync *sync, double from_ns, double until_ns, int per_rank,
                    bool first, struct sim_coverage *coverage);

#endif
