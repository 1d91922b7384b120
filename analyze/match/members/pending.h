/* analyze/match/members/pending.h - pending instances, found by communicator and sequence number.
 * Some of their members have been read, and some have not. A member is stored as its times and the
 * number of its attributes (attributes.h).
 *
 * A pending instance has the same form everywhere: in the table of a thread that reads a slice, in
 * the leftovers of a slice (members lie in other slices), and in the table between slices. The
 * numbers of attributes are valid in that table, or in those leftovers, only. A function that moves
 * an instance renumbers them. */
#ifndef SYN_PENDING_H
#define SYN_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/attributes.h"
#include "analyze/match/members/comms.h"
#include "sync/base/chains.h"
#include "sync/base/hash.h"

/* Global times of one member's event. */
struct syn_span {
    int64_t start_ns, end_ns;
};

/* Further times of a call: when the initiating call returned, and when the completing call began.
 * Both equal the start for a plain call, which is blocking and has completed. */
struct syn_request_times {
    int64_t call_end_ns, wait_start_ns;
};

/* A pending instance. Behind `attributes` lie, for each of `capacity` members: its span, its
 * request times (set if has_request_times), and its number (set if by_arrival). */
struct syn_pending {
    struct syn_chained chained; /* first; links of the table, or of free ones */
    uint64_t sequence;
    int64_t first_start_ns; /* of its members; set when it leaves its slice */
    uint32_t comm;
    uint32_t capacity; /* members that will ever come: those whose records of the communicator were
                          read */
    uint32_t arrived_count;
    uint32_t slice; /* slice of its first member; set when the instance leaves that slice */
    bool has_request_times;
    bool by_arrival; /* records of the communicator are missing, so its instances stay incomplete.
                        Members lie in the order of arrival, with their numbers */
    uint32_t attributes[]; /* [capacity] number of each member's attributes; SYN_NO_ATTRIBUTES: not
                              read yet */
};

struct syn_pending_table {
    const struct syn_comms *comms;
    struct syn_attribute_table attributes; /* attributes of the instances in the table */
    struct syn_chains chains;              /* of struct syn_pending */
    size_t count_most;         /* most instances at a time, since it was last set to 0 */
    struct syn_chained **free; /* [largest capacity + 1] recycled instances, by capacity */
    uint32_t capacity_max;
};

/* Pending instances that a slice leaves. {0} is empty. */
struct syn_leftovers {
    struct syn_pending **pending; /* [count], sorted by communicator and sequence number; owned.
                                     NULL: the instance moved to a table */
    size_t count;
    struct syn_attribute_table attributes;
};

/* Returns 0 or SYN_ENOMEM. The caller frees the table in any case. */
int syn_pending_begin(struct syn_pending_table *table, const struct syn_comms *comms);
void syn_pending_free(struct syn_pending_table *table);
/* Adds an instance without members. NULL: no memory. */
struct syn_pending *syn_pending_add(struct syn_pending_table *table, uint32_t comm,
                                    uint64_t sequence);
/* Remove an instance from the table. `recycle` keeps its memory for the next syn_pending_add.
 * `remove` frees the memory: a table that only gets instances by syn_pending_join would never use
 * it again. */
void syn_pending_recycle(struct syn_pending_table *table, struct syn_pending *pending);
void syn_pending_remove(struct syn_pending_table *table, struct syn_pending *pending);
/* Gives the instance request times. Those of members so far are set as for plain calls. */
void syn_pending_extend(struct syn_pending *pending);

/* Returns a table's pending instances, sorted by communicator and sequence number. The caller frees
 * the array [table->chains.count]. NULL: no memory. */
struct syn_pending **syn_pending_sorted(const struct syn_pending_table *table);
/* Moves all instances of the table to *out, which is empty. Returns 0 or SYN_ENOMEM. The caller
 * frees *out in any case. */
int syn_pending_leave(struct syn_pending_table *table, struct syn_leftovers *out);
void syn_leftovers_free(struct syn_leftovers *leftovers);
/* Moves the i-th leftover instance to the table, or adds its members to the same instance there.
 * *joined is the instance in the table. A member that is already there is left out and counted.
 * Returns 0 or SYN_ENOMEM. */
int syn_pending_join(struct syn_pending_table *table, struct syn_leftovers *from, size_t i,
                     struct syn_pending **joined, uint64_t *duplicate_count);
/* Removes attributes that no instance in the table has. Returns 0 or SYN_ENOMEM. */
int syn_pending_forget(struct syn_pending_table *table);

/* RATIONALE: consecutive instances of a communicator lie in neighbouring chains, so a walk along
 * them uses the cache well. */
static inline uint64_t syn_pending_hash(uint32_t comm, uint64_t sequence)
{
    return syn_hash_word(comm) + sequence;
}

/* Returns the pending instance; NULL: no member of it has been read. */
static inline struct syn_pending *syn_pending_find(const struct syn_pending_table *table,
                                                   uint32_t comm, uint64_t sequence)
{
    struct syn_chained *at = syn_chains_first(&table->chains, syn_pending_hash(comm, sequence));
    while (at && (((struct syn_pending *)at)->sequence != sequence ||
                  ((struct syn_pending *)at)->comm != comm))
        at = at->next;
    return (struct syn_pending *)at;
}

/* Returns the instance after `pending`, or the first after NULL, in any order. NULL: there are no
 * more. */
static inline struct syn_pending *syn_pending_next(const struct syn_pending_table *table,
                                                   const struct syn_pending *pending)
{
    return (struct syn_pending *)syn_chains_next(&table->chains,
                                                 pending ? &pending->chained : NULL);
}

/* Returns whether all members that will ever come have come. */
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
