/* trace/columns/columns_tables.h - the events of a chunk before they are put together: its tables,
 * which its events refer to, and where its columns of times lie. For columns_decode.c and
 * chunk_pack.c; the format is in docs/trace-format.md, "EVENTS". */
#ifndef SYN_COLUMNS_TABLES_H
#define SYN_COLUMNS_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/columns/column.h"
#include "trace/columns/columns.h"

/* The values of each tuple, a table each, so that a column is filled from one place. */
struct syn_columns_tuples {
    uint64_t *bytes;    /* without attributes */
    uint32_t *comm_use; /* index into next_number */
    uint32_t *comm;
    uint32_t *stack;
    uint32_t *root; /* signed; as bits */
    uint32_t *tag;  /* likewise, of messages; else 0 */
    uint16_t *op;
    uint16_t *flags;
    uint16_t *attributes;
    uint8_t *extended; /* 0 or 1, or 2: completed with the extended event before it */
    uint8_t *shift;    /* of its number in the sequence: 0; 32 of messages */
    void *memory;
};

struct syn_columns_tables {
    size_t event_count;
    size_t comm_count;
    size_t tuple_count;
    size_t exception_count;
    size_t extended_count; /* events with a 1 */
    bool has_messages;
    int64_t base;
    uint64_t units[4]; /* of gap, call, overlap, wait */
    uint32_t *comms;
    uint64_t *next_number;  /* [comm_count + 1]: on each communicator; the last: of messages */
    uint32_t *exception_at; /* [exception_count], ascending, below event_count */
    int64_t *exception_by;
    struct syn_columns_tuples tuples;
};

/* Symbols and bits of one column of times; they lie in the payload. */
struct syn_columns_times {
    const uint8_t *symbols;
    const uint8_t *bits;
};

/* No index lies outside the tables, and extended_count events are extended. */
struct syn_columns_payload {
    struct syn_columns_tables tables;
    struct syn_chunk_column tags;      /* of each event, in bytes; empty: they are the tuples' */
    const uint8_t *index;              /* the tuple of each event; NULL for one tuple: */
    size_t index_width;                /*   planes of event_count bytes, 0 to 2, lowest first; */
    uint8_t *own_index;                /*   its memory if it is no part of the payload; else NULL */
    struct syn_columns_times times[4]; /* gap, call, overlap, wait */
};

/* Memory for so many tuples, all of it `memory`; false if there is none. */
bool syn_columns_tuples_reserve(struct syn_columns_tuples *tuples, size_t count);

/* Read the tables of a chunk. Call stacks and pauses that lie in columns of their own become part
 * of the tuples (columns_join.c). Returns 0; SYN_EDAMAGED, then *why is a constant text;
 * SYN_ENOMEM. Free `out` in any case. */
int syn_columns_find(const struct syn_columns_source *source, struct syn_columns_payload *out,
                     const char **why);
void syn_columns_payload_free(struct syn_columns_payload *payload);

/* Give each event a tuple that has its call stack and says whether the recorder paused before it.
 * Changes nothing if the chunk has no column of these. Returns 0, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_columns_join(const struct syn_columns_source *source, struct syn_columns_payload *payload);

/* False if a communicator is not known. A stack that is not known becomes SYN_NO_STACK. */
bool syn_columns_check_known(struct syn_columns_tables *tables,
                             const struct syn_columns_known *known, bool *lost_stacks);

/* Planes of the index for so many tuples. */
static inline size_t syn_columns_index_width(size_t tuple_count)
{
    return tuple_count == 1 ? 0 : tuple_count <= 256 ? 1 : 2;
}

/* The tuples of `count` events, from event `first` on. */
void syn_columns_index(const struct syn_columns_payload *payload, size_t first, size_t count,
                       uint16_t *out);

/* Does no index lie outside the table, and are as many events extended as the counts say? */
bool syn_columns_check_index(const struct syn_columns_payload *payload);

/* Store the tuple of each event, index [event_count], as own_index. Returns 0 or SYN_ENOMEM. */
int syn_columns_own_index(struct syn_columns_payload *payload, const uint16_t *index);

/* Append the column of tuples as predictions (SYN_ENCODING_PREDICTED): after a tuple, the one that
 * followed it last is expected. index [event_count]. 0 or SYN_ENOMEM. */
int syn_columns_put_predicted(struct syn_bytes *out, const uint16_t *index, size_t event_count,
                              size_t tuple_count);

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
