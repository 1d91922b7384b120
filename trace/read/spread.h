/* trace/read/spread.h - the figures of segments of a chunk, handed out along with its events. */
#ifndef SYN_SPREAD_H
#define SYN_SPREAD_H

#include "sync/time/clock.h"
#include "sync/time/convert.h"
#include "trace/columns/segments.h"
#include "trace/read/reader.h"

struct syn_spread {
    struct syn_segments segments; /* of the chunk in hand; taken over */
    size_t done;                  /* events of it that were handed out */
    size_t next[SYN_SEGMENT_FIGURES];
    int64_t *by_event; /* [SYN_SEGMENT_FIGURES][capacity], made for the first that has any */
    size_t capacity;
};

/* The figures of the next `out->count` events, into `out`. Those that no event of the chunk has are
 * NULL there; samples come with the first piece. 0 or SYN_ENOMEM. */
int syn_spread_next(struct syn_spread *spread, struct syn_event_columns *out);
/* Messages and times in ticks become nanoseconds. */
void syn_segments_normalize(struct syn_segments *segments, const struct syn_tick_source *ticks,
                            const struct syn_timeline *timeline);
/* The times of its samples alone. */
void syn_samples_convert(struct syn_segments *segments, const struct syn_tick_source *ticks,
                         const struct syn_timeline *timeline);
/* Another chunk: of none so far. */
void syn_spread_begin(struct syn_spread *spread);
void syn_spread_free(struct syn_spread *spread);

#endif
