/* analyze/stats/samples/bootstrap.c - resampling with xoshiro256**. */
#include "analyze/stats/samples/bootstrap.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

void syn_random_seed(struct syn_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) { /* splitmix64 */
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        random->state[i] = z ^ (z >> 31);
    }
}

static uint64_t rotate_left(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

uint64_t syn_random_next(struct syn_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

struct syn_random_range syn_random_range_of(uint64_t n)
{
    return (struct syn_random_range){n, -n % n, UINT64_MAX / n};
}

/* The quotient is found by a multiplication; it is too small by at most one or two. */
uint64_t syn_random_in(struct syn_random *random, const struct syn_random_range *range)
{
    uint64_t x;
    do
        x = syn_random_next(random);
    while (x < range->uneven);
    x -= (uint64_t)((unsigned __int128)x * range->inverse >> 64) * range->n;
    while (x >= range->n)
        x -= range->n;
    return x;
}

uint64_t syn_random_below(struct syn_random *random, uint64_t n)
{
    const struct syn_random_range range = syn_random_range_of(n);
    return syn_random_in(random, &range);
}

double syn_random_unit(struct syn_random *random)
{
    return ((double)(syn_random_next(random) >> 12) + 0.5) * 0x1p-52;
}

double syn_statistic_median(double *x, size_t n, const void *context)
{
    (void)context;
    syn_sort(x, n);
    return syn_quantile_sorted(x, n, 0.5);
}

void syn_resample(struct syn_random *random, const double *x, size_t n, size_t block, double *to)
{
    const struct syn_random_range starts = syn_random_range_of(n);
    for (size_t filled = 0; filled < n;) {
        size_t from = (size_t)syn_random_in(random, &starts);
        for (size_t i = 0; i < block && filled < n; i++) {
            to[filled++] = x[from];
            from = from + 1 < n ? from + 1 : 0;
        }
    }
}

/* Returns the order statistic at the (fractional, 1-based) rank, interpolated on the normal scale.
 */
static double replicate_at(const double *sorted, size_t count, double rank)
{
    double k = trunc(rank), total = (double)count + 1;
    if (k < 1 || k >= (double)count)
        return k == (double)count && rank == k ? sorted[count - 1] : NAN;
    double low = sorted[(size_t)k - 1], high = sorted[(size_t)k];
    if (k == rank)
        return low;
    double z_low = qnorm(k / total, 0, 1, 1, 0), z_high = qnorm((k + 1) / total, 0, 1, 1, 0);
    double z = qnorm(rank / total, 0, 1, 1, 0);
    return low + (z - z_low) / (z_high - z_low) * (high - low);
}

void syn_percentile_interval(const double *sorted, size_t count, double confidence, double *low,
                             double *high)
{
    *low = replicate_at(sorted, count, ((double)count + 1) * ((1 - confidence) / 2));
    *high = replicate_at(sorted, count, ((double)count + 1) * ((1 + confidence) / 2));
}

void syn_bootstrap_summarize(double *t, size_t count, double confidence, struct syn_bootstrap *out)
{
    syn_sort(t, count);
    out->bias = syn_mean(t, count) - out->estimate;
    out->se = sqrt(syn_variance(t, count));
    syn_percentile_interval(t, count, confidence, &out->low, &out->high);
}

int syn_bootstrap(const double *x, size_t n, syn_statistic statistic, const void *context,
                  const struct syn_resampling *how, struct syn_bootstrap *out)
{
    *out = (struct syn_bootstrap){NAN, NAN, NAN, NAN, NAN};
    if (n < 2 || how->replicates < 2 || how->block_length < 1 ||
        !(how->confidence > 0 && how->confidence < 1))
        return SYN_EINVAL;
    SYN_FREED double *copy = malloc(n * sizeof *copy), *t = malloc(how->replicates * sizeof *t);
    int status = copy && t ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK) {
        struct syn_random random;
        syn_random_seed(&random, how->seed);
        memcpy(copy, x, n * sizeof *x);
        out->estimate = statistic(copy, n, context);
        for (size_t i = 0; i < how->replicates; i++) {
            syn_resample(&random, x, n, how->block_length, copy);
            t[i] = statistic(copy, n, context);
        }
        syn_bootstrap_summarize(t, how->replicates, how->confidence, out);
    }
    return status;
}

size_t syn_block_length(size_t n, double phi)
{
    if (!(phi > 1) || n < 16)
        return 1;
    double length = ceil(cbrt(0.375 * phi * phi * (double)n));
    return (size_t)fmax(1, fmin(length, (double)(n / 4)));
}
