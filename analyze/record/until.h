/* analyze/record/until.h - decides when to stop adding runs: once their figures are known well
 * enough, or a budget of time is spent.
 *
 * RATIONALE: Hoefler & Belli 2015 (section 4.2.2) and Hoefler ("How many measurements") advise to
 * look after each measurement and to stop once the confidence interval of the median is narrow. But
 * an interval for a fixed number of runs holds less often than its level says if the runs
 * themselves decide when to stop. So the rule uses an interval that holds however often one looks
 * (stats/series/sequence.h), and stops later. Measured: docs/experiments.md. */
#ifndef SYN_RECORD_UNTIL_H
#define SYN_RECORD_UNTIL_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/text.h"
#include "analyze/report/findings/facts.h"
#include "analyze/stats/series/sequence.h"

/* The most runs with --until, on each side, unless --runs gives another number. */
#define RECORD_UNTIL_RUNS 100

struct record_until {
    double share;    /* the interval may reach this share of the median to each side; 0: no rule */
    double budget_s; /* 0: none */
    double confidence; /* of the intervals */
};

/* Parse the values of --until and --for: "2%", above 0; "90", "90s", "30m", "2h". Return 0 or
 * SYN_EINVAL. */
#define RECORD_UNTIL_EXPECTED "a share such as 2% or 0.02, above 0 and below 1"
#define RECORD_FOR_EXPECTED   "a time such as 90s, 30m or 2h"
int record_time_parse(const char *value, double *out_s);
int record_until_take_share(struct record_until *until, const char *value);
int record_until_take_budget(struct record_until *until, const char *value);

/* A value of each total for each run; or, for each pair of runs, that of B over that of A. */
struct record_series {
    double *value[SYN_TOTAL_COUNT]; /* [count] */
    size_t count;
};

/* Reads the totals of a run from the trace in `directory`, in nanoseconds. Returns 0, or a negative
 * status with *why set to a line that the caller frees (NULL: no memory). */
int record_totals_read(const char *directory, double total_ns[SYN_TOTAL_COUNT], char **why);

/* Adds one value of each total. Returns 0 or SYN_ENOMEM. */
int record_series_add(struct record_series *series, const double value[SYN_TOTAL_COUNT]);
void record_series_free(struct record_series *series);
/* Returns the interval of a total's median; NANs if there is no memory. */
struct syn_sequence record_series_interval(const struct record_series *series, enum syn_total total,
                                           double confidence);

/* Says whether the intervals of both totals are narrow enough. A total that is always 0 counts as
 * known. */
bool record_until_is_reached(const struct record_until *until, const struct record_series *series);
/* Says whether another step, as long as the mean of those made in `spent_s`, would end after the
 * budget. */
bool record_until_is_spent(const struct record_until *until, double spent_s, size_t step_count);

/* Appends "run time 1.23 s within 1.1 %, time in collectives 402 ms within 1.9 %", or of ratios
 * "run time x1.03 within 1.1 %, ...". */
void record_until_words(const struct record_until *until, const struct record_series *series,
                        bool of_ratios, struct syn_text *out);

#endif
