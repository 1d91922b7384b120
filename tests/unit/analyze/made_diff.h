/* tests/unit/analyze/made_diff.h - the sides of a diff without traces: groups as they would have
 * been read. */
#ifndef MADE_DIFF_H
#define MADE_DIFF_H

#include "analyze/diff/diff_parts.h"

struct made_group {
    uint32_t run;
    uint16_t op;
    const char *site, *comm;
    uint64_t comm_size, bytes;
    int64_t bound_ns;
};

struct syn_diff made_diff(void);
/* A group of a side (0: A, 1: B) with the completions of its instances. */
void made_diff_group(struct syn_diff *diff, int side, const struct made_group *like,
                     const int64_t *completion_ns, size_t count);
/* Runs 1 .. run_count, of one instance each. */
void made_diff_runs(struct syn_diff *diff, int side, const struct made_group *like,
                    const double *completion_ns, size_t run_count);
/* Everything after reading. Free with syn_diff_free. */
void made_diff_compare(struct syn_diff *diff);
/* The group of an operation; the test fails where there is not exactly one. */
const struct syn_diff_group *made_diff_find(const struct syn_diff *diff, const char *op);

#endif
