/* analyze/info/info_make.c - gathers the facts that `info` prints, from an open trace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/info/info.h"
#include "analyze/match/members/bounds.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "trace/base/event.h"

/* ---- instances ---- */

static int take_instance(void *ctx, const struct syn_instance *instance)
{
    struct syn_info *info = ctx;
    syn_causality_add(&info->causality, instance);
    info->late_start_count += (instance->flags & SYN_EVENT_LATE_START) != 0;
    /* Count calls that are so short that measuring them takes a large share of their time. */
    if (!isnan(info->interval_ns)) {
        const double enough_ns = info->interval_ns / SYN_INFO_OWN_SHARE_MAX;
        for (uint32_t i = 0; i < instance->comm->size; i++)
            info->short_count += (double)instance->member[i].inside_ns < enough_ns;
        info->measured_count += instance->comm->size;
    }
    return 0;
}

/* Matches the trace: counts messages, checks causality, looks for calls that disagree or hang.
 *
 * Plan: open the communicators; number the messages; begin the examination; match; end the
 * examination. */
static int match(struct syn_info *info, struct syn_symbols *symbols)
{
    struct syn_comms comms;
    const struct syn_hang_options hang = SYN_HANG_OPTIONS;
    struct syn_message_numbers numbers = {0};
    bool is_known;
    int status = syn_comms_open(info->trace, &info->names, &comms);
    if (status == SYN_OK) {
        const struct syn_look look = {.trace = info->trace,
                                      .comms = &comms,
                                      .names = &info->names,
                                      .symbols = symbols,
                                      .goes_on = syn_is_live(info->trace, &is_known)};
        struct syn_match match = {
            .trace = info->trace,
            .symbols = symbols,
            .names = &info->names,
            .comms = &comms,
            .disagreements = &info->examination.disagreements,
            .sink = {.instance = take_instance, .ctx = info},
        };
        status = syn_message_numbers_make(info->trace, &comms, &numbers);
        info->messages_recorded = numbers.recorded;
        info->messages = numbers.counts;
        syn_message_numbers_free(&numbers);
        SYN_STEP(status, syn_examine_begin(&info->examination, &look));
        SYN_STEP(status, syn_match_run(&match, &info->totals));
        if (status == SYN_OK)
            status = syn_examine_end(&info->examination, &hang);
        else
            syn_examine_free(&info->examination);
        syn_comms_close(&comms);
    }
    return status;
}

/* ---- clocks ---- */

/* Describes the clock of one rank over a run from begin_ns to end_ns of global time.
 *
 * Plan: copy the counts and the quality; compute the bounds; compute offsets and drift from the
 * first and the last knot. */
static struct syn_rank_clock clock_of(const struct syn_rank_file *file, int64_t begin_ns,
                                      int64_t end_ns)
{
    const struct syn_timeline *timeline = syn_rank_timeline(file);
    struct syn_rank_clock clock = {.present = true, .knot_count = timeline->knot_count};
    syn_rank_fitpoints(file, &clock.fitpoint_count);
    clock.quality = syn_rank_quality(file);
    clock.bound_begin_ns = syn_clock_bound_ns(file, begin_ns);
    clock.bound_mid_ns = syn_clock_bound_ns(file, begin_ns + (end_ns - begin_ns) / 2);
    clock.bound_end_ns = syn_clock_bound_ns(file, end_ns);
    clock.bound_worst_ns = syn_clock_worst_bound_ns(file, begin_ns, end_ns);
    clock.drift_ppm = timeline->slope_after * 1e6;
    if (timeline->knot_count == 0)
        return clock;
    const struct syn_knot *first = &timeline->knots[0];
    const struct syn_knot *last = &timeline->knots[timeline->knot_count - 1];
    clock.offset_begin_ns = first->offset_ns;
    clock.offset_end_ns = last->offset_ns;
    if (last->local_ns > first->local_ns)
        clock.drift_ppm = ((double)last->offset_ns - (double)first->offset_ns) /
                          ((double)last->local_ns - (double)first->local_ns) * 1e6;
    return clock;
}

/* ---- cost ---- */

/* Reads a factor "PREFIX.NAME_ns" into *part. Returns false for other keys. */
static bool read_cost_part(const struct syn_factor *factor, const char *prefix,
                           struct syn_cost_part *part)
{
    const size_t prefix_bytes = strlen(prefix), key_bytes = strlen(factor->key);
    if (key_bytes < prefix_bytes + 5 || strncmp(factor->key, prefix, prefix_bytes) != 0 ||
        factor->key[prefix_bytes] != '.' || strcmp(factor->key + key_bytes - 3, "_ns") != 0)
        return false;
    snprintf(part->name, sizeof part->name, "%.*s", (int)(key_bytes - prefix_bytes - 4),
             factor->key + prefix_bytes + 1);
    char *end;
    part->ns = strtod(factor->value, &end);
    return end != factor->value && isfinite(part->ns);
}

SYN_ORDER(longest_first, struct syn_cost_part, SYN_DOWN(ns))

/* Lists the parts of a cost, the longest first. */
static void find_cost_parts(const struct syn_factors *factors, const char *prefix,
                            struct syn_cost_parts *out)
{
    for (size_t i = 0; i < factors->count && out->count < SYN_COST_PARTS_MAX; i++)
        out->count += read_cost_part(&factors->factor[i], prefix, &out->part[out->count]);
    qsort(out->part, out->count, sizeof *out->part, longest_first);
}

/* ---- facts of ranks ---- */

/* Returns a fact of a rank as a number. NaN: it is unknown. */
static double meta_number(const struct syn_rank_file *file, const char *key)
{
    const char *value = file ? syn_rank_meta(file, key) : NULL;
    char *end = NULL;
    double number = value ? strtod(value, &end) : NAN;
    return value && end != value ? number : NAN;
}

const struct syn_rank_file *syn_info_first_file(const struct syn_info *info)
{
    for (int32_t r = 0; r < info->rank_count; r++)
        if (syn_trace_rank(info->trace, r))
            return syn_trace_rank(info->trace, r);
    return NULL;
}

/* Sums up the pauses of all ranks. NaN: no rank knows them. */
static void find_pauses(struct syn_info *info)
{
    info->pause_count = info->pauses_ns = info->longest_pause_ns = NAN;
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        const double count = meta_number(file, "cost.pause_count");
        if (isnan(count))
            continue;
        const bool first = isnan(info->pause_count);
        info->pause_count = (first ? 0 : info->pause_count) + count;
        info->pauses_ns = (first ? 0 : info->pauses_ns) + meta_number(file, "cost.pauses_ns");
        info->longest_pause_ns =
            fmax(info->longest_pause_ns, meta_number(file, "cost.longest_pause_ns"));
    }
}

/* Returns the mean over the ranks that have the key. NaN: no rank has it. */
static double mean_of_ranks(const struct syn_info *info, const char *key)
{
    double sum = 0;
    int32_t count = 0;
    for (int32_t r = 0; r < info->rank_count; r++) {
        const double value = meta_number(syn_trace_rank(info->trace, r), key);
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count > 0 ? sum / count : NAN;
}

/* Describes the clocks of all ranks with a file. */
static int find_clocks(struct syn_info *info)
{
    info->clock = calloc((size_t)info->rank_count + 1, sizeof *info->clock);
    if (!info->clock)
        return SYN_ENOMEM;
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        if (!file)
            continue;
        info->clock[r] = clock_of(file, info->begin_ns, info->end_ns);
        info->measured_once_count += syn_clock_measured_once(file);
        info->present_count++;
    }
    return 0;
}

/* ---- all facts ---- */

/* Plan: factors and costs of a call, which the match needs; check and correct the clocks; match;
 * then span, synchronization, costs, pauses, compiler and clocks; at last the profiler's own share.
 */
int syn_info_make(struct syn_trace *trace, uint32_t run, struct syn_symbols *symbols,
                  struct syn_info *out)
{
    memset(out, 0, sizeof *out);
    out->trace = trace;
    out->run = run;
    out->rank_count = syn_trace_size(trace);
    const struct syn_rank_file *first = syn_info_first_file(out);
    int status = syn_info_factors(trace, &out->factors);
    out->call_ns = mean_of_ranks(out, "cost.call_ns") + mean_of_ranks(out, "cost.stack_ns");
    out->interval_ns = mean_of_ranks(out, "cost.interval_ns");
    SYN_STEP(status, syn_clocks_mend(trace, 0, &out->clock_check));
    SYN_STEP(status, match(out, symbols));
    if (status != SYN_OK)
        return status;
    const struct syn_run_span events = syn_trace_event_span(out->trace);
    out->begin_ns = events.begin_ns;
    out->end_ns = events.end_ns;
    out->run_ns = (double)syn_run_span_ns(syn_trace_span(out->trace));
    const struct syn_sync_quality *quality = first ? syn_rank_quality(first) : NULL;
    out->sync_begin_ns = quality ? (double)quality->begin_ns : meta_number(first, "sync.begin_ns");
    out->sync_end_ns = quality ? (double)quality->end_ns : meta_number(first, "sync.end_ns");
    out->resync_s = meta_number(first, "sync.resync_s");
    out->resync_count = meta_number(first, "sync.resync_count");
    out->init_ns = meta_number(first, "cost.init_ns");
    out->finalize_ns = meta_number(first, "cost.finalize_ns");
    find_cost_parts(&out->factors, "cost.init", &out->init_parts);
    find_cost_parts(&out->factors, "cost.finalize", &out->finalize_parts);
    find_pauses(out);
    if (symbols && syn_symbols_take(symbols, trace))
        return SYN_ENOMEM;
    out->compiler = symbols && first ? syn_symbols_compiler(symbols, first) : NULL;
    status = find_clocks(out);
    if (status == SYN_OK) {
        const size_t capacity = (size_t)out->rank_count;
        out->history = calloc(capacity + 1, sizeof *out->history);
        status = out->history ? syn_clock_histories_of(out->trace, out->begin_ns, out->end_ns,
                                                       out->history, capacity, &out->history_count)
                              : SYN_ENOMEM;
    }
    /* Computes the profiler's share of a rank's mean time from the begin of MPI_Init to the end of
     * MPI_Finalize. It is unknown if MPI_Init did not end. Other unknown times count as 0. */
    const double ends_ns = out->init_ns + (isnan(out->finalize_ns) ? 0 : out->finalize_ns);
    double within_ns = isnan(out->pauses_ns) ? 0 : out->pauses_ns;
    if (!isnan(out->call_ns))
        within_ns += out->call_ns * (double)out->totals.event_count;
    const double own_ns = ends_ns + within_ns / (out->present_count > 0 ? out->present_count : 1);
    out->own_share = own_ns > 0 && out->run_ns > 0 ? own_ns / (out->run_ns + ends_ns) : NAN;
    return status;
}

void syn_info_free(struct syn_info *info)
{
    syn_info_factors_free(&info->factors);
    syn_examine_free(&info->examination);
    syn_names_free(&info->names);
    syn_match_totals_free(&info->totals);
    for (size_t i = 0; i < info->history_count; i++)
        syn_clock_history_free(&info->history[i]);
    free(info->history);
    free(info->clock);
    info->clock = NULL;
}
