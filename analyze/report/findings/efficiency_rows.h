/* analyze/report/findings/efficiency_rows.h - efficiencies of parts of a run: of the calls that
 * agree in keys of --by with the time that leads to them, and of ranks or nodes in these.
 * docs/methods-causes.md has the definitions. */
#ifndef SYN_EFFICIENCY_ROWS_H
#define SYN_EFFICIENCY_ROWS_H

#include "analyze/report/findings/report.h"

/* Selects calls. A member that is no key is 0 in all (names: SYN_NO_NAME). */
struct syn_efficiency_key {
    uint64_t bytes; /* SYN_BYTES_DIFFER */
    uint32_t site, phase, comm;
    int32_t root;
    uint32_t op;
    uint32_t is_outside; /* behind the last call */
};

struct syn_efficiency_row {
    uint32_t key;
    int32_t rank;              /* -1: no key */
    uint32_t node;             /* name number; SYN_NO_NAME: no key, or not known */
    size_t rank_count;         /* of these ranks */
    double time_ns, useful_ns; /* mean over them */
    double longest_ns; /* time of the rank of all that was there longest: what efficiencies are
                          shares of */
    struct syn_efficiency efficiency;
};

struct syn_efficiency_rows {
    unsigned by; /* as far as it could be had */
    struct syn_numbering keys;
    struct syn_efficiency_row *row; /* [count], the longest first */
    size_t count;
};

/* By those keys of `by` that a run's sums have; none, phases. 0 or SYN_ENOMEM; free in any case. */
int syn_efficiency_rows_make(const struct syn_run_facts *run, unsigned by,
                             struct syn_efficiency_rows *out);
void syn_efficiency_rows_free(struct syn_efficiency_rows *rows);

#endif
