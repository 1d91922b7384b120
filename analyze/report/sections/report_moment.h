/* analyze/report/sections/report_moment.h - call sites that become slower at one moment of the
 * first run. */
#ifndef SYN_REPORT_MOMENT_H
#define SYN_REPORT_MOMENT_H

#include "analyze/report/sections/report_page.h"

/* An item of *Why*: the moment that costs most, if it costs 1 % of the run. Returns whether there
 * is one. */
bool syn_report_moment(struct syn_doc *doc, const struct syn_report *report);
/* The groups whose steps are told there, into out [groups.count]. Returns how many. */
size_t syn_report_moment_groups(const struct syn_report *report, const struct syn_figures **out);

#endif
