/* tests/bench/claims_changes.c - one series of calls: is a step or a trend claimed where there is
 * none, found where there is one, and found in its place? */
#include <math.h>
#include <stdbool.h>

#include "analyze/stats/change.h"
#include "claims.h"

enum shape { STEADY, STEP_AFTER_60, LAST_TENTH, FALLS };

struct setting {
    size_t n;
    double phi;
    double waves; /* share of the variance that has phi; the rest is independent */
    enum shape shape;
    double ratio; /* last level over the first */
};

enum { JUDGED, CLAIMED, RIGHT_SHAPE, IN_PLACE };

/* Calls scatter by 20 %. */
#define SIGMA 0.2

static double level(const struct setting *s, size_t i)
{
    double at = (double)i / (double)s->n;
    double share = s->shape == STEP_AFTER_60 ? at >= 0.6
                   : s->shape == LAST_TENTH  ? at >= 0.9
                   : s->shape == FALLS       ? at
                                             : 0;
    return share * log(s->ratio);
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    double *x = malloc(s->n * sizeof *x), n = (double)s->n;
    struct syn_change change;
    simulate_ar1(random, s->phi, x, s->n);
    for (size_t i = 0; i < s->n; i++) {
        double noise = sqrt(s->waves) * x[i] + sqrt(1 - s->waves) * simulate_normal(random);
        x[i] = exp(level(s, i) + SIGMA * noise);
    }
    syn_change_find(x, s->n, &change);
    bool claimed = change.p < 0.01;
    double place = s->shape == LAST_TENTH ? 0.9 : 0.6;
    counts->of[JUDGED] += !isnan(change.p);
    counts->of[CLAIMED] += claimed;
    counts->of[RIGHT_SHAPE] += claimed && change.is_trend == (s->shape == FALLS);
    counts->of[IN_PLACE] += claimed && fabs((double)change.at - place * n) <= 0.02 * n;
    free(x);
}

static void say(const char *name, const struct setting *s, size_t trials)
{
    struct claims_counts c = claims_run(trial, s, trials, 6);
    double t = (double)trials / 100;
    printf("%s,%g,%g,%g,%zu,%.1f,%.2f,%.2f,%.1f,%.1f\n", name, s->ratio, s->phi, s->waves, s->n,
           c.of[JUDGED] / t, c.of[CLAIMED] / t, 100 * c.of[CLAIMED] / fmax(1, c.of[JUDGED]),
           c.of[RIGHT_SHAPE] / t, c.of[IN_PLACE] / t);
    fflush(stdout);
}

void claims_of_changes(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99};
    static const size_t n[] = {100, 300, 1000, 3000, 10000};
    static const struct {
        const char *name;
        enum shape shape;
        double ratio;
    } shapes[] = {{"step after 60 %", STEP_AFTER_60, 1.1},
                  {"last tenth", LAST_TENTH, 2},
                  {"falls", FALLS, 2.0 / 3}};
    printf("truth,ratio,phi,waves,n,judged,claimed,claimed_of_judged,right_shape,in_place\n");
    for (size_t at = 0; at < 2 * 4 * 5; at++) {
        struct setting s = {n[at % 5], phi[at / 5 % 4], at < 20 ? 1 : 0.3, STEADY, 1};
        if (s.waves == 1 || s.phi > 0)
            say("steady", &s, trial_count);
    }
    for (size_t at = 0; at < 3 * 4 * 5; at++) {
        size_t shape = at / 20;
        struct setting s = {n[at % 5], phi[at / 5 % 4], 1, shapes[shape].shape,
                            shapes[shape].ratio};
        say(shapes[shape].name, &s, trial_count / 4);
    }
}
