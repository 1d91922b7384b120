/* analyze/report/findings/rank_time.h - ranks x time of a run, from the bins of the causes: when
 * each rank waited, when others waited for it, and which of its activities made them wait. */
#ifndef SYN_RANK_TIME_H
#define SYN_RANK_TIME_H

#include "analyze/report/findings/facts.h"

/* Most rows of a picture; with more ranks, neighbours share a row. */
#define SYN_RANK_TIME_ROWS   64
#define SYN_CAUSE_CATEGORIES 4 /* computing, messages, off the processor, operation */

struct syn_rank_time {
    int32_t rank_count, ranks_per_row;
    uint32_t row_count, bin_count;
    double bin_ns;   /* the first bin begins when the run begins */
    double *waiting; /* [row_count][bin_count] ns: waiting of the row's ranks */
    double *caused;  /* [row_count][bin_count] ns: waiting of others for the row's ranks, in the bin
                        in which they waited */
    double *useful;  /* [row_count][bin_count] ns: the row's ranks outside of MPI */
    double (*by_category)[SYN_CAUSE_CATEGORIES]; /* [rank_count] ns: waiting of others for the rank,
                                           by its activity */
    double *caused_by,
        *path_ns; /* [rank_count] ns: sum of by_category; time on the critical path */
};

/* Makes at most `rows` rows; 0: one for each rank. The causes' sums must be settled. Returns 0 or
 * SYN_ENOMEM. The caller frees *out in any case. */
int syn_rank_time_make(const struct syn_run_facts *run, size_t rows, struct syn_rank_time *out);
void syn_rank_time_free(struct syn_rank_time *time);

#endif
