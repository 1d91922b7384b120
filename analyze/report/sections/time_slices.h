/* analyze/report/sections/time_slices.h - `report --by time`: slices of the run's time, how much
 * ranks waited in each, and for whom. docs/reports.md has the columns. */
#ifndef SYN_TIME_SLICES_H
#define SYN_TIME_SLICES_H

#include "analyze/report/findings/rank_time.h"
#include "analyze/report/sections/report_page.h"

/* One slice, of all ranks or of one. */
struct syn_time_row {
    double begin_ns, end_ns;          /* from the run's begin */
    int32_t rank;                     /* -1: of all */
    double waiting_ns, whole_ns;      /* of the time that these ranks had */
    double useful_ns, most_useful_ns; /* outside of MPI: all ranks, and the one with the most */
    double caused_ns; /* waiting of others in the slice for what these ranks did, then or before */
    int32_t waited_for;                           /* -1: nobody; who caused the most of it, */
    double waited_for_ns;                         /*   and how much */
    double parallel, load_balance, communication; /* efficiencies, of all ranks */
    uint32_t first_bin, bin_count;
};

struct syn_time_rows {
    struct syn_rank_time time;
    const struct syn_run_facts *run;
    struct syn_time_row *row; /* [count], in the order of time, and of ranks; owned */
    size_t count;
};

/* A row a slice (and rank). 0 or SYN_ENOMEM; free in any case. */
int syn_time_rows_make(const struct syn_run_facts *run, bool by_rank, struct syn_time_rows *out);
void syn_time_rows_free(struct syn_time_rows *rows);
/* In the place of the table of groups; of the first run, in no more rows than options.top says. */
void syn_report_time_table(struct syn_doc *doc, const struct syn_report *report);

#endif
