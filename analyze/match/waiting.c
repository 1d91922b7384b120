#include "waiting.h"

#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"

#define BUCKETS_LEAST 4096
#define LINE_BYTES    64

static int grow(struct syn_waiting_table *table)
{
    size_t old_count = table->bucket_count;
    struct syn_waiting **old = table->bucket;
    size_t count = old_count ? 2 * old_count : BUCKETS_LEAST;
    struct syn_waiting **bucket = calloc(count, sizeof *bucket);
    if (!bucket)
        return SYN_ENOMEM;
    table->bucket = bucket;
    table->bucket_count = count;
    for (size_t i = 0; i < old_count; i++) {
        for (struct syn_waiting *waiting = old[i], *next; waiting; waiting = next) {
            size_t at = syn_waiting_bucket(table, waiting->comm, waiting->sequence);
            next = waiting->next;
            waiting->next = bucket[at];
            bucket[at] = waiting;
        }
    }
    free(old);
    return 0;
}

int syn_waiting_begin(struct syn_waiting_table *table, const struct syn_comms *comms)
{
    *table = (struct syn_waiting_table){.comms = comms};
    for (size_t i = 0; i < comms->count; i++)
        if (comms->comm[i].known_count > table->capacity_max)
            table->capacity_max = comms->comm[i].known_count;
    table->free = calloc((size_t)table->capacity_max + 1, sizeof *table->free);
    return table->free && grow(table) == 0 ? 0 : SYN_ENOMEM;
}

static void free_list(struct syn_waiting *waiting)
{
    for (struct syn_waiting *next; waiting; waiting = next) {
        next = waiting->next;
        free(waiting);
    }
}

void syn_waiting_free(struct syn_waiting_table *table)
{
    for (size_t i = 0; table->bucket && i < table->bucket_count; i++)
        free_list(table->bucket[i]);
    for (size_t i = 0; table->free && i <= table->capacity_max; i++)
        free_list(table->free[i]);
    free(table->bucket);
    free(table->free);
    *table = (struct syn_waiting_table){0};
}

/* Lines of the cache are not shared by two. */
static struct syn_waiting *obtain(struct syn_waiting_table *table, uint32_t capacity)
{
    struct syn_waiting *waiting = table->free[capacity];
    if (waiting) {
        table->free[capacity] = waiting->next;
        return waiting;
    }
    size_t bytes = syn_waiting_spans_offset(capacity) +
                   capacity * (2 * sizeof(struct syn_span) + sizeof(uint32_t));
    return aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
}

struct syn_waiting *syn_waiting_add(struct syn_waiting_table *table, uint32_t comm,
                                    uint64_t sequence)
{
    const struct syn_comm *of = &table->comms->comm[comm];
    const uint32_t capacity = of->known_count;
    if (table->count >= table->bucket_count && grow(table))
        return NULL;
    struct syn_waiting *waiting = obtain(table, capacity);
    if (!waiting)
        return NULL;
    size_t at = syn_waiting_bucket(table, comm, sequence);
    *waiting = (struct syn_waiting){.next = table->bucket[at],
                                    .sequence = sequence,
                                    .comm = comm,
                                    .capacity = capacity,
                                    .by_arrival = of->known_count != of->size};
    memset(waiting->attributes, 0xFF, capacity * sizeof *waiting->attributes);
    table->bucket[at] = waiting;
    if (++table->count > table->count_most)
        table->count_most = table->count;
    return waiting;
}

void syn_waiting_remove(struct syn_waiting_table *table, struct syn_waiting *waiting)
{
    struct syn_waiting **link =
        &table->bucket[syn_waiting_bucket(table, waiting->comm, waiting->sequence)];
    while (*link != waiting)
        link = &(*link)->next;
    *link = waiting->next;
    waiting->next = table->free[waiting->capacity];
    table->free[waiting->capacity] = waiting;
    table->count--;
}
