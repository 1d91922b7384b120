/* analyze/report/findings/report_parts.h - answers that several formats for people show: shares of
 * time, late ranks, the table. */
#ifndef SYN_REPORT_PARTS_H
#define SYN_REPORT_PARTS_H

#include "analyze/doc/doc.h"
#include "analyze/report/findings/report.h"

enum syn_share {
    SYN_SHARE_INSIDE,      /* in collectives */
    SYN_SHARE_WAITING,     /* of INSIDE: before the last rank arrived */
    SYN_SHARE_OPERATING,   /* of INSIDE: afterwards */
    SYN_SHARE_INCOMPLETE,  /* of INSIDE: in calls that lack members */
    SYN_SHARE_MESSAGES,    /* in messages and one-sided calls; 0: not recorded */
    SYN_SHARE_LATE_SENDER, /* of MESSAGES, if recorded as events: receives that wait for senders */
    SYN_SHARE_LATE_RECEIVER, /* likewise: sends that wait for receivers */
    SYN_SHARE_TRANSFER,      /* likewise: the rest */
    SYN_SHARE_FINALIZE,      /* in MPI_Finalize, before the run's end; 0: unknown */
    SYN_SHARE_OUTSIDE,       /* in none of these */
    SYN_SHARE_CLASS          /* + class: in collectives of that class */
};

struct syn_share_figures {
    double mean_ns; /* mean over the ranks; with several runs the median of the runs' means */
    double of_run; /* share of all threads' time, likewise; NAN: overlapping calls add up to more */
    double low_ns,
        high_ns; /* extremes of the ranks, or of the runs' means; NAN: there is only one */
    unsigned low_at, high_at; /* rank, or run number */
    bool over_runs;
};
/* Returns a share in one run, over its ranks. */
struct syn_share_figures syn_share_over_ranks(const struct syn_run_facts *run,
                                              enum syn_share which);
/* Returns the time of one rank, in ns; NAN: unknown. */
double syn_share_of_rank(const struct syn_run_facts *run, int32_t rank, enum syn_share which);
/* Returns true if collectives, or time in messages, were recorded. */
bool syn_report_has_calls(const struct syn_report *report);
/* Returns true if it was recorded how long ranks waited. Sums of messages do not tell waiting from
 * transfer. */
bool syn_report_has_waiting(const struct syn_report *report);
/* Returns a share in the report: over the ranks of a single run, or over several runs. */
struct syn_share_figures syn_report_share(const struct syn_report *report, enum syn_share which);
/* Returns true if --ranks left out some ranks of the run. How long the others waited for these is
 * then unknown. */
bool syn_report_is_cut(const struct syn_run_facts *run);
/* Returns true if syn_report_is_cut of any run. */
bool syn_report_any_is_cut(const struct syn_report *report);
/* Returns the share of a run's time in collectives that is in instances that lack members; 0 if
 * that is too little of the run to matter. How long ranks waited in these is unknown. */
double syn_report_lacking_share(const struct syn_run_facts *run);
/* Returns true if that is most of the time in collectives: then the run's waiting is unknown. */
bool syn_report_mostly_lacks(const struct syn_run_facts *run);
/* Returns the number of recorded ranks, summed over runs. */
double syn_report_recorded_ranks(const struct syn_report *report);
/* A line of "Where the time went". Its level says what it is a share of: the run, the time in
 * collectives or messages, or waiting and operations together. */
enum syn_share_level { SYN_SHARE_OF_RUN, SYN_SHARE_OF_CALLS, SYN_SHARE_OF_PARTS };
struct syn_share_line {
    const char *name;
    enum syn_share_level level;
    struct syn_share_figures share;
};
/* Finds the next line and advances *at, which begins as 0. Returns false after the last line. */
bool syn_report_share_line(const struct syn_report *report, size_t *at, struct syn_share_line *out);

/* A group with a smaller share of the time in collectives is not worth a line. */
#define SYN_SHARE_THAT_MATTERS 0.01

/* Returns the time inside MPI, summed over ranks, runs and groups. */
double syn_report_time_in_groups(const struct syn_report *report);
/* syn_report_waiting_ns returns waiting time, summed over ranks and runs.
 * syn_report_waiting_bound_ns returns how much of it may be clock errors; NAN: unknown. */
double syn_report_waiting_ns(const struct syn_report *report);
/* Returns a sentence if calls of a rank overlap, in several threads or as nonblocking calls, so
 * that its time in collectives may exceed its run. NULL: no calls overlap. */
const char *syn_report_counted_together(const struct syn_report *report);
double syn_report_waiting_bound_ns(const struct syn_report *report);
/* Returns true if collectives of any run contradict its times in use. The bound above is then
 * NAN. */
bool syn_report_clocks_lost(const struct syn_report *report);
/* Returns true if syn_clocks_can_order holds for all runs. */
bool syn_report_clocks_can_order(const struct syn_report *report);
/* Returns true if the clocks of any run did not run as they were measured, corrected or not. */
bool syn_report_clocks_wrong(const struct syn_report *report);
/* Returns syn_clocks_verdict of the worst run: "as measured" if none is wrong and all were
 * compared. */
const char *syn_report_clocks_verdict(const struct syn_report *report);

/* A rank that came last more often than by chance, over all runs. */
struct syn_late_rank {
    int32_t rank;
    const struct syn_rank_facts *facts; /* facts of its first run: where it ran */
    uint64_t instance_count, last_count;
    double expected_last, caused_ns;
    double p;              /* of a single run; NAN with several */
    size_t run_count;      /* runs that it took part in */
    size_t late_run_count; /* of these: runs with p < 0.05 */
};
/* Finds ranks that came last more often than by chance with p < 0.05 (Holm) in at least half of
 * their runs, and more often than expected over all runs together. Writes those that cost most
 * waiting to late [capacity], the largest first. Returns how many were written. *found counts them
 * all. */
size_t syn_report_late_ranks(const struct syn_report *report, struct syn_late_rank *late,
                             size_t capacity, size_t *found);
/* Returns the share of instances whose last two ranks came closer together than the clock bound.
 * NAN without instances. */
double syn_report_unsure_share(const struct syn_report *report);

/* Parts of the table that need an explanation. */
enum syn_table_columns {
    SYN_TABLE_NP = 1 << 0,
    SYN_TABLE_INTERVAL = 1 << 1,
    SYN_TABLE_P99 = 1 << 2,
    SYN_TABLE_SPREAD = 1 << 3,
    SYN_TABLE_WAIT = 1 << 4,
    SYN_TABLE_LATE = 1 << 5,
    SYN_TABLE_PARTS = 1 << 6,       /* communicators named by their first rank */
    SYN_TABLE_BELOW_CLOCK = 1 << 7, /* times below the clocks' resolution */
};
/* Writes the table of groups. Returns the enum syn_table_columns that it shows. */
unsigned syn_report_table(const struct syn_report *report, const struct syn_terminal *terminal,
                          struct syn_text *text);

/* Returns the typical run, which represents the others: its time is nearest to the median. Of
 * several equally near runs the first; a single run itself. */
const struct syn_run_facts *syn_report_typical(const struct syn_report *report);
/* Appends `title`, and " (run 4, the nearest to the median)" if there are several runs. */
void syn_report_typical_title(const struct syn_report *report, const char *title,
                              struct syn_text *out);
/* Appends a sentence on runs that took more than 1.5 times as long as the median run, or less than
 * two thirds: "Run 1 (8.45 s) lies far from the median run time, 970 ms." Appends nothing if there
 * are none, or fewer than three runs. */
void syn_report_far_runs(const struct syn_report *report, struct syn_text *out);

/* Writes the page's section on runs that hang or whose ranks disagree. facts: the report. Writes
 * nothing if all runs ended and agree. */
void syn_report_hang_section(struct syn_doc *doc, const void *facts);
/* Returns true if enough was recorded of each run to say why ranks waited. Too little is: a typical
 * run of less than a millisecond; a run that did not end and was recorded for less than a second,
 * or for less time than its last waits took. */
bool syn_report_has_seen_enough(const void *facts);

#endif
