/* tests/bench/claims_ranks.c - ranks whose noise persists: how often are exchangeable ones said to
 * differ, and how often is one found that does? */
#include <math.h>
#include <string.h>

#include "analyze/stats/series/longrun.h"
#include "analyze/stats/values/stats.h"
#include "claims.h"
#include "tests/unit/analyze/stats_whole.h"

struct setting {
    size_t n, k;
    double phi, common, shift; /* of rank 0, in standard deviations */
};

enum { BEFORE, NOW, TOLD };

static void fill(struct syn_random *random, const struct setting *s, double *x, double *series)
{
    for (size_t j = 0; j <= s->k; j++) {
        simulate_ar1(random, s->phi, series, s->n);
        for (size_t i = 0; i < s->n; i++) {
            if (j == s->k)
                for (size_t c = 0; c < s->k; c++)
                    x[i * s->k + c] += s->common * series[i];
            else
                x[i * s->k + j] = series[i] + (j == 0 ? s->shift : 0);
        }
    }
}

/* x [n][k] column by column, as the dependence of a table wants it. */
static double factor_of_rows(const double *x, size_t n, size_t k)
{
    double *columns = malloc(n * k * sizeof *columns);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            columns[j * n + i] = x[i * k + j];
    const double factor = syn_long_run_of_table(columns, n, k);
    free(columns);
    return factor;
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    double *x = malloc((s->n * s->k + s->n) * sizeof *x);
    struct syn_friedman friedman;
    fill(random, s, x, x + s->n * s->k);
    friedman_of_blocks(x, s->n, s->k, &friedman);
    counts->of[BEFORE] += friedman.p < 0.05;
    double factor = factor_of_rows(x, s->n, s->k);
    double p = syn_friedman_dependent_p(friedman.kendall_w, s->k, (double)s->n / factor);
    counts->of[NOW] += p < 0.05;
    counts->of[TOLD] += !isnan(p);
    free(x);
}

void claims_of_ranks(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99};
    static const size_t n[] = {20, 100, 1000, 10000}, k[] = {2, 8, 64};
    static const double shift[] = {0, 0.5, 2};
    printf("phi,ranks,n,shift,said_before,said,told\n");
    for (size_t p = 0; p < 4; p++)
        for (size_t r = 0; r < 3; r++)
            for (size_t i = 0; i < 4; i++)
                for (size_t e = 0; e < 3; e++) {
                    struct setting s = {n[i], k[r], phi[p], 1, shift[e]};
                    size_t trials = trial_count;
                    while (trials > 100 && (double)(trials * n[i] * k[r]) > 2e7)
                        trials /= 2;
                    struct claims_counts c = claims_run(trial, &s, trials, 2);
                    double t = (double)trials / 100;
                    printf("%g,%zu,%zu,%g,%.1f,%.1f,%.0f\n", phi[p], k[r], n[i], shift[e],
                           c.of[BEFORE] / t, c.of[NOW] / t, c.of[TOLD] / t);
                    fflush(stdout);
                }
}
