/* analyze/report/sections/report_page.h - parts of a report's page. */
#ifndef SYN_REPORT_PAGE_H
#define SYN_REPORT_PAGE_H

#include "analyze/doc/doc.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/findings/report_parts.h"

/* Appends a group's name: "MPI_Allreduce 8 B at main.c:31 solve". Adds communicator, root or phase
 * if another group agrees in everything else. */
void syn_report_group_name(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out);

/* Returns true if a page has everything that is known: an HTML page, or any with --verbose. Other
 * pages are short: they have what a reader needs for decisions. */
bool syn_report_tells_all(const struct syn_doc *doc, const struct syn_report *report);
/* Returns the program's name without its directory. */
const char *syn_report_program(const struct syn_run_facts *run);
/* Appends which clock the run has, and how well the ranks agree. */
void syn_report_clock(const struct syn_report *report, struct syn_text *out);
/* Appends whether the report is reliable, why not, and what to do: a line without a newline.
 * Returns the level. */
enum syn_reliance { SYN_RELIANCE_FULL, SYN_RELIANCE_CARE, SYN_RELIANCE_NONE };
enum syn_reliance syn_report_reliance(const struct syn_report *report, struct syn_text *out);
/* Returns the share of a run in messages of which only sums were recorded; 0 if it is too small for
 * that line. */
double syn_report_unseen_messages(const struct syn_run_facts *run);
/* Returns the recorder's own time as a share of the time from the begin of MPI_Init to the end of
 * MPI_Finalize; NAN: unknown. */
double syn_report_recorder_share(const struct syn_run_facts *run);
/* Appends the warning about the clocks. Appends nothing if the clocks ran as they were measured. */
void syn_report_clock_alarm(const struct syn_report *report, struct syn_text *out);
/* Sections of text and HTML pages. */
void syn_report_late_section(struct syn_doc *doc, const void *facts);
void syn_report_differences_section(struct syn_doc *doc, const void *facts);
void syn_report_warnings_section(struct syn_doc *doc, const void *facts);
/* Appends only the part of a group's name that distinguishes it, with a blank in front: rank, node
 * or run, and communicator, root and phase if no other key distinguishes it. */
void syn_report_group_rest(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out);

/* Writes nodes and sockets that came last more often than by chance, as items. */
void syn_report_late_places(struct syn_doc *doc, const struct syn_report *report);
/* Writes which ranks of a group differ from which, as an item, with --pairs. */
void syn_report_pairs(struct syn_doc *doc, const struct syn_figures *figures);
/* Writes groups whose first calls take longer than the later ones, as items. */
void syn_report_warmups(struct syn_doc *doc, const struct syn_report *report);
/* Writes runs whose calls change their level once, or steadily, as items. */
void syn_report_changes(struct syn_doc *doc, const struct syn_report *report);
/* These write the time of calls by operation, and by the size of their data. */
void syn_report_operations_section(struct syn_doc *doc, const void *facts);
void syn_report_data_sizes_section(struct syn_doc *doc, const void *facts);
/* Writes operations that take longer than the same with more data, or than two others that do their
 * work: z tests of medians, Holm over all tests. */
void syn_report_expectations_section(struct syn_doc *doc, const void *facts);
/* Writes efficiencies by the keys of --by, if these are not the default or the program has
 * phases. */
void syn_report_efficiencies_section(struct syn_doc *doc, const void *facts);
/* These write the section about several runs, and the section about --precision. */
void syn_report_runs_section(struct syn_doc *doc, const void *facts);
void syn_report_precision_section(struct syn_doc *doc, const void *facts);

/* The moment of the typical run from which on several call sites are slower (report_moment.c). */
/* Returns the share of the run that the most expensive moment costs; 0 if that is less than 1 %. */
double syn_report_moment_share(const struct syn_report *report);
/* Writes the moment as an item of *Why*, if there is one. */
void syn_report_moment(struct syn_doc *doc, const struct syn_report *report);
/* Writes the groups whose steps the item mentions to out [groups.count]. Returns how many. */
size_t syn_report_moment_groups(const struct syn_report *report, const struct syn_figures **out);

#endif
