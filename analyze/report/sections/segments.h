/* analyze/report/sections/segments.h - `report --by segment`: everything that ranks do between
 * their calls, longest first. docs/reports.md has the columns. */
#ifndef SYN_REPORT_SEGMENTS_H
#define SYN_REPORT_SEGMENTS_H

#include "analyze/causes/findings/profile.h"
#include "analyze/report/sections/report_page.h"

/* Computing, messages, off the processor. */
#define SYN_SEGMENT_CATEGORIES SYN_CATEGORIES_OF_LABEL

/* One segment, of all ranks or of one rank. */
struct syn_segment_row {
    uint32_t label;
    int32_t rank; /* -1: all ranks */
    double times, ns[SYN_SEGMENT_CATEGORIES], caused_ns;
    double least_ns, most_ns; /* mean of one pass, for the ranks with the least and the most */
    int32_t least, most;
    struct syn_pass_figures passes; /* {0}: unknown */
};

struct syn_segment_rows {
    struct syn_segment_row *row; /* [count], longest first; owned */
    size_t count;
};

/* Makes a row for each segment, or for each segment and rank. Returns 0 or SYN_ENOMEM. The caller
 * frees *out in any case. */
int syn_segment_rows_make(const struct syn_run_facts *run, bool by_rank,
                          struct syn_segment_rows *out);
void syn_segment_rows_free(struct syn_segment_rows *rows);
/* Writes the segments of the typical run instead of the table of groups. */
void syn_report_segments_table(struct syn_doc *doc, const struct syn_report *report);

#endif
