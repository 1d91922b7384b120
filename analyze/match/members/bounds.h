/* analyze/match/members/bounds.h - looks up the clock bound of a rank quickly.
 *
 * syn_rank_bound_ns searches a rank's timeline, and a match needs two bounds for each event. So
 * time is divided into cells of 2^24 ns, and each cell has one bound: the largest within it. That
 * exceeds the exact bound by at most the wander of a cell (below 2 ns at 10^-7). */
#ifndef SYN_BOUNDS_H
#define SYN_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/read/reader.h"

#define SYN_BOUND_CELL_BITS 24
#define SYN_BOUND_CELL_NS   ((int64_t)1 << SYN_BOUND_CELL_BITS)
#define SYN_BOUND_CELLS     16
/* The bound of a clock that was never measured: larger than any offset. */
#define SYN_BOUND_UNKNOWN_NS (INT64_MAX / 4)

/* Returns whether this rank's clock was compared only once, so that its bound grows until the end
 * of the run. This happens if a run does not reach MPI_Finalize. */
bool syn_clock_measured_once(const struct syn_rank_file *file);
/* Returns syn_rank_bound_ns, limited to 0 .. SYN_BOUND_UNKNOWN_NS. Returns SYN_BOUND_UNKNOWN_NS if
 * the clock was never compared with that of rank 0. */
int64_t syn_clock_bound_ns(const struct syn_rank_file *file, int64_t global_ns);

/* Returns the largest bound from first_ns to last_ns, of these instants: both ends, the knots, and
 * the middle between neighbours. */
int64_t syn_clock_worst_bound_ns(const struct syn_rank_file *file, int64_t first_ns,
                                 int64_t last_ns);

struct syn_bound_cell {
    int64_t cell;
    int64_t bound_ns;
};

struct syn_bounds {
    const struct syn_rank_file *file;
    struct syn_bound_cell *knot; /* [knot_count], owned: for each cell with knots, the largest bound
                                    at them; ascending in cell */
    size_t knot_count;
    int64_t cell[SYN_BOUND_CELLS]; /* the cell that is kept at this place */
    int64_t bound_ns[SYN_BOUND_CELLS];
};

/* Returns 0 or SYN_ENOMEM. */
int syn_bounds_init(struct syn_bounds *bounds, const struct syn_rank_file *file);
void syn_bounds_free(struct syn_bounds *bounds);
int64_t syn_bounds_compute(struct syn_bounds *bounds, int64_t cell);

/* Returns the bound of the cell that global_ns is in: at least syn_clock_bound_ns(file, global_ns),
 * at most SYN_BOUND_UNKNOWN_NS. */
static inline int64_t syn_bounds_at(struct syn_bounds *bounds, int64_t global_ns)
{
    int64_t cell = global_ns >> SYN_BOUND_CELL_BITS;
    unsigned place = (unsigned)cell % SYN_BOUND_CELLS;
    if (__builtin_expect(bounds->cell[place] == cell, 1))
        return bounds->bound_ns[place];
    return syn_bounds_compute(bounds, cell);
}

#endif
