/* tests/unit/analyze/stats_column_figures.c - the figures of one column, as R names them. */
#include <math.h>
#include <stdlib.h>

#include "analyze/stats/samples/bootstrap.h"
#include "analyze/stats/samples/dependence.h"
#include "analyze/stats/samples/shape.h"
#include "analyze/stats/series/precision.h"
#include "analyze/stats/series/warmup.h"
#include "stats_reference.h"

static struct syn_summary summary(const struct query *q, double confidence)
{
    struct syn_summary out;
    double *scratch = malloc((q->sample[0]->n + 1) * sizeof *scratch);
    syn_summarize(q->sample[0]->value, q->sample[0]->n, confidence, scratch, &out);
    free(scratch);
    return out;
}

#define SUMMARY_FIGURE(figure, expression)                                   \
    static double figure(const struct query *q)                              \
    {                                                                        \
        struct syn_summary s = summary(q, q->number > 0 ? q->number : 0.95); \
        return (double)(expression);                                         \
    }

SUMMARY_FIGURE(median, s.median)
SUMMARY_FIGURE(mean, s.mean)
SUMMARY_FIGURE(sd, s.sd)
SUMMARY_FIGURE(cv, s.cv)
SUMMARY_FIGURE(tail_share, s.tail_share)
SUMMARY_FIGURE(outliers_tukey, s.outliers_tukey)
SUMMARY_FIGURE(ci_low, s.ci_low)
SUMMARY_FIGURE(ci_high, s.ci_high)
SUMMARY_FIGURE(n_effective, s.n_effective)
SUMMARY_FIGURE(ci_dependent_low, s.ci_dependent_low)
SUMMARY_FIGURE(ci_dependent_high, s.ci_dependent_high)
SUMMARY_FIGURE(shapiro_w, s.shapiro_w)
SUMMARY_FIGURE(shapiro_p, s.shapiro_p)

static double acf(const struct query *q)
{
    return summary(q, 0.95).acf[(int)q->number - 1];
}

static double quantile(const struct query *q)
{
    double *s = sorted_copy(q->sample[0]->value, q->sample[0]->n);
    double result = syn_quantile_sorted(s, q->sample[0]->n, q->number);
    free(s);
    return result;
}

static double exact_end(const struct query *q, int high)
{
    size_t l, u, n = q->sample[0]->n;
    double *s = sorted_copy(q->sample[0]->value, n), result = NAN;
    if (syn_quantile_interval_exact(n, q->number, 0.95, &l, &u) == 0)
        result = s[(high ? u : l) - 1];
    free(s);
    return result;
}

static double exact_low(const struct query *q)
{
    return exact_end(q, 0);
}

static double exact_high(const struct query *q)
{
    return exact_end(q, 1);
}

static double dependence_factor(const struct query *q)
{
    return syn_dependence_factor(q->sample[0]->value, q->sample[0]->n);
}

static struct syn_portmanteau ljung_box(const struct query *q)
{
    struct syn_summary s = summary(q, 0.95);
    struct syn_portmanteau out;
    syn_ljung_box(s.acf, s.n, (size_t)q->number, &out);
    return out;
}

static double ljung_box_q(const struct query *q)
{
    return ljung_box(q).Q;
}

static double ljung_box_p(const struct query *q)
{
    return ljung_box(q).p;
}

static void shapiro_log(const struct query *q, double *w, double *p)
{
    double *s = sorted_copy(q->sample[0]->value, q->sample[0]->n);
    *w = *p = NAN;
    syn_shapiro_log_sorted(s, q->sample[0]->n, w, p);
    free(s);
}

static double shapiro_log_w(const struct query *q)
{
    double w, p;
    shapiro_log(q, &w, &p);
    return w;
}

static double shapiro_log_p(const struct query *q)
{
    double w, p;
    shapiro_log(q, &w, &p);
    return p;
}

#define MEAN_FIGURE(figure, function, member)                     \
    static double figure(const struct query *q)                   \
    {                                                             \
        struct syn_mean_interval m;                               \
        function(q->sample[0]->value, q->sample[0]->n, 0.95, &m); \
        return m.member;                                          \
    }

MEAN_FIGURE(t_low, syn_mean_interval, low)
MEAN_FIGURE(t_high, syn_mean_interval, high)
MEAN_FIGURE(geometric_mean, syn_geometric_mean, mean)
MEAN_FIGURE(geometric_low, syn_geometric_mean, low)

static double mean_rate(const struct query *q)
{
    return syn_mean_rate(q->sample[0]->value, q->sample[0]->n, q->number);
}

static double qq_normal(const struct query *q)
{
    size_t n = q->sample[0]->n;
    double *s = sorted_copy(q->sample[0]->value, n), *points = malloc(2 * n * sizeof *points);
    syn_qq_points(s, n, n, points, points + n);
    double result = points[(size_t)q->number - 1];
    free(s);
    free(points);
    return result;
}

static double count_for_mean(const struct query *q)
{
    struct syn_summary s = summary(q, 0.95);
    return syn_count_for_mean(s.mean, s.sd, s.n, q->number, 0.95);
}

static double count_for_median(const struct query *q)
{
    size_t n = q->sample[0]->n;
    double *s = sorted_copy(q->sample[0]->value, n);
    double result = syn_count_for_median(s, n, dependence_factor(q), q->number, 0.95);
    free(s);
    return result;
}

/* R gives the least criterion over all cuts: ours has to reach it at the cut that we name. */
static double mser_criterion_of_ranks(const struct query *q)
{
    size_t n = q->sample[0]->n, *order = malloc(n * sizeof *order);
    double *rank = malloc(n * sizeof *rank), mean = 0, squares = 0;
    syn_midranks(q->sample[0]->value, n, rank, order);
    size_t cut = syn_mser_cut(rank, n);
    for (size_t i = cut; i < n; i++)
        mean += rank[i] / (double)(n - cut);
    for (size_t i = cut; i < n; i++)
        squares += (rank[i] - mean) * (rank[i] - mean);
    free(order);
    free(rank);
    return squares / ((double)(n - cut) * (double)(n - cut));
}

static void percentile(const struct query *q, double *low, double *high)
{
    double *s = sorted_copy(q->sample[0]->value, q->sample[0]->n);
    syn_percentile_interval(s, q->sample[0]->n, q->number, low, high);
    free(s);
}

static double percentile_low(const struct query *q)
{
    double low, high;
    percentile(q, &low, &high);
    return low;
}

static double percentile_high(const struct query *q)
{
    double low, high;
    percentile(q, &low, &high);
    return high;
}

/* Figures near 0 (an autocorrelation of nothing) are compared on the scale of what could be there.
 */
static const struct figure figures[] = {
    {"quantile", quantile, 0,
     0}, /* to the last bit: the order statistics and their weights are R's */
    {"median", median, 0, 0},
    {"mean", mean, 1e-14, 0},
    {"sd", sd, 1e-12, 0},
    {"cv", cv, 1e-12, 0},
    {"tail_share", tail_share, 1e-12, 0},
    {"outliers_tukey", outliers_tukey, 0, 0},
    {"ci_low", ci_low, 0, 0},
    {"ci_high", ci_high, 0, 0},
    {"exact_low", exact_low, 0, 0},
    {"exact_high", exact_high, 0, 0},
    {"dependence_factor", dependence_factor, 1e-9, 0},
    {"n_effective", n_effective, 1e-9, 0},
    {"ci_dependent_low", ci_dependent_low, 0, 0},
    {"ci_dependent_high", ci_dependent_high, 0, 0},
    {"acf", acf, 1e-11, 1e-2},
    {"ljung_box_q", ljung_box_q, 1e-9, 1e-3},
    {"ljung_box_p", ljung_box_p, 1e-9, 0},
    {"shapiro_w", shapiro_w, 1e-10, 0},
    /* The p-value goes through log(1 - W): near W = 1 it multiplies the rounding of W. */
    {"shapiro_p", shapiro_p, 1e-7, 0},
    {"shapiro_log_w", shapiro_log_w, 1e-10, 0},
    {"shapiro_log_p", shapiro_log_p, 1e-7, 0},
    {"t_low", t_low, 1e-12, 0},
    {"t_high", t_high, 1e-12, 0},
    {"geometric_mean", geometric_mean, 1e-12, 0},
    {"geometric_low", geometric_low, 1e-12, 0},
    {"mean_rate", mean_rate, 1e-13, 0},
    {"qq_normal", qq_normal, 1e-12, 1e-2},
    {"count_for_mean", count_for_mean, 0, 0},
    {"count_for_median", count_for_median, 0, 0},
    {"mser_criterion_of_ranks", mser_criterion_of_ranks, 1e-11, 0},
    {"percentile_low", percentile_low, 1e-12, 0},
    {"percentile_high", percentile_high, 1e-12, 0},
};

const struct figure_table column_figures = {figures, sizeof figures / sizeof *figures};
