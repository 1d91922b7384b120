/* analyze/match/members/bounds.c - bounds of a rank's clock, by cells of time. A cell's bound is
 * never below the exact one. */
#include "analyze/match/members/bounds.h"

#include <math.h>
#include <stdlib.h>

#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Returns whether the clock was compared with that of rank 0. The method `none` leaves a negative
 * half width. */
static bool was_compared(const struct syn_rank_file *file)
{
    const struct syn_sync_quality *quality = syn_rank_quality(file);
    return syn_rank_rank(file) == 0 ||
           (syn_rank_timeline(file)->knot_count > 0 && !(quality && quality->half_width_ns < 0));
}

bool syn_clock_measured_once(const struct syn_rank_file *file)
{
    const struct syn_timeline *timeline = syn_rank_timeline(file);
    return syn_rank_rank(file) != 0 && was_compared(file) && timeline->knot_count == 1 &&
           timeline->slope_half_width + timeline->wander > 0;
}

int64_t syn_clock_bound_ns(const struct syn_rank_file *file, int64_t global_ns)
{
    int64_t bound = was_compared(file) ? syn_rank_bound_ns(file, global_ns) : -1;
    return bound < 0 || bound > SYN_BOUND_UNKNOWN_NS ? SYN_BOUND_UNKNOWN_NS : bound;
}

/* Returns the largest bound near an instant. The bound may jump at a knot, so both sides of it
 * count. */
static int64_t around(const struct syn_rank_file *file, int64_t global_ns)
{
    int64_t before = syn_clock_bound_ns(file, global_ns - 1);
    int64_t after = syn_clock_bound_ns(file, global_ns + 1);
    return syn_largest(syn_clock_bound_ns(file, global_ns), syn_largest(before, after));
}

SYN_ORDER(by_cell, struct syn_bound_cell, SYN_UP(cell))

/* Returns the timeline that the bound is computed from. */
static const struct syn_timeline *bounding(const struct syn_rank_file *file)
{
    const struct syn_timeline *correction = syn_rank_correction(file);
    return correction ? correction : syn_rank_timeline(file);
}

int64_t syn_clock_worst_bound_ns(const struct syn_rank_file *file, int64_t first_ns,
                                 int64_t last_ns)
{
    const struct syn_timeline *timeline = bounding(file);
    int64_t worst_ns =
        syn_largest(syn_clock_bound_ns(file, first_ns), syn_clock_bound_ns(file, last_ns));
    int64_t before_ns = first_ns;
    for (size_t i = 0; i <= timeline->knot_count; i++) {
        int64_t at_ns = last_ns;
        if (i < timeline->knot_count)
            at_ns = syn_timeline_global(timeline, (syn_local_time){timeline->knots[i].local_ns}).ns;
        at_ns = syn_least(syn_largest(at_ns, first_ns), last_ns);
        worst_ns =
            syn_largest(worst_ns, syn_largest(around(file, at_ns),
                                              syn_clock_bound_ns(file, before_ns / 2 + at_ns / 2)));
        before_ns = at_ns;
    }
    return worst_ns;
}

int syn_bounds_init(struct syn_bounds *bounds, const struct syn_rank_file *file)
{
    const struct syn_timeline *timeline = bounding(file);
    *bounds = (struct syn_bounds){.file = file};
    for (int i = 0; i < SYN_BOUND_CELLS; i++)
        bounds->cell[i] = INT64_MIN;
    if (timeline->knot_count == 0)
        return SYN_OK;
    bounds->knot = malloc(timeline->knot_count * sizeof *bounds->knot);
    if (!bounds->knot)
        return SYN_ENOMEM;
    for (size_t i = 0; i < timeline->knot_count; i++) {
        syn_local_time knot = {timeline->knots[i].local_ns};
        int64_t global_ns = syn_timeline_global(timeline, knot).ns;
        if (global_ns > INT64_MIN && global_ns < INT64_MAX)
            bounds->knot[bounds->knot_count++] =
                (struct syn_bound_cell){global_ns >> SYN_BOUND_CELL_BITS, around(file, global_ns)};
    }
    /* Keep one entry for each cell with a knot. A file may have any number of knots, in any global
     * order. */
    struct syn_bound_cell *knots = bounds->knot;
    size_t kept = 0;
    qsort(knots, bounds->knot_count, sizeof *knots, by_cell);
    for (size_t i = 0; i < bounds->knot_count; i++)
        if (kept > 0 && knots[kept - 1].cell == knots[i].cell)
            knots[kept - 1].bound_ns = syn_largest(knots[kept - 1].bound_ns, knots[i].bound_ns);
        else
            knots[kept++] = knots[i];
    bounds->knot_count = kept;
    return SYN_OK;
}

void syn_bounds_free(struct syn_bounds *bounds)
{
    free(bounds->knot);
    bounds->knot = NULL;
    bounds->knot_count = 0;
}

static int64_t at_knots(const struct syn_bounds *bounds, int64_t cell)
{
    const struct syn_bound_cell wanted = {cell, 0}, *found = NULL;
    if (bounds->knot_count > 0)
        found = bsearch(&wanted, bounds->knot, bounds->knot_count, sizeof wanted, by_cell);
    return found ? found->bound_ns : 0;
}

int64_t syn_bounds_compute(struct syn_bounds *bounds, int64_t cell)
{
    const struct syn_timeline *timeline = bounding(bounds->file);
    const int64_t cell_ns = (int64_t)1 << SYN_BOUND_CELL_BITS;
    int64_t first_ns = cell * cell_ns;
    int64_t last_ns = first_ns + cell_ns - 1;
    int64_t bound = syn_largest(syn_clock_bound_ns(bounds->file, first_ns),
                                syn_clock_bound_ns(bounds->file, last_ns));
    bound = syn_largest(bound, at_knots(bounds, cell));
    /* Between two instants of one segment the bound exceeds both by at most its growth away from a
     * knot. */
    double rise = ceil(syn_timeline_growth(timeline) * (double)cell_ns);
    bound = rise >= 0 && rise < (double)SYN_BOUND_UNKNOWN_NS && bound < SYN_BOUND_UNKNOWN_NS
                ? bound + (int64_t)rise
                : SYN_BOUND_UNKNOWN_NS;
    unsigned place = (unsigned)cell % SYN_BOUND_CELLS;
    bounds->cell[place] = cell;
    bounds->bound_ns[place] = bound;
    return bound;
}
