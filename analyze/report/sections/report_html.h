/* analyze/report/sections/report_html.h - the parts of the report's page. */
#ifndef SYN_REPORT_HTML_H
#define SYN_REPORT_HTML_H

#include "analyze/report/findings/rank_time.h"
#include "analyze/report/sections/report_page.h"

/* The problems of the run, and how bad they are: in words and colour. */
void syn_report_html_verdict(struct syn_doc *doc, const void *facts);
/* Draw, of the typical run, what each rank made others wait for, by cause; ranks x time; where each
 * rank's time went. */
void syn_report_html_causes(struct syn_doc *doc, const void *facts);
void syn_report_html_rank_time(struct syn_doc *doc, const void *facts);
void syn_report_html_time_bars(struct syn_doc *doc, const void *facts);
/* The clocks of the first run, against rank 0's. */
void syn_report_html_clocks(struct syn_doc *doc, const void *facts);
/* Messages: the table, and who sends to whom. */
void syn_report_messages_section(struct syn_doc *doc, const void *facts);
void syn_report_html_messages(struct syn_doc *doc, const void *facts);
/* The table, of as many groups as --top says. */
void syn_report_html_groups(struct syn_doc *doc, const void *facts);
/* Medians by size, for groups that differ in their bytes only; nothing if there are none. */
void syn_report_html_sizes(struct syn_doc *doc, const void *facts);
/* Pictures of the series of groups of weight. */
void syn_report_html_series(struct syn_doc *doc, const void *facts);

#endif
