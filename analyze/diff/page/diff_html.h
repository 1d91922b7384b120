/* analyze/diff/page/diff_html.h - the parts of the page of a comparison. */
#ifndef SYN_DIFF_HTML_H
#define SYN_DIFF_HTML_H

#include "analyze/diff/diff.h"
#include "analyze/doc/doc.h"

/* Sections of the page; `facts` is a struct syn_diff. */
/* Every run as a point, and the ratio by size. */
void syn_diff_html_plots(struct syn_doc *doc, const void *facts);
/* The difference that B makes at each quantile, for the first groups. */
void syn_diff_html_quantiles(struct syn_doc *doc, const void *facts);

#endif
