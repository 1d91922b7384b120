/* analyze/report/findings/facts.c - collects facts about a run while its trace is open: its
 * factors, ranks and totals. */
#include "analyze/report/findings/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/members/bounds.h"
#include "analyze/print/text.h"
#include "analyze/report/figures/lateness.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/directory/spawned.h"

static const char UNKNOWN_NODE[] = "?";

/* A stretch of more instances is sorted by qsort. */
#define STRETCH_MANY 16

/* ---- facts from the trace's files ---- */

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

/* Returns true if the rank was bound: only then its place in MPI_Init is its place later. A trace
 * without this fact counts as bound. */
static bool is_bound(const struct syn_rank_file *file)
{
    const char *bound = syn_rank_meta(file, "rank.bound");
    return !bound || strcmp(bound, "no") != 0;
}

/* Returns the core if the rank was bound to one, else the processor if it was bound to one, else
 * NULL. Owned by the caller. */
static char *core_of(const struct syn_rank_file *file)
{
    static const char *const keys[] = {"rank.core", "rank.pu"};
    static const char *const bounds[] = {"rank.bound_cores", "rank.bound_pus"};
    for (int i = 0; i < 2 && is_bound(file); i++) {
        const char *bound = syn_rank_meta(file, bounds[i]);
        if (bound && strpbrk(bound, ",-")) /* bound to several */
            continue;
        const char *value = syn_rank_meta(file, keys[i]);
        char *text = NULL;
        if (value && asprintf(&text, "%s %.20s", keys[i] + 5, value) > 0)
            return text;
    }
    return NULL;
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
    const double processors = meta_number(file, "host.cpu_count");
    rank->processor_count = processors > 0 && processors < 1e6 ? (int32_t)processors : 0;
    rank->load_average = meta_number(file, "host.load_average");
    rank->messages_ns = meta_number(file, "messages.sum_ns");
    rank->last_dependence = 1;
    rank->last_p = NAN;
    return rank->node == SYN_NO_NAME ? SYN_ENOMEM : 0;
}

/* Counts nodes. Ranks of an unknown node (their file is damaged) do not count as one more. Returns
 * 0 or SYN_ENOMEM. */
static int count_nodes(struct syn_run_facts *facts, uint32_t unknown)
{
    uint32_t most = unknown;
    for (int32_t r = 0; r < facts->rank_count; r++)
        if (facts->rank[r].present)
            most = syn_largest(most, facts->rank[r].node);
    SYN_FREED bool *seen = calloc((size_t)most + 1, sizeof *seen);
    if (!seen)
        return SYN_ENOMEM;
    seen[unknown] = true;
    for (int32_t r = 0; r < facts->rank_count; r++) {
        if (!facts->rank[r].present || seen[facts->rank[r].node])
            continue;
        seen[facts->rank[r].node] = true;
        facts->node_count++;
    }
    if (facts->node_count == 0 && facts->present_count > 0)
        facts->node_count = 1;
    return 0;
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
    double message_calls = 0, one_sided_calls = 0;
    for (int32_t r = 0; r < facts->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        facts->rank[r].node = nodes[r] = SYN_NO_NAME;
        if (!file)
            continue;
        message_calls += meta_number(file, "messages.call_count");
        one_sided_calls += meta_number(file, "messages.one_sided_count");
        if (facts->present_count++ == 0) {
            const struct syn_sync_quality *quality = syn_rank_quality(file);
            const struct syn_tick_source *ticks = syn_rank_ticks(file);
            facts->program = copy_meta(file, "program.path");
            facts->args = copy_meta(file, "program.args");
            facts->program_build_id = copy_meta(file, "program.build_id");
            facts->mpi = copy_meta(file, "mpi.name");
            facts->kernel = copy_meta(file, "host.kernel");
            facts->processor = copy_meta(file, "host.cpu_model");
            facts->has_messages = syn_rank_has_messages(file);
            facts->sync_method = copy_meta(file, "sync.method");
            facts->clock_kind = ticks ? strdup(syn_clock_kind_name(ticks->kind)) : NULL;
            facts->sync_begin_ns = quality ? (double)quality->begin_ns : NAN;
            facts->sync_end_ns = quality ? (double)quality->end_ns : NAN;
            facts->overhead_ns =
                meta_number(file, "cost.init_ns") + meta_number(file, "cost.finalize_ns");
        }
        if (take_rank(&facts->rank[r], file, names))
            return SYN_ENOMEM;
        facts->recorded_count += facts->rank[r].recorded;
        nodes[r] = facts->rank[r].node;
    }
    facts->is_one_sided = message_calls > 0 && one_sided_calls >= message_calls;
    facts->spawned_count = syn_spawned_count(facts->directory, &facts->spawned_unrecorded_count);
    const uint32_t unknown = syn_names_id(names, UNKNOWN_NODE);
    if (unknown == SYN_NO_NAME || count_nodes(facts, unknown))
        return SYN_ENOMEM;
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_clocks_method_words(trace, &words);
    if (words.length && !words.failed)
        facts->sync_taken = strdup(syn_text_chars(&words));
    const bool failed = words.failed || (words.length && !facts->sync_taken);
    return failed ? SYN_ENOMEM : 0;
}

/* ---- late ranks ---- */

int syn_facts_part_begin(struct syn_facts_part *part, int32_t rank_count)
{
    *part = (struct syn_facts_part){.rank_count = rank_count};
    part->rank = calloc((size_t)rank_count + 1, sizeof *part->rank);
    return part->rank ? 0 : SYN_ENOMEM;
}

void syn_facts_part_free(struct syn_facts_part *part)
{
    free(part->rank);
    syn_late_kinds_free(&part->kinds);
    syn_column_free(&part->last);
    syn_column_free(&part->lead_ns);
    syn_column_free(&part->kind);
    syn_column_free(&part->start_ns);
    *part = (struct syn_facts_part){0};
}

static inline void expect(struct syn_rank_facts *rank, uint64_t whole, uint64_t rest)
{
    rank->expected_rest += rest;
    rank->expected_whole += whole + (rank->expected_rest < rest);
}

/* An instance while instances are sorted. */
struct late {
    int64_t start_ns, last, lead_ns, kind;
};

/* Compares instances by start. Instances with the same start may have any order that is always the
 * same. */
SYN_ORDER(by_start, struct late, SYN_UP(start_ns) ?: SYN_UP(last) ?: SYN_UP(lead_ns))

/* Returns true if `next` is not before the part's last instance. */
static bool follows(const struct syn_facts_part *part, const struct late *next)
{
    const size_t count = part->start_ns.count;
    if (count == 0 || part->start_ns.value[count - 1] < next->start_ns)
        return true;
    const struct late last = {part->start_ns.value[count - 1], part->last.value[count - 1],
                              part->lead_ns.value[count - 1], 0};
    return by_start(&last, next) <= 0;
}

int syn_facts_part_add(struct syn_facts_part *part, const struct syn_instance *instance)
{
    const struct syn_communicator *comm = instance->comm;
    bool several = comm->size > 1;
    /* 1/size in 2^-64ths; 0 for a single member, which is not counted */
    const uint64_t chance =
        comm->size > 1 ? UINT64_MAX / comm->size + (UINT64_MAX % comm->size + 1) / comm->size : 0;
    syn_causality_add(&part->causality, instance);
    for (uint32_t m = 0; m < comm->size; m++) {
        struct syn_rank_facts *rank = &part->rank[comm->world_rank[m]];
        rank->inside_ns += (double)instance->member[m].inside_ns;
        rank->waiting_ns += (double)instance->member[m].waiting_ns;
        rank->instance_count += several;
        expect(rank, 0, chance);
    }
    if (!several)
        return 0;
    uint32_t world_rank = comm->world_rank[instance->last_starter];
    struct syn_rank_facts *last = &part->rank[world_rank];
    last->last_count++;
    last->last_sure_count += instance->lead_ns > instance->bound_ns;
    last->caused_ns += instance->others_waiting_ns;
    const uint32_t kind = syn_late_kind_of(&part->kinds, instance);
    const struct late next = {instance->last_start_ns, world_rank, instance->lead_ns, kind};
    part->out_of_order |= !follows(part, &next);
    int status = kind == UINT32_MAX
                     ? SYN_ENOMEM
                     : syn_column_append(&part->start_ns, NULL, instance->last_start_ns);
    SYN_STEP(status, syn_column_append(&part->last, NULL, world_rank));
    SYN_STEP(status, syn_column_append(&part->kind, NULL, kind));
    return status != SYN_OK ? status : syn_column_append(&part->lead_ns, NULL, instance->lead_ns);
}

/* Sorts the instances of a stretch. Most stretches have one or two. */
static void sort_stretch(struct late *late, size_t n)
{
    if (n > STRETCH_MANY) {
        qsort(late, n, sizeof *late, by_start);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const struct late moved = late[i];
        size_t at = i;
        for (; at > 0 && by_start(&late[at - 1], &moved) > 0; at--)
            late[at] = late[at - 1];
        late[at] = moved;
    }
}

/* Sorts into equal stretches of time first, then within each stretch. */
int syn_facts_part_order(struct syn_facts_part *part)
{
    const size_t n = part->start_ns.count;
    if (!part->out_of_order)
        return 0;
    SYN_FREED uint32_t *counts = calloc(2 * n + 1, sizeof *counts);
    SYN_FREED struct late *sorted = malloc(n * sizeof *sorted);
    if (counts && sorted) {
        uint32_t *stretch = counts + n + 1;
        /* The time is divided into n stretches. stretch [n]: the stretch of each instance. counts
         * [n + 1], zeros at first: number of instances before each stretch. */
        int64_t least = part->start_ns.value[0], most = part->start_ns.value[0];
        for (size_t i = 1; i < n; i++) {
            least = syn_least(part->start_ns.value[i], least);
            most = syn_largest(part->start_ns.value[i], most);
        }
        double scale = (double)n / ((double)most - (double)least + 1);
        for (size_t i = 0; i < n; i++) {
            double at = ((double)part->start_ns.value[i] - (double)least) * scale;
            stretch[i] = at < (double)n ? (uint32_t)at : (uint32_t)n - 1;
            counts[stretch[i] + 1]++;
        }
        for (size_t i = 0; i < n; i++)
            counts[i + 1] += counts[i];
        for (size_t i = 0; i < n; i++)
            sorted[counts[stretch[i]]++] =
                (struct late){part->start_ns.value[i], part->last.value[i], part->lead_ns.value[i],
                              part->kind.value[i]};
        for (size_t i = 0, begin = 0; i < n; begin = counts[i++]) /* now the end of stretch i */
            sort_stretch(sorted + begin, counts[i] - begin);
        for (size_t i = 0; i < n; i++) {
            part->start_ns.value[i] = sorted[i].start_ns;
            part->last.value[i] = sorted[i].last;
            part->lead_ns.value[i] = sorted[i].lead_ns;
            part->kind.value[i] = sorted[i].kind;
        }
        part->out_of_order = false;
    }
    return counts && sorted ? SYN_OK : SYN_ENOMEM;
}

/* Appends held instances before the watermark to the run's columns, in the order of time. */
static int emit_held(struct syn_run_facts *facts, int64_t watermark_ns, struct syn_store *store)
{
    struct syn_facts_part *held = &facts->held;
    size_t count = 0;
    int status = syn_facts_part_order(held);
    while (status == SYN_OK && count < held->start_ns.count &&
           held->start_ns.value[count] < watermark_ns)
        count++;
    SYN_STEP(status, syn_column_append_all(&facts->last, store, held->last.value, count));
    SYN_STEP(status, syn_column_append_all(&facts->lead_ns, store, held->lead_ns.value, count));
    SYN_STEP(status, syn_column_append_all(&facts->kind, store, held->kind.value, count));
    syn_column_drop_first(&held->kind, count);
    syn_column_drop_first(&held->last, count);
    syn_column_drop_first(&held->lead_ns, count);
    syn_column_drop_first(&held->start_ns, count);
    return status;
}

int syn_facts_absorb(struct syn_run_facts *facts, struct syn_facts_part *part, int64_t watermark_ns,
                     struct syn_store *store)
{
    for (int32_t r = 0; r < part->rank_count; r++) {
        struct syn_rank_facts *into = &facts->rank[r];
        const struct syn_rank_facts *from = &part->rank[r];
        into->instance_count += from->instance_count;
        expect(into, from->expected_whole, from->expected_rest);
        into->expected_last = (double)into->expected_whole + (double)into->expected_rest * 0x1p-64;
        into->last_count += from->last_count;
        into->last_sure_count += from->last_sure_count;
        into->inside_ns += from->inside_ns;
        into->waiting_ns += from->waiting_ns;
        into->caused_ns += from->caused_ns;
    }
    syn_causality_absorb(&facts->causality, &part->causality);
    /* translate the numbers of the part's kinds to those of the run */
    SYN_FREED int64_t *number = malloc((part->kinds.count + 1) * sizeof *number);
    int status = number ? SYN_OK : SYN_ENOMEM;
    for (size_t k = 0; k < part->kinds.count && status == SYN_OK; k++) {
        const uint32_t found = syn_late_kind_find(&facts->kinds, part->kinds.at[k].key);
        number[k] = found;
        status = found == UINT32_MAX ? SYN_ENOMEM : SYN_OK;
    }
    for (size_t i = 0; i < part->kind.count && status == SYN_OK; i++)
        part->kind.value[i] = number[part->kind.value[i]];
    if (status == SYN_OK) {
        /* Append a part's instances to the held ones. If none are held, the columns are exchanged.
         */
        struct syn_column *into[] = {&facts->held.start_ns, &facts->held.last, &facts->held.lead_ns,
                                     &facts->held.kind};
        struct syn_column *from[] = {&part->start_ns, &part->last, &part->lead_ns, &part->kind};
        const bool is_empty = facts->held.start_ns.count == 0;
        if (!is_empty && part->start_ns.count > 0) {
            const struct late next = {part->start_ns.value[0], part->last.value[0],
                                      part->lead_ns.value[0], 0};
            facts->held.out_of_order |= !follows(&facts->held, &next);
        }
        for (int i = 0; i < 4 && status == SYN_OK; i++)
            if (is_empty) {
                const struct syn_column was = *into[i];
                *into[i] = *from[i];
                *from[i] = was;
            } else
                status = syn_column_append_all(into[i], NULL, from[i]->value, from[i]->count);
    }
    return status != SYN_OK ? status : emit_held(facts, watermark_ns, store);
}

/* Computes last_p of each rank. Ranks that came last no more often than by chance have p 1, but
 * count in Holm's adjustment. */
static int test_lateness(struct syn_run_facts *facts, struct syn_store *store)
{
    const bool tell = syn_clocks_can_order(&facts->clock_check, &facts->causality);
    int status = emit_held(facts, INT64_MAX, store);
    if (status == SYN_OK) {
        /* Set last_dependence of each rank. Candidates are ranks that came last more often than by
         * chance. Other ranks have the largest value of the candidates. */
        int64_t rank[SYN_LATE_RANKS] = {0};
        double factor[SYN_LATE_RANKS], largest = 1;
        const struct syn_late_series series = {&facts->last, &facts->lead_ns, &facts->kind, store};
        /* fill rank [SYN_LATE_RANKS] with candidates, largest excess first */
        size_t count = 0;
        for (int32_t r = 0; r < facts->rank_count; r++) {
            const struct syn_rank_facts *mine = &facts->rank[r];
            double excess = (double)mine->last_count - mine->expected_last;
            size_t at = count;
            if (!(excess > 0))
                continue;
            for (; at > 0; at--) {
                const struct syn_rank_facts *other = &facts->rank[rank[at - 1]];
                if ((double)other->last_count - other->expected_last >= excess)
                    break;
                if (at < SYN_LATE_RANKS)
                    rank[at] = rank[at - 1];
            }
            if (at < SYN_LATE_RANKS)
                rank[at] = r;
            count += count < SYN_LATE_RANKS;
        }
        status = syn_late_dependence(&series, &facts->kinds, rank, count, factor);
        for (size_t i = 0; i < count; i++)
            largest = isnan(factor[i]) ? NAN : fmax(largest, factor[i]);
        for (int32_t r = 0; r < facts->rank_count; r++)
            facts->rank[r].last_dependence = largest;
        for (size_t i = 0; i < count; i++)
            facts->rank[rank[i]].last_dependence = factor[i];
    }
    for (int32_t r = 0; r < facts->rank_count && status == SYN_OK; r++) {
        struct syn_rank_facts *rank = &facts->rank[r];
        const double n = (double)rank->instance_count;
        rank->last_p = tell ? syn_late_p((double)rank->last_count, n, rank->expected_last,
                                         n / rank->last_dependence)
                            : NAN;
    }
    SYN_STEP(status, syn_adjust_holm_in(&facts->rank->last_p, sizeof *facts->rank,
                                        (size_t)facts->rank_count));
    syn_column_free(&facts->last);
    syn_column_free(&facts->lead_ns);
    syn_column_free(&facts->kind);
    syn_facts_part_free(&facts->held);
    return status;
}

/* ---- facts that are known after the match ---- */

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

int syn_facts_end(struct syn_run_facts *facts, struct syn_trace *trace,
                  struct syn_match_totals *totals, struct syn_store *store)
{
    facts->totals = *totals;
    memset(totals, 0, sizeof *totals);
    const struct syn_run_span span = syn_trace_span(trace);
    for (int32_t r = 0; r < facts->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        if (!file)
            continue;
        facts->rank[r].ending = syn_rank_end(file)->ending;
        facts->rank[r].dropped_count = syn_rank_end(file)->dropped_count;
        facts->rank[r].loss_unknown = syn_rank_loss_is_unknown(file);
        const struct syn_rank_totals *own = &facts->totals.rank[r];
        const bool has_events = own->event_count > 0;
        if (has_events || !span.is_of_events)
            facts->rank[r].bound_ns =
                syn_clock_worst_bound_ns(file, has_events ? own->first_ns : span.begin_ns,
                                         has_events ? own->last_ns : span.end_ns);
        facts->measured_once_count += syn_clock_measured_once(file);
    }
    const struct syn_manifest *manifest = syn_trace_manifest(trace);
    facts->start_unix_ns = manifest ? manifest->start_unix_ns : 0;
    facts->begin_ns = span.begin_ns;
    /* calls may end later than a damaged file says */
    facts->duration_ns = syn_largest(syn_run_span_ns(span), facts->findings.run_ns);
    facts->duration_estimated = span.is_of_events;
    int status = copy_faults(facts, trace);
    return status != SYN_OK ? status : test_lateness(facts, store);
}

double syn_facts_ranks_ns(const struct syn_run_facts *run, int32_t first, int32_t end)
{
    double threads = 0;
    for (int32_t r = first; r < end; r++)
        if (run->rank[r].recorded)
            threads += syn_largest(run->totals.rank[r].thread_count, 1u);
    return threads * syn_facts_run_ns(run);
}

double syn_facts_total_ns(const struct syn_run_facts *facts, enum syn_total total)
{
    double inside_ns = 0;
    if (total == SYN_TOTAL_RUN)
        return syn_facts_run_ns(facts);
    for (int32_t r = 0; r < facts->rank_count; r++)
        inside_ns += facts->rank[r].inside_ns;
    return inside_ns / (double)(facts->recorded_count > 0 ? facts->recorded_count : 1);
}

int syn_facts_find_histories(struct syn_run_facts *facts, struct syn_trace *trace)
{
    const struct syn_run_span span = syn_trace_event_span(trace);
    facts->history = calloc(SYN_FACTS_HISTORIES, sizeof *facts->history);
    if (!facts->history)
        return SYN_ENOMEM;
    return syn_run_span_ns(span) <= 0
               ? 0
               : syn_clock_histories_of(trace, span.begin_ns, span.end_ns, facts->history,
                                        SYN_FACTS_HISTORIES, &facts->history_count);
}

void syn_facts_free(struct syn_run_facts *facts)
{
    for (size_t i = 0; i < facts->history_count; i++)
        syn_clock_history_free(&facts->history[i]);
    free(facts->history);
    syn_examine_free(&facts->examination);
    syn_passes_free(facts->passes);
    syn_causes_free(&facts->causes);
    syn_causes_free(&facts->keyed);
    syn_message_pass_free(&facts->messages);
    syn_findings_free(&facts->findings);
    for (int32_t r = 0; facts->rank && r < facts->rank_count; r++) {
        free(facts->rank[r].core);
        free(facts->rank[r].package);
    }
    for (size_t i = 0; i < facts->fault_count; i++)
        free(facts->fault[i].text);
    free(facts->directory);
    free(facts->sync_taken);
    free(facts->rank);
    free(facts->program);
    free(facts->args);
    free(facts->mpi);
    free(facts->sync_method);
    free(facts->clock_kind);
    free(facts->program_build_id);
    free(facts->kernel);
    free(facts->processor);
    free(facts->fault);
    syn_column_free(&facts->last);
    syn_column_free(&facts->lead_ns);
    syn_column_free(&facts->kind);
    syn_late_kinds_free(&facts->kinds);
    syn_facts_part_free(&facts->held);
    syn_match_totals_free(&facts->totals);
    memset(facts, 0, sizeof *facts);
}
