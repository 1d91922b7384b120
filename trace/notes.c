/* trace/notes.c - see notes.h. */
#include "notes.h"

#include <stdlib.h>

#include "../sync/status.h"
#include "off_cpu.h"

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

static void *slice(unsigned char **at, size_t bytes)
{
    void *here = *at;
    *at += (bytes + 63) & ~(size_t)63;
    return here;
}

static int make_room(struct syn_entries *out, size_t event_count, size_t sample_count)
{
    const size_t event_bytes = sizeof *out->events + SYN_SEGMENT_FIGURES * sizeof **out->figures;
    const size_t sample_bytes = sizeof *out->samples + sizeof *out->sample_place;
    unsigned char *at = calloc(1, event_count * event_bytes + sample_count * sample_bytes +
                                      64 * (SYN_SEGMENT_FIGURES + 3));
    out->memory = at;
    if (!at)
        return SYN_ENOMEM;
    out->events = slice(&at, event_count * sizeof *out->events);
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        out->figures[i] = slice(&at, event_count * sizeof **out->figures);
    out->samples = slice(&at, sample_count * sizeof *out->samples);
    out->sample_place = slice(&at, sample_count * sizeof *out->sample_place);
    return SYN_OK;
}

/* Sums wrap: nothing in a raw block is believed. */
static void add(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static void take_event(struct syn_entries *out, const struct syn_event *event, int64_t messages[2])
{
    const size_t i = out->event_count++;
    out->events[i] = *event;
    out->figures[SYN_SEGMENT_MESSAGES][i] = messages[0];
    out->figures[SYN_SEGMENT_WAIT_MESSAGES][i] = messages[1];
    messages[0] = messages[1] = 0;
}

/* Times of samples ascend: one that does not is somebody's invention. */
static void take_sample(struct syn_entries *out, const struct syn_event *note)
{
    const size_t i = out->sample_count;
    const struct syn_sample sample = syn_sample_of_note(note);
    if (i > 0 && sample.time < out->samples[i - 1].time)
        return;
    out->samples[i] = sample;
    out->sample_place[i] = out->event_count;
    out->sample_count++;
}

int syn_entries_take(const struct syn_event *entries, size_t entry_count,
                     const struct syn_tick_source *ticks, struct syn_entries *out)
{
    size_t note_count = 0, sample_count = 0;
    int64_t messages[2] = {0, 0};
    for (size_t i = 0; i < entry_count; i++) {
        note_count += syn_is_note(&entries[i]);
        sample_count += entries[i].op == SYN_NOTE_SAMPLE;
    }
    *out = (struct syn_entries){0};
    if (make_room(out, entry_count - note_count, sample_count) != SYN_OK)
        return SYN_ENOMEM;
    for (size_t i = 0; i < entry_count; i++) {
        const struct syn_event *entry = &entries[i];
        if (!syn_is_note(entry)) {
            take_event(out, entry, messages);
        } else if (entry->op == SYN_NOTE_SAMPLE) {
            take_sample(out, entry);
        } else {
            add(&messages[0], entry->start_ticks);
            add(&messages[1], entry->wait_start_ticks);
        }
    }
    const int status = sample_count > 1 ? syn_off_cpu(out, ticks) : SYN_OK;
    if (status != SYN_OK)
        syn_entries_free(out);
    return status;
}

void syn_entries_free(struct syn_entries *entries)
{
    free(entries->memory);
    *entries = (struct syn_entries){0};
}
