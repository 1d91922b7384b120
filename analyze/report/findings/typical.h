/* analyze/report/findings/typical.h - the run of an experiment that stands for the others where one
 * run is shown: the one whose time is nearest to the median. */
#ifndef SYN_TYPICAL_H
#define SYN_TYPICAL_H

#include "analyze/report/findings/report.h"

/* The first of several that are as near; a single run itself. */
const struct syn_run_facts *syn_report_typical(const struct syn_report *report);
/* `title`, with " (run 4, the nearest to the median)" where there are several runs. */
void syn_report_typical_title(const struct syn_report *report, const char *title,
                              struct syn_text *out);
/* Runs that took more than half again as long as the median run, or less than two thirds: "Run 1
 * (8.45 s) lies far from the median run time, 970 ms." Nothing where there are none, or two runs.
 */
void syn_report_far_runs(const struct syn_report *report, struct syn_text *out);

#endif
