/* tests/bench/claims_gate.c - gates: how often does --fail-on run-time (2 %), slower=1% or
 * unable=10% fail between equal programs, at its limit, and between programs that differ? Run times
 * of several shapes, in turn and in two batches, judged as two samples and by pairs. The rules of
 * analyze/diff/page/diff_gate.c and diff_cost.c are built here once more over bare run times, with
 * the same statistics: what is simulated is the method, and gate_test and cli_compare judge the
 * command. */
#include <math.h>

#include "analyze/stats/samples/compare.h"
#include "analyze/stats/values/stats.h"
#include "claims.h"

#define RUNS_MAX   40
#define GROUPS     20
#define RUN_LIMIT  0.02
#define COST_LIMIT 0.01
#define UNABLE     0.1
#define CONFIDENCE 0.95

/* How a run's time leaves its common value. */
enum shape {
    NORMAL,
    FAR,       /* a tenth of the runs takes a lot longer */
    TWO_KINDS, /* two of five runs are of the slower kind */
    CROWDED,   /* half of the variance is common to a pair's two runs, which are neighbours */
    PLACES,    /* the second run of a pair is slower, by three times the scatter */
    WARMING,   /* the machine becomes slower, by ten times the scatter from first to last run */
    BATCHES    /* A was recorded at another time: its runs have a common part of their own */
};
static const char *const shape_names[] = {"normal",     "a tenth far off", "two kinds",
                                          "crowded",    "second slower",   "warming in turn",
                                          "two batches"};

struct setting {
    enum shape shape;
    size_t runs; /* a side */
    double scatter;
    double change; /* of B's run, as a share of A's; one group takes all of it */
};

struct run {
    double time, group[GROUPS];
};

/* The first two are also counted by pairs. */
enum { RUN_TIME, IS_UNABLE, BY_PAIRS, COST_FALSE = 2 * BY_PAIRS, COST_FOUND };

/* The machine's part of a run, as a logarithm. `place`: 0 first .. 1 last of all runs; `common`: to
 * the pair. */
static double machine(struct syn_random *random, const struct setting *s, double place, bool second,
                      double common)
{
    const double noise = simulate_normal(random);
    switch (s->shape) {
    case CROWDED:
        return s->scatter * (noise + common) / sqrt(2);
    case PLACES:
        return s->scatter * (noise + 3 * second);
    case FAR:
        return s->scatter * (noise + (syn_random_unit(random) < 0.1 ? 10 : 0));
    case TWO_KINDS:
        return s->scatter * (noise / 2 + (syn_random_unit(random) < 0.4 ? 2 : 0));
    case WARMING:
        return s->scatter * (noise + 10 * place);
    case NORMAL:
    case BATCHES:
        break;
    }
    return s->scatter * noise;
}

/* Half of the run is in groups, which share the machine's part and scatter on their own as well. */
static struct run draw(struct syn_random *random, const struct setting *s, double machine,
                       double change)
{
    const double slower = exp(machine);
    struct run run = {.time = slower * 0.5};
    for (size_t g = 0; g < GROUPS; g++) {
        const double own = exp(s->scatter * simulate_normal(random));
        run.group[g] = slower * (own * 0.5 / GROUPS + (g == 0 ? change : 0));
        run.time += run.group[g];
    }
    return run;
}

/* Pairs of A and B, half of them in each order; or all of A, then all of B. */
static void fill(struct syn_random *random, const struct setting *s, struct run side[2][RUNS_MAX])
{
    const bool batches = s->shape == BATCHES;
    const double batch = batches ? s->scatter * simulate_normal(random) : 0;
    for (size_t i = 0; i < s->runs; i++) {
        const int first = syn_random_unit(random) < 0.5;
        const double common = simulate_normal(random);
        for (int k = 0; k < 2; k++) {
            const int which = k == 0 ? first : !first;
            const double place = (double)(2 * i + (size_t)k) / (double)(2 * s->runs - 1);
            const double off = machine(random, s, place, k == 1, common) + (which == 1 ? batch : 0);
            side[which][i] = draw(random, s, off, which == 1 ? s->change : 0);
        }
    }
}

static void count_run(const struct syn_shift *ratio, double *of)
{
    of[RUN_TIME] += ratio->low > 1 + RUN_LIMIT;
    of[IS_UNABLE] += ratio->low <= 1 + RUN_LIMIT &&
                     !(ratio->estimate / ratio->low * (1 + RUN_LIMIT) - 1 <= UNABLE);
}

static void judge_run(const struct setting *s, struct run side[2][RUNS_MAX],
                      struct claims_counts *counts)
{
    double a[RUNS_MAX], b[RUNS_MAX], difference[RUNS_MAX];
    struct syn_shift ratio;
    for (size_t i = 0; i < s->runs; i++) {
        a[i] = side[0][i].time;
        b[i] = side[1][i].time;
        difference[i] = log(b[i] / a[i]);
    }
    syn_ratio(b, s->runs, a, s->runs, CONFIDENCE, &ratio);
    count_run(&ratio, counts->of);
    syn_pairs_shift(difference, s->runs, CONFIDENCE, &ratio);
    ratio.estimate = exp(ratio.estimate);
    ratio.low = s->runs < syn_pairs_needed(1 - CONFIDENCE) ? NAN : exp(ratio.low);
    count_run(&ratio, counts->of + BY_PAIRS);
}

static double p_of_cost(const struct setting *s, struct run side[2][RUNS_MAX], size_t group,
                        double run_ns)
{
    double a[RUNS_MAX], b[RUNS_MAX];
    struct syn_wilcoxon more;
    for (size_t i = 0; i < s->runs; i++) {
        a[i] = side[0][i].group[group] + COST_LIMIT * run_ns;
        b[i] = side[1][i].group[group];
    }
    syn_wilcoxon_test(b, s->runs, a, s->runs, SYN_GREATER, &more);
    return more.p;
}

static void judge_groups(const struct setting *s, struct run side[2][RUNS_MAX],
                         struct claims_counts *counts)
{
    double p[GROUPS], time[RUNS_MAX];
    bool any_false = false;
    for (size_t i = 0; i < s->runs; i++)
        time[i] = side[0][i].time;
    syn_sort(time, s->runs);
    const double run_ns = syn_quantile_sorted(time, s->runs, 0.5);
    for (size_t g = 0; g < GROUPS; g++)
        p[g] = p_of_cost(s, side, g, run_ns);
    syn_adjust_holm(p, GROUPS);
    for (size_t g = s->change > COST_LIMIT; g < GROUPS; g++)
        any_false |= p[g] < (1 - CONFIDENCE) / 2;
    counts->of[COST_FALSE] += any_false;
    counts->of[COST_FOUND] += s->change > COST_LIMIT && p[0] < (1 - CONFIDENCE) / 2;
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    struct run side[2][RUNS_MAX];
    fill(random, s, side);
    judge_run(s, side, counts);
    judge_groups(s, side, counts);
}

void claims_of_gates(size_t trial_count)
{
    static const size_t runs[] = {5, 10, 20, 40};
    static const double scatter[] = {0.01, 0.03, 0.1};
    static const double change[] = {0, COST_LIMIT, RUN_LIMIT, 0.05, 0.1};
    printf("noise,scatter,change,runs,run_time,unable,run_time_by_pairs,unable_by_pairs,"
           "cost_any_false,cost_found\n");
    for (size_t at = 0; at < (BATCHES + 1) * 3 * 5 * 4; at++) {
        const struct setting s = {(enum shape)(at / 60), runs[at % 4], scatter[at / 20 % 3],
                                  change[at / 4 % 5]};
        const struct claims_counts c = claims_run(trial, &s, trial_count, 11);
        printf("%s,%g,%g,%zu", shape_names[s.shape], s.scatter, s.change, s.runs);
        for (int i = 0; i <= COST_FOUND; i++)
            printf(",%.1f", 100 * c.of[i] / (double)trial_count);
        printf("\n");
    }
}
