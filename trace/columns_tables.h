/* trace/columns_tables.h - what a chunk's events refer to: the tables at the head of its payload.
 * For columns_decode.c; the format is in docs/trace-format.md, "EVENTS". */
#ifndef SYN_COLUMNS_TABLES_H
#define SYN_COLUMNS_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/columns.h"

/* What the tuples say, a table each, so that a column is filled from one place. */
struct syn_columns_tuples {
    uint64_t *bytes;
    uint32_t *comm_use; /* index into the chunk's communicators */
    uint32_t *comm;
    uint32_t *stack;
    uint32_t *root; /* signed; as bits */
    uint16_t *op;
    uint16_t *flags;
    uint8_t *extended; /* 0 or 1 */
    void *memory;
};

struct syn_columns_tables {
    size_t event_count;
    size_t comm_count;
    size_t tuple_count;
    size_t exception_count;
    size_t extended_count;
    int64_t base;
    uint64_t units[4]; /* of gap, call, overlap, wait */
    uint32_t *comms;
    uint64_t *next_sequence;
    struct syn_columns_tuples tuples;
};

/* The counts and the numbers after them. */
bool syn_columns_take_counts(struct syn_take *take, struct syn_columns_tables *tables);
/* Memory for as much as was counted; 0 or SYN_ENOMEM, free it in either case. */
int syn_columns_tables_reserve(struct syn_columns_tables *tables);
void syn_columns_tables_free(struct syn_columns_tables *tables);
bool syn_columns_take_tables(struct syn_take *take, struct syn_columns_tables *tables);

/* False where a communicator is not known. A stack that is not becomes SYN_NO_STACK. */
bool syn_columns_check_known(struct syn_columns_tables *tables,
                             const struct syn_columns_known *known, bool *lost_stacks);

/* Which tuple event i has; the index column has 0, 1 or 2 bytes an event. */
static inline size_t syn_columns_index_at(const uint8_t *index, size_t width, size_t i)
{
    return width == 0 ? 0 : width == 1 ? index[i] : syn_load16(index + 2 * i);
}

/* No index lies outside the table, and so many events are extended as the counts say. */
bool syn_columns_check_index(const struct syn_columns_tables *tables, const uint8_t *index,
                             size_t width);

#endif
