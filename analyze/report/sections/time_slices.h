/* analyze/report/sections/time_slices.h - `report --by time`: slices of the run's time, how long
 * ranks waited in each, and for which ranks. docs/reports.md has the columns. */
#ifndef SYN_TIME_SLICES_H
#define SYN_TIME_SLICES_H

#include "analyze/report/findings/rank_time.h"
#include "analyze/report/sections/report_page.h"

/* One slice, of all ranks or of one rank. */
struct syn_time_row {
    double begin_ns, end_ns;          /* since the run's begin */
    int32_t rank;                     /* -1: all ranks */
    double waiting_ns, whole_ns;      /* waiting of these ranks; their whole time */
    double useful_ns, most_useful_ns; /* outside of MPI: these ranks, the most of one */
    double caused_ns;   /* waiting of others in the slice for what these ranks did then or before */
    int32_t waited_for; /* rank that caused most of caused_ns; -1: none */
    double waited_for_ns;                         /* how much that rank caused */
    double parallel, load_balance, communication; /* efficiencies, of all ranks */
    uint32_t first_bin, bin_count;
};

struct syn_time_rows {
    struct syn_rank_time time;
    const struct syn_run_facts *run;
    struct syn_time_row *row; /* [count], ordered by time, then by rank; owned */
    size_t count;
};

/* Makes a row for each slice, or for each slice and rank. Returns 0 or SYN_ENOMEM. The caller frees
 * *out in any case. */
int syn_time_rows_make(const struct syn_run_facts *run, bool by_rank, struct syn_time_rows *out);
void syn_time_rows_free(struct syn_time_rows *rows);
/* Writes the slices of the typical run instead of the table of groups, in at most options.top
 * rows. */
void syn_report_time_table(struct syn_doc *doc, const struct syn_report *report);

#endif
