/* analyze/stats/samples/adjust.c - the binomial test, and the adjustment of p-values of many tests.
 */
#include <stdlib.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

/* Returns how many counts, from the far end inwards, are no likelier than `limit`. The density
 * grows from the far end to the mode, so bisection finds the number without a sum of up to n terms.
 */
static double count_unlikely(double far_end, double mode_end, double n, double p0, double limit)
{
    double step = far_end < mode_end ? 1 : -1;
    double low = 0, high = fabs(mode_end - far_end) +
                           1; /* the first `low` are unlikely, those from `high` on are not */
    while (low < high) {
        double middle = floor((low + high) / 2);
        if (dbinom(far_end + step * middle, n, p0, 0) <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double binomial_test(size_t successes, size_t n, double p0)
{
    const double tolerance =
        1 + 1e-7; /* R's tolerance: counts as likely as the observed one are included */
    double x = (double)successes, count = (double)n, expected = count * p0;
    if (successes > n || !(p0 >= 0 && p0 <= 1))
        return NAN;
    if (p0 == 0 || p0 == 1)
        return x == expected;
    if (x == expected)
        return 1;
    double limit = dbinom(x, count, p0, 0) * tolerance;
    if (x < expected) {
        double other = count_unlikely(count, ceil(expected), count, p0, limit);
        return fmin(1, pbinom(x, count, p0, 1, 0) + pbinom(count - other, count, p0, 0, 0));
    }
    double other = count_unlikely(0, floor(expected), count, p0, limit);
    return fmin(1, pbinom(other - 1, count, p0, 1, 0) + pbinom(x - 1, count, p0, 0, 0));
}

/* Number of results that a thread keeps, each at a place that its arguments determine. Many call
 * sites are called as often as others, by as many ranks, so the same test is repeated often. */
#define KNOWN_ANSWERS 1024

double syn_binomial_test(size_t successes, size_t n, double p0)
{
    static _Thread_local struct answer {
        size_t successes, n;
        double p0, p;
    } known[KNOWN_ANSWERS];
    struct answer *answer = &known[(successes + 31 * n) % KNOWN_ANSWERS];
    if (answer->successes != successes || answer->n != n || answer->p0 != p0 || n == 0)
        *answer = (struct answer){successes, n, p0, binomial_test(successes, n, p0)};
    return answer->p;
}

static double *member(double *p, size_t stride, size_t i)
{
    return (double *)((char *)p + i * stride);
}

/* Returns the indices of the p-values that are numbers, by ascending p. NULL without memory. */
static size_t *order_numbers(double *p, size_t stride, size_t n, size_t *count)
{
    size_t *order = malloc((n + 1) * sizeof *order);
    SYN_FREED double *copy = malloc((n + 1) * sizeof *copy);
    SYN_FREED size_t *index = malloc((n + 1) * sizeof *index);
    *count = 0;
    if (order && copy && index) {
        for (size_t i = 0; i < n; i++) {
            const double value = *member(p, stride, i);
            if (isnan(value))
                continue;
            copy[*count] = value;
            index[(*count)++] = i;
        }
        syn_order(copy, *count, order);
        for (size_t i = 0; i < *count; i++)
            order[i] = index[order[i]];
    } else {
        free(order);
        order = NULL;
    }
    return order;
}

int syn_adjust_holm_in(double *p, size_t stride, size_t n)
{
    size_t count;
    SYN_FREED size_t *order = order_numbers(p, stride, n, &count);
    if (!order)
        return SYN_ENOMEM;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double *at = member(p, stride, order[i]);
        largest = fmax(largest, (double)(count - i) * *at);
        *at = fmin(1, largest);
    }
    return SYN_OK;
}

int syn_adjust_bh_in(double *p, size_t stride, size_t n)
{
    size_t count;
    SYN_FREED size_t *order = order_numbers(p, stride, n, &count);
    if (!order)
        return SYN_ENOMEM;
    double smallest = 1;
    for (size_t i = count; i-- > 0;) {
        double *at = member(p, stride, order[i]);
        smallest = fmin(smallest, (double)count / (double)(i + 1) * *at);
        *at = smallest;
    }
    return SYN_OK;
}
