#include "facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"
#include "../../trace/spawned.h"
#include "../match/bounds.h"
#include "../stats/stats.h"

static const char UNKNOWN_NODE[] = "?";

/* ---- what the files say ---- */

static char *copy_meta(const struct syn_rank_file *file, const char *key)
{
    const char *value = syn_rank_meta(file, key);
    return value ? strdup(value) : NULL;
}

static double meta_number(const struct syn_rank_file *file, const char *key)
{
    const char *value = syn_rank_meta(file, key);
    char *end = NULL;
    double number = value ? strtod(value, &end) : NAN;
    return value && end != value ? number : NAN;
}

/* Where a rank was in MPI_Init says nothing of later, unless it was bound. A trace that does not
 * say whether it was is believed. */
static bool is_bound(const struct syn_rank_file *file)
{
    const char *bound = syn_rank_meta(file, "rank.bound");
    return !bound || strcmp(bound, "no") != 0;
}

static bool is_several(const char *list)
{
    return list && strpbrk(list, ",-");
}

/* The core, where the rank was bound to one; else the processor likewise. */
static char *core_of(const struct syn_rank_file *file)
{
    static const char *const keys[] = {"rank.core", "rank.pu"};
    static const char *const bounds[] = {"rank.bound_cores", "rank.bound_pus"};
    for (int i = 0; i < 2 && is_bound(file); i++) {
        if (is_several(syn_rank_meta(file, bounds[i])))
            continue;
        const char *value = syn_rank_meta(file, keys[i]);
        char *text = NULL;
        if (value && asprintf(&text, "%s %.20s", keys[i] + 5, value) > 0)
            return text;
    }
    return NULL;
}

static void take_first_rank(struct syn_run_facts *facts, const struct syn_rank_file *file)
{
    const struct syn_sync_quality *quality = syn_rank_quality(file);
    const struct syn_tick_source *ticks = syn_rank_ticks(file);
    facts->program = copy_meta(file, "program.path");
    facts->args = copy_meta(file, "program.args");
    facts->program_build_id = copy_meta(file, "program.build_id");
    facts->mpi = copy_meta(file, "mpi.name");
    facts->sync_method = copy_meta(file, "sync.method");
    facts->clock_kind = ticks ? strdup(syn_clock_kind_name(ticks->kind)) : NULL;
    facts->sync_begin_ns = quality ? (double)quality->begin_ns : NAN;
    facts->sync_end_ns = quality ? (double)quality->end_ns : NAN;
    facts->overhead_ns = meta_number(file, "cost.init_ns") + meta_number(file, "cost.finalize_ns");
}

static int take_rank(struct syn_rank_facts *rank, const struct syn_rank_file *file,
                     struct syn_names *names)
{
    const char *node = syn_rank_meta(file, "host.name");
    double passed_count = meta_number(file, "rank.passed_count");
    rank->present = true;
    rank->recorded = syn_rank_records(file);
    rank->passed_count = rank->recorded && passed_count > 0 ? (uint64_t)passed_count : 0;
    rank->node = syn_names_id(names, node ? node : UNKNOWN_NODE);
    rank->core = core_of(file);
    rank->package = is_bound(file) ? copy_meta(file, "rank.package") : NULL;
    rank->last_dependence = 1;
    rank->last_p = NAN;
    return rank->node == SYN_NO_NAME ? SYN_ENOMEM : 0;
}

/* A rank whose node is not known (its file is damaged there) does not make one more. */
static uint32_t count_nodes(const struct syn_run_facts *facts, uint32_t unknown)
{
    uint32_t count = 0;
    for (int32_t r = 0; r < facts->rank_count; r++) {
        bool first = facts->rank[r].present && facts->rank[r].node != unknown;
        for (int32_t before = 0; before < r && first; before++)
            first = !facts->rank[before].present || facts->rank[before].node != facts->rank[r].node;
        count += first;
    }
    return count > 0 || facts->present_count == 0 ? count : 1;
}

int syn_facts_begin(struct syn_run_facts *facts, struct syn_trace *trace, uint32_t run,
                    struct syn_names *names, uint32_t **node_of_rank)
{
    memset(facts, 0, sizeof *facts);
    facts->run = run;
    facts->rank_count = syn_trace_size(trace);
    facts->directory = strdup(syn_trace_directory(trace));
    facts->rank = calloc((size_t)facts->rank_count + 1, sizeof *facts->rank);
    uint32_t *nodes = calloc((size_t)facts->rank_count + 1, sizeof *nodes);
    *node_of_rank = nodes;
    if (!facts->directory || !facts->rank || !nodes)
        return SYN_ENOMEM;
    for (int32_t r = 0; r < facts->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        facts->rank[r].node = nodes[r] = SYN_NO_NAME;
        if (!file)
            continue;
        if (facts->present_count++ == 0)
            take_first_rank(facts, file);
        if (take_rank(&facts->rank[r], file, names))
            return SYN_ENOMEM;
        facts->recorded_count += facts->rank[r].recorded;
        nodes[r] = facts->rank[r].node;
    }
    facts->spawned_count = syn_spawned_count(facts->directory, &facts->spawned_unrecorded_count);
    facts->node_count = count_nodes(facts, syn_names_id(names, UNKNOWN_NODE));
    return 0;
}

/* ---- who came late ---- */

int syn_facts_part_begin(struct syn_facts_part *part, int32_t rank_count)
{
    *part = (struct syn_facts_part){.rank_count = rank_count};
    part->rank = calloc((size_t)rank_count + 1, sizeof *part->rank);
    return part->rank ? 0 : SYN_ENOMEM;
}

void syn_facts_part_free(struct syn_facts_part *part)
{
    free(part->rank);
    syn_column_free(&part->last);
    *part = (struct syn_facts_part){0};
}

int syn_facts_part_add(struct syn_facts_part *part, const struct syn_instance *instance)
{
    const struct syn_comm *comm = instance->comm;
    bool several = comm->size > 1;
    double by_chance = 1.0 / comm->size;
    for (uint32_t m = 0; m < comm->size; m++) {
        struct syn_rank_facts *rank = &part->rank[comm->world_rank[m]];
        rank->inside_ns += (double)instance->member[m].inside_ns;
        rank->waiting_ns += (double)instance->member[m].waiting_ns;
        rank->instance_count += several;
        rank->expected_last += several ? by_chance : 0;
    }
    if (!several)
        return 0;
    uint32_t world_rank = comm->world_rank[instance->last_starter];
    struct syn_rank_facts *last = &part->rank[world_rank];
    last->last_count++;
    last->last_sure_count += instance->lead_ns > instance->bound_ns;
    last->caused_ns += instance->others_waiting_ns;
    return syn_column_append(&part->last, NULL, world_rank);
}

int syn_facts_absorb(struct syn_run_facts *facts, const struct syn_facts_part *part,
                     struct syn_store *store)
{
    for (int32_t r = 0; r < part->rank_count; r++) {
        struct syn_rank_facts *into = &facts->rank[r];
        const struct syn_rank_facts *from = &part->rank[r];
        into->instance_count += from->instance_count;
        into->expected_last += from->expected_last;
        into->last_count += from->last_count;
        into->last_sure_count += from->last_sure_count;
        into->inside_ns += from->inside_ns;
        into->waiting_ns += from->waiting_ns;
        into->caused_ns += from->caused_ns;
    }
    return syn_column_append_all(&facts->last, store, part->last.value, part->last.count);
}

/* Batch means of "was it this rank?", of all ranks in one pass over the series. */
struct batches {
    size_t size, count; /* values a batch, whole batches; what is behind them is left out */
    size_t done;        /* batches */
    size_t in_batch;
    uint32_t *hits;  /* [rank_count], in the batch */
    double *mean;    /* [rank_count], of the batches' means; Welford */
    double *squares; /* [rank_count], of their deviations */
    size_t rank_count;
};

static void end_batch(struct batches *batches)
{
    batches->done++;
    batches->in_batch = 0;
    for (size_t r = 0; r < batches->rank_count; r++) {
        double mean = (double)batches->hits[r] / (double)batches->size;
        double d = mean - batches->mean[r];
        batches->mean[r] += d / (double)batches->done;
        batches->squares[r] += d * (mean - batches->mean[r]);
        batches->hits[r] = 0;
    }
}

static void add_to_batches(struct batches *batches, const int64_t *last, size_t count)
{
    for (size_t i = 0; i < count && batches->done < batches->count; i++) {
        batches->hits[last[i]]++;
        if (++batches->in_batch == batches->size)
            end_batch(batches);
    }
}

static int walk_batches(const struct syn_column *last, const struct syn_store *store,
                        struct batches *batches)
{
    int64_t value[SYN_BLOCK_VALUES];
    int status = 0;
    for (size_t i = 0; i < last->count && status == 0; i += SYN_BLOCK_VALUES) {
        size_t count = last->count - i < SYN_BLOCK_VALUES ? last->count - i : SYN_BLOCK_VALUES;
        status = syn_column_read(last, store, i, count, value);
        if (status == 0)
            add_to_batches(batches, value, count);
    }
    return status;
}

/* How much less a series of "was it this rank?" says than independent trials would: the variance of
 * its batch means over that of independent ones. As syn_dependence_factor, which is made for the
 * median, whose indicator has variance 1/4. */
static double dependence(const struct syn_rank_facts *rank, const struct batches *batches, size_t r,
                         size_t n)
{
    double share = (double)rank->last_count / (double)n;
    double variance = share * (1 - share);
    if (!(variance > 0))
        return 1;
    if (batches->count < 2)
        return 0.25 / variance;
    double factor =
        (double)batches->size * (batches->squares[r] / (double)(batches->count - 1)) / 0.25;
    return factor * 0.25 / variance;
}

static double late_p(const struct syn_rank_facts *rank, double factor)
{
    double n = floor((double)rank->instance_count / fmax(1, factor));
    double share = (double)rank->last_count / (double)rank->instance_count;
    double chance = rank->expected_last / (double)rank->instance_count;
    return n < 1 ? NAN : syn_binomial_test((size_t)llround(share * n), (size_t)n, chance);
}

static int make_batches(struct syn_run_facts *facts, const struct syn_store *store,
                        struct batches *batches)
{
    size_t rank_count = (size_t)facts->rank_count, n = facts->last.count;
    *batches = (struct batches){.rank_count = rank_count};
    if (n >= 16) { /* with fewer nothing is known of dependence */
        batches->size = (size_t)sqrt((double)n);
        batches->count = n / batches->size;
    }
    batches->hits = calloc(rank_count + 1, sizeof *batches->hits);
    batches->mean = calloc(2 * rank_count + 1, sizeof *batches->mean);
    if (!batches->hits || !batches->mean)
        return SYN_ENOMEM;
    batches->squares = batches->mean + rank_count;
    return walk_batches(&facts->last, store, batches);
}

/* Ranks that were last no more often than by chance need no test of their own, but count in Holm's
 * adjustment. */
static int test_lateness(struct syn_run_facts *facts, const struct syn_store *store)
{
    struct batches batches;
    double *p = malloc(((size_t)facts->rank_count + 1) * sizeof *p);
    int status = make_batches(facts, store, &batches);
    status = p ? status : SYN_ENOMEM;
    for (int32_t r = 0; r < facts->rank_count && status == 0; r++) {
        struct syn_rank_facts *rank = &facts->rank[r];
        p[r] = NAN;
        if (rank->instance_count == 0)
            continue;
        rank->last_dependence = dependence(rank, &batches, (size_t)r, facts->last.count);
        p[r] = (double)rank->last_count <= rank->expected_last
                   ? 1
                   : late_p(rank, rank->last_dependence);
    }
    if (status == 0)
        status = syn_adjust_holm(p, (size_t)facts->rank_count);
    for (int32_t r = 0; r < facts->rank_count && status == 0; r++)
        facts->rank[r].last_p = p[r];
    free(p);
    free(batches.hits);
    free(batches.mean);
    syn_column_free(&facts->last);
    return status;
}

/* ---- what is known at the end only ---- */

static int copy_faults(struct syn_run_facts *facts, struct syn_trace *trace)
{
    size_t count;
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &count);
    facts->fault = calloc(count + 1, sizeof *facts->fault);
    if (!facts->fault)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        char *text = strdup(faults[i].text);
        if (!text)
            return SYN_ENOMEM;
        facts->fault[facts->fault_count++] =
            (struct syn_run_fault){faults[i].status, faults[i].rank, text};
    }
    return 0;
}

static void find_duration(struct syn_run_facts *facts, const struct syn_manifest *manifest)
{
    if (manifest) {
        facts->start_unix_ns = manifest->start_unix_ns;
        facts->duration_ns = manifest->duration_ns;
    }
    if (facts->duration_ns > 0)
        return;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (int32_t r = 0; r < facts->rank_count; r++) {
        const struct syn_rank_totals *totals = &facts->totals.rank[r];
        if (totals->event_count == 0)
            continue;
        first_ns = totals->first_ns < first_ns ? totals->first_ns : first_ns;
        last_ns = totals->last_ns > last_ns ? totals->last_ns : last_ns;
    }
    facts->duration_ns = last_ns > first_ns ? last_ns - first_ns : 0;
    facts->duration_estimated = true;
}

static int64_t bound_of(const struct syn_rank_file *file, const struct syn_rank_totals *totals)
{
    if (totals->event_count == 0)
        return 0;
    int64_t first = syn_clock_bound_ns(file, totals->first_ns);
    int64_t last = syn_clock_bound_ns(file, totals->last_ns);
    return first > last ? first : last;
}

int syn_facts_end(struct syn_run_facts *facts, struct syn_trace *trace,
                  struct syn_match_totals *totals, const struct syn_store *store)
{
    facts->totals = *totals;
    memset(totals, 0, sizeof *totals);
    for (int32_t r = 0; r < facts->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        if (!file)
            continue;
        facts->rank[r].ending = syn_rank_end(file)->ending;
        facts->rank[r].dropped_count = syn_rank_end(file)->dropped_count;
        facts->rank[r].bound_ns = bound_of(file, &facts->totals.rank[r]);
        facts->measured_once_count += syn_clock_measured_once(file);
    }
    find_duration(facts, syn_trace_manifest(trace));
    int status = copy_faults(facts, trace);
    return status ? status : test_lateness(facts, store);
}

void syn_facts_free(struct syn_run_facts *facts)
{
    syn_causes_free(&facts->causes);
    syn_findings_free(&facts->findings);
    for (int32_t r = 0; facts->rank && r < facts->rank_count; r++) {
        free(facts->rank[r].core);
        free(facts->rank[r].package);
    }
    for (size_t i = 0; i < facts->fault_count; i++)
        free(facts->fault[i].text);
    free(facts->directory);
    free(facts->rank);
    free(facts->program);
    free(facts->args);
    free(facts->mpi);
    free(facts->sync_method);
    free(facts->clock_kind);
    free(facts->program_build_id);
    free(facts->fault);
    syn_column_free(&facts->last);
    syn_match_totals_free(&facts->totals);
    memset(facts, 0, sizeof *facts);
}
