/* analyze/stats/samples/compare.c - rank tests and effect sizes of two samples, or of pairs. */
#include "analyze/stats/samples/compare.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

/* R uses the exact distribution below this size. */
#define EXACT_BELOW 50

struct rank_sum {
    double U, ties; /* ties: sum of t^3 - t */
};

static int rank_sum_of(const double *x, size_t nx, const double *y, size_t ny, struct rank_sum *out)
{
    size_t n = nx + ny;
    SYN_FREED double *value = malloc(2 * n * sizeof *value);
    SYN_FREED size_t *order = malloc(n * sizeof *order);
    int status = value && order ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK) {
        memcpy(value, x, nx * sizeof *x);
        memcpy(value + nx, y, ny * sizeof *y);
        double *rank = value + n, sum = 0;
        out->ties = syn_midranks(value, n, rank, order);
        for (size_t i = 0; i < nx; i++)
            sum += rank[i]; /* halves: exact */
        out->U = sum - (double)nx * ((double)nx + 1) / 2;
    }
    return status;
}

static double exact_p(double U, double nx, double ny, enum syn_side side)
{
    double p;
    if (side == SYN_LESS)
        p = pwilcox(U, nx, ny, 1, 0);
    else if (side == SYN_GREATER)
        p = pwilcox(U - 1, nx, ny, 0, 0);
    else if (U > nx * ny / 2)
        p = fmin(1, 2 * pwilcox(U - 1, nx, ny, 0, 0));
    else
        p = fmin(1, 2 * pwilcox(U, nx, ny, 1, 0));
    wilcox_free();
    return p;
}

/* Standard deviation of U under the null hypothesis. */
static double sigma_of_u(double nx, double ny, double ties)
{
    double n = nx + ny;
    return sqrt(nx * ny / 12 * (n + 1 - ties / (n * (n - 1))));
}

/* Returns p of the normal approximation. `distance`: of a rank sum from its mean, before the
 * correction for continuity. */
static double normal_p(double distance, double sigma, enum syn_side side)
{
    if (!(sigma > 0))
        return 1;
    if (side == SYN_LESS)
        return pnorm((distance + 0.5) / sigma, 0, 1, 1, 0);
    if (side == SYN_GREATER)
        return pnorm((distance - 0.5) / sigma, 0, 1, 0, 0);
    const double correction = distance > 0 ? 0.5 : distance < 0 ? -0.5 : 0;
    return fmin(1, 2 * pnorm(-fabs((distance - correction) / sigma), 0, 1, 1, 0));
}

double syn_wilcoxon_normal_p(double U, double nx, double ny, double ties, enum syn_side side)
{
    return normal_p(U - nx * ny / 2, sigma_of_u(nx, ny, ties), side);
}

int syn_wilcoxon_test(const double *x, size_t nx, const double *y, size_t ny, enum syn_side side,
                      struct syn_wilcoxon *out)
{
    struct rank_sum sum;
    *out = (struct syn_wilcoxon){NAN, NAN, 0};
    if (nx == 0 || ny == 0)
        return SYN_EINVAL;
    int status = rank_sum_of(x, nx, y, ny, &sum);
    if (status != SYN_OK)
        return status;
    out->U = sum.U;
    out->exact = nx < EXACT_BELOW && ny < EXACT_BELOW && sum.ties == 0;
    out->p = out->exact ? exact_p(sum.U, (double)nx, (double)ny, side)
                        : syn_wilcoxon_normal_p(sum.U, (double)nx, (double)ny, sum.ties, side);
    return SYN_OK;
}

/* ---- pairs ---- */

/* Standard deviation of the signed-rank sum under the null hypothesis. */
static double sigma_of_v(double n, double ties)
{
    return sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48);
}

/* Signed-rank sums of n < EXACT_BELOW values: the number of subsets of the ranks 1..n with each
 * sum, whole numbers below 2^50. RATIONALE: R's psignrank has the same figures in a table that
 * threads share. */
struct signed_ranks {
    double subsets[EXACT_BELOW * (EXACT_BELOW - 1) / 2 + 1];
    size_t n;
};

static void count_subsets(struct signed_ranks *out, size_t n)
{
    *out = (struct signed_ranks){{1}, n};
    for (size_t rank = 1, most = 0; rank <= n; rank++) {
        most += rank;
        for (size_t sum = most; sum >= rank; sum--)
            out->subsets[sum] += out->subsets[sum - rank];
    }
}

/* Returns the probability of a sum of at most V. */
static double signed_rank_probability(const struct signed_ranks *of, double V)
{
    double up_to = 0;
    for (size_t sum = 0; sum <= of->n * (of->n + 1) / 2 && (double)sum <= V; sum++)
        up_to += of->subsets[sum];
    return up_to / pow(2, (double)of->n);
}

static double exact_pairs_p(double V, size_t n, enum syn_side side)
{
    struct signed_ranks ranks;
    count_subsets(&ranks, n);
    const double below = signed_rank_probability(&ranks, V);
    const double above = 1 - signed_rank_probability(&ranks, V - 1);
    return side == SYN_LESS ? below : side == SYN_GREATER ? above : fmin(1, 2 * fmin(below, above));
}

int syn_signed_rank_test(const double *difference, size_t n, enum syn_side side,
                         struct syn_wilcoxon *out)
{
    size_t kept = 0;
    SYN_FREED double *size = malloc(2 * (n + 1) * sizeof *size);
    double *rank = size + n + 1;
    SYN_FREED size_t *order = malloc((n + 1) * sizeof *order);
    int status = n == 0 ? SYN_EINVAL : size && order ? SYN_OK : SYN_ENOMEM;
    *out = (struct syn_wilcoxon){NAN, NAN, 0};
    if (status == SYN_OK) {
        for (size_t i = 0; i < n; i++)
            if (difference[i] != 0)
                size[kept++] = fabs(difference[i]);
        const double ties = syn_midranks(size, kept, rank, order), count = (double)kept;
        out->U = 0;
        for (size_t i = 0, k = 0; i < n; i++) {
            out->U += difference[i] > 0 ? rank[k] : 0;
            k += difference[i] != 0;
        }
        out->exact = n < EXACT_BELOW && kept == n && ties == 0;
        out->p = out->exact
                     ? exact_pairs_p(out->U, n, side)
                     : normal_p(out->U - count * (count + 1) / 4, sigma_of_v(count, ties), side);
    }
    return status;
}

double syn_vargha_delaney(const double *x, size_t nx, const double *y, size_t ny)
{
    struct rank_sum sum;
    if (nx == 0 || ny == 0 || rank_sum_of(x, nx, y, ny, &sum) != SYN_OK)
        return NAN;
    return sum.U / ((double)nx * (double)ny);
}

/* ---- Hodges-Lehmann ---- */

/* Returns the number of differences x[i] - y[j] of ascending x, y that are <= d. One pass over both
 * is enough, because rounded subtraction is monotone. */
static double count_differences(const double *x, size_t nx, const double *y, size_t ny, double d)
{
    double count = 0;
    size_t first = 0; /* first y with x[i] - y <= d; does not decrease with x[i] */
    for (size_t i = 0; i < nx; i++) {
        while (first < ny && x[i] - y[first] > d)
            first++;
        count += (double)(ny - first);
    }
    return count;
}

/* Two ascending samples, whose differences x - y are needed. If is_one, y is -x, so the differences
 * are the sums of two values of x; each sum of two different values counts once (the Walsh
 * averages, doubled). */
struct sorted_pair {
    double *x, *y;
    size_t nx, ny;
    bool is_one;
};

static double number_of_differences(const struct sorted_pair *s)
{
    const double nx = (double)s->nx;
    return s->is_one ? nx * (nx + 1) / 2 : nx * (double)s->ny;
}

/* Returns the k-th smallest (from 1) of all differences, or of all Walsh averages: the least number
 * that at least k of them do not exceed. Bisects the range of the numbers' bits, so 64 counts are
 * enough for any size, and no list of differences is made. */
static double difference_at(const struct sorted_pair *s, double k)
{
    uint64_t low = syn_key_of(s->x[0] - s->y[s->ny - 1]),
             high = syn_key_of(s->x[s->nx - 1] - s->y[0]);
    k = fmin(fmax(k, 1), number_of_differences(s));
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const double d = syn_number_of(middle);
        double count = count_differences(s->x, s->nx, s->y, s->ny, d), doubled = 0;
        for (size_t i = 0; i < s->nx && s->is_one; i++)
            doubled += 2 * s->x[i] <= d;
        if ((s->is_one ? (count + doubled) / 2 : count) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return syn_number_of(low) / (s->is_one ? 2 : 1) + 0.0; /* -0 becomes 0 */
}

static double median_difference(const struct sorted_pair *s)
{
    double pairs = number_of_differences(s), half = floor((pairs + 1) / 2);
    double low = difference_at(s, half);
    return fmod(pairs, 2) == 1 ? low : (low + difference_at(s, half + 1)) / 2;
}

/* Returns k, where the interval begins at the k-th difference from either end; *achieved: the
 * probability that the interval misses. */
static double exact_rank(const struct sorted_pair *s, double alpha, double *achieved)
{
    double nx = (double)s->nx, ny = (double)s->ny, k = 1;
    struct signed_ranks ranks;
    if (!s->is_one) {
        k = fmax(1, qwilcox(alpha / 2, nx, ny, 1, 0));
        *achieved = 2 * pwilcox(k - 1, nx, ny, 1, 0);
        wilcox_free();
        return k;
    }
    count_subsets(&ranks, s->nx);
    while (signed_rank_probability(&ranks, k) < alpha / 2)
        k++;
    *achieved = 2 * signed_rank_probability(&ranks, k - 1);
    return k;
}

static void exact_interval(const struct sorted_pair *s, double alpha, struct syn_shift *out)
{
    double achieved, k = exact_rank(s, alpha, &achieved);
    out->low = difference_at(s, k);
    out->high = difference_at(s, number_of_differences(s) - k + 1);
    out->confidence = achieved > alpha ? 1 - achieved : 1 - alpha;
}

/* Computes the interval of the normal approximation. U(d), of x - d against y, decreases in steps
 * at the differences. Its normal score passes +-z at the first difference above which fewer than
 * N/2 +- (1/2 + z sigma) pairs remain. sigma includes the ties within x and within y, which a shift
 * does not change. Likewise for V(d), of x - d. */
static void normal_interval(const struct sorted_pair *s, double alpha, double inner_ties,
                            struct syn_shift *out)
{
    double nx = (double)s->nx, half = number_of_differences(s) / 2;
    double sigma =
        s->is_one ? sigma_of_v(nx, inner_ties) : sigma_of_u(nx, (double)s->ny, inner_ties);
    double reach = 0.5 + qnorm(1 - alpha / 2, 0, 1, 1, 0) * sigma;
    out->low = difference_at(s, floor(half - reach) + 1);
    out->high = difference_at(s, floor(half + reach) + 1);
    out->confidence = 1 - alpha;
}

static double ties_of_sorted(const double *x, size_t n)
{
    double ties = 0;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && x[end] == x[first];)
            end++;
        double t = (double)(end - first);
        ties += t * t * t - t;
    }
    return ties;
}

static int any_common(const struct sorted_pair *s)
{
    for (size_t i = 0, j = 0; i < s->nx && j < s->ny;) {
        if (s->x[i] == s->y[j])
            return 1;
        if (s->x[i] < s->y[j])
            i++;
        else
            j++;
    }
    return 0;
}

static int sorted_pair_new(struct sorted_pair *s, const double *x, size_t nx, const double *y,
                           size_t ny, double (*map)(double))
{
    *s = (struct sorted_pair){malloc((nx + ny) * sizeof *x), NULL, nx, ny, false};
    if (!s->x)
        return SYN_ENOMEM;
    s->y = s->x + nx;
    for (size_t i = 0; i < nx; i++)
        s->x[i] = map ? map(x[i]) : x[i];
    for (size_t i = 0; i < ny; i++)
        s->y[i] = map ? map(y[i]) : y[i];
    syn_sort(s->x, nx);
    syn_sort(s->y, ny);
    return SYN_OK;
}

static int mapped_shift(const double *x, size_t nx, const double *y, size_t ny, double confidence,
                        double (*map)(double), struct syn_shift *out)
{
    struct sorted_pair s;
    *out = (struct syn_shift){NAN, NAN, NAN, NAN, 0};
    if (nx == 0 || ny == 0 || !(confidence > 0 && confidence < 1))
        return SYN_EINVAL;
    int status = sorted_pair_new(&s, x, nx, y, ny, map);
    if (status != SYN_OK)
        return status;
    double inner_ties = ties_of_sorted(s.x, s.nx) + ties_of_sorted(s.y, s.ny);
    out->exact = s.nx < EXACT_BELOW && s.ny < EXACT_BELOW && inner_ties == 0 && !any_common(&s);
    out->estimate = median_difference(&s);
    if (out->exact)
        exact_interval(&s, 1 - confidence, out);
    else
        normal_interval(&s, 1 - confidence, inner_ties, out);
    free(s.x);
    return SYN_OK;
}

int syn_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny, double confidence,
                       struct syn_shift *out)
{
    return mapped_shift(x, nx, y, ny, confidence, NULL, out);
}

int syn_pairs_shift(const double *difference, size_t n, double confidence, struct syn_shift *out)
{
    struct sorted_pair s;
    *out = (struct syn_shift){NAN, NAN, NAN, NAN, 0};
    if (n == 0 || !(confidence > 0 && confidence < 1))
        return SYN_EINVAL;
    int status = sorted_pair_new(&s, difference, n, difference, n, NULL);
    if (status != SYN_OK)
        return status;
    s.is_one = true;
    for (size_t i = 0; i < n; i++)
        s.y[i] = -s.x[n - 1 - i];
    const double ties = ties_of_sorted(s.x, n);
    /* a value in both is a zero, or its opposite is in the sample as well */
    out->exact = n < EXACT_BELOW && ties == 0 && !any_common(&s);
    out->estimate = median_difference(&s);
    if (out->exact)
        exact_interval(&s, 1 - confidence, out);
    else
        normal_interval(&s, 1 - confidence, ties, out);
    free(s.x);
    return SYN_OK;
}

static int all_positive(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0))
            return 0;
    return 1;
}

int syn_ratio(const double *b, size_t nb, const double *a, size_t na, double confidence,
              struct syn_shift *out)
{
    *out = (struct syn_shift){NAN, NAN, NAN, NAN, 0};
    if (!all_positive(b, nb) || !all_positive(a, na))
        return SYN_EINVAL;
    int status = mapped_shift(b, nb, a, na, confidence, log, out);
    if (status != SYN_OK)
        return status;
    out->estimate = exp(out->estimate);
    out->low = exp(out->low);
    out->high = exp(out->high);
    return SYN_OK;
}
