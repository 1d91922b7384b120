/* analyze/stats/samples/maxt.c - step-down maxT over divisions of whole runs. */
#include "analyze/stats/samples/maxt.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stats/samples/bootstrap.h"
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Limit of multiplications for all divisions of a diff: some tenths of a second. */
#define WORK_MAX 1e8
/* Mirrored divisions have the same statistic except for rounding. */
#define TOLERANCE 1e-9

/* A row in standard form: values less their mean, divided by their length as a vector. The
 * correlation with membership in B is then a sum over B's runs. */
struct standard {
    double *x;       /* [n]; 0 if the run lacks the figure */
    double *present; /* [n]; 1 or 0 */
    double count;    /* number of runs with the figure; 0: not tested */
    double length;   /* length of the values less their mean */
    int whole;       /* all runs have the figure */
};

struct job {
    struct standard *row; /* [row_count] */
    size_t row_count, n, nb;
    enum syn_side side;
    double *observed; /* [row_count], scores of the actual division */
    size_t *order;    /* [tested], the tested rows by descending observed score */
    size_t tested;
    double *above,
        *above_alone; /* [row_count]: number of divisions with at least the observed score, of this
                         row or any after it in `order`; of this row alone */
    double *largest;  /* [largest_capacity], the largest score of each division */
    size_t largest_capacity, divisions;
    size_t *chosen; /* [nb], B's runs in the current division */
};

/* ---- the statistic ---- */

/* Returns the normal score of a t of df degrees of freedom, where t^2 / df = r^2 / (1 - r^2), by
 * Wallace's approximation (Annals of Mathematical Statistics 30 (1959) 1124-1130). */
static double normal_score(double r, double df)
{
    double rest = fmax(1 - r * r, 1e-15);
    double z = (8 * df + 1) / (8 * df + 3) * sqrt(-df * log(rest));
    return r < 0 ? -z : z;
}

/* Returns the r that has this score. */
static double correlation_of(double z, double df)
{
    double scaled = z * (8 * df + 3) / (8 * df + 1);
    return sqrt(-expm1(-scaled * scaled / df));
}

static double score_of(const struct standard *row, const size_t *chosen, size_t nb)
{
    double sum = 0, mine = (double)nb;
    for (size_t i = 0; i < nb; i++)
        sum += row->x[chosen[i]];
    if (!row->whole) {
        mine = 0;
        for (size_t i = 0; i < nb; i++)
            mine += row->present[chosen[i]];
    }
    double others = row->count - mine;
    if (mine < 1 || others < 1)
        return 0;
    double r = sum * sqrt(row->count / (mine * others));
    return normal_score(fmax(-1, fmin(1, r)), row->count - 2);
}

static double of_side(double z, enum syn_side side)
{
    return side == SYN_TWO_SIDED ? fabs(z) : side == SYN_LESS ? -z : z;
}

/* ---- divisions ---- */

static void count_division(struct job *job)
{
    double largest = -INFINITY;
    for (size_t i = job->tested; i-- > 0;) {
        size_t r = job->order[i];
        double score = of_side(score_of(&job->row[r], job->chosen, job->nb), job->side);
        double limit = job->observed[r] - TOLERANCE * (1 + fabs(job->observed[r]));
        largest = fmax(largest, score);
        job->above[r] += largest >= limit;
        job->above_alone[r] += score >= limit;
    }
    if (job->divisions < job->largest_capacity)
        job->largest[job->divisions] = largest;
    job->divisions++;
}

/* Moves to the next choice of nb out of n, in lexical order. Returns 0 after the last. */
static int next_choice(size_t *chosen, size_t nb, size_t n)
{
    for (size_t i = nb; i-- > 0;) {
        if (chosen[i] + (nb - i) >= n)
            continue;
        chosen[i]++;
        for (size_t j = i + 1; j < nb; j++)
            chosen[j] = chosen[j - 1] + 1;
        return 1;
    }
    return 0;
}

/* Counts the actual division and `draws` random ones. The actual one is included so that no p is 0.
 */
static int drawn_divisions(struct job *job, size_t draws, uint64_t seed)
{
    struct syn_random random;
    SYN_FREED size_t *deck = malloc(job->n * sizeof *deck);
    if (!deck)
        return SYN_ENOMEM;
    syn_random_seed(&random, seed);
    for (size_t i = 0; i < job->n; i++)
        deck[i] = i;
    for (size_t i = 0; i < job->nb; i++)
        job->chosen[i] = job->n - job->nb + i;
    count_division(job);
    for (size_t draw = 0; draw < draws; draw++) {
        for (size_t i = 0; i < job->nb; i++) {
            size_t j = i + (size_t)syn_random_below(&random, job->n - i), kept = deck[i];
            job->chosen[i] = deck[i] = deck[j];
            deck[j] = kept;
        }
        count_division(job);
    }
    return SYN_OK;
}

/* ---- before and after ---- */

static void standardize(const double *x, size_t n, struct standard *row)
{
    double origin = NAN, squares;
    struct syn_sum sum = {0, 0};
    for (size_t i = 0; i < n; i++) {
        row->present[i] = isfinite(x[i]);
        origin = isfinite(x[i]) && isnan(origin) ? x[i] : origin;
        row->count += row->present[i];
        syn_sum_add(&sum, isfinite(x[i]) ? x[i] - origin : 0);
    }
    double mean = syn_sum_value(&sum) / row->count;
    row->whole = row->count == (double)n;
    squares = 0;
    for (size_t i = 0; i < n; i++) {
        row->x[i] = row->present[i] > 0 ? x[i] - origin - mean : 0;
        squares += row->x[i] * row->x[i];
    }
    row->length = sqrt(squares);
    /* a spread within the rounding error of equal values counts as none */
    double noise = 1e-13 * (fabs(origin) + fabs(mean));
    for (size_t i = 0; i < n && row->length > noise; i++)
        row->x[i] /= row->length;
    if (!(row->length > noise))
        row->count = 0;
}

static int by_score(const void *left, const void *right, void *context)
{
    const double *observed = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    if (observed[a] != observed[b])
        return observed[a] > observed[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Returns the least difference of a row whose score is `critical`. The spread is that within the
 * sides, which does not depend on the difference between them. */
static double least_difference(const struct job *job, size_t r, double z, double critical)
{
    const struct standard *row = &job->row[r];
    double df = row->count - 2, mine = 0;
    for (size_t i = 0; i < job->nb; i++)
        mine += row->present[job->n - job->nb + i];
    double r_seen = correlation_of(fabs(z), df), r_wanted = correlation_of(critical, df);
    double within = row->length * sqrt(fmax(0, 1 - r_seen * r_seen) / df);
    double t = r_wanted * sqrt(df / (1 - r_wanted * r_wanted));
    return t * within * sqrt(1 / mine + 1 / (row->count - mine));
}

static void free_job(struct job *job)
{
    if (job->row)
        free(job->row[0].x);
    free(job->row);
    free(job->observed);
    free(job->order);
    free(job->largest);
    free(job->chosen);
}

static int begin_job(struct job *job, const struct syn_maxt_table *table, size_t draws)
{
    size_t rows = table->row_count;
    job->row = calloc(rows + 1, sizeof *job->row);
    double *values = calloc(2 * rows * job->n + 1, sizeof *values);
    if (job->row)
        job->row[0].x = values;
    job->observed = calloc(3 * rows + 1, sizeof *job->observed);
    job->order = calloc(rows + 1, sizeof *job->order);
    job->chosen = calloc(job->nb, sizeof *job->chosen);
    job->largest_capacity = draws;
    job->largest = calloc(draws, sizeof *job->largest);
    if (!job->row || !values || !job->observed || !job->order || !job->chosen || !job->largest)
        return SYN_ENOMEM;
    job->above = job->observed + rows;
    job->above_alone = job->above + rows;
    for (size_t r = 0; r < rows; r++) {
        job->row[r].x = values + 2 * r * job->n;
        job->row[r].present = job->row[r].x + job->n;
        standardize(table->x + r * job->n, job->n, &job->row[r]);
    }
    return SYN_OK;
}

int syn_maxt_test(const struct syn_maxt_table *table, enum syn_side side, double alpha,
                  uint64_t seed, struct syn_maxt_row *row, struct syn_maxt *out)
{
    size_t n = table->na + table->nb;
    *out = (struct syn_maxt){0, 0};
    if (table->na < 2 || table->nb < 2 || !(alpha > 0 && alpha < 1))
        return SYN_EINVAL;
    double all = round(exp(lchoose((double)n, (double)table->nb)));
    double each = fmax((double)table->row_count, 1) * (double)table->nb;
    struct job job = {.row_count = table->row_count, .n = n, .nb = table->nb, .side = side};
    out->exact = all <= SYN_MAXT_DRAWS_LEAST || all * each <= WORK_MAX;
    size_t draws =
        (size_t)fmax(SYN_MAXT_DRAWS_LEAST, fmin(SYN_MAXT_DRAWS, floor(WORK_MAX / fmax(each, 1))));
    int status = begin_job(&job, table, out->exact ? (size_t)all : draws + 1);
    if (status == SYN_OK) {
        for (size_t i = 0; i < table->nb; i++)
            job.chosen[i] = table->na + i;
        for (size_t r = 0; r < table->row_count; r++) {
            row[r] = (struct syn_maxt_row){NAN, NAN, NAN, NAN};
            const size_t na = table->na;
            double a = 0, b = 0;
            for (size_t i = 0; i < na + table->nb; i++)
                *(i < na ? &a : &b) += job.row[r].present[i];
            if (a < 2 || b < 2 || job.row[r].count < 4)
                continue;
            row[r].z = score_of(&job.row[r], job.chosen, table->nb);
            job.observed[r] = of_side(row[r].z, job.side);
            job.order[job.tested++] = r;
        }
        qsort_r(job.order, job.tested, sizeof *job.order, by_score, job.observed);
        if (out->exact) {
            for (size_t i = 0; i < job.nb; i++)
                job.chosen[i] = i;
            do
                count_division(&job);
            while (next_choice(job.chosen, job.nb, job.n));
        } else
            status = drawn_divisions(&job, draws, seed);
    }
    if (status == SYN_OK) {
        double p = 0, count = (double)job.divisions;
        size_t kept = syn_least(job.divisions, job.largest_capacity);
        syn_sort(job.largest, kept);
        double allowed = ceil(alpha * (double)kept * (1 - 1e-12)) - 1;
        double critical = job.largest[kept - 1 - (size_t)fmin(allowed, (double)kept - 1)];
        for (size_t i = 0; i < job.tested; i++) {
            size_t r = job.order[i];
            p = fmax(p, job.above[r] / count);
            row[r].p = job.above_alone[r] / count;
            row[r].p_adjusted = p;
            if (allowed >= 1) /* the actual division counts as one */
                row[r].least_difference = least_difference(&job, r, row[r].z, fmax(critical, 0));
        }
    }
    out->divisions = (double)job.divisions;
    free_job(&job);
    return status;
}
