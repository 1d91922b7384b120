/* analyze/report/causes_words.h - why somebody waited, in sentences and in JSON. */
#ifndef SYN_CAUSES_WORDS_H
#define SYN_CAUSES_WORDS_H

#include "analyze/print/json.h"
#include "analyze/report/report_writer.h"

/* One end of a segment: its site, as the report's other parts have it. */
void syn_cause_point(const struct syn_report *report, const struct syn_run_facts *run,
                     uint32_t point, struct syn_text *out);
/* The section "Why": what made ranks late, the largest first, and the efficiencies. */
void syn_report_why_section(const struct syn_report_writer *to);
/* What the machine explains: items of that section. Returns how many. */
size_t syn_report_machine_causes(const struct syn_report_writer *to,
                                 const struct syn_run_facts *run);
/* Number `kind` of what the machine may explain, in sentences (nothing where it does not), and what
 * to do then. False behind the last kind. */
bool syn_report_machine_words(const struct syn_report *report, const struct syn_run_facts *run,
                              size_t kind, struct syn_text *out, const char **next);
/* "machine" of a run, inside its object: ranks and load a processor of the worst node,
 * off_cpu_share and the warnings. */
void syn_report_machine_json(struct syn_json *json, const struct syn_report *report,
                             const struct syn_run_facts *run);
/* "efficiency", "causes", "critical_path" and "what_if_ns" of a run, inside its object. */
void syn_causes_json(struct syn_json *json, const struct syn_report *report,
                     const struct syn_run_facts *run);

#endif
