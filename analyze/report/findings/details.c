/* analyze/report/findings/details.c - computes figures of a group that only JSON and pages show,
 * when they are written. */
#include "analyze/report/findings/details.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/findings/places.h"
#include "analyze/stats/series/precision.h"
#include "sync/base/status.h"

void syn_shown_interval(const struct syn_report *report, const struct syn_summary *summary,
                        double *low, double *high)
{
    bool usual = report->options.ci == SYN_CI_ORDER;
    *low = usual ? summary->ci_dependent_low : summary->ci_low;
    *high = usual ? summary->ci_dependent_high : summary->ci_high;
}

const char *syn_shown_interval_words(enum syn_ci ci)
{
    static const char *const words[SYN_CI_COUNT] = {
        [SYN_CI_ORDER] = "dependence between calls counted",
        [SYN_CI_EXACT] = "exact, calls taken as independent",
        [SYN_CI_BOOTSTRAP] = "bootstrap, calls taken as independent",
        [SYN_CI_BLOCK] = "block bootstrap, dependence between calls counted"};
    return words[ci];
}

/* ---- the series ---- */

/* A group's main metric, in the order of time and in ascending order. */
struct series {
    double *x, *sorted;
    size_t n;
    const struct syn_summary *summary;
    double phi;
};

static int read_series(const struct syn_figures *figures, struct series *out)
{
    enum syn_metric metric = syn_figures_main_metric(figures->group);
    *out = (struct series){.n = syn_figures_count(figures),
                           .summary = &figures->metric[metric].summary};
    out->x = malloc(2 * (out->n + 1) * sizeof *out->x);
    if (!out->x)
        return SYN_ENOMEM;
    out->sorted = out->x + out->n + 1;
    int status = syn_figures_values(figures, metric, out->x);
    if (status != SYN_OK)
        return status == SYN_EINVAL ? 0 : status;
    memcpy(out->sorted, out->x, out->n * sizeof *out->x);
    syn_sort(out->sorted, out->n);
    const double phi = syn_dependence_factor_of_sorted(out->x, out->sorted, out->n);
    out->phi = isfinite(phi) ? phi : 1;
    return 0;
}

static int describe_shape(const struct syn_report *report, const struct syn_group *group,
                          const struct series *series, struct syn_details *out)
{
    double confidence = report->options.confidence;
    uint64_t bytes;
    out->log_shapiro_w = out->log_shapiro_p = NAN;
    int status =
        syn_shapiro_log_sorted(series->sorted, series->n, &out->log_shapiro_w, &out->log_shapiro_p);
    if (status != SYN_ENOMEM)
        status = syn_mean_interval(series->x, series->n, confidence, &out->mean);
    if (status != SYN_ENOMEM)
        status = syn_geometric_mean(series->x, series->n, confidence, &out->geometric);
    if (status != SYN_ENOMEM)
        status = syn_normalizing_block(series->x, series->n, 0.05, &out->normalizing_block);
    out->qq_count =
        syn_qq_points(series->sorted, series->n, SYN_QQ_POINTS, out->qq_normal, out->qq_sample);
    bool sized = syn_report_bytes(group, &bytes) && bytes > 0;
    out->rate_bytes_per_s = sized ? syn_mean_rate(series->x, series->n, (double)bytes) : NAN;
    return status == SYN_ENOMEM ? status : 0;
}

/* ---- runs ---- */

/* Judges the runs' medians: how they vary, and how much of this the calls within runs explain. The
 * interval of a median is 2 z standard errors wide. */
static int judge_run_medians(const struct syn_report *report, const struct syn_figures *figures,
                             const struct series *series, struct syn_details *out)
{
    double z = syn_two_sided_z(report->options.confidence), error = 0, within = 0;
    size_t count = 0, sure = 0;
    SYN_FREED double *median = malloc((figures->run_count + 1) * sizeof *median);
    struct syn_summary summary;
    if (!median)
        return SYN_ENOMEM;
    for (size_t r = 0; r < figures->run_count; r++) {
        const struct syn_run_figures *run = &figures->run[r];
        double se = (run->ci_high - run->ci_low) / (2 * z);
        if (run->instances > 0)
            median[count++] = run->median;
        if (isfinite(se)) {
            error += out->run_phi * se * se;
            within += out->run_phi * se * se * (double)run->instances;
            sure++;
        }
    }
    syn_sort(median, count);
    syn_summarize_sorted(median, count, report->options.confidence, &summary);
    out->run_median_low = summary.min;
    out->run_median_high = summary.max;
    out->run_over_least = summary.min > 0 ? summary.median / summary.min : NAN;
    if (sure == figures->run_count) {
        out->median_within = within / (double)sure;
        out->median_between = fmax(0, summary.sd * summary.sd - error / (double)sure);
        const struct syn_levels levels = {.variance_between = out->median_between,
                                          .variance_within = out->median_within};
        /* time of a mean run without this group's instances; NAN if nothing is left */
        double rest_ns = 0;
        for (size_t i = 0; i < report->run_count; i++)
            rest_ns += syn_facts_run_ns(&report->run[i]);
        rest_ns -= series->summary->mean * (double)series->n;
        rest_ns = rest_ns > 0 ? rest_ns / (double)report->run_count : NAN;
        out->best_repetitions = syn_best_repetitions(&levels, rest_ns, series->summary->mean);
    }
    if (report->options.precision > 0)
        out->runs_for_precision = syn_count_for_mean(
            summary.mean, summary.sd, count, report->options.precision, report->options.confidence);
    return 0;
}

static int judge_runs(const struct syn_report *report, const struct syn_figures *figures,
                      const struct series *series, struct syn_details *out)
{
    size_t *start = calloc(figures->run_count + 1, sizeof *start);
    if (!start)
        return SYN_ENOMEM;
    for (size_t r = 0; r < figures->run_count; r++)
        start[r + 1] = start[r] + figures->run[r].instances;
    const struct syn_samples samples = {series->x, start, figures->run_count};
    struct syn_kruskal kruskal = {.H = NAN};
    int status = syn_variance_levels(&samples, &out->levels);
    if (status == SYN_OK) {
        double sum = 0;
        size_t first = 0;
        for (size_t r = 0; r < figures->run_count; r++) {
            const struct syn_run_figures *run = &figures->run[r];
            sum += fmax(1, syn_dependence_factor(series->x + first, run->instances));
            first += run->instances;
        }
        out->run_phi = sum / (double)figures->run_count;
        status = syn_kruskal_wallis(&samples, &kruskal);
    }
    if (status == SYN_OK) {
        out->run_p = syn_chi_square_p(kruskal.H / out->run_phi, kruskal.df);
        status = judge_run_medians(report, figures, series, out);
    }
    free(start);
    return status == SYN_ENOMEM ? status : 0;
}

/* ---- places ---- */

/* Returns true if all runs have each rank on the same node and socket. */
static bool same_places(const struct syn_report *report)
{
    const struct syn_run_facts *first = &report->run[0];
    for (size_t i = 1; i < report->run_count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        for (int32_t r = 0; r < first->rank_count; r++) {
            const struct syn_rank_facts *a = &first->rank[r];
            const struct syn_rank_facts *b = &run->rank[r < run->rank_count ? r : 0];
            const char *a_package = a->package ? a->package : "";
            if (r >= run->rank_count || a->node != b->node ||
                strcmp(a_package, b->package ? b->package : "") != 0)
                return false;
        }
        if (run->rank_count != first->rank_count)
            return false;
    }
    return report->run_count > 0;
}

static int test_places(const struct syn_figures *figures, const struct syn_run_facts *run,
                       const struct syn_places *places, struct syn_place_figures **out,
                       size_t *count)
{
    size_t k = places->count;
    struct syn_place_figures *figure = calloc(k + 1, sizeof *figure);
    SYN_FREED size_t *last = calloc(2 * (k + 1), sizeof *last);
    size_t *members = last ? last + k + 1 : NULL;
    SYN_FREED double *p = calloc(k + 1, sizeof *p);
    int status = figure && last && p ? 0 : SYN_ENOMEM;
    size_t total = 0, found = 0;
    for (size_t i = 0; i < figures->rank_count && status == SYN_OK; i++) {
        const struct syn_group_rank *rank = figures->rank[i].rank;
        size_t at = syn_place_of_rank(places, run, rank->rank);
        if (at == SIZE_MAX)
            continue;
        last[at] += rank->last_count;
        members[at]++;
        total++;
    }
    /* leave out places without a rank in the group */
    for (size_t i = 0; i < k && status == SYN_OK; i++) {
        if (members[i] == 0)
            continue;
        figure[found] = (struct syn_place_figures){places->place[i].name, members[i], last[i],
                                                   (double)members[i] / (double)total, NAN};
        last[found] = last[i];
        members[found++] = members[i];
    }
    if (status == SYN_OK && syn_last_arriver_test(last, members, found, p) == 0)
        for (size_t i = 0; i < found; i++)
            figure[i].p = p[i];
    if (status != SYN_OK || found < 2) {
        free(figure);
        return status;
    }
    *out = figure;
    *count = found;
    return 0;
}

static int judge_places(const struct syn_report *report, const struct syn_figures *figures,
                        struct syn_details *out)
{
    const struct syn_group *group = figures->group;
    int status = 0;
    if (syn_group_is_part(group) || group->comm_size.mixed || !same_places(report))
        return 0;
    for (int kind = SYN_PLACE_NODE; kind <= SYN_PLACE_SOCKET && status == SYN_OK; kind++) {
        struct syn_places *places = &out->places[kind];
        status = syn_places_of_run(report, &report->run[0], (enum syn_place_kind)kind, places);
        SYN_STEP(status,
                 test_places(figures, &report->run[0], places,
                             kind == SYN_PLACE_NODE ? &out->node : &out->socket,
                             kind == SYN_PLACE_NODE ? &out->node_count : &out->socket_count));
    }
    return status;
}

/* ---- details of a group ---- */

/* Reads the series, then judges independence, shape, precision and runs. */
int syn_details_make(const struct syn_report *report, const struct syn_figures *figures,
                     struct syn_details *out)
{
    struct series series = {0};
    *out = (struct syn_details){.run_phi = NAN,
                                .run_p = NAN,
                                .best_repetitions = NAN,
                                .runs_for_precision = NAN,
                                .run_median_low = NAN,
                                .run_over_least = NAN,
                                .run_median_high = NAN,
                                .median_between = NAN,
                                .median_within = NAN,
                                .levels = {0, 0, NAN, NAN, NAN, NAN, NAN, NAN}};
    int status = read_series(figures, &series);
    out->n = series.n;
    if (status == SYN_OK) {
        const double *acf = series.summary->acf;
        out->ljung_box = (struct syn_portmanteau){NAN, NAN, NAN};
        syn_ljung_box(acf, series.n, SYN_ACF_LAGS, &out->ljung_box);
        out->acf_bound = syn_acf_bound(series.n, report->options.confidence);
        out->independent_lag =
            syn_independent_lag(acf, series.n, SYN_ACF_LAGS, report->options.confidence);
        status = describe_shape(report, figures->group, &series, out);
        const struct syn_summary *summary = series.summary;
        double low, high, e = report->options.precision;
        syn_shown_interval(report, summary, &low, &high);
        out->half_width = fmax(summary->median - low, high - summary->median) / summary->median;
        out->precision = e;
        out->count_for_median = out->count_for_mean = NAN;
        if (e > 0) {
            out->count_for_median = syn_count_for_median(series.sorted, series.n, series.phi, e,
                                                         report->options.confidence);
            out->count_for_mean = syn_count_for_mean(summary->mean, summary->sd, series.n, e,
                                                     report->options.confidence);
        }
    }
    if (status == SYN_OK && figures->run_count > 1)
        status = judge_runs(report, figures, &series, out);
    SYN_STEP(status, judge_places(report, figures, out));
    free(series.x);
    return status;
}

void syn_details_free(struct syn_details *details)
{
    for (int kind = 0; kind < 2; kind++)
        syn_places_free(&details->places[kind]);
    free(details->node);
    free(details->socket);
    memset(details, 0, sizeof *details);
}
