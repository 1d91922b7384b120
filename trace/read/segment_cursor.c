/* trace/read/segment_cursor.c - see cursor.h. */
#include "trace/read/segment_cursor.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

void syn_segments_normalize(struct syn_segments *segments, const struct syn_tick_source *ticks,
                            const struct syn_timeline *timeline)
{
    static const enum syn_segment_figure in_ticks[] = {SYN_SEGMENT_MESSAGES,
                                                       SYN_SEGMENT_WAIT_MESSAGES};
    for (size_t f = 0; f < sizeof in_ticks / sizeof *in_ticks; f++) {
        struct syn_sparse *figure = &segments->figures[in_ticks[f]];
        for (size_t i = 0; i < figure->count; i++)
            figure->value[i] = syn_ticks_span_ns(ticks, figure->value[i]);
    }
    syn_samples_convert(segments, ticks, timeline);
}

void syn_samples_convert(struct syn_segments *segments, const struct syn_tick_source *ticks,
                         const struct syn_timeline *timeline)
{
    struct syn_convert convert = syn_convert_begin(ticks, timeline);
    for (size_t i = 0; i < segments->sample_count; i++)
        segments->samples[i].time = syn_convert_tick(&convert, segments->samples[i].time);
}

static bool is_empty(const struct syn_segments *segments)
{
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        if (segments->figures[i].count > 0)
            return false;
    return true;
}

static int reserve(struct syn_segment_cursor *cursor, size_t count)
{
    if (count <= cursor->capacity)
        return SYN_OK;
    free(cursor->by_event);
    cursor->capacity = 0;
    cursor->by_event = malloc(SYN_SEGMENT_FIGURES * count * sizeof *cursor->by_event);
    if (!cursor->by_event)
        return SYN_ENOMEM;
    cursor->capacity = count;
    return SYN_OK;
}

/* NULL where no event of the chunk has one. */
static const int64_t *fill(struct syn_segment_cursor *cursor, enum syn_segment_figure which,
                           size_t count)
{
    const struct syn_sparse *figure = &cursor->segments.figures[which];
    int64_t *by_event = cursor->by_event + (size_t)which * cursor->capacity;
    if (figure->count == 0)
        return NULL;
    memset(by_event, 0, count * sizeof *by_event);
    for (size_t *i = &cursor->next[which];
         *i < figure->count && figure->position[*i] < cursor->done + count; ++*i)
        by_event[figure->position[*i] - cursor->done] = figure->value[*i];
    return by_event;
}

int syn_segment_cursor_next(struct syn_segment_cursor *cursor, struct syn_event_columns *out)
{
    const size_t count = out->count;
    if (cursor->done == 0) {
        out->samples = cursor->segments.samples;
        out->sample_count = cursor->segments.sample_count;
    }
    if (!is_empty(&cursor->segments)) {
        if (reserve(cursor, count) != SYN_OK)
            return SYN_ENOMEM;
        out->messages_ns = fill(cursor, SYN_SEGMENT_MESSAGES, count);
        out->off_cpu_ns = fill(cursor, SYN_SEGMENT_OFF_CPU, count);
        out->wait_messages_ns = fill(cursor, SYN_SEGMENT_WAIT_MESSAGES, count);
        out->wait_off_cpu_ns = fill(cursor, SYN_SEGMENT_WAIT_OFF_CPU, count);
    }
    cursor->done += count;
    return SYN_OK;
}

void syn_segment_cursor_begin(struct syn_segment_cursor *cursor)
{
    syn_segments_free(&cursor->segments);
    cursor->done = 0;
    memset(cursor->next, 0, sizeof cursor->next);
}

void syn_segment_cursor_free(struct syn_segment_cursor *cursor)
{
    syn_segments_free(&cursor->segments);
    free(cursor->by_event);
    *cursor = (struct syn_segment_cursor){0};
}
