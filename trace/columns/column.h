/* trace/columns/column.h - one column of numbers in the payload of a chunk (docs/trace-format.md,
 * "EVENTS").
 *
 * A chunk is a list of columns, of each name at most one. Each says how its numbers are encoded and
 * how many there are, so a reader finds the end of a column that it does not decode.
 *
 *     name  encoding  count  parameters  bytes
 *
 * This table of names and encodings is the only one; writer, reader and packer share it. */
#ifndef SYN_COLUMN_H
#define SYN_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

/* Columns of samples, in the order of struct syn_sample; which counts a sample has comes first. */
enum { SYN_SAMPLE_COLUMNS = 11 };
/* Figures of segments: messages, off the processor, and both before the wait. */
enum { SYN_FIGURE_COLUMNS = 4 };

enum syn_column_name {
    SYN_COLUMN_BASE,          /* call end before the first event */
    SYN_COLUMN_COMM,          /* communicators of the chunk: their numbers, */
    SYN_COLUMN_COMM_SEQUENCE, /*   the first sequence number on each */
    SYN_COLUMN_OP,            /* tuples: operation, */
    SYN_COLUMN_FLAGS,         /*   2 * (flags, + 128 if completed with another) + 1 if extended, */
    SYN_COLUMN_COMM_PLACE,    /*   place in SYN_COLUMN_COMM, */
    SYN_COLUMN_TUPLE_STACK,   /*   call stack + 1 modulo 2^32, */
    SYN_COLUMN_ROOT,
    SYN_COLUMN_BYTES,
    SYN_COLUMN_EXCEPTION_AT, /* events with an unexpected sequence number: place, */
    SYN_COLUMN_EXCEPTION_BY, /*   and by how much it is off */
    SYN_COLUMN_PAUSED,       /* events that the recorder paused before */
    SYN_COLUMN_STACK,        /* of each event, where call stacks are in no tuple: as above */
    SYN_COLUMN_TUPLE,        /* of each event: place of its tuple; absent for one tuple */
    SYN_COLUMN_GAP,
    SYN_COLUMN_CALL,
    SYN_COLUMN_OVERLAP,
    SYN_COLUMN_WAIT,
    SYN_COLUMN_FIGURE_AT,                                             /* [SYN_FIGURE_COLUMNS] */
    SYN_COLUMN_FIGURE = SYN_COLUMN_FIGURE_AT + SYN_FIGURE_COLUMNS,    /* [SYN_FIGURE_COLUMNS] */
    SYN_COLUMN_SAMPLE_PLACE = SYN_COLUMN_FIGURE + SYN_FIGURE_COLUMNS, /* events before a sample */
    SYN_COLUMN_SAMPLE,                                                /* [SYN_SAMPLE_COLUMNS] */
    SYN_COLUMN_ORDER = SYN_COLUMN_SAMPLE + SYN_SAMPLE_COLUMNS,        /* of the first message */
    SYN_COLUMN_TUPLE_TAG,                                             /* tuples: tag of a message */
    SYN_COLUMN_TAG, /* of each event, where tags are in no tuple */
    SYN_COLUMN_COUNT
};

/* In SYN_COLUMN_FLAGS: the event was completed by the call that completed the extended event before
 * it. It has no numbers in SYN_COLUMN_OVERLAP and SYN_COLUMN_WAIT. */
#define SYN_COLUMN_FLAG_TOGETHER 0x80u

enum syn_encoding {
    SYN_ENCODING_NUMBERS,     /* a zigzag each */
    SYN_ENCODING_DIFFERENCES, /* a zigzag of the difference from the number before, first from 0 */
    SYN_ENCODING_BYTES,       /* parameters least, width; byte planes of number - least */
    SYN_ENCODING_PREDICTED,   /* a varint each: 0 as predicted, 1 the next new one, else + 2 */
    SYN_ENCODING_MAGNITUDES,  /* parameter unit; a symbol each, then the bits below them */
    /* Magnitudes of something else, chosen by syn_chunk_pack: */
    SYN_ENCODING_STEPS,        /* of differences */
    SYN_ENCODING_REST_OF_GAP,  /* of the event's gap - the number */
    SYN_ENCODING_SINCE_CALL,   /* of a time - the end of the call before it */
    SYN_ENCODING_REST_OF_TIME, /* of the growth of what the columns before it leave - its own */
    SYN_ENCODING_COUNT
};

/* One column of a payload, where it lies. `data` and `bits` point into the payload. */
struct syn_chunk_column {
    bool is_there;
    uint8_t encoding;
    size_t count;        /* of its numbers */
    uint64_t least;      /* BYTES */
    size_t width;        /* BYTES: planes, of `count` bytes each */
    uint64_t unit;       /* of magnitudes */
    const uint8_t *data; /* numbers, planes or symbols */
    const uint8_t *end;
    const uint8_t *bits; /* of magnitudes */
};

/* Find the columns of `raw` [raw_bytes], of a chunk of `event_count` events. Every column lies
 * within the payload, and none has more numbers than events, or of samples more than
 * SYN_CHUNK_SAMPLES_MAX. Returns false if `raw` is not a list of columns. */
bool syn_columns_split(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                       struct syn_chunk_column columns[SYN_COLUMN_COUNT]);

/* Append the beginning of a column, enum syn_column_name; its parameters and bytes follow. */
void syn_column_begin(struct syn_bytes *out, int name, enum syn_encoding encoding, size_t count);
/* Begin a column of bytes: `width` planes of `count` bytes each follow. */
void syn_column_begin_planes(struct syn_bytes *out, int name, size_t count, uint64_t least,
                             size_t width);
/* Append a column of differences. */
void syn_column_put_differences(struct syn_bytes *out, int name, const int64_t *values,
                                size_t count);
/* Append a column of magnitudes; `values` are divided by `unit` already. Returns where in `out` the
 * bits begin. */
size_t syn_column_put_magnitudes(struct syn_bytes *out, int name, enum syn_encoding encoding,
                                 uint64_t unit, const int64_t *values, size_t count);
/* Bits that magnitudes of these values take, about: for a choice between two encodings. */
uint64_t syn_column_weight(const int64_t *values, size_t count);
/* Append a column as it lies in another payload. */
void syn_column_copy(struct syn_bytes *out, int name, const struct syn_chunk_column *column);

/* Decode NUMBERS, DIFFERENCES or BYTES into values [column->count]. Returns false for other
 * encodings, unless the column is empty. */
bool syn_column_numbers(const struct syn_chunk_column *column, int64_t *values);
/* Decode magnitudes, whatever they are of, into values [column->count]. Returns false for other
 * encodings, unless the column is empty. Reads up to 16 bytes behind the payload. */
bool syn_column_magnitudes(const struct syn_chunk_column *column, int64_t *values);
/* Decode ascending places below `limit`, each once, from DIFFERENCES into places [column->count].
 * Returns false for others, and for other encodings, unless the column is empty. */
bool syn_column_places(const struct syn_chunk_column *column, size_t limit, uint32_t *places);

#endif
