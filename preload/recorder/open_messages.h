/* preload/recorder/open_messages.h - table of messages that are not complete: pending sends and
 * receives, persistent requests, and messages that MPI_Mprobe has matched. The key is the request,
 * or the handle of the matched message.
 *
 * A call that posts a message writes its event into the thread's block. The call that completes the
 * message, in any thread, finds the event here and completes it in place. If the block is full
 * before that, the event moves to the next block. A lock guards the table; it costs nothing in a
 * process of one thread. No timed interval contains a search. */
#ifndef SYN_OPEN_MESSAGES_H
#define SYN_OPEN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/base/lock.h"
#include "preload/recorder/recorder.h"
#include "trace/base/event.h"

#define SYN_KEY_OF_REQUEST(request) ((uintptr_t)(request))
#define SYN_KEY_OF_MESSAGE(handle)  ((uintptr_t)(handle) ^ UINT64_C(1) << 62)

/* Entries of the table; entries whose peer, tag or cancellation is known from the MPI_Status of
 * their completion only. */
extern uint32_t syn_open_message_count, syn_open_message_status_count;

static inline bool syn_open_messages_none(void)
{
    return __atomic_load_n(&syn_open_message_count, __ATOMIC_RELAXED) == 0;
}

/* Adds `event`, which is pending until `key` completes. `second`: beside the event that the key has
 * already. Without memory the event stays incomplete. */
void syn_open_message_add(uintptr_t key, struct syn_event *event, bool second);
/* Copies `template`, the event of a persistent or a matched message before it starts. */
void syn_open_message_set_template(uintptr_t key, const struct syn_event *template);
/* Copies the key's template to *template. `remove`: and removes the key. Returns false if the key
 * has none. */
bool syn_open_message_get_template(uintptr_t key, bool remove, struct syn_event *template);

static inline bool syn_open_messages_need_status(void)
{
    return __atomic_load_n(&syn_open_message_status_count, __ATOMIC_RELAXED) > 0;
}

/* Guards the table. Use the functions. */
extern struct syn_lock syn_open_messages_lock;

/* Takes the lock for all messages that one call completes. Returns false if the table is empty or
 * the lock cannot be had; else the caller calls syn_open_messages_end, and no function of the
 * recorder in between. */
static inline bool syn_open_messages_begin(void)
{
    return !syn_open_messages_none() && syn_lock_take_briefly(&syn_open_messages_lock);
}

static inline void syn_open_messages_end(void)
{
    syn_lock_give_briefly(&syn_open_messages_lock);
}

struct syn_completed {
    int64_t wait_start_ticks, end_ticks;
    const MPI_Status *status; /* NULL: unknown */
    uint16_t flags;
};
/* Completes the key's events, between syn_open_messages_begin and _end. Removes the key unless it
 * has a template. Returns the first event, or NULL if there was none. */
struct syn_event *syn_open_message_complete(uintptr_t key, const struct syn_completed *how);
/* The program freed the request: its events get SYN_EVENT_FREED. */
void syn_open_message_freed(uintptr_t key);
/* The program called MPI_Cancel. The status of the completion says whether it succeeded. */
void syn_open_message_may_be_cancelled(uintptr_t key);

/* Stores source, tag and size of a completed receive in its event. */
void syn_message_received(struct syn_event *event, const MPI_Status *status);

/* Move events of open messages out of a full block and into the next one: take_open and put_open of
 * recorder.h. */
size_t syn_open_messages_take(struct syn_event *first, const struct syn_event *end, size_t most);
size_t syn_open_messages_put(struct syn_event *to);

#endif
