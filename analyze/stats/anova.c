/* analyze/stats/anova.c - one-way analysis of variance over k samples of any sizes (Hoefler & Belli
 * 2015, section 3.2.1). */
#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
#include "sync/base/status.h"

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

static int analyse(const struct partition *parts, double n, struct syn_anova *out)
{
    double filled = (double)parts->filled;
    if (parts->filled < 2 || n <= filled || !(parts->within > 0))
        return SYN_EINVAL;
    out->df1 = filled - 1;
    out->df2 = n - filled;
    const double igv = parts->within / out->df2;
    out->F = (parts->between / out->df1) / igv;
    out->p = pf(out->F, out->df1, out->df2, 0, 0);
    out->effect_size = parts->mean_range / sqrt(igv);
    out->eta2 = parts->between / (parts->between + parts->within);
    return SYN_OK;
}

int syn_anova_oneway(const struct syn_samples *samples, struct syn_anova *out)
{
    *out = (struct syn_anova){NAN, NAN, NAN, NAN, NAN, NAN};
    if (samples->k < 2)
        return SYN_EINVAL;
    const struct partition parts = partition(samples);
    return analyse(&parts, (double)(samples->start[samples->k] - samples->start[0]), out);
}

int syn_anova_of_moments(const struct syn_moments *sample, size_t k, struct syn_anova *out)
{
    struct partition parts = {0};
    struct syn_sum total = {0, 0}, between = {0, 0}, within = {0, 0};
    double n = 0, lowest = INFINITY, highest = -INFINITY;
    *out = (struct syn_anova){NAN, NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < k; i++) {
        n += sample[i].n;
        syn_sum_add(&total, sample[i].n > 0 ? sample[i].n * sample[i].mean : 0);
    }
    double grand_mean = syn_sum_value(&total) / n;
    for (size_t i = 0; i < k; i++) {
        double d = sample[i].mean - grand_mean;
        if (!(sample[i].n > 0))
            continue;
        syn_sum_add(&between, sample[i].n * d * d);
        syn_sum_add(&within, sample[i].squares);
        lowest = fmin(lowest, sample[i].mean);
        highest = fmax(highest, sample[i].mean);
        parts.filled++;
    }
    parts.between = syn_sum_value(&between);
    parts.within = syn_sum_value(&within);
    parts.mean_range = highest - lowest;
    return k < 2 ? SYN_EINVAL : analyse(&parts, n, out);
}
