/* preload/calls/requests.c - see requests.h. A hash table; each bucket is a list, oldest first. */
#include "preload/calls/requests.h"

#include <stdlib.h>

#include "preload/base/lock.h"
#include "preload/calls/message_events.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/fortran.h"
#include "preload/recorder/slots.h"
#include "sync/base/hash.h"

#define BUCKET_COUNT 4096

/* An entry of the table. */
struct pending {
    struct pending *next;
    MPI_Request request;
    struct syn_comm *comm;  /* of a persistent collective; NULL: nonblocking */
    uint64_t owner;         /* `life` of the thread that started it; 0: persistent */
    bool active;            /* started, and not completed */
    struct syn_event *slot; /* copy of the event while active, in memory that outlives the process
                               (slots.h); NULL: none. Belongs to the entry for good */
    struct syn_event event;
};

uint32_t syn_request_count;

/* A signal handler that calls exit() while its thread holds the lock does not get it: the function
 * returns without a result. The functions for nonblocking collectives take the lock without
 * disabling cancellation, because they call no cancellation point. */
static struct {
    struct syn_lock lock; /* guards all members */
    struct pending *bucket[BUCKET_COUNT];
    struct pending *unused; /* list of entries for reuse */
} table = {.lock = SYN_LOCK_INITIALIZER};

/* ---- the table, under the lock ---- */

static struct pending **bucket_of(MPI_Request request)
{
    return &table.bucket[syn_hash_word((uintptr_t)request) >> 52];
}

enum wanted { ACTIVE, PREPARED };

static bool is_wanted(const struct pending *pending, MPI_Request request, enum wanted wanted)
{
    return pending->request == request &&
           (wanted == ACTIVE ? pending->active : pending->comm != NULL);
}

/* Returns the link to the oldest entry that is wanted; the link is NULL if there is none. */
static struct pending **find(MPI_Request request, enum wanted wanted)
{
    struct pending **link = bucket_of(request);
    while (*link && !is_wanted(*link, request, wanted))
        link = &(*link)->next;
    return link;
}

/* Returns the link to the oldest active collective of this thread, else to the oldest of all; the
 * link is NULL if there is none. If several threads have requests of one handle, each completes its
 * own. */
static struct pending **find_active(const struct syn_thread *self, MPI_Request request)
{
    struct pending **first = find(request, ACTIVE);
    for (struct pending **link = first; *link; link = &(*link)->next)
        if (is_wanted(*link, request, ACTIVE) && (*link)->owner == self->life)
            return link;
    return first;
}

static struct pending *unused_or_new(void)
{
    struct pending *pending = table.unused;
    if (pending)
        table.unused = pending->next;
    else if ((pending = malloc(sizeof *pending)))
        pending->slot = syn_slots_take();
    return pending;
}

static void activate(struct pending *pending, const struct syn_thread *self)
{
    syn_slot_fill(pending->slot, &pending->event, self->number);
    pending->active = true;
}

/* Call it before the event is stored, so that no reader finds the event twice. */
static void deactivate(struct pending *pending)
{
    if (pending->active)
        syn_slot_clear(pending->slot);
    pending->active = false;
}

static void add_request(const struct syn_thread *owner, MPI_Request request, struct syn_comm *comm,
                        const struct syn_event *event)
{
    struct pending *pending = unused_or_new();
    if (!pending)
        return;
    *pending = (struct pending){.request = request,
                                .comm = comm,
                                .owner = owner ? owner->life : 0,
                                .slot = pending->slot,
                                .event = *event};
    if (comm)
        syn_comm_pin(comm);
    else
        activate(pending, owner);
    struct pending **link = bucket_of(request);
    while (*link)
        link = &(*link)->next;
    *link = pending;
    __atomic_add_fetch(&syn_request_count, 1, __ATOMIC_RELEASE);
}

static void remove_at(struct pending **link)
{
    struct pending *pending = *link;
    deactivate(pending);
    if (pending->comm)
        syn_comm_unpin(pending->comm);
    *link = pending->next;
    pending->next = table.unused;
    table.unused = pending;
    __atomic_sub_fetch(&syn_request_count, 1, __ATOMIC_RELEASE);
}

/* ---- the interface ---- */

/* Makes room for one more slot. If that took long, flags the thread's next event. */
static void prepare_slot(void)
{
    if (syn_slots_prepare() && syn_self)
        syn_self->pending_flags |= SYN_EVENT_PERTURBED;
}

void syn_request_add(const struct syn_thread *self, MPI_Request request,
                     const struct syn_event *event)
{
    prepare_slot();
    if (!syn_lock_take_briefly(&table.lock))
        return;
    add_request(self, request, NULL, event);
    syn_lock_give_briefly(&table.lock);
}

void syn_request_prepare(MPI_Request request, struct syn_comm *comm, const struct syn_event *event)
{
    prepare_slot();
    if (!syn_lock_take(&table.lock))
        return;
    struct pending **stale = find(request, PREPARED);
    if (*stale)
        remove_at(stale);
    add_request(NULL, request, comm, event);
    syn_lock_give(&table.lock);
}

bool syn_request_is_active(const struct syn_thread *self, MPI_Request request,
                           struct syn_awaited *awaited)
{
    if (!syn_lock_take_briefly(&table.lock))
        return false;
    const struct pending *pending = *find_active(self, request);
    if (pending)
        *awaited = (struct syn_awaited){.sequence = pending->event.sequence,
                                        .comm = pending->event.comm,
                                        .op = pending->event.op};
    syn_lock_give_briefly(&table.lock);
    return pending != NULL;
}

static bool is_prepared(MPI_Request request)
{
    if (!syn_lock_take_briefly(&table.lock))
        return false;
    const bool there = *find(request, PREPARED) != NULL;
    syn_lock_give_briefly(&table.lock);
    return there;
}

bool syn_request_take(const struct syn_thread *self, MPI_Request request, struct syn_event *out)
{
    if (!syn_lock_take_briefly(&table.lock))
        return false;
    struct pending **link = find_active(self, request);
    const bool found = *link != NULL;
    if (found) {
        *out = (*link)->event;
        deactivate(*link);
        if (!(*link)->comm)
            remove_at(link);
    }
    syn_lock_give_briefly(&table.lock);
    return found;
}

/* `call` started the persistent collective: activates its entry. */
static void start_request(MPI_Request request, const struct syn_call *call)
{
    if (!syn_lock_take(&table.lock))
        return;
    struct pending *pending = *find(request, PREPARED);
    const uint32_t control = syn_control_now();
    if (pending && control & SYN_CONTROL_NOT_NOW) {
        syn_call_pass(call, pending->comm, pending->event.op);
    } else if (pending) {
        pending->event.flags =
            (uint16_t)(SYN_EVENT_FLAGS(pending->event.flags) | (control & SYN_CONTROL_PHASE));
        pending->event.start_ticks = call->start_ticks;
        pending->event.call_end_ticks = call->end_ticks;
        syn_event_hold(call->self, &pending->event);
        pending->event.stack = call->stack;
        pending->event.sequence = pending->comm->sequence++;
        activate(pending, call->self);
    }
    syn_lock_give(&table.lock);
}

/* Removes the entry of a persistent collective. */
static void remove_persistent(MPI_Request request)
{
    if (!syn_lock_take(&table.lock))
        return;
    struct pending **link = find(request, PREPARED);
    if (*link)
        remove_at(link);
    syn_lock_give(&table.lock);
}

/* Stores the event of a collective whose completion was not seen. */
static void emit_incomplete(struct syn_thread *self, struct syn_event *event, uint16_t flags)
{
    const int64_t messages = syn_messages_take(self); /* belongs to the thread's next event */
    event->flags |= flags;
    syn_event_complete(self, event, event->call_end_ticks, event->call_end_ticks);
    if (messages)
        syn_messages_note(self, messages, 0);
}

void syn_requests_give_up(void)
{
    struct syn_thread *self = syn_self ? syn_self : syn_thread_start();
    if (syn_requests_none() || !self || !syn_recorder_running() || !syn_lock_take(&table.lock))
        return;
    for (size_t i = 0; i < BUCKET_COUNT; i++)
        while (table.bucket[i]) {
            const bool active = table.bucket[i]->active;
            deactivate(table.bucket[i]);
            if (active)
                emit_incomplete(self, &table.bucket[i]->event, SYN_EVENT_NO_COMPLETION);
            remove_at(&table.bucket[i]);
        }
    syn_lock_give(&table.lock);
}

/* ---- completion ---- */

static MPI_Request request_at(const struct syn_completion *completion, int index)
{
    return syn_request_at(completion->requests, index, completion->fortran);
}

bool syn_completion_of_collectives(struct syn_completion *completion)
{
    bool any = false;
    for (int i = 0; i < completion->count; i++) {
        struct syn_awaited awaited;
        const MPI_Request request = request_at(completion, i);
        const bool is_collective = syn_request_is_active(completion->self, request, &awaited);
        completion->handles[i] = is_collective ? request : 0;
        completion->keys[i] = is_collective ? 0 : completion->keys[i];
        if (is_collective && !any) {
            SYN_OPEN_SET(completion->line->sequence, awaited.sequence);
            SYN_OPEN_SET(completion->line->comm, awaited.comm);
            SYN_OPEN_SET(completion->line->of_op, awaited.op);
        }
        any |= is_collective;
    }
    return any;
}

bool syn_completion_reserve(struct syn_completion *completion)
{
    const size_t count = (size_t)completion->count;
    uintptr_t *keys = malloc(
        count * (sizeof *keys + sizeof *completion->own_statuses + sizeof *completion->handles));
    if (!keys)
        return false;
    completion->keys = keys;
    completion->own_statuses = (MPI_Status *)(void *)(keys + count);
    completion->handles = (MPI_Request *)(void *)(completion->own_statuses + count);
    return true;
}

/* Returns how many events back from the newest one `event` lies in the thread's buffer; 1: it is
 * the newest. Returns 0 if it lies more than 64 entries back, or in another thread's buffer. */
static uint64_t events_back(const struct syn_thread *self, const struct syn_event *event)
{
    enum { FEW = 64 };
    uint64_t back = 0;
    for (int i = 1; i <= FEW && self->next[-i].flags & SYN_EVENT_WRITTEN; i++) {
        back += !syn_is_note(&self->next[-i]);
        if (&self->next[-i] == event)
            return back;
    }
    return 0;
}

/* Adds a note to the thread's buffer: the time in messages between `event` and the call that
 * completed it. */
static void note_wait(struct syn_thread *self, const struct syn_event *event)
{
    if (self->next[-1].op != SYN_NOTE_MESSAGES || self->next[-1].start_ticks == 0)
        return;
    const uint64_t back = events_back(self, event);
    if (back == 0)
        return;
    const struct syn_event note = syn_note_of_wait(syn_messages_take(self), back);
    syn_note_add(self, &note);
}

/* Returns the statuses that MPI has written; NULL: the program ignores them. */
static const MPI_Status *statuses_of(const struct syn_completion *completion)
{
    return syn_statuses_are_ignored(completion->statuses, completion->fortran)
               ? NULL
               : completion->statuses;
}

/* Completes the i-th request, if it is a message's. Returns its event, or NULL. The caller holds
 * the lock of the table of messages, as in complete_failed_message. */
static inline const struct syn_event *complete_message(const struct syn_completion *completion,
                                                       int i, const MPI_Status *status,
                                                       uint16_t flags)
{
    const uintptr_t key = i >= 0 && i < completion->count ? completion->keys[i] : 0;
    if (!key || syn_request_is_complete((MPI_Request)key))
        return NULL;
    return syn_open_message_complete(
        key,
        &(struct syn_completed){completion->start_ticks, completion->end_ticks, status, flags});
}

/* After a failed call: completes the i-th request if it is a message's and the call changed its
 * handle. The status, or else `result`, says whether the message failed. */
static const struct syn_event *complete_failed_message(const struct syn_completion *completion,
                                                       int i, const MPI_Status *mpi_status,
                                                       int result)
{
    const int error = result == MPI_ERR_IN_STATUS && mpi_status ? mpi_status->MPI_ERROR : result;
    if (SYN_KEY_OF_REQUEST(request_at(completion, i)) == completion->keys[i])
        return NULL;
    return complete_message(completion, i, mpi_status, error == MPI_SUCCESS ? 0 : SYN_EVENT_FAILED);
}

/* Stores the event of the request `index`, if it is an active collective's. Returns true if it
 * is. */
static bool complete(const struct syn_completion *completion, int index, uint16_t flags)
{
    struct syn_event event;
    const bool in_range = index >= 0 && index < completion->count;
    if (!in_range || !completion->handles[index] ||
        !syn_request_take(completion->self, completion->handles[index], &event))
        return false;
    event.flags |= flags;
    syn_event_complete(completion->self, &event, completion->start_ticks, completion->end_ticks);
    return true;
}

/* Completes the request `index` if it is a persistent collective's. Such a request keeps its
 * handle, so only the index tells that it is complete. */
static bool complete_persistent(const struct syn_completion *completion, int index)
{
    const bool in_range = index >= 0 && index < completion->count;
    return in_range && completion->handles[index] &&
           request_at(completion, index) == completion->handles[index] &&
           is_prepared(completion->handles[index]) && complete(completion, index, 0);
}

/* Ends the call. `message`: the first message that it completed, or NULL. If it completed nothing
 * that is an event, its time is time in messages. */
static void finish(struct syn_completion *completion, const struct syn_event *message,
                   bool any_collective)
{
    if (!message && !any_collective) {
        syn_completion_end(completion);
        return;
    }
    syn_open_line_leave(completion->line, completion->end_ticks);
    syn_completion_release(completion);
}

SYN_HOT void syn_completion_of_all(struct syn_completion *completion, int result)
{
    const bool succeeded = result == MPI_SUCCESS;
    const MPI_Status *const statuses = statuses_of(completion);
    const struct syn_event *message = NULL;
    bool any_collective = false;
    if (syn_open_messages_begin()) {
        for (int i = 0; i < completion->count; i++) {
            const MPI_Status *status = statuses ? &statuses[i] : NULL;
            const struct syn_event *event =
                succeeded ? complete_message(completion, i, status, 0)
                          : complete_failed_message(completion, i, status, result);
            message = message ? message : event;
        }
        syn_open_messages_end();
        if (message)
            note_wait(completion->self, message);
    }
    for (int i = 0; completion->has_collectives && i < completion->count; i++)
        if (succeeded || completion->handles[i] != request_at(completion, i))
            any_collective |= complete(completion, i, succeeded ? 0 : SYN_EVENT_FAILED);
    finish(completion, message, any_collective);
}

/* RATIONALE: MPI sets the handle of a complete nonblocking request to MPI_REQUEST_NULL. So
 * nonblocking collectives are found by their handles, without the indices. */
void syn_completion_of_found(struct syn_completion *completion, int count, const int *indices,
                             int base)
{
    const MPI_Status *const statuses = statuses_of(completion);
    const struct syn_event *message = NULL;
    bool any_collective = false;
    if (syn_open_messages_begin()) {
        for (int i = 0; i < count; i++) {
            const struct syn_event *event =
                complete_message(completion, indices[i] - base, statuses ? &statuses[i] : NULL, 0);
            message = message ? message : event;
        }
        syn_open_messages_end();
        if (message)
            note_wait(completion->self, message);
    }
    for (int i = 0; completion->has_collectives && i < completion->count; i++)
        if (request_at(completion, i) != completion->handles[i])
            any_collective |= complete(completion, i, 0);
    for (int i = 0; completion->has_collectives && i < count; i++)
        any_collective |= complete_persistent(completion, indices[i] - base);
    finish(completion, message, any_collective);
}

void syn_request_freed(struct syn_thread *self, MPI_Request request)
{
    struct syn_event event;
    if (syn_request_take(self, request, &event))
        emit_incomplete(self, &event, SYN_EVENT_FREED | SYN_EVENT_NO_COMPLETION);
    remove_persistent(request);
    syn_open_message_freed(SYN_KEY_OF_REQUEST(request));
}

/* Before a persistent collective starts again: stores the event of its last start if its completion
 * was not seen. A call that failed may hide a completion. */
static void emit_last_start(struct syn_thread *self, MPI_Request request)
{
    struct syn_event event;
    if (syn_request_take(self, request, &event))
        emit_incomplete(self, &event, SYN_EVENT_NO_COMPLETION);
}

/* Returns a request of the array as a handle of C. */
static MPI_Request started_request(const struct syn_starting *starting, int index)
{
    return syn_request_at(starting->requests, index, starting->fortran);
}

bool syn_starting_begin(struct syn_starting *starting, int count, const void *requests,
                        uintptr_t frame, bool fortran)
{
    struct syn_thread *self =
        syn_requests_none() || count <= 0 || !requests ? NULL : syn_enter(frame);
    if (!self)
        return false;
    starting->requests = requests;
    starting->count = count;
    starting->fortran = fortran;
    starting->keys = starting->few_keys;
    if (count > SYN_FEW_REQUESTS)
        starting->keys = malloc((size_t)count * sizeof *starting->keys);
    for (int i = 0; i < count && starting->keys; i++)
        starting->keys[i] = SYN_KEY_OF_REQUEST(started_request(starting, i));
    syn_call_begin_private(&starting->call, self);
    return true;
}

/* After a success: stores or activates each started request. */
static void start_all(struct syn_starting *starting, struct syn_completing wrapper)
{
    struct syn_call *const call = &starting->call;
    struct syn_stack_cache *const stacks = call->self->stacks;
    const uint32_t message_stack = syn_message_stack(call->self, wrapper.frame, wrapper.caller);
    bool any = false, any_message = false;
    for (int i = 0; i < starting->count; i++) {
        const MPI_Request request = started_request(starting, i);
        if (!is_prepared(request)) {
            any_message |= syn_message_started(call->self, request, message_stack,
                                               call->start_ticks, call->end_ticks);
            continue;
        }
        if (!any)
            call->stack =
                stacks ? syn_stack_index(stacks, wrapper.frame, wrapper.caller) : SYN_NO_STACK;
        any = true;
        emit_last_start(call->self, request);
        start_request(request, call);
    }
    if (!any && !any_message && syn_messages_on)
        syn_messages_add(call->self, call->end_ticks - call->start_ticks);
}

void syn_starting_end(struct syn_starting *starting, struct syn_completing wrapper)
{
    for (int i = 0; i < starting->count && starting->keys; i++)
        if (starting->keys[i] != SYN_KEY_OF_REQUEST(started_request(starting, i)))
            syn_message_moved(starting->keys[i], started_request(starting, i));
    if (starting->call.result == MPI_SUCCESS)
        start_all(starting, wrapper);
    if (starting->keys != starting->few_keys)
        free(starting->keys);
    syn_leave(starting->call.self);
}
