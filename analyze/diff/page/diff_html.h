/* analyze/diff/page/diff_html.h - writes sections of the page of a comparison, and the table of
 * groups in each format. `facts` is a struct syn_diff. */
#ifndef SYN_DIFF_HTML_H
#define SYN_DIFF_HTML_H

#include "analyze/diff/diff.h"
#include "analyze/doc/doc.h"

/* Draws a point for each run, and the ratio by size. */
void syn_diff_html_plots(struct syn_doc *doc, const void *facts);
/* Draws the difference between A and B at each quantile, for the first groups. */
void syn_diff_html_quantiles(struct syn_doc *doc, const void *facts);

/* Writes the groups; in text by verdict, with the quantiles that were asked for. */
void syn_diff_groups(struct syn_doc *doc, const void *facts);
/* Writes which messages changed; nothing if no run has messages as events. */
void syn_diff_messages_section(struct syn_doc *doc, const void *facts);
/* Writes the quantiles as an HTML table; nothing if none were asked for. */
void syn_diff_html_other_quantiles(struct syn_doc *doc, const void *facts);

#endif
