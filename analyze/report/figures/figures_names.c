/* analyze/report/figures/figures_names.c - metrics and kinds of intervals by name. */
#include <string.h>

#include "analyze/report/figures/figures.h"
#include "sync/base/status.h"

const char *syn_metric_name(enum syn_metric metric)
{
    static const char *const names[SYN_METRIC_COUNT] = {"completion", "spread",    "operation",
                                                        "exit_skew",  "local_max", "wait"};
    return names[metric];
}

static const char *const ci_names[SYN_CI_COUNT] = {"order", "exact", "bootstrap", "block"};

const char *syn_ci_name(enum syn_ci ci)
{
    return ci_names[ci];
}

int syn_ci_parse(const char *name, enum syn_ci *out)
{
    for (int ci = 0; ci < SYN_CI_COUNT; ci++) {
        if (strcmp(name, ci_names[ci]) == 0) {
            *out = (enum syn_ci)ci;
            return 0;
        }
    }
    return SYN_EINVAL;
}
