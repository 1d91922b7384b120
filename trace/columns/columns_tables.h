/* trace/columns/columns_tables.h - the tables of a chunk, to which its events refer, and the places
 * of its columns of times. For columns_decode.c and chunk_pack.c. docs/trace-format.md, "EVENTS",
 * has the format. */
#ifndef SYN_COLUMNS_TABLES_H
#define SYN_COLUMNS_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/columns/column.h"
#include "trace/columns/columns.h"

/* The values that an event has of its tuple, as VALUE(bits, name): bytes are without attributes; a
 * root is signed, stored as bits. */
#define SYN_EVENT_VALUES(VALUE) \
    VALUE(64, bytes)            \
    VALUE(32, comm)             \
    VALUE(32, stack) VALUE(32, root) VALUE(16, op) VALUE(16, flags) VALUE(16, attributes)
/* Further values of a tuple:
 * comm_use   index into next_number
 * tag        signed, stored as bits; 0 for events that are no messages
 * extended   0 or 1; 2: completed together with the extended event before
 * shift      bits to shift the number within `sequence`: 32 for messages, else 0 */
#define SYN_TUPLE_VALUES(VALUE) \
    SYN_EVENT_VALUES(VALUE)     \
    VALUE(32, comm_use) VALUE(32, tag) VALUE(8, extended) VALUE(8, shift)

/* The values of all tuples, one table for each, so that a column is filled from one table. */
struct syn_columns_tuples {
#define SYN_VALUE(bits, name) uint##bits##_t *name;
    SYN_TUPLE_VALUES(SYN_VALUE)
#undef SYN_VALUE
    void *memory;
};

struct syn_columns_tables {
    size_t event_count;
    size_t comm_count;
    size_t tuple_count;
    size_t exception_count;
    size_t extended_count; /* events whose tuple has extended 1 */
    bool has_messages;
    int64_t base;
    uint64_t units[4]; /* of gap, call, overlap, wait */
    uint32_t *comms;
    uint64_t *next_number; /* [comm_count + 1]: next number on each communicator; the last entry: of
                              messages */
    uint32_t *exception_at; /* [exception_count], ascending, below event_count */
    int64_t *exception_by;
    struct syn_columns_tuples tuples;
};

/* Symbols and bits of one column of times; they lie in the payload. */
struct syn_columns_times {
    const uint8_t *symbols;
    const uint8_t *bits;
};

/* A checked payload: every index lies inside its table, and extended_count events are extended. */
struct syn_columns_payload {
    struct syn_columns_tables tables;
    struct syn_chunk_column tags; /* one for each event, as bytes; empty: tags are in the tuples */
    const uint8_t *index;         /* the tuple of each event; NULL if there is only one tuple: */
    size_t index_width;           /* planes of event_count bytes, 0 to 2, lowest first; */
    uint8_t *own_index;           /* memory of `index` if that is not in the payload; else NULL */
    struct syn_columns_times times[4]; /* gap, call, overlap, wait */
};

/* Allocates room for `count` tuples, as `memory`. Returns false if memory is short. */
bool syn_columns_tuples_reserve(struct syn_columns_tuples *tuples, size_t count);

/* Reads the tables of a chunk. Call stacks and pauses in columns of their own become part of the
 * tuples (columns_join.c). Returns 0; SYN_EDAMAGED, then *why is a constant text; SYN_ENOMEM. The
 * caller frees `out` in any case. */
int syn_columns_find(const struct syn_columns_source *source, struct syn_columns_payload *out,
                     const char **why);
void syn_columns_payload_free(struct syn_columns_payload *payload);

/* Gives each event a tuple with its call stack, and with the flag that the recorder stopped before
 * the event. Changes nothing if the chunk has neither column. Returns 0, SYN_EDAMAGED or
 * SYN_ENOMEM. */
int syn_columns_join(const struct syn_columns_source *source, struct syn_columns_payload *payload);

/* Returns false if a communicator is not known. An unknown call stack becomes SYN_NO_STACK. */
bool syn_columns_check_known(struct syn_columns_tables *tables,
                             const struct syn_columns_known *known, bool *lost_stacks);

/* Returns the number of planes of an index of this many tuples. */
static inline size_t syn_columns_index_width(size_t tuple_count)
{
    return tuple_count == 1 ? 0 : tuple_count <= 256 ? 1 : 2;
}

/* Writes the tuples of `count` events, from event `first` on, to out [count]. */
void syn_columns_index(const struct syn_columns_payload *payload, size_t first, size_t count,
                       uint16_t *out);

/* Returns true if every index lies inside the table and the number of extended events equals
 * extended_count. */
bool syn_columns_check_index(const struct syn_columns_payload *payload);

/* Stores the tuple of each event, index [event_count], as own_index. Returns 0 or SYN_ENOMEM. */
int syn_columns_own_index(struct syn_columns_payload *payload, const uint16_t *index);

/* Appends the column of tuples as predictions (SYN_ENCODING_PREDICTED): after a tuple, the tuple
 * that followed it last is expected. index [event_count]. Returns 0 or SYN_ENOMEM. */
int syn_columns_put_predicted(struct syn_bytes *out, const uint16_t *index, size_t event_count,
                              size_t tuple_count);

/* Defines a function that fills a column from a table of the tuples: out[i] = table[index[i]]. Most
 * tables have one value throughout, which the function tests first. */
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
