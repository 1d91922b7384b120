/* trace/events/off_cpu.c - see off_cpu.h. */
#include "trace/events/off_cpu.h"

#include <stdlib.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/order.h"

/* Processor time is counted by the kernel's clock, not by ours, and read a little apart from it. */
#define SLACK_NS        2000
#define SLACK_RATE_BITS 14

/* Events that a step looks at. */
#define STEP_EVENTS ((size_t)512)
/* Events of a step that only finds out how far apart they are. */
#define LOOK_EVENTS ((size_t)2048)

/* Phases, in this order. */
enum phase { LOOK, LIST, KEYS, SORT, WALK, DONE };

/* A call of the thread: none overlaps another, but that several events may share one, and that what
 * is freed in the callback of an attribute is so within a call. */
struct call {
    int64_t start;
    int64_t end;
    size_t event;
    bool completes; /* else initiates, or does all */
};

/* How far it is. */
struct syn_off_cpu {
    int phase;
    size_t part;
    int64_t shortest_ns;   /* of segments that matter, */
    int64_t longest_ticks; /*   and between the events so far, */
    int64_t before;        /*   which end here */
    bool ordered;
    struct call *calls; /* [count] */
    size_t count, capacity;
    struct syn_order order;
    int64_t until; /* the end of the calls so far */
    size_t at;     /* the first sample that ends an interval which is not past */
};

static bool is_extended(const struct syn_event *event)
{
    return event->call_end_ticks != event->end_ticks ||
           event->wait_start_ticks != event->start_ticks;
}

static int64_t ns_of(const struct syn_tick_source *ticks, int64_t from, int64_t to)
{
    return to > from ? syn_ticks_span_ns(ticks, syn_wrap_sub(to, from)) : 0;
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

static void begin_look(struct syn_entries *entries)
{
    struct syn_off_cpu *off = entries->off_cpu;
    off->shortest_ns = shortest_ns(entries, entries->ticks);
    off->longest_ticks = 0;
    off->before = entries->samples[0].time;
}

/* The longest time between two events that follow one another, from the first sample on, as far as
 * `end`: no segment is longer, whatever lies in between. */
static int64_t longest_ns(struct syn_entries *entries, size_t end)
{
    struct syn_off_cpu *off = entries->off_cpu;
    int64_t longest = off->longest_ticks, before = off->before;
    for (size_t i = off->part * LOOK_EVENTS; i < end; i++) {
        const struct syn_event *event = &entries->events[i];
        if (is_extended(event))
            return INT64_MAX;
        const int64_t gap = syn_wrap_sub(event->start_ticks, before);
        longest = syn_largest(gap, longest);
        before = event->call_end_ticks;
    }
    off->longest_ticks = longest;
    off->before = before;
    return syn_ticks_span_ns(entries->ticks, longest);
}

static int begin_list(struct syn_entries *entries)
{
    struct syn_off_cpu *off = entries->off_cpu;
    const size_t capacity = 2 * entries->event_count + 1;
    off->ordered = true;
    off->count = 0;
    if (capacity <= off->capacity)
        return SYN_OK;
    free(off->calls);
    off->calls = malloc(capacity * sizeof *off->calls);
    off->capacity = off->calls ? capacity : 0;
    return off->calls ? SYN_OK : SYN_ENOMEM;
}

static size_t step_end(const struct syn_off_cpu *off, size_t count)
{
    const size_t end = (off->part + 1) * STEP_EVENTS;
    return syn_least(end, count);
}

static void list_step(struct syn_entries *entries)
{
    struct syn_off_cpu *off = entries->off_cpu;
    const size_t end = step_end(off, entries->event_count);
    for (size_t i = off->part * STEP_EVENTS; i < end; i++) {
        const struct syn_event *event = &entries->events[i];
        off->ordered &= i == 0 || event->start_ticks >= entries->events[i - 1].start_ticks;
        off->calls[off->count++] =
            (struct call){event->start_ticks, event->call_end_ticks, i, false};
        if (!is_extended(event))
            continue;
        off->calls[off->count++] =
            (struct call){event->wait_start_ticks, event->end_ticks, i, true};
        off->ordered = false;
    }
}

static int key_step(struct syn_off_cpu *off)
{
    const size_t end = step_end(off, off->count);
    if (off->part == 0 && syn_order_begin(&off->order, off->count) != SYN_OK)
        return SYN_ENOMEM;
    for (size_t i = off->part * STEP_EVENTS; i < end; i++)
        off->order.keys[i] = (struct syn_order_key){off->calls[i].start, (uint32_t)i};
    return SYN_OK;
}

/* Returns the time in ns that the thread was certainly off the processor between `from` and `to`,
 * as far as that lies between the two samples. `messages_ns` of it were spent in messages. */
static int64_t certainly_off(const struct syn_tick_source *ticks, const struct syn_sample sample[2],
                             int64_t from, int64_t to, int64_t messages_ns)
{
    const int64_t accounted = accounted_ns(ticks, sample);
    const int64_t within =
        ns_of(ticks, syn_largest(from, sample[0].time), syn_least(to, sample[1].time));
    if (accounted < 0 || within <= messages_ns)
        return 0;
    const int64_t off = within - messages_ns - accounted;
    return syn_largest(off, 0);
}

/* Samples are taken between calls: so a segment may begin before one, but is mostly between
 * two. */
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
    const enum syn_segment_figure figure =
        call->completes ? SYN_SEGMENT_WAIT_OFF_CPU : SYN_SEGMENT_OFF_CPU;
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

static int walk_step(struct syn_entries *entries)
{
    struct syn_off_cpu *off = entries->off_cpu;
    const struct syn_tick_source *ticks = entries->ticks;
    const size_t end = step_end(off, off->count);
    int status = SYN_OK;
    if (off->part == 0) {
        off->until = entries->samples[0].time; /* before it nothing is known */
        off->at = 1;
    }
    for (size_t i = off->part * STEP_EVENTS; i < end && status == SYN_OK; i++) {
        const struct call *call = &off->calls[off->ordered ? i : off->order.keys[i].place];
        const int64_t messages_ns = ns_of(ticks, 0, messages_before(entries, call));
        if (call->start > off->until)
            status = put_off(
                entries, call,
                off_in_segment(entries, ticks, off->until, call->start, messages_ns, &off->at));
        off->until = syn_largest(call->end, off->until);
    }
    return status;
}

/* ---- step by step ---- */

static size_t steps_for(size_t count)
{
    return (count + STEP_EVENTS - 1) / STEP_EVENTS;
}

static size_t looks_for(const struct syn_entries *entries)
{
    return entries->sample_count > 1 ? (entries->event_count + LOOK_EVENTS - 1) / LOOK_EVENTS : 0;
}

static size_t part_count(const struct syn_entries *entries, int phase)
{
    const struct syn_off_cpu *off = entries->off_cpu;
    switch (phase) {
    case LOOK:
        return looks_for(entries);
    case LIST:
        return steps_for(entries->event_count);
    case KEYS:
        return off->ordered ? 0 : steps_for(off->count);
    case SORT:
        return off->ordered
                   ? 0
                   : syn_order_steps_left(&off->order) + (off->phase == SORT ? off->part : 0);
    case WALK:
        return steps_for(off->count);
    default:
        return 0;
    }
}

/* To the next part that there is, from this one on. */
static void settle(struct syn_entries *entries)
{
    struct syn_off_cpu *off = entries->off_cpu;
    while (off->phase < DONE && off->part >= part_count(entries, off->phase)) {
        off->phase = off->phase == LOOK && off->part == 0 ? DONE : off->phase + 1;
        off->part = 0;
    }
}

/* Until a segment is found that matters, or none is. */
static int look_step(struct syn_entries *entries)
{
    struct syn_off_cpu *off = entries->off_cpu;
    const size_t end = syn_least((off->part + 1) * LOOK_EVENTS, entries->event_count);
    if (off->part == 0)
        begin_look(entries);
    if (off->shortest_ns != INT64_MAX && longest_ns(entries, end) > off->shortest_ns) {
        off->part = looks_for(entries) - 1;
        return begin_list(entries);
    }
    if (off->shortest_ns == INT64_MAX || end == entries->event_count)
        off->phase = DONE;
    return SYN_OK;
}

static int do_part(struct syn_entries *entries)
{
    struct syn_off_cpu *off = entries->off_cpu;
    switch (off->phase) {
    case LOOK:
        return look_step(entries);
    case LIST:
        list_step(entries);
        return SYN_OK;
    case KEYS:
        return key_step(off);
    case SORT:
        syn_order_step(&off->order);
        return SYN_OK;
    default:
        return walk_step(entries);
    }
}

int syn_off_cpu_begin(struct syn_entries *entries)
{
    if (!entries->off_cpu)
        entries->off_cpu = calloc(1, sizeof *entries->off_cpu);
    if (!entries->off_cpu)
        return SYN_ENOMEM;
    entries->off_cpu->phase = LOOK;
    entries->off_cpu->part = 0;
    entries->off_cpu->count = 0;
    return SYN_OK;
}

int syn_off_cpu_step(struct syn_entries *entries)
{
    struct syn_off_cpu *off = entries->off_cpu;
    settle(entries);
    if (off->phase == DONE)
        return SYN_OK;
    const int status = do_part(entries);
    off->part++;
    settle(entries);
    if (status != SYN_OK)
        off->phase = DONE;
    return status;
}

/* As far as is known: whether there is more to do than to look is known only then. */
size_t syn_off_cpu_steps_left(const struct syn_entries *entries)
{
    const struct syn_off_cpu *off = entries->off_cpu;
    if (off->phase == LOOK)
        return looks_for(entries) - syn_least(off->part, looks_for(entries));
    size_t steps = 0;
    for (int phase = off->phase; phase < DONE; phase++)
        steps += part_count(entries, phase) - (phase == off->phase ? off->part : 0);
    return steps;
}

void syn_off_cpu_free(struct syn_entries *entries)
{
    if (!entries->off_cpu)
        return;
    free(entries->off_cpu->calls);
    syn_order_free(&entries->off_cpu->order);
    free(entries->off_cpu);
    entries->off_cpu = NULL;
}
