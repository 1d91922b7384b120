/* preload/recorder/slots.h - memory for pending nonblocking collectives that outlives the process
 * (trace/write/raw.h, SYN_RAW_PENDING).
 *
 * An entry of the request table gets a slot when it is first used, and keeps it for good. An entry
 * may lack a slot: then its call counts as lost while it is pending. */
#ifndef SYN_SLOTS_H
#define SYN_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/base/event.h"

/* Make sure that there is a slot for one more entry, if possible. Do not hold the lock of the
 * request table. Called when recording begins, so that the program's first request causes no pause.
 * Returns true if memory was prepared, which takes a while: the next event is to be marked
 * perturbed. */
bool syn_slots_prepare(void);
/* Returns a slot for a new entry, or NULL. One thread at a time. */
struct syn_event *syn_slots_take(void);

/* Store the pending `event` of `thread` in the slot. Its end_ticks holds the time in messages
 * before it (syn_event_hold). Without a slot the call counts as lost. */
void syn_slot_fill(struct syn_event *slot, const struct syn_event *event, uint32_t thread);
/* The event is complete: empty the slot before the event is stored in a buffer. */
void syn_slot_clear(struct syn_event *slot);

#endif
