/* tests/bench/claims_until.c - runs that are added until an interval is narrow: how often is that
 * interval false, how many runs does it take, and how often does the test that follows claim a
 * difference between equals? */
#include <math.h>
#include <string.h>

#include "analyze/record/until.h"
#include "analyze/stats/samples/compare.h"
#include "analyze/stats/values/stats.h"
#include "claims.h"

/* How a run's time leaves its common value, as a share. */
enum shape { NORMAL, SKEWED, FAR, TWO_KINDS };
static const char *const shape_names[] = {"normal", "skewed", "a tenth far off", "two kinds"};

struct setting {
    enum shape shape;
    double spread, share;
    size_t run_max;
};

enum { NAIVE_FALSE, NAIVE_RUNS, FALSE, RUNS, SPENT, PAIR_FALSE, PAIR_RUNS, PAIR_SPENT, TEST_FALSE };

static double draw(struct syn_random *random, const struct setting *s)
{
    const double noise = simulate_normal(random);
    switch (s->shape) {
    case SKEWED:
        return 1 - s->spread * log(syn_random_unit(random));
    case FAR:
        return 1 + s->spread * (noise / 3 + (syn_random_unit(random) < 0.1 ? 10 : 0));
    case TWO_KINDS:
        return 1 + s->spread * (noise / 3 + (syn_random_unit(random) < 0.4 ? 2 : 0));
    case NORMAL:
        break;
    }
    return 1 + s->spread * noise;
}

/* The median of what draw() gives, by bisection of its distribution. */
static double phi(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

static double true_median(const struct setting *s)
{
    const double other = s->shape == FAR ? 10 : 2, often = s->shape == FAR ? 0.1 : 0.4;
    double low = -10, high = 10;
    if (s->shape == NORMAL)
        return 1;
    if (s->shape == SKEWED)
        return 1 + s->spread * log(2);
    for (int i = 0; i < 60; i++) {
        const double at = (low + high) / 2;
        if ((1 - often) * phi(3 * at) + often * phi(3 * (at - other)) < 0.5)
            low = at;
        else
            high = at;
    }
    return 1 + s->spread * low;
}

/* 000 section 4.2.2 to the letter: the interval of a fixed number of runs, looked at after each. */
static void look_naively(const double *x, const struct setting *s, struct claims_counts *counts)
{
    double *sorted = malloc(s->run_max * sizeof *sorted);
    size_t low = 1, high = 1, n;
    for (n = 6; n < s->run_max; n++) {
        memcpy(sorted, x, n * sizeof *sorted);
        syn_sort(sorted, n);
        syn_quantile_interval_exact(n, 0.5, 0.95, &low, &high);
        const double median = syn_quantile_sorted(sorted, n, 0.5);
        if (sorted[low - 1] >= median * (1 - s->share) &&
            sorted[high - 1] <= median * (1 + s->share))
            break;
    }
    counts->of[NAIVE_FALSE] +=
        n < s->run_max && (true_median(s) < sorted[low - 1] || true_median(s) > sorted[high - 1]);
    counts->of[NAIVE_RUNS] += (double)n;
    free(sorted);
}

/* The rule itself on a series; returns how many of x [run_max] it took. */
static size_t follow(const double *x, const struct setting *s, double truth, int is_false,
                     int is_spent, struct claims_counts *counts)
{
    const struct record_until until = {.share = s->share, .confidence = 0.95};
    struct record_series series = {0};
    while (series.count < s->run_max && !record_until_is_reached(&until, &series))
        record_series_add(&series, (double[]){x[series.count], x[series.count]});
    const struct syn_sequence at_end = record_series_interval(&series, SYN_TOTAL_RUN, 0.95);
    const size_t count = series.count;
    counts->of[is_false] += truth < at_end.low || truth > at_end.high;
    counts->of[is_spent] += !record_until_is_reached(&until, &series);
    record_series_free(&series);
    return count;
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    double *a = malloc(3 * s->run_max * sizeof *a), *b = a + s->run_max, *ratio = b + s->run_max;
    struct syn_wilcoxon test;
    for (size_t i = 0; i < s->run_max; i++) {
        a[i] = draw(random, s);
        b[i] = draw(random, s);
        ratio[i] = b[i] / a[i];
    }
    look_naively(a, s, counts);
    counts->of[RUNS] += (double)follow(a, s, true_median(s), FALSE, SPENT, counts);
    const size_t pairs = follow(ratio, s, 1, PAIR_FALSE, PAIR_SPENT, counts);
    counts->of[PAIR_RUNS] += (double)pairs;
    syn_wilcoxon_test(b, pairs, a, pairs, SYN_TWO_SIDED, &test);
    counts->of[TEST_FALSE] += test.p < 0.05;
    free(a);
}

void claims_of_stopping(size_t trial_count)
{
    static const double spreads[] = {0.01, 0.03, 0.06};
    printf("runs,spread,fixed_false,fixed_runs,false,runs,spent,pair_false,pairs,pair_spent,"
           "test_false\n");
    for (int shape = NORMAL; shape <= TWO_KINDS; shape++)
        for (int i = 0; i < 3; i++) {
            const struct setting s = {(enum shape)shape, spreads[i], 0.02, 200};
            const struct claims_counts c = claims_run(trial, &s, trial_count, 1);
            const double t = (double)trial_count, percent = 100 / t;
            printf("%s,%g,%.1f,%.0f,%.1f,%.0f,%.0f,%.1f,%.0f,%.0f,%.1f\n", shape_names[shape],
                   spreads[i], percent * c.of[NAIVE_FALSE], c.of[NAIVE_RUNS] / t,
                   percent * c.of[FALSE], c.of[RUNS] / t, percent * c.of[SPENT],
                   percent * c.of[PAIR_FALSE], c.of[PAIR_RUNS] / t, percent * c.of[PAIR_SPENT],
                   percent * c.of[TEST_FALSE]);
            fflush(stdout);
        }
}
