/* analyze/report/report_hang.h - the beginning of a report of a run that did not end, or whose
 * ranks did not make the same calls. */
#ifndef SYN_REPORT_HANG_H
#define SYN_REPORT_HANG_H

#include "analyze/doc/doc.h"
#include "analyze/report/report.h"

/* The section of the page (facts: the report); nothing where all runs ended and agree. */
void syn_report_hang_section(struct syn_doc *doc, const void *facts);
/* Was enough seen of each run to say why ranks waited? A run that did not end and was recorded for
 * less than a second, or for less time than its last waits took, says too little. */
bool syn_report_has_seen_enough(const void *facts);

#endif
