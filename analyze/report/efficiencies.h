/* analyze/report/efficiencies.h - efficiencies by the keys of --by, as they are printed.
 * docs/methods-causes.md has the definitions. */
#ifndef SYN_EFFICIENCIES_H
#define SYN_EFFICIENCIES_H

#include "analyze/report/report_page.h"

/* A section: where other keys than those by default were asked for, or the program has phases. */
void syn_report_efficiencies_section(struct syn_doc *doc, const void *facts);

#endif
