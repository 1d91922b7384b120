/* analyze/stats/samples/anova.c - one-way analysis of variance over k samples of any sizes (Hoefler
 * & Belli 2015, section 3.2.1). */
#include <stdlib.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

struct partition {
    size_t filled;                  /* number of samples with values */
    struct syn_sum between, within; /* sums of squares */
    double lowest, highest;         /* of the samples' means */
};

static const struct partition EMPTY = {.lowest = INFINITY, .highest = -INFINITY};

static void add_sample(struct partition *parts, const struct syn_moments *sample, double grand_mean)
{
    const double d = sample->mean - grand_mean;
    syn_sum_add(&parts->between, sample->n * d * d);
    syn_sum_add(&parts->within, sample->squares);
    parts->lowest = fmin(parts->lowest, sample->mean);
    parts->highest = fmax(parts->highest, sample->mean);
    parts->filled++;
}

static int analyse(const struct partition *parts, double n, struct syn_anova *out)
{
    double filled = (double)parts->filled;
    const double between = syn_sum_value(&parts->between), within = syn_sum_value(&parts->within);
    if (parts->filled < 2 || n <= filled || !(within > 0))
        return SYN_EINVAL;
    out->df1 = filled - 1;
    out->df2 = n - filled;
    const double igv = within / out->df2;
    out->F = (between / out->df1) / igv;
    out->p = pf(out->F, out->df1, out->df2, 0, 0);
    out->effect_size = (parts->highest - parts->lowest) / sqrt(igv);
    out->eta2 = between / (between + within);
    return SYN_OK;
}

/* Computes the samples' mean [k] - origin, and the sums of squares [k] about their means.
 * Consecutive samples of one length are processed in parallel. */
static void measure_samples(const struct syn_samples *samples, double origin, double *mean,
                            double *squares)
{
    const double *x[SYN_SIDE_BY_SIDE], origins[SYN_SIDE_BY_SIDE] = {origin, origin, origin, origin};
    for (size_t i = 0, count; i < samples->k; i += count) {
        const size_t n = samples->start[i + 1] - samples->start[i];
        double means[SYN_SIDE_BY_SIDE];
        for (count = 0; count < SYN_SIDE_BY_SIDE && i + count < samples->k &&
                        samples->start[i + count + 1] - samples->start[i + count] == n;
             count++)
            x[count] = samples->value + samples->start[i + count];
        syn_means_about(x, count, n, origins, mean + i);
        for (size_t k = 0; k < count; k++)
            means[k] = origin + mean[i + k];
        syn_sums_of_squares(x, count, n, means, squares + i);
    }
}

int syn_anova_oneway(const struct syn_samples *samples, struct syn_anova *out)
{
    struct partition parts = EMPTY;
    *out = (struct syn_anova){NAN, NAN, NAN, NAN, NAN, NAN};
    if (samples->k < 2)
        return SYN_EINVAL;
    const size_t k = samples->k, first = samples->start[0], all = samples->start[k] - first;
    const double origin = all ? samples->value[first] : 0;
    const double grand_mean = syn_mean_about(samples->value + first, all, origin);
    SYN_FREED double *mean = malloc(2 * k * sizeof *mean);
    if (!mean)
        return SYN_ENOMEM;
    measure_samples(samples, origin, mean, mean + k);
    for (size_t i = 0; i < k; i++) {
        const double n = (double)(samples->start[i + 1] - samples->start[i]);
        const struct syn_moments moments = {n, mean[i], mean[k + i]};
        if (n > 0)
            add_sample(&parts, &moments, grand_mean);
    }
    return analyse(&parts, (double)all, out);
}

int syn_anova_of_moments(const struct syn_moments *sample, size_t k, struct syn_anova *out)
{
    struct partition parts = EMPTY;
    struct syn_sum total = {0, 0};
    double n = 0;
    *out = (struct syn_anova){NAN, NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < k; i++) {
        n += sample[i].n;
        syn_sum_add(&total, sample[i].n > 0 ? sample[i].n * sample[i].mean : 0);
    }
    for (size_t i = 0; i < k; i++)
        if (sample[i].n > 0)
            add_sample(&parts, &sample[i], syn_sum_value(&total) / n);
    return k < 2 ? SYN_EINVAL : analyse(&parts, n, out);
}
