/* tests/bench/claims_warmups.c - one series of calls: is it said to begin slower where it does not,
 * and where it does? */
#include <math.h>

#include "analyze/stats/series/warmup.h"
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

enum { SEEN, CLAIMED }; /* as the heads show it; and beyond what slow waves do */

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
    counts->of[SEEN] += warmup.p < ALPHA;
    counts->of[CLAIMED] += warmup.settled_at > 0;
    free(x);
}

static void say(struct setting s, size_t head, double ratio, size_t trials)
{
    s.head = head;
    s.ratio = ratio;
    const struct claims_counts c = claims_run(trial, &s, trials, 8);
    printf(",%.2f,%.2f", 100 * c.of[SEEN] / (double)trials, 100 * c.of[CLAIMED] / (double)trials);
}

void claims_of_warmups(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99};
    static const size_t n[] = {100, 300, 1000, 3000, 10000};
    static const double waves[] = {1, 0.5, 0.3, 0.1};
    printf("phi,waves,n,steady_seen,steady_claimed,first_10_twice_seen,first_10_twice_claimed,"
           "first_tenth_by_20_percent_seen,first_tenth_by_20_percent_claimed\n");
    for (size_t at = 0; at < 4 * 4 * 5; at++) {
        const struct setting s = {n[at % 5], phi[at / 5 % 4], waves[at / 20], 0, 1};
        if (s.waves < 1 && s.phi == 0)
            continue;
        printf("%g,%g,%zu", s.phi, s.waves, s.n);
        say(s, 0, 1, trial_count);
        say(s, 10, 2, trial_count / 4);
        say(s, s.n / 10, 1.2, trial_count / 4);
        printf("\n");
        fflush(stdout);
    }
}
