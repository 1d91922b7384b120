/* analyze/report/sections/report_page.h - parts of a report's page. */
#ifndef SYN_REPORT_PAGE_H
#define SYN_REPORT_PAGE_H

#include "analyze/doc/doc.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/findings/report_parts.h"

/* "MPI_Allreduce 8 B at main.c:31 solve"; with the communicator, root or phase where another group
 * has all else in common. */
void syn_report_group_name(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out);

/* Returns whether a page has all that is known. A page of HTML has, a text only by --verbose: else
 * it has what a reader decides by. */
bool syn_report_tells_all(const struct syn_doc *doc, const struct syn_report *report);
/* The program's name, without its folder. */
const char *syn_report_program(const struct syn_run_facts *run);
/* Lines of the page's head, without a newline: when the run began ("" if unknown), what ran, and on
 * which clock. `in_full`: and what the run is. */
void syn_report_date(const struct syn_run_facts *run, char *out, size_t bytes);
void syn_report_what_ran(const struct syn_report *report, bool in_full, struct syn_text *out);
void syn_report_clock(const struct syn_report *report, struct syn_text *out);
/* "clocks agree to within 21 ns". */
void syn_report_clock_bound(const struct syn_report *report, struct syn_text *out);
/* Can the report be relied on, why not, and what to do then: a line without an end. */
enum syn_reliance { SYN_RELIANCE_FULL, SYN_RELIANCE_PART, SYN_RELIANCE_NONE };
enum syn_reliance syn_report_reliance(const struct syn_report *report, struct syn_text *out);
/* The recorder's own time, of that from MPI_Init's begin to MPI_Finalize's end; NAN: not known. */
double syn_report_recorder_share(const struct syn_run_facts *run);
/* Nothing where the clocks ran as they were measured. */
void syn_report_clock_alarm(const struct syn_report *report, struct syn_text *out);
/* The sections that both have. */
void syn_report_late_section(struct syn_doc *doc, const void *facts);
void syn_report_differences_section(struct syn_doc *doc, const void *facts);
void syn_report_warnings_section(struct syn_doc *doc, const void *facts);
/* Append only the part that tells the group from others, with a blank in front: its rank, node or
 * run, and of communicator, root and phase what no other key tells. */
void syn_report_group_rest(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out);

/* Nodes and sockets that came last more often than by chance: items, none where there are none. */
void syn_report_late_places(struct syn_doc *doc, const struct syn_report *report);
/* Say which ranks of a group differ from which: an item, if pairs were asked for. */
void syn_report_pairs(struct syn_doc *doc, const struct syn_figures *figures);
/* Groups whose first calls take longer than the later ones: items. */
void syn_report_warmups(struct syn_doc *doc, const struct syn_report *report);
/* Runs whose calls change their level on the way, or ever more. */
void syn_report_changes(struct syn_doc *doc, const struct syn_report *report);
/* Tell the time of calls by their operation, and by the size of their data. */
void syn_report_operations_section(struct syn_doc *doc, const void *facts);
void syn_report_data_sizes_section(struct syn_doc *doc, const void *facts);
/* Tell operations that take longer than the same of more data, or than two others that do their
 * work: z tests of medians, Holm over all of them. */
void syn_report_expectations_section(struct syn_doc *doc, const void *facts);
/* Efficiencies by the keys of --by, where other keys than those by default were asked for, or the
 * program has phases. */
void syn_report_efficiencies_section(struct syn_doc *doc, const void *facts);
/* Sections of their own: several runs; a precision that was asked for. */
void syn_report_runs_section(struct syn_doc *doc, const void *facts);
void syn_report_precision_section(struct syn_doc *doc, const void *facts);

#endif
