/* analyze/stats/anova.c - one-way analysis of variance over k samples of any sizes (000
 * section 3.2.1). */
#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
#include "sync/status.h"

struct partition {
    size_t filled;          /* samples that have values */
    double between, within; /* sums of squares */
    double mean_range;      /* largest mean minus smallest */
};

static struct partition partition(const struct syn_samples *s)
{
    struct partition out = {0};
    size_t first = s->start[0], all = s->start[s->k] - first;
    double origin = all ? s->value[first] : 0;
    double grand_mean = syn_mean_about(s->value + first, all, origin);
    struct syn_sum sb = {0, 0}, sw = {0, 0};
    double lowest = INFINITY, highest = -INFINITY;
    for (size_t i = 0; i < s->k; i++) {
        const double *x = s->value + s->start[i];
        size_t n = s->start[i + 1] - s->start[i];
        if (n == 0)
            continue;
        double mean = syn_mean_about(x, n, origin), d = mean - grand_mean;
        syn_sum_add(&sb, (double)n * d * d);
        syn_sum_add(&sw, syn_sum_of_squares(x, n, origin + mean));
        lowest = fmin(lowest, mean);
        highest = fmax(highest, mean);
        out.filled++;
    }
    out.between = syn_sum_value(&sb);
    out.within = syn_sum_value(&sw);
    out.mean_range = highest - lowest;
    return out;
}

int syn_anova_oneway(const struct syn_samples *samples, struct syn_anova *out)
{
    *out = (struct syn_anova){NAN, NAN, NAN, NAN, NAN, NAN};
    if (samples->k < 2)
        return SYN_EINVAL;
    size_t n = samples->start[samples->k] - samples->start[0];
    const struct partition parts = partition(samples);
    if (parts.filled < 2 || n <= parts.filled || !(parts.within > 0))
        return SYN_EINVAL;
    out->df1 = (double)(parts.filled - 1);
    out->df2 = (double)(n - parts.filled);
    const double igv = parts.within / out->df2;
    out->F = (parts.between / out->df1) / igv;
    out->p = pf(out->F, out->df1, out->df2, 0, 0);
    out->effect_size = parts.mean_range / sqrt(igv);
    out->eta2 = parts.between / (parts.between + parts.within);
    return SYN_OK;
}
