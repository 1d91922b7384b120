/* analyze/diff/diff_match.c - matches the groups of side A with those of side B.
 *
 * Groups are paired by their keys: first by all keys, then without the communicator's name, then
 * without the line number, then without the call site. A later step takes only groups that have no
 * partner yet. A group whose operation the other side has at the same call site is never paired
 * with another call site. Each pair says which step found it.
 *
 * RATIONALE: line numbers change with every edit, and names of communicators with every rewrite.
 * With one strict key, half of a program would be reported as new. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* A candidate for a pair: the groups of one side that agree in all keys, one from each run. */
struct candidate {
    const char *op, *site, *comm, *node;
    uint64_t comm_size, bytes;
    int64_t rank, root; /* -1: not a key, or none */
    size_t first;       /* index of its first group in the report, for a stable order */
    const struct syn_figures **part; /* [part_count], its groups */
    size_t part_count;
    bool is_paired;
    bool is_known; /* the other side has this operation at this call site */
};

struct candidates {
    struct candidate *candidate; /* [count] */
    struct candidate **order;
    size_t count;
};

const char *syn_diff_match_text(enum syn_diff_match match)
{
    static const char *const texts[SYN_MATCH_COUNT] = {
        "exact", "the communicator's name differs", "the line differs",
        "the sites differ: matched by operation, ranks and bytes"};
    return texts[match];
}

/* ---- keys ---- */

/* Returns the length of "file" in "file:line function". */
static size_t file_length(const char *site)
{
    const char *space = strchr(site, ' ');
    size_t length = space ? (size_t)(space - site) : strlen(site), end = length;
    while (end > 0 && site[end - 1] >= '0' && site[end - 1] <= '9')
        end--;
    return end > 1 && end < length && site[end - 1] == ':' ? end - 1 : length;
}

/* Compares two call sites by file and function, without the line. */
static int compare_functions(const char *a, const char *b)
{
    size_t a_length = file_length(a), b_length = file_length(b);
    size_t shorter = syn_least(a_length, b_length);
    int order = strncmp(a, b, shorter);
    if (order == 0 && a_length != b_length)
        return a_length < b_length ? -1 : 1;
    const char *a_name = strchr(a, ' '), *b_name = strchr(b, ' ');
    return order ? order : strcmp(a_name ? a_name : "", b_name ? b_name : "");
}

/* Compares ranks and roots as unsigned numbers: those that are no key come last. */
static int compare_candidates(const struct candidate *a, const struct candidate *b,
                              enum syn_diff_match match)
{
    const int sites = match <= SYN_MATCH_SHAPE      ? strcmp(a->site, b->site)
                      : match == SYN_MATCH_FUNCTION ? compare_functions(a->site, b->site)
                                                    : 0;
    return strcmp(a->op, b->op)
               ?: SYN_COMPARE((uint64_t)a->rank, (uint64_t)b->rank)
               ?: SYN_COMPARE((uint64_t)a->root, (uint64_t)b->root)
               ?: strcmp(a->node, b->node)
               ?: sites
               ?: SYN_UP(comm_size)
               ?: SYN_UP(bytes)
               ?: match == SYN_MATCH_EXACT ? strcmp(a->comm, b->comm) : 0;
}

/* The order for each step. Ties are in the order of the report, so that equal input gives equal
 * output. */
#define IN_REPORT_ORDER SYN_COMPARE((*a)->first, (*b)->first)
SYN_ORDER(by_exact_key, struct candidate *const,
          compare_candidates(*a, *b, SYN_MATCH_EXACT) ?: IN_REPORT_ORDER)
SYN_ORDER(by_shape, struct candidate *const,
          compare_candidates(*a, *b, SYN_MATCH_SHAPE) ?: IN_REPORT_ORDER)
SYN_ORDER(by_function, struct candidate *const,
          compare_candidates(*a, *b, SYN_MATCH_FUNCTION) ?: IN_REPORT_ORDER)
SYN_ORDER(by_all_but_site, struct candidate *const,
          compare_candidates(*a, *b, SYN_MATCH_NO_SITE) ?: IN_REPORT_ORDER)

static void sort_candidates(struct candidates *candidates, enum syn_diff_match match)
{
    static int (*const orders[SYN_MATCH_COUNT])(const void *, const void *) = {
        by_exact_key, by_shape, by_function, by_all_but_site};
    qsort(candidates->order, candidates->count, sizeof *candidates->order, orders[match]);
}

/* ---- listing the candidates of a side ---- */

static const char *or_empty(const char *words)
{
    return words ? words : "";
}

static void free_candidates(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        free(candidates->candidate[i].part);
    free(candidates->candidate);
    free(candidates->order);
}

/* Joins the candidates that agree in all keys, one from each run.
 *
 * Plan: sort by key, so that equal ones are neighbours; copy the first of each key, and append the
 * groups of the others; replace the list. */
static int join_runs(const struct syn_report *report, struct candidates *candidates)
{
    struct candidate *merged = calloc(candidates->count + 1, sizeof *merged);
    size_t count = 0;
    if (!merged)
        return SYN_ENOMEM;
    sort_candidates(candidates, SYN_MATCH_EXACT);
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *next = candidates->order[i];
        if (count == 0 || compare_candidates(&merged[count - 1], next, SYN_MATCH_EXACT) != 0)
            merged[count++] = *next;
        struct candidate *candidate = &merged[count - 1];
        const struct syn_figures **part =
            realloc(candidate->part, (candidate->part_count + 1) * sizeof *part);
        if (part) {
            candidate->part = part;
            part[candidate->part_count++] = &report->figures[next->first];
        }
        if (!part) {
            for (size_t j = 0; j < count; j++)
                free(merged[j].part);
            free(merged);
            return SYN_ENOMEM;
        }
    }
    free(candidates->candidate);
    candidates->candidate = merged;
    candidates->count = count;
    for (size_t i = 0; i < count; i++)
        candidates->order[i] = &merged[i];
    return 0;
}

/* Lists the candidates of a side.
 *
 * Plan: make one for each group that has a complete instance, with the keys of --by only; then join
 * those of the same key. */
static int find_candidates(const struct syn_report *report, unsigned by, struct candidates *out)
{
    size_t count = report->groups.count;
    *out = (struct candidates){calloc(count + 1, sizeof *out->candidate),
                               calloc(count + 1, sizeof *out->order), 0};
    if (!out->candidate || !out->order)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (report->figures[i].group->instance_count == 0)
            continue; /* without a complete instance there are no figures */
        /* A key that --by does not name stays empty, so that it agrees with any other. RATIONALE:
         * its value may be common to all instances of one run, but not of the next. */
        const struct syn_group *group = report->figures[i].group;
        const uint64_t *key = group->key;
        struct candidate candidate = {
            .op = "*", .site = "", .comm = "", .node = "", .rank = -1, .root = -1, .first = i};
        int32_t root;
        if (by & SYN_BY(SYN_KEY_OP))
            candidate.op = or_empty(syn_report_op(group));
        if (by & SYN_BY(SYN_KEY_SITE))
            candidate.site = or_empty(syn_report_site(report, group));
        if (by & SYN_BY(SYN_KEY_COMM)) {
            candidate.comm = or_empty(syn_report_comm(report, group));
            syn_report_comm_size(group, &candidate.comm_size);
        }
        if (by & SYN_BY(SYN_KEY_BYTES))
            syn_report_bytes(group, &candidate.bytes);
        if (by & SYN_BY(SYN_KEY_ROOT) && syn_report_root(group, &root))
            candidate.root = root;
        if (by & SYN_BY(SYN_KEY_RANK))
            candidate.rank = (int64_t)key[SYN_KEY_RANK];
        if (by & SYN_BY(SYN_KEY_NODE))
            candidate.node = or_empty(syn_names_text(&report->names, (uint32_t)key[SYN_KEY_NODE]));
        out->candidate[out->count] = candidate;
        out->order[out->count] = &out->candidate[out->count];
        out->count++;
    }
    return join_runs(report, out);
}

SYN_ORDER(by_op_and_site, struct candidate *const,
          strcmp((*a)->op, (*b)->op) ?: strcmp((*a)->site, (*b)->site))

/* Marks the candidates whose operation the other side has at the same call site. */
static void mark_known(struct candidates *candidates, struct candidates *others)
{
    qsort(others->order, others->count, sizeof *others->order, by_op_and_site);
    for (size_t i = 0; i < candidates->count; i++) {
        struct candidate *me = &candidates->candidate[i];
        me->is_known = bsearch(&me, others->order, others->count, sizeof *others->order,
                               by_op_and_site) != NULL;
    }
}

/* ---- pairing ---- */

/* A range of the sorted candidates. */
struct range {
    size_t first, end;
};

/* Puts the candidates that may be paired in this step to the front, sorted. Returns their number.
 */
static size_t gather_unpaired(struct candidates *candidates, enum syn_diff_match match)
{
    size_t count = 0, all = candidates->count;
    /* A candidate whose operation the other side has at the same call site is not paired by a key
     * without the line or the call site. */
    for (size_t i = 0; i < all; i++)
        if (!candidates->candidate[i].is_paired &&
            (match <= SYN_MATCH_SHAPE || !candidates->candidate[i].is_known))
            candidates->order[count++] = &candidates->candidate[i];
    candidates->count = count;
    sort_candidates(candidates, match);
    candidates->count = all;
    return count;
}

/* Returns the range of candidates, from `first` on, that agree with that one in this step. */
static struct range equal_range(const struct candidates *candidates, size_t first, size_t end,
                                enum syn_diff_match match)
{
    struct range range = {first, first + 1};
    while (range.end < end &&
           compare_candidates(candidates->order[first], candidates->order[range.end], match) == 0)
        range.end++;
    return range;
}

SYN_ORDER(by_run_then_first, struct syn_figures *const,
          SYN_COMPARE((*a)->group->key[SYN_KEY_RUN], (*b)->group->key[SYN_KEY_RUN])
              ?: SYN_UP_ITSELF)

void syn_diff_sort_by_run(const struct syn_figures **part, size_t count)
{
    qsort(part, count, sizeof *part, by_run_then_first);
}

/* Fills one half of a pair: all groups of the candidates in the range. */
static int fill_half(struct syn_diff_half *half, const struct candidates *candidates,
                     struct range range)
{
    size_t count = 0;
    for (size_t i = range.first; i < range.end; i++)
        count += candidates->order[i]->part_count;
    half->part = malloc((count + 1) * sizeof *half->part);
    if (!half->part)
        return SYN_ENOMEM;
    half->site = candidates->order[range.first]->site;
    half->comm = candidates->order[range.first]->comm;
    half->label_count = range.end - range.first;
    for (size_t i = range.first; i < range.end; i++) {
        struct candidate *candidate = candidates->order[i];
        memcpy(half->part + half->part_count, candidate->part,
               candidate->part_count * sizeof *half->part);
        half->part_count += candidate->part_count;
        candidate->is_paired = true;
    }
    syn_diff_sort_by_run(half->part, half->part_count);
    return 0;
}

/* Pairs the candidates that are equal in this step.
 *
 * Plan: sort both sides; walk along both at once; where both have a range of the same key, make a
 * pair of the two ranges. */
static int pair_equal(struct syn_diff *diff, struct candidates side[2], enum syn_diff_match match)
{
    size_t end[2] = {gather_unpaired(&side[0], match), gather_unpaired(&side[1], match)};
    int status = 0;
    for (size_t i = 0, j = 0; i < end[0] && j < end[1] && status == SYN_OK;) {
        int order = compare_candidates(side[0].order[i], side[1].order[j], match);
        struct range range[2] = {equal_range(&side[0], i, end[0], match),
                                 equal_range(&side[1], j, end[1], match)};
        /* RATIONALE: several calls of one function differ in their lines only. Their order does not
         * tell which one is which, so they are not paired. */
        if (order == 0 && (match != SYN_MATCH_FUNCTION || (range[0].end - range[0].first == 1 &&
                                                           range[1].end - range[1].first == 1))) {
            struct syn_diff_group *group = &diff->group[diff->count];
            const struct candidate *a = side[0].order[range[0].first];
            memset(group, 0, sizeof *group);
            group->op = a->op;
            group->comm_size = a->comm_size;
            group->bytes = a->bytes;
            group->rank = a->rank;
            group->root = a->root;
            group->node = a->node[0] ? a->node : NULL;
            group->match = match;
            diff->count++;
            status = fill_half(&group->a, &side[0], range[0]);
            status = status != SYN_OK ? status : fill_half(&group->b, &side[1], range[1]);
        }
        i = order <= 0 ? range[0].end : i;
        j = order >= 0 ? range[1].end : j;
    }
    return status;
}

/* Lists the candidates that have no partner. */
static int list_singles(const struct candidates *candidates, struct syn_diff_singles *out)
{
    out->item = calloc(candidates->count + 1, sizeof *out->item);
    if (!out->item)
        return SYN_ENOMEM;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *candidate = &candidates->candidate[i];
        if (candidate->is_paired)
            continue;
        struct syn_diff_single *single = &out->item[out->count++];
        *single = (struct syn_diff_single){.op = candidate->op,
                                           .site = candidate->site,
                                           .comm = candidate->comm,
                                           .node = candidate->node[0] ? candidate->node : NULL,
                                           .rank = candidate->rank,
                                           .comm_size = candidate->comm_size,
                                           .bytes = candidate->bytes,
                                           .run_count = candidate->part_count};
        for (size_t j = 0; j < candidate->part_count; j++)
            single->instance_count += candidate->part[j]->group->instance_count;
    }
    return 0;
}

static int match_candidates(struct syn_diff *diff, struct candidates side[2])
{
    int status = 0;
    diff->group = calloc(side[0].count + 1, sizeof *diff->group);
    if (!diff->group)
        return SYN_ENOMEM;
    mark_known(&side[0], &side[1]);
    mark_known(&side[1], &side[0]);
    for (int match = 0; match < SYN_MATCH_COUNT && status == SYN_OK; match++)
        status = pair_equal(diff, side, (enum syn_diff_match)match);
    for (int i = 0; i < 2 && status == SYN_OK; i++)
        status = list_singles(&side[i], &diff->only[i]);
    return status;
}

int syn_diff_match_groups(struct syn_diff *diff)
{
    struct candidates side[2] = {{0}, {0}};
    unsigned by = diff->options.by;
    int status = find_candidates(&diff->side[0], by, &side[0]);
    SYN_STEP(status, find_candidates(&diff->side[1], by, &side[1]));
    SYN_STEP(status, match_candidates(diff, side));
    free_candidates(&side[0]);
    free_candidates(&side[1]);
    return status;
}
