/* analyze/report/time_slices.h - `report --by time`: slices of the run's time, how much ranks
 * waited in each, and for whom. docs/reports.md has the columns. */
#ifndef SYN_TIME_SLICES_H
#define SYN_TIME_SLICES_H

#include "analyze/print/json.h"
#include "analyze/report/report_page.h"

/* In the place of the table of groups; of the first run, in no more rows than options.top says. */
void syn_report_time_table(struct syn_doc *doc, const struct syn_report *report);
/* A header, and a line a slice (and rank, with options.rows_by_rank) of every run, in order. */
void syn_report_time_csv(const struct syn_report *report, struct syn_text *text);
/* "time" of a run, inside its object. */
void syn_report_time_json(struct syn_json *json, const struct syn_report *report,
                          const struct syn_run_facts *run);

#endif
