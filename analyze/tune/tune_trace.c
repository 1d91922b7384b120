/* analyze/tune/tune_trace.c - finds the operations of a trace that may be tuned: by communicator
 * size and bytes, with their time after the last rank's arrival, and with the arrivals of the
 * ranks. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/clocks/clocks.h"
#include "analyze/match/match.h"
#include "analyze/print/command.h"
#include "analyze/runs.h"
#include "analyze/stats/values/stats.h"
#include "analyze/tune/tune.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/read/reader.h"
#include "trace/read/span.h"

#define PATTERNS 32   /* number of instances whose arrivals are kept */
#define SAMPLE   4096 /* number of instances whose operation times are kept */
#define NO_TIME \
    (SYN_EVENT_FAILED | SYN_EVENT_NO_COMPLETION | SYN_EVENT_PERTURBED | SYN_EVENT_LATE_START)

/* ---- instances ---- */

struct tune_group *tune_trace_find(const struct tune_trace *trace, uint16_t op, uint32_t comm_size,
                                   uint64_t bytes)
{
    for (size_t i = 0; i < trace->count; i++) {
        struct tune_group *group = &trace->group[i];
        if (group->op == op && group->comm_size == comm_size && group->bytes == bytes)
            return group;
    }
    return NULL;
}

static struct tune_group *add_group(struct tune_trace *trace, const struct syn_instance *instance)
{
    const size_t size = instance->comm->size, ranks = (size_t)trace->rank_count;
    if (SYN_ROOM(trace->group, trace->capacity, trace->count) != SYN_OK)
        return NULL;
    struct tune_group *group = &trace->group[trace->count++];
    *group = (struct tune_group){.op = instance->op,
                                 .comm_size = instance->comm->size,
                                 .bytes = instance->bytes,
                                 .root = instance->root,
                                 .place = malloc(ranks * sizeof *group->place),
                                 .arrival = malloc(PATTERNS * size * sizeof *group->arrival),
                                 .sample = malloc(SAMPLE * sizeof *group->sample)};
    for (size_t r = 0; r < ranks && group->place; r++)
        group->place[r] = (struct tune_place){-1, -1};
    return group->place && group->arrival && group->sample ? group : NULL;
}

/* Adds the communicator if it shares no rank with those added before. */
static void add_members(struct tune_group *group, const struct syn_communicator *comm)
{
    for (uint32_t m = 0; m < comm->size; m++)
        if (group->place[comm->world_rank[m]].comm >= 0)
            return;
    for (uint32_t m = 0; m < comm->size; m++)
        group->place[comm->world_rank[m]] = (struct tune_place){group->comm_count, (int32_t)m};
    group->comm_count++;
}

/* Returns the place of the next value in a random sample of `capacity`, after `seen` values;
 * SIZE_MAX: it is not drawn. */
static size_t draw_place(struct tune_trace *trace, uint64_t seen, size_t capacity)
{
    const uint64_t place = seen < capacity ? seen : syn_random_below(&trace->random, seen + 1);
    return place < capacity ? (size_t)place : SIZE_MAX;
}

static int take_instance(void *ctx, const struct syn_instance *instance)
{
    struct tune_trace *trace = ctx;
    const size_t size = instance->comm->size;
    struct tune_group *group =
        tune_trace_find(trace, instance->op, (uint32_t)size, instance->bytes);
    if (size < 2 || instance->comm->intercomm)
        return 0;
    if (!group && !(group = add_group(trace, instance)))
        return SYN_ENOMEM;
    const double operation_ns = (double)(instance->last_end_ns - instance->last_start_ns);
    group->operation_ns +=
        operation_ns * (double)size / trace->rank_count / (double)trace->run_count;
    if (instance->flags & NO_TIME)
        return 0;
    add_members(group, instance->comm);
    const size_t place = draw_place(trace, group->of_run++, SAMPLE),
                 pattern = draw_place(trace, group->instance_count++, PATTERNS);
    if (place != SIZE_MAX)
        group->sample[place] = operation_ns;
    for (size_t m = 0; m < size && pattern != SIZE_MAX; m++)
        group->arrival[pattern * size + m] =
            instance->member[m].start_ns - instance->first_start_ns;
    return 0;
}

/* ---- runs ---- */

static int take_hosts(struct tune_trace *trace, const struct syn_trace *of)
{
    trace->rank_count = syn_trace_size(of);
    trace->host = calloc((size_t)trace->rank_count, sizeof *trace->host);
    bool failed = !trace->host;
    for (int32_t r = 0; r < trace->rank_count && !failed; r++) {
        const struct syn_rank_file *file = syn_trace_rank(of, r);
        const char *host = file ? syn_rank_meta(file, "host.name") : NULL;
        const char *mpi = file ? syn_rank_meta(file, "mpi.name") : NULL;
        failed = !(trace->host[r] = strdup(host ? host : "")) ||
                 (mpi && !trace->mpi && !(trace->mpi = strdup(mpi)));
    }
    return failed ? SYN_ENOMEM : 0;
}

static int match_run(struct tune_trace *trace, struct syn_trace *of)
{
    SYN_CLEANUP(syn_names_free) struct syn_names names = {0};
    struct syn_comms comms;
    struct syn_match_totals totals;
    int status = syn_comms_open(of, &names, &comms);
    if (status == SYN_OK) {
        const struct syn_match match = {.trace = of,
                                        .names = &names,
                                        .comms = &comms,
                                        .hidden_classes = SYN_HIDE(SYN_CLASS_COMM) |
                                                          SYN_HIDE(SYN_CLASS_WINDOW) |
                                                          SYN_HIDE(SYN_CLASS_FILE),
                                        .sink = {.instance = take_instance, .ctx = trace}};
        status = syn_match_run(&match, &totals);
        syn_match_totals_free(&totals);
        syn_comms_close(&comms);
    }
    return status;
}

/* Adds the run's medians to the groups. */
static void end_run(struct tune_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        struct tune_group *group = &trace->group[i];
        const size_t kept = syn_least(group->of_run, SAMPLE);
        group->of_run = 0;
        syn_sort(group->sample, kept);
        if (kept > 0)
            group->log_ns += log(fmax(syn_quantile_sorted(group->sample, kept, 0.5), 1));
        group->timed_runs += kept > 0;
    }
}

static int read_run(struct tune_trace *trace, const struct syn_run_path *path)
{
    struct syn_trace *of;
    struct syn_clock_check check;
    if (syn_runs_open(path, &of) != SYN_OK)
        return SYN_EXIT_BAD;
    const int32_t ranks = syn_trace_size(of);
    int status = syn_clocks_mend(of, 0, &check);
    if (status == SYN_OK && !trace->host)
        status = take_hosts(trace, of);
    if (trace->host && ranks != trace->rank_count) {
        syn_trace_close(of);
        return syn_bad_input("%s: %d ranks, and the run before it has %d", path->directory, ranks,
                             trace->rank_count);
    }
    SYN_STEP(status, match_run(trace, of));
    end_run(trace);
    trace->run_ns += (double)syn_run_span_ns(syn_trace_span(of)) / (double)trace->run_count;
    syn_trace_close(of);
    return status != SYN_OK ? syn_bad_input("%s: %s", path->directory, syn_status_text(status)) : 0;
}

/* ---- groups ---- */

SYN_ORDER(compare_groups, struct tune_group, SYN_DOWN(operation_ns))

int tune_trace_read(char *path, struct tune_trace *out)
{
    struct syn_experiment experiment;
    *out = (struct tune_trace){0};
    syn_random_seed(&out->random, 1);
    int status = syn_runs_list(&path, 1, &experiment);
    if (status != SYN_OK)
        return status;
    out->run_count = experiment.count;
    for (size_t i = 0; i < experiment.count && status == SYN_OK; i++)
        status = read_run(out, &experiment.run[i]);
    for (size_t i = 0; i < out->count; i++) {
        struct tune_group *group = &out->group[i];
        group->median_ns = exp(group->log_ns / (double)group->timed_runs);
        group->pattern_count = syn_least(group->instance_count, PATTERNS);
    }
    if (out->count > 0)
        qsort(out->group, out->count, sizeof *out->group, compare_groups);
    syn_experiment_free(&experiment);
    return status;
}

void tune_trace_free(struct tune_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        free(trace->group[i].place);
        free(trace->group[i].arrival);
        free(trace->group[i].sample);
    }
    for (int32_t r = 0; trace->host && r < trace->rank_count; r++)
        free(trace->host[r]);
    free(trace->host);
    free(trace->group);
    free(trace->mpi);
    *trace = (struct tune_trace){0};
}
