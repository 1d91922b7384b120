/* analyze/clocks/clock_history.h - how a clock ran against rank 0's: what was measured of it beside
 * the line that its times rest on, and its drift at the run's begin and over all of it (Hunold &
 * Carpen-Amarie 2015, Fig. 3 to 5). */
#ifndef SYN_CLOCK_HISTORY_H
#define SYN_CLOCK_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "sync/methods/sync.h"
#include "sync/time/timeline.h"
#include "trace/read/reader.h"

/* One measurement: the clock minus rank 0's, minus the straight line through its first and its last
 * knot. */
struct syn_clock_history_point {
    int64_t at_ns;          /* of the run */
    double low_ns, high_ns; /* hard bounds; the middle is the estimate */
};

/* The report's estimate of the clock at an instant, relative to the same line, with its bound. */
struct syn_clock_history_band {
    int64_t at_ns;
    double low_ns, high_ns;
};
#define SYN_CLOCK_HISTORY_BANDS 64

struct syn_clock_history {
    int32_t rank;                          /* that it was measured on */
    struct syn_clock_history_point *point; /* [point_count], as they were measured; owned */
    size_t point_count;
    struct syn_clock_history_band band[SYN_CLOCK_HISTORY_BANDS];
    size_t band_count;
    /* From the points that begin measured (NAN if fewer than 8): the drift of their line, its
     * standard error (sync/methods/model.h), and their median distance from the line. */
    double begin_ppm, begin_error_ppm, residual_median_ns;
    /* Over all of the run: between the first and the last knot; the half width is a hard bound. NAN
     * of a single knot. */
    double run_ppm, run_half_width_ppm;
};

/* Out of one rank's measurements; `peer` gives the timeline of a rank, NULL where there is none.
 * What was measured against another rank's corrected time is left out: that clock has changed
 * since. Bands are not set. 0 or SYN_ENOMEM; free it in any case. */
struct syn_clock_history_source {
    const struct syn_timeline *own;
    const struct syn_fitpoint *fitpoint; /* [count] */
    size_t count;
    const struct syn_timeline *(*peer)(const void *ctx, int32_t rank);
    const void *ctx;
};
int syn_clock_history_make(const struct syn_clock_history_source *source,
                           struct syn_clock_history *out);
void syn_clock_history_free(struct syn_clock_history *course);

/* The standard error of a rank's drift at begin: begin_error_ppm, but in ns a ns; 0 where it is not
 * known. */
double syn_clock_history_begin_error(struct syn_trace *trace, int32_t rank);

/* Describes the clocks of ranks with measurements in an open trace, the lowest rank first, at most
 * `capacity`, with bands from first_ns to last_ns. Rank 0 is skipped: it is the reference. Sets
 * *count entries of out, which the caller frees in any case. Returns 0 or SYN_ENOMEM. */
int syn_clock_histories_of(struct syn_trace *trace, int64_t first_ns, int64_t last_ns,
                           struct syn_clock_history *out, size_t capacity, size_t *count);

#endif
