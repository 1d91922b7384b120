/* analyze/report/causes_json.c - of a run: efficiencies, causes, critical path, what if. */
#include <math.h>
#include <stdlib.h>

#include "analyze/causes/profile.h"
#include "analyze/report/causes_words.h"

static void write_estimate(struct syn_json *json, const char *key,
                           const struct syn_estimate *estimate)
{
    syn_json_open_line(json, key, '{');
    syn_json_interval(json, "median", estimate->median, estimate->low, estimate->high);
    syn_json_close(json);
}

void syn_efficiency_json(struct syn_json *json, const struct syn_efficiency *efficiency)
{
    syn_json_number(json, "parallel", efficiency->parallel);
    syn_json_number(json, "load_balance", efficiency->load_balance);
    syn_json_number(json, "communication", efficiency->communication);
    syn_json_number(json, "waiting", efficiency->waiting);
    syn_json_number(json, "transfer", efficiency->transfer);
}

static void write_point(struct syn_json *json, const char *key, const struct syn_report *report,
                        const struct syn_run_facts *run, uint32_t point)
{
    struct syn_text text = {0};
    syn_cause_point(report, run, point, &text);
    syn_json_string(json, key, point == SYN_POINT_OUTSIDE ? NULL : syn_text_chars(&text));
    json->text->failed |= text.failed;
    syn_text_free(&text);
}

void syn_cause_places_json(struct syn_json *json, const struct syn_report *report,
                           const struct syn_run_facts *run, uint32_t number)
{
    const struct syn_label *label = syn_label_at(&run->causes.tables, number);
    const bool is_call = syn_label_is_call(label);
    const uint32_t to = is_call ? label->from : label->to;
    const struct syn_cause_point *of = syn_point_at(&run->causes.tables, to);
    write_point(json, "from", report, run, label->from);
    write_point(json, "to", report, run, to);
    syn_json_string(json, "op", is_call ? syn_op_name((uint16_t)of->op) : NULL);
    const char *phase = to == SYN_POINT_OUTSIDE ? NULL : syn_names_text(&report->names, of->phase);
    syn_json_string(json, "phase", phase && phase[0] ? phase : NULL);
}

static void write_evidence(struct syn_json *json, const struct syn_cause_evidence *evidence)
{
    syn_json_open_line(json, "evidence", '{');
    syn_json_number(json, "involuntary_switches", evidence->involuntary_switches);
    syn_json_number(json, "run_delay_ns", evidence->run_delay_ns);
    syn_json_number(json, "major_faults", evidence->major_faults);
    syn_json_number(json, "minor_faults", evidence->minor_faults);
    syn_json_number(json, "migrations", evidence->migrations);
    syn_json_number(json, "instructions_ratio", evidence->instructions_ratio);
    syn_json_number(json, "cycles_ratio", evidence->cycles_ratio);
    syn_json_close(json);
}

static void write_cause(struct syn_json *json, const struct syn_report *report,
                        const struct syn_run_facts *run, const struct syn_cause *cause)
{
    syn_json_open(json, NULL, '{');
    syn_json_string(json, "kind", syn_cause_kind_name(cause->kind));
    syn_json_string(json, "pattern", syn_pattern_name(cause->pattern));
    syn_json_ranks(json, "ranks", cause->ranks, cause->rank_count);
    syn_json_bool(json, "all_ranks", cause->rank_count == 0);
    syn_json_string(json, "naming", syn_naming_name(cause->naming));
    if (cause->rank_count > 0) {
        syn_json_integer(json, "seen_passes", cause->seen_passes);
        syn_json_integer(json, "all_passes", cause->all_passes);
    }
    syn_cause_places_json(json, report, run, cause->label);
    syn_json_integer(json, "waiting_ns", cause->waiting_ns);
    if (cause->part == SYN_PART_COMPUTING) {
        syn_json_integer(json, "off_cpu_waiting_ns", cause->off_cpu_waiting_ns);
        syn_json_number(json, "blocked_share", cause->own.is_divided ? cause->own.blocked : NAN);
        syn_json_number(json, "ready_share", cause->own.is_divided ? cause->own.ready : NAN);
    }
    syn_json_number(json, "share", cause->share);
    syn_json_integer(json, "bound_ns", cause->bound_ns);
    syn_json_integer(json, "instances", cause->instances);
    syn_json_number(json, "instances_share", cause->instances_share);
    write_estimate(json, "excess_ns", &cause->excess_ns);
    write_estimate(json, "excess_ratio", &cause->excess_ratio);
    syn_json_number(json, "mean_excess_ns", cause->mean_excess_ns);
    syn_json_number(json, "critical_path_ns", cause->path_ns);
    syn_json_number(json, "balance_gain_ns", cause->gain_ns.median);
    write_estimate(json, "balance_gain", &cause->gain_ns);
    write_evidence(json, &cause->evidence);
    syn_json_close(json);
}

/* Waiting that has no cause, as the last one: so that they add up to all waiting. */
static void write_unknown(struct syn_json *json, const struct syn_run_facts *run)
{
    static const char *const why[SYN_UNKNOWN_COUNT] = {
        [SYN_UNKNOWN_BEGIN] = "before_first_synchronization",
        [SYN_UNKNOWN_CLOCK] = "below_clock_bound",
        [SYN_UNKNOWN_EARLY] = "left_before_last_came",
        [SYN_UNKNOWN_PASSED] = "passed_on_without_cause"};
    int64_t ns = 0;
    for (int i = 0; i < SYN_UNKNOWN_COUNT; i++)
        ns += run->causes.sums.unknown_ns[i];
    syn_json_open(json, NULL, '{');
    syn_json_string(json, "kind", "unknown");
    syn_json_null(json, "pattern");
    syn_json_integer(json, "waiting_ns", ns);
    syn_json_number(json, "share", (double)ns / (double)run->causes.sums.waiting_ns);
    for (int i = 0; i < SYN_UNKNOWN_COUNT; i++)
        syn_json_integer(json, why[i], run->causes.sums.unknown_ns[i]);
    syn_json_close(json);
}

static void write_pieces_of(struct syn_json *json, const struct syn_report *report,
                            const struct syn_run_facts *run, uint32_t location, uint32_t label)
{
    const struct syn_cause_cell *cell = syn_profile_cell(&run->causes.sums, location, label);
    static const char *const segment[] = {"computing", "messages", "off_cpu"};
    static const char *const call[] = {"operation", "waiting", NULL};
    const bool is_call = syn_label_is_call(syn_label_at(&run->causes.tables, label));
    for (unsigned slot = 0; cell && slot < SYN_SLOT_COUNT; slot++) {
        if (syn_cause_slot_of(cell, slot)->path_ns == 0)
            continue;
        syn_json_open_line(json, NULL, '{');
        syn_json_integer(json, "rank", run->causes.plan.location[location].rank);
        syn_cause_places_json(json, report, run, label);
        syn_json_string(json, "kind", (is_call ? call : segment)[slot]);
        syn_json_integer(json, "ns", syn_cause_slot_of(cell, slot)->path_ns);
        syn_json_close(json);
    }
}

static void write_path(struct syn_json *json, const struct syn_report *report,
                       const struct syn_run_facts *run)
{
    const struct syn_causes *causes = &run->causes;
    syn_json_open(json, "critical_path", '{');
    syn_json_integer(json, "total_ns", run->findings.run_ns);
    syn_json_open(json, "pieces", '[');
    for (uint32_t i = 0; i < causes->sums.location_count; i++)
        for (uint32_t label = 0; label < causes->tables.labels.count; label++)
            write_pieces_of(json, report, run, i, label);
    syn_json_close(json);
    syn_json_close(json);
}

/* Of each thread of each rank: segments and calls, which is the run's length. */
static void write_tiled(struct syn_json *json, const struct syn_causes *causes)
{
    static const enum syn_part parts[] = {SYN_PART_COMPUTING, SYN_PART_MESSAGES, SYN_PART_OFF_CPU};
    syn_json_open_line(json, "tiled_ns", '[');
    for (uint32_t i = 0; i < causes->sums.location_count; i++) {
        int64_t ns = 0;
        for (uint32_t label = 0; label < causes->tables.labels.count; label++)
            for (int part = 0; part < 3; part++)
                ns += syn_cell_ns(&causes->sums, i, label, parts[part]);
        syn_json_integer(json, NULL, ns);
    }
    syn_json_close(json);
}

void syn_causes_json(struct syn_json *json, const struct syn_report *report,
                     const struct syn_run_facts *run)
{
    const struct syn_findings *findings = &run->findings;
    syn_json_open_line(json, "efficiency", '{');
    syn_efficiency_json(json, &findings->efficiency);
    syn_json_close(json);
    syn_json_open(json, "causes", '[');
    for (size_t i = 0; i < findings->cause_count; i++)
        write_cause(json, report, run, &findings->cause[i]);
    if (run->causes.sums.waiting_ns > 0)
        write_unknown(json, run);
    syn_json_close(json);
    write_path(json, report, run);
    write_tiled(json, &run->causes);
    syn_json_open(json, "what_if_ns", '{');
    write_estimate(json, "balanced", &findings->what_if.balanced);
    write_estimate(json, "nobody_late", &findings->what_if.nobody_late);
    write_estimate(json, "no_pauses", &findings->what_if.no_pauses);
    const struct syn_estimate fast = syn_report_fast_operations(report, run);
    write_estimate(json, "fast_operations", &fast);
    syn_json_close(json);
}
