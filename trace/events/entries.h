/* trace/events/entries.h - the contents of a thread's buffer, separated into events, figures of the
 * segments between them, and samples. notes.h fills the structure, and off_cpu.h adds figures. */
#ifndef SYN_ENTRIES_H
#define SYN_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "sync/time/clock.h"
#include "trace/base/event.h"
#include "trace/base/records.h"

/* Figures of the two segments of an event: the segment before its start and, in the figures named
 * WAIT, the segment before the call that completed it. */
enum syn_segment_figure {
    SYN_SEGMENT_MESSAGES, /* ticks */
    SYN_SEGMENT_OFF_CPU,  /* nanoseconds */
    SYN_SEGMENT_WAIT_MESSAGES,
    SYN_SEGMENT_WAIT_OFF_CPU,
    SYN_SEGMENT_FIGURES
};

struct syn_off_cpu;

/* Entries of one thread, separated. */
struct syn_entries {
    const struct syn_event *events; /* [event_count], in the order of recording */
    size_t event_count;
    int64_t *figures[SYN_SEGMENT_FIGURES]; /* [event_count] each; NULL: 0 for all */
    struct syn_sample *samples;            /* [sample_count], in ascending order; times in ticks */
    size_t *sample_place;                  /* [sample_count]: number of events before the sample */
    size_t sample_count;

    /* The state between two steps, and memory that is kept for the next use. */
    const struct syn_event *entries;
    size_t entry_count, done_count;
    size_t copied_count; /* number of events in `copied` */
    int64_t messages_ticks[2];
    const struct syn_tick_source *ticks;
    struct syn_off_cpu *off_cpu;
    struct syn_event *copied;
    int64_t *room[SYN_SEGMENT_FIGURES];
    size_t copied_capacity, room_capacity[SYN_SEGMENT_FIGURES], sample_capacity;
};

/* Returns the bytes of memory for one element per entry. The number of entries is rounded up, so
 * that memory can be used again for a similar number. */
size_t syn_entries_room(const struct syn_entries *entries, size_t element_bytes);
/* Makes memory for a figure, all 0, if it has none yet. Returns 0 or SYN_ENOMEM. */
int syn_entries_add_figure(struct syn_entries *entries, enum syn_segment_figure figure);

#endif
