/* analyze/report/findings/rank_time.h - ranks x time of a run: who waited when, and who was waited
 * for; and by what each rank made others wait. From the bins that the causes are summed in. */
#ifndef SYN_RANK_TIME_H
#define SYN_RANK_TIME_H

#include "analyze/report/findings/facts.h"

/* Neighbours share a row where there are more ranks. */
#define SYN_RANK_TIME_ROWS 64
#define SYN_CAUSE_PARTS    4 /* computing, messages, off the processor, operation */

struct syn_rank_time {
    int32_t rank_count, ranks_per_row;
    uint32_t row_count, bin_count;
    double bin_ns;   /* the first bin begins with the run */
    double *waiting; /* [row_count][bin_count] ns, of the row's ranks */
    double *caused;  /* [row_count][bin_count] ns, of others, by the row's ranks; both
                        where in time they waited */
    double *useful;  /* [row_count][bin_count] ns, of the row's ranks outside of MPI */
    double (*by_part)[SYN_CAUSE_PARTS]; /* [rank_count] caused ns */
    double *caused_by, *path_ns;        /* [rank_count] caused; time on the critical path */
};

/* At most `rows` rows; 0: one for each rank. The causes' sums are settled. 0 or SYN_ENOMEM; free in
 * any case. */
int syn_rank_time_make(const struct syn_run_facts *run, size_t rows, struct syn_rank_time *out);
void syn_rank_time_free(struct syn_rank_time *time);

#endif
