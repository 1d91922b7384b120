/* analyze/report/figures_tukey.c - a run's averages without outliers, as Hunold & Carpen-Amarie's
 * Algorithm 6 has them, so that its tables can be made again. */
#include <math.h>

#include "analyze/report/figures_parts.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
#include "sync/base/status.h"

/* How many of ascending x [n] are below `limit`, or not above it. */
static size_t count_to(const double *x, size_t n, double limit, bool with_limit)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (x[middle] < limit || (with_limit && x[middle] == limit))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int syn_run_without_outliers(const struct syn_series *series, struct syn_workspace *work,
                             struct syn_run_figures *run)
{
    const size_t n = series->count;
    int status = syn_workspace_reserve(work, n + 1);
    if (status == SYN_OK && n > 0)
        status = syn_series_values(series, work->x);
    if (status != SYN_OK || n == 0)
        return status;
    syn_sort(work->x, n);
    const double q1 = syn_quantile_sorted(work->x, n, 0.25),
                 q3 = syn_quantile_sorted(work->x, n, 0.75), reach = 1.5 * (q3 - q1);
    const size_t first = count_to(work->x, n, q1 - reach, false);
    run->tukey_instances = count_to(work->x, n, q3 + reach, true) - first;
    run->tukey_median = syn_quantile_sorted(work->x + first, run->tukey_instances, 0.5);
    run->tukey_mean = syn_mean(work->x + first, run->tukey_instances);
    return SYN_OK;
}
