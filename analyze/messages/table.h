/* analyze/messages/table.h - rows of messages by operation, call site and size, and what ranks made
 * others wait in them. A slice has a table, and so has the run, into which those are added. All
 * sums are whole numbers: they are the same in whatever order they are added. */
#ifndef SYN_MESSAGES_TABLE_H
#define SYN_MESSAGES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/columns/column.h"
#include "sync/base/index.h"

/* Different distances between ranks that a row remembers. */
#define SYN_OFFSETS_MAX 6

struct syn_message_key {
    uint16_t op;
    uint32_t site; /* name number */
    uint8_t size;  /* 0 of no bytes, else 1 + the logarithm of the bytes to base 2 */
    bool receives;
};

/* Ranks of the communicator, from which and to which messages go. */
struct syn_message_pattern {
    int32_t offset[SYN_OFFSETS_MAX]; /* [offset_count] peer - own rank, the shorter way round */
    uint8_t offset_count;            /* SYN_OFFSETS_MAX + 1: more than these */
    int32_t own, peer;               /* -1: none yet, -2: several */
};

struct syn_message_row {
    struct syn_message_key key;
    struct syn_message_pattern pattern;
    uint64_t count, met_count, unmatched_count, ambiguous_count, cancelled_count;
    uint64_t bytes; /* of all */
    int64_t waiting_ns, transfer_ns;
    int64_t bound_ns;           /* largest clock bound of a message of these */
    struct syn_column transfer; /* of each message that met, in ns */
};

/* A rank made others wait in a row's messages. */
struct syn_message_late {
    uint32_t row;
    int32_t rank;
    int64_t waiting_ns;
};

struct syn_message_table {
    struct syn_message_row *row; /* [row_count] */
    size_t row_count, row_capacity;
    struct syn_index rows;
    struct syn_message_late *late; /* [late_count] */
    size_t late_count, late_capacity;
    struct syn_index lates;
};

/* Number of the row. SYN_NO_MESSAGE_ROW: no memory. */
#define SYN_NO_MESSAGE_ROW UINT32_MAX
uint32_t syn_message_row(struct syn_message_table *table, const struct syn_message_key *key);
/* One rank exchanges messages with another in this row. */
void syn_message_pattern_add(struct syn_message_pattern *pattern, int32_t own, int32_t peer,
                             int32_t comm_size);
/* 0 or SYN_ENOMEM. */
int syn_message_late_add(struct syn_message_table *table, const struct syn_message_late *late);
/* Adds a slice's table. `store` is of the run's columns. 0, SYN_ENOMEM or SYN_EIO. */
int syn_message_table_add(struct syn_message_table *into, struct syn_message_table *from,
                          struct syn_store *store);
void syn_message_table_free(struct syn_message_table *table);

#endif
