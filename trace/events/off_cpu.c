/* trace/events/off_cpu.c - computes for each segment of a thread a lower bound of the time that the
 * thread was off its processor (off_cpu.h).
 *
 * sample     the thread's processor time at an instant, from the kernel
 * event      a collective of the thread; one or two calls belong to it (initiate, complete)
 * segment    the time between two consecutive calls
 * messages   time in MPI calls that are no events; it is part of a segment
 * accounted  the part of the time between two samples in which the thread ran, plus the possible
 *            difference of the clocks
 * figure     a number for each event: the results go to OFF_CPU, or to WAIT_OFF_CPU for the segment
 *            before the call that completes the event
 *
 *     samples   s1                       s2                       s3
 *     calls        [ call ]                         [ call ]
 *     segment              <----------------------->
 *     within               <-- s1, s2 --> <- s2, s3 ->
 *     off, summed over the pairs of samples: within - messages - accounted, if that is above 0
 *
 * The work is done in phases, each in steps of some microseconds:
 *
 *     LOOK   checks whether any segment can have certain off time. Mostly none can, and all is done
 *     LIST   writes down the calls of all events
 *     KEYS   gives each call a key, its start; only if the calls did not come in order
 *     SORT   sorts the keys; likewise
 *     WALK   goes along the calls, and finds the off time of the segment before each */
#include "trace/events/off_cpu.h"

#include <stdlib.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/order.h"

/* The kernel counts processor time by its own clock, which is read shortly before or after the
 * recorder's. The two clocks may drift apart by 1 / 2^SLACK_RATE_BITS of the time, 61 ppm. */
#define SLACK_NS        2000
#define SLACK_RATE_BITS 14

/* Number of events or calls in a step. */
#define STEP_EVENTS ((size_t)512)
/* Number of events in a step of LOOK, which does less with each. */
#define LOOK_EVENTS ((size_t)2048)

enum phase { LOOK, LIST, KEYS, SORT, WALK, DONE };

/* A call of the thread. Calls do not overlap, with two exceptions: several events may belong to one
 * call, and a call made in the callback of an attribute lies inside another. */
struct call {
    int64_t start;
    int64_t end;
    size_t event;
    bool completes; /* true: the second call of an event; false: its first or only one */
};

/* The state of listing a thread's calls in order. A call that completes events is held back until
 * all calls before it are listed. */
struct in_order {
    struct call held;
    bool has_held;
    bool ordered;   /* no call so far started before the previous one */
    int64_t before; /* the start of the last call */
};

/* The state between two steps. */
struct syn_off_cpu {
    int phase;
    size_t part; /* steps of the phase that are done */
    /* LOOK */
    int64_t matters_above_ns; /* segments up to this length have no certain off time; INT64_MAX: no
                                 segment has any */
    int64_t longest_ticks;    /* upper bound of the segments so far */
    int64_t before_start, before_end; /* of the last event so far */
    bool look_ordered;                /* no event so far started before the previous one */
    /* LIST, KEYS, SORT */
    struct in_order in_order;
    struct call *calls; /* [count] of capacity */
    size_t count, capacity;
    struct syn_order order;
    /* WALK */
    int64_t until; /* the latest end of the calls so far */
    size_t at;     /* the samples before this one are not after `until`; at least 1 */
};

/* Returns the time between two instants in ns, 0 if `to` is not after `from`. */
static int64_t ns_of(const struct syn_tick_source *ticks, int64_t from, int64_t to)
{
    return to > from ? syn_ticks_span_ns(ticks, syn_wrap_sub(to, from)) : 0;
}

/* Returns how long the thread ran between two samples, plus the possible difference of the clocks.
 * Returns -1 if its processor time decreased, which is a false measurement. */
static int64_t accounted_ns(const struct syn_tick_source *ticks, const struct syn_sample sample[2])
{
    const int64_t elapsed = ns_of(ticks, sample[0].time, sample[1].time);
    const int64_t on = (int64_t)(sample[1].cpu_ns - sample[0].cpu_ns);
    return on < 0 ? -1 : on + SLACK_NS + (elapsed >> SLACK_RATE_BITS);
}

/* Returns the least accounted time of the pairs of samples that have time not accounted for. A
 * segment up to this length has no certain off time. Returns INT64_MAX if there is no such pair,
 * the usual case: the thread ran all the time. */
static int64_t matters_above_ns(const struct syn_entries *entries,
                                const struct syn_tick_source *ticks)
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

static void tell(struct in_order *in_order, struct call call, struct call *calls, size_t *count)
{
    in_order->ordered &= call.start >= in_order->before;
    in_order->before = call.start;
    calls[(*count)++] = call;
}

/* Appends the calls of event `i`, and the held call if its place is known; at most two calls.
 * Events that one call completed share that call, which is stored with the event that has the time
 * in messages before it. */
static void tell_event(struct in_order *in_order, const struct syn_entries *entries, size_t i,
                       struct call *calls, size_t *count)
{
    const struct syn_event *event = &entries->events[i];
    const int64_t *messages = entries->figures[SYN_SEGMENT_WAIT_MESSAGES];
    struct call *held = &in_order->held;
    const struct call wait = {event->wait_start_ticks, event->end_ticks, i, true};
    if (in_order->has_held && event->start_ticks >= held->start) {
        tell(in_order, *held, calls, count);
        in_order->has_held = false;
    }
    tell(in_order, (struct call){event->start_ticks, event->call_end_ticks, i, false}, calls,
         count);
    /* An event that was complete when its call returned, or never completed, has one call. */
    if (event->call_end_ticks == event->end_ticks)
        return;
    if (in_order->has_held && held->start == wait.start && held->end == wait.end) {
        held->event = messages && messages[i] ? i : held->event;
        return;
    }
    if (in_order->has_held) /* another call: the earlier one comes first, if all come in order */
        tell(in_order, *held, calls, count);
    *held = wait;
    in_order->has_held = true;
}

/* Returns the end of the next step in a list of `count` events or calls. */
static size_t step_end(const struct syn_off_cpu *state, size_t count)
{
    const size_t end = (state->part + 1) * STEP_EVENTS;
    return syn_least(end, count);
}

/* Returns the time in ns that the thread was certainly off the processor in a segment, summed over
 * the pairs of samples that it overlaps. Samples are taken between calls, so one may lie within a
 * segment; mostly a segment lies within one pair. messages_ns: time of the whole segment in
 * messages. All of it is subtracted for each pair of samples, because its place in the segment is
 * unknown; so the result is a lower bound. *at advances to the first sample after `from`, the
 * second of its pair. */
static int64_t off_in_segment(const struct syn_entries *entries,
                              const struct syn_tick_source *ticks, int64_t from, int64_t to,
                              int64_t messages_ns, size_t *at)
{
    int64_t off_ns = 0;
    while (*at < entries->sample_count && entries->samples[*at].time <= from)
        ++*at;
    for (size_t i = *at; i < entries->sample_count && entries->samples[i - 1].time < to; i++) {
        const struct syn_sample *sample = &entries->samples[i - 1];
        const int64_t accounted = accounted_ns(ticks, sample);
        const int64_t within =
            ns_of(ticks, syn_largest(from, sample[0].time), syn_least(to, sample[1].time));
        if (accounted >= 0 && within > messages_ns)
            off_ns += syn_largest(within - messages_ns - accounted, 0);
    }
    return off_ns;
}

/* Finds the off time of some more segments. A segment ends with the start of a call that starts
 * after the ends of all calls before it. */
static int walk_step(struct syn_entries *entries)
{
    struct syn_off_cpu *state = entries->off_cpu;
    const struct syn_tick_source *ticks = entries->ticks;
    const size_t end = step_end(state, state->count);
    int status = SYN_OK;
    if (state->part == 0) {
        state->until = entries->samples[0].time; /* nothing is known of earlier time */
        state->at = 1;
    }
    for (size_t i = state->part * STEP_EVENTS; i < end && status == SYN_OK; i++) {
        const struct call *call =
            &state->calls[state->in_order.ordered ? i : state->order.keys[i].place];
        const enum syn_segment_figure of_messages =
            call->completes ? SYN_SEGMENT_WAIT_MESSAGES : SYN_SEGMENT_MESSAGES;
        const enum syn_segment_figure of_off =
            call->completes ? SYN_SEGMENT_WAIT_OFF_CPU : SYN_SEGMENT_OFF_CPU;
        const int64_t *messages = entries->figures[of_messages];
        const int64_t messages_ns = ns_of(ticks, 0, messages ? messages[call->event] : 0);
        const int64_t off_ns = call->start <= state->until
                                   ? 0
                                   : off_in_segment(entries, ticks, state->until, call->start,
                                                    messages_ns, &state->at);
        if (off_ns != 0) {
            status = syn_entries_add_figure(entries, of_off);
            if (status == SYN_OK)
                entries->figures[of_off][call->event] = off_ns;
        }
        state->until = syn_largest(call->end, state->until);
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

/* Returns the number of steps of a phase. For SORT only the steps left are known, so the steps done
 * are added. */
static size_t part_count(const struct syn_entries *entries, int phase)
{
    const struct syn_off_cpu *state = entries->off_cpu;
    switch (phase) {
    case LOOK:
        return looks_for(entries);
    case LIST:
        return steps_for(entries->event_count);
    case KEYS:
        return state->in_order.ordered ? 0 : steps_for(state->count);
    case SORT:
        return state->in_order.ordered
                   ? 0
                   : syn_order_steps_left(&state->order) + (state->phase == SORT ? state->part : 0);
    case WALK:
        return steps_for(state->count);
    default:
        return 0;
    }
}

/* Skips phases without a step left. If LOOK has no step at all (no samples or no events), all is
 * done. */
static void skip_empty_phases(struct syn_entries *entries)
{
    struct syn_off_cpu *state = entries->off_cpu;
    while (state->phase < DONE && state->part >= part_count(entries, state->phase)) {
        state->phase = state->phase == LOOK && state->part == 0 ? DONE : state->phase + 1;
        state->part = 0;
    }
}

/* Examines the segments of some more events. If one may have certain off time, the state is set to
 * the last step of LOOK, so that LIST follows. If none of all segments has, all is done.
 *
 * The state has an upper bound of the time between two consecutive calls, as long as the events
 * come in order. RATIONALE: sorting the calls would take ten times as long. A segment ends where an
 * event starts, and begins no earlier than the previous event ended. Or the segment ends where the
 * wait of an event begins, and begins no earlier than that event's own call ended. */
static int look_step(struct syn_entries *entries)
{
    struct syn_off_cpu *state = entries->off_cpu;
    const size_t end = syn_least((state->part + 1) * LOOK_EVENTS, entries->event_count);
    if (state->part == 0) {
        state->matters_above_ns = matters_above_ns(entries, entries->ticks);
        state->longest_ticks = 0;
        state->before_start = INT64_MIN;
        state->before_end = entries->samples[0].time;
        state->look_ordered = true;
    }
    if (state->matters_above_ns == INT64_MAX) {
        state->phase = DONE;
        return SYN_OK;
    }
    int64_t longest = state->longest_ticks;
    for (size_t i = state->part * LOOK_EVENTS; i < end; i++) {
        const struct syn_event *event = &entries->events[i];
        const int64_t start = event->start_ticks;
        const int64_t wait = syn_wrap_sub(event->wait_start_ticks, event->call_end_ticks);
        longest = syn_largest(syn_largest(syn_wrap_sub(start, state->before_end), wait), longest);
        state->look_ordered &= start >= state->before_start;
        state->before_start = start;
        state->before_end = event->end_ticks;
    }
    state->longest_ticks = longest;
    if (state->look_ordered &&
        syn_ticks_span_ns(entries->ticks, longest) <= state->matters_above_ns) {
        if (end == entries->event_count)
            state->phase = DONE;
        return SYN_OK;
    }
    /* Make memory for the calls, at most two for each event. */
    state->part = looks_for(entries) - 1;
    const size_t capacity = 2 * entries->event_count + 1;
    state->in_order = (struct in_order){.ordered = true, .before = INT64_MIN};
    state->count = 0;
    if (capacity <= state->capacity)
        return SYN_OK;
    free(state->calls);
    state->calls = malloc(capacity * sizeof *state->calls);
    state->capacity = state->calls ? capacity : 0;
    return state->calls ? SYN_OK : SYN_ENOMEM;
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
    struct syn_off_cpu *state = entries->off_cpu;
    int status = SYN_OK;
    skip_empty_phases(entries);
    const size_t count = state->phase == LIST ? entries->event_count : state->count;
    const size_t end = step_end(state, count);
    switch (state->phase) {
    case DONE:
        return SYN_OK;
    case LOOK:
        status = look_step(entries);
        break;
    case LIST:
        for (size_t i = state->part * STEP_EVENTS; i < end; i++)
            tell_event(&state->in_order, entries, i, state->calls, &state->count);
        if (end == count && state->in_order.has_held)
            tell(&state->in_order, state->in_order.held, state->calls, &state->count);
        break;
    case KEYS:
        if (state->part == 0)
            status = syn_order_begin(&state->order, count);
        for (size_t i = state->part * STEP_EVENTS; status == SYN_OK && i < end; i++)
            state->order.keys[i] = (struct syn_order_key){state->calls[i].start, (uint32_t)i};
        break;
    case SORT:
        syn_order_step(&state->order);
        break;
    default:
        status = walk_step(entries);
    }
    state->part++;
    skip_empty_phases(entries);
    if (status != SYN_OK)
        state->phase = DONE;
    return status;
}

/* The result is a lower bound: LOOK counts only its own steps, because mostly no phase follows;
 * LIST knows only the calls so far; and the steps of SORT are known after KEYS has begun. It is 0
 * only if all is done. */
size_t syn_off_cpu_steps_left(const struct syn_entries *entries)
{
    const struct syn_off_cpu *state = entries->off_cpu;
    if (state->phase == LOOK)
        return looks_for(entries) - syn_least(state->part, looks_for(entries));
    size_t steps = 0;
    for (int phase = state->phase; phase < DONE; phase++)
        steps += part_count(entries, phase) - (phase == state->phase ? state->part : 0);
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
