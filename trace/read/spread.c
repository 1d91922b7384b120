/* trace/read/spread.c - see spread.h. */
#include "trace/read/spread.h"

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

static int reserve(struct syn_spread *spread, size_t count)
{
    if (count <= spread->capacity)
        return SYN_OK;
    free(spread->by_event);
    spread->capacity = 0;
    spread->by_event = malloc(SYN_SEGMENT_FIGURES * count * sizeof *spread->by_event);
    if (!spread->by_event)
        return SYN_ENOMEM;
    spread->capacity = count;
    return SYN_OK;
}

/* NULL where no event of the chunk has one. */
static const int64_t *fill(struct syn_spread *spread, enum syn_segment_figure which, size_t count)
{
    const struct syn_sparse *figure = &spread->segments.figures[which];
    int64_t *by_event = spread->by_event + (size_t)which * spread->capacity;
    if (figure->count == 0)
        return NULL;
    memset(by_event, 0, count * sizeof *by_event);
    for (size_t *i = &spread->next[which];
         *i < figure->count && figure->position[*i] < spread->done + count; ++*i)
        by_event[figure->position[*i] - spread->done] = figure->value[*i];
    return by_event;
}

int syn_spread_next(struct syn_spread *spread, struct syn_event_columns *out)
{
    const size_t count = out->count;
    if (spread->done == 0) {
        out->samples = spread->segments.samples;
        out->sample_count = spread->segments.sample_count;
    }
    if (!is_empty(&spread->segments)) {
        if (reserve(spread, count) != SYN_OK)
            return SYN_ENOMEM;
        out->messages_ns = fill(spread, SYN_SEGMENT_MESSAGES, count);
        out->off_cpu_ns = fill(spread, SYN_SEGMENT_OFF_CPU, count);
        out->wait_messages_ns = fill(spread, SYN_SEGMENT_WAIT_MESSAGES, count);
        out->wait_off_cpu_ns = fill(spread, SYN_SEGMENT_WAIT_OFF_CPU, count);
    }
    spread->done += count;
    return SYN_OK;
}

void syn_spread_begin(struct syn_spread *spread)
{
    syn_segments_free(&spread->segments);
    spread->done = 0;
    memset(spread->next, 0, sizeof spread->next);
}

void syn_spread_free(struct syn_spread *spread)
{
    syn_segments_free(&spread->segments);
    free(spread->by_event);
    *spread = (struct syn_spread){0};
}
