/* trace/events/notes.h - notes: entries of a thread's buffer that are no events. They have the size
 * of an event, so that a buffer, and a raw block, is an array of entries of one kind.
 *
 * Messages: time in MPI calls that are no events. Such a note belongs to the next event behind it,
 * or to one before it; several of one event add up. Samples: the kernel's counts of the thread, at
 * a moment between two calls. */
#ifndef SYN_NOTES_H
#define SYN_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/time/clock.h"
#include "trace/base/event.h"
#include "trace/base/records.h"
#include "trace/events/entries.h"

/* An entry's `op` that says that it is a note; no operation has such an id. */
#define SYN_NOTE_MESSAGES 0xfffeu
#define SYN_NOTE_SAMPLE   0xffffu

static inline bool syn_is_note(const struct syn_event *entry)
{
    return entry->op >= SYN_NOTE_MESSAGES;
}

/* Messages: `start_ticks` is the time in them before the event's start, `wait_start_ticks` that
 * between the return of the call that initiated it and the start of the one that completed it. */
static inline struct syn_event syn_note_of_messages(int64_t ticks, int64_t wait_ticks)
{
    return (struct syn_event){
        .start_ticks = ticks, .wait_start_ticks = wait_ticks, .op = SYN_NOTE_MESSAGES};
}

/* `wait_ticks` belong to the event that is `back` events before the note, 1: the last one. */
static inline struct syn_event syn_note_of_wait(int64_t wait_ticks, uint64_t back)
{
    return (struct syn_event){
        .wait_start_ticks = wait_ticks, .sequence = back, .op = SYN_NOTE_MESSAGES};
}

/* A sample whose time is in ticks. */
struct syn_event syn_note_of_sample(const struct syn_sample *sample);

/* Take `entry_count` entries of one thread apart, `note_count` of them notes, in the order they
 * were recorded in. Messages behind the last event are nobody's. `entries` are kept by reference:
 * where all events lie side by side, they are not copied. Returns 0 or SYN_ENOMEM. */
int syn_entries_take(const struct syn_event *entries, size_t entry_count, size_t note_count,
                     const struct syn_tick_source *ticks, struct syn_entries *out);
/* Like syn_entries_take, in steps of some microseconds: begin, then syn_entries_step until none is
 * left. `out` is all zeros, or the result of an earlier call, whose memory is used again. Both
 * return what syn_entries_take does; after an error no step is left. */
int syn_entries_begin(const struct syn_event *entries, size_t entry_count, size_t note_count,
                      const struct syn_tick_source *ticks, struct syn_entries *out);
int syn_entries_step(struct syn_entries *entries);
size_t syn_entries_steps_left(const struct syn_entries *entries);
size_t syn_count_notes(const struct syn_event *entries, size_t entry_count);
void syn_entries_free(struct syn_entries *entries);

#endif
