/* trace/read/segment_cursor.h - hands out the figures of a chunk's segments along with its events.
 */
#ifndef SYN_SEGMENT_CURSOR_H
#define SYN_SEGMENT_CURSOR_H

#include "sync/time/clock.h"
#include "sync/time/convert.h"
#include "trace/columns/segments.h"
#include "trace/read/reader.h"

struct syn_segment_cursor {
    struct syn_segments segments; /* of the chunk in hand; taken over */
    size_t done;                  /* events of it that were handed out */
    size_t next[SYN_SEGMENT_FIGURES];
    int64_t *by_event; /* [SYN_SEGMENT_FIGURES][capacity], made for the first that has any */
    size_t capacity;
};

/* Sets the figures of the next `out->count` events in `out`. Figures that no event of the chunk has
 * are NULL. Samples come with the first piece. 0 or SYN_ENOMEM. */
int syn_segment_cursor_next(struct syn_segment_cursor *cursor, struct syn_event_columns *out);
/* Converts messages and times from ticks to nanoseconds. */
void syn_segments_normalize(struct syn_segments *segments, const struct syn_tick_source *ticks,
                            const struct syn_timeline *timeline);
/* Converts the times of the samples alone. */
void syn_samples_convert(struct syn_segments *segments, const struct syn_tick_source *ticks,
                         const struct syn_timeline *timeline);
/* Begins the next chunk. */
void syn_segment_cursor_begin(struct syn_segment_cursor *cursor);
void syn_segment_cursor_free(struct syn_segment_cursor *cursor);

#endif
