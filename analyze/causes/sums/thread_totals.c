/* analyze/causes/sums/thread_totals.c - sums of parts, one after the other. */
#include "analyze/causes/sums/thread_totals.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "sync/base/vector.h"

struct syn_thread_totals {
    struct syn_thread_totals *next; /* of those that nobody has */
    struct syn_cause_tables tables;
    struct syn_cause_sums sums;            /* by the labels of these; lent but for the numbers */
    const struct syn_cause_tables *theirs; /* of whom it is lent to */
    uint32_t *label; /* [label_capacity], by their labels; SYN_NO_NUMBER: not asked for yet */
    size_t label_capacity;
};

struct syn_totals_pool {
    pthread_mutex_t lock; /* of `unused` */
    struct syn_thread_totals *unused;
    uint32_t location_count;
    struct syn_time_bins bins;
    unsigned keys;
};

struct syn_totals_pool *syn_totals_pool_new(uint32_t location_count,
                                            const struct syn_time_bins *bins, unsigned keys)
{
    struct syn_totals_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pool->location_count = location_count;
    pool->bins = *bins;
    pool->keys = keys;
    return pool;
}

static void free_totals(struct syn_thread_totals *totals)
{
    syn_cause_sums_free(&totals->sums);
    syn_cause_tables_free(&totals->tables);
    free(totals->label);
    free(totals);
}

void syn_totals_pool_free(struct syn_totals_pool *pool)
{
    if (!pool)
        return;
    for (struct syn_thread_totals *totals = pool->unused, *next; totals; totals = next) {
        next = totals->next;
        free_totals(totals);
    }
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* ---- lending ---- */

static struct syn_thread_totals *new_totals(const struct syn_totals_pool *pool)
{
    struct syn_thread_totals *totals = calloc(1, sizeof *totals);
    if (!totals)
        return NULL;
    if (syn_cause_tables_begin(&totals->tables, pool->keys) != SYN_OK ||
        syn_cause_sums_begin(&totals->sums, pool->location_count, &pool->bins) != SYN_OK) {
        free_totals(totals);
        return NULL;
    }
    return totals;
}

struct syn_thread_totals *syn_thread_totals_lend(struct syn_totals_pool *pool,
                                                 const struct syn_cause_tables *tables,
                                                 struct syn_cause_sums *sums)
{
    pthread_mutex_lock(&pool->lock);
    struct syn_thread_totals *totals = pool->unused;
    if (totals)
        pool->unused = totals->next;
    pthread_mutex_unlock(&pool->lock);
    if (!totals && !(totals = new_totals(pool)))
        return NULL;
    if (totals->label_capacity > 0)
        memset(totals->label, 0xFF, totals->label_capacity * sizeof *totals->label);
    totals->theirs = tables;
    syn_cause_sums_exchange(&totals->sums, sums);
    sums->totals = totals;
    return totals;
}

void syn_thread_totals_give_back(struct syn_totals_pool *pool, struct syn_thread_totals *totals,
                                 struct syn_cause_sums *sums)
{
    syn_cause_sums_exchange(&totals->sums, sums);
    sums->totals = NULL;
    totals->theirs = NULL;
    pthread_mutex_lock(&pool->lock);
    totals->next = pool->unused;
    pool->unused = totals;
    pthread_mutex_unlock(&pool->lock);
}

/* ---- labels ---- */

static uint32_t own_point(struct syn_thread_totals *totals, uint32_t point)
{
    return point == SYN_POINT_OUTSIDE || point == SYN_POINT_INSIDE
               ? point
               : syn_numbering_of(&totals->tables.points, syn_point_at(totals->theirs, point));
}

static uint32_t find_label(struct syn_thread_totals *totals, uint32_t label)
{
    const struct syn_label *theirs = syn_label_at(totals->theirs, label);
    const uint32_t from = own_point(totals, theirs->from), to = own_point(totals, theirs->to);
    return from == SYN_NO_NUMBER || (to == SYN_NO_NUMBER && !syn_label_is_call(theirs))
               ? SYN_NO_NUMBER
               : syn_label_of(&totals->tables, from, to);
}

static uint32_t own_label(struct syn_thread_totals *totals, uint32_t label)
{
    const size_t had = totals->label_capacity, capacity = (size_t)label + 64 + label / 2;
    if (label >= had) {
        if (SYN_RESERVE(totals->label, capacity))
            return SYN_NO_NUMBER;
        memset(totals->label + had, 0xFF, (capacity - had) * sizeof *totals->label);
        totals->label_capacity = capacity;
    }
    if (totals->label[label] == SYN_NO_NUMBER)
        totals->label[label] = find_label(totals, label);
    return totals->label[label];
}

uint32_t *syn_thread_totals_place(struct syn_thread_totals *totals, uint32_t location,
                                  uint32_t label, uint32_t *own)
{
    *own = own_label(totals, label);
    return *own == SYN_NO_NUMBER ? NULL : syn_cause_number_place(&totals->sums, location, *own);
}

/* ---- together ---- */

int syn_totals_pool_gather(struct syn_totals_pool *pool, struct syn_cause_tables *tables,
                           struct syn_cause_sums *sums)
{
    int status = 0;
    for (struct syn_thread_totals *totals; (totals = pool->unused) && status == SYN_OK;) {
        pool->unused = totals->next;
        status = syn_cause_sums_add_theirs(sums, tables, &totals->sums, &totals->tables);
        free_totals(totals);
    }
    return status;
}
