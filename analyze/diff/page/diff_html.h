/* analyze/diff/page/diff_html.h - sections of the page of a comparison, and the groups as tables in
 * every format. `facts` is a struct syn_diff. */
#ifndef SYN_DIFF_HTML_H
#define SYN_DIFF_HTML_H

#include "analyze/diff/diff.h"
#include "analyze/doc/doc.h"

/* Every run as a point, and the ratio by size. */
void syn_diff_html_plots(struct syn_doc *doc, const void *facts);
/* The difference that B makes at each quantile, for the first groups. */
void syn_diff_html_quantiles(struct syn_doc *doc, const void *facts);

/* The groups, in the text by verdict and with the quantiles that were asked for. */
void syn_diff_groups(struct syn_doc *doc, const void *facts);
/* The quantiles as a table of HTML. Nothing where none are asked for. */
void syn_diff_html_other_quantiles(struct syn_doc *doc, const void *facts);

#endif
