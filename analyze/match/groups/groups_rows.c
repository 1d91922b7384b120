/* analyze/match/groups/groups_rows.c - instances of very many ranks, some of them together.
 *
 * RATIONALE: an instance has a number for the column of each of its ranks. The ends of 4,096
 * columns are as many pages of memory, of which the processor does not even keep the addresses: to
 * go there for each instance takes longer than to compute the numbers. So instances are gathered as
 * rows, and each column gets its numbers of all rows at once. Meanwhile what a rank's times add up
 * to lies side by side with those of the other ranks. */
#include <stdlib.h>

#include "analyze/match/groups/groups_parts.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* The columns of fewer ranks stay in the cache. */
#define RANKS_LEAST 256
/* Number of rows; with still more ranks fewer, so that they do not take a lot of memory. */
#define ROWS_MOST    ((size_t)64)
#define ROWS_LEAST   ((size_t)8)
#define NUMBERS_MOST ((size_t)1 << 18)
/* Number of groups with rows at once: the first ones. */
#define GROUPS_MOST 8
/* Ranks whose columns' ends are asked for ahead. */
#define ENDS_AHEAD 8
/* Rows of a power of two would lie in the same places of the cache. */
#define ROW_APART 8

struct syn_groups_rows {
    struct syn_group_rows of[GROUPS_MOST];
    size_t used; /* of[0] to of[used - 1] */
};

/* Room for one of so many ranks. */
static int reserve_rows(struct syn_group_rows *rows, size_t rank_count)
{
    if (rank_count <= rows->capacity)
        return 0;
    free(rows->wait_ns);
    rows->capacity = 0;
    rows->stride = rank_count + ROW_APART;
    rows->most = syn_largest(ROWS_LEAST, syn_least(ROWS_MOST, NUMBERS_MOST / rank_count));
    rows->wait_ns = malloc((4 * rank_count + rows->most * rows->stride) * sizeof *rows->wait_ns);
    if (!rows->wait_ns)
        return SYN_ENOMEM;
    rows->inside_ns = rows->wait_ns + rank_count;
    rows->waiting_ns = rows->inside_ns + rank_count;
    rows->midrank_sum = rows->waiting_ns + rank_count;
    rows->local_ns = (int64_t *)(rows->midrank_sum + rank_count);
    rows->capacity = rank_count;
    return 0;
}

static void take_sums(struct syn_group_rows *rows, const struct syn_group *group)
{
    for (size_t r = 0; r < group->rank_count; r++) {
        const struct syn_group_rank *rank = &group->rank[r];
        rows->wait_ns[r] = rank->wait_ns;
        rows->inside_ns[r] = rank->inside_ns;
        rows->waiting_ns[r] = rank->waiting_ns;
        rows->midrank_sum[r] = rank->midrank_sum;
    }
}

static void return_sums(const struct syn_group_rows *rows, struct syn_group *group)
{
    for (size_t r = 0; r < group->rank_count; r++) {
        struct syn_group_rank *rank = &group->rank[r];
        rank->wait_ns = rows->wait_ns[r];
        rank->inside_ns = rows->inside_ns[r];
        rank->waiting_ns = rows->waiting_ns[r];
        rank->midrank_sum = rows->midrank_sum[r];
    }
}

struct syn_group_rows *syn_group_rows_of(struct syn_groups *groups, struct syn_group *group)
{
    if (group->rows || !groups->queues || group->rank_count < RANKS_LEAST)
        return group->rows;
    if (!groups->rows)
        groups->rows = calloc(1, sizeof *groups->rows);
    if (!groups->rows || groups->rows->used == GROUPS_MOST)
        return NULL;
    struct syn_group_rows *rows = &groups->rows->of[groups->rows->used];
    if (reserve_rows(rows, group->rank_count) != SYN_OK)
        return NULL;
    groups->rows->used++;
    rows->group = group;
    rows->count = 0;
    take_sums(rows, group);
    group->rows = rows;
    return rows;
}

static int empty_rows(struct syn_group_rows *rows)
{
    struct syn_group *group = rows->group;
    int64_t value[ROWS_MOST];
    int status = 0;
    for (size_t r = 0; r < group->rank_count && status == SYN_OK; r++) {
        if (r + ENDS_AHEAD < group->rank_count) {
            const struct syn_column *ahead = &group->rank[r + ENDS_AHEAD].local_ns;
            SYN_FETCH(ahead->value + ahead->count);
        }
        for (size_t i = 0; i < rows->count; i++)
            value[i] = rows->local_ns[i * rows->stride + r];
        status = syn_column_append_all(&group->rank[r].local_ns, NULL, value, rows->count);
    }
    rows->count = 0;
    return status;
}

int syn_group_rows_added(struct syn_group_rows *rows)
{
    return ++rows->count == rows->most ? empty_rows(rows) : 0;
}

int syn_group_settle_rows(struct syn_group *group)
{
    struct syn_group_rows *rows = group->rows;
    if (!rows)
        return 0;
    const int status = rows->count > 0 ? empty_rows(rows) : 0;
    return_sums(rows, group);
    group->rows = NULL;
    rows->group = NULL;
    return status;
}

int syn_groups_settle_rows(struct syn_groups *groups)
{
    int status = 0;
    for (size_t i = 0; groups->rows && i < groups->rows->used; i++)
        if (groups->rows->of[i].group)
            status |= syn_group_settle_rows(groups->rows->of[i].group);
    if (groups->rows)
        groups->rows->used = 0;
    return status;
}

void syn_groups_free_rows(struct syn_groups *groups)
{
    for (size_t i = 0; groups->rows && i < GROUPS_MOST; i++)
        free(groups->rows->of[i].wait_ns);
    free(groups->rows);
    groups->rows = NULL;
}
