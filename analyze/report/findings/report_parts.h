/* analyze/report/findings/report_parts.h - answers that the formats for people show: shares of
 * time, late ranks, the table. */
#ifndef SYN_REPORT_PARTS_H
#define SYN_REPORT_PARTS_H

#include "analyze/doc/doc.h"
#include "analyze/report/findings/report.h"

enum syn_share {
    SYN_SHARE_INSIDE,        /* in collectives */
    SYN_SHARE_WAITING,       /* of that, before the last rank had arrived */
    SYN_SHARE_OPERATING,     /* of that, afterwards */
    SYN_SHARE_INCOMPLETE,    /* of that, in calls that lack members */
    SYN_SHARE_MESSAGES,      /* in messages, one-sided calls too; 0 where they were not recorded */
    SYN_SHARE_LATE_SENDER,   /* of that, of messages that are events: receives, for senders */
    SYN_SHARE_LATE_RECEIVER, /* sends, for receivers */
    SYN_SHARE_TRANSFER,      /* the rest of these */
    SYN_SHARE_FINALIZE,      /* in MPI_Finalize, before the run's end; 0 where not known */
    SYN_SHARE_OUTSIDE,       /* in none of these */
    SYN_SHARE_CLASS          /* + class: in collectives of that class */
};

struct syn_share_figures {
    double mean_ns; /* over the ranks; of several runs: the median of the runs' means */
    double of_run; /* of all threads' time, likewise; NAN where calls that overlap add up to more */
    double low_ns,
        high_ns; /* extremes: of the ranks, or of the runs' means; NAN where there is but one */
    unsigned low_at, high_at; /* rank or run number */
    bool over_runs;
};
/* The share in one run, over its ranks. */
struct syn_share_figures syn_share_over_ranks(const struct syn_run_facts *run,
                                              enum syn_share which);
/* The time of one rank, in ns. */
double syn_share_of_rank(const struct syn_run_facts *run, int32_t rank, enum syn_share which);
/* The share in the report: one run's over its ranks, or over the runs. */
struct syn_share_figures syn_report_share(const struct syn_report *report, enum syn_share which);
/* Were some of the ranks that ran left out by --ranks? Then nobody knows how long the others waited
 * for them. */
bool syn_report_is_cut(const struct syn_run_facts *run);
/* Does that hold of any run? */
bool syn_report_any_is_cut(const struct syn_report *report);
/* Recorded ranks, summed over runs. */
double syn_report_recorded_ranks(const struct syn_report *report);
/* A line of "Where the time went". Its level says what it is part of: the run, the time in
 * collectives or messages, or both waiting and operations. */
enum syn_share_level { SYN_SHARE_OF_RUN, SYN_SHARE_OF_CALLS, SYN_SHARE_OF_PARTS };
struct syn_share_line {
    const char *name;
    enum syn_share_level level;
    struct syn_share_figures share;
};
/* Find the next line; *at is 0 before the first. Returns false behind the last one. */
bool syn_report_share_line(const struct syn_report *report, size_t *at, struct syn_share_line *out);

/* Share of the time in collectives. A group with less is not worth a line among the answers. */
#define SYN_SHARE_THAT_MATTERS 0.01

/* Summed over ranks, runs and groups: time inside MPI. */
double syn_report_time_in_groups(const struct syn_report *report);
/* Summed over ranks and runs: waiting time, and how much of it the clocks' errors may make up (NAN:
 * unknown). */
double syn_report_waiting_ns(const struct syn_report *report);
/* A sentence where a rank's calls overlap, so that its time in collectives may be more than its
 * run: of several threads, or nonblocking ones. NULL: nothing of that kind. */
const char *syn_report_counted_together(const struct syn_report *report);
double syn_report_waiting_bound_ns(const struct syn_report *report);
/* Do collectives of any run contradict its times, as they are now? Then the bound above is NaN. */
bool syn_report_clocks_lost(const struct syn_report *report);
/* syn_clocks_can_order of all runs. */
bool syn_report_clocks_can_order(const struct syn_report *report);
/* Did the clocks of any run not run as they were measured, mended or not? */
bool syn_report_clocks_wrong(const struct syn_report *report);
/* syn_clocks_verdict of the worst run, "as measured" where none is wrong and
 * all were compared. */
const char *syn_report_clocks_verdict(const struct syn_report *report);

/* A rank that came last more often than by chance, over all runs. */
struct syn_late_rank {
    int32_t rank;
    const struct syn_rank_facts *facts; /* of its first run: where it ran */
    uint64_t instance_count, last_count;
    double expected_last, caused_ns;
    double p;              /* of a single run; NAN of several */
    size_t run_count;      /* runs that it took part in, and */
    size_t late_run_count; /* those in which p < 0.05 */
};
/* Ranks for which that holds (Holm, p < 0.05) and in all of them together, in at least half of the
 * runs, those that cost most waiting first. *found counts them all. Returns how many are in late
 * [capacity]. */
size_t syn_report_late_ranks(const struct syn_report *report, struct syn_late_rank *late,
                             size_t capacity, size_t *found);
/* Share of the instances whose last two came closer together than the clocks' bound. NAN without
 * instances. */
double syn_report_unsure_share(const struct syn_report *report);

/* Parts of the table that need words to explain them. */
enum syn_table_columns {
    SYN_TABLE_NP = 1 << 0,
    SYN_TABLE_INTERVAL = 1 << 1,
    SYN_TABLE_P99 = 1 << 2,
    SYN_TABLE_SPREAD = 1 << 3,
    SYN_TABLE_WAIT = 1 << 4,
    SYN_TABLE_LATE = 1 << 5,
    SYN_TABLE_PARTS = 1 << 6,       /* communicators that go by their first rank */
    SYN_TABLE_BELOW_CLOCK = 1 << 7, /* times that the clocks cannot tell */
};
/* Returns what it shows. */
unsigned syn_report_table(const struct syn_report *report, const struct syn_terminal *terminal,
                          struct syn_text *text);

/* The typical run stands for the others where one is shown: its time is nearest to the median. The
 * first of several that are as near; a single run itself. */
const struct syn_run_facts *syn_report_typical(const struct syn_report *report);
/* `title`, with " (run 4, the nearest to the median)" where there are several runs. */
void syn_report_typical_title(const struct syn_report *report, const char *title,
                              struct syn_text *out);
/* Runs that took more than half again as long as the median run, or less than two thirds: "Run 1
 * (8.45 s) lies far from the median run time, 970 ms." Nothing where there are none, or two runs.
 */
void syn_report_far_runs(const struct syn_report *report, struct syn_text *out);

/* The section of the page (facts: the report); nothing where all runs ended and agree. */
void syn_report_hang_section(struct syn_doc *doc, const void *facts);
/* Was enough seen of each run to say why ranks waited? Too little: a typical run of less than a
 * millisecond; a run that did not end and was recorded for less than a second, or for less time
 * than its last waits took. */
bool syn_report_has_seen_enough(const void *facts);

#endif
