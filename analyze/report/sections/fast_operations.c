/* analyze/report/sections/fast_operations.c - the run's time if every operation were as fast as its
 * fastest tenth: what of the critical path is operations, by call site, less what they take above
 * the tenth percentile of their group. */
#include <math.h>
#include <stdlib.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/report/sections/causes_words.h"
#include "sync/base/status.h"

/* The largest share of the run that may be operations without a group that tells how fast they can
 * be. */
#define MISSING_MOST 0.01

/* The operations at a call site: their time, and what it would be if all were fast. */
struct kinds {
    double ns, fast_ns, fast_low_ns, fast_high_ns;
};

/* ---- groups by call site ---- */

/* Runs have as many labels as groups, or more: no label looks through all groups. */
struct placed {
    uint64_t op, site;
    const struct syn_figures *figures;
};
struct places {
    struct placed *placed; /* [count], by place; of one place in the groups' order */
    size_t count;
};

static int compare_places(const struct placed *a, const struct placed *b)
{
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static int by_place(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    const int order = compare_places(a, b);
    return order ? order : a->figures < b->figures ? -1 : a->figures > b->figures;
}

static bool has_place(const struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    return !syn_group_is_part(group) && figures->metric[SYN_METRIC_OPERATION].summary.n > 0 &&
           group->op.known && !group->op.mixed && group->site.known && !group->site.mixed;
}

/* 0 or SYN_ENOMEM; free `placed` in any case. */
static int find_places(const struct syn_report *report, struct places *out)
{
    *out = (struct places){malloc((report->groups.count + 1) * sizeof *out->placed), 0};
    if (!out->placed)
        return SYN_ENOMEM;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        if (has_place(figures))
            out->placed[out->count++] =
                (struct placed){figures->group->op.value, figures->group->site.value, figures};
    }
    qsort(out->placed, out->count, sizeof *out->placed, by_place);
    return 0;
}

/* The first that is not before a place. */
static size_t find_first(const struct places *places, const struct placed *place)
{
    size_t low = 0, high = places->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_places(&places->placed[middle], place) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct kinds kinds_at(const struct places *places, const struct syn_cause_point *point)
{
    struct kinds kinds = {0};
    const struct placed place = {.op = point->op, .site = point->site};
    for (size_t i = find_first(places, &place);
         i < places->count && compare_places(&places->placed[i], &place) == 0; i++) {
        /* Adds a group. If it has too few instances for an interval, the range from the fastest
         * to the mean stands for one. */
        const struct syn_summary *operation =
            &places->placed[i].figures->metric[SYN_METRIC_OPERATION].summary;
        const double n = (double)operation->n,
                     wider = (operation->n_effective > 0
                                  ? sqrt(fmax(1, (double)operation->n / operation->n_effective))
                                  : 1);
        const double most = fmax(operation->mean, 0), p10 = fmin(fmax(operation->p10, 0), most);
        const bool known = isfinite(operation->p10_low);
        const double low = p10 - wider * (operation->p10 - operation->p10_low);
        const double high = p10 + wider * (operation->p10_high - operation->p10);
        kinds.ns += n * most;
        kinds.fast_ns += n * p10;
        kinds.fast_low_ns += n * fmin(fmax(known ? low : operation->min, 0), most);
        kinds.fast_high_ns += n * (known ? fmin(high, most) : most);
    }
    return kinds;
}

/* ---- along the path ---- */

/* Operations at a label of calls, on the critical path. */
static double path_ns(const struct syn_causes *causes, uint32_t label)
{
    double ns = 0;
    for (uint32_t i = 0; i < causes->sums.location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, i, label);
        ns +=
            cell ? (double)syn_cause_slot_of(cell, syn_part_slot(SYN_PART_OPERATION))->path_ns : 0;
    }
    return ns;
}

static struct syn_estimate estimate(const struct syn_run_facts *run, const struct places *places)
{
    const struct syn_causes *causes = &run->causes;
    const double length = (double)run->findings.run_ns;
    struct syn_estimate out = {length, length, length};
    double missing_ns = 0;
    for (uint32_t label = 0; label < causes->tables.labels.count; label++) {
        const struct syn_label *of = syn_label_at(&causes->tables, label);
        if (!syn_label_is_call(of))
            continue;
        const double ns = path_ns(causes, label);
        const struct kinds kinds = kinds_at(places, syn_point_at(&causes->tables, of->from));
        if (!(kinds.ns > 0)) {
            missing_ns += ns;
            continue;
        }
        out.median -= ns * (1 - kinds.fast_ns / kinds.ns);
        out.low -= ns * (1 - kinds.fast_low_ns / kinds.ns);
        out.high -= ns * (1 - kinds.fast_high_ns / kinds.ns);
    }
    return missing_ns > MISSING_MOST * length ? (struct syn_estimate){NAN, NAN, NAN} : out;
}

static void find_most(const struct syn_run_facts *run, const struct places *places,
                      struct syn_path_operation *out)
{
    const struct syn_causes *causes = &run->causes;
    for (uint32_t label = 0; label < causes->tables.labels.count; label++) {
        const struct syn_label *of = syn_label_at(&causes->tables, label);
        const double ns = syn_label_is_call(of) ? path_ns(causes, label) : 0;
        if (!(ns > out->path_ns))
            continue;
        const struct kinds kinds = kinds_at(places, syn_point_at(&causes->tables, of->from));
        *out = (struct syn_path_operation){
            label, ns, kinds.ns > 0 ? ns * (1 - kinds.fast_ns / kinds.ns) : NAN};
    }
}

void syn_report_path_operation(const struct syn_report *report, const struct syn_run_facts *run,
                               struct syn_path_operation *out)
{
    struct places places;
    *out = (struct syn_path_operation){.won_ns = NAN};
    if (find_places(report, &places) == SYN_OK)
        find_most(run, &places, out);
    free(places.placed);
}

struct syn_estimate syn_report_fast_operations(const struct syn_report *report,
                                               const struct syn_run_facts *run)
{
    struct places places;
    struct syn_estimate out = {NAN, NAN, NAN};
    if (find_places(report, &places) == SYN_OK)
        out = estimate(run, &places);
    free(places.placed);
    return out;
}
