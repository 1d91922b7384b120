/* tests/unit/trace/encode.h - the payloads of a chunk, with all steps of their encoders at once. */
#ifndef TRACE_ENCODE_H
#define TRACE_ENCODE_H

#include "sync/base/status.h"
#include "trace/columns.h"
#include "trace/segments.h"

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

/* syn_segments_begin and all steps; the frame's elements are *element_count. */
static inline int encode_segments(const struct syn_segments_chunk *chunk, struct syn_bytes *out,
                                  struct syn_columns_layout *layout, uint64_t *element_count)
{
    struct syn_segments_encoder encoder = {0};
    int status = SYN_OK;
    syn_segments_begin(&encoder, chunk, out, layout);
    while (status == SYN_OK && syn_segments_steps_left(&encoder) > 0)
        status = syn_segments_step(&encoder);
    *element_count = encoder.element_count;
    syn_segments_encoder_free(&encoder);
    return status;
}

#endif
