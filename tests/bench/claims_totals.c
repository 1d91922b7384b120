/* tests/bench/claims_totals.c - the whole before its parts: what the omnibus test of a diff, of run
 * time and time in collectives, claims of runs that do not differ, and of those that do. */
#include <math.h>

#include "analyze/stats/samples/compare.h"
#include "analyze/stats/values/stats.h"
#include "claims.h"

struct setting {
    size_t runs;    /* a side */
    double scatter; /* of runs, as a share */
    double share;   /* of run time that is spent in collectives */
    double slower;  /* by how much B's collectives are */
};

enum { RUN_TIME, COLLECTIVES, EITHER };
#define RUNS_MAX 20

/* A run's time, and that in collectives: both scatter with the machine, and each on its own. */
static void fill(struct syn_random *random, const struct setting *s, double slower,
                 double time[RUNS_MAX], double collectives[RUNS_MAX])
{
    for (size_t i = 0; i < s->runs; i++) {
        const double machine = simulate_normal(random), own = simulate_normal(random);
        const double rest = (1 - s->share) * exp(s->scatter * machine);
        collectives[i] = s->share * (1 + slower) * exp(s->scatter * (machine + own) / sqrt(2));
        time[i] = rest + collectives[i];
    }
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    double time[2][RUNS_MAX], collectives[2][RUNS_MAX], p[2];
    struct syn_wilcoxon test;
    for (int side = 0; side < 2; side++)
        fill(random, s, side == 0 ? 0 : s->slower, time[side], collectives[side]);
    syn_wilcoxon_test(time[1], s->runs, time[0], s->runs, SYN_TWO_SIDED, &test);
    p[0] = test.p;
    syn_wilcoxon_test(collectives[1], s->runs, collectives[0], s->runs, SYN_TWO_SIDED, &test);
    p[1] = test.p;
    syn_adjust_holm(p, 2);
    counts->of[RUN_TIME] += p[0] < 0.05;
    counts->of[COLLECTIVES] += p[1] < 0.05;
    counts->of[EITHER] += p[0] < 0.05 || p[1] < 0.05;
}

void claims_of_totals(size_t trial_count)
{
    static const size_t runs[] = {4, 5, 6, 8, 10, 20};
    static const double scatter[] = {0.01, 0.03}, share[] = {0.1, 0.3};
    static const double slower[] = {0, 0.02, 0.05, 0.1, 0.3};
    printf("scatter,share,slower,runs,run_time,collectives,either\n");
    for (size_t at = 0; at < 2 * 2 * 5 * 6; at++) {
        const struct setting s = {runs[at % 6], scatter[at / 60], share[at / 30 % 2],
                                  slower[at / 6 % 5]};
        const struct claims_counts c = claims_run(trial, &s, trial_count, 10);
        const double t = (double)trial_count;
        printf("%g,%g,%g,%zu,%.1f,%.1f,%.1f\n", s.scatter, s.share, s.slower, s.runs,
               100 * c.of[RUN_TIME] / t, 100 * c.of[COLLECTIVES] / t, 100 * c.of[EITHER] / t);
    }
}
