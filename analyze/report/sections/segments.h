/* analyze/report/sections/segments.h - `report --by segment`: what ranks do between their calls,
 * all of it, the longest first. docs/reports.md has the columns. */
#ifndef SYN_REPORT_SEGMENTS_H
#define SYN_REPORT_SEGMENTS_H

#include "analyze/causes/findings/profile.h"
#include "analyze/report/sections/report_page.h"

#define SYN_SEGMENT_PARTS SYN_SLOT_COUNT /* computing, messages, off the processor */

/* One segment, of all ranks or of one. */
struct syn_segment_row {
    uint32_t label;
    int32_t rank; /* -1: of all */
    double times, ns[SYN_SEGMENT_PARTS], caused_ns;
    double least_ns, most_ns; /* a time, of the ranks with the least and the most of it */
    int32_t least, most;
    struct syn_pass_figures passes; /* {0}: not known */
};

struct syn_segment_rows {
    struct syn_segment_row *row; /* [count], the longest first; owned */
    size_t count;
};

/* A row a segment (and rank). 0 or SYN_ENOMEM; free in any case. */
int syn_segment_rows_make(const struct syn_run_facts *run, bool by_rank,
                          struct syn_segment_rows *out);
void syn_segment_rows_free(struct syn_segment_rows *rows);
/* In the place of the table of groups; of the first run. */
void syn_report_segments_table(struct syn_doc *doc, const struct syn_report *report);

#endif
