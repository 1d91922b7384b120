/* analyze/diff/diff_match.c - finds the group of B that belongs to a group of A.
 *
 * RATIONALE: line numbers shift with every edit and names of communicators with every rewrite, so
 * one strict key would call half of a program new. Keys are loosened step by step, each step only
 * for groups that are left over and only if nothing else claims the place: a site that both sides
 * know is never taken for another one. How far a key was loosened is said with the group. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* All runs' parts of one group of one side. */
struct class
{
    const char *op, *site, *comm, *node;
    uint64_t comm_size, bytes;
    int64_t rank, root; /* -1: no key, or none */
    size_t first;       /* place of its first part in the side: for a stable order */
    const struct syn_figures **part;
    size_t part_count;
    bool taken;
    bool known; /* the other side has this operation at this site */
};

struct classes {
    struct class *class; /* [count] */
    struct class **order;
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

/* The end of "file" in "file:line function". */
static size_t file_length(const char *site)
{
    const char *space = strchr(site, ' ');
    size_t length = space ? (size_t)(space - site) : strlen(site), end = length;
    while (end > 0 && site[end - 1] >= '0' && site[end - 1] <= '9')
        end--;
    return end > 1 && end < length && site[end - 1] == ':' ? end - 1 : length;
}

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

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_classes(const struct class *a, const struct class *b, enum syn_diff_match match)
{
    int order = strcmp(a->op, b->op);
    if (order == 0)
        order = compare_numbers((uint64_t)a->rank, (uint64_t)b->rank);
    if (order == 0)
        order = compare_numbers((uint64_t)a->root, (uint64_t)b->root);
    if (order == 0)
        order = strcmp(a->node, b->node);
    if (order == 0 && match <= SYN_MATCH_SHAPE)
        order = strcmp(a->site, b->site);
    if (order == 0 && match == SYN_MATCH_FUNCTION)
        order = compare_functions(a->site, b->site);
    if (order == 0)
        order = compare_numbers(a->comm_size, b->comm_size);
    if (order == 0)
        order = compare_numbers(a->bytes, b->bytes);
    if (order == 0 && match == SYN_MATCH_EXACT)
        order = strcmp(a->comm, b->comm);
    return order;
}

/* Ties in order of first appearance: equal input, equal output. */
#define BY_KEY(name, match)                                         \
    static int name(const void *left, const void *right)            \
    {                                                               \
        const struct class *a = *(struct class *const *)left;       \
        const struct class *b = *(struct class *const *)right;      \
        int order = compare_classes(a, b, match);                   \
        return order ? order : compare_numbers(a->first, b->first); \
    }
BY_KEY(by_exact_key, SYN_MATCH_EXACT)
BY_KEY(by_shape, SYN_MATCH_SHAPE)
BY_KEY(by_function, SYN_MATCH_FUNCTION)
BY_KEY(without_site, SYN_MATCH_NO_SITE)

static void sort_classes(struct classes *classes, enum syn_diff_match match)
{
    static int (*const orders[SYN_MATCH_COUNT])(const void *, const void *) = {
        by_exact_key, by_shape, by_function, without_site};
    qsort(classes->order, classes->count, sizeof *classes->order, orders[match]);
}

/* ---- the classes of a side ---- */

static const char *or_empty(const char *words)
{
    return words ? words : "";
}

static void free_classes(struct classes *classes)
{
    for (size_t i = 0; i < classes->count; i++)
        free(classes->class[i].part);
    free(classes->class);
    free(classes->order);
}

/* One class a key, out of one class a run: they are neighbours once sorted. */
static int merge_runs(const struct syn_report *report, struct classes *classes)
{
    struct class *merged = calloc(classes->count + 1, sizeof *merged);
    size_t count = 0;
    if (!merged)
        return SYN_ENOMEM;
    sort_classes(classes, SYN_MATCH_EXACT);
    for (size_t i = 0; i < classes->count; i++) {
        const struct class *next = classes->order[i];
        if (count == 0 || compare_classes(&merged[count - 1], next, SYN_MATCH_EXACT) != 0)
            merged[count++] = *next;
        struct class *class = &merged[count - 1];
        const struct syn_figures **part =
            realloc(class->part, (class->part_count + 1) * sizeof *part);
        if (part) {
            class->part = part;
            part[class->part_count++] = &report->figures[next->first];
        }
        if (!part) {
            for (size_t j = 0; j < count; j++)
                free(merged[j].part);
            free(merged);
            return SYN_ENOMEM;
        }
    }
    free(classes->class);
    classes->class = merged;
    classes->count = count;
    for (size_t i = 0; i < count; i++)
        classes->order[i] = &merged[i];
    return 0;
}

/* Makes a class of each group of each run, then joins those of one key. */
static int find_classes(const struct syn_report *report, unsigned by, struct classes *out)
{
    size_t count = report->groups.count;
    *out = (struct classes){calloc(count + 1, sizeof *out->class),
                            calloc(count + 1, sizeof *out->order), 0};
    if (!out->class || !out->order)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (report->figures[i].group->instance_count == 0)
            continue; /* no complete instance, no figure */
        /* A group's class. What --by does not name is left out, so that it matches anything: it
         * may be alike in one run's group and differ in the next one's. */
        const struct syn_group *group = report->figures[i].group;
        const uint64_t *key = group->key;
        struct class class = {
            .op = "*", .site = "", .comm = "", .node = "", .rank = -1, .root = -1, .first = i};
        int32_t root;
        if (by & SYN_BY(SYN_KEY_OP))
            class.op = or_empty(syn_report_op(group));
        if (by & SYN_BY(SYN_KEY_SITE))
            class.site = or_empty(syn_report_site(report, group));
        if (by & SYN_BY(SYN_KEY_COMM)) {
            class.comm = or_empty(syn_report_comm(report, group));
            syn_report_comm_size(group, &class.comm_size);
        }
        if (by & SYN_BY(SYN_KEY_BYTES))
            syn_report_bytes(group, &class.bytes);
        if (by & SYN_BY(SYN_KEY_ROOT) && syn_report_root(group, &root))
            class.root = root;
        if (by & SYN_BY(SYN_KEY_RANK))
            class.rank = (int64_t)key[SYN_KEY_RANK];
        if (by & SYN_BY(SYN_KEY_NODE))
            class.node = or_empty(syn_names_text(&report->names, (uint32_t)key[SYN_KEY_NODE]));
        out->class[out->count] = class;
        out->order[out->count] = &out->class[out->count];
        out->count++;
    }
    return merge_runs(report, out);
}

static int by_op_and_site(const void *left, const void *right)
{
    const struct class *a = *(struct class *const *)left;
    const struct class *b = *(struct class *const *)right;
    int order = strcmp(a->op, b->op);
    return order ? order : strcmp(a->site, b->site);
}

static void mark_known(struct classes *classes, struct classes *others)
{
    qsort(others->order, others->count, sizeof *others->order, by_op_and_site);
    for (size_t i = 0; i < classes->count; i++) {
        struct class *me = &classes->class[i];
        me->known = bsearch(&me, others->order, others->count, sizeof *others->order,
                            by_op_and_site) != NULL;
    }
}

/* ---- pairing ---- */

struct stretch {
    size_t first, end;
};

/* The free classes to the front, sorted. Returns how many. */
static size_t free_ones(struct classes *classes, enum syn_diff_match match)
{
    size_t count = 0, all = classes->count;
    /* A class is free if it has no partner. A class whose operation the other side has at the same
     * site is not paired by a key that leaves out the line or the site. */
    for (size_t i = 0; i < all; i++)
        if (!classes->class[i].taken && (match <= SYN_MATCH_SHAPE || !classes->class[i].known))
            classes->order[count++] = &classes->class[i];
    classes->count = count;
    sort_classes(classes, match);
    classes->count = all;
    return count;
}

static struct stretch equal_from(const struct classes *classes, size_t first, size_t end,
                                 enum syn_diff_match match)
{
    struct stretch stretch = {first, first + 1};
    while (stretch.end < end &&
           compare_classes(classes->order[first], classes->order[stretch.end], match) == 0)
        stretch.end++;
    return stretch;
}

static int by_run_then_first(const void *left, const void *right)
{
    const struct syn_figures *a = *(const struct syn_figures *const *)left;
    const struct syn_figures *b = *(const struct syn_figures *const *)right;
    int order = compare_numbers(a->group->key[SYN_KEY_RUN], b->group->key[SYN_KEY_RUN]);
    return order ? order : (a < b ? -1 : a > b);
}

void syn_diff_sort_by_run(const struct syn_figures **part, size_t count)
{
    qsort(part, count, sizeof *part, by_run_then_first);
}

static int fill_half(struct syn_diff_half *half, const struct classes *classes,
                     struct stretch stretch)
{
    size_t count = 0;
    for (size_t i = stretch.first; i < stretch.end; i++)
        count += classes->order[i]->part_count;
    half->part = malloc((count + 1) * sizeof *half->part);
    if (!half->part)
        return SYN_ENOMEM;
    half->site = classes->order[stretch.first]->site;
    half->comm = classes->order[stretch.first]->comm;
    half->label_count = stretch.end - stretch.first;
    for (size_t i = stretch.first; i < stretch.end; i++) {
        struct class *class = classes->order[i];
        memcpy(half->part + half->part_count, class->part, class->part_count * sizeof *half->part);
        half->part_count += class->part_count;
        class->taken = true;
    }
    syn_diff_sort_by_run(half->part, half->part_count);
    return 0;
}

/* Walks both sides' sorted classes at once and makes a group of each equal stretch. */
static int pair_all(struct syn_diff *diff, struct classes side[2], enum syn_diff_match match)
{
    size_t end[2] = {free_ones(&side[0], match), free_ones(&side[1], match)};
    int status = 0;
    for (size_t i = 0, j = 0; i < end[0] && j < end[1] && status == SYN_OK;) {
        int order = compare_classes(side[0].order[i], side[1].order[j], match);
        struct stretch stretch[2] = {equal_from(&side[0], i, end[0], match),
                                     equal_from(&side[1], j, end[1], match)};
        /* Within a function two lines are told apart by their order alone: better not at all. */
        if (order == 0 &&
            (match != SYN_MATCH_FUNCTION ||
             (stretch[0].end - stretch[0].first == 1 && stretch[1].end - stretch[1].first == 1))) {
            struct syn_diff_group *group = &diff->group[diff->count];
            const struct class *a = side[0].order[stretch[0].first];
            memset(group, 0, sizeof *group);
            group->op = a->op;
            group->comm_size = a->comm_size;
            group->bytes = a->bytes;
            group->rank = a->rank;
            group->root = a->root;
            group->node = a->node[0] ? a->node : NULL;
            group->match = match;
            diff->count++;
            status = fill_half(&group->a, &side[0], stretch[0]);
            status = status != SYN_OK ? status : fill_half(&group->b, &side[1], stretch[1]);
        }
        i = order <= 0 ? stretch[0].end : i;
        j = order >= 0 ? stretch[1].end : j;
    }
    return status;
}

static int list_singles(const struct classes *classes, struct syn_diff_singles *out)
{
    out->item = calloc(classes->count + 1, sizeof *out->item);
    if (!out->item)
        return SYN_ENOMEM;
    for (size_t i = 0; i < classes->count; i++) {
        const struct class *class = &classes->class[i];
        if (class->taken)
            continue;
        struct syn_diff_single *single = &out->item[out->count++];
        *single = (struct syn_diff_single){.op = class->op,
                                           .site = class->site,
                                           .comm = class->comm,
                                           .node = class->node[0] ? class->node : NULL,
                                           .rank = class->rank,
                                           .comm_size = class->comm_size,
                                           .bytes = class->bytes,
                                           .run_count = class->part_count};
        for (size_t j = 0; j < class->part_count; j++)
            single->instance_count += class->part[j]->group->instance_count;
    }
    return 0;
}

static int match_classes(struct syn_diff *diff, struct classes side[2])
{
    int status = 0;
    diff->group = calloc(side[0].count + 1, sizeof *diff->group);
    if (!diff->group)
        return SYN_ENOMEM;
    mark_known(&side[0], &side[1]);
    mark_known(&side[1], &side[0]);
    for (int match = 0; match < SYN_MATCH_COUNT && status == SYN_OK; match++)
        status = pair_all(diff, side, (enum syn_diff_match)match);
    for (int i = 0; i < 2 && status == SYN_OK; i++)
        status = list_singles(&side[i], &diff->only[i]);
    return status;
}

int syn_diff_match_groups(struct syn_diff *diff)
{
    struct classes side[2] = {{0}, {0}};
    unsigned by = diff->options.by;
    int status = find_classes(&diff->side[0], by, &side[0]);
    if (status == SYN_OK)
        status = find_classes(&diff->side[1], by, &side[1]);
    if (status == SYN_OK)
        status = match_classes(diff, side);
    free_classes(&side[0]);
    free_classes(&side[1]);
    return status;
}
