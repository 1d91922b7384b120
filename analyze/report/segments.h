/* analyze/report/segments.h - `report --by segment`: what ranks do between their calls, all of it,
 * the longest first. docs/reports.md has the columns. */
#ifndef SYN_REPORT_SEGMENTS_H
#define SYN_REPORT_SEGMENTS_H

#include "analyze/print/json.h"
#include "analyze/report/report_page.h"

/* In the place of the table of groups; of the first run. */
void syn_report_segments_table(struct syn_doc *doc, const struct syn_report *report);
/* A header, and a line a segment (and rank, with options.rows_by_rank) of every run. */
void syn_report_segments_csv(const struct syn_report *report, struct syn_text *text);
/* "segments" of a run, inside its object. */
void syn_report_segments_json(struct syn_json *json, const struct syn_report *report,
                              const struct syn_run_facts *run);

#endif
