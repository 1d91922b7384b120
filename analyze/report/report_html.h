/* analyze/report/report_html.h - the parts of the report's page. */
#ifndef SYN_REPORT_HTML_H
#define SYN_REPORT_HTML_H

#include "analyze/report/rank_time.h"
#include "analyze/report/report_page.h"

/* What is wrong, and how bad: in words and colour. */
void syn_report_html_verdict(struct syn_doc *doc, const void *facts);
/* Draw, of the typical run, what each rank made others wait for, by cause; ranks x time; where each
 * rank's time went. */
void syn_report_html_causes(struct syn_doc *doc, const void *facts);
void syn_report_html_rank_time(struct syn_doc *doc, const void *facts);
void syn_report_html_time_bars(struct syn_doc *doc, const void *facts);
/* Of the first run: how clocks ran against rank 0's. */
void syn_report_html_clocks(struct syn_doc *doc, const void *facts);
/* The table, of as many groups as --top says. */
void syn_report_html_groups(struct syn_doc *doc, const void *facts);
/* Of groups that differ in their bytes only: medians by size; nothing where there are none. */
void syn_report_html_sizes(struct syn_doc *doc, const void *facts);
/* Pictures of the series of groups of weight. */
void syn_report_html_series(struct syn_doc *doc, const void *facts);

#endif
