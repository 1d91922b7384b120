/* tests/bench/claims_diff.c - many groups, few runs: what Holm's adjustment and maxT claim of
 * groups that do not differ, and of those that do. */
#include <math.h>
#include <string.h>

#include "analyze/stats/samples/compare.h"
#include "analyze/stats/samples/maxt.h"
#include "analyze/stats/values/stats.h"
#include "claims.h"

struct setting {
    size_t groups, na, nb, changed; /* the first `changed` groups differ */
    double effect;                  /* of their logarithms */
    double common;                  /* share of a run's variance that all its groups have */
    double heavy;                   /* share of runs that are far off: five times the spread */
};

enum { HOLM_ANY, HOLM_FOUND, MAXT_ANY, MAXT_FOUND };

#define SPREAD 0.03

static void fill(struct syn_random *random, const struct setting *s, double *x)
{
    size_t n = s->na + s->nb;
    double *common = calloc(n, sizeof *common);
    for (size_t i = 0; i < n; i++)
        common[i] = simulate_normal(random) * sqrt(s->common);
    for (size_t g = 0; g < s->groups; g++) {
        for (size_t i = 0; i < n; i++) {
            double own = simulate_normal(random) * sqrt(1 - s->common);
            double far = syn_random_unit(random) < s->heavy ? 5 : 1;
            x[g * n + i] = 1 + g % 7 + SPREAD * far * (common[i] + own) +
                           (i >= s->na && g < s->changed ? s->effect : 0);
        }
    }
    free(common);
}

static void count(const struct setting *s, const double *p, int any, int found,
                  struct claims_counts *counts)
{
    int false_claims = 0;
    for (size_t g = 0; g < s->groups; g++) {
        if (g < s->changed)
            counts->of[found] += p[g] < 0.05;
        else
            false_claims += p[g] < 0.05;
    }
    counts->of[any] += false_claims > 0;
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    size_t n = s->na + s->nb;
    double *x = calloc(s->groups * n, sizeof *x), *p = calloc(s->groups, sizeof *p);
    struct syn_maxt_row *row = calloc(s->groups, sizeof *row);
    struct syn_maxt how;
    fill(random, s, x);
    for (size_t g = 0; g < s->groups; g++) {
        struct syn_wilcoxon test;
        syn_wilcoxon_test(x + g * n + s->na, s->nb, x + g * n, s->na, SYN_TWO_SIDED, &test);
        p[g] = test.p;
    }
    syn_adjust_holm(p, s->groups);
    count(s, p, HOLM_ANY, HOLM_FOUND, counts);
    const struct syn_maxt_table table = {x, s->groups, s->na, s->nb};
    syn_maxt_test(&table, SYN_TWO_SIDED, 0.05, 1, row, &how);
    for (size_t g = 0; g < s->groups; g++)
        p[g] = row[g].p_adjusted;
    count(s, p, MAXT_ANY, MAXT_FOUND, counts);
    free(x);
    free(p);
    free(row);
}

void claims_of_diffs(size_t trial_count)
{
    static const size_t groups[] = {1, 5, 20, 200};
    static const size_t runs[] = {4, 5, 6, 8, 10, 20};
    static const struct {
        const char *name;
        double common, heavy;
    } kinds[] = {{"normal", 0, 0}, {"half common", 0.5, 0}, {"5 % far off", 0, 0.05}};
    printf(
        "noise,groups,runs,changed,effect,holm_any_false,holm_found,maxt_any_false,maxt_found\n");
    for (size_t k = 0; k < 3; k++)
        for (size_t g = 0; g < 4; g++)
            for (size_t r = 0; r < 6; r++)
                for (int e = 0; e < 3; e++) {
                    static const double effects[] = {0, 0.05, 0.1};
                    size_t changed = e == 0 ? 0 : groups[g] / 4 + (groups[g] < 4);
                    struct setting s = {groups[g],  runs[r],         runs[r],       changed,
                                        effects[e], kinds[k].common, kinds[k].heavy};
                    struct claims_counts c = claims_run(trial, &s, trial_count, 1);
                    double t = (double)trial_count, found = t * (double)(changed ? changed : 1);
                    printf("%s,%zu,%zu,%zu,%g,%.1f,%.1f,%.1f,%.1f\n", kinds[k].name, groups[g],
                           runs[r], changed, effects[e], 100 * c.of[HOLM_ANY] / t,
                           100 * c.of[HOLM_FOUND] / found, 100 * c.of[MAXT_ANY] / t,
                           100 * c.of[MAXT_FOUND] / found);
                    fflush(stdout);
                }
}
