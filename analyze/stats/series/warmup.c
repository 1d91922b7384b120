/* analyze/stats/series/warmup.c - finds a warm-up, and judges first calls over many series. */
#include "analyze/stats/series/warmup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/series/longrun.h"
#include "analyze/stats/series/waves.h"
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

size_t syn_mser_cut(const double *x, size_t n)
{
    size_t best = 0;
    double least = INFINITY, mean = 0, squares = 0;
    for (size_t d = n;
         d-- > 0;) { /* from the end, so that mean and squares gain one value each time (Welford) */
        double count = (double)(n - d), step = x[d] - mean;
        mean += step / count;
        squares += step * (x[d] - mean);
        if (d > n / 2)
            continue;
        double criterion = squares / (count * count);
        if (criterion <= least) {
            least = criterion;
            best = d;
        }
    }
    return n < 2 ? 0 : best;
}

/* Up to this number of (effective) values the exact distribution of a sum of uniform numbers is
 * used, not its normal approximation. */
#define IRWIN_HALL_MAX 8

/* Returns the probability that the sum of `count` independent uniform numbers is at most s
 * (Irwin-Hall), for s up to count / 2. */
static double sum_of_uniforms(double s, int count)
{
    double sum = 0, choose_k = 1, factorial = 1;
    for (int k = 0; k <= s; k++) {
        sum += (k % 2 ? -1 : 1) * choose_k * pow(s - k, count);
        choose_k *= (double)(count - k) / (k + 1);
    }
    for (int k = 2; k <= count; k++)
        factorial *= k;
    return sum / factorial;
}

/* Returns the two-sided p of U pairs in which one of `head` values exceeds one of `rest`.
 * Consecutive values of a dependent series are similar: phi of them count as one. */
static double head_p(double U, double head, double rest, double ties, double phi)
{
    double low = U / (head * rest), inflation = fmin(phi, head),
           effective = fmax(1, round(head / inflation));
    low = fmin(low, 1 - low);
    if (effective <= IRWIN_HALL_MAX) {
        /* The values of the head lie at the mean fraction `low` (up to 1/2, from the nearer end) of
         * the `rest` values. Compared with many values, the places of a few independent values are
         * uniform. The sum is raised by the ranks of the few among themselves, so that p is never
         * below the exact one. */
        double s = fmin(effective / 2, low * effective + effective * (effective + 1) / 2 /
                                                             ((rest / phi) + effective));
        return fmin(1, 2 * sum_of_uniforms(s, (int)effective));
    }
    double n = head + rest,
           variance = head * rest / 12 * (n + 1 - ties / (n * (n - 1))) * inflation;
    double d = fmax(0, (0.5 - low) * head * rest - 0.5);
    return variance > 0 ? 2 * pnorm(-d / sqrt(variance), 0, 1, 1, 0) : 1;
}

/* If there are more values than one for this number of others, sorting is faster than a search for
 * each. */
#define MANY_SHARE 16

static double ties_of(const double *sorted, size_t n)
{
    double ties = 0;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && sorted[end] == sorted[first];)
            end++;
        double t = (double)(end - first);
        ties += t * t * t - t;
    }
    return ties;
}

/* Returns the number of pairs in which x [count] exceeds ascending rest, ties counted half. Sums of
 * halves are exact in any order. Many values are sorted and compared in one pass over both. scratch
 * [count]. */
static double pairs_won(const double *x, size_t count, const double *rest, size_t rest_count,
                        double *scratch)
{
    double won = 0;
    if (count < rest_count / MANY_SHARE) {
        for (size_t i = 0; i < count; i++) {
            /* Count the values of `rest` below v, equal ones half. */
            const double v = x[i];
            size_t low = 0, high = rest_count;
            while (low < high) {
                size_t middle = (low + high) / 2;
                if (rest[middle] < v)
                    low = middle + 1;
                else
                    high = middle;
            }
            size_t first = low;
            for (high = rest_count; low < high;) {
                size_t middle = (low + high) / 2;
                if (rest[middle] <= v)
                    low = middle + 1;
                else
                    high = middle;
            }
            won += (double)first + (double)(low - first) / 2;
        }
        return won;
    }
    memcpy(scratch, x, count * sizeof *x);
    syn_sort(scratch, count);
    size_t below = 0, until = 0; /* numbers of `rest` below the value; and at or below it */
    for (size_t i = 0; i < count; i++) {
        while (below < rest_count && rest[below] < scratch[i])
            below++;
        until = syn_largest(below, until);
        while (until < rest_count && rest[until] <= scratch[i])
            until++;
        won += (double)below + (double)(until - below) / 2;
    }
    return won;
}

/* A head is compared with the values after it, in a range of BEHIND times its length. */
#define BEHIND 8

/* Returns whether the head of x [n] differs more than a slow wave explains. */
static bool is_beyond_waves(const double *x, size_t n, size_t head)
{
    const size_t wanted = syn_largest(BEHIND * head, (size_t)SYN_WAVES_VALUES);
    return syn_waves_ratio_of_change(x, syn_least(wanted, n), head) >= SYN_WAVES_WARMUP;
}

/* Finds the warm-up. rank [2n], order [n]: scratch. */
static void find_with(const double *x, size_t n, double alpha, double *rank, size_t *order,
                      struct syn_warmup *out)
{
    size_t half = n / 2, rest = n - half;
    memcpy(rank, x + half, rest * sizeof *rank);
    syn_sort(rank, rest);
    double phi = fmax(1, syn_dependence_factor_of_sorted(x + half, rank, rest));
    syn_midranks(x + half, rest, rank + n, order);
    phi = fmax(phi, syn_slow_factor(rank + n, rest));
    /* p is the smallest over heads of doubling length, times their number. */
    double U = 0, p = 1, heads = 0, ties = ties_of(rank, rest);
    size_t counted = 0;
    for (size_t head = 1; head <= n - rest; head *= 2) {
        U += pairs_won(x + counted, head - counted, rank, rest, rank + n);
        counted = head;
        p = fmin(p, head_p(U, (double)head, (double)rest, ties, phi));
        heads++;
    }
    out->p = fmin(1, p * heads);
    if (!(out->p < alpha))
        return;
    syn_midranks(x, n, rank, order);
    out->settled_at = syn_mser_cut(rank, n);
    if (out->settled_at > 0 && !is_beyond_waves(x, n, out->settled_at))
        out->settled_at = 0;
    out->unsettled = out->settled_at >= half;
    if (out->settled_at == 0)
        return;
    const double before = syn_median_of(x, out->settled_at, rank);
    const double ratio = before / syn_median_of(x + out->settled_at, n - out->settled_at, rank);
    if (ratio > 1) {
        out->ratio = ratio;
        return;
    }
    out->settled_at = 0; /* a series that begins faster has no warm-up */
    out->unsettled = 0;
}

int syn_warmup_find(const double *x, size_t n, double alpha, struct syn_warmup *out)
{
    *out = (struct syn_warmup){0, NAN, NAN, 0};
    if (n < 20 || !(alpha > 0 && alpha < 1))
        return SYN_EINVAL;
    SYN_FREED double *rank = malloc(2 * n * sizeof *rank);
    SYN_FREED size_t *order = malloc(n * sizeof *order);
    int status = rank && order ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK)
        find_with(x, n, alpha, rank, order, out);
    return status;
}

/* ---- first calls ---- */

static bool is_above(size_t count, size_t of, double expected)
{
    return (double)count > expected &&
           syn_binomial_test(count, of, expected / (double)of) < SYN_FIRST_CALLS_ALPHA;
}

int syn_first_calls_are_slow(const struct syn_first_calls *calls)
{
    const size_t first = calls->first_slowest, ends = first + calls->last_slowest;
    if (first < 3)
        return 0;
    return is_above(first, calls->series, calls->expected_dependent) ||
           (is_above(first, calls->series, calls->expected) &&
            is_above(first, ends, (double)ends / 2));
}
