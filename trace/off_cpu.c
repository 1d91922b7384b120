/* trace/off_cpu.c - see off_cpu.h. */
#include "trace/off_cpu.h"

#include <stdlib.h>

#include "sync/status.h"

/* Processor time is counted by the kernel's clock, not by ours, and read a little apart from it. */
#define SLACK_NS        2000
#define SLACK_RATE_BITS 14

/* A call of the thread: none overlaps another, but that several events may share one. */
struct call {
    int64_t start;
    int64_t end;
    size_t event;
    bool completes; /* else initiates, or does all */
};

struct calls {
    struct call *call; /* [count], owned */
    size_t count;
};

static int by_start(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

static bool is_extended(const struct syn_event *event)
{
    return event->call_end_ticks != event->end_ticks ||
           event->wait_start_ticks != event->start_ticks;
}

static int64_t ns_of(const struct syn_tick_source *ticks, int64_t from, int64_t to)
{
    return to > from ? syn_ticks_span_ns(ticks, (int64_t)((uint64_t)to - (uint64_t)from)) : 0;
}

/* Between two samples: how long the thread ran, and what the clocks may differ by, together. A
 * negative one: no clock can have given it. */
static int64_t accounted_ns(const struct syn_tick_source *ticks, const struct syn_sample sample[2])
{
    const int64_t elapsed = ns_of(ticks, sample[0].time, sample[1].time);
    const int64_t on = (int64_t)(sample[1].cpu_ns - sample[0].cpu_ns);
    return on < 0 ? -1 : on + SLACK_NS + (elapsed >> SLACK_RATE_BITS);
}

/* A segment is longer than this if any of it was certainly off the processor. Mostly the thread ran
 * all the time, and no segment is. */
static int64_t shortest_ns(const struct syn_entries *entries, const struct syn_tick_source *ticks)
{
    int64_t shortest = INT64_MAX;
    for (size_t i = 1; i < entries->sample_count; i++) {
        const struct syn_sample *sample = &entries->samples[i - 1];
        const int64_t accounted = accounted_ns(ticks, sample);
        if (accounted >= 0 && accounted < shortest &&
            ns_of(ticks, sample[0].time, sample[1].time) > accounted)
            shortest = accounted;
    }
    return shortest;
}

/* The longest time between two events that follow one another, from the first sample on: no segment
 * is longer, whatever lies in between. */
static int64_t longest_ns(const struct syn_entries *entries, const struct syn_tick_source *ticks)
{
    int64_t longest = 0, before = entries->samples[0].time;
    for (size_t i = 0; i < entries->event_count; i++) {
        const struct syn_event *event = &entries->events[i];
        if (is_extended(event))
            return INT64_MAX;
        const int64_t gap = (int64_t)((uint64_t)event->start_ticks - (uint64_t)before);
        longest = gap > longest ? gap : longest;
        before = event->call_end_ticks;
    }
    return syn_ticks_span_ns(ticks, longest);
}

static int list_calls(const struct syn_entries *entries, struct calls *out)
{
    bool ordered = true;
    out->count = 0;
    out->call = malloc((2 * entries->event_count + 1) * sizeof *out->call);
    if (!out->call)
        return SYN_ENOMEM;
    for (size_t i = 0; i < entries->event_count; i++) {
        const struct syn_event *event = &entries->events[i];
        ordered &= i == 0 || event->start_ticks >= entries->events[i - 1].start_ticks;
        out->call[out->count++] =
            (struct call){event->start_ticks, event->call_end_ticks, i, false};
        if (!is_extended(event))
            continue;
        out->call[out->count++] = (struct call){event->wait_start_ticks, event->end_ticks, i, true};
        ordered = false;
    }
    if (!ordered)
        qsort(out->call, out->count, sizeof *out->call, by_start);
    return SYN_OK;
}

/* Of the stretch of a segment from `from` to `to` that lies between two samples. */
static int64_t certainly_off(const struct syn_tick_source *ticks, const struct syn_sample sample[2],
                             int64_t from, int64_t to, int64_t messages_ns)
{
    const int64_t accounted = accounted_ns(ticks, sample);
    const int64_t within = ns_of(ticks, from > sample[0].time ? from : sample[0].time,
                                 to < sample[1].time ? to : sample[1].time);
    if (accounted < 0 || within <= messages_ns)
        return 0;
    const int64_t off = within - messages_ns - accounted;
    return off > 0 ? off : 0;
}

/* Samples are taken between calls: so a segment may begin before one, but is mostly between two.
 * `at` is the first sample that ends an interval which is not past, and is kept. */
static int64_t off_in_segment(const struct syn_entries *entries,
                              const struct syn_tick_source *ticks, int64_t from, int64_t to,
                              int64_t messages_ns, size_t *at)
{
    int64_t off = 0;
    while (*at < entries->sample_count && entries->samples[*at].time <= from)
        ++*at;
    for (size_t i = *at; i < entries->sample_count && entries->samples[i - 1].time < to; i++)
        off += certainly_off(ticks, &entries->samples[i - 1], from, to, messages_ns);
    return off;
}

static int put_off(struct syn_entries *entries, const struct call *call, int64_t off_ns)
{
    const int figure = call->completes ? SYN_SEGMENT_WAIT_OFF_CPU : SYN_SEGMENT_OFF_CPU;
    if (off_ns == 0)
        return SYN_OK;
    if (syn_entries_add_figure(entries, figure) != SYN_OK)
        return SYN_ENOMEM;
    entries->figures[figure][call->event] = off_ns;
    return SYN_OK;
}

static int64_t messages_before(const struct syn_entries *entries, const struct call *call)
{
    const int64_t *figure =
        entries->figures[call->completes ? SYN_SEGMENT_WAIT_MESSAGES : SYN_SEGMENT_MESSAGES];
    return figure ? figure[call->event] : 0;
}

int syn_off_cpu(struct syn_entries *entries, const struct syn_tick_source *ticks)
{
    struct calls calls;
    const int64_t shortest = shortest_ns(entries, ticks);
    if (shortest == INT64_MAX || longest_ns(entries, ticks) <= shortest)
        return SYN_OK;
    int status = list_calls(entries, &calls);
    if (status != SYN_OK)
        return status;
    /* Before the first sample nothing is known. */
    int64_t until = entries->samples[0].time;
    size_t at = 1;
    for (size_t i = 0; i < calls.count && status == SYN_OK; i++) {
        const struct call *call = &calls.call[i];
        const int64_t messages_ns = ns_of(ticks, 0, messages_before(entries, call));
        if (call->start > until)
            status = put_off(entries, call,
                             off_in_segment(entries, ticks, until, call->start, messages_ns, &at));
        until = call->end > until ? call->end : until;
    }
    free(calls.call);
    return status;
}
