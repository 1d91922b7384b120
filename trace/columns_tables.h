/* trace/columns_tables.h - a chunk's payload in its parts: the tables at its head, which its events
 * refer to, and where the columns behind them lie. For columns_decode.c; the format is in
 * docs/trace-format.md, "EVENTS". */
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

/* No index lies outside the tables, as many exceptions are there as the counts say, and so many
 * events are extended. What exceptions and times say is not checked yet. */
struct syn_columns_payload {
    struct syn_columns_tables tables;
    struct syn_take exceptions; /* positions and differences, two varints each */
    const uint8_t *index;       /* the tuple of each event: */
    size_t index_width;         /*   in 0, 1 or 2 bytes; */
    uint8_t *own_index;         /*   its memory where it is no part of the payload; else NULL */
    struct syn_take times;      /* all that is left */
};

/* Memory for so many tuples, all of it `memory`; false where there is none. */
bool syn_columns_tuples_reserve(struct syn_columns_tuples *tuples, size_t count);

/* The parts of an EVENTS frame's payload, `raw` [raw_bytes], which is kept by reference. Returns 0;
 * SYN_EDAMAGED, then *why is a constant text; SYN_ENOMEM. Free it in any case. */
int syn_columns_find(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                     struct syn_columns_payload *out, const char **why);
void syn_columns_payload_free(struct syn_columns_payload *payload);

/* No index lies outside the table, and so many events are extended as the counts say. */
bool syn_columns_check_index(const struct syn_columns_tables *tables, const uint8_t *index,
                             size_t width);

/* False where a communicator is not known. A stack that is not becomes SYN_NO_STACK. */
bool syn_columns_check_known(struct syn_columns_tables *tables,
                             const struct syn_columns_known *known, bool *lost_stacks);

/* Bytes of an event's tuple in the index. */
static inline size_t syn_columns_index_width(size_t tuple_count)
{
    return tuple_count == 1 ? 0 : tuple_count <= 256 ? 1 : 2;
}

/* Which tuples `count` events have, from event `first` on. */
void syn_columns_index(const struct syn_columns_payload *payload, size_t first, size_t count,
                       uint16_t *out);

/* Fill a column from the tuples' table of it: out[i] is that of tuple index[i]. Most columns are
 * the same number throughout. */
#define SYN_SPREAD(name, type)                                                                \
    static inline void name(const type *restrict table, size_t table_count,                   \
                            const uint16_t *restrict index, size_t count, type *restrict out) \
    {                                                                                         \
        size_t same = 1;                                                                      \
        while (same < table_count && table[same] == table[0])                                 \
            same++;                                                                           \
        if (same == table_count)                                                              \
            for (size_t i = 0; i < count; i++)                                                \
                out[i] = table[0];                                                            \
        else                                                                                  \
            for (size_t i = 0; i < count; i++)                                                \
                out[i] = table[index[i]];                                                     \
    }

SYN_SPREAD(syn_spread_64, uint64_t)
SYN_SPREAD(syn_spread_32, uint32_t)
SYN_SPREAD(syn_spread_16, uint16_t)
SYN_SPREAD(syn_spread_8, uint8_t)

#endif
