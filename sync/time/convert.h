/* sync/time/convert.h - converts many ticks to global time. Gives the same numbers as
 * syn_timeline_global(syn_tick_source_local(...)), but looks up the piece of the timeline only when
 * a time leaves the last piece: times are nearly in order. */
#ifndef SYN_CONVERT_H
#define SYN_CONVERT_H

#include "sync/base/integers.h"
#include "sync/time/clock.h"
#include "sync/time/timeline.h"

struct syn_convert {
    const struct syn_tick_source *ticks;
    const struct syn_timeline *timeline;
    struct syn_piece piece;
};

static inline struct syn_convert syn_convert_begin(const struct syn_tick_source *ticks,
                                                   const struct syn_timeline *timeline)
{
    /* empty piece: the first time is looked up */
    return (struct syn_convert){ticks, timeline, {.first_ns = 1, .last_ns = 0}};
}

static inline int64_t syn_convert_local(const struct syn_tick_source *source, int64_t ticks)
{
    int64_t elapsed;
    if (__builtin_expect(__builtin_sub_overflow(ticks, source->base_ticks, &elapsed) || elapsed < 0,
                         0))
        return syn_tick_source_local(source, ticks).ns;
    return (int64_t)(((unsigned __int128)(uint64_t)elapsed * source->multiplier) >> 32);
}

static inline int64_t syn_convert_tick(struct syn_convert *convert, int64_t ticks)
{
    const struct syn_piece *piece = &convert->piece;
    int64_t local_ns = syn_convert_local(convert->ticks, ticks);
    if (__builtin_expect(local_ns < piece->first_ns || local_ns > piece->last_ns, 0)) {
        convert->piece = syn_timeline_piece(convert->timeline, (syn_local_time){local_ns});
        if (local_ns < piece->first_ns || local_ns > piece->last_ns) /* beyond the piece's limits */
            return syn_timeline_global(convert->timeline, (syn_local_time){local_ns}).ns;
    }
    double change_ns = piece->slope * (double)(local_ns - piece->knot_ns) + 0.5;
    if (__builtin_expect(!(change_ns > -0x1p52 && change_ns < 0x1p52), 0))
        return syn_timeline_global(convert->timeline, (syn_local_time){local_ns}).ns;
    int64_t whole_ns = (int64_t)change_ns; /* rounds towards zero, not down */
    whole_ns -= (double)whole_ns > change_ns;
    return (int64_t)((uint64_t)local_ns - ((uint64_t)piece->offset_ns + (uint64_t)whole_ns));
}

/* Converts a column in place, several values at a time if one piece holds for them. */
void syn_convert_ticks(struct syn_convert *convert, int64_t *ticks, size_t count);

#endif
