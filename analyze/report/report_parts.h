/* analyze/report/report_parts.h - answers that the formats for people show: shares of time, late
 * ranks, the table. */
#ifndef SYN_REPORT_PARTS_H
#define SYN_REPORT_PARTS_H

#include "report.h"

enum syn_share {
    SYN_SHARE_INSIDE,   /* in collectives */
    SYN_SHARE_WAITING,  /* of that, before the last rank had arrived */
    SYN_SHARE_OPERATING /* of that, afterwards, and in instances that are incomplete */
};

struct syn_share_figures {
    double mean_ns; /* over the ranks; of several runs: the median of the runs' means */
    double of_run;  /* mean_ns over the run's duration, likewise */
    double low_ns,
        high_ns; /* extremes: of the ranks, or of the runs' means; NAN where there is but one */
    unsigned low_at, high_at; /* rank or run number */
    bool over_runs;
};
struct syn_share_figures syn_report_share(const struct syn_report *report, enum syn_share which);

/* Summed over ranks and runs: waiting time, and how much of it the clocks' errors may make up (NAN:
 * unknown). */
double syn_report_waiting_ns(const struct syn_report *report);
double syn_report_waiting_bound_ns(const struct syn_report *report);

struct syn_late_rank {
    const struct syn_rank_facts *facts;
    int32_t rank;
    uint32_t run;
    double run_waiting_ns; /* of all ranks of its run */
};
/* Ranks that came last more often than by chance (p < 0.05, Holm), those that cost most waiting
 * first. *found counts them all. Returns how many are in late [capacity]. */
size_t syn_report_late_ranks(const struct syn_report *report, struct syn_late_rank *late,
                             size_t capacity, size_t *found);
/* Share of the instances whose last two came closer together than the clocks' bound. NAN without
 * instances. */
double syn_report_unsure_share(const struct syn_report *report);
/* The rank that came last most often in a group, where that is more than chance; NULL where not. */
const struct syn_rank_figures *syn_report_latest(const struct syn_figures *figures);

void syn_report_table(const struct syn_report *report, const struct syn_terminal *terminal,
                      struct syn_text *text);

#endif
