/* tests/bench/claims_first.c - first calls over many groups: are they said to be slow where they
 * are as any others, and where they are slower? */
#include <math.h>

#include "analyze/stats/series/warmup.h"
#include "analyze/stats/values/stats.h"
#include "claims.h"

struct setting {
    size_t groups, n;
    double phi;
    double slow;  /* share of the groups whose first call takes */
    double ratio; /*   so many times as long */
};

/* Calls scatter by 20 %. */
#define SIGMA 0.2

enum { BY_CHANCE_ALONE, NOW };

static void add_group(struct syn_random *random, const struct setting *s, bool is_slow, double *x,
                      struct syn_first_calls *calls)
{
    struct syn_summary summary;
    const double n = (double)s->n;
    simulate_ar1(random, s->phi, x, s->n);
    for (size_t i = 0; i < s->n; i++)
        x[i] = exp(SIGMA * x[i]) * (i == 0 && is_slow ? s->ratio : 1);
    syn_summarize(x, s->n, 0.95, x + s->n, &summary);
    calls->series++;
    calls->first_slowest += x[0] >= summary.max;
    calls->last_slowest += x[s->n - 1] >= summary.max;
    calls->expected += 1 / n;
    calls->expected_dependent += summary.n_effective > 0 ? fmin(1, 1 / summary.n_effective) : 1;
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    struct syn_first_calls calls = {0};
    double *x = malloc(2 * s->n * sizeof *x);
    for (size_t g = 0; g < s->groups; g++)
        add_group(random, s, (double)g < s->slow * (double)s->groups, x, &calls);
    const double chance = calls.expected / (double)calls.series;
    counts->of[BY_CHANCE_ALONE] +=
        (double)calls.first_slowest > calls.expected && calls.first_slowest > 2 &&
        syn_binomial_test(calls.first_slowest, calls.series, chance) < SYN_FIRST_CALLS_ALPHA;
    counts->of[NOW] += syn_first_calls_are_slow(&calls);
    free(x);
}

void claims_of_first_calls(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99}, slow[] = {0, 0.1, 0.5, 1};
    static const size_t groups[] = {5, 20, 200}, n[] = {20, 100, 1000};
    printf("phi,groups,n,slow,said_by_chance_alone,said\n");
    for (size_t at = 0; at < 4 * 3 * 3 * 4; at++) {
        const struct setting s = {groups[at / 12 % 3], n[at / 4 % 3], phi[at / 36], slow[at % 4],
                                  3};
        const size_t trials = trial_count / (s.groups * s.n > 50000 ? 10 : 1);
        const struct claims_counts c = claims_run(trial, &s, trials, 9);
        printf("%g,%zu,%zu,%g,%.1f,%.1f\n", s.phi, s.groups, s.n, s.slow,
               100 * c.of[BY_CHANCE_ALONE] / (double)trials, 100 * c.of[NOW] / (double)trials);
        fflush(stdout);
    }
}
