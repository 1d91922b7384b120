/* analyze/report/left_out.h - selects the figures that a report for people reads. The others take
 * as long to compute; for 10^4 groups longer than the report shows. */
#ifndef SYN_LEFT_OUT_H
#define SYN_LEFT_OUT_H

#include "analyze/report/findings/report.h"

/* Once all groups are there. Nothing is left out unless the options say so. */
struct syn_left_out syn_report_left_out(const struct syn_report *report);
/* The share of the ranks' time from which on causes are told (syn_findings_make); 0: all are. */
double syn_report_told_share(const struct syn_report_options *options);

#endif
