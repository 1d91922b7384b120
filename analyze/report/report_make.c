/* analyze/report/report_make.c - reads traces and computes a report from them. */
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__ /* defined by the headers above */
#include <malloc.h>
#endif

#include "analyze/match/columns/scratch.h"
#include "analyze/match/groups/groups.h"
#include "analyze/print/command.h"
#include "analyze/report/findings/keyed_causes.h"
#include "analyze/report/findings/report.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/stats/values/stats.h"
#include "analyze/symbols/wrappers.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/event.h"

/* The state of reading a run: input of the match, and where its results go. */
struct reading {
    struct syn_report *report;
    struct syn_run_facts *facts;
    struct syn_groups_run run;
    struct syn_progress progress;
    pthread_mutex_t lock; /* protects `unused` */
    struct part *unused;  /* parts that were absorbed, with the memory of their groups */
};

/* A partial result: what one thread reads of a run. */
struct part {
    struct part *next; /* next unused part */
    const struct reading *reading;
    struct syn_groups groups;
    struct syn_facts_part facts;
    struct syn_keyed_part causes;
    uint64_t instance_count, late_start_count, perturbed_count;
};

static struct part *take_unused(struct reading *reading)
{
    pthread_mutex_lock(&reading->lock);
    struct part *part = reading->unused;
    if (part)
        reading->unused = part->next;
    pthread_mutex_unlock(&reading->lock);
    return part;
}

static void *free_unused(void *argument)
{
    for (struct part *part; (part = take_unused(argument));) {
        syn_groups_free(&part->groups);
        free(part);
    }
    return NULL;
}

static void drop_part(void *ctx, void *argument)
{
    SYN_FREED struct part *part = argument;
    (void)ctx;
    syn_groups_free(&part->groups);
    syn_facts_part_free(&part->facts);
    syn_keyed_part_free(&part->causes);
}

/* Returns an unused part, or a new one without groups. NULL: memory ran out. */
static struct part *obtain_part(struct reading *reading)
{
    struct part *part = take_unused(reading);
    if (part || !(part = calloc(1, sizeof *part)))
        return part;
    syn_groups_init(&part->groups, reading->report->groups.by);
    part->groups.keep_all = reading->report->groups.keep_all;
    return part;
}

static void *begin_part(void *ctx)
{
    struct reading *reading = ctx;
    struct part *part = obtain_part(reading);
    if (!part)
        return NULL;
    part->next = NULL;
    part->reading = reading;
    if (syn_facts_part_begin(&part->facts, reading->facts->rank_count) ||
        syn_keyed_part_begin(reading->facts, &part->causes)) {
        drop_part(ctx, part);
        return NULL;
    }
    return part;
}

static int take_instance(void *argument, const struct syn_instance *instance)
{
    struct part *part = argument;
    part->instance_count++;
    part->late_start_count += (instance->flags & SYN_EVENT_LATE_START) != 0;
    part->perturbed_count += (instance->flags & SYN_EVENT_PERTURBED) != 0;
    int status = syn_facts_part_add(&part->facts, instance);
    return status != SYN_OK ? status : syn_groups_add(&part->groups, &part->reading->run, instance);
}

static int take_incomplete(void *argument, const struct syn_instance *instance)
{
    struct part *part = argument;
    return syn_groups_add_incomplete(&part->groups, &part->reading->run, instance);
}

static uint32_t take_kind(void *argument, const struct syn_attributes *attributes,
                          const struct syn_comm_place *place)
{
    struct part *part = argument;
    return syn_keyed_part_kind(&part->causes, attributes, place);
}

static int take_batch(void *argument, const struct syn_match_batch *batch)
{
    struct part *part = argument;
    return part->reading->report->options.without_causes ? SYN_OK
                                                         : syn_keyed_part_add(&part->causes, batch);
}

static int settle_part(void *argument)
{
    struct part *part = argument;
    const int status = syn_facts_part_order(&part->facts);
    syn_keyed_part_settle(&part->causes);
    return status;
}

static int end_part(void *ctx, void *argument, int64_t watermark_ns)
{
    struct reading *reading = ctx;
    struct syn_report *report = reading->report;
    struct part *part = argument;
    report->instance_count += part->instance_count;
    report->late_start_count += part->late_start_count;
    report->perturbed_count += part->perturbed_count;
    int status = syn_facts_part_order(&part->facts);
    SYN_STEP(status,
             syn_facts_absorb(reading->facts, &part->facts, watermark_ns, report->groups.store));
    SYN_STEP(status,
             syn_groups_absorb(&report->groups, &part->groups, reading->run.run, watermark_ns));
    SYN_STEP(status, syn_keyed_absorb(reading->facts, &part->causes, watermark_ns));
    /* the part was absorbed; keep the memory of its groups for the next part */
    syn_facts_part_free(&part->facts);
    syn_keyed_part_free(&part->causes);
    syn_groups_empty(&part->groups);
    *part = (struct part){.groups = part->groups};
    pthread_mutex_lock(&reading->lock);
    part->next = reading->unused;
    reading->unused = part;
    pthread_mutex_unlock(&reading->lock);
    return status;
}

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct reading *reading = ctx;
    syn_progress_update(&reading->progress, (double)done, (double)total);
}

static int find_causes(struct reading *reading)
{
    struct syn_run_facts *facts = reading->facts;
    int status = syn_keyed_end(facts);
    SYN_STEP(status, syn_message_pass_end(&facts->messages));
    SYN_STEP(status, syn_findings_make(&facts->causes, reading->report->options.confidence,
                                       &facts->findings));
    return status;
}

static int match_trace(struct reading *reading, struct syn_trace *trace,
                       struct syn_symbols *symbols)
{
    struct syn_comms comms;
    SYN_CLEANUP(syn_match_totals_free) struct syn_match_totals totals = {0};
    SYN_CLEANUP(syn_message_numbers_free) struct syn_message_numbers numbers = {0};
    int status = syn_comms_open(trace, &reading->report->names, &comms);
    if (status != SYN_OK)
        return status;
    struct syn_match match = {
        .trace = trace,
        .symbols = symbols,
        .names = &reading->report->names,
        .comms = &comms,
        .numbers = &numbers,
        .sink = {.instance = take_instance,
                 .incomplete = take_incomplete,
                 .kind = reading->report->options.without_causes ? NULL : take_kind,
                 .batch = take_batch,
                 .progress = show_progress,
                 .ctx = reading,
                 .partial_begin = begin_part,
                 .partial_settle = settle_part,
                 .partial_end = end_part,
                 .partial_drop = drop_part},
        .memory_bytes = reading->report->options.memory_bytes,
        .slice_events = reading->report->options.slice_events,
        .hidden_classes = reading->report->options.hidden_classes,
    };
    struct syn_examination *examination = &reading->facts->examination;
    bool is_known;
    const struct syn_look look = {.trace = trace,
                                  .comms = &comms,
                                  .names = match.names,
                                  .symbols = symbols,
                                  .goes_on = syn_is_live(trace, &is_known)};
    const struct syn_hang_options hang = SYN_HANG_OPTIONS;
    status = syn_message_numbers_make(trace, &comms, &numbers);
    SYN_STEP(status, syn_message_pass_begin(&reading->facts->messages, &numbers,
                                            reading->report->groups.store));
    SYN_STEP(status, syn_examine_begin(examination, &look));
    match.disagreements = &examination->disagreements;
    const struct syn_keyed_plan plan = {.names = match.names,
                                        .memory_bytes = match.memory_bytes / 8,
                                        .keys = reading->report->options.efficiency_keys};
    SYN_STEP(status, syn_keyed_begin(reading->facts, trace, &comms, &plan));
    SYN_STEP(status, syn_match_run(&match, &totals));
    if (status == SYN_OK)
        status = syn_examine_end(examination, &hang);
    else
        syn_examine_free(examination);
    SYN_STEP(status, find_causes(reading));
    SYN_STEP(status, syn_facts_end(reading->facts, trace, &totals, reading->report->groups.store));
    if (status == SYN_OK && syn_report_wants_passes(reading->report, reading->facts))
        status = syn_passes_read(&match, &reading->facts->causes, match.memory_bytes / 8,
                                 &reading->facts->passes);
    syn_comms_close(&comms);
    return status;
}

/* Reads a run. A run that cannot be read is noted, so that the others are reported. */
static int read_run(struct syn_report *report, const struct syn_run_path *path,
                    struct syn_symbols *symbols)
{
    struct syn_trace *trace = NULL;
    char *why = NULL;
    int status = syn_run_open(path, &trace, &why);
    if (status != SYN_OK && !why)
        return SYN_ENOMEM;
    if (status != SYN_OK) {
        report->unreadable[report->unreadable_count++] = why;
        return 0;
    }
    struct reading reading = {.report = report,
                              .facts = &report->run[report->run_count],
                              .lock = PTHREAD_MUTEX_INITIALIZER};
    SYN_FREED uint32_t *node = NULL;
    report->run_count++;
    status = syn_facts_begin(reading.facts, trace, path->run, &report->names, &node);
    reading.run = (struct syn_groups_run){path->run, node};
    SYN_STEP(status, syn_symbols_take(symbols, trace));
    SYN_STEP(status, syn_symbols_find_wrappers(symbols, trace));
    SYN_STEP(status,
             syn_clocks_mend(trace, report->options.memory_bytes, &reading.facts->clock_check));
    syn_progress_start(&reading.progress, "reading");
    SYN_STEP(status, match_trace(&reading, trace, symbols));
    if (status == SYN_OK && report->run_count == 1)
        status = syn_facts_find_histories(reading.facts, trace);
    syn_progress_end(&reading.progress);
    /* Free the unused parts by several threads: with very many groups each has about 10^5 pieces of
     * memory. */
    size_t count = 0;
    for (const struct part *part = reading.unused; part; part = part->next)
        count++;
    syn_threads_run(syn_least(syn_thread_count(), count), free_unused, &reading);
    pthread_mutex_destroy(&reading.lock);
    syn_trace_close(trace);
    return status;
}

/* Finds runs that change their level: sets change.p_adjusted in the runs' figures. All groups' runs
 * are judged together (Holm), since more runs seem to change by chance if more are looked at. NAN
 * for groups with less than 1 % of the time. Returns 0 or SYN_ENOMEM. */
static int adjust_changes(struct syn_report *report)
{
    const double least_ns = SYN_SHARE_THAT_MATTERS * syn_report_time_in_groups(report);
    size_t most = 0, count = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        most += report->figures[i].run_count;
    SYN_FREED double *p = malloc((most + 1) * sizeof *p);
    if (!p)
        return SYN_ENOMEM;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        for (size_t r = 0; r < figures->run_count; r++)
            p[count++] = figures->inside_ns >= least_ns ? figures->run[r].change.found.p : NAN;
    }
    const int status = syn_adjust_holm(p, count);
    count = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        for (size_t r = 0; r < report->figures[i].run_count; r++)
            report->figures[i].run[r].change.p_adjusted = p[count++];
    return status;
}

/* Sorts the groups and computes their figures. */
static int compute(struct syn_report *report)
{
    int status = syn_groups_sort(&report->groups, &report->names);
    if (status == SYN_OK) {
        /* Make room in memory for the arrays of the longest group (details.c): its values, a sorted
         * copy, and as much scratch memory. Columns move to the temporary file. */
        const size_t most = report->options.memory_bytes / 2;
        uint64_t longest = 0;
        for (size_t i = 0; i < report->groups.count; i++)
            longest = syn_largest(report->groups.group[i]->instance_count, longest);
        const uint64_t arrays = longest * 3 * sizeof(double);
        status = syn_groups_spill(&report->groups, arrays < most ? most - arrays : 0);
#ifdef __GLIBC__
        malloc_trim(0); /* also return the memory of reading */
#endif
    }
    if (status == SYN_OK) {
        const struct syn_report_options *options = &report->options;
        const struct syn_figures_plan plan =
            (struct syn_figures_plan){.confidence = options->confidence,
                                      .ci = options->ci,
                                      .seed = options->seed,
                                      .skip_warmup = options->skip_warmup,
                                      .pairs = options->pairs,
                                      .tukey = options->tukey};
        struct syn_figures *figures = calloc(report->groups.count + 1, sizeof *figures);
        status = figures ? syn_figures_compute_all(&report->groups, &plan, figures) : SYN_ENOMEM;
        if (status == SYN_OK)
            report->figures = figures;
        else
            free(figures);
    }
    SYN_STEP(status, syn_report_find_latest(report));
    SYN_STEP(status, adjust_changes(report));
    if (status != SYN_OK)
        return status;
    report->order = malloc((report->groups.count + 1) * sizeof *report->order);
    if (!report->order)
        return SYN_ENOMEM;
    for (size_t i = 0; i < report->groups.count; i++)
        report->order[i] = i;
    return syn_report_sort(report, report->options.sort);
}

/* Limits for malloc. RATIONALE: memory that a slice frees is kept, since the next slice needs it
 * again. If it were returned to the kernel in between, each page would be zeroed and mapped anew.
 * Pieces above MAPPED_LEAST_BYTES are still returned at once, and at the end of the heap all that
 * exceeds the FREED_SHARE-th part of the budget.
 *
 * glibc makes memory of threads other than the first writable page by page, each time with all of
 * the process's memory locked. Eight threads that gather 10^4 groups would do this 90,000 times,
 * and wait for one another. With M_TOP_PAD as large as the pieces of their memory (64 MiB), each
 * piece is writable from the start. Pages that are never written take no memory. */
#define MAPPED_LEAST_BYTES (32 << 20)
#define ROOM_MOST_BYTES    ((size_t)64 << 20)
#define FREED_SHARE        64
/* Sets up memory and symbols, reads each run, then computes the figures. */
static int make(struct syn_report *report, const struct syn_experiment *experiment, char **why)
{
    const size_t memory_bytes = report->options.memory_bytes;
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, MAPPED_LEAST_BYTES);
    mallopt(M_TRIM_THRESHOLD, (int)syn_least(memory_bytes / FREED_SHARE, (size_t)INT_MAX));
    mallopt(M_TOP_PAD, (int)syn_least(memory_bytes / FREED_SHARE, ROOM_MOST_BYTES));
#else
    (void)memory_bytes;
#endif
    report->run = calloc(experiment->count + 1, sizeof *report->run);
    report->unreadable = calloc(experiment->count + 1, sizeof *report->unreadable);
    if (!report->run || !report->unreadable)
        return SYN_ENOMEM;
    struct syn_symbols *symbols;
    int status = syn_symbols_open(&symbols);
    if (status == SYN_OK)
        syn_symbols_choose_site(symbols, report->options.by & SYN_BY(SYN_KEY_STACK),
                                report->options.skip);
    if (status == SYN_OK && report->options.wrappers)
        status = syn_symbols_take_wrappers(symbols, report->options.wrappers);
    for (size_t i = 0; i < experiment->count && status == SYN_OK; i++)
        status = read_run(report, &experiment->run[i], symbols);
    if (status == SYN_OK && !(report->wrappers = syn_symbols_wrappers(symbols)))
        status = SYN_ENOMEM;
    if (symbols)
        syn_symbols_close(symbols);
    if (status != SYN_OK)
        return status;
    if (report->run_count == 0) {
        *why = report->unreadable[0];
        report->unreadable[0] = NULL;
        return SYN_ENOTTRACE;
    }
    return compute(report);
}

int syn_report_make(const struct syn_experiment *experiment,
                    const struct syn_report_options *options, struct syn_report *out, char **why)
{
    char text[4096 + 256];
    memset(out, 0, sizeof *out);
    *why = NULL;
    out->options = *options;
    if (experiment->count > 1 && options->rows != SYN_ROWS_SEGMENTS)
        out->options.tells_passes = false;
    syn_groups_init(&out->groups, options->by);
    out->groups.keep_all = options->all;
    if (out->options.memory_bytes == 0)
        out->options.memory_bytes = syn_memory_default();
    int status = syn_groups_bound_memory(&out->groups, out->options.memory_bytes / 2);
    SYN_STEP(status, make(out, experiment, why));
    if (status != SYN_OK && !*why && syn_scratch_explain(text, sizeof text))
        *why = strdup(text);
    if (status != SYN_OK)
        syn_report_free(out);
    return status;
}

void syn_report_say_faults(const struct syn_report *report)
{
    for (size_t i = 0; i < report->unreadable_count; i++)
        syn_bad_input("%s", report->unreadable[i]);
    for (size_t i = 0; i < report->run_count; i++)
        for (size_t j = 0; j < report->run[i].fault_count; j++)
            syn_bad_fault(j, report->run[i].fault_count, report->run[i].fault[j].text);
}

void syn_report_free(struct syn_report *report)
{
    for (size_t i = 0; report->figures && i < report->groups.count; i++)
        syn_figures_free(&report->figures[i]);
    for (size_t i = 0; i < report->run_count; i++)
        syn_facts_free(&report->run[i]);
    for (size_t i = 0; i < report->unreadable_count; i++)
        free(report->unreadable[i]);
    free(report->wrappers);
    free(report->figures);
    free(report->order);
    free(report->run);
    free(report->unreadable);
    syn_groups_free(&report->groups);
    syn_names_free(&report->names);
    memset(report, 0, sizeof *report);
}
