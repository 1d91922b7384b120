/* trace/columns/columns.h - the events of a chunk as columns (docs/trace-format.md).
 *
 * Repeated values (operation, communicator, bytes, call site, root, flags) become a small index
 * into a table of tuples. Predictable values are not stored: sequence numbers, and the waits of
 * blocking calls. Gaps and durations are left. Each is split into a symbol for its magnitude, which
 * an entropy coder can shorten, and the bits below it, which cannot be shortened. */
#ifndef SYN_COLUMNS_H
#define SYN_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "sync/time/clock.h"
#include "sync/time/timeline.h"
#include "trace/base/event.h"
#include "trace/columns/column.h"

/* The largest number of cuts: places in a payload, mostly the ends of columns, at which a
 * compressor starts a new block. RATIONALE: each column has symbol statistics of its own. */
#define SYN_COLUMNS_CUT_MAX 48

struct syn_columns_layout {
    size_t cuts[SYN_COLUMNS_CUT_MAX]; /* ascending offsets; the last is the payload's length */
    size_t cut_count;
    bool stack_column;  /* call stacks are a column of their own, not in tuples */
    bool only_times;    /* the payload is nearly only times, in which nothing repeats */
    int64_t span_start; /* smallest start */
    int64_t span_end;   /* largest end */
};

struct syn_columns_encoder;

/* Allocates scratch memory for chunks of up to SYN_CHUNK_EVENTS, about 2.6 MiB. Returns NULL if
 * memory is short. */
struct syn_columns_encoder *syn_columns_encoder_new(void);
void syn_columns_encoder_free(struct syn_columns_encoder *encoder);
/* Encodes 1..SYN_CHUNK_EVENTS events as columns, ordered by start, and replaces the content of
 * `out`. Times are the events' ticks, or global nanoseconds of `timeline` if that is not NULL.
 *
 * Each step takes some microseconds: call begin, then syn_columns_step until no step is left.
 * `events`, `ticks`, `timeline`, `out` and `layout` are kept by reference until then. Both
 * functions return 0, SYN_EINVAL (count) or SYN_ENOMEM. After an error no step is left. The number
 * of steps left grows when events turn out to be unordered. */
int syn_columns_begin(struct syn_columns_encoder *encoder, const struct syn_event *events,
                      size_t event_count, const struct syn_tick_source *ticks,
                      const struct syn_timeline *timeline, struct syn_bytes *out,
                      struct syn_columns_layout *layout);
int syn_columns_step(struct syn_columns_encoder *encoder);
size_t syn_columns_steps_left(const struct syn_columns_encoder *encoder);
/* Returns the places in `events` of the chunk's events, after the last encoding. NULL: the order of
 * `events` is unchanged. */
const uint32_t *syn_columns_order(const struct syn_columns_encoder *encoder);
/* Lets the compressor end a block at `at`, or at the end of `out`. */
void syn_columns_cut_at(struct syn_columns_layout *layout, size_t at);
void syn_columns_cut(struct syn_columns_layout *layout, const struct syn_bytes *out);

/* Decoded columns, each with room for `capacity` events. They are one allocation, which this
 * structure owns. */
struct syn_columns {
    size_t capacity;
    size_t count;
    int64_t span_start; /* smallest start and largest end of the decoded events */
    int64_t span_end;
    void *memory;
    bool extended; /* false: each call_end equals end and each wait_start equals start, and the
                      columns call_end and wait_start hold nothing */
    int64_t *start;
    int64_t *end;
    int64_t *call_end;
    int64_t *wait_start;
    uint64_t *bytes;
    uint64_t *sequence;
    uint32_t *comm;
    uint32_t *stack;
    int32_t *root;
    uint16_t *op;
    uint16_t *flags;
    uint16_t *attributes;
    uint16_t
        *tuple; /* the number of the event's tuple: its values besides times and sequence number */
    size_t tuple_count; /* 0: events have no such numbers */
    bool by_tuple; /* set before a whole payload is decoded: bytes, comm, stack, root, op, flags and
                      attributes have one value for each tuple, not for each event */
};

/* Bytes of any value that must be readable behind a payload that is decoded. */
#define SYN_COLUMNS_SLACK_BYTES 16

int syn_columns_reserve(struct syn_columns *columns, size_t capacity);
void syn_columns_free(struct syn_columns *columns);
/* Declarations that a chunk may refer to. */
struct syn_columns_known {
    bool (*comm)(void *ctx, uint32_t index);
    /* Sets the unknown stacks among `stacks` to SYN_NO_STACK. Returns true if there were any. One
     * call is for the stacks of all tuples, because there may be thousands. */
    bool (*lose_stacks)(void *ctx, uint32_t *stacks, size_t count);
    void *ctx;
};

/* The columns of a chunk (syn_columns_split). SYN_COLUMNS_SLACK_BYTES follow their payload. */
struct syn_columns_source {
    const struct syn_chunk_column *columns; /* [SYN_COLUMN_COUNT] */
    size_t event_count;
};

/* Decodes exactly `event_count` (<= capacity) events. An unknown communicator is an error, because
 * its events could not be matched. An unknown call stack becomes SYN_NO_STACK, and *lost_stacks is
 * set. Returns 0; SYN_EDAMAGED, then *why is a constant text; SYN_ENOMEM. */
int syn_columns_decode(const struct syn_columns_source *source,
                       const struct syn_columns_known *known, struct syn_columns *columns,
                       bool *lost_stacks, const char **why);

/* Decodes a chunk in pieces, for a reader of very many files at once. The payload stays in memory,
 * but only one piece of its events is decoded at a time. */
struct syn_columns_decoder;
/* Each piece but the last is a multiple of this number of events. */
#define SYN_COLUMNS_PIECE 32
/* Returns the same values as syn_columns_decode; *out is NULL on error. The payload is kept by
 * reference. */
int syn_columns_decoder_open(const struct syn_columns_source *source,
                             const struct syn_columns_known *known, bool *lost_stacks,
                             const char **why, struct syn_columns_decoder **out);
/* Decodes the next `piece` events (<= capacity), or fewer at the end, or none after the last. */
void syn_columns_decoder_next(struct syn_columns_decoder *decoder, size_t piece,
                              struct syn_columns *columns);
/* Decodes the next events to find their span of times. The columns of tuples are not filled. */
void syn_columns_decoder_verify(struct syn_columns_decoder *decoder, size_t piece,
                                struct syn_columns *columns);
size_t syn_columns_decoder_left(const struct syn_columns_decoder *decoder);
/* Returns the start of the next event. At least one event has to be left. */
int64_t syn_columns_decoder_start(const struct syn_columns_decoder *decoder);
/* Fetches the bytes of the next piece into the cache; the caller does step 0, then step 1. */
void syn_columns_decoder_fetch(const struct syn_columns_decoder *decoder, size_t piece,
                               unsigned step);
/* Goes back to the first event. */
void syn_columns_decoder_rewind(struct syn_columns_decoder *decoder);
void syn_columns_decoder_close(struct syn_columns_decoder *decoder);

#endif
