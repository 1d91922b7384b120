/* tests/bench/claims_clocks.c - clocks that are set, that warm and that swing behind collectives of
 * every quality: how many of the times that the commands use are outside their bounds? */
#include <math.h>

#include "claims.h"
#include "tests/unit/analyze/clock_simulate.h"

enum {
    CLOCKS,
    MEASURED,
    MENDED,
    WIDENED,
    OUT_MENDED,
    OUT_WIDENED,
    OUT_LEFT,
    OUT_OPEN,
    BOUND,
    USED,
    OPEN,
    FURTHER,
    WORSE,
    ERROR,
    USED_ERROR
};

/* Logarithms are summed as whole thousandths, so that the order does not matter. */
static double thousandths(double ns)
{
    return round(1000 * log10(ns));
}

static void count(const struct clock_judged *judged, struct claims_counts *counts)
{
    const int out = judged->mended ? OUT_MENDED : judged->widened ? OUT_WIDENED : OUT_LEFT;
    counts->of[CLOCKS]++;
    counts->of[MENDED] += judged->mended;
    counts->of[WIDENED] += judged->widened;
    counts->of[MEASURED] += judged->outside_measured;
    counts->of[out] += judged->outside;
    counts->of[OUT_OPEN] += judged->outside_open;
    counts->of[BOUND] += thousandths(judged->measured_ns);
    counts->of[USED] += thousandths(judged->bound_ns);
    counts->of[OPEN] += thousandths(judged->open_ns);
    if (!judged->mended)
        return;
    counts->of[FURTHER] += judged->further;
    counts->of[WORSE] += judged->used_error_ns > judged->error_ns;
    counts->of[ERROR] += thousandths(judged->error_ns);
    counts->of[USED_ERROR] += thousandths(judged->used_error_ns);
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct clock_setting *s = setting;
    struct clock_run *run = clock_run_make(random, s);
    for (int host = 1; host < s->hosts; host++) {
        const struct clock_judged judged = clock_run_judge(run, host);
        count(&judged, counts);
    }
    clock_run_free(run);
}

/* The geometric mean over all clocks, or over the mended ones. */
static double mean_ns(const struct claims_counts *counts, int which)
{
    return pow(10, counts->of[which] / counts->of[which < ERROR ? CLOCKS : MENDED] / 1000);
}

static void say(const struct clock_setting *s, size_t trial_count)
{
    static const char *const faults[] = {"steady",      "+-1 ms",      "+-20 us",
                                         "warms 1 ppm", "warms 5 ppm", "sine 50 us"};
    const struct claims_counts c =
        claims_run(trial, s, trial_count / (size_t)(s->hosts - 1) + 1, 9);
    printf("%s,%d,%s,%s,%g,%g", faults[s->fault], s->hosts, s->ended ? "yes" : "no",
           s->uneven ? "yes" : "no", s->way_ns, s->slow);
    printf(",%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f", c.of[CLOCKS], CLOCK_TIMES * c.of[CLOCKS],
           c.of[MEASURED], c.of[MENDED], c.of[OUT_MENDED], c.of[WIDENED], c.of[OUT_WIDENED],
           c.of[OUT_LEFT]);
    printf(",%.0f,%.0f,%.0f,%.0f", c.of[OUT_OPEN], mean_ns(&c, BOUND), mean_ns(&c, USED),
           mean_ns(&c, OPEN));
    printf(",%.0f,%.0f", c.of[FURTHER], c.of[WORSE]);
    if (c.of[MENDED] > 0)
        printf(",%.0f,%.0f\n", mean_ns(&c, ERROR), mean_ns(&c, USED_ERROR));
    else
        printf(",-,-\n");
    fflush(stdout);
}

void claims_of_clocks(size_t trial_count)
{
    static const double slow[] = {0, 0.3, 0.9, 0.99}, ways_ns[] = {1000, 30000};
    printf("fault,hosts,ended,uneven,way_ns,slow,clocks,times,outside_as_measured,mended,outside_"
           "of_mended,widened,outside_of_widened,"
           "outside_of_others,outside_of_left_open,bound_as_measured_ns,bound_ns,left_open_ns,"
           "mended_times_"
           "further_off,mended_clocks_further_off,mended_error_as_measured_ns,mended_error_ns\n");
    for (int at = 0; at < CLOCK_FAULTS * 96; at++) {
        const struct clock_setting s = {.hosts = 2 << at % 3,
                                        .slow = slow[at / 3 % 4],
                                        .slice_ns = 4e6,
                                        .way_ns = ways_ns[at / 12 % 2],
                                        .ended = at / 24 % 2 == 0,
                                        .uneven = at / 48 % 2 == 1,
                                        .fault = (enum clock_fault)(at / 96)};
        say(&s, trial_count);
    }
}
