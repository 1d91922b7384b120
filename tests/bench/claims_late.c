/* tests/bench/claims_late.c - how late ranks are persists: how often is one of exchangeable ranks
 * said to come late, and how often one that does? */
#include <math.h>

#include "analyze/report/lateness.h"
#include "analyze/stats/stats.h"
#include "claims.h"

struct setting {
    size_t n, k;
    double phi, shift; /* of rank 0, in standard deviations */
};

enum { BEFORE, NOW, TOLD };

struct columns {
    struct syn_column last, lead_ns;
    double *count; /* [k] last arrivals */
};

static void fill(struct syn_random *random, const struct setting *s, struct columns *out)
{
    double *x = malloc(s->n * s->k * sizeof *x);
    out->count = calloc(s->k, sizeof *out->count);
    for (size_t j = 0; j < s->k; j++)
        simulate_ar1(random, s->phi, x + j * s->n, s->n);
    for (size_t i = 0; i < s->n; i++) {
        size_t last = 0;
        double latest = -INFINITY, before = -INFINITY;
        for (size_t j = 0; j < s->k; j++) {
            double start = x[j * s->n + i] + (j == 0 ? s->shift : 0);
            before = start > latest ? latest : fmax(before, start);
            last = start > latest ? j : last;
            latest = fmax(latest, start);
        }
        out->count[last]++;
        syn_column_append(&out->last, NULL, (int64_t)last);
        syn_column_append(&out->lead_ns, NULL, (int64_t)(1000 * (latest - before)));
    }
    free(x);
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

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    const struct setting *s = setting;
    struct columns columns = {.count = NULL};
    double n = (double)s->n, expected = n / (double)s->k, *p = malloc(s->k * sizeof *p);
    fill(random, s, &columns);
    for (size_t j = 0; j < s->k; j++)
        p[j] = columns.count[j] > expected
                   ? syn_binomial_test((size_t)columns.count[j], s->n, 1 / (double)s->k)
                   : 1;
    counts->of[BEFORE] += says(p, s);
    const struct syn_late_series series = {&columns.last, &columns.lead_ns, NULL};
    int told = 0;
    for (size_t j = 0; j < s->k; j++) {
        int64_t rank = (int64_t)j;
        double factor;
        syn_late_dependence(&series, &rank, 1, &factor);
        p[j] = syn_late_p(columns.count[j], n, expected, factor);
        told |= !isnan(p[j]);
    }
    counts->of[NOW] += says(p, s);
    counts->of[TOLD] += told;
    free(columns.count);
    free(p);
    syn_column_free(&columns.last);
    syn_column_free(&columns.lead_ns);
}

void claims_of_late_ranks(size_t trial_count)
{
    static const double phi[] = {0, 0.5, 0.9, 0.99}, shift[] = {0, 1, 4};
    static const size_t n[] = {20, 100, 1000, 10000}, k[] = {2, 8, 64};
    printf("phi,ranks,n,shift,said_as_if_independent,said,told\n");
    for (size_t at = 0; at < 4 * 3 * 4 * 3; at++) {
        struct setting s = {n[at / 3 % 4], k[at / 12 % 3], phi[at / 36], shift[at % 3]};
        size_t trials = trial_count;
        while (trials > 100 && (double)(trials * s.n * s.k) > 2e7)
            trials /= 2;
        struct claims_counts c = claims_run(trial, &s, trials, 3);
        double t = (double)trials / 100;
        printf("%g,%zu,%zu,%g,%.1f,%.1f,%.0f\n", s.phi, s.k, s.n, s.shift, c.of[BEFORE] / t,
               c.of[NOW] / t, c.of[TOLD] / t);
        fflush(stdout);
    }
}
