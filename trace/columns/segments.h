/* trace/columns/segments.h - segments, the time between calls, as columns of a chunk's payload
 * (docs/trace-format.md, "Segments"). Most chunks have few of these numbers, and many have none. */
#ifndef SYN_SEGMENTS_H
#define SYN_SEGMENTS_H

#include "sync/base/bytes.h"
#include "sync/time/timeline.h"
#include "trace/columns/columns.h"
#include "trace/events/notes.h"

/* The events of a chunk within a thread's entries, and their order. */
struct syn_segments_chunk {
    const struct syn_entries *entries;
    size_t first;
    size_t count;
    const uint32_t *order; /* [count], indices from `first` on; NULL: the order of the entries */
    const struct syn_tick_source *ticks; /* of the entries */
    const struct syn_timeline *timeline; /* NULL: times remain ticks */
};

/* The events with a figure that is not 0. */
struct syn_sparse {
    uint32_t *position; /* [count], ascending: index of the event in the chunk */
    int64_t *value;     /* [count] */
    size_t count;
};

struct syn_segments {
    struct syn_sparse
        figures[SYN_SEGMENT_FIGURES]; /* time in messages is in the frame's time base */
    struct syn_sample *samples;       /* [sample_count] */
    size_t sample_count;
};

/* The state of the encoder of segments. */
struct syn_segments_encoder {
    const struct syn_segments_chunk *chunk;
    struct syn_segments segments;
    struct syn_bytes *out;
    struct syn_columns_layout *layout;
    uint64_t units[SYN_SEGMENT_FIGURES];
    size_t number_count; /* 0: there is nothing to write */
    size_t part;         /* the next work to do */
};

/* Appends columns to the payload of the chunk's events, in steps of some microseconds: call begin,
 * then syn_segments_step until no step is left. `chunk`, `out` and `layout` are kept by reference
 * until then. A step returns 0 or SYN_ENOMEM; after an error no step is left. The encoder is all
 * zeros at first. */
void syn_segments_begin(struct syn_segments_encoder *encoder,
                        const struct syn_segments_chunk *chunk, struct syn_bytes *out,
                        struct syn_columns_layout *layout);
int syn_segments_step(struct syn_segments_encoder *encoder);
size_t syn_segments_steps_left(const struct syn_segments_encoder *encoder);
void syn_segments_encoder_free(struct syn_segments_encoder *encoder);

/* Returns true if a chunk has any segments. */
bool syn_segments_are_there(const struct syn_columns_source *source);
/* Decodes the segments of a chunk whose columns of events are valid. Returns 0, or SYN_EDAMAGED or
 * SYN_ENOMEM, then *out is empty. */
int syn_segments_decode(const struct syn_columns_source *source, struct syn_segments *out);
/* Makes segments from entries, in which time in messages is in ticks. Returns 0 or SYN_ENOMEM. */
int syn_segments_of(const struct syn_segments_chunk *chunk, struct syn_segments *out);
/* Appends the segments of a chunk in few bytes. Returns 0, SYN_EDAMAGED or SYN_ENOMEM. */
int syn_segments_pack(const struct syn_columns_source *source, struct syn_bytes *out,
                      struct syn_columns_layout *layout);
void syn_segments_free(struct syn_segments *segments);

#endif
