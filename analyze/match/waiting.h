/* analyze/match/waiting.h - instances of a slab that wait for members, found by communicator and
 * sequence number. What a member leaves here is little: the number of its attributes and when it
 * came and went. */
#ifndef SYN_WAITING_H
#define SYN_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "comms.h"

struct syn_span {
    int64_t start_ns, end_ns;
};

/* Behind an instance lie, for each of `capacity` members: the number of its attributes, its span
 * and, where some call is not a plain blocking one (`extended`), when the call returned and when
 * waiting began, as another span. Members of a communicator that cannot be complete are in the
 * order of their arrival, and the number of each is kept too. */
struct syn_waiting {
    struct syn_waiting *next; /* in its bucket, or among the free ones */
    uint64_t sequence;
    uint32_t comm;
    uint32_t capacity;
    uint32_t arrived_count;
    bool extended;
    bool by_arrival;       /* the communicator cannot be complete */
    uint32_t attributes[]; /* SYN_NO_ATTRIBUTES: not there */
};

struct syn_waiting_table {
    const struct syn_comms *comms;
    struct syn_waiting **bucket; /* [bucket_count], a power of two */
    size_t bucket_count, count;
    size_t count_most;         /* since somebody set it to 0 */
    struct syn_waiting **free; /* [largest capacity + 1], by capacity */
    uint32_t capacity_max;
};

/* 0 or SYN_ENOMEM; free it in any case. */
int syn_waiting_begin(struct syn_waiting_table *table, const struct syn_comms *comms);
void syn_waiting_free(struct syn_waiting_table *table);
/* A new one, without members. NULL: no memory. */
struct syn_waiting *syn_waiting_add(struct syn_waiting_table *table, uint32_t comm,
                                    uint64_t sequence);
/* It waits no longer; its memory is good until the next one is added. */
void syn_waiting_remove(struct syn_waiting_table *table, struct syn_waiting *waiting);

/* Consecutive instances of a communicator lie in consecutive buckets, so that walking along them is
 * kind to the cache; communicators are spread by an odd multiplier. */
static inline size_t syn_waiting_bucket(const struct syn_waiting_table *table, uint32_t comm,
                                        uint64_t sequence)
{
    return (size_t)((uint64_t)comm * UINT64_C(0x9E3779B97F4A7C15) + sequence) &
           (table->bucket_count - 1);
}

/* NULL: no member of it was there yet. */
static inline struct syn_waiting *syn_waiting_find(const struct syn_waiting_table *table,
                                                   uint32_t comm, uint64_t sequence)
{
    struct syn_waiting *waiting = table->bucket[syn_waiting_bucket(table, comm, sequence)];
    while (waiting && (waiting->sequence != sequence || waiting->comm != comm))
        waiting = waiting->next;
    return waiting;
}

static inline size_t syn_waiting_spans_offset(uint32_t capacity)
{
    return (sizeof(struct syn_waiting) + capacity * sizeof(uint32_t) + 15) & ~(size_t)15;
}

static inline struct syn_span *syn_waiting_spans(struct syn_waiting *waiting)
{
    return (struct syn_span *)((char *)waiting + syn_waiting_spans_offset(waiting->capacity));
}

/* start_ns: the call returned; end_ns: waiting began. */
static inline struct syn_span *syn_waiting_extra_spans(struct syn_waiting *waiting)
{
    return syn_waiting_spans(waiting) + waiting->capacity;
}

static inline uint32_t *syn_waiting_numbers(struct syn_waiting *waiting)
{
    return (uint32_t *)(syn_waiting_extra_spans(waiting) + waiting->capacity);
}

#endif
