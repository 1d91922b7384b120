/* analyze/report/findings/report_hang.h - the section on a run that did not end, or whose ranks did
 * not make the same calls. A report begins with it. */
#ifndef SYN_REPORT_HANG_H
#define SYN_REPORT_HANG_H

#include "analyze/doc/doc.h"
#include "analyze/report/findings/report.h"

/* The section of the page (facts: the report); nothing where all runs ended and agree. */
void syn_report_hang_section(struct syn_doc *doc, const void *facts);
/* Was enough seen of each run to say why ranks waited? Too little: a typical run of less than a
 * millisecond; a run that did not end and was recorded for less than a second, or for less time
 * than its last waits took. */
bool syn_report_has_seen_enough(const void *facts);

#endif
