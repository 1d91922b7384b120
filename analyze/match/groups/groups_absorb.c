/* analyze/match/groups/groups_absorb.c - adds the groups of a partial result to those of the
 * report. Instances are deferred until no earlier one can come. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/groups/groups_parts.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* ---- common values and ranks ---- */

static void merge_common(struct syn_common *into, const struct syn_common *from)
{
    if (!from->known)
        return;
    into->mixed |= from->mixed || (into->known && into->value != from->value);
    into->value = from->value;
    into->known = true;
}

/* Defers the values of a partial result's column. The first partial result's array is moved, not
 * copied. RATIONALE: with very many ranks of short columns a copy would be most of the memory. */
static int defer(struct syn_column *into, struct syn_column *from, bool is_first)
{
    if (!is_first)
        return syn_column_append_all(into, NULL, from->value, from->count);
    struct syn_column emptied = *into;
    *into = *from;
    *from = emptied;
    return 0;
}

/* Returns the deferred column of the rank at index `place`. NULL: no memory. */
static struct syn_column *deferred_of_rank(struct syn_group *group, size_t place)
{
    const size_t count = group->deferred_rank_count;
    if (place < count)
        return &group->deferred_rank[place];
    const size_t wanted = syn_largest(group->rank_count, 2 * count);
    struct syn_column *deferred = realloc(group->deferred_rank, wanted * sizeof *deferred);
    if (!deferred)
        return NULL;
    memset(deferred + count, 0, (wanted - count) * sizeof *deferred);
    group->deferred_rank = deferred;
    group->deferred_rank_count = wanted;
    return &deferred[place];
}

static int merge_ranks(struct syn_group *into, struct syn_group *from, bool is_first)
{
    const size_t before =
        into->rank_count; /* ranks of `from` are distinct: only these need a search */
    if (before == 0 && syn_group_reserve_ranks(into, from->rank_count) != SYN_OK)
        return SYN_ENOMEM;
    for (size_t i = 0; i < from->rank_count; i++) {
        struct syn_group_rank *rank = &from->rank[i];
        const uint32_t place = syn_group_index_of_rank(into, rank->rank, (uint32_t)i, before);
        struct syn_column *deferred = place == UINT32_MAX ? NULL : deferred_of_rank(into, place);
        if (!deferred || defer(deferred, &rank->local_ns, is_first) != SYN_OK)
            return SYN_ENOMEM;
        into->rank[place].midrank_sum += rank->midrank_sum;
        into->rank[place].last_count += rank->last_count;
        into->rank[place].last_sure_count += rank->last_sure_count;
        into->rank[place].wait_ns += rank->wait_ns;
        into->rank[place].inside_ns += rank->inside_ns;
        into->rank[place].waiting_ns += rank->waiting_ns;
        into->rank[place].caused_ns += rank->caused_ns;
    }
    into->tie_sum += from->tie_sum;
    into->overlap.between_ns += from->overlap.between_ns;
    into->overlap.hidden_ns += from->overlap.hidden_ns;
    into->overlap.exposed_ns += from->overlap.exposed_ns;
    if (from->rank_count > 0)
        into->same_members &= from->same_members && into->rank_count == from->rank_count &&
                              (before == 0 || before == into->rank_count);
    return 0;
}

/* ---- deferred rows in the order of time ---- */

/* Returns whether the values ascend, and are distinct. */
static bool ascends(const int64_t *value, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (value[i] <= value[i - 1])
            return false;
    return true;
}

/* Reorders a column with `count` values. A rank's column has fewer if not all instances have that
 * member; it stays unordered. */
static void gather(struct syn_column *column, const size_t *order, size_t count, int64_t *scratch)
{
    if (column->count != count)
        return;
    for (size_t i = 0; i < count; i++)
        scratch[i] = column->value[order[i]];
    memcpy(column->value, scratch, count * sizeof *scratch);
}

/* A group's deferred columns, compared as rows: by start first, then by the other columns, then by
 * those of the ranks, in the order of ranks. */
struct rows {
    const struct syn_group *group;
    const struct syn_column **column; /* [column_count] */
    size_t column_count;
};

static int by_rank(const void *left, const void *right, void *ctx)
{
    const struct syn_group_rank *rank = ctx;
    const int32_t a = rank[*(const size_t *)left].rank, b = rank[*(const size_t *)right].rank;
    return a < b ? -1 : a > b;
}

/* Collects the columns that have a value for each row. Returns 0 or SYN_ENOMEM. The caller frees
 * rows->column in any case. */
static int find_columns(const struct syn_group *group, struct rows *rows)
{
    const size_t count = group->deferred[SYN_GROUP_START].count;
    const size_t ranks = syn_least(group->rank_count, group->deferred_rank_count);
    SYN_FREED size_t *order = malloc((ranks + 1) * sizeof *order);
    rows->group = group;
    rows->column = malloc((SYN_GROUP_COLUMNS + ranks) * sizeof(struct syn_column *));
    if (!order || !rows->column)
        return SYN_ENOMEM;
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
        if (group->deferred[c].count == count)
            rows->column[rows->column_count++] = &group->deferred[c];
    for (size_t i = 0; i < ranks; i++)
        order[i] = i;
    qsort_r(order, ranks, sizeof *order, by_rank, group->rank);
    for (size_t i = 0; i < ranks; i++)
        if (group->deferred_rank[order[i]].count == count)
            rows->column[rows->column_count++] = &group->deferred_rank[order[i]];
    return 0;
}

static int by_row(const void *left, const void *right, void *ctx)
{
    const struct rows *rows = ctx;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    for (size_t c = 0; c < rows->column_count; c++) {
        const int64_t *value = rows->column[c]->value;
        if (value[a] != value[b])
            return value[a] < value[b] ? -1 : 1;
    }
    return a < b ? -1 : a > b; /* equal rows may come in any order */
}

/* Sorts the deferred rows by start. Rows with the same start are compared in full: which of them
 * came first depends on the slices. Returns 0 or SYN_ENOMEM. */
static int sort_deferred(struct syn_group *group)
{
    struct syn_column *deferred = group->deferred;
    struct rows rows = {0};
    size_t count = deferred[SYN_GROUP_START].count;
    if (ascends(deferred[SYN_GROUP_START].value, count))
        return 0;
    SYN_FREED size_t *order = malloc(count * sizeof *order);
    SYN_FREED double *key = malloc(count * sizeof *key);
    SYN_FREED int64_t *scratch = malloc(count * sizeof *scratch);
    int status = order && key && scratch ? SYN_OK : SYN_ENOMEM;
    SYN_STEP(status, find_columns(group, &rows));
    if (status == SYN_OK) {
        for (size_t i = 0; i < count; i++)
            key[i] = (double)deferred[SYN_GROUP_START].value[i];
        syn_order(key, count, order);
        for (size_t i = 0, end; i < count; i = end) {
            for (end = i + 1; end < count && key[order[end]] == key[order[i]];)
                end++;
            if (end > i + 1)
                qsort_r(order + i, end - i, sizeof *order, by_row, &rows);
        }
        for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
            gather(&deferred[c], order, count, scratch);
        for (size_t i = 0; i < group->deferred_rank_count; i++)
            gather(&group->deferred_rank[i], order, count, scratch);
    }
    free(rows.column);
    return status;
}

static size_t count_before(const int64_t *ascending, size_t count, int64_t watermark_ns)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (ascending[low + half] < watermark_ns) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* Moves the first `count` deferred values to the column. Returns 0, SYN_ENOMEM or SYN_EIO. */
static int emit_column(struct syn_column *column, struct syn_store *store,
                       struct syn_column *deferred, size_t count)
{
    const int status = syn_column_append_all(column, store, deferred->value, count);
    syn_column_drop_first(deferred, count);
    return status;
}

/* Moves the instances that start before the watermark to the columns. At the run's end each rank's
 * deferred column is freed before the next rank's is moved: with very many ranks these are most of
 * the memory. */
static int emit_deferred(struct syn_group *group, struct syn_store *store, uint32_t run,
                         int64_t watermark_ns)
{
    struct syn_column *deferred = group->deferred;
    const struct syn_column *start = &group->start_ns;
    int status = sort_deferred(group);
    size_t count = count_before(deferred[SYN_GROUP_START].value, deferred[SYN_GROUP_START].count,
                                watermark_ns);
    if (status != SYN_OK || count == 0)
        return status;
    status = syn_group_note_run(group, run);
    if (group->first_run == run)
        group->first_start_ns =
            syn_least(deferred[SYN_GROUP_START].value[0], group->first_start_ns);
    if (status == SYN_OK && start->count != group->run[group->run_count - 1].first) {
        int64_t least, last;
        syn_column_range(start, start->count - 1, 1, &least, &last);
        group->out_of_order |= deferred[SYN_GROUP_START].value[0] < last;
    }
    for (int c = 0; c < SYN_GROUP_COLUMNS && status == SYN_OK; c++)
        if (deferred[c].count > 0)
            status = emit_column(&group->column[c], store, &deferred[c], count);
    for (size_t i = 0; i < group->rank_count && i < group->deferred_rank_count && status == SYN_OK;
         i++) {
        struct syn_column *of_rank = &group->deferred_rank[i];
        status =
            emit_column(&group->rank[i].local_ns, store, of_rank, syn_least(count, of_rank->count));
        if (watermark_ns == INT64_MAX)
            syn_column_free(of_rank);
    }
    if (watermark_ns == INT64_MAX)
        syn_group_free_deferred_ranks(group);
    return status;
}

bool syn_group_is_empty(const struct syn_group *group)
{
    return group->instance_count == 0 && group->incomplete_count == 0 && group->left_out_count == 0;
}

/* Number of groups from which on they exceed the cache, and how far ahead groups and their ranks
 * are fetched. */
#define GROUPS_MANY 256
enum { GROUP_AHEAD = 4, RANKS_AHEAD = 2 };

static void fetch_ahead(const struct syn_groups *groups, size_t number)
{
    if (groups->count < GROUPS_MANY)
        return;
    if (number + GROUP_AHEAD < groups->count)
        syn_fetch(groups->group[number + GROUP_AHEAD], sizeof **groups->group);
    if (number + RANKS_AHEAD >= groups->count)
        return;
    const struct syn_group *group = groups->group[number + RANKS_AHEAD];
    if (group->rank_count > 0)
        syn_fetch(group->rank, group->rank_count * sizeof *group->rank);
    if (group->deferred_rank_count > 0)
        syn_fetch(group->deferred_rank, group->deferred_rank_count * sizeof *group->deferred_rank);
}

/* Absorbs one group, and emits its due instances while the group is in the cache. */
static int absorb_group(struct syn_groups *groups, struct syn_group *from, uint32_t run,
                        int64_t watermark_ns)
{
    struct syn_group *into = syn_groups_find(groups, from->key);
    if (!into)
        return SYN_ENOMEM;
    const bool is_first = into->deferred[SYN_GROUP_START].count == 0;
    if (into->first_run == SYN_NO_RUN)
        into->first_run = run;
    if (into->first_run == run) /* the columns may be filled later */
        into->first_start_ns = syn_least(from->first_start_ns, into->first_start_ns);
    merge_common(&into->op, &from->op);
    merge_common(&into->site, &from->site);
    merge_common(&into->phase, &from->phase);
    merge_common(&into->member_count, &from->member_count);
    merge_common(&into->comm, &from->comm);
    merge_common(&into->comm_size, &from->comm_size);
    merge_common(&into->bytes, &from->bytes);
    merge_common(&into->root, &from->root);
    into->site_differs |= from->site_differs;
    into->instance_count += from->instance_count;
    into->incomplete_count += from->incomplete_count;
    into->left_out_count += from->left_out_count;
    into->perturbed_count += from->perturbed_count;
    into->failed_count += from->failed_count;
    into->late_start_count += from->late_start_count;
    into->not_completed_count += from->not_completed_count;
    int status = merge_ranks(into, from, is_first);
    for (int c = 0; c < SYN_GROUP_COLUMNS && status == SYN_OK; c++)
        status = defer(&into->deferred[c], &from->column[c], is_first);
    syn_group_empty(from);
    if (status == SYN_OK && watermark_ns != INT64_MIN && into->deferred[SYN_GROUP_START].count > 0)
        status = emit_deferred(into, groups->store, run, watermark_ns);
    return status;
}

/* Emits due instances of all groups, also of those that the partial result lacks. */
int syn_groups_absorb(struct syn_groups *groups, struct syn_groups *partial, uint32_t run,
                      int64_t watermark_ns)
{
    int status = SYN_OK;
    for (size_t i = 0; i < partial->count && status == SYN_OK; i++) {
        struct syn_group *from = partial->group[i];
        fetch_ahead(partial, i);
        if (syn_group_is_empty(from))
            continue;
        fetch_ahead(groups, groups->next); /* the likely place of the group */
        status = absorb_group(groups, from, run, watermark_ns);
    }
    if (watermark_ns == INT64_MIN) /* all instances are deferred */
        return status;
    for (size_t i = 0; i < groups->count && status == SYN_OK; i++) {
        fetch_ahead(groups, i);
        if (groups->group[i]->deferred[SYN_GROUP_START].count > 0)
            status = emit_deferred(groups->group[i], groups->store, run, watermark_ns);
    }
    return status;
}
