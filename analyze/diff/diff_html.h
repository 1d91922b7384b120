/* analyze/diff/diff_html.h - the parts of the page of a comparison. */
#ifndef SYN_DIFF_HTML_H
#define SYN_DIFF_HTML_H

#include "analyze/diff/diff.h"

/* Every run as a point, and the ratio by size. */
void syn_diff_html_plots(const struct syn_diff *diff, struct syn_text *out);
/* What B adds at each quantile, of the first groups. */
void syn_diff_html_quantiles(const struct syn_diff *diff, struct syn_text *out);

#endif
