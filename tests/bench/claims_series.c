/* tests/bench/claims_series.c - one series of calls: do the intervals that are shown cover the
 * median? */
#include <math.h>

#include "analyze/stats/stats.h"
#include "claims.h"

struct setting {
    size_t n;
    double phi;
    double waves; /* share of the variance that has phi; the rest is independent */
};

enum { INDEPENDENT_COVERS, SHOWN, SHOWN_COVERS };

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    double *x = malloc(2 * s->n * sizeof *x);
    struct syn_summary summary;
    simulate_ar1(random, s->phi, x, s->n);
    for (size_t i = 0; i < s->n; i++)
        x[i] = sqrt(s->waves) * x[i] + sqrt(1 - s->waves) * simulate_normal(random);
    syn_summarize(x, s->n, 0.95, x + s->n, &summary);
    counts->of[INDEPENDENT_COVERS] += summary.ci_low <= 0 && 0 <= summary.ci_high;
    counts->of[SHOWN] += !isnan(summary.ci_dependent_low);
    counts->of[SHOWN_COVERS] += summary.ci_dependent_low <= 0 && 0 <= summary.ci_dependent_high;
    free(x);
}

void claims_of_intervals(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99};
    static const size_t n[] = {20, 50, 100, 300, 1000, 10000};
    printf("phi,waves,n,covers_as_if_independent,shown,shown_and_false,covers_where_shown\n");
    for (size_t at = 0; at < 2 * 4 * 6; at++) {
        struct setting s = {n[at % 6], phi[at / 6 % 4], at < 24 ? 1 : 0.3};
        if (s.waves < 1 && s.phi == 0)
            continue;
        size_t trials = s.n > 1000 ? trial_count / 4 : trial_count;
        struct claims_counts c = claims_run(trial, &s, trials, 4);
        double t = (double)trials / 100, shown = c.of[SHOWN];
        printf("%g,%g,%zu,%.1f,%.1f,%.2f,%.1f\n", s.phi, s.waves, s.n, c.of[INDEPENDENT_COVERS] / t,
               shown / t, (shown - c.of[SHOWN_COVERS]) / t, 100 * c.of[SHOWN_COVERS] / shown);
        fflush(stdout);
    }
}
