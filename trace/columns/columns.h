/* trace/columns/columns.h - the events of a chunk as columns (docs/trace-format.md).
 *
 * What repeats (operation, communicator, bytes, call site, root, flags) is a small index into a
 * table of tuples; what can be predicted (sequence numbers, the times of blocking calls that
 * nothing separates) is not there at all; what is left, the gaps and durations, is split into its
 * magnitude, which an entropy coder can shorten, and the bits below, which nothing can. */
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

/* Ends of the columns in a payload, where a compressor does well to start a new block: each column
 * has symbol statistics of its own. */
#define SYN_COLUMNS_CUT_MAX 48

struct syn_columns_layout {
    size_t cuts[SYN_COLUMNS_CUT_MAX]; /* ascending offsets; the last is the payload's length */
    size_t cut_count;
    bool stack_column;  /* call stacks are a column of their own */
    bool only_times;    /* next to nothing else is there, and nothing in them repeats */
    int64_t span_start; /* smallest start */
    int64_t span_end;   /* largest end */
};

struct syn_columns_encoder;

/* Scratch memory for chunks of up to SYN_CHUNK_EVENTS; about 2 MiB. NULL where there is none. */
struct syn_columns_encoder *syn_columns_encoder_new(void);
void syn_columns_encoder_free(struct syn_columns_encoder *encoder);
/* Encode 1..SYN_CHUNK_EVENTS events, ordered by start, as columns, replacing the content of `out`.
 * Times are the events' ticks, or where `timeline` is not NULL its global nanoseconds. In steps of
 * some microseconds each: begin, then syn_columns_step until none is left. `events`, `ticks`,
 * `timeline`, `out` and `layout` are kept by reference until then. Both return 0, SYN_EINVAL
 * (count), SYN_ENOMEM; behind an error no step is left. How many are left may become more where
 * events turn out not to be ordered. */
int syn_columns_begin(struct syn_columns_encoder *encoder, const struct syn_event *events,
                      size_t event_count, const struct syn_tick_source *ticks,
                      const struct syn_timeline *timeline, struct syn_bytes *out,
                      struct syn_columns_layout *layout);
int syn_columns_step(struct syn_columns_encoder *encoder);
size_t syn_columns_steps_left(const struct syn_columns_encoder *encoder);
/* Returns the place of each event of the chunk in `events` of the last encode; NULL: in their
 * order. */
const uint32_t *syn_columns_order(const struct syn_columns_encoder *encoder);
/* A block of a compressor ends at `at`, or at the end of `out`. */
void syn_columns_cut_at(struct syn_columns_layout *layout, size_t at);
void syn_columns_cut(struct syn_columns_layout *layout, const struct syn_bytes *out);

/* Decoded columns, each with room for `capacity` events; one allocation, owned. */
struct syn_columns {
    size_t capacity;
    size_t count;
    int64_t span_start; /* smallest start, largest end of what was decoded */
    int64_t span_end;
    void *memory;
    bool extended; /* else each call_end is its end, each wait_start its start: those columns hold
                      nothing */
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
    uint16_t *tuple;    /* number of what an event has but its times and sequence number */
    size_t tuple_count; /* 0: there are no such numbers */
    bool by_tuple; /* set before decoding a whole payload: of bytes, comm, stack, root, op, flags
                      and attributes there is one for each tuple, by its number, and none for each
                      event */
};

/* Bytes that syn_columns_decode may read past the payload's end; they must be there, any value. */
#define SYN_COLUMNS_SLACK_BYTES 16

int syn_columns_reserve(struct syn_columns *columns, size_t capacity);
void syn_columns_free(struct syn_columns *columns);
/* Declarations that a chunk may refer to. */
struct syn_columns_known {
    bool (*comm)(void *ctx, uint32_t index);
    /* Sets the unknown ones among the stacks of all tuples to SYN_NO_STACK; returns whether there
     * were any. There may be thousands, so one call is for all. */
    bool (*lose_stacks)(void *ctx, uint32_t *stacks, size_t count);
    void *ctx;
};

/* The columns of a chunk (syn_columns_split), with SYN_COLUMNS_SLACK_BYTES behind their payload. */
struct syn_columns_source {
    const struct syn_chunk_column *columns; /* [SYN_COLUMN_COUNT] */
    size_t event_count;
};

/* Decode exactly `event_count` (<= capacity) events.
 * A communicator that is not known makes it fail: nothing can be matched without; a call stack that
 * is not known becomes SYN_NO_STACK, and *lost_stacks is set. Returns 0; SYN_EDAMAGED, then *why is
 * a constant text; SYN_ENOMEM. */
int syn_columns_decode(const struct syn_columns_source *source,
                       const struct syn_columns_known *known, struct syn_columns *columns,
                       bool *lost_stacks, const char **why);

/* Decodes in pieces, for readers of very many files at once: the payload stays, and memory never
 * holds more than a piece of its events. */
struct syn_columns_decoder;
/* A piece is a multiple of so many events, but for the last. */
#define SYN_COLUMNS_PIECE 32
/* Returns what syn_columns_decode does, *out NULL on error. The payload is kept by reference. */
int syn_columns_decoder_open(const struct syn_columns_source *source,
                             const struct syn_columns_known *known, bool *lost_stacks,
                             const char **why, struct syn_columns_decoder **out);
/* The next `piece` events (<= capacity), or what is left; none after the last. */
void syn_columns_decoder_next(struct syn_columns_decoder *decoder, size_t piece,
                              struct syn_columns *columns);
/* The next events, likewise, for the span of times. The columns of tuples are not filled. */
void syn_columns_decoder_verify(struct syn_columns_decoder *decoder, size_t piece,
                                struct syn_columns *columns);
size_t syn_columns_decoder_left(const struct syn_columns_decoder *decoder);
/* When the next event starts; there has to be one. */
int64_t syn_columns_decoder_start(const struct syn_columns_decoder *decoder);
/* Fetches the bytes of the next piece into the cache, in steps 0 and 1. */
void syn_columns_decoder_fetch(const struct syn_columns_decoder *decoder, size_t piece,
                               unsigned step);
/* Back to the first event. */
void syn_columns_decoder_rewind(struct syn_columns_decoder *decoder);
void syn_columns_decoder_close(struct syn_columns_decoder *decoder);

#endif
