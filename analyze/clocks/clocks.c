/* analyze/clocks/clocks.c - checks the clocks of a run by its collectives, and corrects them
 * (clocks.h).
 *
 * The trace is matched once. Each instance goes into a window of time of each clock (windows.h).
 * Each clock is then solved from its windows (mend.h), which gives a correction of its ranks'
 * times. */
#include "analyze/clocks/clocks.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/clocks/clock_history.h"
#include "analyze/clocks/mend.h"
#include "analyze/clocks/windows.h"
#include "analyze/match/members/bounds.h"
#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Number of clock windows of one clock. Each window should hold EVENTS_A_WINDOW events of a rank,
 * so that some of them are quick. If a run has very many clocks, each gets fewer windows. */
#define EVENTS_A_WINDOW 64
#define WINDOWS_MAX     2048
#define WINDOWS_MIN     32
#define WINDOWS_TOTAL   ((size_t)1 << 18)
/* Two ranks share a clock if their clocks differ by at most this at begin, middle and end of the
 * run. */
#define SAME_CLOCK_NS 4

/* ---- ranks that share a clock ---- */

/* Local times of a rank at the begin, in the middle and at the end of the run. */
struct reading {
    int64_t local_ns[3];
    int32_t rank;
};

static bool same_clock(const struct reading *a, const struct reading *b)
{
    for (int i = 0; i < 3; i++) {
        const double apart_ns = (double)a->local_ns[i] - (double)b->local_ns[i];
        if (apart_ns > SAME_CLOCK_NS || apart_ns < -SAME_CLOCK_NS)
            return false;
    }
    return true;
}

SYN_ORDER(by_first_reading, struct reading, SYN_UP(local_ns[0]) ?: SYN_UP(rank))

static struct reading read_clock(const struct syn_rank_file *file, int32_t rank,
                                 const struct syn_clock_plan *plan)
{
    struct reading reading = {.rank = rank};
    const int64_t middle_ns = plan->first_ns + (plan->last_ns - plan->first_ns) / 2;
    const int64_t at_ns[3] = {plan->first_ns, middle_ns, plan->last_ns};
    for (int i = 0; i < 3; i++)
        reading.local_ns[i] =
            syn_timeline_local(syn_rank_timeline(file), (syn_global_time){at_ns[i]}).ns;
    return reading;
}

/* Limit of plausible times: 36 years. A damaged file may contain any time. The difference of two
 * plausible times does not overflow. */
#define TIME_MAX_NS (INT64_C(1) << 60)

/* Finds the run's first and last time from the headers of its chunks. Returns false if there are no
 * chunks, or their times are not plausible. */
static bool find_span(struct syn_trace *trace, struct syn_clock_plan *plan)
{
    struct syn_chunk_summary chunk;
    plan->first_ns = INT64_MAX;
    plan->last_ns = INT64_MIN;
    for (int32_t rank = 0; rank < plan->rank_count; rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        for (size_t i = 0; file && syn_rank_chunk(file, i, &chunk); i++) {
            plan->first_ns = syn_least(chunk.start_ns, plan->first_ns);
            plan->last_ns = syn_largest(chunk.end_ns, plan->last_ns);
        }
    }
    return plan->first_ns < plan->last_ns && plan->first_ns > -TIME_MAX_NS &&
           plan->last_ns < TIME_MAX_NS;
}

/* Returns the number of windows of a clock. */
static size_t window_count(const struct syn_clock_plan *plan, uint64_t event_count)
{
    const size_t share = WINDOWS_TOTAL / (size_t)plan->clock_count;
    const uint64_t wanted = event_count / EVENTS_A_WINDOW;
    size_t count = wanted < WINDOWS_MAX ? (size_t)wanted : WINDOWS_MAX;
    count = syn_least(count, share);
    return syn_largest(count, WINDOWS_MIN);
}

/* Finds the clocks of a run. The clock of rank 0 has number 0.
 *
 * Plan: read the clock of each rank with a file; sort by the first reading, so that ranks that
 * share a clock are neighbours; number the clocks; renumber them so that rank 0's clock is the
 * first; choose the number of windows. */
static int find_clocks(struct syn_trace *trace, struct syn_clock_plan *plan, int32_t *clock_of_rank)
{
    struct reading *reading = malloc((size_t)plan->rank_count * sizeof *reading);
    size_t count = 0;
    if (!reading)
        return SYN_ENOMEM;
    for (int32_t rank = 0; rank < plan->rank_count; rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        clock_of_rank[rank] = -1;
        if (file)
            reading[count++] = read_clock(file, rank, plan);
    }
    plan->clock_of_rank = clock_of_rank;
    int32_t clock_count = 0, first;
    qsort(reading, count, sizeof *reading, by_first_reading);
    for (size_t i = 0, of = 0; i < count; i++) { /* `of`: the first reading of the clock */
        if (i == 0 || !same_clock(&reading[of], &reading[i])) {
            clock_count++;
            of = i;
        }
        clock_of_rank[reading[i].rank] = clock_count - 1;
    }
    first = clock_of_rank[0];
    for (size_t i = 0; i < count; i++) {
        int32_t *clock = &clock_of_rank[reading[i].rank];
        *clock = *clock == first ? 0 : *clock < first ? *clock + 1 : *clock;
    }

    plan->clock_count = clock_count;
    free(reading);
    plan->window_count = window_count(plan, syn_rank_event_count(syn_trace_rank(trace, 0)));
    return SYN_OK;
}

/* ---- matching: instances go into windows ---- */

static int take_instance(void *partial, const struct syn_instance *instance)
{
    syn_clock_windows_add(partial, instance);
    return 0;
}

static void drop_partial(void *ctx, void *partial)
{
    (void)ctx;
    syn_clock_windows_free(partial);
    free(partial);
}

static void *begin_partial(void *ctx)
{
    const struct syn_clock_windows *all = ctx;
    struct syn_clock_windows *partial = malloc(sizeof *partial);
    if (!partial)
        return NULL;
    if (syn_clock_windows_begin(partial, all->plan) == SYN_OK)
        return partial;
    drop_partial(ctx, partial);
    return NULL;
}

static int end_partial(void *ctx, void *partial, int64_t watermark_ns)
{
    (void)watermark_ns;
    syn_clock_windows_absorb(ctx, partial);
    drop_partial(ctx, partial);
    return 0;
}

/* ---- correcting ---- */

/* Corrects one clock.
 *
 * Plan: solve the clock from its windows; count the result; correct the files of its ranks; count
 * the clock as drifted if its measurements alone show a fault. */
static int correct_clock(struct syn_trace *trace, const struct syn_clock_windows *windows,
                         int32_t clock, struct syn_rank_file *const *files, size_t count,
                         struct syn_clock_check *check)
{
    const struct syn_clock_plan *plan = windows->plan;
    const struct syn_timeline *timeline = syn_rank_timeline(files[0]);
    const struct syn_clock_record record = {
        .timeline = timeline,
        .begin_error = syn_clock_history_begin_error(trace, syn_rank_rank(files[0])),
        .window = &windows->window[(size_t)(clock - 1) * plan->window_count],
        .window_count = plan->window_count,
    };
    struct syn_clock_solution solution;
    int status = syn_clock_mend(&record, &solution);
    if (status != SYN_OK)
        return status;
    const bool wrong = solution.contradicted || solution.bent;
    const bool corrected = solution.correction.knot_count > 0;
    check->contradicted_count += solution.contradicted;
    check->bent_count += solution.bent && !solution.contradicted;
    check->mended_count += wrong && corrected;
    check->tightened_count += !wrong && corrected && !solution.widened;
    if (wrong) {
        check->step_count += solution.step_count;
        if (fabs((double)solution.largest_step_ns) > fabs((double)check->largest_step_ns))
            check->largest_step_ns = solution.largest_step_ns;
        if (check->worst_rank < 0 || solution.largest_shift_ns > check->largest_shift_ns) {
            check->largest_shift_ns = solution.largest_shift_ns;
            check->worst_rank = syn_rank_rank(files[0]);
        }
    }
    /* Widens the correction's bound: processors of one machine may read the same clock slightly
     * apart. */
    for (size_t i = 0; i < solution.correction.knot_count; i++)
        solution.correction.knots[i].half_width_ns += SYN_SHARED_CLOCK_NS;
    if (solution.correction.knot_count > 0)
        status = syn_rank_correct(files, count, &solution.correction);
    if (status == SYN_OK && !solution.contradicted && !solution.bent &&
        syn_clock_drift_is_wrong(record.timeline, record.begin_error)) {
        /* Counts a clock whose drift changed, as its measurements alone show. */
        const int64_t bound_ns = syn_clock_worst_bound_ns(files[0], plan->first_ns, plan->last_ns);
        if (check->drifted_count == 0 || bound_ns > check->drifted_bound_ns) {
            check->drifted_bound_ns = bound_ns;
            check->drifted_rank = syn_rank_rank(files[0]);
        }
        check->drifted_count++;
    }
    syn_timeline_free(&solution.correction);
    return status;
}

static int correct_all(struct syn_trace *trace, const struct syn_clock_windows *windows,
                       struct syn_clock_check *check)
{
    const struct syn_clock_plan *plan = windows->plan;
    SYN_FREED struct syn_rank_file **files = malloc((size_t)plan->rank_count * sizeof(void *));
    int status = files ? 0 : SYN_ENOMEM;
    for (int32_t clock = 1; clock < plan->clock_count && status == SYN_OK; clock++) {
        /* Lists the files of the clock's ranks, the lowest rank first. */
        size_t count = 0;
        for (int32_t rank = 0; rank < plan->rank_count; rank++)
            if (plan->clock_of_rank[rank] == clock)
                files[count++] = syn_trace_rank(trace, rank);
        status = correct_clock(trace, windows, clock, files, count, check);
    }
    return status;
}

/* Plan: find the run's first and last time; count ranks whose clock was never compared; find the
 * clocks that ranks share; match the trace to fill the windows; correct each clock but rank 0's. */
int syn_clocks_mend(struct syn_trace *trace, size_t memory_bytes, struct syn_clock_check *out)
{
    struct syn_clock_plan plan = {.rank_count = syn_trace_size(trace)};
    int32_t *clock_of_rank;
    int status = 0;
    *out = (struct syn_clock_check){.clock_count = 1, .worst_rank = -1, .drifted_rank = -1};
    if (!syn_trace_rank(trace, 0) || !find_span(trace, &plan))
        return 0;
    /* Counts clocks that were never compared. Such a clock has no bound that an instance could
     * contradict. */
    int32_t count = 0;
    for (int32_t rank = 0; rank < plan.rank_count; rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        count += file && syn_clock_bound_ns(file, plan.first_ns) >= SYN_BOUND_UNKNOWN_NS;
    }

    out->uncompared_count = count;
    if (out->uncompared_count > 0)
        return 0;
    clock_of_rank = malloc((size_t)plan.rank_count * sizeof *clock_of_rank);
    status = clock_of_rank ? find_clocks(trace, &plan, clock_of_rank) : SYN_ENOMEM;
    out->clock_count = status != SYN_OK ? 1 : plan.clock_count;
    if (status == SYN_OK && plan.clock_count > 1) {
        SYN_CLEANUP(syn_clock_windows_free) struct syn_clock_windows windows = {0};
        status = syn_clock_windows_begin(&windows, &plan);
        if (status == SYN_OK) {
            /* Matches the trace and adds all instances to the windows. */
            SYN_CLEANUP(syn_names_free) struct syn_names names = {0};
            struct syn_comms comms;
            struct syn_match_totals totals = {0};
            status = syn_comms_open(trace, &names, &comms);
            if (status == SYN_OK) {
                const struct syn_match match = {
                    .trace = trace,
                    .names = &names,
                    .comms = &comms,
                    .sink = {.instance = take_instance,
                             .ctx = &windows,
                             .partial_begin = begin_partial,
                             .partial_end = end_partial,
                             .partial_drop = drop_partial},
                    .memory_bytes = memory_bytes,
                };
                status = syn_match_run(&match, &totals);
                syn_match_totals_free(&totals);
                syn_comms_close(&comms);
            }
        }
        if (status == SYN_OK) {
            out->causality = windows.causality;
            status = correct_all(trace, &windows, out);
        }
    }
    free(clock_of_rank);
    return status;
}
