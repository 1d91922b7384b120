/* analyze/export/partners.h - finds the instance of a row. */
#ifndef SYN_PARTNERS_H
#define SYN_PARTNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/comms.h"

struct syn_partners_instance {
    uint64_t sequence;
    int64_t first_start_ns, last_start_ns, last_end_ns;
    int64_t bound_ns; /* clock bound of differences between ranks */
    int32_t last_rank;
};

/* Complete instances of each communicator of a run. */
struct syn_partners {
    struct syn_partners_of {
        struct syn_partners_instance *instance; /* [count], sorted by sequence number */
        size_t count, capacity;
    } * comm; /* [comm_count], as in the run's syn_comms */
    size_t comm_count;
    bool *has_threads; /* [rank count]: several threads of the rank make calls */
};

/* Matches a trace. Returns 0 or a negative status. The caller frees `out` in any case. */
int syn_partners_make(struct syn_trace *trace, const struct syn_comms *comms,
                      struct syn_names *names, struct syn_partners *out);
void syn_partners_free(struct syn_partners *partners);
/* Returns an instance; NULL: it is incomplete, or the communicator is not usable (SYN_NO_COMM). */
const struct syn_partners_instance *syn_partners_find(const struct syn_partners *partners,
                                                      uint32_t comm, uint64_t sequence);

#endif
