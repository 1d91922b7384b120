/* analyze/report/figure_rows.h - the rows of a report's figures as a table. */
#ifndef SYN_FIGURE_ROWS_H
#define SYN_FIGURE_ROWS_H

#include "analyze/print/figure_row.h"

/* What `report --format json` writes; all else is inside. */
extern const struct syn_figure_object *const syn_report_object;

#endif
