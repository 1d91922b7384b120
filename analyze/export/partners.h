/* analyze/export/partners.h - finds the instance that a row is a part of. */
#ifndef SYN_PARTNERS_H
#define SYN_PARTNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/comms.h"

struct syn_partners_instance {
    uint64_t sequence;
    int64_t first_start_ns, last_start_ns, last_end_ns;
    int64_t bound_ns; /* times of different ranks are off by no more */
    int32_t last_rank;
};

/* The complete instances of each communicator of a run. */
struct syn_partners {
    struct syn_partners_of {
        struct syn_partners_instance *instance; /* [count], by sequence */
        size_t count, capacity;
    } * comm; /* [comm_count], as in the run's syn_comms */
    size_t comm_count;
    bool *has_threads; /* [rank count]: calls of the rank come from more than one thread */
};

/* Match a trace. Returns 0 or negative; free in any case. */
int syn_partners_make(struct syn_trace *trace, const struct syn_comms *comms,
                      struct syn_names *names, struct syn_partners *out);
void syn_partners_free(struct syn_partners *partners);
/* NULL for calls that lack members, or whose communicator is not usable (SYN_NO_COMM). */
const struct syn_partners_instance *syn_partners_find(const struct syn_partners *partners,
                                                      uint32_t comm, uint64_t sequence);

#endif
