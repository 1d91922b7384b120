/* analyze/stats/series/waves.c - see waves.h. */
#include "analyze/stats/series/waves.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"

/* Least share of the variation that is left, because a shape may explain all of it. */
#define LEFT_LEAST 1e-12

/* A wave with noise. The covariances are V = s R + (1 - s) I, where s is the share of the wave and
 * R the correlations of an autoregression. The inverse of R is Q / (1 - phi^2), Q tridiagonal, so
 * V^-1 = T^-1 Q with T = s (1 - phi^2) I + (1 - s) Q: one elimination, linear in n. */
struct wave {
    double phi, share;
};

/* The columns: the series, the shape of the change, and 1. */
enum { Y, SHAPE, ONE, COLUMNS };

struct columns {
    const double *y, *shape; /* [n] */
    size_t n;
    double *pivot;           /* [n] */
    double *solved[COLUMNS]; /* [n] */
};

static double value(const struct columns *c, int column, size_t i)
{
    return column == Y ? c->y[i] : column == SHAPE ? c->shape[i] : 1;
}

/* Returns (Q x)_i of a column. */
static double times_q(const struct columns *c, int column, double phi, size_t i)
{
    const int at_end = i == 0 || i + 1 == c->n;
    double sum = (at_end ? 1 : 1 + phi * phi) * value(c, column, i);
    if (i > 0)
        sum -= phi * value(c, column, i - 1);
    if (i + 1 < c->n)
        sum -= phi * value(c, column, i + 1);
    return sum;
}

/* Solves T x = Q column for all columns. Returns log |V|. */
static double solve(const struct columns *c, struct wave w)
{
    const double least = w.share * (1 - w.phi * w.phi), beside = -(1 - w.share) * w.phi;
    double log_determinant = -log(1 - w.phi * w.phi);
    for (size_t i = 0; i < c->n; i++) {
        const int at_end = i == 0 || i + 1 == c->n;
        const double diagonal = least + (1 - w.share) * (at_end ? 1 : 1 + w.phi * w.phi);
        const double factor = i > 0 ? beside / c->pivot[i - 1] : 0;
        c->pivot[i] = diagonal - factor * beside;
        log_determinant += log(c->pivot[i]);
        for (int k = 0; k < COLUMNS; k++)
            c->solved[k][i] = times_q(c, k, w.phi, i) - (i > 0 ? factor * c->solved[k][i - 1] : 0);
    }
    for (size_t i = c->n; i-- > 0;)
        for (int k = 0; k < COLUMNS; k++) {
            const double next = i + 1 < c->n ? beside * c->solved[k][i + 1] : 0;
            c->solved[k][i] = (c->solved[k][i] - next) / c->pivot[i];
        }
    return log_determinant;
}

static double product(const struct columns *c, int left, int right)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++)
        sum += value(c, left, i) * c->solved[right][i];
    return sum;
}

/* -2 log likelihood, without terms that are the same for all waves: for the model without the
 * shape, and for that with it. */
struct fits {
    double without, with;
};

static struct fits fit(const struct columns *c, struct wave w)
{
    const double log_determinant = solve(c, w), n = (double)c->n;
    const double one = product(c, ONE, ONE), one_y = product(c, ONE, Y),
                 one_shape = product(c, ONE, SHAPE);
    const double y = product(c, Y, Y) - one_y * one_y / one;
    const double shape = product(c, SHAPE, SHAPE) - one_shape * one_shape / one;
    const double both = product(c, SHAPE, Y) - one_y * one_shape / one;
    const double left = fmax(y - both * both / shape, LEFT_LEAST * y);
    return (struct fits){n * log(y) + log_determinant, n * log(left) + log_determinant};
}

/* ---- of a series ---- */

/* Replaces y [count * size] by the means of its stretches, y [count]. */
static void take_means(double *y, size_t count, size_t size)
{
    for (size_t k = 0; k < count; k++) {
        double sum = 0;
        for (size_t i = 0; i < size; i++)
            sum += y[k * size + i];
        y[k] = sum / (double)size;
    }
}

/* Returns the ratio (waves.h). y, shape [n], order [n]: scratch. */
static double ratio_of(const double *x, size_t n, size_t at, double *y, double *shape,
                       size_t *order)
{
    const size_t size = (n + SYN_WAVES_VALUES - 1) / SYN_WAVES_VALUES, count = n / size;
    syn_midranks(x, n, y, order);
    for (size_t i = 0; i < n; i++) {
        y[i] = qnorm((y[i] - 0.5) / (double)n, 0, 1, 1, 0);
        shape[i] = at == 0 ? (double)i - ((double)n - 1) / 2 : i >= at;
    }
    take_means(y, count, size);
    take_means(shape, count, size);
    SYN_FREED double *space = count < 8 ? NULL : malloc((COLUMNS + 1) * count * sizeof *space);
    if (!space)
        return NAN;
    const struct columns c = {
        y, shape, count, space, {space + count, space + 2 * count, space + 3 * count}};
    /* The waves that are tried. A denser grid changes the ratio by less than 1. */
    static const double phi[] = {0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.9995};
    static const double share[] = {0.01, 0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95, 1};
    struct fits least = fit(&c, (struct wave){0, 0});
    for (size_t p = 0; p < sizeof phi / sizeof *phi; p++)
        for (size_t s = 0; s < sizeof share / sizeof *share; s++) {
            const struct fits one = fit(&c, (struct wave){phi[p], share[s]});
            least.without = fmin(least.without, one.without);
            least.with = fmin(least.with, one.with);
        }
    return isfinite(least.with) ? fmax(0, least.without - least.with) : NAN;
}

double syn_waves_ratio_of_change(const double *x, size_t n, size_t at)
{
    if (n < 8)
        return NAN;
    SYN_FREED double *y = malloc(2 * n * sizeof *y);
    double ratio = NAN;
    SYN_FREED size_t *order = malloc(n * sizeof *order);
    if (y && order)
        ratio = ratio_of(x, n, at, y, y + n, order);
    return ratio;
}
