/* preload/recorder/slots.h - memory for nonblocking collectives that were started and are not
 * complete, so that they outlive the process (trace/write/raw.h, SYN_RAW_PENDING).
 *
 * A slot belongs to an entry of the table of requests for good, as does the lack of one: then the
 * call is counted as lost for as long as it is under way. */
#ifndef SYN_SLOTS_H
#define SYN_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/base/event.h"

/* Off the table's lock: see that there is a slot for one more entry, if there can be. Called when
 * recording begins, so that no program pauses for its first ones. Returns
 * whether it made room, which takes a while: the next event is to say so. */
bool syn_slots_prepare(void);
/* A slot for a new entry, by one thread at a time; NULL where there is none. */
struct syn_event *syn_slots_take(void);

/* `event` was started by `thread`; its end is the time in messages before (syn_event_hold). `slot`
 * may be NULL. */
void syn_slot_fill(struct syn_event *slot, const struct syn_event *event, uint32_t thread);
/* It is complete, and not stored as an event yet. */
void syn_slot_clear(struct syn_event *slot);

#endif
