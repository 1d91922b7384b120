/* analyze/stats/series/sequence.c - the confidence sequence of a median. */
#include "analyze/stats/series/sequence.h"

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"

/* Returns whether a median with k of n values below it is excluded. */
static int is_excluded(size_t n, size_t k, double confidence)
{
    const double count = (double)n;
    return count * M_LN2 - log1p(count) - lchoose(count, (double)k) >= -log1p(-confidence);
}

size_t syn_median_sequence_rank(size_t n, double confidence)
{
    size_t k = 0;
    while (2 * k < n && is_excluded(n, k, confidence))
        k++;
    return k;
}

size_t syn_median_sequence_least(double confidence)
{
    size_t n = 1;
    while (!is_excluded(n, 0, confidence))
        n++;
    return n;
}

struct syn_sequence syn_median_sequence(double *x, size_t n, double confidence)
{
    const size_t rank = syn_median_sequence_rank(n, confidence);
    struct syn_sequence sequence = {NAN, NAN, NAN};
    syn_sort(x, n);
    sequence.median = syn_quantile_sorted(x, n, 0.5);
    if (rank > 0) {
        sequence.low = x[rank - 1];
        sequence.high = x[n - rank];
    }
    return sequence;
}
