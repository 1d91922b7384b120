/* analyze/record/until.h - when to stop adding runs: once what is read off them is known well
 * enough, or a budget is spent.
 *
 * RATIONALE: Hoefler & Belli 2015 (section 4.2.2) and Hoefler ("How many measurements") advise to
 * look after each measurement and to stop once the interval of the median is narrow. Intervals of a
 * fixed number of runs hold less often than they say if the runs choose when to look for the last
 * time; so this looks at an interval that holds however often one looks (stats/sequence.h), and
 * stops later. Measured: docs/experiments.md. */
#ifndef SYN_RECORD_UNTIL_H
#define SYN_RECORD_UNTIL_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/text.h"
#include "analyze/report/findings/facts.h"
#include "analyze/stats/series/sequence.h"

/* Runs (a side) at most, where --runs does not say. */
#define RECORD_UNTIL_RUNS 100

struct record_until {
    double share;      /* half the width that is narrow enough, of the median; 0: no such rule */
    double budget_s;   /* 0: none */
    double confidence; /* of the intervals */
};

/* The values of --until and --for: "2%", above 0; "90", "90s", "30m", "2h". Return 0 or SYN_EINVAL.
 */
#define RECORD_UNTIL_EXPECTED "a share such as 2% or 0.02, above 0 and below 1"
#define RECORD_FOR_EXPECTED   "a time such as 90s, 30m or 2h"
int record_time_parse(const char *value, double *out_s);
int record_until_take_share(struct record_until *until, const char *value);
int record_until_take_budget(struct record_until *until, const char *value);

/* One figure a run of each total; or B's over A's, one a pair of runs. */
struct record_series {
    double *value[SYN_TOTAL_COUNT]; /* [count] */
    size_t count;
};

/* Reads the times of the runs from the trace in `directory`, in nanoseconds. Returns 0, or negative
 * with *why a line (caller frees; NULL without memory). */
int record_totals_read(const char *directory, double total_ns[SYN_TOTAL_COUNT], char **why);

/* Returns 0 or SYN_ENOMEM. */
int record_series_add(struct record_series *series, const double value[SYN_TOTAL_COUNT]);
void record_series_free(struct record_series *series);
/* NANs where memory ran out. */
struct syn_sequence record_series_interval(const struct record_series *series, enum syn_total total,
                                           double confidence);

/* Are the intervals of both totals narrow enough? A total that is 0 throughout counts as known. */
bool record_until_is_reached(const struct record_until *until, const struct record_series *series);
/* Would another step like those made, in `spent_s` so far, end after the budget? */
bool record_until_is_spent(const struct record_until *until, double spent_s, size_t step_count);

/* "run time 1.23 s within 1.1 %, time in collectives 402 ms within 1.9 %"; of ratios: "run time
 * x1.03 within 1.1 %, ...". Appended. */
void record_until_words(const struct record_until *until, const struct record_series *series,
                        bool of_ratios, struct syn_text *out);

#endif
