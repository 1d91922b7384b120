/* analyze/report/details_json.c - a group's details as JSON; the keys are those of docs/reports.md.
 */
#include <math.h>

#include "analyze/report/details_json.h"

static void count_or_null(struct syn_json *json, const char *key, size_t count)
{
    if (count)
        syn_json_count(json, key, count);
    else
        syn_json_null(json, key);
}

static void write_mean(struct syn_json *json, const char *key, const struct syn_mean_interval *mean)
{
    syn_json_open_line(json, key, '{');
    syn_json_interval(json, "mean", mean->mean, mean->low, mean->high);
    syn_json_close(json);
}

static void write_shape(struct syn_json *json, const struct syn_summary *summary,
                        const struct syn_details *details)
{
    syn_json_open(json, "normality", '{');
    syn_json_number(json, "shapiro_w", summary->shapiro_w);
    syn_json_number(json, "p", summary->shapiro_p);
    syn_json_number(json, "log_shapiro_w", details->log_shapiro_w);
    syn_json_number(json, "log_p", details->log_shapiro_p);
    count_or_null(json, "normalizing_block", details->normalizing_block);
    write_mean(json, "arithmetic", &details->mean);
    write_mean(json, "geometric", &details->geometric);
    syn_json_open_line(json, "qq", '[');
    for (size_t i = 0; i < details->qq_count; i++) {
        syn_json_open_line(json, NULL, '[');
        syn_json_number(json, NULL, details->qq_normal[i]);
        syn_json_number(json, NULL, details->qq_sample[i]);
        syn_json_close(json);
    }
    syn_json_close(json);
    syn_json_close(json);
}

static void write_independence(struct syn_json *json, const struct syn_summary *summary,
                               const struct syn_details *details)
{
    syn_json_open_line(json, "autocorrelation", '[');
    for (int lag = 0; lag < SYN_ACF_LAGS; lag++)
        syn_json_number(json, NULL, summary->acf[lag]);
    syn_json_close(json);
    syn_json_open_line(json, "independence", '{');
    syn_json_number(json, "ljung_box_q", details->ljung_box.Q);
    syn_json_number(json, "df", details->ljung_box.df);
    syn_json_number(json, "p", details->ljung_box.p);
    syn_json_number(json, "autocorrelation_bound", details->acf_bound);
    count_or_null(json, "independent_lag", details->independent_lag);
    syn_json_close(json);
}

static void write_precision(struct syn_json *json, const struct syn_details *details)
{
    syn_json_open_line(json, "precision", '{');
    syn_json_number(json, "half_width", details->half_width);
    syn_json_number(json, "wanted", details->precision > 0 ? details->precision : NAN);
    if (details->precision > 0)
        syn_json_bool(json, "reached", details->half_width <= details->precision);
    else
        syn_json_null(json, "reached");
    syn_json_number(json, "instances_for_median", details->count_for_median);
    syn_json_number(json, "instances_for_mean", details->count_for_mean);
    syn_json_number(json, "runs_for_medians", details->runs_for_precision);
    syn_json_close(json);
}

static void write_levels(struct syn_json *json, const struct syn_details *details)
{
    const struct syn_levels *levels = &details->levels;
    if (isnan(levels->variance_within)) {
        syn_json_null(json, "levels");
        return;
    }
    syn_json_open_line(json, "levels", '{');
    syn_json_count(json, "runs", levels->run_count);
    syn_json_number(json, "variance_between", levels->variance_between);
    syn_json_number(json, "variance_within", levels->variance_within);
    syn_json_number(json, "intraclass", levels->intraclass);
    syn_json_number(json, "F", levels->F);
    syn_json_number(json, "p", levels->p);
    syn_json_number(json, "kruskal_p", levels->kruskal_p);
    syn_json_number(json, "dependence", details->run_phi);
    syn_json_number(json, "kruskal_p_dependent", details->run_p);
    syn_json_number(json, "run_median_low", details->run_median_low);
    syn_json_number(json, "run_median_high", details->run_median_high);
    syn_json_number(json, "run_over_least_median", details->run_over_least);
    syn_json_number(json, "run_over_least_max",
                    details->run_median_low > 0 ? details->run_median_high / details->run_median_low
                                                : NAN);
    syn_json_number(json, "median_variance_between", details->median_between);
    syn_json_number(json, "median_variance_within", details->median_within);
    syn_json_number(json, "best_instances_per_run", details->best_repetitions);
    syn_json_close(json);
}

void syn_details_json(struct syn_json *json, const struct syn_figures *figures,
                      const struct syn_details *details)
{
    const struct syn_summary *summary =
        &figures->metric[syn_figures_main_metric(figures->group)].summary;
    write_shape(json, summary, details);
    write_independence(json, summary, details);
    syn_json_open_line(json, "rate", '{');
    syn_json_number(json, "bytes_per_s", details->rate_bytes_per_s);
    syn_json_close(json);
    write_precision(json, details);
    write_levels(json, details);
}

/* ---- within "ranks" ---- */

void syn_details_places_json(struct syn_json *json, const char *key,
                             const struct syn_place_figures *place, size_t count)
{
    syn_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        syn_json_open_line(json, NULL, '{');
        syn_json_string(json, "name", place[i].name);
        syn_json_count(json, "ranks", place[i].rank_count);
        syn_json_count(json, "last_arrivals", place[i].last_count);
        syn_json_number(json, "expected_share", place[i].expected_share);
        syn_json_number(json, "last_arrivals_p", place[i].p);
        syn_json_close(json);
    }
    syn_json_close(json);
}

static void write_pair(struct syn_json *json, const char *key, const struct syn_pair *pair)
{
    syn_json_open_line(json, key, '{');
    syn_json_number(json, "z", pair->z);
    syn_json_number(json, "p", pair->p);
    syn_json_number(json, "p_adjusted", pair->p_adjusted);
    syn_json_close(json);
}

void syn_details_pairs_json(struct syn_json *json, const struct syn_figures *figures)
{
    if (figures->pair_count == 0)
        return;
    syn_json_open(json, "pairs", '[');
    for (size_t i = 0; i < figures->pair_count; i++) {
        const struct syn_pair *pair = &figures->kruskal_pair[i];
        syn_json_open_line(json, NULL, '{');
        syn_json_integer(json, "rank", figures->rank[pair->i].rank->rank);
        syn_json_integer(json, "other", figures->rank[pair->j].rank->rank);
        write_pair(json, "kruskal_wallis", pair);
        write_pair(json, "friedman", &figures->friedman_pair[i]);
        syn_json_close(json);
    }
    syn_json_close(json);
}
