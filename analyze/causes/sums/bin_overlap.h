/* analyze/causes/sums/bin_overlap.h - time that crosses the edges of time bins. For statistics each
 * event is counted whole: a segment or a call in the bin in which it starts, waiting in the bin in
 * which the awaited rank arrived. Views over time need events to be split at the edges. This table
 * stores the differences, by location and bin, for the few events that cross an edge.
 *
 * The table also stores waiting that histories lack: that of a rank that left a call from a root
 * before the last rank had arrived. By definition the rank waited for the last one, but was not
 * delayed by it. */
#ifndef SYN_BIN_OVERLAP_H
#define SYN_BIN_OVERLAP_H

#include "analyze/causes/sums/sums.h"

/* Differences from the cells' values of a location in a bin. */
struct syn_bin_overlap {
    int64_t waiting_ns; /* waiting of the location */
    int64_t caused_ns;  /* waiting of others that the location caused */
    int64_t useful_ns;  /* time outside of MPI */
};

/* A stretch of time that is counted in bin `home`. */
struct syn_cause_span {
    uint32_t home;
    int64_t from_ns, to_ns;
};

/* Returns the end of a bin, INT64_MAX for the last one. */
static inline int64_t syn_time_bin_end(const struct syn_time_bins *bins, uint32_t bin)
{
    return bin + 1 == bins->count ? INT64_MAX : bins->begin_ns + (bin + 1) * bins->bin_ns;
}

/* Notes that all of a span is waiting of the location. Returns 0 or SYN_ENOMEM. */
int syn_bin_overlap_waiting(struct syn_cause_sums *sums, uint32_t location,
                            const struct syn_cause_span *span);
/* Notes that [from_ns, to_ns] is waiting of the location that no cell contains. Returns 0 or
 * SYN_ENOMEM. */
int syn_bin_overlap_early(struct syn_cause_sums *sums, uint32_t location, int64_t from_ns,
                          int64_t to_ns);
/* Notes that useful_ns of a span are outside of MPI, evenly spread. Returns 0 or SYN_ENOMEM. */
int syn_bin_overlap_useful(struct syn_cause_sums *sums, uint32_t location,
                           const struct syn_cause_span *span, int64_t useful_ns);
/* Notes that `ns` of the waiting that a location caused, counted in bin `home`, were in another
 * bin. Returns 0 or SYN_ENOMEM. */
int syn_bin_overlap_caused(struct syn_cause_sums *sums, uint32_t location, uint32_t home,
                           uint32_t bin, int64_t ns);

/* Adds the table of other sums. Returns 0 or SYN_ENOMEM. */
int syn_bin_overlaps_add(struct syn_cause_sums *into, const struct syn_cause_sums *from);

#endif
