/* analyze/clocks/clock_history.h - how a rank's clock ran against rank 0's: the measurements
 * relative to a straight line, and the drift at the run's begin and over the whole run (Hunold &
 * Carpen-Amarie 2015, Fig. 3 to 5). */
#ifndef SYN_CLOCK_HISTORY_H
#define SYN_CLOCK_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "sync/methods/sync.h"
#include "sync/time/timeline.h"
#include "trace/read/reader.h"

/* One measurement: the clock minus rank 0's clock, minus the straight line through the clock's
 * first and last knot. */
struct syn_clock_history_point {
    int64_t at_ns;          /* global time */
    double low_ns, high_ns; /* hard bounds; their middle is the estimate */
};

/* The range that the report's times imply for the clock at an instant, relative to the same
 * line. */
struct syn_clock_history_band {
    int64_t at_ns;
    double low_ns, high_ns;
};
#define SYN_CLOCK_HISTORY_BANDS 64

struct syn_clock_history {
    int32_t rank;                          /* whose clock it is */
    struct syn_clock_history_point *point; /* [point_count], in the order of measurement; owned */
    size_t point_count;
    struct syn_clock_history_band band[SYN_CLOCK_HISTORY_BANDS];
    size_t band_count;
    /* Figures of the measurements at begin (NAN if fewer than 8): the drift of their line, its
     * standard error (sync/methods/model.h), and the median distance of the measurements from their
     * line. */
    double begin_ppm, begin_error_ppm, residual_median_ns;
    /* Drift between the first and the last knot. The half width is a hard bound. NAN if the
     * timeline has a single knot. */
    double run_ppm, run_half_width_ppm;
};

/* Makes the history of one rank's clock from its measurements. `peer` returns the timeline of a
 * rank, or NULL if there is none. Measurements against another rank's corrected time are left out,
 * because that clock has changed since. Bands are not set. Returns 0 or SYN_ENOMEM. The caller
 * frees *out in either case. */
struct syn_clock_history_source {
    const struct syn_timeline *own;
    const struct syn_fitpoint *fitpoint; /* [count] */
    size_t count;
    const struct syn_timeline *(*peer)(const void *ctx, int32_t rank);
    const void *ctx;
};
int syn_clock_history_make(const struct syn_clock_history_source *source,
                           struct syn_clock_history *out);
void syn_clock_history_free(struct syn_clock_history *history);

/* Returns the standard error of a rank's drift at begin, in ns per ns; 0 if it is not known. */
double syn_clock_history_begin_error(struct syn_trace *trace, int32_t rank);

/* Describes the clocks of at most `capacity` ranks that have measurements, the lowest rank first,
 * with bands from first_ns to last_ns. Rank 0 is skipped: its clock is the reference. Sets *count
 * entries of `out`, which the caller frees in either case. Returns 0 or SYN_ENOMEM. */
int syn_clock_histories_of(struct syn_trace *trace, int64_t first_ns, int64_t last_ns,
                           struct syn_clock_history *out, size_t capacity, size_t *count);

#endif
