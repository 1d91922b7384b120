/* preload/recorder/open_messages.c - finds the event of a message by the request that completes it
 * (open_messages.h).
 *
 * The hash table uses open addressing with linear probing. At most half of its places are taken.
 * Removal shifts the entries behind the removed one back, so that there are no tombstones. */
#include "preload/recorder/open_messages.h"

#include <stdlib.h>
#include <string.h>

#include "preload/mpi/pmpi.h"
#include "sync/base/compare.h"
#include "sync/base/hash.h"
#include "sync/base/layout.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"
#include "trace/events/notes.h"

#define FIRST_CAPACITY 1024
/* At most so many of a block's last events move up. */
#define MOVED_UP_MAX 64

struct open_message {
    uintptr_t key; /* of a request or a matched message; 0: the place is free */
    /* Events in blocks of threads. MPI_Isendrecv has two of them, a send and a receive. NULL: no
     * event. A persistent request has none while it is inactive. */
    struct syn_event *event[2];
    /* Fields that later events copy: of a persistent request or a matched message. Owned; else
     * NULL. */
    struct syn_event *template;
    bool may_be_cancelled;
    bool needs_status; /* counted in syn_open_message_status_count */
};

/* A copy of an event that is taken out of a full block. */
struct moved {
    uintptr_t key;
    struct syn_event *from; /* its place, as the table has it */
    struct syn_event *left; /* the place in the block that is empty instead */
    struct syn_event event;
};

static struct open_message first_places[FIRST_CAPACITY];
struct syn_lock syn_open_messages_lock SYN_NEAR = SYN_LOCK_INITIALIZER;

static struct {
    struct open_message *places;
    size_t capacity; /* a power of two */
    struct moved *moved;
    size_t moved_count, moved_capacity;
} table SYN_NEAR = {.places = first_places, .capacity = FIRST_CAPACITY};

uint32_t syn_open_message_count SYN_NEAR, syn_open_message_status_count SYN_NEAR;

/* ---- the table, under the lock ---- */

static size_t home_of(uintptr_t key)
{
    return syn_hash_word(key) >> 32 & (table.capacity - 1);
}

static size_t next_of(size_t place)
{
    return (place + 1) & (table.capacity - 1);
}

/* Returns the key's place, or the free place at which the key would be added. */
static struct open_message *find(uintptr_t key)
{
    size_t place = home_of(key);
    while (table.places[place].key && table.places[place].key != key)
        place = next_of(place);
    return &table.places[place];
}

/* RATIONALE: a table that is at most half full always has a free place, at which a search ends. */
static bool grow(void)
{
    struct open_message *const old = table.places;
    const size_t old_capacity = table.capacity;
    struct open_message *grown = calloc(2 * old_capacity, sizeof *grown);
    if (!grown)
        return false;
    table.places = grown;
    table.capacity = 2 * old_capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].key)
            *find(old[i].key) = old[i];
    if (old != first_places)
        free(old);
    return true;
}

/* Returns the key's place, and adds the key if it is new. NULL: no memory. A free place has no
 * members but zeros. */
static inline struct open_message *place_for(uintptr_t key)
{
    const size_t count = (size_t)syn_open_message_count + 1;
    struct open_message *message = find(key);
    if (message->key)
        return message;
    if (2 * count > table.capacity) {
        if (!grow())
            return NULL;
        message = find(key);
    }
    message->key = key;
    __atomic_store_n(&syn_open_message_count, (uint32_t)count, __ATOMIC_RELAXED);
    return message;
}

static inline void set_needs_status(struct open_message *message, bool needs_status)
{
    if (message->needs_status == needs_status)
        return;
    const uint32_t others = syn_open_message_status_count - message->needs_status;
    message->needs_status = needs_status;
    __atomic_store_n(&syn_open_message_status_count, others + needs_status, __ATOMIC_RELAXED);
}

/* Removes an entry without a template. Each later entry of the probe sequence moves into the hole,
 * unless its home lies behind the hole. */
static inline void take_out_of_table(struct open_message *message)
{
    size_t hole = (size_t)(message - table.places);
    set_needs_status(message, false);
    for (size_t place = next_of(hole); table.places[place].key; place = next_of(place)) {
        const size_t home = home_of(table.places[place].key);
        if (((place - home) & (table.capacity - 1)) < ((place - hole) & (table.capacity - 1)))
            continue;
        table.places[hole] = table.places[place];
        hole = place;
    }
    table.places[hole] = (struct open_message){0};
    __atomic_store_n(&syn_open_message_count, syn_open_message_count - 1, __ATOMIC_RELAXED);
}

static void remove_at(struct open_message *message)
{
    free(message->template);
    take_out_of_table(message);
}

/* ---- the interface ---- */

SYN_HOT void syn_open_message_add(uintptr_t key, struct syn_event *event, bool second)
{
    if (!syn_lock_take_briefly(&syn_open_messages_lock))
        return;
    struct open_message *message = place_for(key);
    const bool needs_status = event->bytes >> SYN_ATTRIBUTES_SHIFT & SYN_MESSAGE_UNKNOWN;
    if (message && second && message->event[0]) {
        message->event[1] = event;
        set_needs_status(message, message->needs_status || needs_status);
    } else if (message) {
        message->event[0] = event;
        message->event[1] = NULL;
        message->may_be_cancelled = false;
        set_needs_status(message, needs_status);
    }
    syn_lock_give_briefly(&syn_open_messages_lock);
}

void syn_open_message_set_template(uintptr_t key, const struct syn_event *template)
{
    struct syn_event *copy = malloc(sizeof *copy);
    if (!copy || !syn_lock_take(&syn_open_messages_lock)) {
        free(copy);
        return;
    }
    struct open_message *message = place_for(key);
    *copy = *template;
    if (message) {
        free(message->template);
        set_needs_status(message, false);
        *message = (struct open_message){.key = key, .template = copy};
    } else {
        free(copy);
    }
    syn_lock_give(&syn_open_messages_lock);
}

bool syn_open_message_get_template(uintptr_t key, bool remove, struct syn_event *template)
{
    if (syn_open_messages_none() || !syn_lock_take(&syn_open_messages_lock))
        return false;
    struct open_message *message = find(key);
    const bool found = message->key && message->template;
    if (found)
        *template = *message->template;
    if (found && remove)
        remove_at(message);
    syn_lock_give(&syn_open_messages_lock);
    return found;
}

static uint64_t bytes_of(const MPI_Status *status, uint64_t posted)
{
#if defined OPEN_MPI
    (void)posted;
    return status->_ucount;
#elif defined SYN_MPI_IS_ABI
    int count = -1;
    return syn_pmpi.Get_count(status, syn_mpi.byte, &count) == MPI_SUCCESS && count >= 0
               ? (uint64_t)count
               : posted;
#else
    (void)posted;
    return (uint32_t)status->count_lo | (uint64_t)((unsigned)status->count_hi_and_cancelled >> 1)
                                            << 32;
#endif
}

static bool was_cancelled(const MPI_Status *status)
{
#if defined OPEN_MPI
    return status->_cancelled != 0;
#elif defined SYN_MPI_IS_ABI
    int cancelled = 0;
    return syn_pmpi.Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled;
#else
    return status->count_hi_and_cancelled & 1;
#endif
}

SYN_HOT void syn_message_received(struct syn_event *event, const MPI_Status *status)
{
    const uint64_t known = (uint64_t)(SYN_MESSAGE_POSTED | SYN_MESSAGE_UNKNOWN)
                           << SYN_ATTRIBUTES_SHIFT;
    const uint64_t attributes = event->bytes & ~SYN_PAYLOAD_BYTES_MASK & ~known;
    event->bytes = (bytes_of(status, event->bytes) & SYN_PAYLOAD_BYTES_MASK) | attributes;
    event->root = status->MPI_SOURCE;
    event->sequence = syn_message_sequence(syn_message_order(event->sequence), status->MPI_TAG);
}

/* MPI_Cancel makes a message unknown until its status says what came of it. */
static void ask_cancel(struct syn_event *event)
{
    event->bytes |= (uint64_t)SYN_MESSAGE_UNKNOWN << SYN_ATTRIBUTES_SHIFT;
}

static void answer_cancel(struct syn_event *event, bool is_cancelled)
{
    const uint64_t bits = event->bytes >> SYN_ATTRIBUTES_SHIFT;
    if (!(bits & (SYN_MESSAGE_ANY_SOURCE | SYN_MESSAGE_ANY_TAG)))
        event->bytes &= ~((uint64_t)SYN_MESSAGE_UNKNOWN << SYN_ATTRIBUTES_SHIFT);
    if (is_cancelled)
        event->bytes |= (uint64_t)SYN_MESSAGE_CANCELLED << SYN_ATTRIBUTES_SHIFT;
}

/* Completes an event in its block. The flags are stored last: readers take the event for incomplete
 * until then. */
static void complete(struct syn_event *event, const struct syn_completed *how, bool ask_cancelled)
{
    const bool is_cancelled = how->status && ask_cancelled && was_cancelled(how->status);
    if (how->status && ask_cancelled)
        answer_cancel(event, is_cancelled);
    /* RATIONALE: MPICH 4.0 does not fill in the status of MPI_Isendrecv, or gives it a tag that
     * nobody sent. The posted values are kept there. */
    if (how->status && !is_cancelled && !how->flags &&
        event->bytes >> SYN_ATTRIBUTES_SHIFT & SYN_MESSAGE_RECEIVE &&
        event->op != SYN_CALL_Isendrecv && event->op != SYN_CALL_Isendrecv_replace)
        syn_message_received(event, how->status);
    event->wait_start_ticks = how->wait_start_ticks;
    event->end_ticks = how->end_ticks;
    __atomic_store_n(&event->flags,
                     (uint16_t)((event->flags & ~SYN_EVENT_NO_COMPLETION) | how->flags),
                     __ATOMIC_RELEASE);
}

SYN_HOT struct syn_event *syn_open_message_complete(uintptr_t key, const struct syn_completed *how)
{
    struct open_message *message = find(key);
    struct syn_event *event = message->key ? message->event[0] : NULL;
    if (!event)
        return NULL;
    complete(event, how, message->may_be_cancelled);
    if (message->event[1])
        complete(message->event[1], how, message->may_be_cancelled);
    if (!message->template) {
        take_out_of_table(message);
        return event;
    }
    message->event[0] = message->event[1] = NULL;
    message->may_be_cancelled = false;
    set_needs_status(message, false);
    return event;
}

void syn_open_message_freed(uintptr_t key)
{
    if (syn_open_messages_none() || !syn_lock_take(&syn_open_messages_lock))
        return;
    struct open_message *message = find(key);
    for (int i = 0; message->key && i < 2; i++)
        if (message->event[i])
            __atomic_or_fetch(&message->event[i]->flags, (uint16_t)SYN_EVENT_FREED,
                              __ATOMIC_RELEASE);
    if (message->key)
        remove_at(message);
    syn_lock_give(&syn_open_messages_lock);
}

void syn_open_message_may_be_cancelled(uintptr_t key)
{
    if (syn_open_messages_none() || !syn_lock_take(&syn_open_messages_lock))
        return;
    struct open_message *message = find(key);
    for (int i = 0; message->key && i < 2; i++)
        if (message->event[i])
            ask_cancel(message->event[i]);
    if (message->key) {
        message->may_be_cancelled = true;
        set_needs_status(message, true);
    }
    syn_lock_give(&syn_open_messages_lock);
}

/* ---- events move from a full block to the next one ---- */

SYN_ORDER(by_address, struct moved, SYN_UP(from))

/* Copies an event to table.moved. Returns false without memory. */
static bool take_out(uintptr_t key, struct syn_event *event)
{
    if (table.moved_count == table.moved_capacity) {
        const size_t capacity = table.moved_capacity ? 2 * table.moved_capacity : 64;
        struct moved *grown = realloc(table.moved, capacity * sizeof *grown);
        if (!grown)
            return false;
        table.moved = grown;
        table.moved_capacity = capacity;
    }
    table.moved[table.moved_count++] = (struct moved){key, event, event, *event};
    return true;
}

/* Returns whether the events from `first` to `end` may move: they are few, and no note belongs to
 * one of them. */
static bool may_move(const struct syn_event *first, const struct syn_event *end)
{
    if (end - first > MOVED_UP_MAX)
        return false;
    while (first < end && !syn_is_note(first))
        first++;
    return first == end;
}

/* Chooses the places that the copied events leave empty: the last places of the row of events that
 * begins with the first of them. The other events of the row move up.
 * RATIONALE: The encoder copies all events of a block that has notes between them. Mostly a block
 * ends within an exchange, whose sends are complete and whose receives are pending. */
static void choose_places(const struct syn_event *end)
{
    struct moved *moved = table.moved;
    struct syn_event *place = moved->from;
    while (syn_is_note(end - 1)) /* a sample */
        end--;
    if (!may_move(place, end))
        return;
    size_t taken = 0;
    for (const struct syn_event *entry = place; entry < end; entry++)
        if (taken < table.moved_count && entry == moved[taken].from)
            taken++;
        else
            *place++ = *entry;
    for (size_t i = 0; i < table.moved_count; i++)
        moved[i].left = place++;
}

/* Copies the events of open messages between `first` and `end`, and turns their places into empty
 * notes. At most `most` events are copied: the others stay, and are never completed. If it returns
 * more than 0, it holds the lock until syn_open_messages_put.
 *
 * Plan: search the table for events of this block; sort the copies by address, which is their order
 * in time; move the events behind them up; overwrite the places that are left. */
size_t syn_open_messages_take(struct syn_event *first, const struct syn_event *end, size_t most)
{
    if (syn_open_messages_none() || !syn_lock_take(&syn_open_messages_lock))
        return 0;
    table.moved_count = 0;
    for (size_t i = 0; i < table.capacity; i++)
        for (int e = 0; table.places[i].key && e < 2; e++) {
            struct syn_event *event = table.places[i].event[e];
            if (!event || event < first || event >= end)
                continue;
            if (table.moved_count == most || !take_out(table.places[i].key, event))
                table.places[i].event[e] = NULL; /* the event stays incomplete */
        }
    if (table.moved_count == 0) {
        syn_lock_give(&syn_open_messages_lock);
        return 0;
    }
    qsort(table.moved, table.moved_count, sizeof *table.moved, by_address);
    choose_places(end);
    for (size_t i = 0; i < table.moved_count; i++) {
        struct syn_event *place = table.moved[i].left;
        place->start_ticks = place->wait_start_ticks = 0;
        place->sequence = 0;
        place->op = SYN_NOTE_MESSAGES;
    }
    return table.moved_count;
}

/* Writes the copies to `to`, or back to their places if `to` is NULL, and gives the lock back. */
size_t syn_open_messages_put(struct syn_event *to)
{
    const size_t count = table.moved_count;
    for (size_t i = 0; i < count; i++) {
        const struct moved *moved = &table.moved[i];
        struct syn_event *place = to ? &to[i] : moved->left;
        struct open_message *message = find(moved->key);
        if (to) /* an entry without SYN_EVENT_WRITTEN ends the block (raw.h) */
            __atomic_store_n(&place[1].flags, (uint16_t)0, __ATOMIC_RELAXED);
        *place = moved->event;
        for (int e = 0; e < 2; e++)
            if (message->event[e] == moved->from)
                message->event[e] = place;
    }
    syn_lock_give(&syn_open_messages_lock);
    return count;
}
