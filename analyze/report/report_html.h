/* analyze/report/report_html.h - the parts of the report's page. */
#ifndef SYN_REPORT_HTML_H
#define SYN_REPORT_HTML_H

#include "analyze/report/rank_time.h"
#include "analyze/report/report_writer.h"

/* What is wrong, and how bad: in words and colour. */
void syn_report_html_verdict(const struct syn_report *report, struct syn_text *out);
/* Of the typical run: what each rank made others wait for, by cause; ranks x time; where each
 * rank's time went. */
void syn_report_html_causes(const struct syn_report *report, struct syn_text *out);
void syn_report_html_rank_time(const struct syn_report *report, struct syn_text *out);
void syn_report_html_time_bars(const struct syn_report *report, struct syn_text *out);
/* Of the first run: how clocks ran against rank 0's. */
void syn_report_html_clocks(const struct syn_report *report, struct syn_text *out);
/* The table, of as many groups as --top says. */
void syn_report_html_groups(const struct syn_report *report, struct syn_text *out);
/* Of groups that differ in their bytes only: medians by size; nothing where there are none. */
void syn_report_html_sizes(const struct syn_report *report, struct syn_text *out);
/* Pictures of the series of groups of weight. */
void syn_report_html_series(const struct syn_report *report, struct syn_text *out);

#endif
