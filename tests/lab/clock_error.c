/* tests/lab/clock_error.c - how wrong are the global times of a trace? Exactly, without any
 * message.
 *
 * usage: clock_error [-s] [-m] [-d] [-t SHIFT_S] [-p RANKS_PER_HOST] [-c CSV] TRACE
 *
 * For traces of several "hosts" on one machine: all of them read one hardware clock, each behind an
 * error that is known: a time namespace's shift of i * SHIFT_S on host i (-t as given to lab.sh),
 * the skew of SYNCOPATE_TEST_SKEW (which the trace carries), and the rate to which each rank
 * calibrated its TSC (which the trace carries, too). So the local time of an event gives the true
 * instant of it, and that gives what the clock of rank 0 showed at that instant: the global time as
 * it should be.
 *
 * Prints, over all ranks but 0, the absolute error at the start (first tenth of the run), in the
 * middle and at the end, with the bound that the trace states; all times in it go to CSV
 * (rank,global_ns,error_ns,bound_ns). Where the clocks were measured in between (--resync), also
 * the error at the instants of those measurements ("knots"), and what it would have been there with
 * the first and the last measurement alone ("chord"; a wander that the bound does not know may
 * exceed it). With -m the times are those that every command reads, mended by the program's own
 * collectives (analyze/clocks). With -d it prints the drifts at begin instead, as reports state
 * them: of each rank the drift, its standard error and by how much it is off, in ppm. With -s a
 * trace without a skew cannot be judged. Exit status: 0; 1
 * where the error of an event exceeds its bound; 2 where the trace cannot be judged. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/clocks/clock_history.h"
#include "analyze/clocks/clocks.h"
#include "sync/time/clock_skew.h"
#include "tests/lab/true_time.h"
#include "trace/read/reader.h"

#define SKEW_META "test.skew"

/* Local to true time and to global time and back are each rounded to a nanosecond. */
#define ROUNDING_NS 4

struct options {
    double shift_s;
    int ranks_per_host;
    bool wants_skew;
    bool mends;
    bool prints_drifts;
    const char *csv;
    const char *trace;
};

/* The known truth about one rank's clock. */
struct truth {
    struct syn_rank_file *file;
    bool skewed;
    struct syn_clock_skew skew;
    int64_t shift_ns;
};

struct sample {
    int rank;
    int64_t global_ns;
    int64_t error_ns;
    int64_t bound_ns;
};

struct samples {
    struct sample *items;
    size_t count;
    size_t capacity;
};

/* All that is judged. */
struct judged {
    struct samples events;
    struct samples knots; /* of the measurements between the first and the last, and */
    struct samples chord; /*   the same instants without them */
};

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "clock_error: %s: %s\n", what, why);
    return 2;
}

static bool samples_add(struct samples *samples, struct sample sample)
{
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : 4096;
        struct sample *items = realloc(samples->items, capacity * sizeof *items);
        if (!items)
            return false;
        samples->items = items;
        samples->capacity = capacity;
    }
    samples->items[samples->count++] = sample;
    return true;
}

static int truth_open(struct truth *truth, const struct syn_trace *trace, int rank,
                      const struct options *options)
{
    *truth = (struct truth){.file = syn_trace_rank(trace, rank)};
    if (!truth->file)
        return fail(options->trace, "a rank is missing");
    truth->shift_ns = (int64_t)(options->shift_s * 1e9) * (rank / options->ranks_per_host);
    const char *skew = syn_rank_meta(truth->file, SKEW_META);
    truth->skewed = skew && *skew;
    if (truth->skewed && syn_clock_skew_parse(skew, rank, &truth->skew) < 0)
        return fail(options->trace, "its meta " SKEW_META " cannot be read");
    if (options->wants_skew && !truth->skewed)
        return fail(options->trace, "it has no meta " SKEW_META);
    truth->skew.jitter_ns = 0; /* of a read, not of the clock */
    return 0;
}

/* The shared hardware clock (its ticks, or nanoseconds) when this rank's clock showed `local`. */
static int64_t true_from_local(const struct truth *truth, syn_local_time local)
{
    int64_t shown = syn_tick_source_ticks(syn_rank_ticks(truth->file), local);
    if (truth->skewed)
        shown = true_of_skewed(&truth->skew, shown);
    return shown - truth->shift_ns;
}

static syn_local_time local_from_true(const struct truth *truth, int64_t instant)
{
    int64_t shown = instant + truth->shift_ns;
    if (truth->skewed)
        shown = syn_clock_skew_apply(&truth->skew, shown);
    return syn_tick_source_local(syn_rank_ticks(truth->file), shown);
}

/* Returns the error and the bound of the global time that `timeline` gives for a local time. */
static struct sample judge_local(const struct truth *root, const struct truth *own, int rank,
                                 const struct syn_timeline *timeline, syn_local_time local)
{
    syn_local_time root_local = local_from_true(root, true_from_local(own, local));
    syn_global_time right = syn_timeline_global(syn_rank_timeline(root->file), root_local);
    syn_global_time said = syn_timeline_global(timeline, local);
    return (struct sample){.rank = rank,
                           .global_ns = right.ns,
                           .error_ns = said.ns - right.ns,
                           .bound_ns = syn_timeline_bound_ns(timeline, local)};
}

static struct sample judge(const struct truth *root, const struct truth *own, int rank,
                           int64_t global_ns)
{
    const struct syn_timeline *timeline = syn_rank_timeline(own->file);
    const struct syn_timeline *correction = syn_rank_correction(own->file);
    syn_global_time as_recorded = {global_ns};
    if (correction)
        as_recorded.ns = syn_timeline_local(correction, as_recorded).ns;
    struct sample sample =
        judge_local(root, own, rank, timeline, syn_timeline_local(timeline, as_recorded));
    if (correction) {
        sample.error_ns = global_ns - sample.global_ns;
        sample.bound_ns = syn_rank_bound_ns(own->file, global_ns);
    }
    return sample;
}

static int judge_rank(const struct truth *root, const struct truth *own, int rank,
                      struct samples *samples)
{
    struct syn_cursor *cursor;
    if (syn_cursor_open(own->file, &cursor) < 0)
        return fail("cursor", "no memory");
    int status;
    struct syn_event_columns events;
    while ((status = syn_cursor_next(cursor, &events)) == 0)
        for (size_t i = 0; i < events.count; i++)
            if (!samples_add(samples, judge(root, own, rank, events.start_ns[i])) ||
                !samples_add(samples, judge(root, own, rank, events.end_ns[i])))
                status = SYN_ENOMEM;
    syn_cursor_close(cursor);
    return status == SYN_EEND ? 0 : fail("events", syn_status_text(status));
}

static int judge_knots(const struct truth *root, const struct truth *own, int rank,
                       struct judged *judged)
{
    const struct syn_timeline *all = syn_rank_timeline(own->file);
    if (all->knot_count < 3)
        return 0;
    struct syn_knot ends[] = {all->knots[0], all->knots[all->knot_count - 1]};
    struct syn_timeline chord = *all;
    chord.knots = ends;
    chord.knot_count = 2;
    for (size_t i = 1; i + 1 < all->knot_count; i++) {
        const syn_local_time local = {all->knots[i].local_ns};
        if (!samples_add(&judged->knots, judge_local(root, own, rank, all, local)) ||
            !samples_add(&judged->chord, judge_local(root, own, rank, &chord, local)))
            return fail("knots", "no memory");
    }
    return 0;
}

static int judge_trace(const struct syn_trace *trace, const struct options *options,
                       struct judged *judged)
{
    struct truth root;
    int status = truth_open(&root, trace, 0, options);
    for (int rank = 1; status == 0 && rank < syn_trace_size(trace); rank++) {
        struct truth own;
        status = truth_open(&own, trace, rank, options);
        if (status == 0 && syn_rank_ticks(own.file)->kind != syn_rank_ticks(root.file)->kind)
            status = fail(options->trace, "its ranks read different kinds of clocks");
        if (status == 0)
            status = judge_rank(&root, &own, rank, &judged->events);
        if (status == 0)
            status = judge_knots(&root, &own, rank, judged);
    }
    return status;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct sample *)a)->global_ns, y = ((const struct sample *)b)->global_ns;
    return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* One line about the samples between two instants. Returns how many exceed their bound, or -1. */
static long print_window(const char *name, const struct samples *samples, int64_t from_ns,
                         int64_t to_ns)
{
    int64_t *errors_ns = calloc(samples->count, sizeof *errors_ns);
    int64_t bound_ns = 0;
    size_t count = 0;
    long exceeded_count = 0;
    if (!errors_ns)
        return -1;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (sample->global_ns < from_ns || sample->global_ns > to_ns)
            continue;
        errors_ns[count++] = llabs(sample->error_ns);
        exceeded_count += llabs(sample->error_ns) > sample->bound_ns + ROUNDING_NS;
        bound_ns = sample->bound_ns > bound_ns ? sample->bound_ns : bound_ns;
    }
    qsort(errors_ns, count, sizeof *errors_ns, by_value);
    if (count > 0)
        printf("%-5s %8zu %12lld %12lld %12lld %12lld %9ld\n", name, count,
               (long long)errors_ns[count / 2], (long long)errors_ns[count * 95 / 100],
               (long long)errors_ns[count - 1], (long long)bound_ns, exceeded_count);
    free(errors_ns);
    return exceeded_count;
}

static void print_knots(const struct judged *judged)
{
    if (judged->knots.count == 0)
        return;
    print_window("knots", &judged->knots, INT64_MIN, INT64_MAX);
    print_window("chord", &judged->chord, INT64_MIN, INT64_MAX);
}

static int print_judged(struct judged *judged)
{
    struct samples *samples = &judged->events;
    qsort(samples->items, samples->count, sizeof *samples->items, by_time);
    int64_t first_ns = samples->items[0].global_ns;
    int64_t last_ns = samples->items[samples->count - 1].global_ns;
    int64_t tenth_ns = (last_ns - first_ns) / 10;
    printf("%-5s %8s %12s %12s %12s %12s %9s\n", "part", "times", "median_ns", "p95_ns", "max_ns",
           "bound_ns", "exceeded");
    print_window("start", samples, first_ns, first_ns + tenth_ns);
    print_window("mid", samples, first_ns + 9 * tenth_ns / 2, last_ns - 9 * tenth_ns / 2);
    print_window("end", samples, last_ns - tenth_ns, last_ns);
    const long exceeded_count = print_window("all", samples, first_ns, last_ns);
    print_knots(judged);
    return exceeded_count == 0 ? 0 : 1;
}

static int write_csv(const char *path, const struct samples *samples)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return fail(path, "cannot be written");
    fputs("rank,global_ns,error_ns,bound_ns\n", file);
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        fprintf(file, "%d,%lld,%lld,%lld\n", sample->rank, (long long)sample->global_ns,
                (long long)sample->error_ns, (long long)sample->bound_ns);
    }
    return fclose(file) == 0 ? 0 : fail(path, "cannot be written");
}

/* Over so long a clock's drift is taken that no rounding shows. */
#define DRIFT_NS 20000000000

/* Own clock minus rank 0's, ns per ns of the own clock. */
static double true_drift(const struct truth *root, const struct truth *own, int64_t instant)
{
    const int64_t root_ns =
        local_from_true(root, instant + DRIFT_NS).ns - local_from_true(root, instant).ns;
    const int64_t own_ns =
        local_from_true(own, instant + DRIFT_NS).ns - local_from_true(own, instant).ns;
    return (double)(own_ns - root_ns) / (double)own_ns;
}

static int print_drift(const struct syn_trace *trace, const struct options *options,
                       const struct syn_clock_history *course)
{
    struct truth root, own;
    int status = truth_open(&root, trace, 0, options);
    if (status == 0)
        status = truth_open(&own, trace, course->rank, options);
    if (status != 0 || !isfinite(course->begin_ppm))
        return status;
    const syn_local_time begin = {syn_rank_timeline(own.file)->knots[0].local_ns};
    const double right_ppm = true_drift(&root, &own, true_from_local(&own, begin)) * 1e6;
    printf("%4d %12.6f %12.6f %12.6f\n", course->rank, course->begin_ppm, course->begin_error_ppm,
           course->begin_ppm - right_ppm);
    return 0;
}

static int print_drifts(struct syn_trace *trace, const struct options *options)
{
    const size_t capacity = (size_t)syn_trace_size(trace);
    struct syn_clock_history *course = calloc(capacity, sizeof *course);
    size_t count = 0;
    int status = 0;
    if (!course || syn_clock_histories_of(trace, 0, 0, course, capacity, &count) < 0)
        status = fail("courses", "no memory");
    printf("%4s %12s %12s %12s\n", "rank", "begin_ppm", "error_ppm", "off_ppm");
    for (size_t i = 0; i < count; i++) {
        if (status == 0)
            status = print_drift(trace, options, &course[i]);
        syn_clock_history_free(&course[i]);
    }
    free(course);
    return status;
}

static bool parse(int argc, char **argv, struct options *options)
{
    *options = (struct options){.ranks_per_host = 1};
    for (int option; (option = getopt(argc, argv, "smdt:p:c:")) != -1;)
        switch (option) {
        case 's':
            options->wants_skew = true;
            break;
        case 'm':
            options->mends = true;
            break;
        case 'd':
            options->prints_drifts = true;
            break;
        case 't':
            options->shift_s = atof(optarg);
            break;
        case 'p':
            options->ranks_per_host = atoi(optarg);
            break;
        case 'c':
            options->csv = optarg;
            break;
        default:
            return false;
        }
    options->trace = argv[optind];
    return optind + 1 == argc && options->ranks_per_host > 0;
}

static int judge_and_print(const struct syn_trace *trace, const struct options *options)
{
    struct judged judged = {0};
    int status = judge_trace(trace, options, &judged);
    if (status == 0 && judged.events.count == 0)
        status = fail(options->trace, "nothing in it to judge");
    if (status == 0)
        status = print_judged(&judged);
    if (status != 2 && options->csv && write_csv(options->csv, &judged.events) != 0)
        status = 2;
    free(judged.events.items);
    free(judged.knots.items);
    free(judged.chord.items);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!parse(argc, argv, &options)) {
        fprintf(stderr,
                "usage: clock_error [-s] [-m] [-d] [-t SHIFT_S] [-p RANKS_PER_HOST] [-c CSV] "
                "TRACE\n");
        return 2;
    }
    struct syn_trace *trace;
    char *why = NULL;
    int status = syn_trace_open(options.trace, &trace, &why);
    if (status < 0) {
        fail(options.trace, why ? why : syn_status_text(status));
        free(why);
        return 2;
    }
    struct syn_clock_check check;
    if (options.prints_drifts)
        status = print_drifts(trace, &options);
    else if (options.mends && syn_clocks_mend(trace, 0, &check) < 0)
        status = fail(options.trace, "its clocks cannot be checked");
    else
        status = judge_and_print(trace, &options);
    syn_trace_close(trace);
    return status;
}
