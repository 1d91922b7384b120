/* analyze/report/sections/fast_operations.c - finds operations that could be faster. The first part
 * computes the run's time if every operation were as fast as its fastest tenth: operations on the
 * critical path, by call site, less what they take above the 10 % quantile of their group. The
 * second part tests plain expectations. */
#include <math.h>
#include <stdlib.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/stats/series/precision.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/ops.h"

/* The result is unknown if operations without a group take more than this share of the run. */
#define MISSING_MOST 0.01

/* The operations at a call site: their time, and their time if all were fast. */
struct kinds {
    double ns, fast_ns, fast_low_ns, fast_high_ns;
};

/* Returns the factor by which dependence between neighbours widens an interval of independent
 * values. */
static double widening(const struct syn_summary *summary)
{
    return summary->n_effective > 0 ? sqrt(fmax(1, (double)summary->n / summary->n_effective)) : 1;
}

/* ---- groups by call site ---- */

/* Groups sorted by operation and site, for a binary search: a run may have more labels than
 * groups. */
struct placed {
    uint64_t op, site;
    const struct syn_figures *figures;
};
struct places {
    struct placed *placed; /* [count], by place; groups of one place in their own order */
    size_t count;
};

static int compare_places(const struct placed *a, const struct placed *b)
{
    return SYN_UP(op) ?: SYN_UP(site);
}

SYN_ORDER(by_place, struct placed, compare_places(a, b) ?: SYN_UP(figures))

static bool has_place(const struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    return !syn_group_is_part(group) && figures->metric[SYN_METRIC_OPERATION].summary.n > 0 &&
           group->op.known && !group->op.mixed && group->site.known && !group->site.mixed;
}

/* Lists the groups by place. Returns 0 or SYN_ENOMEM. The caller frees `placed` in any case. */
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

/* Returns the index of the first group that is not before a place. */
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
        /* Add a group. If it has too few instances for an interval, the range from the fastest to
         * the mean stands for one. */
        const struct syn_summary *operation =
            &places->placed[i].figures->metric[SYN_METRIC_OPERATION].summary;
        const double n = (double)operation->n, wider = widening(operation);
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

/* Returns the time of a label's operations on the critical path. */
static double path_ns(const struct syn_causes *causes, uint32_t label)
{
    double ns = 0;
    for (uint32_t i = 0; i < causes->sums.location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, i, label);
        ns += cell ? (double)syn_category_sums_of(cell, syn_category_index(SYN_CATEGORY_OPERATION))
                         ->path_ns
                   : 0;
    }
    return ns;
}

/* Finds both figures of the critical path: the run's time if all operations were fast, and the
 * operation with most time on the path. */
static void follow_path(const struct syn_report *report, const struct syn_run_facts *run,
                        struct syn_estimate *fast, struct syn_path_operation *most)
{
    const struct syn_causes *causes = &run->causes;
    const double length = (double)run->findings.run_ns;
    struct places places;
    double missing_ns = find_places(report, &places) == SYN_OK ? 0 : INFINITY;
    *fast = (struct syn_estimate){length, length, length};
    *most = (struct syn_path_operation){.won_ns = NAN};
    for (uint32_t label = 0; label < causes->tables.labels.count && places.placed; label++) {
        const struct syn_label *of = syn_label_at(&causes->tables, label);
        if (!syn_label_is_call(of))
            continue;
        const double ns = path_ns(causes, label);
        const struct kinds kinds = kinds_at(&places, syn_point_at(&causes->tables, of->from));
        const bool is_known = kinds.ns > 0;
        const double won_ns = is_known ? ns * (1 - kinds.fast_ns / kinds.ns) : NAN;
        if (ns > most->path_ns)
            *most = (struct syn_path_operation){label, ns, won_ns};
        if (!is_known) {
            missing_ns += ns;
            continue;
        }
        fast->median -= won_ns;
        fast->low -= ns * (1 - kinds.fast_low_ns / kinds.ns);
        fast->high -= ns * (1 - kinds.fast_high_ns / kinds.ns);
    }
    if (missing_ns > MISSING_MOST * length)
        *fast = (struct syn_estimate){NAN, NAN, NAN};
    free(places.placed);
}

void syn_report_path_operation(const struct syn_report *report, const struct syn_run_facts *run,
                               struct syn_path_operation *out)
{
    struct syn_estimate unused;
    follow_path(report, run, &unused, out);
}

struct syn_estimate syn_report_fast_operations(const struct syn_report *report,
                                               const struct syn_run_facts *run)
{
    struct syn_estimate fast;
    struct syn_path_operation unused;
    follow_path(report, run, &fast, &unused);
    return fast;
}

/* ---- plain expectations ---- */

#define WORTH       0.01 /* least share of the ranks' time in the operations of a group */
#define SLOWER      1.1  /* least ratio of an operation's time to the expected limit */
#define INSTANCES   20
#define TOLD_MOST   5
#define SIGNIFICANT 0.05

/* Expectations: an operation takes no longer than the same operation with more data, or than two
 * others that do its work. Source: Traeff, Gropp, Thakur 2010, Self-consistent MPI performance
 * guidelines. */
static const struct {
    uint64_t op, part[2];
    bool second_has_all; /* the second part moves the blocks of all ranks */
} guidelines[] = {{SYN_ROW_ALLGATHER, {SYN_ROW_GATHER, SYN_ROW_BCAST}, true},
                  {SYN_ROW_ALLREDUCE, {SYN_ROW_REDUCE, SYN_ROW_BCAST}, false}};

struct comparison {
    const struct syn_figures *slow, *part[2]; /* part[1] NULL: the same operation with more data */
    double ns, p;                             /* time of the parts; p, adjusted at the end */
};
struct comparisons {
    struct comparison *item; /* [count], items of one slow group together; owned */
    size_t count, capacity;
    bool failed;
};

static const struct syn_summary *operation_of(const struct syn_figures *figures)
{
    return &figures->metric[SYN_METRIC_OPERATION].summary;
}

static bool is_tested(const struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    uint64_t bytes, size;
    return !syn_group_is_part(group) && group->op.known && !group->op.mixed &&
           syn_report_bytes(group, &bytes) && syn_report_comm_size(group, &size) &&
           operation_of(figures)->n >= INSTANCES && isfinite(operation_of(figures)->ci_low);
}

/* Returns the variance of a median, computed from its interval. */
static double variance_of(const struct syn_figures *figures, double confidence)
{
    const struct syn_summary *of = operation_of(figures);
    const double half = widening(of) * (of->ci_high - of->ci_low) / 2;
    return pow(half / syn_t_quantile(confidence, 1e9), 2);
}

/* Returns the tested group with most instances; NULL: there is none. */
static const struct syn_figures *find_group(const struct syn_report *report, uint64_t op,
                                            uint64_t size, uint64_t bytes)
{
    const struct syn_figures *found = NULL;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *at = &report->figures[i];
        if (is_tested(at) && at->group->op.value == op && at->group->comm_size.value == size &&
            at->group->bytes.value == bytes &&
            (!found || operation_of(at)->n > operation_of(found)->n))
            found = at;
    }
    return found;
}

/* Adds a comparison if its parts exist. */
static void compare(const struct syn_report *report, const struct syn_figures *slow,
                    const struct syn_figures *first, const struct syn_figures *second, size_t parts,
                    struct comparisons *out)
{
    const struct syn_figures *const part[2] = {first, second};
    double variance = variance_of(slow, report->options.confidence), ns = 0;
    if (!first || (parts > 1 && !second))
        return;
    for (size_t k = 0; k < parts; k++) {
        ns += operation_of(part[k])->median;
        variance += variance_of(part[k], report->options.confidence);
    }
    const double more = operation_of(slow)->median - ns;
    const double p = more <= 0 ? 1 : variance > 0 ? syn_f_p(more * more / variance, 1, 1e9) : 0;
    out->failed |= SYN_ROOM(out->item, out->capacity, out->count) != SYN_OK;
    if (!out->failed)
        out->item[out->count++] = (struct comparison){slow, {first, second}, ns, p};
}

double syn_report_ranks_ns(const struct syn_report *report)
{
    double ns = 0;
    for (size_t r = 0; r < report->run_count; r++)
        ns += syn_facts_ranks_ns(&report->run[r], 0, report->run[r].rank_count);
    return ns;
}

double syn_report_operation_share(const struct syn_figures *figures, double ranks_ns)
{
    const struct syn_summary *of = operation_of(figures);
    uint64_t size;
    return !syn_group_is_part(figures->group) && syn_report_comm_size(figures->group, &size)
               ? (double)of->n * of->mean * (double)size / ranks_ns
               : NAN;
}

/* Adds all comparisons of groups that take enough time. */
static void compare_all(const struct syn_report *report, struct comparisons *out)
{
    const double ranks_ns = syn_report_ranks_ns(report);
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *slow = &report->figures[i];
        const struct syn_group *group = slow->group;
        if (!is_tested(slow) || syn_report_operation_share(slow, ranks_ns) < WORTH)
            continue;
        const uint64_t op = group->op.value, size = group->comm_size.value,
                       bytes = group->bytes.value;
        for (size_t k = 0; k < report->groups.count; k++) {
            const struct syn_group *more = report->figures[k].group;
            if (is_tested(&report->figures[k]) && more->op.value == op &&
                more->comm_size.value == size && more->bytes.value > bytes)
                compare(report, slow, &report->figures[k], NULL, 1, out);
        }
        for (size_t k = 0; k < sizeof guidelines / sizeof *guidelines; k++)
            if (guidelines[k].op == op)
                compare(report, slow, find_group(report, guidelines[k].part[0], size, bytes),
                        find_group(report, guidelines[k].part[1], size,
                                   bytes * (guidelines[k].second_has_all ? size : 1)),
                        2, out);
    }
}

/* Returns how much clock errors may change the difference; NAN: unknown. */
static double clocks_ns(const struct comparison *item)
{
    double ns = item->slow->metric[SYN_METRIC_OPERATION].clock_bound_ns;
    for (size_t k = 0; k < 2 && item->part[k]; k++)
        ns += item->part[k]->metric[SYN_METRIC_OPERATION].clock_bound_ns;
    return ns;
}

/* Returns the significant comparison with the fastest parts among those of one slow group; NULL:
 * none. *at: the first comparison of the group, then of the next group. */
static const struct comparison *strongest(const struct comparisons *all, size_t *at)
{
    const struct syn_figures *slow = all->item[*at].slow;
    const struct comparison *found = NULL;
    for (; *at < all->count && all->item[*at].slow == slow; ++*at) {
        const struct comparison *item = &all->item[*at];
        if (item->p < SIGNIFICANT &&
            operation_of(slow)->median - clocks_ns(item) > SLOWER * item->ns &&
            (!found || item->ns < found->ns))
            found = item;
    }
    return found;
}

/* Names the blocking operations on data that take enough time after the last arrival, as `tune` has
 * them: by operation, bytes and ranks, over all call sites and communicators. Threads of a rank may
 * together take more than its time. */
static void say_long_operations(struct syn_doc *doc, const struct syn_report *report)
{
    struct {
        uint64_t op, bytes, size;
        const char *name;
        double share;
    } *row = NULL;
    const double ranks_ns = syn_report_ranks_ns(report);
    size_t count = 0, capacity = 0, told = 0;
    for (size_t i = 0; i < report->groups.count && !doc->failed; i++) {
        const struct syn_figures *at = &report->figures[report->order[i]];
        const struct syn_common *op = &at->group->op;
        const double share = syn_report_operation_share(at, ranks_ns);
        uint64_t bytes, size;
        size_t k = 0;
        if (isnan(share) || !op->known || op->value >= SYN_OP_FORM_STRIDE ||
            syn_op_class((uint16_t)op->value, NULL) != SYN_CLASS_DATA ||
            !syn_report_bytes(at->group, &bytes) || !syn_report_comm_size(at->group, &size) ||
            size < 2)
            continue;
        while (k < count &&
               (row[k].op != op->value || row[k].bytes != bytes || row[k].size != size))
            k++;
        if (k == count && SYN_ROOM(row, capacity, count) != SYN_OK) {
            doc->failed = true;
            break;
        }
        if (k == count) {
            row[count].op = op->value;
            row[count].bytes = bytes;
            row[count].size = size;
            row[count].name = syn_report_op(at->group);
            row[count++].share = 0;
        }
        row[k].share += share;
    }
    for (size_t k = 0; k < count && told < TOLD_MOST; k++) {
        if (!(row[k].share >= WORTH))
            continue;
        if (told++ == 0)
            syn_say(doc, "After the last arrival take 1 % of the ranks' time and more: ");
        syn_say_more(doc, "{text}{text} of {bytes} on {n} ranks {percent}", told > 1 ? ", " : "",
                     row[k].name, row[k].bytes, row[k].size, row[k].share);
    }
    if (told > 0)
        syn_say_more(doc, ".");
    free(row);
}

void syn_report_expectations_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct comparisons all = {0};
    compare_all(report, &all);
    doc->failed |= all.failed || (all.count && syn_adjust_holm_in(&all.item->p, sizeof *all.item,
                                                                  all.count) != SYN_OK);
    syn_doc_heading(doc, "What may be tuned");
    if (doc->format != SYN_DOC_TEXT || report->options.verbose)
        say_long_operations(doc, report);
    for (size_t i = 0; i < all.count;) {
        const struct comparison *item = strongest(&all, &i);
        if (!item)
            continue;
        const struct syn_group *slow = item->slow->group;
        syn_say_item(doc, "{text} of {bytes} takes {time} after the last arrival; ",
                     syn_report_op(slow), slow->bytes.value, operation_of(item->slow)->median);
        if (item->part[1])
            syn_say_more(doc, "{text} and {text} together take {time} ({p}).",
                         syn_report_op(item->part[0]->group), syn_report_op(item->part[1]->group),
                         item->ns, item->p);
        else
            syn_say_more(doc, "of {bytes} it takes {time} ({p}).",
                         item->part[0]->group->bytes.value, item->ns, item->p);
        syn_say_next(doc, "try other algorithms: syncopate tune");
    }
    free(all.item);
}
