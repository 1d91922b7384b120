/* analyze/report/fast_operations.c - the run's time if every operation were as fast as its fastest
 * tenth: what of the critical path is operations, by call site, less what they take above the tenth
 * percentile of their group. */
#include <math.h>

#include "analyze/causes/profile.h"
#include "analyze/report/causes_words.h"

/* Of the run: operations of which no group tells how fast they can be. */
#define MISSING_MOST 0.01

/* Of the operations at a call site: all their time, and what it would be. */
struct kinds {
    double ns, fast_ns, fast_low_ns, fast_high_ns;
};

static bool is_at(const struct syn_group *group, const struct syn_cause_point *point)
{
    return group->op.known && !group->op.mixed && group->site.known && !group->site.mixed &&
           group->op.value == point->op && group->site.value == point->site;
}

/* Neighbours depend on each other: an interval of independent ones is too short by this. */
static double widening(const struct syn_summary *summary)
{
    return summary->n_effective > 0 ? sqrt(fmax(1, (double)summary->n / summary->n_effective)) : 1;
}

/* Of too few instances for an interval: between the fastest and the mean. */
static void add_group(const struct syn_summary *operation, struct kinds *kinds)
{
    const double n = (double)operation->n, wider = widening(operation);
    const double most = fmax(operation->mean, 0), p10 = fmin(fmax(operation->p10, 0), most);
    const bool known = isfinite(operation->p10_low);
    const double low = p10 - wider * (operation->p10 - operation->p10_low);
    const double high = p10 + wider * (operation->p10_high - operation->p10);
    kinds->ns += n * most;
    kinds->fast_ns += n * p10;
    kinds->fast_low_ns += n * fmin(fmax(known ? low : operation->min, 0), most);
    kinds->fast_high_ns += n * (known ? fmin(high, most) : most);
}

static struct kinds kinds_at(const struct syn_report *report, const struct syn_cause_point *point)
{
    struct kinds kinds = {0};
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_group *group = report->figures[i].group;
        const struct syn_summary *operation =
            &report->figures[i].metric[SYN_METRIC_OPERATION].summary;
        if (!syn_group_is_part(group) && operation->n > 0 && is_at(group, point))
            add_group(operation, &kinds);
    }
    return kinds;
}

/* Operations at a label of calls, on the critical path. */
static double path_ns(const struct syn_causes *causes, uint32_t label)
{
    double ns = 0;
    for (uint32_t i = 0; i < causes->sums.location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, i, label);
        ns += cell ? (double)cell->path_ns[syn_part_slot(SYN_PART_OPERATION)] : 0;
    }
    return ns;
}

struct syn_estimate syn_report_fast_operations(const struct syn_report *report,
                                               const struct syn_run_facts *run)
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
        const struct kinds kinds = kinds_at(report, syn_point_at(&causes->tables, of->from));
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
