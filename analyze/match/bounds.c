#include "bounds.h"

#include <math.h>

void syn_bounds_init(struct syn_bounds *bounds, const struct syn_rank_file *file)
{
    bounds->file = file;
    for (int i = 0; i < SYN_BOUND_CELLS; i++)
        bounds->cell[i] = INT64_MIN;
}

/* The method `none` leaves no measurement, and says so by a negative width. */
static bool was_compared(const struct syn_rank_file *file)
{
    const struct syn_sync_quality *quality = syn_rank_quality(file);
    return syn_rank_rank(file) == 0 ||
           (syn_rank_timeline(file)->knot_count > 0 && !(quality && quality->half_width_ns < 0));
}

int64_t syn_clock_bound_ns(const struct syn_rank_file *file, int64_t global_ns)
{
    int64_t bound = was_compared(file) ? syn_rank_bound_ns(file, global_ns) : -1;
    return bound < 0 || bound > SYN_BOUND_UNKNOWN_NS ? SYN_BOUND_UNKNOWN_NS : bound;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The bound may jump at a knot: look at both sides of each one in the cell. */
static int64_t at_knots(const struct syn_bounds *bounds, int64_t first_ns, int64_t last_ns)
{
    const struct syn_timeline *timeline = syn_rank_timeline(bounds->file);
    int64_t bound = 0;
    for (size_t i = 0; i < timeline->knot_count; i++) {
        syn_local_time knot = {timeline->knots[i].local_ns};
        int64_t global_ns = syn_timeline_global(timeline, knot).ns;
        if (global_ns < first_ns || global_ns > last_ns)
            continue;
        for (int64_t step = -1; step <= 1; step++)
            bound = larger(bound, syn_clock_bound_ns(bounds->file, global_ns + step));
    }
    return bound;
}

int64_t syn_bounds_compute(struct syn_bounds *bounds, int64_t cell)
{
    const struct syn_timeline *timeline = syn_rank_timeline(bounds->file);
    const int64_t cell_ns = (int64_t)1 << SYN_BOUND_CELL_BITS;
    int64_t first_ns = cell * cell_ns;
    int64_t last_ns = first_ns + cell_ns - 1;
    int64_t bound = larger(syn_clock_bound_ns(bounds->file, first_ns),
                           syn_clock_bound_ns(bounds->file, last_ns));
    bound = larger(bound, at_knots(bounds, first_ns, last_ns));
    /* between two looked-at instants of one segment the bound rises by no more than its steepest
     * slope allows */
    double slope = timeline->wander + timeline->slope_half_width;
    double rise = ceil(slope * (double)cell_ns);
    bound = rise < (double)SYN_BOUND_UNKNOWN_NS && bound < SYN_BOUND_UNKNOWN_NS
                ? bound + (int64_t)rise
                : SYN_BOUND_UNKNOWN_NS;
    unsigned place = (unsigned)cell % SYN_BOUND_CELLS;
    bounds->cell[place] = cell;
    bounds->bound_ns[place] = bound;
    return bound;
}
