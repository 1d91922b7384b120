/* tests/unit/trace/encode.h - the payload of a chunk, with all steps of their encoders at once. */
#ifndef TRACE_ENCODE_H
#define TRACE_ENCODE_H

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "trace/columns/columns.h"
#include "trace/columns/segments.h"

/* syn_columns_begin and all steps, in ticks. Returns what they do. */
static inline int encode_columns(struct syn_columns_encoder *encoder,
                                 const struct syn_event *events, size_t event_count,
                                 const struct syn_tick_source *ticks, struct syn_bytes *out,
                                 struct syn_columns_layout *layout)
{
    int status = syn_columns_begin(encoder, events, event_count, ticks, NULL, out, layout);
    while (status == SYN_OK && syn_columns_steps_left(encoder) > 0)
        status = syn_columns_step(encoder);
    return status;
}

/* The columns of segments behind them. */
static inline int encode_segments(const struct syn_segments_chunk *chunk, struct syn_bytes *out,
                                  struct syn_columns_layout *layout)
{
    struct syn_segments_encoder encoder = {0};
    int status = SYN_OK;
    syn_segments_begin(&encoder, chunk, out, layout);
    while (status == SYN_OK && syn_segments_steps_left(&encoder) > 0)
        status = syn_segments_step(&encoder);
    syn_segments_encoder_free(&encoder);
    return status;
}

/* Whatever a chunk refers to is known. */
static inline bool all_known(void *ctx, uint32_t index)
{
    (void)ctx;
    (void)index;
    return true;
}

static inline bool none_lost(void *ctx, uint32_t *stacks, size_t count)
{
    (void)ctx;
    (void)stacks;
    (void)count;
    return false;
}

static const struct syn_columns_known known = {all_known, none_lost, NULL};

/* A payload with its slack, as a reader has it. */
struct padded {
    uint8_t *data; /* owned */
    struct syn_chunk_column columns[SYN_COLUMN_COUNT];
    struct syn_columns_source source;
};

/* Returns whether the payload is a list of columns. */
static inline bool pad(const void *raw, size_t bytes, size_t event_count, struct padded *out)
{
    out->data = calloc(1, bytes + SYN_COLUMNS_SLACK_BYTES);
    if (bytes > 0)
        memcpy(out->data, raw, bytes);
    out->source = (struct syn_columns_source){out->columns, event_count};
    return syn_columns_split(out->data, bytes, event_count, out->columns);
}

#endif
