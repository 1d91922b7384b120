/* analyze/stats/samples/levels.c - variance components of one random factor, the run. */
#include "analyze/stats/samples/levels.h"

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "sync/base/status.h"

struct partition {
    double between, within; /* sums of squares */
    double n, k, sum_n2;    /* instances; runs with instances; sum of squared counts */
};

/* Computes the variance components from the mean squares between and within runs, the F test, and
 * Kruskal-Wallis. */
int syn_variance_levels(const struct syn_samples *runs, struct syn_levels *out)
{
    *out = (struct syn_levels){0, 0, NAN, NAN, NAN, NAN, NAN, NAN};
    if (runs->k < 2)
        return SYN_EINVAL;
    struct partition part = {0, 0, 0, 0, 0};
    const double *all = runs->value + runs->start[0];
    size_t n_all = runs->start[runs->k] - runs->start[0];
    double origin = n_all ? all[0] : 0, grand = syn_mean_about(all, n_all, origin);
    struct syn_sum between = {0, 0}, within = {0, 0};
    for (size_t i = 0; i < runs->k; i++) {
        const double *x = runs->value + runs->start[i];
        size_t count = runs->start[i + 1] - runs->start[i];
        if (count == 0)
            continue;
        double mean = syn_mean_about(x, count, origin), n = (double)count;
        syn_sum_add(&between, n * (mean - grand) * (mean - grand));
        syn_sum_add(&within, syn_sum_of_squares(x, count, origin + mean));
        part.n += n;
        part.k++;
        part.sum_n2 += n * n;
    }
    part.between = syn_sum_value(&between);
    part.within = syn_sum_value(&within);
    if (part.k < 2 || part.n <= part.k)
        return SYN_EINVAL;
    out->run_count = (size_t)part.k;
    out->instance_count = (size_t)part.n;
    double ms_between = part.between / (part.k - 1), ms_within = part.within / (part.n - part.k);
    double n0 = (part.n - part.sum_n2 / part.n) / (part.k - 1);
    out->variance_within = ms_within;
    out->variance_between = (ms_between - ms_within) / n0;
    if (out->variance_between <= 0) {
        /* There is no sign of an effect of runs: all values are of one kind, and their common
         * variance is the estimate. */
        out->variance_between = 0;
        out->variance_within = (part.between + part.within) / (part.n - 1);
    }
    double total = out->variance_between + out->variance_within;
    out->intraclass = total > 0 ? out->variance_between / total : NAN;
    if (ms_within > 0) {
        out->F = ms_between / ms_within;
        out->p = pf(out->F, part.k - 1, part.n - part.k, 0, 0);
    }
    struct syn_kruskal kruskal;
    int status = syn_kruskal_wallis(runs, &kruskal);
    out->kruskal_p = kruskal.p;
    return status == SYN_ENOMEM ? status : SYN_OK;
}

double syn_best_repetitions(const struct syn_levels *levels, double run_cost, double instance_cost)
{
    double between = levels->variance_between, within = levels->variance_within;
    if (!(run_cost > 0) || !(instance_cost > 0) || !(between + within > 0))
        return NAN;
    return fmax(1, sqrt(run_cost / instance_cost * (within / between)));
}
