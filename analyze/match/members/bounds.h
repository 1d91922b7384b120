/* analyze/match/members/bounds.h - the clock bound of a rank, fast.
 * syn_rank_bound_ns walks a rank's timeline; a match asks twice an event. Time is cut into cells of
 * 2^24 ns, and the largest bound within a cell stands for it: above the exact one by at most a
 * cell's worth of wander (under 2 ns at 10^-7). */
#ifndef SYN_BOUNDS_H
#define SYN_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/read/reader.h"

#define SYN_BOUND_CELL_BITS 24
#define SYN_BOUND_CELL_NS   ((int64_t)1 << SYN_BOUND_CELL_BITS)
#define SYN_BOUND_CELLS     16
/* No clock is this far off: the bound of one that was never measured. */
#define SYN_BOUND_UNKNOWN_NS (INT64_MAX / 4)

/* Was this rank's clock compared at the run's begin only, so that its bound grows until the end? A
 * run that does not reach MPI_Finalize leaves such clocks. */
bool syn_clock_measured_once(const struct syn_rank_file *file);
/* syn_rank_bound_ns, within 0 .. SYN_BOUND_UNKNOWN_NS, and that for a rank whose clock was never
 * compared with rank 0's. */
int64_t syn_clock_bound_ns(const struct syn_rank_file *file, int64_t global_ns);

/* The largest of them from first_ns to last_ns: at these, at the knots and half way between. */
int64_t syn_clock_worst_bound_ns(const struct syn_rank_file *file, int64_t first_ns,
                                 int64_t last_ns);

struct syn_bound_cell {
    int64_t cell;
    int64_t bound_ns;
};

struct syn_bounds {
    const struct syn_rank_file *file;
    struct syn_bound_cell
        *knot; /* [knot_count], owned: the largest bound at the knots of a cell, by cell */
    size_t knot_count;
    int64_t cell[SYN_BOUND_CELLS]; /* which one is kept at this place */
    int64_t bound_ns[SYN_BOUND_CELLS];
};

/* 0 or SYN_ENOMEM. */
int syn_bounds_init(struct syn_bounds *bounds, const struct syn_rank_file *file);
void syn_bounds_free(struct syn_bounds *bounds);
int64_t syn_bounds_compute(struct syn_bounds *bounds, int64_t cell);

/* At least syn_clock_bound_ns(file, global_ns), at most SYN_BOUND_UNKNOWN_NS. */
static inline int64_t syn_bounds_at(struct syn_bounds *bounds, int64_t global_ns)
{
    int64_t cell = global_ns >> SYN_BOUND_CELL_BITS;
    unsigned place = (unsigned)cell % SYN_BOUND_CELLS;
    if (__builtin_expect(bounds->cell[place] == cell, 1))
        return bounds->bound_ns[place];
    return syn_bounds_compute(bounds, cell);
}

#endif
