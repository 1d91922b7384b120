/* tests/bench/claims_series.c - one series of calls: do the intervals that are shown cover the
 * median? */
#include <math.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "claims.h"

enum shape { NORMAL, TIES, TWO_KINDS, HEAVY_TAILS };

struct setting {
    enum shape shape;
    size_t n;
    double phi;
    double waves; /* share of the variance that has phi; the rest is independent */
};

/* Shape a normal value. The shapes ascend, so that the median stays 0. */
static double shaped(enum shape shape, double x)
{
    switch (shape) {
    case TIES:
        return round(x);
    case TWO_KINDS: /* 60 to 40 */
        return x > 0.2533471 ? x + 5 : x;
    case HEAVY_TAILS: /* Cauchy's distribution */
        return tan(3.14159265358979 * (pnorm(x, 0, 1, 1, 0) - 0.5));
    default:
        return x;
    }
}

enum { INDEPENDENT_COVERS, SHOWN, SHOWN_COVERS };

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    double *x = malloc(2 * s->n * sizeof *x);
    struct syn_summary summary;
    simulate_ar1(random, s->phi, x, s->n);
    for (size_t i = 0; i < s->n; i++)
        x[i] =
            shaped(s->shape, sqrt(s->waves) * x[i] + sqrt(1 - s->waves) * simulate_normal(random));
    syn_summarize(x, s->n, 0.95, x + s->n, &summary);
    counts->of[INDEPENDENT_COVERS] += summary.ci_low <= 0 && 0 <= summary.ci_high;
    counts->of[SHOWN] += !isnan(summary.ci_dependent_low);
    counts->of[SHOWN_COVERS] += summary.ci_dependent_low <= 0 && 0 <= summary.ci_dependent_high;
    free(x);
}

/* One row: how many series have an interval, and how many of these contain the median, in %. */
#define SHAPES_MOST 100 /* calls of which other shapes are tried */
static void say(double phi, size_t n, size_t trial_count)
{
    const size_t trials = n > 1000 ? trial_count / 4 : trial_count;
    printf("%g,%zu", phi, n);
    for (int column = 0; column < (n > SHAPES_MOST ? 2 : 5); column++) {
        const struct setting s = {column < 2 ? NORMAL : (enum shape)(column - 1), n, phi,
                                  column == 1 ? 0.3 : 1};
        const struct claims_counts c = claims_run(trial, &s, trials, 4);
        const double t = (double)trials / 100, shown = c.of[SHOWN];
        if (column == 0)
            printf(",%.1f", c.of[INDEPENDENT_COVERS] / t);
        printf(",%.1f,", shown / t);
        if (shown >= 10)
            printf("%.1f", 100 * c.of[SHOWN_COVERS] / shown);
        else
            printf("-");
    }
    printf(n > SHAPES_MOST ? ",,,,,,\n" : "\n");
    fflush(stdout);
}

void claims_of_intervals(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99};
    static const size_t n[] = {8, 10, 20, 30, 50, 100, 300, 1000, 10000};
    enum { LENGTHS = sizeof n / sizeof *n };
    printf("phi,n,covers as if independent,shown,covers,waves: shown,covers,ties: shown,covers,"
           "two kinds: shown,covers,heavy tails: shown,covers\n");
    for (size_t at = 0; at < 4 * LENGTHS; at++)
        say(phi[at / LENGTHS], n[at % LENGTHS], trial_count);
}
