/* analyze/report/findings/efficiency_rows.h - computes efficiencies of parts of a run. A part is
 * the calls that agree in keys of --by, with the time before them. Its ranks or nodes may have rows
 * of their own. docs/methods-causes.md has the definitions. */
#ifndef SYN_EFFICIENCY_ROWS_H
#define SYN_EFFICIENCY_ROWS_H

#include "analyze/report/findings/report.h"

/* The keys of a part. A member that --by does not name is 0 for all calls; a name number is
 * SYN_NO_NAME. */
struct syn_efficiency_key {
    uint64_t bytes; /* SYN_BYTES_DIFFER: they differ by rank */
    uint32_t site, phase, comm;
    int32_t root;
    uint32_t op;
    uint32_t is_outside; /* the time after a rank's last call */
};

struct syn_efficiency_row {
    uint32_t key;
    int32_t rank;              /* -1: rows are not by rank */
    uint32_t node;             /* name number; SYN_NO_NAME: rows are not by node, or unknown */
    size_t rank_count;         /* ranks of this row */
    double time_ns, useful_ns; /* mean over these ranks */
    double longest_ns; /* longest time of a rank in the part; efficiencies are shares of this */
    struct syn_efficiency efficiency;
};

struct syn_efficiency_rows {
    unsigned by; /* the requested keys that the run's sums have */
    struct syn_numbering keys;
    struct syn_efficiency_row *row; /* [count], longest time first */
    size_t count;
};

/* Makes rows by the keys of `by` that the run's sums have; by phase if there is none. Returns 0 or
 * SYN_ENOMEM. The caller frees *out in any case. */
int syn_efficiency_rows_make(const struct syn_run_facts *run, unsigned by,
                             struct syn_efficiency_rows *out);
void syn_efficiency_rows_free(struct syn_efficiency_rows *rows);

#endif
