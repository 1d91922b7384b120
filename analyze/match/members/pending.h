/* analyze/match/members/pending.h - pending instances: those of which some members have been read
 * and some not, found by communicator and sequence number. A member leaves little here: when it
 * came and went, and the number (attributes.h) of all else that it says.
 *
 * There is one form of them wherever they are: in the table of a thread that reads a time slice, in
 * what a slice leaves because members lie in other slices, and in the table between slices. The
 * numbers of attributes mean something in the table (or leftovers) only in which an instance is:
 * who moves one renumbers it. */
#ifndef SYN_PENDING_H
#define SYN_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/attributes.h"
#include "analyze/match/members/comms.h"
#include "sync/base/chains.h"
#include "sync/base/hash.h"

/* Span of one member's event. Global times. */
struct syn_span {
    int64_t start_ns, end_ns;
};

/* Times of a call that is not plain and blocking: when the initiating call returned, and when the
 * completing call began. Both are the start for a blocking one. */
struct syn_request_times {
    int64_t call_end_ns, wait_start_ns;
};

/* Behind the attributes of an instance lie, for each of `capacity` members, its span, its request
 * times (only where has_request_times) and its number (only where by_arrival). */
struct syn_pending {
    struct syn_chained chained; /* first; in its table, or among the free ones */
    uint64_t sequence;
    int64_t first_start_ns; /* of its members; set once it has left its slice */
    uint32_t comm;
    uint32_t capacity; /* members that will ever come: whose records of the communicator were read
                        */
    uint32_t arrived_count;
    uint32_t slice; /* in which its first member came; set once it has left that */
    bool has_request_times;
    bool by_arrival;       /* the communicator lacks records, so that nothing of it can be complete:
                              members lie in the order of their arrival, each with its number */
    uint32_t attributes[]; /* SYN_NO_ATTRIBUTES: not there */
};

struct syn_pending_table {
    const struct syn_comms *comms;
    struct syn_attribute_table attributes; /* by the numbers that the instances have */
    struct syn_chains chains;              /* of struct syn_pending */
    size_t count_most;                     /* since somebody set it to 0 */
    struct syn_chained **free;             /* [largest capacity + 1], by capacity */
    uint32_t capacity_max;
};

/* Leftovers of a slice. All of {0} is nothing. */
struct syn_leftovers {
    struct syn_pending **pending; /* [count], by communicator and sequence number; owned, NULL where
                                     it has moved on */
    size_t count;
    struct syn_attribute_table attributes;
};

/* 0 or SYN_ENOMEM; free it in any case. */
int syn_pending_begin(struct syn_pending_table *table, const struct syn_comms *comms);
void syn_pending_free(struct syn_pending_table *table);
/* A new one, without members. NULL: no memory. */
struct syn_pending *syn_pending_add(struct syn_pending_table *table, uint32_t comm,
                                    uint64_t sequence);
/* It is pending no longer. Its memory is for the next one that is added; or is freed, as it has to
 * be where instances only come by syn_pending_join. */
void syn_pending_recycle(struct syn_pending_table *table, struct syn_pending *pending);
void syn_pending_remove(struct syn_pending_table *table, struct syn_pending *pending);
/* From now on every member has request times: those who have come so far are plain. */
void syn_pending_extend(struct syn_pending *pending);

/* Returns a table's pending instances, by communicator and sequence number; the array
 * [table->chains.count] is the caller's. NULL: no memory. */
struct syn_pending **syn_pending_sorted(const struct syn_pending_table *table);
/* Empty the table into *out (nothing so far). 0 or SYN_ENOMEM; free *out in any case. */
int syn_pending_leave(struct syn_pending_table *table, struct syn_leftovers *out);
void syn_leftovers_free(struct syn_leftovers *leftovers);
/* The i-th of what was left to the table, together with the members that are already there: *joined
 * is the instance there. Members that are there twice are left out and counted. 0 or SYN_ENOMEM. */
int syn_pending_join(struct syn_pending_table *table, struct syn_leftovers *from, size_t i,
                     struct syn_pending **joined, uint64_t *duplicate_count);
/* Forget attributes that no instance in the table has. 0 or SYN_ENOMEM. */
int syn_pending_forget(struct syn_pending_table *table);

/* Consecutive instances of a communicator lie side by side, so that walking along them is kind to
 * the cache. */
static inline uint64_t syn_pending_hash(uint32_t comm, uint64_t sequence)
{
    return syn_hash_word(comm) + sequence;
}

/* NULL: no member of it was there yet. */
static inline struct syn_pending *syn_pending_find(const struct syn_pending_table *table,
                                                   uint32_t comm, uint64_t sequence)
{
    struct syn_chained *at = syn_chains_first(&table->chains, syn_pending_hash(comm, sequence));
    while (at && (((struct syn_pending *)at)->sequence != sequence ||
                  ((struct syn_pending *)at)->comm != comm))
        at = at->next;
    return (struct syn_pending *)at;
}

/* The one after `pending`, in any order; after NULL: the first. NULL: there is no other. */
static inline struct syn_pending *syn_pending_next(const struct syn_pending_table *table,
                                                   const struct syn_pending *pending)
{
    return (struct syn_pending *)syn_chains_next(&table->chains,
                                                 pending ? &pending->chained : NULL);
}

/* Has every member come that ever will? */
static inline bool syn_pending_is_over(const struct syn_pending *pending)
{
    return pending->arrived_count == pending->capacity;
}

static inline size_t syn_pending_spans_offset(uint32_t capacity)
{
    return (sizeof(struct syn_pending) + capacity * sizeof(uint32_t) + 15) & ~(size_t)15;
}

static inline struct syn_span *syn_pending_spans(const struct syn_pending *pending)
{
    return (struct syn_span *)((char *)pending + syn_pending_spans_offset(pending->capacity));
}

static inline struct syn_request_times *syn_pending_requests(const struct syn_pending *pending)
{
    return (struct syn_request_times *)(syn_pending_spans(pending) + pending->capacity);
}

static inline uint32_t *syn_pending_members(const struct syn_pending *pending)
{
    return (uint32_t *)(syn_pending_requests(pending) + pending->capacity);
}

#endif
