/* analyze/report/efficiencies.h - efficiencies by phase, operation or call site: of all the time
 * that leads to such calls, and in them. docs/methods-causes.md has the definitions. */
#ifndef SYN_EFFICIENCIES_H
#define SYN_EFFICIENCIES_H

#include "analyze/print/json.h"
#include "analyze/report/report_writer.h"

/* "efficiencies" of a run, inside its object: by the keys of --by that calls have (op, site,
 * phase), or by phase where there is none of these. */
void syn_report_efficiencies_json(struct syn_json *json, const struct syn_report *report,
                                  const struct syn_run_facts *run);
/* A section: where no other keys were asked for, or the program has phases. */
void syn_report_efficiencies_section(const struct syn_report_writer *to);

#endif
