/* tests/bench/claims_late.c - how late ranks are persists: how often is one of exchangeable ranks
 * said to come late, over the run and at one of its sites, and how often one that does? */
#include <math.h>

#include "analyze/report/figures/lateness.h"
#include "analyze/stats/values/stats.h"
#include "claims.h"

/* How the instances of a run's sites follow one another. */
enum order { ONE_SITE, LOOP, NESTED, PHASES, ORDERS };
static const char *const order_names[] = {"one site", "loop of ten", "nested loops", "phases"};
enum { SITES_MOST = 10 };

struct setting {
    enum order order;
    size_t n, k;       /* instances, ranks */
    double phi, shift; /* of rank 0, in standard deviations */
};

enum { INDEPENDENT, RUN, SITES, ANY_SITE, SITE_COUNT };

/* The site of the i-th instance. Nested loops: four sites inside, ten times for each of three
 * around them. Phases: five sites, then five others. */
static size_t site_of(const struct setting *s, size_t i)
{
    switch (s->order) {
    case LOOP:
        return i % 10;
    case NESTED:
        return i % 43 < 40 ? i % 43 % 4 : 4 + i % 43 - 40;
    case PHASES:
        return i % 5 + (2 * i < s->n ? 0 : 5);
    default:
        return 0;
    }
}

struct run {
    struct syn_column last, lead_ns, kind;
    struct syn_late_kinds kinds;
    double *count;         /* [k] last arrivals */
    double (*of_site)[64]; /* [SITES_MOST], those at each site */
    double site_n[SITES_MOST];
};

/* Each rank's lateness at each site is a series of its own. */
static void fill(struct syn_random *random, const struct setting *s, struct run *run)
{
    double *x = malloc(s->n * sizeof *x), *start = malloc(s->n * s->k * sizeof *start);
    run->count = calloc(s->k, sizeof *run->count);
    run->of_site = calloc(SITES_MOST, sizeof *run->of_site);
    for (size_t i = 0; i < s->n; i++)
        run->site_n[site_of(s, i)]++;
    for (size_t j = 0; j < s->k; j++)
        for (size_t site = 0; site < SITES_MOST; site++) {
            size_t at = 0;
            if (run->site_n[site] == 0)
                continue;
            simulate_ar1(random, s->phi, x, (size_t)run->site_n[site]);
            for (size_t i = 0; i < s->n; i++)
                if (site_of(s, i) == site)
                    start[j * s->n + i] = x[at++] + (j == 0 ? s->shift : 0);
        }
    for (size_t i = 0; i < s->n; i++) {
        size_t last = 0;
        double latest = -INFINITY, before = -INFINITY;
        for (size_t j = 0; j < s->k; j++) {
            const double own = start[j * s->n + i];
            before = own > latest ? latest : fmax(before, own);
            last = own > latest ? j : last;
            latest = fmax(latest, own);
        }
        const uint64_t key[SYN_KEY_COUNT] = {[SYN_KEY_SITE] = site_of(s, i)};
        run->count[last]++;
        run->of_site[site_of(s, i)][last]++;
        syn_column_append(&run->last, NULL, (int64_t)last);
        syn_column_append(&run->lead_ns, NULL, (int64_t)(1000 * (latest - before)));
        syn_column_append(&run->kind, NULL, syn_late_kind_find(&run->kinds, key));
    }
    free(x);
    free(start);
}

/* Holm over the ranks, as a report has it. Is rank 0, or any where none is late, said to be? */
static int says(double *p, const struct setting *s)
{
    int said = 0;
    syn_adjust_holm(p, s->k);
    for (size_t j = 0; j < (s->shift > 0 ? 1 : s->k); j++)
        said |= p[j] < 0.05;
    return said;
}

static void judge_run(const struct setting *s, const struct run *run, const double *factor,
                      struct claims_counts *counts)
{
    const double n = (double)s->n, expected = n / (double)s->k;
    double p[64];
    for (size_t j = 0; j < s->k; j++)
        p[j] = syn_late_p(run->count[j], n, expected, n);
    counts->of[INDEPENDENT] += says(p, s);
    for (size_t j = 0; j < s->k; j++)
        p[j] = syn_late_p(run->count[j], n, expected, n / factor[j]);
    counts->of[RUN] += says(p, s);
}

/* A report says who came last most often, Holm over sites and ranks. */
static void judge_sites(const struct setting *s, const struct run *run,
                        struct claims_counts *counts)
{
    double p[SITES_MOST];
    size_t latest[SITES_MOST], said = 0;
    for (size_t at = 0; at < run->kinds.count; at++) {
        const struct syn_late_kind *kind = &run->kinds.at[at];
        const double *count = run->of_site[kind->key[SYN_KEY_SITE]], k = (double)s->k;
        const double n = (double)kind->instance_count;
        latest[at] = 0;
        for (size_t j = 1; j < s->k; j++)
            latest[at] = count[j] > count[latest[at]] ? j : latest[at];
        p[at] = k * syn_late_p(count[latest[at]], n, n / k, n / kind->factor);
        p[at] = p[at] > 1 ? 1 : p[at];
    }
    syn_adjust_holm(p, run->kinds.count);
    for (size_t at = 0; at < run->kinds.count; at++)
        said += p[at] < 0.05 && (s->shift == 0 || latest[at] == 0);
    counts->of[SITES] += (double)said;
    counts->of[ANY_SITE] += said > 0;
    counts->of[SITE_COUNT] += (double)run->kinds.count;
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    struct run run = {.count = NULL};
    int64_t rank[64];
    double factor[64];
    fill(random, s, &run);
    const struct syn_late_series series = {&run.last, &run.lead_ns, &run.kind, NULL};
    for (size_t j = 0; j < s->k; j++)
        rank[j] = (int64_t)j;
    if (syn_late_dependence(&series, &run.kinds, rank, s->k, factor) != 0)
        abort();
    judge_run(s, &run, factor, counts);
    judge_sites(s, &run, counts);
    free(run.count);
    free(run.of_site);
    syn_late_kinds_free(&run.kinds);
    syn_column_free(&run.last);
    syn_column_free(&run.lead_ns);
    syn_column_free(&run.kind);
}

static struct claims_counts run_trials(const struct setting *s, size_t trial_count, size_t *trials)
{
    *trials = trial_count;
    while (*trials > 100 && (double)(*trials * s->n * s->k) > 2e7)
        *trials /= 2;
    return claims_run(trial, s, *trials, 3);
}

/* One row: of exchangeable ranks, and of one that comes a standard deviation later. */
static void say(struct setting s, size_t trial_count)
{
    size_t trials;
    const struct claims_counts none = run_trials(&s, trial_count, &trials);
    s.shift = 1;
    const struct claims_counts one = run_trials(&s, trial_count, &trials);
    const double t = (double)trials / 100, sites = none.of[SITE_COUNT] / 100;
    printf("%s,%g,%zu,%zu,%.0f,%.0f,%.0f,%.1f,%.0f,%.0f\n", order_names[s.order], s.phi, s.k, s.n,
           none.of[INDEPENDENT] / t, none.of[RUN] / t, one.of[RUN] / t, none.of[SITES] / sites,
           none.of[ANY_SITE] / t, one.of[SITES] / sites);
    fflush(stdout);
}

void claims_of_late_ranks(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99};
    static const size_t n[] = {20, 100, 1000, 10000}, k[] = {2, 8, 64};
    printf("order,phi,ranks,n,run as if independent,run,run found,site,any site,site found\n");
    for (size_t at = 0; at < 4 * 3 * 4; at++)
        say((struct setting){ONE_SITE, n[at % 4], k[at / 4 % 3], phi[at / 12], 0}, trial_count);
    for (int order = LOOP; order < ORDERS; order++)
        for (size_t at = 0; at < 4 * 2 * 2; at++)
            say((struct setting){(enum order)order, n[2 + at % 2], k[at / 2 % 2], phi[at / 4], 0},
                trial_count);
}
