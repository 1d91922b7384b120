/* analyze/report/formats/figure_rows.c - expands the lists of figures to tables. */
#include "analyze/report/formats/figure_rows.h"

#include "analyze/match/groups/groups.h"
#include "analyze/print/figures/figure_tables.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/findings/efficiency_rows.h"
#include "analyze/report/findings/message_lines.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/segments.h"
#include "analyze/report/sections/time_slices.h"

#include "analyze/hang/hang.def"
#include "analyze/match/match.def"
#include "analyze/report/figures/figures.def"
#include "analyze/report/findings/report.def"

const struct syn_figure_object *const syn_report_object = &report_object;
