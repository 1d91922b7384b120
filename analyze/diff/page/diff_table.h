/* analyze/diff/page/diff_table.h - the groups of a diff as tables: sections of the page; `facts` is
 * a struct syn_diff. */
#ifndef SYN_DIFF_TABLE_H
#define SYN_DIFF_TABLE_H

#include "analyze/doc/doc.h"

/* The groups, in the text by verdict and with the quantiles that were asked for. */
void syn_diff_groups(struct syn_doc *doc, const void *facts);
/* The quantiles as a table of HTML. Nothing where none are asked for. */
void syn_diff_html_other_quantiles(struct syn_doc *doc, const void *facts);

#endif
