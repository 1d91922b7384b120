/* preload/recorder/open_messages.h - messages under way, persistent ones prepared, and ones that a
 * probe has matched: by request, or by the handle that the probe gave.
 *
 * A message's event lies in its thread's block from when it was posted. What completes it, in
 * whatever thread, writes there. If the block ends first, the event moves to the next one. A lock
 * guards the table; it is free where the process has one thread. Nothing is looked up in a timed
 * interval. */
#ifndef SYN_OPEN_MESSAGES_H
#define SYN_OPEN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/recorder/recorder.h"
#include "trace/base/event.h"

#define SYN_KEY_OF_REQUEST(request) ((uintptr_t)(request))
#define SYN_KEY_OF_MESSAGE(handle)  ((uintptr_t)(handle) ^ UINT64_C(1) << 62)

/* How many the table holds; of how many of these a peer, a tag or the fate is open, which only the
 * status of their completion tells. */
extern uint32_t syn_open_message_count, syn_open_message_unsure_count;

static inline bool syn_open_messages_none(void)
{
    return __atomic_load_n(&syn_open_message_count, __ATOMIC_RELAXED) == 0;
}

/* `event` is under way until `key` completes; `second`: besides the one that was added before.
 * Where memory is short it stays one that never completed. */
void syn_open_message_add(uintptr_t key, struct syn_event *event, bool second);
/* Keep what is known of a persistent or a matched message: `like`, copied. */
void syn_open_message_keep(uintptr_t key, const struct syn_event *like);
/* Copies what is kept. `take`: it is kept no longer. False if there is nothing. */
bool syn_open_message_kept(uintptr_t key, bool take, struct syn_event *like);

static inline bool syn_open_messages_need_status(void)
{
    return __atomic_load_n(&syn_open_message_unsure_count, __ATOMIC_RELAXED) > 0;
}

/* Around what one call completes: the lock is taken once for all of it. Returns false if there is
 * nothing under way, or no lock to be had; else syn_open_messages_end follows. Nothing of the
 * recorder's is called between the two. */
bool syn_open_messages_begin(void);
void syn_open_messages_end(void);
struct syn_completed {
    int64_t wait_start_ticks, end_ticks;
    const MPI_Status *status; /* NULL: none is at hand */
    uint16_t flags;
};
/* It is complete; a persistent one stays prepared. Returns its event; NULL if there was none.
 * Between syn_open_messages_begin and _end. */
struct syn_event *syn_open_message_complete(uintptr_t key, const struct syn_completed *how);
/* The program gave the request up. */
void syn_open_message_freed(uintptr_t key);
/* It may be cancelled: its status tells. */
void syn_open_message_cancels(uintptr_t key);

/* A receive of `event` is complete with this status. */
void syn_message_received(struct syn_event *event, const MPI_Status *status);

/* take_open and put_open of recorder.h. */
size_t syn_open_messages_take(struct syn_event *first, const struct syn_event *end, size_t most);
size_t syn_open_messages_put(struct syn_event *to);

#endif
