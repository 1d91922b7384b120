/* trace/events/notes.c - see notes.h. */
#include "trace/events/notes.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/events/off_cpu.h"

struct syn_event syn_note_of_sample(const struct syn_sample *sample)
{
    return (struct syn_event){
        .start_ticks = sample->time,
        .end_ticks = (int64_t)sample->cpu_ns,
        .call_end_ticks = (int64_t)sample->run_delay_ns,
        .wait_start_ticks = (int64_t)sample->instructions,
        .bytes = sample->cycles,
        .sequence = (uint64_t)sample->voluntary_switches << 32 | sample->involuntary_switches,
        .comm = sample->minor_faults,
        .stack = sample->major_faults,
        .root = sample->processor,
        .op = SYN_NOTE_SAMPLE,
        .flags = sample->has,
    };
}

/* Stores the time in messages before event `i`, in ticks, and resets both sums. */
static int put_messages(struct syn_entries *out, size_t i)
{
    static const enum syn_segment_figure figures[2] = {SYN_SEGMENT_MESSAGES,
                                                       SYN_SEGMENT_WAIT_MESSAGES};
    for (int f = 0; f < 2; f++) {
        if (out->messages_ticks[f] == 0)
            continue;
        if (syn_entries_add_figure(out, figures[f]) != SYN_OK)
            return SYN_ENOMEM;
        out->figures[figures[f]][i] = out->messages_ticks[f];
        out->messages_ticks[f] = 0;
    }
    return SYN_OK;
}

static bool reserve_sample(struct syn_entries *out)
{
    if (out->sample_count < out->sample_capacity)
        return true;
    const size_t capacity = out->sample_capacity ? 2 * out->sample_capacity : 16;
    if (SYN_RESERVE(out->samples, capacity) || SYN_RESERVE(out->sample_place, capacity))
        return false;
    out->sample_capacity = capacity;
    return true;
}

/* Takes one note, which has `place` events before it. */
static int take_note(struct syn_entries *out, const struct syn_event *note, size_t place)
{
    if (note->op == SYN_NOTE_SAMPLE) {
        /* Add a sample. Times of samples ascend, so one that does not is damaged and is dropped. */
        const size_t i = out->sample_count;
        const struct syn_sample sample = {
            .time = note->start_ticks,
            .cpu_ns = (uint64_t)note->end_ticks,
            .run_delay_ns = (uint64_t)note->call_end_ticks,
            .instructions = (uint64_t)note->wait_start_ticks,
            .cycles = note->bytes,
            .voluntary_switches = (uint32_t)(note->sequence >> 32),
            .involuntary_switches = (uint32_t)note->sequence,
            .minor_faults = note->comm,
            .major_faults = note->stack,
            .processor = note->root,
            .has = (uint16_t)(note->flags & ~SYN_EVENT_WRITTEN),
        };
        if (i > 0 && sample.time < out->samples[i - 1].time)
            return SYN_OK;
        if (!reserve_sample(out))
            return SYN_ENOMEM;
        out->samples[i] = sample;
        out->sample_place[i] = place;
        out->sample_count++;
        return SYN_OK;
    }
    /* a raw block may be damaged, so the sum may overflow */
    out->messages_ticks[0] = syn_wrap_add(out->messages_ticks[0], note->start_ticks);
    if (note->sequence > 0) {
        /* Add the time in messages to the earlier event that it belongs to; drop it if there is no
         * such event. */
        if (note->sequence > place)
            return SYN_OK;
        if (syn_entries_add_figure(out, SYN_SEGMENT_WAIT_MESSAGES) != SYN_OK)
            return SYN_ENOMEM;
        int64_t *ticks = &out->figures[SYN_SEGMENT_WAIT_MESSAGES][place - note->sequence];
        *ticks = syn_wrap_add(*ticks, note->wait_start_ticks);
        return SYN_OK;
    }
    out->messages_ticks[1] = syn_wrap_add(out->messages_ticks[1], note->wait_start_ticks);
    return SYN_OK;
}

size_t syn_count_notes(const struct syn_event *entries, size_t entry_count)
{
    size_t note_count = 0;
    for (size_t i = 0; i < entry_count; i++)
        note_count += syn_is_note(&entries[i]);
    return note_count;
}

/* Returns the number of notes before the first event, if all other notes are after the last event;
 * else entry_count. Only the ends of the entries are read. Blocks of programs that make many calls
 * mostly have notes at their ends only. */
static size_t notes_in_front(const struct syn_event *entries, size_t entry_count, size_t note_count)
{
    size_t front = 0, back = 0;
    while (front < note_count && syn_is_note(&entries[front]))
        front++;
    while (front + back < note_count && syn_is_note(&entries[entry_count - 1 - back]))
        back++;
    return front + back == note_count ? front : entry_count;
}

/* Number of entries in a step. */
#define STEP_ENTRIES ((size_t)512)

/* Copies the entries from `first` to `end`, which are events without a note between them. The time
 * in messages from earlier notes belongs to the first of them. */
static int take_row(struct syn_entries *out, size_t first, size_t end)
{
    const size_t count = syn_least(end - first, out->event_count - out->copied_count);
    if (count == 0)
        return SYN_OK;
    memcpy(out->copied + out->copied_count, out->entries + first, count * sizeof *out->copied);
    const int status = put_messages(out, out->copied_count);
    out->copied_count += count;
    return status;
}

/* Takes the next entries, up to `end`, if notes lie between events. RATIONALE: mostly one entry in
 * a thousand is a note, so the events between two notes are copied together. */
static int take_scattered(struct syn_entries *out, size_t end)
{
    int status = SYN_OK;
    size_t first = out->done_count;
    for (size_t i = first; i < end && status == SYN_OK; i++) {
        if (!syn_is_note(&out->entries[i]))
            continue;
        status = take_row(out, first, i);
        SYN_STEP(status, take_note(out, &out->entries[i], out->copied_count));
        first = i + 1;
    }
    out->done_count = end;
    return status == SYN_OK ? take_row(out, first, end) : status;
}

int syn_entries_begin(const struct syn_event *entries, size_t entry_count, size_t note_count,
                      const struct syn_tick_source *ticks, struct syn_entries *out)
{
    const size_t front = notes_in_front(entries, entry_count, note_count);
    out->entries = entries;
    out->entry_count = entry_count;
    out->done_count = 0;
    out->event_count = entry_count - note_count;
    out->ticks = ticks;
    out->sample_count = 0;
    out->messages_ticks[0] = out->messages_ticks[1] = 0;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        out->figures[i] = NULL;
    if (syn_off_cpu_begin(out) != SYN_OK)
        return SYN_ENOMEM;
    if (front > note_count) {
        const size_t bytes = syn_entries_room(out, sizeof *out->copied);
        if (out->copied_capacity < bytes) {
            free(out->copied);
            out->copied = malloc(bytes);
            out->copied_capacity = out->copied ? bytes : 0;
        }
        out->events = out->copied;
        out->copied_count = 0;
        return out->copied ? SYN_OK : SYN_ENOMEM;
    }
    int status = SYN_OK;
    out->events = out->entries + front;
    for (size_t i = 0; i < front && status == SYN_OK; i++)
        status = take_note(out, &out->entries[i], 0);
    if (status == SYN_OK && out->event_count > 0)
        status = put_messages(out, 0);
    for (size_t i = front + out->event_count; i < out->entry_count && status == SYN_OK; i++)
        status = take_note(out, &out->entries[i], out->event_count);
    out->done_count = out->entry_count;
    return status;
}

int syn_entries_step(struct syn_entries *entries)
{
    const size_t left = entries->entry_count - entries->done_count;
    const int status =
        left > 0 ? take_scattered(entries, entries->done_count + (syn_least(left, STEP_ENTRIES)))
                 : syn_off_cpu_step(entries);
    return status;
}

size_t syn_entries_steps_left(const struct syn_entries *entries)
{
    const size_t left = entries->entry_count - entries->done_count;
    return (left + STEP_ENTRIES - 1) / STEP_ENTRIES + syn_off_cpu_steps_left(entries);
}

int syn_entries_take(const struct syn_event *entries, size_t entry_count, size_t note_count,
                     const struct syn_tick_source *ticks, struct syn_entries *out)
{
    *out = (struct syn_entries){0};
    int status = syn_entries_begin(entries, entry_count, note_count, ticks, out);
    while (status == SYN_OK && syn_entries_steps_left(out) > 0)
        status = syn_entries_step(out);
    if (status != SYN_OK)
        syn_entries_free(out);
    return status;
}

void syn_entries_free(struct syn_entries *entries)
{
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        free(entries->room[i]);
    free(entries->samples);
    free(entries->sample_place);
    free(entries->copied);
    syn_off_cpu_free(entries);
    *entries = (struct syn_entries){0};
}
