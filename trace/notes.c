/* trace/notes.c - see notes.h. */
#include "trace/notes.h"

#include <stdlib.h>

#include "sync/status.h"
#include "trace/off_cpu.h"

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

struct syn_sample syn_sample_of_note(const struct syn_event *note)
{
    return (struct syn_sample){
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
}

/* Sums wrap: nothing in a raw block is believed. */
static void add(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

int syn_entries_add_figure(struct syn_entries *entries, enum syn_segment_figure figure)
{
    if (!entries->figures[figure])
        entries->figures[figure] = calloc(entries->event_count + 1, sizeof(int64_t));
    return entries->figures[figure] ? SYN_OK : SYN_ENOMEM;
}

/* Of event `i`; both sums begin anew. */
static int put_messages(struct syn_entries *out, size_t i, int64_t messages[2])
{
    static const enum syn_segment_figure figures[2] = {SYN_SEGMENT_MESSAGES,
                                                       SYN_SEGMENT_WAIT_MESSAGES};
    for (int f = 0; f < 2; f++) {
        if (messages[f] == 0)
            continue;
        if (syn_entries_add_figure(out, figures[f]) != SYN_OK)
            return SYN_ENOMEM;
        out->figures[figures[f]][i] = messages[f];
        messages[f] = 0;
    }
    return SYN_OK;
}

/* Times of samples ascend: one that does not is somebody's invention. */
static void take_sample(struct syn_entries *out, const struct syn_event *note, size_t place)
{
    const size_t i = out->sample_count;
    const struct syn_sample sample = syn_sample_of_note(note);
    if (i > 0 && sample.time < out->samples[i - 1].time)
        return;
    out->samples[i] = sample;
    out->sample_place[i] = place;
    out->sample_count++;
}

/* One note, which has `place` events before it. */
static void take_note(struct syn_entries *out, const struct syn_event *note, size_t place,
                      int64_t messages[2])
{
    if (note->op == SYN_NOTE_SAMPLE) {
        take_sample(out, note, place);
        return;
    }
    add(&messages[0], note->start_ticks);
    add(&messages[1], note->wait_start_ticks);
}

size_t syn_count_notes(const struct syn_event *entries, size_t entry_count)
{
    size_t note_count = 0;
    for (size_t i = 0; i < entry_count; i++)
        note_count += syn_is_note(&entries[i]);
    return note_count;
}

/* How many notes are before the first event, if all others are behind the last one; else
 * entry_count. A block of a program that calls all the time is so: only its ends are looked at. */
static size_t notes_in_front(const struct syn_event *entries, size_t entry_count, size_t note_count)
{
    size_t front = 0, back = 0;
    while (front < note_count && syn_is_note(&entries[front]))
        front++;
    while (front + back < note_count && syn_is_note(&entries[entry_count - 1 - back]))
        back++;
    return front + back == note_count ? front : entry_count;
}

/* Events between notes. */
static int take_scattered(struct syn_entries *out, const struct syn_event *entries,
                          size_t entry_count)
{
    size_t used = 0;
    int64_t messages[2] = {0, 0};
    int status = SYN_OK;
    out->copied = malloc((out->event_count + 1) * sizeof *out->copied);
    out->events = out->copied;
    if (!out->copied)
        return SYN_ENOMEM;
    for (size_t i = 0; i < entry_count && status == SYN_OK; i++) {
        if (syn_is_note(&entries[i])) {
            take_note(out, &entries[i], used, messages);
            continue;
        }
        out->copied[used] = entries[i];
        status = put_messages(out, used++, messages);
    }
    return status;
}

/* All events side by side, behind `front` notes. */
static int take_together(struct syn_entries *out, const struct syn_event *entries,
                         size_t entry_count, size_t front)
{
    int64_t messages[2] = {0, 0};
    out->events = entries + front;
    for (size_t i = 0; i < front; i++)
        take_note(out, &entries[i], 0, messages);
    const int status = out->event_count > 0 ? put_messages(out, 0, messages) : SYN_OK;
    for (size_t i = front + out->event_count; i < entry_count; i++)
        take_note(out, &entries[i], out->event_count, messages);
    return status;
}

int syn_entries_take(const struct syn_event *entries, size_t entry_count, size_t note_count,
                     const struct syn_tick_source *ticks, struct syn_entries *out)
{
    const size_t front = notes_in_front(entries, entry_count, note_count);
    *out = (struct syn_entries){.event_count = entry_count - note_count};
    out->samples = malloc((note_count + 1) * sizeof *out->samples);
    out->sample_place = malloc((note_count + 1) * sizeof *out->sample_place);
    int status = out->samples && out->sample_place ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK)
        status = front <= note_count ? take_together(out, entries, entry_count, front)
                                     : take_scattered(out, entries, entry_count);
    if (status == SYN_OK && out->sample_count > 1)
        status = syn_off_cpu(out, ticks);
    if (status != SYN_OK)
        syn_entries_free(out);
    return status;
}

void syn_entries_free(struct syn_entries *entries)
{
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        free(entries->figures[i]);
    free(entries->samples);
    free(entries->sample_place);
    free(entries->copied);
    *entries = (struct syn_entries){0};
}
