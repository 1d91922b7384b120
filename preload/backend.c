/* preload/backend.c - what a backend exports: the table of its wrappers. */
#include "backend.h"

#include "collectives.h"
#include "comm_wrappers.h"
#include "lifecycle.h"
#include "pmpi.h"

static struct syn_wrapper
    table[SYN_COLLECTIVE_WRAPPERS + SYN_COMM_WRAPPERS_MAX + SYN_LIFECYCLE_WRAPPERS];

__attribute__((visibility("default"))) syn_backend_function syn_backend_wrappers;

/* Idempotent, as backend.h wants it: every caller stores the same values. */
const struct syn_wrapper *syn_backend_wrappers(const struct syn_host *host, size_t *count,
                                               const char **missing)
{
    if (syn_pmpi_load(host, missing))
        return NULL;
    size_t used = syn_collectives_add(table);
    used += syn_comm_wrappers_add(table + used);
    used += syn_lifecycle_add(table + used);
    *count = used;
    return table;
}
