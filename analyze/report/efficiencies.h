/* analyze/report/efficiencies.h - efficiencies by the keys of --by, as they are printed.
 * docs/methods-causes.md has the definitions. */
#ifndef SYN_EFFICIENCIES_H
#define SYN_EFFICIENCIES_H

#include "analyze/print/json.h"
#include "analyze/report/report_page.h"

/* "efficiencies" of a run, inside its object: by the keys of --by, of those by default op and site.
 */
void syn_report_efficiencies_json(struct syn_json *json, const struct syn_report *report,
                                  const struct syn_run_facts *run);
/* A section: where other keys than those by default were asked for, or the program has phases. */
void syn_report_efficiencies_section(struct syn_doc *doc, const void *facts);

#endif
