/* analyze/diff/diff_figure_rows.h - the rows of a diff's figures as a table. */
#ifndef SYN_DIFF_FIGURE_ROWS_H
#define SYN_DIFF_FIGURE_ROWS_H

#include "analyze/print/figure_row.h"

/* What `diff --format json` writes; all else is inside. */
extern const struct syn_figure_object *const syn_diff_object;

#endif
