/* analyze/diff/diff_parts.h - declares the steps of a diff. A function returns 0 or SYN_ENOMEM
 * unless its comment says otherwise. */
#ifndef SYN_DIFF_PARTS_H
#define SYN_DIFF_PARTS_H

#include "analyze/diff/diff.h"

/* Matches the groups of both sides. Fills diff->group (names and parts) and diff->only. */
int syn_diff_match_groups(struct syn_diff *diff);
/* Says whether the clocks of a side's run are wrong beyond any correction. `run`: its number. */
bool syn_diff_run_is_lost(const struct syn_report *side, uint64_t run);
/* Removes the parts of a half that rest on such clocks. side 0: A, 1: B. */
void syn_diff_leave_lost(const struct syn_diff *diff, int side, struct syn_diff_half *half);
/* Sorts figures by run; within a run they stay in the side's order. */
void syn_diff_sort_by_run(const struct syn_figures **part, size_t count);
/* Computes the values of a half's runs: run_value, run, median, clock_bound, instance_count. */
int syn_diff_sample(const struct syn_diff *diff, struct syn_diff_half *half);
/* Finds the median of the values and its interval. Returns 0 or SYN_ENOMEM. */
int syn_diff_find_median(const struct syn_diff *diff, const double *value, size_t count,
                         struct syn_diff_median *out);
/* One value for each run that has one, in order of run. syn_diff_values_begin returns 0 or
 * SYN_ENOMEM; free in any case. */
struct syn_diff_values {
    double *value; /* [count], owned */
    uint64_t *run; /* [count], owned */
    size_t count;
};
int syn_diff_values_begin(struct syn_diff_values *values, size_t capacity);
void syn_diff_values_add(struct syn_diff_values *values, uint64_t run, double value);
void syn_diff_values_free(struct syn_diff_values *values);
/* Tests the runs of B against those of A. change: B - A (syn_hodges_lehmann) or B/A (syn_ratio).
 * Its interval, and the unadjusted *p, are NAN if the runs are too few. Returns 0 or SYN_ENOMEM. */
typedef int (*syn_diff_shift_of)(const double *b, size_t nb, const double *a, size_t na,
                                 double confidence, struct syn_shift *out);
int syn_diff_test_runs(const struct syn_diff *diff, const struct syn_diff_values *a,
                       const struct syn_diff_values *b, syn_diff_shift_of shift_of,
                       struct syn_wilcoxon *test, struct syn_shift *change, double *p);
/* Finds the verdict (stats/samples/compare.h) for such a test; least_p NAN: not known. */
int syn_diff_find_verdict(const struct syn_diff *diff, const struct syn_diff_values *a,
                          const struct syn_diff_values *b, const struct syn_shift *ratio,
                          double least_p, double p_adjusted, double delta, enum syn_verdict *out);
/* Tests all groups, adjusts p, finds verdicts and sorts the groups. */
int syn_diff_judge(struct syn_diff *diff);
/* Compares run time, time in collectives, efficiencies and sums over messages of the sides'
 * runs. */
int syn_diff_compare_totals(struct syn_diff *diff);
/* Returns the median; NAN: no values, or no memory. */
double syn_diff_median_of(const double *value, size_t count);
/* Segments. find lists those of both sides, or the times in messages; compare lists and tests
 * both. */
int syn_diff_find_segments(const struct syn_diff *diff, bool of_messages,
                           struct syn_diff_segments *out);
int syn_diff_compare_segments(struct syn_diff *diff);
void syn_diff_segments_free(struct syn_diff_segments *segments);
/* Compares the shares of waiting: of each group, and of all collectives together. */
int syn_diff_compare_waiting(struct syn_diff *diff);
/* Compares the quantiles options.tau of each group. */
int syn_diff_compare_quantiles(struct syn_diff *diff);
/* Makes quantile regressions on all instances of a group, at the quantiles effect[i].tau. Returns
 * 0, SYN_EINVAL if instances do not have the metric, or SYN_ENOMEM. */
int syn_diff_quantile_curve(const struct syn_diff *diff, const struct syn_diff_group *group,
                            struct syn_quantile_effect *effect, size_t count);
/* Counts the differences that are claimed between two sides of one program. */
int syn_diff_count_false_positives(struct syn_diff *diff);

/* A table with one value for each row and run, for tests over all rows at once. x
 * [count][run_count[0] + run_count[1]]; NAN: the run has no value. */
struct syn_diff_rows {
    double *x;
    size_t count, run_count[2];
    uint64_t *run[2]; /* ascending */
};
/* Begins a table. Returns 0 or SYN_ENOMEM; free in any case. */
int syn_diff_rows_begin(const struct syn_diff *diff, size_t count, struct syn_diff_rows *rows);
void syn_diff_rows_free(struct syn_diff_rows *rows);
/* Puts the values of a side (0: A, 1: B) into a row: run and value [count]. */
void syn_diff_rows_put(struct syn_diff_rows *rows, size_t row, int side, const uint64_t *run,
                       const double *value, size_t count);

/* Adjusts p-values in place, by diff->adjust. There is one for each row, `stride` bytes apart; NANs
 * are not tested and stay. of_ratios: maxT takes logarithms of the rows whose values are all above
 * 0. own [rows->count] and how: results of maxT, or NULL. Returns 0 or SYN_ENOMEM. */
int syn_diff_adjust(const struct syn_diff *diff, struct syn_diff_rows *rows, bool of_ratios,
                    double *p, size_t stride, struct syn_maxt_row *own, struct syn_maxt *how);
/* Adjusts the smallest p possible of each test in the same way. Does nothing for maxT. */
int syn_diff_adjust_least(const struct syn_diff *diff, double *least_p, size_t stride,
                          size_t count);

/* Return 1 - confidence, and the level of the two-sided interval that belongs to it: twice that for
 * a one-sided test. */
double syn_diff_alpha(const struct syn_diff *diff);
double syn_diff_table_alpha(const struct syn_diff *diff);
/* Says whether a test of so many runs can claim anything. */
bool syn_diff_runs_suffice(const struct syn_diff *diff, size_t a_runs, size_t b_runs);

/* All instances of a half in ascending order, as if they were of one run. phi: the largest
 * dependence factor of a run. The caller frees `sorted`. */
struct syn_diff_pool {
    double *sorted;
    size_t n;
    double phi;
};
int syn_diff_pool(const struct syn_diff *diff, const struct syn_diff_half *half,
                  struct syn_diff_pool *out);

/* Lists the metric of all instances of a half, run by run: run r has values [start[r] .. start[r +
 * 1] - 1]. The caller frees both arrays. Returns SYN_EINVAL for wait_share, which instances do not
 * have. */
int syn_diff_instances(const struct syn_diff *diff, const struct syn_diff_half *half,
                       double **values, size_t **start);

#endif
