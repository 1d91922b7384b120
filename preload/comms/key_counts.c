/* preload/comms/key_counts.c - see key_counts.h. The members of a group make communicators of it in
 * one order, so that they count alike. Open addressing; nothing is ever removed. */
#include "preload/comms/key_counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct counter {
    uint64_t key;
    uint32_t count; /* 0: unused */
};

static struct counter *counters; /* [room], a power of two */
static size_t room, used;

static struct counter *place_of(struct counter *table, size_t size, uint64_t key)
{
    size_t i = (size_t)(key >> 20) & (size - 1);
    while (table[i].count > 0 && table[i].key != key)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static bool grow(void)
{
    const size_t size = room ? room * 2 : 64;
    struct counter *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < room; i++)
        if (counters[i].count > 0)
            *place_of(table, size, counters[i].key) = counters[i];
    free(counters);
    counters = table;
    room = size;
    return true;
}

uint32_t syn_key_count(uint64_t key)
{
    if (used * 2 >= room && !grow())
        return 0;
    struct counter *counter = place_of(counters, room, key);
    if (counter->count == 0)
        used++;
    counter->key = key;
    return ++counter->count;
}
