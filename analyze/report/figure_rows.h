/* analyze/report/figure_rows.h - the rows of a report's figures (print/figure_row.h) as tables:
 * what --sort looks a figure up in, and what docs/schema and docs/figures.md are written from. */
#ifndef SYN_FIGURE_ROWS_H
#define SYN_FIGURE_ROWS_H

#include "analyze/print/figure_row.h"

/* What `report --format json` writes; all else is inside. */
extern const struct syn_figure_object syn_report_object;

/* The row of that name, in an object or in what it spreads. NULL: none. */
const struct syn_figure_row *syn_figure_row_named(const struct syn_figure_object *object,
                                                  const char *name);
/* The value of a row that has a number as its member, in its structure. */
double syn_figure_row_value(const struct syn_figure_row *row, const void *structure);
/* Has it one? */
bool syn_figure_row_is_number(const struct syn_figure_row *row);

#endif
