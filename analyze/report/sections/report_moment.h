/* analyze/report/sections/report_moment.h - finds call sites that become slower at one moment of
 * the typical run. */
#ifndef SYN_REPORT_MOMENT_H
#define SYN_REPORT_MOMENT_H

#include "analyze/report/sections/report_page.h"

/* Returns the share of the run that the most expensive moment costs; 0 if that is less than 1 %. */
double syn_report_moment_share(const struct syn_report *report);
/* Writes the moment as an item of *Why*, if there is one. */
void syn_report_moment(struct syn_doc *doc, const struct syn_report *report);
/* Writes the groups whose steps the item mentions to out [groups.count]. Returns how many. */
size_t syn_report_moment_groups(const struct syn_report *report, const struct syn_figures **out);

#endif
