/* analyze/compare/compare_record.h - records the runs of `compare`. */
#ifndef SYN_COMPARE_RECORD_H
#define SYN_COMPARE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/record/until.h"

struct syn_compare_plan {
    char **command[2];     /* [.., NULL], for A and B */
    const char *directory; /* absolute */
    int run_count;         /* of each side; the most, if `until` has a rule */
    struct record_until until;
    uint64_t seed;
    bool quiet;
};

/* Makes all runs. Returns 0, or the exit status after one line on stderr. */
int syn_compare_record(const struct syn_compare_plan *plan);

#endif
