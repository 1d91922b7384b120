/* trace/events/notes.h - notes: entries of a thread's buffer that are no events. A note has the
 * size of an event, so a buffer, and a raw block, is an array of entries of one kind.
 *
 * There are two kinds. A note of messages holds time in MPI calls that are not recorded as events;
 * it belongs to the next event, or to an earlier one, and several notes of one event add up. A note
 * of a sample holds the kernel's counts of the thread at a time between two calls. */
#ifndef SYN_NOTES_H
#define SYN_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/time/clock.h"
#include "trace/base/event.h"
#include "trace/base/records.h"
#include "trace/events/entries.h"

/* Values of `op` that mark an entry as a note. No operation has such a number. */
#define SYN_NOTE_MESSAGES 0xfffeu
#define SYN_NOTE_SAMPLE   0xffffu

static inline bool syn_is_note(const struct syn_event *entry)
{
    return entry->op >= SYN_NOTE_MESSAGES;
}

/* Returns a note of messages. `ticks` is the time in messages before the start of the next event.
 * `wait_ticks` is the time in messages between the return of the call that initiated that event and
 * the start of the call that completed it. */
static inline struct syn_event syn_note_of_messages(int64_t ticks, int64_t wait_ticks)
{
    return (struct syn_event){
        .start_ticks = ticks, .wait_start_ticks = wait_ticks, .op = SYN_NOTE_MESSAGES};
}

/* Returns a note of messages whose `wait_ticks` belong to the event that is `back` events before
 * the note; 1: the last event. */
static inline struct syn_event syn_note_of_wait(int64_t wait_ticks, uint64_t back)
{
    return (struct syn_event){
        .wait_start_ticks = wait_ticks, .sequence = back, .op = SYN_NOTE_MESSAGES};
}

/* Returns a note of a sample, whose time is in ticks. */
struct syn_event syn_note_of_sample(const struct syn_sample *sample);

/* Separates `entry_count` entries of one thread, `note_count` of them notes, in the order of
 * recording. Time in messages after the last event is dropped. `out` refers to `entries`: events
 * without notes between them are not copied. Returns 0 or SYN_ENOMEM. */
int syn_entries_take(const struct syn_event *entries, size_t entry_count, size_t note_count,
                     const struct syn_tick_source *ticks, struct syn_entries *out);
/* Like syn_entries_take, in steps of some microseconds: call syn_entries_begin, then
 * syn_entries_step until syn_entries_steps_left returns 0. `out` is all zeros, or the result of an
 * earlier call, whose memory is then used again. Both return 0 or SYN_ENOMEM. After an error no
 * step may follow. */
int syn_entries_begin(const struct syn_event *entries, size_t entry_count, size_t note_count,
                      const struct syn_tick_source *ticks, struct syn_entries *out);
int syn_entries_step(struct syn_entries *entries);
size_t syn_entries_steps_left(const struct syn_entries *entries);
size_t syn_count_notes(const struct syn_event *entries, size_t entry_count);
void syn_entries_free(struct syn_entries *entries);

#endif
