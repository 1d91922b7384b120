/* analyze/report/report_json.c - the report as JSON; the keys are those of docs/reports.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/bounds.h"
#include "analyze/print/json.h"
#include "analyze/report/causes_words.h"
#include "analyze/report/details_json.h"
#include "analyze/report/efficiencies.h"
#include "analyze/report/figures_table.h"
#include "analyze/report/report_hang.h"
#include "analyze/report/segments.h"
#include "analyze/report/time_slices.h"
#include "analyze/report/typical.h"
#include "analyze/symbols/symbols.h"

static void write_metric(struct syn_json *json, const struct syn_metric_figures *metric,
                         enum syn_metric which, double confidence)
{
    char key[40];
    snprintf(key, sizeof key, "%s_ns", syn_metric_name(which));
    const struct syn_summary *summary = &metric->summary;
    if (summary->n == 0) {
        syn_json_null(json, key);
        return;
    }
    syn_json_open_line(json, key, '{');
    syn_json_count(json, "n", summary->n);
    for (size_t i = 0; i < syn_summary_figure_count; i++) {
        syn_json_number(json, syn_summary_figures[i].name,
                        syn_summary_value(summary, &syn_summary_figures[i]));
        if (strcmp(syn_summary_figures[i].name, "ci_high") == 0)
            syn_json_number(json, "confidence", confidence);
        if (strcmp(syn_summary_figures[i].name, "sd") == 0)
            syn_json_count(json, "outliers_tukey", summary->outliers_tukey);
    }
    syn_json_number(json, "clock_bound_ns", metric->clock_bound_ns);
    syn_json_bool(json, "below_clock_resolution", syn_figures_below_clock(metric));
    syn_json_close(json);
}

static void write_section(struct syn_json *json, const struct syn_figures *figures,
                          enum syn_figure_section section)
{
    syn_json_open_line(json, syn_section_name(section), '{');
    for (size_t i = 0; i < syn_group_figure_count; i++)
        if (syn_group_figures[i].section == section)
            syn_json_number(json, syn_group_figures[i].key,
                            syn_group_value(figures, &syn_group_figures[i]));
    syn_json_close(json);
}

static void write_rank(struct syn_json *json, const struct syn_rank_figures *rank)
{
    syn_json_open_line(json, NULL, '{');
    syn_json_integer(json, "rank", rank->rank->rank);
    syn_json_count(json, "n", rank->n);
    syn_json_interval(json, "median", rank->median, rank->ci_low, rank->ci_high);
    syn_json_count(json, "last_arrivals", rank->rank->last_count);
    syn_json_count(json, "last_arrivals_sure", rank->rank->last_sure_count);
    syn_json_number(json, "last_arrivals_p", rank->last_p);
    syn_json_number(json, "wait_ns", rank->rank->wait_ns);
    syn_json_number(json, "inside_ns", rank->rank->inside_ns);
    syn_json_number(json, "waiting_ns", rank->rank->waiting_ns);
    syn_json_number(json, "caused_ns", rank->rank->caused_ns);
    syn_json_close(json);
}

/* Whom the text names under `late`; null where nobody was late more often than by chance. */
static void write_latest(struct syn_json *json, const struct syn_figures *figures)
{
    if (!figures->latest) {
        syn_json_null(json, "latest");
        return;
    }
    syn_json_open(json, "latest", '{');
    syn_json_integer(json, "rank", figures->latest->rank->rank);
    syn_json_number(json, "p_adjusted", figures->latest_p);
    syn_json_close(json);
}

static void write_ranks(struct syn_json *json, const struct syn_figures *figures,
                        const struct syn_details *details)
{
    syn_json_open(json, "ranks", '{');
    write_section(json, figures, SYN_SECTION_ANOVA);
    write_section(json, figures, SYN_SECTION_KRUSKAL);
    write_section(json, figures, SYN_SECTION_FRIEDMAN);
    syn_json_open(json, "per_rank", '[');
    for (size_t i = 0; i < figures->rank_count; i++)
        write_rank(json, &figures->rank[i]);
    syn_json_close(json);
    write_latest(json, figures);
    syn_details_places_json(json, "per_node", details->node, details->node_count);
    syn_details_places_json(json, "per_socket", details->socket, details->socket_count);
    syn_details_pairs_json(json, figures);
    syn_json_close(json);
}

static void write_change(struct syn_json *json, const struct syn_run_figures *run)
{
    const struct syn_run_change *change = &run->change;
    const struct syn_change *found = &change->found;
    if (found->at == 0) {
        syn_json_null(json, "change");
        return;
    }
    syn_json_open(json, "change", '{');
    syn_json_string(json, "claimed",
                    isnan(change->p_adjusted)            ? NULL
                    : syn_run_change_is_unclear(change)  ? "unclear"
                    : !syn_run_change_is_claimed(change) ? "none"
                    : found->is_trend                    ? "trend"
                                                         : "step");
    syn_json_number(json, "p", found->p);
    syn_json_number(json, "p_adjusted", change->p_adjusted);
    syn_json_count(json, "at_instance", syn_run_change_at(change));
    syn_json_integer(json, "at_ns", change->at_ns);
    syn_json_number(json, "before_median_ns", found->before);
    syn_json_number(json, "after_median_ns", found->after);
    syn_json_number(json, "ratio", found->before > 0 ? found->after / found->before : NAN);
    syn_json_number(json, "step_p", found->step_p);
    syn_json_number(json, "trend_begin_ns", found->begin);
    syn_json_number(json, "trend_end_ns", found->end);
    syn_json_number(json, "trend_ratio_per_1000",
                    syn_run_change_per_1000(change, run->instances + run->skipped));
    syn_json_number(json, "trend_p", found->trend_p);
    syn_json_close(json);
}

static void write_tukey(struct syn_json *json, const struct syn_run_figures *run)
{
    syn_json_open(json, "tukey", '{');
    syn_json_count(json, "instances", run->tukey_instances);
    syn_json_number(json, "median", run->tukey_median);
    syn_json_number(json, "mean", run->tukey_mean);
    syn_json_close(json);
}

static void write_group_runs(struct syn_json *json, const struct syn_figures *figures)
{
    syn_json_open(json, "runs", '[');
    for (size_t i = 0; i < figures->run_count; i++) {
        const struct syn_run_figures *run = &figures->run[i];
        syn_json_open_line(json, NULL, '{');
        syn_json_count(json, "run", run->run);
        syn_json_count(json, "instances", run->instances);
        syn_json_interval(json, "median", run->median, run->ci_low, run->ci_high);
        syn_json_count(json, "settled_at", run->warmup.settled_at);
        syn_json_number(json, "warmup_p", run->warmup.p);
        syn_json_number(json, "warmup_ratio", run->warmup.ratio);
        syn_json_bool(json, "unsettled", run->warmup.unsettled);
        syn_json_count(json, "skipped", run->skipped);
        write_change(json, run);
        if (isfinite(run->tukey_median))
            write_tukey(json, run);
        syn_json_close(json);
    }
    syn_json_close(json);
}

static void optional_integer(struct syn_json *json, const char *key, bool known, int64_t value)
{
    if (known)
        syn_json_integer(json, key, value);
    else
        syn_json_null(json, key);
}

/* By stack a site is a path: its innermost frame is the site, and all of them are the stack. */
static void write_site(struct syn_json *json, const struct syn_report *report,
                       const struct syn_group *group)
{
    const char *path = syn_report_site(report, group);
    if (!path || !(report->options.by & SYN_BY(SYN_KEY_STACK))) {
        syn_json_string(json, "site", path);
        return;
    }
    for (bool innermost = true; *path; innermost = false) {
        const char *end = strstr(path, SYN_PATH_SEPARATOR);
        const size_t length = end ? (size_t)(end - path) : strlen(path);
        char *frame = strndup(path, length);
        if (innermost) {
            syn_json_string(json, "site", frame);
            syn_json_open(json, "stack", '[');
        }
        syn_json_string(json, NULL, frame);
        free(frame);
        path += length + (end ? strlen(SYN_PATH_SEPARATOR) : 0);
    }
    syn_json_close(json);
}

static void write_keys(struct syn_json *json, const struct syn_report *report,
                       const struct syn_group *group)
{
    uint64_t bytes, size;
    int32_t root;
    const uint64_t *key = group->key;
    syn_json_string(json, "op", syn_report_op(group));
    write_site(json, report, group);
    syn_json_string(json, "comm", syn_report_comm(report, group));
    bool known = syn_report_comm_size(group, &size);
    optional_integer(json, "comm_size", known, (int64_t)size);
    if (syn_report_bytes(group, &bytes))
        syn_json_count(json, "bytes", bytes);
    else
        syn_json_null(json, "bytes");
    known = syn_report_root(group, &root);
    optional_integer(json, "root", known, root);
    if (report->options.by & SYN_BY(SYN_KEY_RANK))
        optional_integer(json, "rank", key[SYN_KEY_RANK] != UINT64_MAX, (int64_t)key[SYN_KEY_RANK]);
    if (report->options.by & SYN_BY(SYN_KEY_NODE))
        syn_json_string(json, "node",
                        key[SYN_KEY_NODE] == UINT64_MAX
                            ? NULL
                            : syn_names_text(&report->names, (uint32_t)key[SYN_KEY_NODE]));
    if (report->options.by & SYN_BY(SYN_KEY_RUN))
        syn_json_count(json, "run", key[SYN_KEY_RUN]);
    if (report->options.by & SYN_BY(SYN_KEY_PHASE)) {
        const char *phase = syn_report_phase(report, group);
        syn_json_string(json, "phase", phase && phase[0] ? phase : NULL);
    }
}

static void write_notes(struct syn_json *json, const struct syn_figures *figures)
{
    const char *notes[SYN_GROUP_NOTES];
    size_t count = syn_report_group_notes(figures, notes, SYN_GROUP_NOTES);
    syn_json_open(json, "notes", '[');
    for (size_t i = 0; i < count; i++)
        syn_json_string(json, NULL, notes[i]);
    syn_json_close(json);
}

/* Of nonblocking operations. */
static void write_overlap(struct syn_json *json, const struct syn_group *group)
{
    const struct syn_group_overlap *overlap = &group->overlap;
    const double all_ns = overlap->hidden_ns + overlap->exposed_ns;
    if (!(all_ns > 0)) {
        syn_json_null(json, "overlap");
        return;
    }
    syn_json_open_line(json, "overlap", '{');
    syn_json_number(json, "between_ns", overlap->between_ns);
    syn_json_number(json, "hidden_ns", overlap->hidden_ns);
    syn_json_number(json, "exposed_ns", overlap->exposed_ns);
    syn_json_number(json, "share", overlap->hidden_ns / all_ns);
    syn_json_close(json);
}

static void write_flags(struct syn_json *json, const struct syn_group *group)
{
    syn_json_open_line(json, "flagged", '{');
    syn_json_count(json, "perturbed", group->perturbed_count);
    syn_json_count(json, "failed", group->failed_count);
    syn_json_count(json, "late_start", group->late_start_count);
    syn_json_count(json, "not_completed", group->not_completed_count);
    syn_json_close(json);
}

static void write_group(struct syn_json *json, const struct syn_report *report,
                        const struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    bool part = syn_group_is_part(group);
    struct syn_details details;
    if (syn_details_make(report, figures, &details))
        json->text->failed = true;
    syn_json_open(json, NULL, '{');
    write_keys(json, report, group);
    syn_json_count(json, "instances", group->instance_count);
    syn_json_count(json, "skipped", figures->skipped_count);
    syn_json_count(json, "incomplete", group->incomplete_count);
    syn_json_bool(json, "site_differs", group->site_differs);
    for (enum syn_metric metric = 0; metric < SYN_METRIC_COUNT; metric++)
        if (metric != SYN_METRIC_WAIT || part)
            write_metric(json, &figures->metric[metric], metric, report->options.confidence);
    write_ranks(json, figures, &details);
    write_section(json, figures, SYN_SECTION_WAIT);
    write_overlap(json, group);
    syn_details_json(json, figures, &details);
    syn_details_free(&details);
    write_flags(json, group);
    write_group_runs(json, figures);
    write_notes(json, figures);
    syn_json_close(json);
}

/* ---- runs ---- */

static void write_run_rank(struct syn_json *json, const struct syn_report *report,
                           const struct syn_run_facts *run, int32_t r)
{
    const struct syn_rank_facts *rank = &run->rank[r];
    syn_json_open_line(json, NULL, '{');
    syn_json_integer(json, "rank", r);
    syn_json_bool(json, "present", rank->present);
    syn_json_string(json, "node", syn_names_text(&report->names, rank->node));
    syn_json_string(json, "core", rank->core);
    syn_json_string(json, "ended", syn_ending_name(rank->ending));
    syn_json_count(json, "events", run->totals.rank[r].event_count);
    syn_json_number(json, "dropped", rank->loss_unknown ? NAN : (double)rank->dropped_count);
    syn_json_bool(json, "recorded", rank->recorded);
    syn_json_count(json, "passed", rank->passed_count);
    syn_json_number(json, "collectives_ns", run->totals.rank[r].inside_ns);
    syn_json_number(json, "waiting_ns", syn_report_is_cut(run) ? NAN : rank->waiting_ns);
    syn_json_number(json, "caused_ns", syn_report_is_cut(run) ? NAN : rank->caused_ns);
    syn_json_count(json, "instances", rank->instance_count);
    syn_json_count(json, "last_arrivals", rank->last_count);
    syn_json_count(json, "last_arrivals_sure", rank->last_sure_count);
    syn_json_number(json, "last_arrivals_expected", rank->expected_last);
    syn_json_number(json, "last_arrivals_p", rank->last_p);
    syn_json_number(json, "clock_bound_ns",
                    rank->bound_ns >= SYN_BOUND_UNKNOWN_NS ? NAN : (double)rank->bound_ns);
    syn_json_close(json);
}

static void write_places(struct syn_json *json, const char *key, const struct syn_report *report,
                         const struct syn_run_facts *run, enum syn_place_kind kind)
{
    struct syn_places places;
    if (syn_places_of_run(report, run, kind, &places))
        json->text->failed = true;
    syn_json_open(json, key, '[');
    for (size_t i = 0; i < places.count; i++) {
        const struct syn_report_place *place = &places.place[i];
        syn_json_open_line(json, NULL, '{');
        syn_json_string(json, "name", place->name);
        syn_json_count(json, "ranks", place->rank_count);
        syn_json_count(json, "last_arrivals", place->last_count);
        syn_json_number(json, "last_arrivals_expected", place->expected_last);
        syn_json_number(json, "last_arrivals_p", place->p);
        syn_json_number(json, "caused_ns", place->caused_ns);
        syn_json_close(json);
    }
    syn_json_close(json);
    syn_places_free(&places);
}

static void write_run(struct syn_json *json, const struct syn_report *report,
                      const struct syn_run_facts *run)
{
    const struct syn_match_totals *totals = &run->totals;
    syn_json_open(json, NULL, '{');
    syn_json_count(json, "run", run->run);
    syn_json_string(json, "trace", run->directory);
    syn_json_string(json, "program", run->program);
    syn_json_string(json, "args", run->args);
    syn_json_string(json, "mpi", run->mpi);
    syn_json_integer(json, "ranks", run->rank_count);
    syn_json_integer(json, "ranks_present", run->present_count);
    syn_json_integer(json, "ranks_recorded", run->recorded_count);
    syn_json_count(json, "nodes", run->node_count);
    syn_json_count(json, "spawned", run->spawned_count);
    syn_json_count(json, "spawned_unrecorded", run->spawned_unrecorded_count);
    syn_json_integer(json, "start_unix_ns", run->start_unix_ns);
    syn_json_integer(json, "begin_ns", run->begin_ns);
    syn_json_integer(json, "duration_ns", run->duration_ns);
    syn_json_bool(json, "duration_estimated", run->duration_estimated);
    syn_json_bool(json, "messages_recorded", run->has_messages);
    syn_json_string(json, "sync", run->sync_method);
    syn_json_string(json, "sync_taken", run->sync_taken);
    syn_json_string(json, "clock", run->clock_kind);
    syn_clocks_json(&run->clock_check, &run->causality, json, "clock_check");
    syn_json_number(json, "sync_ns", run->sync_begin_ns + run->sync_end_ns);
    syn_json_number(json, "profiler_ns", run->overhead_ns);
    syn_json_count(json, "events", totals->event_count);
    syn_json_count(json, "instances", totals->instance_count);
    syn_json_count(json, "incomplete", totals->incomplete_count);
    syn_json_count(json, "op_differs", totals->op_differs_count);
    syn_json_count(json, "unplaced_events", totals->unplaced_count);
    syn_json_count(json, "implausible_events", totals->implausible_count);
    syn_json_count(json, "duplicate_events", totals->duplicate_count);
    syn_json_open(json, "rank", '[');
    for (int32_t r = 0; r < run->rank_count; r++)
        write_run_rank(json, report, run, r);
    syn_json_close(json);
    write_places(json, "node", report, run, SYN_PLACE_NODE);
    write_places(json, "socket", report, run, SYN_PLACE_SOCKET);
    syn_report_machine_json(json, report, run);
    syn_report_hang_json(json, run);
    syn_causes_json(json, report, run);
    syn_report_efficiencies_json(json, report, run);
    syn_report_segments_json(json, report, run);
    syn_report_time_json(json, report, run);
    syn_json_open(json, "notes", '[');
    for (size_t i = 0; i < run->fault_count; i++)
        syn_json_string(json, NULL, run->fault[i].text);
    syn_json_close(json);
    syn_json_close(json);
}

static void write_head(struct syn_json *json, const struct syn_report *report)
{
    syn_json_integer(json, "schema", 1);
    syn_json_open_line(json, "by", '[');
    for (enum syn_key key = 0; key < SYN_KEY_COUNT; key++)
        if (report->options.by & SYN_BY(key))
            syn_json_string(json, NULL, syn_key_name(key));
    syn_json_close(json);
    syn_json_number(json, "confidence", report->options.confidence);
    syn_json_string(json, "ci", syn_ci_name(report->options.ci));
    if (report->options.ci >= SYN_CI_BOOTSTRAP)
        syn_json_count(json, "seed", report->options.seed);
    syn_json_count(json, "typical_run", syn_report_typical(report)->run);
    syn_json_bool(json, "warmup_skipped", report->options.skip_warmup);
    syn_json_bool(json, "keeps_all", report->options.all);
    syn_json_open(json, "notes", '[');
    for (size_t i = 0; i < report->unreadable_count; i++)
        syn_json_string(json, NULL, report->unreadable[i]);
    syn_json_close(json);
}

void syn_report_json(const struct syn_report *report, struct syn_text *text)
{
    struct syn_json json = syn_json_start(text);
    syn_json_open(&json, NULL, '{');
    write_head(&json, report);
    syn_json_open(&json, "runs", '[');
    for (size_t i = 0; i < report->run_count; i++)
        write_run(&json, report, &report->run[i]);
    syn_json_close(&json);
    syn_json_open(&json, "groups", '[');
    for (size_t i = 0; i < report->groups.count; i++)
        write_group(&json, report, &report->figures[report->order[i]]);
    syn_json_close(&json);
    syn_json_close(&json);
}
