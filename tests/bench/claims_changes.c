/* tests/bench/claims_changes.c - one series of calls: is a step or a trend claimed where there is
 * none, found where there is one, and found in its place? */
#include <math.h>
#include <stdbool.h>

#include "analyze/stats/series/change.h"
#include "analyze/stats/series/waves.h"
#include "claims.h"

enum shape { STEADY, STEP_AFTER_60, LAST_TENTH, FALLS };

struct setting {
    size_t n;
    double phi;
    double waves; /* share of the variance that has phi; the rest is independent */
    enum shape shape;
    double ratio;  /* last level over the first */
    double period; /* of a sine instead of that, in lengths of the series; 0: none */
};

enum { JUDGED, BEFORE, CLAIMED, UNCLEAR, RIGHT_SHAPE, IN_PLACE };

/* Calls scatter by 20 %. */
#define SIGMA 0.2
#define PI    3.14159265358979324

static double level(const struct setting *s, size_t i)
{
    double at = (double)i / (double)s->n;
    double share = s->shape == STEP_AFTER_60 ? at >= 0.6
                   : s->shape == LAST_TENTH  ? at >= 0.9
                   : s->shape == FALLS       ? at
                                             : 0;
    return share * log(s->ratio);
}

/* A sine wave of variance 1. */
static double sine(const struct setting *s, size_t i, double phase)
{
    return sqrt(2) * sin(2 * PI * (double)i / (s->period * (double)s->n) + phase);
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    double *x = malloc(s->n * sizeof *x), n = (double)s->n;
    struct syn_change change;
    double phase = 2 * PI * syn_random_unit(random);
    simulate_ar1(random, s->phi, x, s->n);
    for (size_t i = 0; i < s->n; i++) {
        double wave = s->period > 0 ? sine(s, i, phase) : x[i];
        double noise = sqrt(s->waves) * wave + sqrt(1 - s->waves) * simulate_normal(random);
        x[i] = exp(level(s, i) + SIGMA * noise);
    }
    syn_change_find(x, s->n, &change);
    bool before = change.p < SYN_CHANGE_P;
    bool claimed = before && change.waves >= SYN_WAVES_CHANGE;
    double place = s->shape == LAST_TENTH ? 0.9 : 0.6;
    counts->of[JUDGED] += !isnan(change.p);
    counts->of[BEFORE] += before;
    counts->of[CLAIMED] += claimed;
    counts->of[UNCLEAR] += before && !claimed;
    counts->of[RIGHT_SHAPE] += claimed && change.is_trend == (s->shape == FALLS);
    counts->of[IN_PLACE] += claimed && fabs((double)change.at - place * n) <= 0.02 * n;
    free(x);
}

static void say(const char *name, const struct setting *s, size_t trials)
{
    struct claims_counts c = claims_run(trial, s, trials, 6);
    double t = (double)trials / 100;
    printf("%s,%g,%g,%g,%g,%zu,%.1f,%.2f,%.2f,%.2f,%.1f,%.1f\n", name, s->ratio, s->phi, s->waves,
           s->period, s->n, c.of[JUDGED] / t, c.of[BEFORE] / t, c.of[CLAIMED] / t,
           c.of[UNCLEAR] / t, c.of[RIGHT_SHAPE] / t, c.of[IN_PLACE] / t);
    fflush(stdout);
}

static const size_t sizes[] = {100, 300, 1000, 3000, 10000};

static void say_steady(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99}, waves[] = {1, 0.5, 0.3, 0.1};
    static const double period[] = {0.1, 0.3, 0.5, 1, 2};
    for (size_t at = 0; at < 4 * 4 * 5; at++) {
        struct setting s = {sizes[at % 5], phi[at / 5 % 4], waves[at / 20], STEADY, 1, 0};
        if (s.waves == 1 || s.phi > 0)
            say("steady", &s, trial_count);
    }
    for (size_t at = 0; at < 5 * 3 * 5; at++) {
        struct setting s = {sizes[at % 5], 0, waves[1 + at / 5 % 3], STEADY, 1, period[at / 15]};
        say("sine", &s, trial_count / 4);
    }
}

void claims_of_changes(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99};
    static const struct {
        const char *name;
        enum shape shape;
        double ratio;
    } shapes[] = {{"step after 60 %", STEP_AFTER_60, 1.1},
                  {"step after 60 %", STEP_AFTER_60, 1.2},
                  {"last tenth", LAST_TENTH, 2},
                  {"falls", FALLS, 2.0 / 3}};
    printf("truth,ratio,phi,waves,period,n,judged,before,claimed,unclear,right_shape,in_place\n");
    say_steady(trial_count);
    for (size_t at = 0; at < 4 * 4 * 5; at++) {
        size_t shape = at / 20;
        struct setting s = {sizes[at % 5],       phi[at / 5 % 4],     1,
                            shapes[shape].shape, shapes[shape].ratio, 0};
        say(shapes[shape].name, &s, trial_count / 4);
    }
}
