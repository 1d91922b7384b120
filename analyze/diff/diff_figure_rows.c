/* analyze/diff/diff_figure_rows.c - the list of a diff's figures as tables. */
#include "analyze/diff/diff_figure_rows.h"

#include "analyze/diff/diff.h"
#include "analyze/print/figure_tables.h"

#include "analyze/diff/diff.def"

const struct syn_figure_object *const syn_diff_object = &diff_object;
