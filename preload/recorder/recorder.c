/* preload/recorder/recorder.c - see recorder.h. Everything here is off the way of an ordinary call.
 */
#include "preload/recorder/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/base/lock.h"
#include "preload/recorder/control_bits.h"
#include "preload/recorder/durable.h"
#include "preload/recorder/slots.h"
#include "preload/recorder/stacks.h"
#include "sync/cpu.h"
#include "sync/status.h"
#include "trace/notes.h"
#include "trace/raw.h"

/* Blocks are of the size of a huge page: the kernel clears memory faster in one piece (5 ns an
 * event instead of 10), and all at once when a block is taken, for page faults one by one would
 * fall into timed intervals. Threads but the first begin with a small one, so that thousands of
 * short-lived threads stay cheap. */
#define SMALL_BLOCK_BYTES ((size_t)64 << 10)
#define BLOCK_BYTES       ((size_t)2 << 20)

__thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
struct syn_tick_source syn_ticks;
uint32_t syn_control;
bool syn_recorded[SYN_ROW_COUNT];

static struct syn_recorder_options settings;
static struct syn_thread *threads; /* newest first; only ever pushed to */
static uint32_t thread_count;
static uint64_t held_bytes; /* of all blocks */
static int running;
static uint64_t lost_count;
static struct syn_recorder_pauses pauses;
static struct syn_lock write_lock = SYN_LOCK_INITIALIZER;
static int64_t message_ticks; /* of all that was written; under the write lock */

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* One huge page where the kernel gives them, else as many small ones; there from the start. */
static void *map_large(void)
{
    unsigned char *memory =
        mmap(NULL, 2 * BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    const size_t before = -(uintptr_t)memory % BLOCK_BYTES;
    if (before > 0)
        munmap(memory, before);
    munmap(memory + before + BLOCK_BYTES, BLOCK_BYTES - before);
    madvise(memory + before, BLOCK_BYTES, MADV_HUGEPAGE);
    const size_t page_bytes = syn_page_bytes();
    for (size_t i = 0; i < BLOCK_BYTES; i += page_bytes)
        *(volatile unsigned char *)(memory + before + i) = 0;
    return memory + before;
}

static size_t next_block_bytes(const struct syn_thread *self)
{
    if (settings.buffer_bytes < BLOCK_BYTES ||
        (!self->blocks && (self->number > 0 || settings.small_first)))
        return SMALL_BLOCK_BYTES;
    return BLOCK_BYTES;
}

/* A thread's first block is granted whatever the others hold. */
static bool may_hold(const struct syn_thread *self, size_t bytes)
{
    const uint64_t held = __atomic_add_fetch(&held_bytes, bytes, __ATOMIC_RELAXED);
    if (held <= settings.buffer_bytes || !self->blocks)
        return true;
    __atomic_sub_fetch(&held_bytes, bytes, __ATOMIC_RELAXED);
    return false;
}

static struct syn_block *new_block(size_t bytes)
{
    struct syn_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->memory = syn_durable_take(bytes);
    block->durable = block->memory != NULL;
    if (!block->memory)
        block->memory = bytes == BLOCK_BYTES ? map_large() : map(bytes);
    if (!block->memory) {
        free(block);
        return NULL;
    }
    if (!block->durable)
        syn_durable_note_memory(true);
    block->mapped_bytes = bytes;
    block->events = syn_raw_events(block->memory);
    block->limit = block->events + syn_raw_capacity(bytes) - 1; /* a sample comes behind */
    block->used = block->events;
    return block;
}

static uint64_t events_in(const struct syn_block *block)
{
    return (uint64_t)(block->used - block->events) - block->note_count;
}

/* The thread goes on in `block`, which is empty. Its header is last: until then a reader of the
 * file takes it for what it was. */
static void push_block(struct syn_thread *self, struct syn_block *block)
{
    const struct syn_block *newest = self->blocks;
    if (newest) {
        self->blocks->used = self->next;
        block->first_event = newest->first_event + events_in(newest);
    }
    if (block->durable)
        syn_durable_label(block->memory, block->mapped_bytes, self->number, block->first_event);
    block->older = self->blocks;
    __atomic_store_n(&self->blocks, block, __ATOMIC_RELEASE);
    __atomic_store_n(&self->next, block->events, __ATOMIC_RELEASE);
    self->limit = block->limit;
}

static bool add_block(struct syn_thread *self)
{
    const size_t bytes = next_block_bytes(self);
    if (!may_hold(self, bytes))
        return false;
    struct syn_block *block = new_block(bytes);
    if (block)
        push_block(self, block);
    else
        __atomic_sub_fetch(&held_bytes, bytes, __ATOMIC_RELAXED);
    return block != NULL;
}

static bool keeps(void)
{
    return syn_recorder_running() && !(syn_control_now() & SYN_CONTROL_LOST);
}

/* There is no place for more events of this thread: from here on they are counted as lost. What is
 * in its blocks stays, and is known from there to whoever reads them meanwhile. */
static void go_nowhere(struct syn_thread *self)
{
    if (self->blocks && self->limit == self->blocks->limit)
        __atomic_store_n(&self->blocks->used, self->next, __ATOMIC_RELAXED);
    self->limit = &self->nowhere + 1;
    __atomic_store_n(&self->next, &self->nowhere, __ATOMIC_RELEASE);
}

static void push(struct syn_thread *self)
{
    struct syn_thread *head = __atomic_load_n(&threads, __ATOMIC_RELAXED);
    do
        self->older = head;
    while (!__atomic_compare_exchange_n(&threads, &head, self, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

static struct syn_thread *start_thread(void)
{
    struct syn_thread *self = map(sizeof *self);
    if (!self)
        return NULL;
    self->number = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    if (!keeps() || !add_block(self))
        go_nowhere(self);
    if (settings.stack_depth > 0 && syn_stack_cache_new(settings.stack_depth, &self->stacks))
        self->stacks = NULL; /* no memory: its calls have none */
    push(self);
    syn_self = self;
    return self;
}

struct syn_thread *syn_thread_start(void)
{
    if (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
        return NULL;
    const int cancel_state = syn_cancel_hold();
    struct syn_thread *self = start_thread();
    syn_cancel_restore(cancel_state);
    return self;
}

static uint32_t count_notes(const struct syn_block *block)
{
    uint32_t note_count = 0;
    for (const struct syn_event *entry = block->events; entry < block->used; entry++)
        note_count += syn_is_note(entry);
    return note_count;
}

static void sum_messages(const struct syn_event *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].op == SYN_NOTE_MESSAGES)
            message_ticks += entries[i].start_ticks + entries[i].wait_start_ticks;
}

/* Where the file behind it was cut, some pages are new and have no events. */
static void close_gaps(struct syn_block *block)
{
    struct syn_event *kept = block->events;
    for (const struct syn_event *event = block->events; event < block->used; event++)
        if (event->flags & SYN_EVENT_WRITTEN)
            *kept++ = *event;
    const uint64_t event_count = events_in(block);
    block->used = kept;
    block->note_count = count_notes(block);
    const uint64_t kept_count = events_in(block);
    syn_recorder_lose(event_count > kept_count ? event_count - kept_count : 0);
}

/* Returns whether its events need it no longer. */
static bool write_block(const struct syn_thread *thread, struct syn_block *block)
{
    if (block->durable && syn_durable_was_cut()) {
        close_gaps(block);
        block->durable = false;
    }
    const size_t count = (size_t)(block->used - block->events);
    if (block->note_count > 0 && thread->message_count > 0)
        sum_messages(block->events, count);
    return count == 0 || settings.write(thread->number, block->events, count, block->note_count);
}

/* Oldest first: the list is newest first, and short. What cannot be written is lost, but where the
 * memory itself outlives the process. */
static void write_blocks(const struct syn_thread *thread, struct syn_block *block)
{
    if (!block)
        return;
    write_blocks(thread, block->older);
    if (!write_block(thread, block) && !block->durable)
        syn_recorder_lose(events_in(block));
}

/* `next` belongs to the newest block, unless its thread is just changing blocks (at MPI_Abort
 * others still run). */
static void write_thread(struct syn_thread *thread)
{
    struct syn_block *block = __atomic_load_n(&thread->blocks, __ATOMIC_ACQUIRE);
    struct syn_event *next = __atomic_load_n(&thread->next, __ATOMIC_ACQUIRE);
    if (block && next >= block->events && next <= block->limit + 1)
        block->used = next;
    write_blocks(thread, block);
}

static struct syn_block **link_of_oldest(struct syn_thread *self)
{
    struct syn_block **link = &self->blocks;
    while ((*link)->older)
        link = &(*link)->older;
    return link;
}

/* A block whose events were written away is taken anew: from here on the file behind it has none,
 * which is so before its header gets a new number. Clearing it also touches every page that the
 * kernel has written to the disk meanwhile, now and not at the next events. */
static void reuse_block(struct syn_thread *self, struct syn_block *block, uint64_t first_event)
{
    if (block->durable)
        memset(block->events, 0,
               (size_t)((unsigned char *)block->limit - (unsigned char *)block->events));
    block->used = block->events;
    block->note_count = 0;
    block->first_event = first_event;
    push_block(self, block);
}

/* Write away the oldest block and use it again: memory that was in use is cheaper than new, and one
 * block at a time keeps the pause short. Returns false where it could not be written: then it stays
 * as it is, for what can be made of it after the end. */
static bool spill(struct syn_thread *self)
{
    bool written = false;
    if (!syn_lock_take(&write_lock))
        return false;
    if (self->blocks && keeps()) {
        struct syn_block **oldest = link_of_oldest(self), *block = *oldest;
        self->blocks->used = self->next;
        const uint64_t first_event = self->blocks->first_event + events_in(self->blocks);
        written = write_block(self, block);
        if (written) {
            *oldest = NULL;
            reuse_block(self, block, first_event);
        }
    }
    syn_lock_give(&write_lock);
    return written;
}

static void note_pause(int64_t ticks)
{
    __atomic_add_fetch(&pauses.count, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&pauses.sum_ticks, ticks, __ATOMIC_RELAXED);
    int64_t longest = __atomic_load_n(&pauses.longest_ticks, __ATOMIC_RELAXED);
    while (ticks > longest &&
           !__atomic_compare_exchange_n(&pauses.longest_ticks, &longest, ticks, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

struct syn_recorder_pauses syn_recorder_pauses(void)
{
    return pauses;
}

/* Behind what may be the last event of its block, where there is room for one more. */
static void put_note(struct syn_thread *self, const struct syn_event *note)
{
    struct syn_event *place = self->next;
    *place = *note;
    __atomic_store_n(&place->flags, (uint16_t)(note->flags | SYN_EVENT_WRITTEN), __ATOMIC_RELEASE);
    self->blocks->note_count++;
    __atomic_store_n(&self->next, place + 1, __ATOMIC_RELEASE);
}

/* In another block, or in the oldest of its own. */
static void go_on(struct syn_thread *self)
{
    const int cancel_state = syn_cancel_hold();
    const int64_t began = syn_now();
    struct syn_event sample;
    const bool sampled = settings.sample && settings.sample(self, &sample);
    if (sampled)
        put_note(self, &sample);
    if (!add_block(self) && !spill(self))
        go_nowhere(self);
    if (sampled && self->next + 1 < self->limit)
        put_note(self, &sample);
    note_pause(syn_now() - began);
    self->pending_flags |= SYN_EVENT_PERTURBED;
    syn_cancel_restore(cancel_state);
}

void syn_thread_full(struct syn_thread *self)
{
    if (self->limit == &self->nowhere + 1)
        syn_recorder_lose(1);
    if (keeps() && self->limit != &self->nowhere + 1)
        go_on(self);
    else
        go_nowhere(self);
}

void syn_note_add(struct syn_thread *self, const struct syn_event *note)
{
    if (self->limit == &self->nowhere + 1)
        return;
    if (self->next + 1 >= self->limit)
        syn_thread_full(self);
    if (self->next + 1 < self->limit)
        put_note(self, note);
}

/* It is no longer an entry before it is none to count. */
void syn_note_remove(struct syn_thread *self)
{
    struct syn_event *note = self->next - 1;
    __atomic_store_n(&note->flags, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&self->next, note, __ATOMIC_RELEASE);
    self->blocks->note_count--;
}

struct syn_message_counts syn_message_counts(void)
{
    struct syn_message_counts counts = {.sum_ticks = message_ticks};
    for (const struct syn_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->older)
        counts.call_count += thread->message_count;
    return counts;
}

static void declare_locked(void)
{
    if (!syn_lock_take(&write_lock))
        return;
    if (syn_recorder_running() && settings.declare)
        settings.declare();
    syn_lock_give(&write_lock);
}

void syn_recorder_declare(struct syn_thread *self)
{
    declare_locked();
    self->pending_flags |= SYN_EVENT_PERTURBED;
}

void syn_recorder_declare_new(void)
{
    if (syn_recorder_running())
        declare_locked();
}

bool syn_recorder_running(void)
{
    return __atomic_load_n(&running, __ATOMIC_ACQUIRE);
}

int syn_recorder_start(const struct syn_recorder_options *options)
{
    settings = *options;
    syn_slots_prepare();
    __atomic_store_n(&running, 1, __ATOMIC_RELEASE);
    struct syn_thread *self = syn_thread_start();
    if (self && self->blocks)
        return SYN_OK;
    syn_recorder_stop();
    return SYN_ENOMEM;
}

void syn_recorder_stop(void)
{
    __atomic_store_n(&running, 0, __ATOMIC_RELEASE);
    for (struct syn_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->older) {
        __atomic_store_n(&thread->idle_guard, UINTPTR_MAX, __ATOMIC_RELAXED);
        __atomic_store_n(&thread->guard, UINTPTR_MAX, __ATOMIC_RELAXED);
    }
}

void syn_recorder_keep_no_more(void)
{
    syn_control_lose();
}

void syn_recorder_lose(uint64_t call_count)
{
    __atomic_add_fetch(&lost_count, call_count, __ATOMIC_RELAXED);
    syn_durable_lose(call_count);
}

uint64_t syn_recorder_lost_count(void)
{
    return __atomic_load_n(&lost_count, __ATOMIC_RELAXED);
}

/* The pages go, the mapping stays: a thread that is still in a call may touch it. */
static void forget_pages(const struct syn_thread *thread)
{
    for (struct syn_block *block = thread->blocks; block;) {
        struct syn_block *older = block->older;
        madvise(block->memory, block->mapped_bytes, MADV_DONTNEED);
        block = older;
    }
}

int syn_recorder_drain(void)
{
    if (!syn_lock_take(&write_lock))
        return SYN_ENOTSUP;
    for (struct syn_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->older) {
        write_thread(thread);
        forget_pages(thread);
    }
    syn_durable_note_memory(false);
    syn_lock_give(&write_lock);
    return SYN_OK;
}
