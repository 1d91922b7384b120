/* analyze/stats/samples/compare.c - rank test and effect sizes of two samples. */
#include "analyze/stats/samples/compare.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* R takes the exact distribution below this size. */
#define EXACT_BELOW 50

struct rank_sum {
    double U, ties; /* ties: sum of t^3 - t */
};

static int rank_sum_of(const double *x, size_t nx, const double *y, size_t ny, struct rank_sum *out)
{
    size_t n = nx + ny;
    double *value = malloc(2 * n * sizeof *value);
    size_t *order = malloc(n * sizeof *order);
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
    free(value);
    free(order);
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

double syn_wilcoxon_normal_p(double U, double nx, double ny, double ties, enum syn_side side)
{
    double d = U - nx * ny / 2, sigma = sigma_of_u(nx, ny, ties);
    if (!(sigma > 0))
        return 1;
    if (side == SYN_LESS)
        return pnorm((d + 0.5) / sigma, 0, 1, 1, 0);
    if (side == SYN_GREATER)
        return pnorm((d - 0.5) / sigma, 0, 1, 0, 0);
    double correction = d > 0 ? 0.5 : d < 0 ? -0.5 : 0;
    return fmin(1, 2 * pnorm(-fabs((d - correction) / sigma), 0, 1, 1, 0));
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

double syn_vargha_delaney(const double *x, size_t nx, const double *y, size_t ny)
{
    struct rank_sum sum;
    if (nx == 0 || ny == 0 || rank_sum_of(x, nx, y, ny, &sum) != SYN_OK)
        return NAN;
    return sum.U / ((double)nx * (double)ny);
}

/* ---- Hodges-Lehmann ---- */

/* The k-th smallest (from 1) of all nx * ny differences of ascending x and y: the least number that
 * k of them do not exceed. Halves the range of the numbers' bits: 64 counts hold for any size, and
 * no list of differences is made. */
static double kth_difference(const double *x, size_t nx, const double *y, size_t ny, double k)
{
    uint64_t low = syn_key_of(x[0] - y[ny - 1]), high = syn_key_of(x[nx - 1] - y[0]);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        /* How many differences x[i] - y[j] of ascending x, y are <= d. One walk over both: rounded
         * subtraction is monotone. */
        const double d = syn_number_of(middle);
        double count = 0;
        size_t first =
            0; /* of the y that are near enough below x[i], or above it: moves up with x[i] */
        for (size_t i = 0; i < nx; i++) {
            while (first < ny && x[i] - y[first] > d)
                first++;
            count += (double)(ny - first);
        }

        if (count >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return syn_number_of(low) + 0.0; /* -0 becomes 0 */
}

struct sorted_pair {
    double *x, *y;
    size_t nx, ny;
};

static double difference_at(const struct sorted_pair *s, double k)
{
    double pairs = (double)s->nx * (double)s->ny;
    return kth_difference(s->x, s->nx, s->y, s->ny, fmin(fmax(k, 1), pairs));
}

/* U(d), of x - d against y, falls in steps at the differences. Its normal score passes +-z at the
 * first difference that leaves fewer than N/2 +- (1/2 + z sigma) pairs above; sigma knows the ties
 * inside x and y, which no shift dissolves. */
static void normal_interval(const struct sorted_pair *s, double alpha, double inner_ties,
                            struct syn_shift *out)
{
    double nx = (double)s->nx, ny = (double)s->ny;
    double reach = 0.5 + qnorm(1 - alpha / 2, 0, 1, 1, 0) * sigma_of_u(nx, ny, inner_ties);
    out->low = difference_at(s, floor(nx * ny / 2 - reach) + 1);
    out->high = difference_at(s, floor(nx * ny / 2 + reach) + 1);
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

static void shift_of_sorted(const struct sorted_pair *s, double confidence, struct syn_shift *out)
{
    double inner_ties = ties_of_sorted(s->x, s->nx) + ties_of_sorted(s->y, s->ny);
    out->exact = s->nx < EXACT_BELOW && s->ny < EXACT_BELOW && inner_ties == 0 && !any_common(s);
    double pairs = (double)s->nx * (double)s->ny, half = floor((pairs + 1) / 2);
    double low = difference_at(s, half);
    out->estimate = fmod(pairs, 2) == 1 ? low : (low + difference_at(s, half + 1)) / 2;
    if (out->exact) {
        const double alpha = 1 - confidence;
        double nx = (double)s->nx, ny = (double)s->ny;
        double k = fmax(1, qwilcox(alpha / 2, nx, ny, 1, 0));
        double achieved = 2 * pwilcox(k - 1, nx, ny, 1, 0);
        wilcox_free();
        out->low = difference_at(s, k);
        out->high = difference_at(s, nx * ny - k + 1);
        out->confidence = achieved > alpha ? 1 - achieved : 1 - alpha;
    } else
        normal_interval(s, 1 - confidence, inner_ties, out);
}

static int sorted_pair_new(struct sorted_pair *s, const double *x, size_t nx, const double *y,
                           size_t ny, double (*map)(double))
{
    *s = (struct sorted_pair){malloc((nx + ny) * sizeof *x), NULL, nx, ny};
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
    shift_of_sorted(&s, confidence, out);
    free(s.x);
    return SYN_OK;
}

int syn_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny, double confidence,
                       struct syn_shift *out)
{
    return mapped_shift(x, nx, y, ny, confidence, NULL, out);
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
