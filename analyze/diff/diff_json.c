/* analyze/diff/diff_json.c - the diff for programs: JSON, and a line a group as CSV. Keys:
 * docs/reports.md. */
#include <math.h>
#include <string.h>

#include "analyze/diff/diff_json_parts.h"
#include "analyze/diff/diff_segments_json.h"
#include "analyze/diff/diff_words.h"
#include "analyze/print/csv.h"
#include "analyze/print/json.h"
#include "analyze/report/report_parts.h"

/* ---- JSON ---- */

static void write_side(struct syn_json *json, const char *key, const struct syn_report *side)
{
    const struct syn_run_facts *run = &side->run[0];
    syn_json_open(json, key, '{');
    syn_json_count(json, "runs", side->run_count);
    syn_json_string(json, "clocks", syn_report_clocks_verdict(side));
    syn_json_string(json, "program", run->program);
    syn_json_string(json, "args", run->args);
    syn_json_string(json, "build_id", run->program_build_id);
    syn_json_string(json, "mpi", run->mpi);
    syn_json_integer(json, "ranks", run->rank_count);
    syn_json_open(json, "traces", '[');
    for (size_t i = 0; i < side->run_count; i++)
        syn_json_string(json, NULL, side->run[i].directory);
    syn_json_close(json);
    syn_json_open(json, "notes", '[');
    for (size_t i = 0; i < side->unreadable_count; i++)
        syn_json_string(json, NULL, side->unreadable[i]);
    for (size_t i = 0; i < side->run_count; i++)
        for (size_t j = 0; j < side->run[i].fault_count; j++)
            syn_json_string(json, NULL, side->run[i].fault[j].text);
    syn_json_close(json);
    syn_json_close(json);
}

static void write_half(struct syn_json *json, const char *key, const struct syn_diff_half *half)
{
    syn_json_open_line(json, key, '{');
    syn_json_count(json, "runs", half->run_count);
    if (half->lost_run_count)
        syn_json_count(json, "lost_runs", half->lost_run_count);
    syn_json_count(json, "instances", half->instance_count);
    syn_json_interval(json, "median", half->median, half->ci_low, half->ci_high);
    syn_json_number(json, "clock_bound", half->clock_bound);
    syn_json_string(json, "site", half->site);
    syn_json_string(json, "comm", half->comm);
    syn_json_count(json, "labels", half->label_count);
    syn_values_json(json, half->run_value, half->run_count);
    syn_json_close(json);
}

static void write_test(struct syn_json *json, const struct syn_diff_group *group)
{
    bool too_few = group->verdict == SYN_VERDICT_TOO_FEW_RUNS;
    syn_shift_json(json, "ratio", &group->ratio);
    syn_json_number(json, "ratio_confidence", group->ratio.confidence);
    syn_json_string(json, "ratio_interval", group->ratio_within_runs ? "within runs" : "runs");
    syn_json_string(json, "test", "wilcoxon");
    syn_json_number(json, "U", group->test.U);
    syn_json_bool(json, "exact", group->test.exact);
    syn_json_number(json, "p", group->test.p);
    syn_json_number(json, "p_permutation", group->p_permutation);
    syn_json_number(json, "p_adjusted", group->p_adjusted);
    syn_json_string(json, "stars", too_few ? "" : syn_stars(group->p_adjusted));
    syn_json_number(json, "vargha_delaney_a", group->vargha_delaney_a);
    syn_json_number(json, "delta", group->delta);
    syn_json_number(json, "detectable_slower", group->detectable_slower);
    syn_json_number(json, "detectable_faster", group->detectable_faster);
    syn_json_string(json, "verdict", syn_verdict_text(group->verdict));
    syn_json_number(json, "runs_for_equivalence", group->runs_for_equivalence);
}

static void write_wait(struct syn_json *json, const struct syn_diff_wait *wait)
{
    syn_json_open_line(json, "wait_share", '{');
    syn_json_number(json, "a", wait->a);
    syn_json_number(json, "b", wait->b);
    syn_shift_json(json, "change", &wait->change);
    syn_test_json(json, &wait->test, wait->p_adjusted);
    syn_json_string(json, "stars", syn_diff_wait_stars(wait));
    syn_json_number(json, "clock_bound", wait->clock_bound);
    syn_json_close(json);
}

static void write_total(struct syn_json *json, const char *name, const struct syn_diff_total *total)
{
    syn_json_open_line(json, name, '{');
    syn_json_number(json, "a", total->a);
    syn_json_number(json, "b", total->b);
    syn_shift_json(json, "ratio", &total->ratio);
    syn_test_json(json, &total->test, total->p_adjusted);
    syn_json_string(json, "stars", syn_stars(total->p_adjusted));
    syn_json_close(json);
}

static void write_totals(struct syn_json *json, const struct syn_diff *diff)
{
    syn_json_open(json, "totals_ns", '{');
    for (int kind = 0; kind < SYN_TOTAL_COUNT; kind++)
        write_total(json, syn_diff_total_name((enum syn_total)kind), &diff->total[kind]);
    syn_json_close(json);
    syn_json_open(json, "efficiency", '{');
    for (int kind = 0; kind < SYN_EFFICIENCY_COUNT; kind++)
        write_total(json, syn_diff_efficiency_name((enum syn_diff_efficiency)kind),
                    &diff->efficiency[kind]);
    syn_json_close(json);
}

static void write_quantile(struct syn_json *json, const struct syn_diff_quantile *quantile)
{
    const struct syn_quantile_effect *pooled = &quantile->pooled;
    syn_json_open_line(json, NULL, '{');
    syn_json_number(json, "tau", quantile->tau);
    syn_json_number(json, "a", quantile->a);
    syn_json_number(json, "b", quantile->b);
    syn_shift_json(json, "change", &quantile->shift);
    syn_shift_json(json, "ratio", &quantile->ratio);
    syn_test_json(json, &quantile->test, quantile->p_adjusted);
    syn_json_string(json, "stars", syn_stars(quantile->p_adjusted));
    syn_json_open_line(json, "regression", '{');
    syn_json_number(json, "intercept", pooled->intercept);
    syn_json_number(json, "intercept_low", pooled->intercept_low);
    syn_json_number(json, "intercept_high", pooled->intercept_high);
    syn_json_number(json, "effect", pooled->effect);
    syn_json_number(json, "effect_low", pooled->low);
    syn_json_number(json, "effect_high", pooled->high);
    syn_json_close(json);
    syn_json_close(json);
}

static void write_quantiles(struct syn_json *json, const struct syn_diff *diff,
                            const struct syn_diff_group *group)
{
    if (diff->options.tau_count == 0)
        return;
    syn_json_open(json, "quantiles", '[');
    for (size_t i = 0; i < diff->options.tau_count; i++)
        write_quantile(json, &group->quantile[i]);
    syn_json_close(json);
}

/* The keys that not every diff has. */
static void write_further_keys(struct syn_json *json, unsigned by,
                               const struct syn_diff_group *group)
{
    if (by & SYN_BY(SYN_KEY_ROOT)) {
        if (group->root >= 0)
            syn_json_integer(json, "root", group->root);
        else
            syn_json_null(json, "root");
    }
    if (by & SYN_BY(SYN_KEY_RANK))
        syn_json_integer(json, "rank", group->rank);
    if (by & SYN_BY(SYN_KEY_NODE))
        syn_json_string(json, "node", group->node);
}

static void write_group(struct syn_json *json, const struct syn_diff *diff,
                        const struct syn_diff_group *group)
{
    const char *notes[SYN_DIFF_NOTES];
    size_t note_count = syn_diff_group_notes(diff, group, notes, SYN_DIFF_NOTES);
    syn_json_open(json, NULL, '{');
    syn_json_string(json, "op", group->op);
    syn_json_string(json, "site", group->a.site);
    syn_json_string(json, "comm", group->a.comm);
    syn_json_count(json, "comm_size", group->comm_size);
    syn_json_count(json, "bytes", group->bytes);
    write_further_keys(json, diff->options.by, group);
    syn_json_string(json, "matched", syn_diff_match_text(group->match));
    syn_json_string(json, "metric", syn_diff_metric_name(diff->options.metric));
    write_half(json, "a", &group->a);
    write_half(json, "b", &group->b);
    write_test(json, group);
    write_wait(json, &group->wait);
    write_quantiles(json, diff, group);
    syn_json_open_line(json, "notes", '[');
    for (size_t i = 0; i < note_count; i++)
        syn_json_string(json, NULL, notes[i]);
    syn_json_close(json);
    syn_json_close(json);
}

static void write_singles(struct syn_json *json, const char *key,
                          const struct syn_diff_singles *only)
{
    syn_json_open(json, key, '[');
    for (size_t i = 0; i < only->count; i++) {
        const struct syn_diff_single *single = &only->item[i];
        syn_json_open_line(json, NULL, '{');
        syn_json_string(json, "op", single->op);
        syn_json_string(json, "site", single->site);
        syn_json_string(json, "comm", single->comm);
        syn_json_count(json, "comm_size", single->comm_size);
        syn_json_count(json, "bytes", single->bytes);
        if (single->rank >= 0)
            syn_json_integer(json, "rank", single->rank);
        if (single->node)
            syn_json_string(json, "node", single->node);
        syn_json_count(json, "runs", single->run_count);
        syn_json_count(json, "instances", single->instance_count);
        syn_json_close(json);
    }
    syn_json_close(json);
}

static void write_false_positives(struct syn_json *json, const struct syn_diff *diff)
{
    const struct syn_false_positives *found = &diff->false_positives;
    bool pooled = diff->options.metric != SYN_DIFF_WAIT_SHARE;
    if (!diff->options.same_program)
        return;
    syn_json_open(json, "false_positives", '{');
    syn_json_count(json, "groups", found->group_count);
    syn_json_count(json, "claims", found->run_claims);
    syn_json_count(json, "claims_adjusted", found->adjusted_claims);
    syn_json_number(json, "claims_pooled", pooled ? (double)found->pooled_claims : NAN);
    syn_json_count(json, "divisions", found->split_count);
    syn_json_number(json, "rate", found->run_claim_rate);
    syn_json_number(json, "rate_pooled", pooled ? found->pooled_claim_rate : NAN);
    syn_json_close(json);
}

static void write_options(struct syn_json *json, const struct syn_diff *diff)
{
    const struct syn_diff_options *options = &diff->options;
    struct syn_text headline = {0};
    syn_diff_headline(diff, &headline);
    syn_json_string(json, "headline", syn_text_chars(&headline));
    syn_json_open_line(json, "by", '[');
    for (int key = 0; key < SYN_KEY_COUNT; key++)
        if (options->by & SYN_BY(key))
            syn_json_string(json, NULL, syn_key_name((enum syn_key)key));
    syn_json_close(json);
    syn_json_string(json, "metric", syn_diff_metric_name(options->metric));
    syn_json_string(json, "alternative", syn_diff_alternative_name(options->alternative));
    syn_json_string(json, "adjust", syn_adjust_name(diff->adjust));
    if (diff->adjust == SYN_ADJUST_MAXT) {
        syn_json_number(json, "adjust_divisions", diff->maxt.divisions);
        syn_json_bool(json, "adjust_exact", diff->maxt.exact);
    }
    syn_json_number(json, "confidence", options->confidence);
    syn_json_number(json, "threshold", options->threshold);
    syn_json_count(json, "runs_needed", diff->needed_runs);
    syn_json_count(json, "runs_needed_adjusted", diff->needed_runs_adjusted);
    syn_text_free(&headline);
}

static void write_warning(void *ctx, const char *words)
{
    syn_json_string(ctx, NULL, words);
}

void syn_diff_json(const struct syn_diff *diff, struct syn_text *text)
{
    struct syn_json json = syn_json_start(text);
    syn_json_open(&json, NULL, '{');
    syn_json_integer(&json, "schema", 1);
    write_options(&json, diff);
    write_side(&json, "a", &diff->side[0]);
    write_side(&json, "b", &diff->side[1]);
    write_totals(&json, diff);
    write_wait(&json, &diff->wait);
    write_false_positives(&json, diff);
    syn_json_open(&json, "warnings", '[');
    syn_diff_warnings(diff, write_warning, &json);
    syn_json_close(&json);
    syn_json_open(&json, "groups", '[');
    for (size_t i = 0; i < diff->count; i++)
        write_group(&json, diff, &diff->group[i]);
    syn_json_close(&json);
    write_singles(&json, "only_in_a", &diff->only[0]);
    write_singles(&json, "only_in_b", &diff->only[1]);
    syn_diff_segments_json(&json, diff);
    syn_json_close(&json);
    syn_text_char(text, '\n');
}

/* ---- CSV ---- */

static void number(struct syn_text *text, double value)
{
    char buffer[32];
    syn_number_text(value, buffer);
    syn_text_format(text, ",%s", buffer);
}

static void names(struct syn_text *text, const char *op, const char *site, const char *comm,
                  uint64_t comm_size, uint64_t bytes)
{
    const char *const fields[] = {op, site, comm};
    for (int i = 0; i < 3; i++) {
        syn_csv_field(text, fields[i]);
        syn_text_char(text, ',');
    }
    syn_text_format(text, "%llu,%llu", (unsigned long long)comm_size, (unsigned long long)bytes);
}

static void csv_half(struct syn_text *text, const struct syn_diff_half *half)
{
    syn_text_format(text, ",%zu,%llu", half->run_count, (unsigned long long)half->instance_count);
    number(text, half->median);
    number(text, half->ci_low);
    number(text, half->ci_high);
}

static void csv_further_keys(struct syn_text *text, int64_t rank, int64_t root, const char *node)
{
    const int64_t keys[] = {rank, root};
    for (int i = 0; i < 2; i++) {
        syn_text_char(text, ',');
        if (keys[i] >= 0)
            syn_text_format(text, "%lld", (long long)keys[i]);
    }
    syn_text_char(text, ',');
    syn_csv_field(text, node ? node : "");
}

static void csv_quantile(struct syn_text *text, const struct syn_diff_quantile *quantile)
{
    const double figures[] = {
        quantile->a,          quantile->b,          quantile->ratio.estimate, quantile->ratio.low,
        quantile->ratio.high, quantile->p_adjusted, quantile->pooled.effect};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        number(text, figures[i]);
}

/* "q0.99_a,q0.99_b,...", as csv_quantile fills them. */
static void csv_quantile_titles(struct syn_text *text, double tau)
{
    static const char *const figures[] = {
        "a", "b", "ratio", "ratio_low", "ratio_high", "p_adjusted", "regression_effect"};
    char name[32];
    syn_number_text(tau, name);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        syn_text_format(text, ",q%s_%s", name, figures[i]);
}

static void csv_group(struct syn_text *text, const struct syn_diff *diff,
                      const struct syn_diff_group *group)
{
    bool too_few = group->verdict == SYN_VERDICT_TOO_FEW_RUNS;
    const double figures[] = {group->ratio.estimate, group->ratio.low, group->ratio.high,
                              group->test.U,         group->test.p,    group->p_adjusted};
    names(text, group->op, group->a.site, group->a.comm, group->comm_size, group->bytes);
    syn_text_format(text, ",%s", syn_diff_metric_name(diff->options.metric));
    csv_half(text, &group->a);
    csv_half(text, &group->b);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        number(text, figures[i]);
    syn_text_format(text, ",%s", too_few ? "" : syn_stars(group->p_adjusted));
    number(text, group->vargha_delaney_a);
    number(text, group->delta);
    syn_text_format(text, ",%s,", syn_verdict_text(group->verdict));
    syn_csv_field(text, syn_diff_match_text(group->match));
    csv_further_keys(text, group->rank, group->root, group->node);
    number(text, group->wait.a);
    number(text, group->wait.b);
    number(text, group->wait.test.p);
    number(text, group->wait.p_adjusted);
    for (size_t i = 0; i < diff->options.tau_count; i++)
        csv_quantile(text, &group->quantile[i]);
    syn_text_char(text, '\n');
}

/* The columns of a group in one side only are those of that side's runs and instances. */
static void csv_singles(struct syn_text *text, const struct syn_diff *diff, int i)
{
    const struct syn_diff_singles *only = &diff->only[i];
    for (size_t j = 0; j < only->count; j++) {
        const struct syn_diff_single *single = &only->item[j];
        names(text, single->op, single->site, single->comm, single->comm_size, single->bytes);
        syn_text_format(text, ",%s%s,%zu,%llu,,,", syn_diff_metric_name(diff->options.metric),
                        i == 0 ? "" : ",,,,,", single->run_count,
                        (unsigned long long)single->instance_count);
        syn_text_format(text, "%s,,,,,,,,,,only in %c,", i == 0 ? ",,,,," : "", i == 0 ? 'a' : 'b');
        csv_further_keys(text, single->rank, -1, single->node);
        syn_text_string(text, ",,,,");
        syn_text_repeat(text, ',', 7 * diff->options.tau_count);
        syn_text_char(text, '\n');
    }
}

void syn_diff_csv(const struct syn_diff *diff, struct syn_text *text)
{
    syn_text_string(text, "op,site,comm,comm_size,bytes,metric,"
                          "a_runs,a_instances,a_median,a_ci_low,a_ci_high,"
                          "b_runs,b_instances,b_median,b_ci_low,b_ci_high,"
                          "ratio,ratio_low,ratio_high,U,p,p_adjusted,stars,vargha_delaney_a,delta,"
                          "verdict,matched,rank,root,node,"
                          "a_wait_share,b_wait_share,wait_share_p,wait_share_p_adjusted");
    for (size_t i = 0; i < diff->options.tau_count; i++)
        csv_quantile_titles(text, diff->options.tau[i]);
    syn_text_char(text, '\n');
    for (size_t i = 0; i < diff->count; i++)
        csv_group(text, diff, &diff->group[i]);
    csv_singles(text, diff, 0);
    csv_singles(text, diff, 1);
}
