/* preload/recorder/open_messages.c - see open_messages.h. An open-addressed table, half full at
 * most; what follows a removed entry moves up. */
#include "preload/recorder/open_messages.h"

#include <stdlib.h>
#include <string.h>

#include "preload/base/lock.h"
#include "preload/mpi/pmpi.h"
#include "sync/base/hash.h"
#include "sync/base/layout.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"
#include "trace/events/notes.h"

#define FIRST_CAPACITY 1024

struct open {
    uintptr_t key;              /* 0: a free place */
    struct syn_event *event[2]; /* in blocks; NULL: none under way, or one alone */
    struct syn_event *like;     /* of persistent and matched ones; owned, else NULL */
    bool may_be_cancelled;
    bool is_unsure; /* counted in syn_open_message_unsure_count */
};

/* An event that is between two blocks. */
struct moved {
    uintptr_t key;
    struct syn_event *from;
    struct syn_event event;
};

static struct open first_places[FIRST_CAPACITY];
static struct {
    struct syn_lock lock;
    struct open *places;
    size_t capacity; /* a power of two */
    struct moved *moved;
    size_t moved_count, moved_capacity;
} table SYN_NEAR = {
    .lock = SYN_LOCK_INITIALIZER, .places = first_places, .capacity = FIRST_CAPACITY};

uint32_t syn_open_message_count SYN_NEAR, syn_open_message_unsure_count SYN_NEAR;

/* ---- the table, under the lock ---- */

static size_t home_of(uintptr_t key)
{
    return syn_hash_word(key) >> 32 & (table.capacity - 1);
}

static size_t next_of(size_t place)
{
    return (place + 1) & (table.capacity - 1);
}

/* The key's place, or the free one where it would be. */
static struct open *find(uintptr_t key)
{
    size_t place = home_of(key);
    while (table.places[place].key && table.places[place].key != key)
        place = next_of(place);
    return &table.places[place];
}

/* RATIONALE: what is not there yet is never more than half of the table, so that a search ends. */
static bool grow(void)
{
    struct open *const old = table.places;
    const size_t old_capacity = table.capacity;
    struct open *grown = calloc(2 * old_capacity, sizeof *grown);
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

/* The place of a key that becomes one; NULL without memory. */
static struct open *place_for(uintptr_t key)
{
    struct open *open = find(key);
    if (open->key)
        return open;
    if (2 * ((size_t)syn_open_message_count + 1) > table.capacity) {
        if (!grow())
            return NULL;
        open = find(key);
    }
    *open = (struct open){.key = key};
    __atomic_store_n(&syn_open_message_count, syn_open_message_count + 1, __ATOMIC_RELAXED);
    return open;
}

static void set_unsure(struct open *open, bool is_unsure)
{
    const uint32_t others = syn_open_message_unsure_count - open->is_unsure;
    open->is_unsure = is_unsure;
    __atomic_store_n(&syn_open_message_unsure_count, others + is_unsure, __ATOMIC_RELAXED);
}

static void remove_at(struct open *open)
{
    size_t hole = (size_t)(open - table.places);
    set_unsure(open, false);
    free(open->like);
    for (size_t place = next_of(hole); table.places[place].key; place = next_of(place)) {
        const size_t home = home_of(table.places[place].key);
        if (((place - home) & (table.capacity - 1)) < ((place - hole) & (table.capacity - 1)))
            continue;
        table.places[hole] = table.places[place];
        hole = place;
    }
    table.places[hole].key = 0;
    __atomic_store_n(&syn_open_message_count, syn_open_message_count - 1, __ATOMIC_RELAXED);
}

/* ---- the interface ---- */

SYN_HOT void syn_open_message_add(uintptr_t key, struct syn_event *event, bool second)
{
    if (!syn_lock_take_briefly(&table.lock))
        return;
    struct open *open = place_for(key);
    const bool is_unsure = event->bytes >> SYN_ATTRIBUTES_SHIFT & SYN_MESSAGE_UNKNOWN;
    if (open && second && open->event[0]) {
        open->event[1] = event;
        set_unsure(open, open->is_unsure || is_unsure);
    } else if (open) {
        open->event[0] = event;
        open->event[1] = NULL;
        open->may_be_cancelled = false;
        set_unsure(open, is_unsure);
    }
    syn_lock_give_briefly(&table.lock);
}

void syn_open_message_keep(uintptr_t key, const struct syn_event *like)
{
    struct syn_event *copy = malloc(sizeof *copy);
    if (!copy || !syn_lock_take(&table.lock)) {
        free(copy);
        return;
    }
    struct open *open = place_for(key);
    *copy = *like;
    if (open) {
        free(open->like);
        set_unsure(open, false);
        *open = (struct open){.key = key, .like = copy};
    } else {
        free(copy);
    }
    syn_lock_give(&table.lock);
}

bool syn_open_message_kept(uintptr_t key, bool take, struct syn_event *like)
{
    if (syn_open_messages_none() || !syn_lock_take(&table.lock))
        return false;
    struct open *open = find(key);
    const bool found = open->key && open->like;
    if (found)
        *like = *open->like;
    if (found && take)
        remove_at(open);
    syn_lock_give(&table.lock);
    return found;
}

SYN_HOT bool syn_open_messages_begin(void)
{
    return !syn_open_messages_none() && syn_lock_take_briefly(&table.lock);
}

SYN_HOT void syn_open_messages_end(void)
{
    syn_lock_give_briefly(&table.lock);
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

/* The event stays where it is. Its flags are last: until then it has not completed. */
static void complete(struct syn_event *event, const struct syn_completed *how, bool ask_cancelled)
{
    if (how->status && ask_cancelled && was_cancelled(how->status))
        event->bytes |= (uint64_t)SYN_MESSAGE_CANCELLED << SYN_ATTRIBUTES_SHIFT;
    /* RATIONALE: the status of MPICH 4.0's MPI_Isendrecv has what was there before, or a tag that
     * nobody sent. What was posted stands then. */
    else if (how->status && !how->flags &&
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
    struct open *open = find(key);
    struct syn_event *event = open->key ? open->event[0] : NULL;
    if (!event)
        return NULL;
    complete(event, how, open->may_be_cancelled);
    if (open->event[1])
        complete(open->event[1], how, open->may_be_cancelled);
    open->event[0] = open->event[1] = NULL;
    open->may_be_cancelled = false;
    set_unsure(open, false);
    if (!open->like)
        remove_at(open);
    return event;
}

void syn_open_message_freed(uintptr_t key)
{
    if (syn_open_messages_none() || !syn_lock_take(&table.lock))
        return;
    struct open *open = find(key);
    for (int i = 0; open->key && i < 2; i++)
        if (open->event[i])
            __atomic_or_fetch(&open->event[i]->flags, (uint16_t)SYN_EVENT_FREED, __ATOMIC_RELEASE);
    if (open->key)
        remove_at(open);
    syn_lock_give(&table.lock);
}

void syn_open_message_cancels(uintptr_t key)
{
    if (syn_open_messages_none() || !syn_lock_take(&table.lock))
        return;
    struct open *open = find(key);
    if (open->key)
        open->may_be_cancelled = true;
    if (open->key)
        set_unsure(open, true);
    syn_lock_give(&table.lock);
}

/* ---- from block to block ---- */

static int by_place(const void *left, const void *right)
{
    const struct moved *a = left, *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

static bool move(uintptr_t key, struct syn_event *event)
{
    if (table.moved_count == table.moved_capacity) {
        const size_t capacity = table.moved_capacity ? 2 * table.moved_capacity : 64;
        struct moved *grown = realloc(table.moved, capacity * sizeof *grown);
        if (!grown)
            return false;
        table.moved = grown;
        table.moved_capacity = capacity;
    }
    table.moved[table.moved_count++] = (struct moved){key, event, *event};
    return true;
}

/* The lock is held until syn_open_messages_put, which follows. */
size_t syn_open_messages_take(struct syn_event *first, const struct syn_event *end, size_t most)
{
    if (syn_open_messages_none() || !syn_lock_take(&table.lock))
        return 0;
    table.moved_count = 0;
    for (size_t i = 0; i < table.capacity; i++)
        for (int e = 0; table.places[i].key && e < 2; e++) {
            struct syn_event *event = table.places[i].event[e];
            if (!event || event < first || event >= end)
                continue;
            if (table.moved_count == most || !move(table.places[i].key, event))
                table.places[i].event[e] = NULL; /* it stays one that never completed */
        }
    if (table.moved_count == 0) {
        syn_lock_give(&table.lock);
        return 0;
    }
    qsort(table.moved, table.moved_count, sizeof *table.moved, by_place);
    for (size_t i = 0; i < table.moved_count; i++) {
        struct syn_event *place = table.moved[i].from;
        place->start_ticks = place->wait_start_ticks = 0;
        place->sequence = 0;
        place->op = SYN_NOTE_MESSAGES;
    }
    return table.moved_count;
}

size_t syn_open_messages_put(struct syn_event *to)
{
    const size_t count = table.moved_count;
    for (size_t i = 0; i < count; i++) {
        const struct moved *moved = &table.moved[i];
        struct syn_event *place = to ? &to[i] : moved->from;
        struct open *open = find(moved->key);
        if (to)
            __atomic_store_n(&place[1].flags, (uint16_t)0, __ATOMIC_RELAXED);
        *place = moved->event;
        for (int e = 0; e < 2; e++)
            if (open->event[e] == moved->from)
                open->event[e] = place;
    }
    syn_lock_give(&table.lock);
    return count;
}
