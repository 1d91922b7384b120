/* trace/segments.h - the payload of a SEGMENTS frame (docs/trace-format.md): what lies between the
 * calls of the chunk of events before it. Most chunks have little of it, many nothing. */
#ifndef SYN_SEGMENTS_H
#define SYN_SEGMENTS_H

#include "sync/base/bytes.h"
#include "sync/timeline.h"
#include "trace/columns.h"
#include "trace/notes.h"

/* Which of the entries' events a chunk has, and in which order. */
struct syn_segments_chunk {
    const struct syn_entries *entries;
    size_t first;
    size_t count;
    const uint32_t *order;               /* [count], from `first` on; NULL: as they are */
    const struct syn_tick_source *ticks; /* of the entries */
    const struct syn_timeline *timeline; /* NULL: times stay ticks */
};

/* The events for which a figure is not 0. */
struct syn_sparse {
    uint32_t *position; /* [count], ascending, in the chunk */
    int64_t *value;     /* [count] */
    size_t count;
};

struct syn_segments {
    struct syn_sparse figures[SYN_SEGMENT_FIGURES]; /* messages: in the frame's time base */
    struct syn_sample *samples;                     /* [sample_count] */
    size_t sample_count;
};

/* A SEGMENTS frame being made. */
struct syn_segments_encoder {
    const struct syn_segments_chunk *chunk;
    struct syn_segments segments;
    struct syn_bytes *out, rest;
    struct syn_columns_layout *layout;
    uint64_t units[SYN_SEGMENT_FIGURES];
    uint64_t element_count; /* of the frame: none, then there is nothing to write */
    size_t part;            /* what is to be done next */
};

/* In steps of some microseconds: begin, then syn_segments_step until none is left. Replaces the
 * content of `out`; `chunk`, `out` and `layout` are kept by reference until then. A step returns 0
 * or SYN_ENOMEM, behind which none is left. The encoder is all zeros at first. */
void syn_segments_begin(struct syn_segments_encoder *encoder,
                        const struct syn_segments_chunk *chunk, struct syn_bytes *out,
                        struct syn_columns_layout *layout);
int syn_segments_step(struct syn_segments_encoder *encoder);
size_t syn_segments_steps_left(const struct syn_segments_encoder *encoder);
void syn_segments_encoder_free(struct syn_segments_encoder *encoder);

/* Of a chunk of `event_count` events. `raw` [raw_bytes], with SYN_COLUMNS_SLACK_BYTES behind it, is
 * not believed. Returns 0, or with *out empty SYN_EDAMAGED, SYN_ENOMEM. */
int syn_segments_decode(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                        struct syn_segments *out);
/* The payload once more; values of figures are divided by their unit. Appends to `out`. */
int syn_segments_put(struct syn_segments *segments, struct syn_bytes *out);
/* The same from entries, whose messages are in ticks. */
int syn_segments_of(const struct syn_segments_chunk *chunk, struct syn_segments *out);
void syn_segments_free(struct syn_segments *segments);

/* What a payload consists of. Positions: one varint each. Of `figure`, its count is set; take makes
 * room for positions and values, and returns 0, SYN_EDAMAGED, SYN_ENOMEM. */
void syn_positions_put(const struct syn_sparse *figure, struct syn_bytes *out);
int syn_positions_take(struct syn_take *take, size_t event_count, struct syn_sparse *figure);
/* A sample's numbers, in the order of the document. */
enum { SYN_SAMPLE_COLUMNS = 11 };
int64_t syn_sample_get(const struct syn_sample *sample, int column);
void syn_sample_set(struct syn_sample *sample, const int64_t values[SYN_SAMPLE_COLUMNS]);

#endif
