/* tests/bench/claims_warmups.c - one series of calls: is it said to begin slower where it does not,
 * and where it does? */
#include <math.h>

#include "analyze/stats/warmup.h"
#include "claims.h"

struct setting {
    size_t n;
    double phi;
    double waves; /* share of the variance that has phi; the rest is independent */
    size_t head;  /* so many calls at the begin take `ratio` times as long */
    double ratio;
};

/* Calls scatter by 20 %, and a report claims at this level. */
#define SIGMA 0.2
#define ALPHA 0.001

enum { CLAIMED };

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    double *x = malloc(s->n * sizeof *x);
    struct syn_warmup warmup;
    simulate_ar1(random, s->phi, x, s->n);
    for (size_t i = 0; i < s->n; i++) {
        const double noise = sqrt(s->waves) * x[i] + sqrt(1 - s->waves) * simulate_normal(random);
        x[i] = exp(SIGMA * noise) * (i < s->head ? s->ratio : 1);
    }
    syn_warmup_find(x, s->n, ALPHA, &warmup);
    counts->of[CLAIMED] += warmup.p < ALPHA;
    free(x);
}

static double claimed(struct setting s, size_t head, double ratio, size_t trials)
{
    s.head = head;
    s.ratio = ratio;
    return 100 * claims_run(trial, &s, trials, 8).of[CLAIMED] / (double)trials;
}

void claims_of_warmups(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99};
    static const size_t n[] = {100, 300, 1000, 3000, 10000};
    printf("phi,waves,n,steady,first_10_twice,first_tenth_by_20_percent\n");
    for (size_t at = 0; at < 2 * 4 * 5; at++) {
        const struct setting s = {n[at % 5], phi[at / 5 % 4], at < 20 ? 1 : 0.3, 0, 1};
        if (s.waves < 1 && s.phi == 0)
            continue;
        printf("%g,%g,%zu,%.2f,%.0f,%.0f\n", s.phi, s.waves, s.n, claimed(s, 0, 1, trial_count),
               claimed(s, 10, 2, trial_count / 4), claimed(s, s.n / 10, 1.2, trial_count / 4));
        fflush(stdout);
    }
}
