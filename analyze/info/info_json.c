/* analyze/info/info_json.c - `info --format json`; the keys are those of docs/reports.md. */
#include <math.h>

#include "analyze/info/info.h"
#include "analyze/info/info_parts.h"
#include "analyze/match/bounds.h"
#include "analyze/print/json.h"
#include "analyze/report/report.h"
#include "trace/base/ops.h"

static void write_bound(struct syn_json *json, const char *key, int64_t bound_ns)
{
    syn_json_number(json, key, bound_ns >= SYN_BOUND_UNKNOWN_NS ? NAN : (double)bound_ns);
}

static void write_factors(const struct syn_info *info, struct syn_json *json)
{
    syn_json_open(json, "factors", '{');
    for (size_t i = 0; i < info->factors.count; i++)
        syn_json_string(json, info->factors.factor[i].key, info->factors.factor[i].value);
    if (info->compiler)
        syn_json_string(json, "program.compiler", info->compiler);
    syn_json_close(json);
    syn_json_open(json, "differing", '[');
    for (size_t i = 0; i < info->factors.count; i++) {
        const struct syn_factor *factor = &info->factors.factor[i];
        for (size_t j = 0; j < factor->other_count; j++) {
            syn_json_open_line(json, NULL, '{');
            syn_json_string(json, "key", factor->key);
            syn_json_string(json, "ranks", factor->other[j].ranks);
            syn_json_string(json, "value", factor->other[j].value);
            syn_json_close(json);
        }
    }
    syn_json_close(json);
}

static void write_rank_clock(const struct syn_rank_clock *clock, int32_t rank,
                             struct syn_json *json)
{
    const struct syn_sync_quality *quality = clock->quality;
    syn_json_open_line(json, NULL, '{');
    syn_json_integer(json, "rank", rank);
    syn_json_integer(json, "offset_begin_ns", clock->offset_begin_ns);
    syn_json_integer(json, "offset_end_ns", clock->offset_end_ns);
    syn_json_number(json, "drift_ppm", clock->drift_ppm);
    write_bound(json, "bound_begin_ns", clock->bound_begin_ns);
    write_bound(json, "bound_mid_ns", clock->bound_mid_ns);
    write_bound(json, "bound_end_ns", clock->bound_end_ns);
    syn_json_count(json, "knots", clock->knot_count);
    syn_json_count(json, "fitpoints", clock->fitpoint_count);
    if (quality) {
        syn_json_integer(json, "reference_rank", quality->reference_rank);
        syn_json_integer(json, "group_size", quality->group_size);
        syn_json_integer(json, "rounds", quality->round_count);
        syn_json_integer(json, "messages", quality->message_count);
        syn_json_integer(json, "sync_begin_ns", quality->begin_ns);
        syn_json_integer(json, "sync_end_ns", quality->end_ns);
    }
    syn_json_close(json);
}

static void write_three(struct syn_json *json, int64_t at_ns, double low_ns, double high_ns)
{
    syn_json_open(json, NULL, '[');
    syn_json_integer(json, NULL, at_ns);
    syn_json_number(json, NULL, low_ns);
    syn_json_number(json, NULL, high_ns);
    syn_json_close(json);
}

/* Points and bands as [at, low, high]. */
static void write_course(const struct syn_course *course, struct syn_json *json)
{
    syn_json_open_line(json, NULL, '{');
    syn_json_integer(json, "rank", course->rank);
    syn_json_number(json, "drift_begin_ppm", course->begin_ppm);
    syn_json_number(json, "drift_begin_error_ppm", course->begin_error_ppm);
    syn_json_number(json, "drift_ppm", course->run_ppm);
    syn_json_number(json, "drift_half_width_ppm", course->run_half_width_ppm);
    syn_json_number(json, "residual_median_ns", course->residual_median_ns);
    syn_json_open(json, "points_ns", '[');
    for (size_t i = 0; i < course->point_count; i++) {
        const struct syn_course_point *point = &course->point[i];
        write_three(json, point->at_ns, point->low_ns, point->high_ns);
    }
    syn_json_close(json);
    syn_json_open(json, "bands_ns", '[');
    for (size_t i = 0; i < course->band_count; i++)
        write_three(json, course->band[i].at_ns, course->band[i].low_ns, course->band[i].high_ns);
    syn_json_close(json);
    syn_json_close(json);
}

static void write_clock(const struct syn_info *info, struct syn_json *json)
{
    const struct syn_rank_file *file = syn_info_first_file(info);
    const struct syn_tick_source *ticks = file ? syn_rank_ticks(file) : NULL;
    syn_json_open(json, "clock", '{');
    syn_json_string(json, "kind", ticks ? syn_clock_kind_name(ticks->kind) : NULL);
    syn_json_string(json, "method", file ? syn_rank_meta(file, "sync.method") : NULL);
    syn_json_number(json, "sync_begin_ns", info->sync_begin_ns);
    syn_json_number(json, "sync_end_ns", info->sync_end_ns);
    syn_json_number(json, "resync_s", info->resync_s);
    syn_json_number(json, "resync_count", info->resync_count);
    syn_json_integer(json, "ranks_measured_once", info->measured_once_count);
    syn_json_open(json, "ranks", '[');
    for (int32_t r = 0; r < info->rank_count; r++)
        if (info->clock[r].present)
            write_rank_clock(&info->clock[r], r, json);
    syn_json_close(json);
    syn_json_open(json, "courses", '[');
    for (size_t i = 0; i < info->course_count; i++)
        write_course(&info->course[i], json);
    syn_json_close(json);
    syn_json_close(json);
}

static void write_causality(const struct syn_info *info, struct syn_json *json)
{
    const struct syn_causality *causality = &info->causality;
    syn_json_open(json, "causality", '{');
    syn_json_count(json, "checked", causality->checked_count);
    syn_json_count(json, "within_bound", causality->within_count);
    syn_json_count(json, "violations", causality->violation_count);
    if (causality->violation_count) {
        syn_json_open_line(json, "worst", '{');
        syn_json_string(json, "op", syn_op_name(causality->worst_op));
        syn_json_integer(json, "by_ns", causality->worst_ns);
        write_bound(json, "bound_ns", causality->worst_bound_ns);
        syn_json_count(json, "late_rank", causality->worst_late_rank);
        syn_json_count(json, "early_rank", causality->worst_early_rank);
        syn_json_close(json);
    } else {
        syn_json_null(json, "worst");
    }
    syn_json_close(json);
}

static void write_ranks(const struct syn_info *info, struct syn_json *json)
{
    syn_json_open(json, "ranks", '[');
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        syn_json_open_line(json, NULL, '{');
        syn_json_integer(json, "rank", r);
        syn_json_bool(json, "present", file != NULL);
        if (file) {
            syn_json_string(json, "node", syn_rank_meta(file, "host.name"));
            syn_json_string(json, "package", syn_rank_meta(file, "rank.package"));
            syn_json_string(json, "numa_node", syn_rank_meta(file, "rank.numa_node"));
            syn_json_string(json, "core", syn_rank_meta(file, "rank.core"));
            syn_json_string(json, "bound_pus", syn_rank_meta(file, "rank.bound_pus"));
            syn_json_string(json, "ended", syn_ending_name(syn_rank_end(file)->ending));
            syn_json_count(json, "events", info->totals.rank[r].event_count);
            syn_json_number(
                json, "dropped",
                syn_rank_loss_is_unknown(file) ? NAN : (double)syn_rank_end(file)->dropped_count);
            syn_json_count(json, "file_bytes", syn_rank_file_bytes(file));
        }
        syn_json_close(json);
    }
    syn_json_close(json);
}

static void write_lost(const struct syn_info *info, struct syn_json *json)
{
    size_t count;
    const struct syn_trace_fault *faults = syn_trace_faults(info->trace, &count);
    syn_json_open(json, "lost", '{');
    syn_json_count(json, "incomplete_instances", info->totals.incomplete_count);
    syn_json_count(json, "unplaced_events", info->totals.unplaced_count);
    syn_json_count(json, "implausible_events", info->totals.implausible_count);
    syn_json_count(json, "duplicate_events", info->totals.duplicate_count);
    syn_json_open(json, "notes", '[');
    for (size_t i = 0; i < count; i++)
        syn_json_string(json, NULL, faults[i].text);
    syn_json_close(json);
    syn_json_close(json);
}

static void write_parts(const struct syn_info *info, const char *key, const char *prefix,
                        struct syn_json *json)
{
    struct syn_cost_part parts[SYN_COST_PARTS_MAX];
    const size_t count = syn_info_cost_parts(info, prefix, parts);
    syn_json_open_line(json, key, '{');
    for (size_t i = 0; i < count; i++)
        syn_json_number(json, parts[i].name, parts[i].ns);
    syn_json_close(json);
}

static void write_cost(const struct syn_info *info, struct syn_json *json)
{
    syn_json_open(json, "cost", '{');
    syn_json_number(json, "init_ns", info->init_ns);
    syn_json_number(json, "finalize_ns", info->finalize_ns);
    write_parts(info, "init_parts_ns", "cost.init", json);
    write_parts(info, "finalize_parts_ns", "cost.finalize", json);
    syn_json_number(json, "pauses", info->pause_count);
    syn_json_number(json, "pauses_ns", info->pauses_ns);
    syn_json_number(json, "longest_pause_ns", info->longest_pause_ns);
    syn_json_number(json, "call_ns", info->call_ns);
    syn_json_number(json, "interval_ns", info->interval_ns);
    syn_json_number(json, "own_share", info->own_share);
    syn_json_count(json, "short_calls", info->short_count);
    syn_json_count(json, "measured_calls", info->measured_count);
    syn_json_close(json);
}

void syn_info_json(const struct syn_info *info, struct syn_json *json)
{
    const struct syn_manifest *manifest = syn_trace_manifest(info->trace);
    syn_json_open(json, NULL, '{');
    syn_json_count(json, "run", info->run);
    syn_json_string(json, "trace", syn_trace_directory(info->trace));
    syn_json_bool(json, "finished", manifest != NULL);
    syn_json_integer(json, "start_unix_ns", manifest ? manifest->start_unix_ns : 0);
    syn_json_number(json, "duration_ns", info->run_ns);
    syn_json_integer(json, "rank_count", info->rank_count);
    syn_json_count(json, "events", info->totals.event_count);
    write_factors(info, json);
    write_ranks(info, json);
    write_clock(info, json);
    write_causality(info, json);
    syn_clock_check_json(&info->clock_check, &info->causality, json, "clock_check");
    syn_json_count(json, "late_start_instances", info->late_start_count);
    write_lost(info, json);
    write_cost(info, json);
    syn_json_close(json);
}
