/* analyze/messages/table.h - rows of messages by operation, call site and size, and the waiting
 * that each rank caused in them. Each slice has a table, which is added to the table of the run.
 * All sums are integers, so the order of adding does not matter. */
#ifndef SYN_MESSAGES_TABLE_H
#define SYN_MESSAGES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/columns/column.h"
#include "analyze/match/members/attributes.h"
#include "sync/base/index.h"
#include "trace/events/message.h"

/* Number of different distances between ranks that a row stores. */
#define SYN_OFFSETS_MAX 6

struct syn_message_key {
    uint32_t site; /* name number */
    uint16_t op;
    uint8_t size; /* 0: no bytes; else 1 + floor(log2(bytes)) */
    uint8_t receives;
};
_Static_assert(sizeof(struct syn_message_key) == 8, "keys are compared as bytes: no padding");
static inline struct syn_message_key syn_message_key_of(const struct syn_attributes *attributes)
{
    const uint64_t bytes = attributes->bytes;
    return (struct syn_message_key){.site = attributes->site,
                                    .op = attributes->op,
                                    .size = (uint8_t)(bytes ? 64 - __builtin_clzll(bytes) : 0),
                                    .receives = (attributes->elements & SYN_MESSAGE_RECEIVE) != 0};
}

/* The ranks of the communicator that exchange messages. */
struct syn_message_pattern {
    int32_t offset[SYN_OFFSETS_MAX]; /* [offset_count] peer - own rank, the shorter way round,
                                        ascending */
    uint8_t offset_count;            /* SYN_OFFSETS_MAX + 1: there are more distances */
    int32_t own, peer;               /* the rank, if always the same; -1: none yet, -2: several */
};

struct syn_message_row {
    struct syn_message_key key; /* op 0: not set yet */
    struct syn_message_pattern pattern;
    uint64_t count, unmatched_count, ambiguous_count, cancelled_count;
    uint64_t bytes; /* of all halves but cancelled ones */
    int64_t waiting_ns, transfer_ns;
    int64_t bound_ns;           /* largest clock bound of one of these messages */
    struct syn_column transfer; /* transfer of each message whose halves met, in ns */
};

/* The waiting that one rank caused in a row's messages. */
struct syn_message_late {
    uint32_t row;
    int32_t rank;
    int64_t waiting_ns;
};

struct syn_message_table {
    struct syn_message_row *row; /* [row_count], numbered alike in all tables of a run */
    size_t row_count, row_capacity;
    struct syn_message_late *late; /* [late_count] */
    size_t late_count, late_capacity;
    struct syn_index lates;
};

/* Makes room for the first `count` rows. Returns 0 or SYN_ENOMEM. */
int syn_message_rows(struct syn_message_table *table, size_t count);
/* Notes that rank `own` exchanges messages with rank `peer`. */
void syn_message_pattern_add(struct syn_message_pattern *pattern, int32_t own, int32_t peer,
                             int32_t comm_size);
/* Adds waiting to that of the same row and rank. Returns 0 or SYN_ENOMEM. */
int syn_message_late_add(struct syn_message_table *table, const struct syn_message_late *late);
/* Adds a table to that of the run, and empties its rows. `store` stores the run's columns. Returns
 * 0, SYN_ENOMEM or SYN_EIO. */
int syn_message_table_add(struct syn_message_table *into, struct syn_message_table *from,
                          struct syn_store *store);
void syn_message_table_free(struct syn_message_table *table);

#endif
