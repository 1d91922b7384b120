/* trace/columns/column.h - one column of numbers in the payload of a chunk (docs/trace-format.md,
 * "EVENTS").
 *
 * A chunk is a list of columns with different names. Each column has its encoding and the count of
 * its numbers, so a reader finds the end of a column that it does not decode.
 *
 *     name  encoding  count  parameters  bytes
 *
 * This is the only table of names and encodings. The writer, the reader and the packer share it. */
#ifndef SYN_COLUMN_H
#define SYN_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

/* Number of columns of samples. The first is `has`; the others are in the order of struct
 * syn_sample. */
enum { SYN_SAMPLE_COLUMNS = 11 };
/* Figures of segments: time in messages and time off the processor, before an event and before its
 * wait. */
enum { SYN_FIGURE_COLUMNS = 4 };

enum syn_column_name {
    SYN_COLUMN_BASE, /* the time from which the first gap counts: the start of the first event */
    SYN_COLUMN_COMM, /* communicators of the chunk: their indices, */
    SYN_COLUMN_COMM_SEQUENCE, /* the first sequence number on each */
    SYN_COLUMN_OP,            /* tuples: operation, */
    SYN_COLUMN_FLAGS, /* 2 * (flags, + 128 if completed together with another) + 1 if extended, */
    SYN_COLUMN_COMM_PLACE,  /*   place in SYN_COLUMN_COMM, */
    SYN_COLUMN_TUPLE_STACK, /*   call stack + 1 modulo 2^32, */
    SYN_COLUMN_ROOT,
    SYN_COLUMN_BYTES,
    SYN_COLUMN_EXCEPTION_AT, /* events with an unexpected sequence number: place in the chunk, */
    SYN_COLUMN_EXCEPTION_BY, /* difference from the expected number */
    SYN_COLUMN_PAUSED,       /* places of events before which the recorder stopped */
    SYN_COLUMN_STACK,        /* call stack + 1 of each event, if call stacks are not in tuples */
    SYN_COLUMN_TUPLE,        /* place of each event's tuple; absent if there is only one tuple */
    SYN_COLUMN_GAP,
    SYN_COLUMN_CALL,
    SYN_COLUMN_OVERLAP,
    SYN_COLUMN_WAIT,
    SYN_COLUMN_FIGURE_AT, /* [SYN_FIGURE_COLUMNS]: events with a figure */
    SYN_COLUMN_FIGURE =
        SYN_COLUMN_FIGURE_AT + SYN_FIGURE_COLUMNS, /* [SYN_FIGURE_COLUMNS]: their figures */
    SYN_COLUMN_SAMPLE_PLACE =
        SYN_COLUMN_FIGURE + SYN_FIGURE_COLUMNS, /* number of calls ended before a sample */
    SYN_COLUMN_SAMPLE,                          /* [SYN_SAMPLE_COLUMNS] */
    SYN_COLUMN_ORDER =
        SYN_COLUMN_SAMPLE + SYN_SAMPLE_COLUMNS, /* number in order of the first message */
    SYN_COLUMN_TUPLE_TAG,                       /* tuples: tag of a message */
    SYN_COLUMN_TAG,                             /* tag of each event, if tags are not in tuples */
    SYN_COLUMN_COUNT
};

/* In SYN_COLUMN_FLAGS: the call that completed the extended event before also completed this event.
 * The event has no numbers in SYN_COLUMN_OVERLAP and SYN_COLUMN_WAIT. */
#define SYN_COLUMN_FLAG_TOGETHER 0x80u

enum syn_encoding {
    SYN_ENCODING_NUMBERS,     /* one zigzag per number */
    SYN_ENCODING_DIFFERENCES, /* a zigzag of the difference from the number before, the first from 0
                               */
    SYN_ENCODING_BYTES,       /* parameters least, width; byte planes of number - least */
    SYN_ENCODING_PREDICTED,   /* one varint per number: 0: as predicted, 1: the next new tuple, else
                                 tuple + 2 */
    SYN_ENCODING_MAGNITUDES,  /* parameter unit; one symbol per number, then the bits below the
                                 symbols */
    /* Magnitudes of a difference, chosen by syn_chunk_pack: */
    SYN_ENCODING_STEPS,        /* of the difference from the sample before */
    SYN_ENCODING_REST_OF_GAP,  /* of the event's gap - the number */
    SYN_ENCODING_SINCE_CALL,   /* of the time - the end of the call before it */
    SYN_ENCODING_REST_OF_TIME, /* of the growth of time that the columns before leave - this
                                  column's growth */
    SYN_ENCODING_COUNT
};

/* One column of a payload. `data` and `bits` point into the payload. */
struct syn_chunk_column {
    bool is_there;
    uint8_t encoding;
    size_t count;        /* of the column's numbers */
    uint64_t least;      /* BYTES */
    size_t width;        /* BYTES: planes, of `count` bytes each */
    uint64_t unit;       /* magnitudes */
    const uint8_t *data; /* numbers, planes or symbols */
    const uint8_t *end;
    const uint8_t *bits; /* magnitudes: the bits below the symbols */
};

/* Finds the columns of `raw` [raw_bytes], the payload of a chunk of `event_count` events. Every
 * column lies within the payload. No column has more numbers than events; columns of samples have
 * at most SYN_CHUNK_SAMPLES_MAX. Returns false if `raw` is not a list of columns. */
bool syn_columns_split(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                       struct syn_chunk_column columns[SYN_COLUMN_COUNT]);

/* Appends the beginning of a column `name` (enum syn_column_name). Its parameters and bytes
 * follow. */
void syn_column_begin(struct syn_bytes *out, int name, enum syn_encoding encoding, size_t count);
/* Begins a column of bytes. `width` planes of `count` bytes each follow. */
void syn_column_begin_planes(struct syn_bytes *out, int name, size_t count, uint64_t least,
                             size_t width);
/* Appends a column of differences. */
void syn_column_put_differences(struct syn_bytes *out, int name, const int64_t *values,
                                size_t count);
/* Appends a column of magnitudes; `values` are already divided by `unit`. Returns the place in
 * `out` at which the bits begin. */
size_t syn_column_put_magnitudes(struct syn_bytes *out, int name, enum syn_encoding encoding,
                                 uint64_t unit, const int64_t *values, size_t count);
/* Returns the approximate number of bits that magnitudes of these values take, for a choice between
 * two encodings. */
uint64_t syn_column_weight(const int64_t *values, size_t count);
/* Appends a column unchanged from another payload. */
void syn_column_copy(struct syn_bytes *out, int name, const struct syn_chunk_column *column);

/* Decodes NUMBERS, DIFFERENCES or BYTES to values [column->count]. Returns false for another
 * encoding of a column that is not empty. */
bool syn_column_numbers(const struct syn_chunk_column *column, int64_t *values);
/* Decodes magnitudes, also those of differences, to values [column->count]. Returns false for
 * another encoding of a column that is not empty. Reads up to 16 bytes behind the payload. */
bool syn_column_magnitudes(const struct syn_chunk_column *column, int64_t *values);
/* Decodes DIFFERENCES to places [column->count], which are ascending, different and below `limit`.
 * Returns false for other numbers, and for another encoding of a column that is not empty. */
bool syn_column_places(const struct syn_chunk_column *column, size_t limit, uint32_t *places);

#endif
