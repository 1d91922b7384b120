/* analyze/causes/causes.c - begins and ends the causes of a run, and adds up the sums of its
 * parts. */
#include "analyze/causes/causes.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/cleanup.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* ---- a run ---- */

#define BLOCKS_LEAST     8
#define CELL_BLOCKS_MOST (UINT64_C(1) << 24) /* each takes at least 16 bytes */

/* Returns the number of time bins, limited so that many locations and call sites do not take all
 * memory. Each call site has a label of its calls and one of the time before them. */
uint32_t syn_cause_block_count(uint32_t location_count, uint64_t site_count)
{
    const uint64_t cells = 2 * site_count * location_count;
    uint32_t count = location_count <= 256    ? SYN_TIME_BINS_MOST
                     : location_count <= 1024 ? 32
                     : location_count <= 8192 ? 16
                                              : BLOCKS_LEAST;
    while (count > BLOCKS_LEAST && cells * count > CELL_BLOCKS_MOST)
        count /= 2;
    return count;
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Returns the number of different innermost frames among a rank's call stacks. Without memory,
 * returns the number of call stacks. */
static uint64_t count_sites(const struct syn_rank_file *file)
{
    const size_t stacks = syn_rank_stack_count(file);
    SYN_FREED uint64_t *frame = malloc((stacks + 1) * sizeof *frame);
    uint64_t sites = frame ? 0 : stacks;
    size_t count = 0;
    for (size_t i = 0; frame && i < stacks; i++) {
        const struct syn_stack_record *stack = syn_rank_stack(file, (uint32_t)i);
        if (stack && stack->depth > 0)
            frame[count++] = syn_hash_add(stack->frames[0].module, stack->frames[0].offset);
    }
    if (count > 0)
        qsort(frame, count, sizeof *frame, by_value);
    for (size_t i = 0; i < count; i++)
        sites += i == 0 || frame[i] != frame[i - 1];
    return sites;
}

/* Returns the number of call sites of the rank that has the most call stacks. Sites are counted
 * only if the number of call stacks would reduce the number of bins. */
static uint64_t most_sites(const struct syn_trace *trace, uint32_t location_count)
{
    const struct syn_rank_file *of = NULL;
    uint64_t most = 0;
    for (int32_t r = 0; r < syn_trace_size(trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        const uint64_t count = file ? syn_rank_stack_count(file) : 0;
        of = count > most ? file : of;
        most = syn_largest(most, count);
    }
    return of && syn_cause_block_count(location_count, most) <
                       syn_cause_block_count(location_count, 0)
               ? count_sites(of)
               : most;
}

int syn_causes_begin(struct syn_causes *causes, struct syn_trace *trace,
                     const struct syn_comms *comms, const struct syn_names *names,
                     size_t memory_bytes, unsigned keys, struct syn_message_pass *messages)
{
    *causes = (struct syn_causes){.messages.of = messages};
    pthread_mutex_init(&causes->lock, NULL);
    int status = syn_cause_tables_begin(&causes->tables, keys);
    SYN_STEP(status, syn_cause_plan_make(trace, comms, &causes->plan));
    if (status != SYN_OK)
        return status;
    const uint32_t locations = causes->plan.location_count;
    const uint32_t bins = syn_cause_block_count(locations, most_sites(trace, locations));
    causes->plan.names = names;
    causes->run = syn_trace_span(trace);
    syn_cause_sums_begin(&causes->sums, locations,
                         &(const struct syn_time_bins){
                             causes->run.begin_ns, syn_run_span_ns(causes->run) / bins + 1, bins});
    causes->replay = syn_replay_new(&causes->plan, &causes->tables, &causes->sums,
                                    &causes->messages, memory_bytes);
    causes->counters = calloc((size_t)locations + 1, sizeof *causes->counters);
    return causes->replay && causes->counters ? 0 : SYN_ENOMEM;
}

/* Frees the sums of all parts; with `adds`, adds them to the run's first. Returns 0 or
 * SYN_ENOMEM. */
static int gather_sums(struct syn_causes *causes, bool adds)
{
    int status = 0;
    for (struct syn_cause_sums *sums; (sums = causes->unused) != NULL;) {
        causes->unused = sums->next;
        if (adds && status == SYN_OK)
            status = syn_cause_sums_add(&causes->sums, sums);
        syn_cause_sums_free(sums);
        free(sums);
    }
    return status;
}

void syn_causes_free(struct syn_causes *causes)
{
    syn_replay_free(causes->replay);
    (void)gather_sums(causes, false);
    free(causes->counters);
    syn_message_table_free(&causes->messages.table);
    syn_cause_sums_free(&causes->sums);
    syn_cause_tables_free(&causes->tables);
    syn_cause_plan_free(&causes->plan);
    pthread_mutex_destroy(&causes->lock);
    *causes = (struct syn_causes){0};
}

/* Plan: finish the replay; add up all sums; number the labels in an order that does not depend on
 * the order of reading. */
int syn_causes_end(struct syn_causes *causes)
{
    SYN_FREED uint32_t *number = NULL;
    int status = syn_replay_finish(causes->replay, causes->run.end_ns);
    const int64_t path_start_ns = causes->sums.path_start_ns,
                  path_end_ns = causes->sums.path_end_ns;
    syn_replay_free(causes->replay);
    causes->replay = NULL;
    SYN_STEP(status, gather_sums(causes, true));
    SYN_STEP(status, syn_message_pass_absorb(&causes->messages));
    causes->sums.path_start_ns = path_start_ns;
    causes->sums.path_end_ns = path_end_ns;
    if (status == SYN_OK) {
        syn_cause_sums_settle(&causes->sums);
        number = malloc((causes->tables.labels.count + 1) * sizeof *number);
        status = number ? syn_cause_tables_order(&causes->tables, causes->plan.names, number)
                        : SYN_ENOMEM;
    }
    SYN_STEP(status, syn_cause_sums_relabel(&causes->sums, number));
    return status;
}
