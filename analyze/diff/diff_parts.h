/* analyze/diff/diff_parts.h - the steps of a diff, in their order. Each returns 0 or SYN_ENOMEM. */
#ifndef SYN_DIFF_PARTS_H
#define SYN_DIFF_PARTS_H

#include "diff.h"

/* Groups of the sides to each other: fills group (names and parts) and only. */
int syn_diff_match_groups(struct syn_diff *diff);
/* Runs to figures: run_value, median, interval, clock bound. */
int syn_diff_sample(const struct syn_diff *diff, struct syn_diff_half *half);
/* Tests, adjustment, verdicts, order. */
int syn_diff_judge(struct syn_diff *diff);
/* What is claimed of one program. */
int syn_diff_count_false_positives(struct syn_diff *diff);

/* The metric of all instances of a half, run by run: values [start[run_count]], start [run_count +
 * 1], both for the caller to free. SYN_EINVAL for wait_share, which instances do not have. */
int syn_diff_instances(const struct syn_diff *diff, const struct syn_diff_half *half,
                       double **values, size_t **start);

#endif
