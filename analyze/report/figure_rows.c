/* analyze/report/figure_rows.c - the lists of figures as tables. */
#include "analyze/report/figure_rows.h"

#include "analyze/match/groups.h"
#include "analyze/print/figure_tables.h"
#include "analyze/report/causes_words.h"
#include "analyze/report/details.h"
#include "analyze/report/efficiency_rows.h"
#include "analyze/report/segments.h"
#include "analyze/report/time_slices.h"

#include "analyze/hang/hang.def"
#include "analyze/match/match.def"
#include "analyze/report/figures.def"
#include "analyze/report/report.def"

const struct syn_figure_object *const syn_report_object = &report_object;
