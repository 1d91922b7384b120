/* preload/comms/key_counts.c - see key_counts.h. The members of a group make communicators in the
 * same order, so their counts agree. Keys are never removed. */
#include "preload/comms/key_counts.h"

#include <stdbool.h>
#include <stddef.h>

#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

struct counter {
    uint64_t key;
    uint32_t count;
};

static struct {
    struct counter *counter; /* [count] */
    size_t count, capacity;
    struct syn_index index;
} table;

static uint64_t hash_of_counter(const void *owner, uint32_t number)
{
    return syn_hash_word(((const struct counter *)owner)[number].key);
}

static bool is(const void *owner, uint32_t number, const void *key)
{
    return ((const struct counter *)owner)[number].key == *(const uint64_t *)key;
}

uint32_t syn_key_count(uint64_t key)
{
    const int status = SYN_ROOM(table.counter, table.capacity, table.count);

    if ((status != SYN_OK ? status
                          : syn_index_make_room(&table.index, table.count, hash_of_counter,
                                                table.counter)) != SYN_OK)
        return 0;
    uint32_t *slot = syn_index_slot(&table.index, syn_hash_word(key), is, table.counter, &key);
    if (*slot == 0) {
        table.counter[table.count] = (struct counter){.key = key};
        *slot = (uint32_t)++table.count;
    }
    return ++table.counter[*slot - 1].count;
}
