/* analyze/report/figures/figures_tukey.c - a run's averages without outliers, as Hunold &
 * Carpen-Amarie's Algorithm 6 has them, so that its tables can be made again. */
#include <math.h>

#include "analyze/report/figures/figures_parts.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/ordered.h"
#include "sync/base/status.h"

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
    const struct syn_ordered sample = syn_ordered_array(work->x, n);
    const double q1 = syn_ordered_quantile(&sample, 0.25), q3 = syn_ordered_quantile(&sample, 0.75),
                 reach = 1.5 * (q3 - q1);
    const size_t first = syn_ordered_below(&sample, q1 - reach);
    const size_t end = syn_ordered_below(&sample, nextafter(q3 + reach, INFINITY));
    run->tukey_instances = end - first;
    run->tukey_median = syn_quantile_sorted(work->x + first, run->tukey_instances, 0.5);
    run->tukey_mean = syn_mean(work->x + first, run->tukey_instances);
    return SYN_OK;
}
