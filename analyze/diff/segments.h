/* analyze/diff/segments.h - the ranks' time between calls, and in them but for waiting: did it
 * become longer, on which ranks, and does anybody wait for it more than before?
 *
 * A run enters with one figure: the mean time of a rank in the segment, over all times and ranks.
 * Each time is measured by one rank's clock alone, so that clocks do not matter; the waiting it
 * caused (causes/) rests on the common one. A segment is compared if it takes, or makes ranks wait
 * for, at least a hundredth of their time in some run. */
#ifndef SYN_DIFF_SEGMENTS_H
#define SYN_DIFF_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/replay/replay.h"
#include "analyze/stats/samples/compare.h"

/* One side's part. Arrays are owned. */
struct syn_segment_half {
    char *from, *to;   /* sites; from NULL: before the first call; of a call both its own */
    double *run_ns;    /* [run_count] a time, of the runs that have it */
    double *run_times; /* [run_count] of all ranks */
    uint64_t *run;     /* [run_count] their numbers, ascending */
    size_t run_count;  /* 0: this side does not have it */
    double *rank_ns; /* [rank_count][rank_stride] likewise of each rank; NAN: it was never there */
    double *rank_times; /* likewise */
    size_t rank_stride;
    int32_t rank_count; /* 0 where runs have different ones */
    double median, ci_low, ci_high;
    double times;      /* that a rank was there in a run, mean */
    double time_share; /* of the ranks' time, mean over all runs */
    double *waiting;   /* [waiting_count] caused, as a share of the ranks' time, of each run */
    uint64_t *waiting_run;
    size_t waiting_count;
    double waiting_bound; /* what clocks may move in a run's share, the largest */
};

struct syn_segment {
    enum syn_part part;
    const char *op;                  /* of a call, not owned; NULL: between calls */
    const char *phase;               /* not owned; "" none */
    bool line_differs;               /* the sides have it in other lines of the same functions */
    struct syn_segment_half half[2]; /* A, B */
    struct syn_shift ratio;          /* B/A; NANs where the runs are too few, or on one side only */
    struct syn_wilcoxon test;
    double p_adjusted, least_p; /* over all segments; NAN: not tested */
    enum syn_verdict verdict;
    bool every_rank; /* each rank changed to that side, its interval says; else: */
    int32_t *rank;   /* [rank_count], those which did, owned; none: it cannot be said */
    size_t rank_count;
    double change_ns;       /* of a run by that, on the mean of the ranks: B - A */
    double waiting[2];      /* medians */
    struct syn_shift waits; /* B - A of the waiting caused */
    struct syn_wilcoxon waits_test;
    double waits_p_adjusted; /* over all segments; NAN: not tested */
};

struct syn_diff_segments {
    struct syn_segment *item; /* [count], owned: slower, faster, others, each by change_ns */
    size_t count;
    size_t verdict_count[SYN_VERDICT_INDISTINGUISHABLE + 1]; /* of those on both sides */
    size_t both_count;
};

static inline bool syn_segment_is_on_both(const struct syn_segment *segment)
{
    return segment->half[0].run_count > 0 && segment->half[1].run_count > 0;
}

#endif
