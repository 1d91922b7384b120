/* analyze/report/sections/report_html.h - the sections of a report's HTML page. */
#ifndef SYN_REPORT_HTML_H
#define SYN_REPORT_HTML_H

#include "analyze/report/findings/rank_time.h"
#include "analyze/report/sections/report_page.h"

/* Writes the problems of the run, and how bad they are, in words and colour. */
void syn_report_html_verdict(struct syn_doc *doc, const void *facts);
/* These draw the typical run: what each rank made others wait for, by cause; ranks x time; where
 * each rank's time went. */
void syn_report_html_causes(struct syn_doc *doc, const void *facts);
void syn_report_html_rank_time(struct syn_doc *doc, const void *facts);
void syn_report_html_time_bars(struct syn_doc *doc, const void *facts);
/* Draws the clocks of the first run against rank 0's. */
void syn_report_html_clocks(struct syn_doc *doc, const void *facts);
/* syn_report_messages_section writes the table of messages. syn_report_html_messages draws which
 * rank sends to which. */
void syn_report_messages_section(struct syn_doc *doc, const void *facts);
void syn_report_html_messages(struct syn_doc *doc, const void *facts);
/* Writes the table of groups, with as many rows as --top says. */
void syn_report_html_groups(struct syn_doc *doc, const void *facts);
/* Draws medians by size, for groups that differ in their bytes only. Draws nothing if there are
 * none. */
void syn_report_html_sizes(struct syn_doc *doc, const void *facts);
/* Draws the series of groups with enough of the time. */
void syn_report_html_series(struct syn_doc *doc, const void *facts);

#endif
