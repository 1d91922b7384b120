/* analyze/stats/anova.c - one-way analysis of variance over k samples of any sizes (000
 * section 3.2.1). */
#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
#include "sync/status.h"

/* Sums of squares between and within the samples that have values. Returns how many those are. */
static size_t partition(const struct syn_samples *s, double *between, double *within)
{
    size_t filled = 0, first = s->start[0], all = s->start[s->k] - first;
    double origin = all ? s->value[first] : 0;
    double grand_mean = syn_mean_about(s->value + first, all, origin);
    struct syn_sum sb = {0, 0}, sw = {0, 0};
    for (size_t i = 0; i < s->k; i++) {
        const double *x = s->value + s->start[i];
        size_t n = s->start[i + 1] - s->start[i];
        if (n == 0)
            continue;
        double mean = syn_mean_about(x, n, origin), d = mean - grand_mean;
        syn_sum_add(&sb, (double)n * d * d);
        syn_sum_add(&sw, syn_sum_of_squares(x, n, origin + mean));
        filled++;
    }
    *between = syn_sum_value(&sb);
    *within = syn_sum_value(&sw);
    return filled;
}

int syn_anova_oneway(const struct syn_samples *samples, struct syn_anova *out)
{
    double between, within;
    *out = (struct syn_anova){NAN, NAN, NAN, NAN, NAN};
    if (samples->k < 2)
        return SYN_EINVAL;
    size_t n = samples->start[samples->k] - samples->start[0];
    size_t k = partition(samples, &between, &within);
    if (k < 2 || n <= k || !(within > 0))
        return SYN_EINVAL;
    out->df1 = (double)(k - 1);
    out->df2 = (double)(n - k);
    out->F = (between / out->df1) / (within / out->df2);
    out->p = pf(out->F, out->df1, out->df2, 0, 0);
    out->effect_size = between / (between + within);
    return SYN_OK;
}
