/* analyze/causes/sums/bin_overlap.h - time that crosses the edges of time bins. A segment or a call
 * is counted in the bin in which it starts, waiting in the bin in which the rank that was waited
 * for came: statistics need each event whole. Views over time need it split. This table holds the
 * difference for the few that cross an edge, by location and bin.
 *
 * It also holds waiting that histories lack: of a rank that left a call from a root before the last
 * one had come. By the definition of waiting it waited for that one, which did not delay it. */
#ifndef SYN_BIN_OVERLAP_H
#define SYN_BIN_OVERLAP_H

#include "analyze/causes/sums/sums.h"

/* The difference to what cells have of a location in a bin. */
struct syn_bin_overlap {
    int64_t waiting_ns; /* its own */
    int64_t caused_ns;  /* of others, for what it did */
    int64_t useful_ns;  /* outside of MPI */
};

/* A time that is counted in bin `home`. */
struct syn_cause_span {
    uint32_t home;
    int64_t from_ns, to_ns;
};

/* Returns the end of the bin: INT64_MAX for the last one. */
static inline int64_t syn_time_bin_end(const struct syn_time_bins *bins, uint32_t bin)
{
    return bin + 1 == bins->count ? INT64_MAX : bins->begin_ns + (bin + 1) * bins->bin_ns;
}

/* Notes that all of a span is the location's waiting. 0 or SYN_ENOMEM. */
int syn_bin_overlap_waiting(struct syn_cause_sums *sums, uint32_t location,
                            const struct syn_cause_span *span);
/* Notes that all of [from_ns, to_ns] is the location's waiting and in no cell. 0 or SYN_ENOMEM. */
int syn_bin_overlap_early(struct syn_cause_sums *sums, uint32_t location, int64_t from_ns,
                          int64_t to_ns);
/* Notes that so much of a span is outside of MPI, evenly spread. 0 or SYN_ENOMEM. */
int syn_bin_overlap_useful(struct syn_cause_sums *sums, uint32_t location,
                           const struct syn_cause_span *span, int64_t useful_ns);
/* Notes that so much of the waiting that a location caused, counted in bin `home`, was in another
 * bin. 0 or SYN_ENOMEM. */
int syn_bin_overlap_caused(struct syn_cause_sums *sums, uint32_t location, uint32_t home,
                           uint32_t bin, int64_t ns);

/* Adds the table of other sums. 0 or SYN_ENOMEM. */
int syn_bin_overlaps_add(struct syn_cause_sums *into, const struct syn_cause_sums *from);

#endif
