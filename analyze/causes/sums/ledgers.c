/* analyze/causes/sums/ledgers.c - sums of parts, one after the other. */
#include "analyze/causes/sums/ledgers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "sync/base/vector.h"

struct syn_ledger {
    struct syn_ledger *next; /* of those that nobody has */
    struct syn_cause_tables tables;
    struct syn_cause_sums sums;            /* by the labels of these; lent but for the numbers */
    const struct syn_cause_tables *theirs; /* of whom it is lent to */
    uint32_t *label; /* [label_capacity], by their labels; SYN_NO_NUMBER: not asked for yet */
    size_t label_capacity;
};

struct syn_ledgers {
    pthread_mutex_t lock; /* of `unused` */
    struct syn_ledger *unused;
    uint32_t location_count;
    struct syn_cause_blocks blocks;
    unsigned keys;
};

struct syn_ledgers *syn_ledgers_new(uint32_t location_count, const struct syn_cause_blocks *blocks,
                                    unsigned keys)
{
    struct syn_ledgers *ledgers = calloc(1, sizeof *ledgers);
    if (!ledgers)
        return NULL;
    pthread_mutex_init(&ledgers->lock, NULL);
    ledgers->location_count = location_count;
    ledgers->blocks = *blocks;
    ledgers->keys = keys;
    return ledgers;
}

static void free_ledger(struct syn_ledger *ledger)
{
    syn_cause_sums_free(&ledger->sums);
    syn_cause_tables_free(&ledger->tables);
    free(ledger->label);
    free(ledger);
}

void syn_ledgers_free(struct syn_ledgers *ledgers)
{
    if (!ledgers)
        return;
    for (struct syn_ledger *ledger = ledgers->unused, *next; ledger; ledger = next) {
        next = ledger->next;
        free_ledger(ledger);
    }
    pthread_mutex_destroy(&ledgers->lock);
    free(ledgers);
}

/* ---- lending ---- */

static struct syn_ledger *new_ledger(const struct syn_ledgers *ledgers)
{
    struct syn_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger)
        return NULL;
    if (syn_cause_tables_begin(&ledger->tables, ledgers->keys) != SYN_OK ||
        syn_cause_sums_begin(&ledger->sums, ledgers->location_count, &ledgers->blocks) != SYN_OK) {
        free_ledger(ledger);
        return NULL;
    }
    return ledger;
}

struct syn_ledger *syn_ledger_lend(struct syn_ledgers *ledgers,
                                   const struct syn_cause_tables *tables,
                                   struct syn_cause_sums *sums)
{
    pthread_mutex_lock(&ledgers->lock);
    struct syn_ledger *ledger = ledgers->unused;
    if (ledger)
        ledgers->unused = ledger->next;
    pthread_mutex_unlock(&ledgers->lock);
    if (!ledger && !(ledger = new_ledger(ledgers)))
        return NULL;
    if (ledger->label_capacity > 0)
        memset(ledger->label, 0xFF, ledger->label_capacity * sizeof *ledger->label);
    ledger->theirs = tables;
    syn_cause_sums_exchange(&ledger->sums, sums);
    sums->ledger = ledger;
    return ledger;
}

void syn_ledger_give_back(struct syn_ledgers *ledgers, struct syn_ledger *ledger,
                          struct syn_cause_sums *sums)
{
    syn_cause_sums_exchange(&ledger->sums, sums);
    sums->ledger = NULL;
    ledger->theirs = NULL;
    pthread_mutex_lock(&ledgers->lock);
    ledger->next = ledgers->unused;
    ledgers->unused = ledger;
    pthread_mutex_unlock(&ledgers->lock);
}

/* ---- labels ---- */

static uint32_t own_point(struct syn_ledger *ledger, uint32_t point)
{
    return point == SYN_POINT_OUTSIDE || point == SYN_POINT_INSIDE
               ? point
               : syn_numbering_of(&ledger->tables.points, syn_point_at(ledger->theirs, point));
}

static uint32_t find_label(struct syn_ledger *ledger, uint32_t label)
{
    const struct syn_label *theirs = syn_label_at(ledger->theirs, label);
    const uint32_t from = own_point(ledger, theirs->from), to = own_point(ledger, theirs->to);
    return from == SYN_NO_NUMBER || (to == SYN_NO_NUMBER && !syn_label_is_call(theirs))
               ? SYN_NO_NUMBER
               : syn_label_of(&ledger->tables, from, to);
}

static uint32_t own_label(struct syn_ledger *ledger, uint32_t label)
{
    const size_t had = ledger->label_capacity, capacity = (size_t)label + 64 + label / 2;
    if (label >= had) {
        if (SYN_RESERVE(ledger->label, capacity))
            return SYN_NO_NUMBER;
        memset(ledger->label + had, 0xFF, (capacity - had) * sizeof *ledger->label);
        ledger->label_capacity = capacity;
    }
    if (ledger->label[label] == SYN_NO_NUMBER)
        ledger->label[label] = find_label(ledger, label);
    return ledger->label[label];
}

uint32_t *syn_ledger_place(struct syn_ledger *ledger, uint32_t location, uint32_t label,
                           uint32_t *own)
{
    *own = own_label(ledger, label);
    return *own == SYN_NO_NUMBER ? NULL : syn_cause_number_place(&ledger->sums, location, *own);
}

/* ---- together ---- */

int syn_ledgers_gather(struct syn_ledgers *ledgers, struct syn_cause_tables *tables,
                       struct syn_cause_sums *sums)
{
    int status = 0;
    for (struct syn_ledger *ledger; (ledger = ledgers->unused) && status == SYN_OK;) {
        ledgers->unused = ledger->next;
        status = syn_cause_sums_add_theirs(sums, tables, &ledger->sums, &ledger->tables);
        free_ledger(ledger);
    }
    return status;
}
