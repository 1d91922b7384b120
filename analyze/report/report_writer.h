/* analyze/report/report_writer.h - what the parts of the text report write with. */
#ifndef SYN_REPORT_WRITER_H
#define SYN_REPORT_WRITER_H

#include "analyze/report/details.h"
#include "analyze/report/report_parts.h"

struct syn_report_writer {
    const struct syn_report *report;
    const struct syn_terminal *terminal; /* not of a page of HTML */
    struct syn_text *text;
    enum { SYN_WRITE_TEXT, SYN_WRITE_HTML, SYN_WRITE_MARKDOWN } style; /* of lists and items */
};

void syn_report_heading(const struct syn_report_writer *to, const char *title);
/* `first`, then words in lines that fit, from column `indent` on. */
void syn_report_paragraph(const struct syn_report_writer *to, size_t indent, const char *first,
                          const char *words);
/* A list under a heading, in text or HTML, and its end. */
void syn_report_list(const struct syn_report_writer *to, const char *title);
void syn_report_list_end(const struct syn_report_writer *to);
/* A line of a list. */
void syn_report_item(const struct syn_report_writer *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, with what to do next below it. */
void syn_report_item_next(const struct syn_report_writer *to, const char *next, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));
/* "MPI_Allreduce 8 B at main.c:31 solve"; with the communicator, root or phase where another group
 * has all else in common. */
void syn_report_group_name(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out);

/* The program's name, without its folder. */
const char *syn_report_program(const struct syn_run_facts *run);
/* What both the text and the page say: when the run began ("" where that is not known), what ran,
 * and on which clock; lines without an end. */
void syn_report_date(const struct syn_run_facts *run, char *out, size_t bytes);
void syn_report_what_ran(const struct syn_report *report, struct syn_text *out);
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
void syn_report_late_section(const struct syn_report_writer *to);
void syn_report_differences_section(const struct syn_report_writer *to);
void syn_report_warnings_section(const struct syn_report_writer *to);
/* Of that only what tells it from others, with a blank in front: its rank, node or run, and of
 * communicator, root and phase what no other key tells. */
void syn_report_group_rest(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out);

/* Nodes and sockets that came last more often than by chance: items, none where there are none. */
void syn_report_late_places(const struct syn_report_writer *to);
/* Which ranks of a group differ from which: an item, where pairs were asked for. */
void syn_report_pairs(const struct syn_report_writer *to, const struct syn_figures *figures);
/* Groups whose first calls take longer than the later ones: items. */
void syn_report_warmups(const struct syn_report_writer *to);
/* Runs whose calls change their level on the way, or ever more. */
void syn_report_changes(const struct syn_report_writer *to);
/* Sections of their own: several runs; a precision that was asked for. */
void syn_report_runs_section(const struct syn_report_writer *to);
void syn_report_precision_section(const struct syn_report_writer *to);

#endif
