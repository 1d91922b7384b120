/* trace/events/entries.h - the contents of a thread's buffer, taken apart: events, figures of the
 * segments between them, samples. notes.h fills it in, off_cpu.h adds to it. */
#ifndef SYN_ENTRIES_H
#define SYN_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "sync/time/clock.h"
#include "trace/base/event.h"
#include "trace/base/records.h"

/* Figures of the segments of an event: of the one before its start, and of the one before the call
 * that completed it. */
enum syn_segment_figure {
    SYN_SEGMENT_MESSAGES, /* ticks */
    SYN_SEGMENT_OFF_CPU,  /* nanoseconds */
    SYN_SEGMENT_WAIT_MESSAGES,
    SYN_SEGMENT_WAIT_OFF_CPU,
    SYN_SEGMENT_FIGURES
};

struct syn_off_cpu;

/* Entries of one thread, taken apart. */
struct syn_entries {
    const struct syn_event *events; /* [event_count], in the order they came in */
    size_t event_count;
    int64_t *figures[SYN_SEGMENT_FIGURES]; /* [event_count] each; NULL: 0 for all */
    struct syn_sample *samples;            /* [sample_count], ascending; their time in ticks */
    size_t *sample_place;                  /* [sample_count]: how many events were before it */
    size_t sample_count;

    /* How far it is, and memory that is kept for the next time. */
    const struct syn_event *entries;
    size_t entry_count, done_count;
    size_t copied_count; /* of events that lie between notes */
    int64_t messages_ticks[2];
    const struct syn_tick_source *ticks;
    struct syn_off_cpu *off_cpu;
    struct syn_event *copied;
    int64_t *room[SYN_SEGMENT_FIGURES];
    size_t copied_capacity, room_capacity[SYN_SEGMENT_FIGURES], sample_capacity;
};

/* Bytes for an element an entry: the same for about as many entries, so that memory that was used
 * once is used again. */
size_t syn_entries_room(const struct syn_entries *entries, size_t element_bytes);
/* Room for a figure, all 0; nothing where it has some. Returns 0 or SYN_ENOMEM. */
int syn_entries_add_figure(struct syn_entries *entries, enum syn_segment_figure figure);

#endif
