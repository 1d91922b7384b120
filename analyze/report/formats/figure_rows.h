/* analyze/report/formats/figure_rows.h - the figures of a report as tables of rows. */
#ifndef SYN_FIGURE_ROWS_H
#define SYN_FIGURE_ROWS_H

#include "analyze/print/figures/figure_row.h"

/* The object of `report --format json`. All other objects are inside of it. */
extern const struct syn_figure_object *const syn_report_object;

#endif
