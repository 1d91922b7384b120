/* preload/comms/comm_table.c - see comm_table.h. Open addressing with linear probing. Removal moves
 * later entries back, so that the table stays small in a program that makes and frees communicators
 * all the time.
 *
 * A concurrent reader may miss an entry that is being moved, but never gets the state of another
 * key. The reason: a slot's key is cleared before its state changes, and the reader reads the key
 * again after the state. A reader that finds nothing searches again under the lock. */
#include "preload/comms/comm_table.h"

#include <stdlib.h>

#include "sync/base/hash.h"
#include "sync/base/layout.h"
#include "sync/base/status.h"

#define FREE ((uintptr_t)0)

struct slot {
    uintptr_t key;
    struct syn_comm *comm;
};

struct table {
    size_t mask;
    size_t count;
    struct slot slots[]; /* [mask + 1] */
};

/* Smaller tables of before are never freed, because a reader may still search them. Together they
 * are no larger than the current one. */
static struct table *current SYN_NEAR;

static size_t home(uintptr_t key, size_t mask)
{
    return (size_t)(syn_hash_word(key) >> 32) & mask;
}

static size_t place_of(const struct table *table, uintptr_t key)
{
    for (size_t i = home(key, table->mask);; i = (i + 1) & table->mask) {
        const uintptr_t there = __atomic_load_n(&table->slots[i].key, __ATOMIC_ACQUIRE);
        if (there == key || there == FREE)
            return i;
    }
}

SYN_HOT struct syn_comm *syn_comm_table_find(uintptr_t key)
{
    struct table *table = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    if (!table || key == FREE)
        return NULL;
    const struct slot *slot = &table->slots[place_of(table, key)];
    if (__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) != key)
        return NULL;
    struct syn_comm *comm = __atomic_load_n(&slot->comm, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == key ? comm : NULL;
}

static void set(struct slot *slot, uintptr_t key, struct syn_comm *comm)
{
    __atomic_store_n(&slot->key, FREE, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->comm, comm, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
}

/* Returns the state that the key had, or NULL. */
static SYN_HOT struct syn_comm *insert(struct table *table, uintptr_t key, struct syn_comm *comm)
{
    struct slot *slot = &table->slots[place_of(table, key)];
    struct syn_comm *const before = slot->key == FREE ? NULL : slot->comm;
    table->count += slot->key == FREE;
    set(slot, key, comm);
    return before;
}

static SYN_COLD int grow(void)
{
    const size_t slots = current ? (current->mask + 1) * 2 : 256;
    struct table *table = calloc(1, sizeof *table + slots * sizeof *table->slots);
    if (!table)
        return SYN_ENOMEM;
    table->mask = slots - 1;
    for (size_t i = 0; current && i <= current->mask; i++)
        if (current->slots[i].key != FREE)
            insert(table, current->slots[i].key, current->slots[i].comm);
    __atomic_store_n(&current, table, __ATOMIC_RELEASE);
    return SYN_OK;
}

SYN_HOT int syn_comm_table_put(uintptr_t key, struct syn_comm *comm, struct syn_comm **replaced)
{
    *replaced = NULL;
    if (!current || (current->count + 1) * 2 > current->mask) {
        const int status = grow();
        if (status != SYN_OK)
            return status;
    }
    *replaced = insert(current, key, comm);
    return SYN_OK;
}

SYN_HOT void syn_comm_table_remove(uintptr_t key, const struct syn_comm *comm)
{
    struct table *table = current;
    size_t gap = table ? place_of(table, key) : 0;
    if (!table || table->slots[gap].key != key || table->slots[gap].comm != comm)
        return;
    table->count--;
    for (size_t i = (gap + 1) & table->mask; table->slots[i].key != FREE;
         i = (i + 1) & table->mask) {
        /* An entry may move into the gap unless its home lies behind the gap, cyclically. */
        const size_t start = home(table->slots[i].key, table->mask);

        if (((i - start) & table->mask) < ((i - gap) & table->mask))
            continue;
        set(&table->slots[gap], table->slots[i].key, table->slots[i].comm);
        gap = i;
    }
    __atomic_store_n(&table->slots[gap].key, FREE, __ATOMIC_RELEASE);
}
