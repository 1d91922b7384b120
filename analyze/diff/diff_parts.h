/* analyze/diff/diff_parts.h - the steps of a diff, in their order. Each returns 0 or SYN_ENOMEM. */
#ifndef SYN_DIFF_PARTS_H
#define SYN_DIFF_PARTS_H

#include "analyze/diff/diff.h"

/* Groups of the sides to each other: fills group (names and parts) and only. */
int syn_diff_match_groups(struct syn_diff *diff);
/* Did the clocks of a side's run, by its number, run otherwise than any correction explains? */
bool syn_diff_run_is_lost(const struct syn_report *side, uint64_t run);
/* Takes the parts out that rest on such clocks. side 0: A, 1: B. */
void syn_diff_leave_lost(const struct syn_diff *diff, int side, struct syn_diff_half *half);
/* Sorts a side's figures by run, within one in the side's order. */
void syn_diff_sort_by_run(const struct syn_figures **part, size_t count);
/* Runs to figures: run_value, run, median, interval, clock bound. */
int syn_diff_sample(const struct syn_diff *diff, struct syn_diff_half *half);
/* The median of runs' figures and its interval. Returns 0 or SYN_ENOMEM. */
int syn_diff_find_median(const struct syn_diff *diff, const double *value, size_t count,
                         struct syn_diff_median *out);
/* One figure a run, of the runs that have one, ascending in run. Begin returns 0 or SYN_ENOMEM;
 * free in any case. */
struct syn_diff_values {
    double *value; /* [count], owned */
    uint64_t *run; /* [count], owned */
    size_t count;
};
int syn_diff_values_begin(struct syn_diff_values *values, size_t capacity);
void syn_diff_values_add(struct syn_diff_values *values, uint64_t run, double value);
void syn_diff_values_free(struct syn_diff_values *values);
/* Tests the runs of B against those of A. change: B - A (syn_hodges_lehmann) or B/A (syn_ratio);
 * its interval and *p, not yet adjusted, are NAN where the runs are too few. Returns 0 or
 * SYN_ENOMEM. */
typedef int (*syn_diff_shift_of)(const double *b, size_t nb, const double *a, size_t na,
                                 double confidence, struct syn_shift *out);
int syn_diff_test_runs(const struct syn_diff *diff, const struct syn_diff_values *a,
                       const struct syn_diff_values *b, syn_diff_shift_of shift_of,
                       struct syn_wilcoxon *test, struct syn_shift *change, double *p);
/* The verdict (compare.h) on such a test; least_p NAN: not known. */
int syn_diff_find_verdict(const struct syn_diff *diff, const struct syn_diff_values *a,
                          const struct syn_diff_values *b, const struct syn_shift *ratio,
                          double least_p, double p_adjusted, double delta, enum syn_verdict *out);
/* Tests, adjustment, verdicts, order. */
int syn_diff_judge(struct syn_diff *diff);
/* The run time and the time in collectives of the sides' runs, and their efficiencies. */
int syn_diff_compare_totals(struct syn_diff *diff);
/* NAN for none, or no memory. */
double syn_diff_median_of(const double *value, size_t count);
/* Segments: the ranks' time between calls. find makes their list, compare tests them. */
int syn_diff_find_segments(const struct syn_diff *diff, struct syn_diff_segments *out);
int syn_diff_compare_segments(struct syn_diff *diff);
void syn_diff_segments_free(struct syn_diff_segments *segments);
/* The share of waiting, of each group and of all collectives together. */
int syn_diff_compare_waiting(struct syn_diff *diff);
/* The quantiles options.tau of each group. */
int syn_diff_compare_quantiles(struct syn_diff *diff);
/* Quantile regression on all instances of a group, at the quantiles effect[i].tau. Returns 0,
 * SYN_EINVAL where the metric is none of an instance, SYN_ENOMEM. */
int syn_diff_quantile_curve(const struct syn_diff *diff, const struct syn_diff_group *group,
                            struct syn_quantile_effect *effect, size_t count);
/* Counts the claims about two sides of one program. */
int syn_diff_count_false_positives(struct syn_diff *diff);

/* One figure a run and row, for tests over all rows at once. x [count][run_count[0] +
 * run_count[1]], NAN where a run has none. */
struct syn_diff_rows {
    double *x;
    size_t count, run_count[2];
    uint64_t *run[2]; /* ascending */
};
/* Begin returns 0 or SYN_ENOMEM; free in any case. */
int syn_diff_rows_begin(const struct syn_diff *diff, size_t count, struct syn_diff_rows *rows);
void syn_diff_rows_free(struct syn_diff_rows *rows);
/* run, value [count]: of side 0 (A) or 1. */
void syn_diff_rows_put(struct syn_diff_rows *rows, size_t row, int side, const uint64_t *run,
                       const double *value, size_t count);

/* Adjusts p in place by diff->adjust: one for each row, `stride` bytes from one to the next. NANs
 * are not tested, and stay. of_ratios: maxT takes logarithms of rows without a value of 0 or below.
 * Of maxT: own [rows->count] and how, each or NULL. Returns 0 or SYN_ENOMEM. */
int syn_diff_adjust(const struct syn_diff *diff, struct syn_diff_rows *rows, bool of_ratios,
                    double *p, size_t stride, struct syn_maxt_row *own, struct syn_maxt *how);
/* Adjusts the least p that tests could have had, likewise; leaves them as they are for maxT. */
int syn_diff_adjust_least(const struct syn_diff *diff, double *least_p, size_t stride,
                          size_t count);

/* 1 - confidence, and the level of the two-sided interval that belongs to it: twice that of a
 * one-sided test. */
double syn_diff_alpha(const struct syn_diff *diff);
double syn_diff_table_alpha(const struct syn_diff *diff);
/* Have two such numbers of runs what it takes for any test to claim something? */
bool syn_diff_runs_suffice(const struct syn_diff *diff, size_t a_runs, size_t b_runs);

/* All instances of a half in ascending order, as if they were of one run, and how dependent they
 * are: the largest dependence factor of a run. sorted for the caller to free. */
struct syn_diff_pool {
    double *sorted;
    size_t n;
    double phi;
};
int syn_diff_pool(const struct syn_diff *diff, const struct syn_diff_half *half,
                  struct syn_diff_pool *out);

/* The metric of all instances of a half, run by run: values [start[run_count]], start [run_count +
 * 1], both for the caller to free. SYN_EINVAL for wait_share, which instances do not have. */
int syn_diff_instances(const struct syn_diff *diff, const struct syn_diff_half *half,
                       double **values, size_t **start);

#endif
