/* preload/recorder/recorder.c - states of threads, their blocks, and the stops in which events are
 * encoded and written (recorder.h). No ordinary call runs any of this.
 *
 * A *stop* is work done after a call, outside its timed interval: memory is prepared, the full
 * block is encoded, its frames are written. The work is cut into steps of a few microseconds. */
#include "preload/recorder/recorder.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/base/lock.h"
#include "preload/recorder/blocks.h"
#include "preload/recorder/control_bits.h"
#include "preload/recorder/durable.h"
#include "preload/recorder/idle.h"
#include "preload/recorder/open_lines.h"
#include "preload/recorder/slots.h"
#include "preload/recorder/stacks/stacks.h"
#include "preload/recorder/warm_up.h"
#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "sync/base/status.h"
#include "trace/base/sections.h"
#include "trace/events/notes.h"
#include "trace/write/batch.h"
#include "trace/write/raw.h"

/* Size of a block if --buffer is smaller than SYN_BLOCK_BYTES. */
#define SMALL_BLOCK_BYTES ((size_t)64 << 10)
/* Bytes of a block that are prepared before the first event; the rest follows in steps. */
#define FIRST_BYTES ((size_t)64 << 10)

/* A thread stops for steps once it has DUE_ENTRIES new entries, after the next call whose number on
 * its communicator is a multiple of SHARED_CALLS: the other members stop after the same call. At
 * LATEST_ENTRIES it stops in any case. If it has DUE_ENTRIES half-way between two such calls (each
 * call also has a note), it stops there too, and takes half as many steps. */
#define DUE_ENTRIES    128
#define LATEST_ENTRIES 512
#define SHARED_CALLS   128
#define HALFWAY_CALLS  (SHARED_CALLS / 2)
/* Limits for a thread that had too little time for its steps and has to go on soon. */
#define SOON_ENTRIES 32
#define SOON_CALLS   32

/* Least estimate of the steps that write the declarations of a block. The number of the block
 * before counts if it is larger. */
#define DECLARATION_STEPS_MIN ((size_t)8)

/* A stop that has lasted this long takes no further step. */
#define ENOUGH_NS 6000

/* Estimated memory of an encoder. */
#define ENCODER_BYTES ((uint64_t)3 << 20)

/* Unit of deferred_steps. RATIONALE: integers, because floating-point code could set exception
 * flags that the program reads. */
#define WHOLE_STEP ((size_t)1024)

__thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
struct syn_tick_source syn_ticks SYN_NEAR;
struct syn_sized_type syn_first_types[SYN_SIZED_TYPES];
uint32_t syn_control SYN_NEAR;
bool syn_recorded[SYN_ROW_COUNT] SYN_NEAR;

static struct {
    struct syn_recorder_options settings;
    struct syn_thread *threads; /* newest first; states are never removed */
    uint32_t thread_count;      /* length of `threads` */
    uint64_t life_count;        /* number of threads that had a state */
    pthread_key_t ending;       /* its destructor is called when a thread ends */
    bool sees_endings;          /* the key exists */
    int running;
    uint64_t lost_count; /* calls, not events */
    uint64_t late_count; /* calls after the end of recording; atomic */
    struct syn_recorder_pauses pauses;
    struct syn_lock write_lock; /* held while a thread writes to the rank's file */
} recorder SYN_NEAR = {.write_lock = SYN_LOCK_INITIALIZER};

static size_t block_bytes(void)
{
    return recorder.settings.buffer_bytes < SYN_BLOCK_BYTES ? SMALL_BLOCK_BYTES : SYN_BLOCK_BYTES;
}

static uint64_t events_in(const struct syn_event_block *block)
{
    return (uint64_t)(block->used - block->events) - block->note_count;
}

static ptrdiff_t due_entries(const struct syn_thread *self)
{
    return self->is_behind ? SOON_ENTRIES : DUE_ENTRIES;
}

static void set_limit(struct syn_thread *self)
{
    const ptrdiff_t due = due_entries(self);
    self->limit = self->blocks->limit - self->next > due ? self->next + due : self->blocks->limit;
}

/* Makes `block`, which is empty, the thread's current block. Its header is stored after the first
 * entry's flags are cleared: until then a reader of the raw file sees the old block. */
static void push_block(struct syn_thread *self, struct syn_event_block *block)
{
    struct syn_event_block *newest = self->blocks;
    if (newest) {
        newest->used = self->next;
        block->first_event = newest->first_event + events_in(newest);
    }
    __atomic_store_n(&block->events->flags, (uint16_t)0, __ATOMIC_RELEASE);
    if (block->durable)
        syn_durable_label(block->memory, block->mapped_bytes, self->number, block->first_event);
    block->older = newest;
    __atomic_store_n(&self->blocks, block, __ATOMIC_RELEASE);
    __atomic_store_n(&self->next, block->events, __ATOMIC_RELEASE);
    self->after_steps = self->next;
    set_limit(self);
}

/* Returns true if --buffer allows two blocks: one is written while the other fills. */
static bool may_have_spare(void)
{
    return recorder.settings.buffer_bytes >= 2 * block_bytes();
}

/* Moves an empty block to anonymous memory if the program has replaced our SIGBUS handler: a store
 * to a mapped file that is cut would kill the program. */
static void move_to_safe_memory(struct syn_event_block *block)
{
    const uint64_t first_event = block->first_event;
    if (!block->durable || syn_durable_is_safe())
        return;
    struct syn_event_block *plain = syn_block_new(block->mapped_bytes);
    if (!plain || plain->durable || !syn_block_prepare(plain, plain->mapped_bytes, true)) {
        syn_block_free(plain);
        return;
    }
    *block = *plain;
    block->first_event = first_event;
    free(plain);
}

/* RATIONALE: the thread that calls MPI_Init gets all its memory prepared now, since pages prepared
 * later would make its calls slower. All other threads begin with little, so that thousands of
 * short threads stay cheap. */
static bool add_first_block(struct syn_thread *self)
{
    const bool all = self->number == 0 && !recorder.settings.small_first;
    /* The first block is the one kept from an earlier thread, or a new one. Its first piece is
     * prepared even beyond --buffer. */
    struct syn_event_block *block = self->vacant;
    if (block)
        move_to_safe_memory(block);
    else
        block = self->vacant = syn_block_new(block_bytes());
    if (!block || (block->prepared_bytes == 0 && !syn_block_prepare(block, FIRST_BYTES, true)))
        return false;
    self->vacant = NULL;
    if (all)
        syn_block_prepare(block, block->mapped_bytes, false);
    if (all && may_have_spare())
        self->spare = syn_block_new(block_bytes());
    if (all && self->spare && syn_block_prepare(self->spare, self->spare->mapped_bytes, false) &&
        (self->batch = recorder.settings.new_batch()))
        syn_warm_up(self->batch, self->spare->events,
                    (size_t)(self->spare->limit - self->spare->events));
    push_block(self, block);
    return true;
}

static bool can_keep_events(void)
{
    return syn_recorder_running() && !(syn_control_now() & SYN_CONTROL_LOST);
}

/* Discards further events of this thread: they are counted as lost. Its blocks keep their events.
 * `used` is stored for threads that read the blocks meanwhile. */
static void discard_events(struct syn_thread *self)
{
    if (self->blocks && self->limit != &self->discard + 1)
        __atomic_store_n(&self->blocks->used, self->next, __ATOMIC_RELAXED);
    self->limit = &self->discard + 1;
    __atomic_store_n(&self->next, &self->discard, __ATOMIC_RELEASE);
}

static bool is_discarding(const struct syn_thread *self)
{
    return self->limit == &self->discard + 1;
}

/* Provides a block and a stack cache, as far as the state lacks them. */
static void provide_memory(struct syn_thread *self)
{
    if (!self->blocks && (!can_keep_events() || !add_first_block(self)))
        discard_events(self);
    if (!self->stacks && recorder.settings.stack_depth > 0 &&
        syn_stack_cache_new(recorder.settings.stack_depth, &self->stacks))
        self->stacks = NULL; /* no memory: calls get no stack */
}

static struct syn_thread *new_state(void)
{
    struct syn_thread *self = syn_idle_new(sizeof *self);
    if (!self)
        return NULL;
    self->number = __atomic_fetch_add(&recorder.thread_count, 1, __ATOMIC_RELAXED);
    memcpy(self->sized_types, syn_first_types, sizeof self->sized_types);
    self->line = syn_open_lines_take(self->number);
    if (!self->line)
        self->line = &self->private_line;
    provide_memory(self);
    struct syn_thread *head = __atomic_load_n(&recorder.threads, __ATOMIC_RELAXED);
    do
        self->older = head;
    while (!__atomic_compare_exchange_n(&recorder.threads, &head, self, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
    return self;
}

/* Returns the state of a thread that has ended, or NULL. That thread may have ended inside a
 * call. */
static struct syn_thread *idle_state(void)
{
    struct syn_idle *idle = syn_idle_take();
    if (!idle)
        return NULL;
    struct syn_thread *self =
        (struct syn_thread *)(void *)((char *)idle - offsetof(struct syn_thread, idle));
    __atomic_store_n(&self->guard, __atomic_load_n(&self->idle_guard, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
    self->pending_flags = 0;
    self->latest_start_ticks = 0;
    if (self->stacks)
        syn_stack_cache_take_over(self->stacks);
    provide_memory(self);
    if (recorder.settings.take_over)
        recorder.settings.take_over(self);
    return self;
}

static struct syn_thread *start_thread(void)
{
    struct syn_thread *self = idle_state();
    if (!self)
        self = new_state();
    if (!self)
        return NULL;
    self->life = __atomic_add_fetch(&recorder.life_count, 1, __ATOMIC_RELAXED);
    if (recorder.sees_endings && self->number > 0) /* thread 0's state is never passed on */
        pthread_setspecific(recorder.ending, self);
    syn_self = self;
    return self;
}

/* Returns true if the program and --ranks want calls to be recorded. */
static bool is_wanted(void)
{
    return !(syn_control_now() & (SYN_CONTROL_OFF | SYN_CONTROL_LEFT_OUT));
}

static void count_late(void)
{
    if (is_wanted())
        __atomic_add_fetch(&recorder.late_count, 1, __ATOMIC_RELAXED);
}

bool syn_guard_is_void(struct syn_thread *self, uintptr_t frame)
{
    const uintptr_t guard = self->guard;
    return guard != UINTPTR_MAX && syn_wrapper_was_left(self->within, guard, frame);
}

struct syn_thread *syn_enter_below(struct syn_thread *self, uintptr_t frame)
{
    if (self->guard == UINTPTR_MAX)
        count_late();
    if (!syn_guard_is_void(self, frame))
        return NULL;
    self->guard = frame;
    return self;
}

struct syn_thread *syn_thread_start(void)
{
    if (!syn_recorder_running()) {
        if (recorder.threads)
            count_late();
        return NULL;
    }
    const int cancel_state = syn_cancel_hold();
    struct syn_thread *self = start_thread();
    syn_cancel_restore(cancel_state);
    if (!self && is_wanted())
        syn_recorder_lose(1);
    return self;
}

/* Writes a piece of the frames of `encoding`; with `all`, the rest of them. Returns true if all are
 * written. */
static bool write_pieces(struct syn_thread *thread, bool all)
{
    struct syn_event_block *block = thread->encoding;
    bool is_whole, may_go_on;
    do
        may_go_on = recorder.settings.write_batch(thread->batch, events_in(block),
                                                  thread->declared_until, &is_whole);
    while (all && may_go_on && !is_whole);
    thread->is_half_written = may_go_on && !is_whole;
    block->written = may_go_on && is_whole;
    return block->written;
}

/* Writes the block's events, unless they are written. Returns true if the memory may be reused. */
static bool write_block(struct syn_thread *thread, struct syn_event_block *block)
{
    if (block->written)
        return true;
    if (thread->is_half_written && thread->encoding == block)
        return write_pieces(thread, true);
    if (block->durable && syn_durable_was_cut()) {
        /* The block's file was cut: pages since then are new and empty. Their events are counted as
         * lost and removed. */
        struct syn_event *kept = block->events;
        for (const struct syn_event *event = block->events; event < block->used; event++)
            if (event->flags & SYN_EVENT_WRITTEN)
                *kept++ = *event;
        const uint64_t event_count = events_in(block);
        block->used = kept;
        uint32_t note_count = 0;
        for (const struct syn_event *entry = block->events; entry < block->used; entry++)
            note_count += syn_is_note(entry);
        block->note_count = note_count;
        const uint64_t kept_count = events_in(block);
        syn_recorder_lose(event_count > kept_count ? event_count - kept_count : 0);
        block->durable = false;
    }
    const size_t count = (size_t)(block->used - block->events);
    block->written = count == 0 || recorder.settings.write(thread->number, block->events, count,
                                                           block->note_count);
    return block->written;
}

/* Writes all blocks, oldest first (the list is newest first). Counts unwritten events as lost,
 * unless the block's memory outlives the process. */
static void write_blocks(struct syn_thread *thread, struct syn_event_block *block)
{
    if (!block)
        return;
    write_blocks(thread, block->older);
    if (!write_block(thread, block) && !block->durable)
        syn_recorder_lose(events_in(block));
}

/* ---- encode and write, in steps ---- */

/* Starts to encode a full block. Without memory for the encoder, spill() writes the block in one go
 * when the thread needs it again. */
static void begin_encoding(struct syn_thread *self, struct syn_event_block *block)
{
    const size_t count = (size_t)(block->used - block->events);
    if (!self->batch)
        self->batch = recorder.settings.new_batch();
    if (self->batch && count > 0 &&
        syn_batch_begin(self->batch, self->number, block->events, count, block->note_count, NULL) ==
            SYN_OK)
        self->encoding = block;
    self->declaration_steps_expected = self->declaration_steps;
    self->declaration_steps = 0;
    self->declared_until = 0;
    self->deferred_steps = 0;
}

/* Writes encoded frames: one piece, or all. Caller holds the write lock. If recording has ended,
 * the block was written by the thread that ended it. */
static void write_encoded(struct syn_thread *self, bool all)
{
    struct syn_event_block *block = self->encoding;
    if (can_keep_events() && !block->written) {
        if (!self->is_half_written && block->durable && syn_durable_was_cut())
            write_block(self, block);
        else
            write_pieces(self, all);
    }
    if (!self->is_half_written)
        self->encoding = NULL;
}

/* Takes one step: of the encoder; then writes declarations that the frames refer to, if the file
 * lacks any; then a piece of the frames. Returns false if nothing was left to do, or if another
 * thread is writing. */
static bool encode_step(struct syn_thread *self)
{
    if (!self->encoding)
        return false;
    if (syn_batch_steps_left(self->batch) > 0) {
        if (syn_batch_step(self->batch) != SYN_OK)
            self->encoding = NULL; /* no memory: spill() writes it in one go */
        return true;
    }
    if (!syn_lock_try(&recorder.write_lock))
        return false;
    if (self->is_half_written || !can_keep_events() ||
        !recorder.settings.write_declarations(&self->declared_until))
        write_encoded(self, false);
    else
        self->declaration_steps++;
    syn_lock_give(&recorder.write_lock);
    return true;
}

/* Takes the steps that are due now. The remaining steps are spread over the newest block, in
 * proportion to its entries, so that they end when it is 3/4 full: some steps become known late.
 * Deferred steps are added. */
static bool encode_some(struct syn_thread *self)
{
    self->is_behind = false;
    if (!self->encoding)
        return false;
    const size_t since = (size_t)(self->next - self->after_steps);
    const size_t left = (size_t)(self->blocks->limit - self->after_steps);
    const size_t room = left > 2 * LATEST_ENTRIES ? (left - LATEST_ENTRIES) * 3 / 4 : left / 4 + 1;
    const size_t most = syn_largest(self->declaration_steps_expected, DECLARATION_STEPS_MIN);
    const size_t declaring = self->declaration_steps < most ? most - self->declaration_steps : 0;
    const size_t steps = syn_batch_steps_left(self->batch) + declaring + 1;
    self->deferred_steps += steps * since * WHOLE_STEP / room;
    const size_t due = syn_largest(self->deferred_steps / WHOLE_STEP, (size_t)1);
    const int64_t enough_ticks = syn_now() + syn_span_ticks(&syn_ticks, ENOUGH_NS);
    size_t done = 0;
    while (done < due && (done == 0 || syn_now() < enough_ticks) && encode_step(self))
        done++;
    self->deferred_steps -= syn_least(done * WHOLE_STEP, self->deferred_steps);
    self->is_behind = self->encoding && done < due;
    return done > 0;
}

/* ---- prepare memory, in steps ---- */

/* Prepares twice as much memory as was used since the last steps: pieces of the current block;
 * once it is complete, of the spare block. */
static bool prepare_some(struct syn_thread *self)
{
    struct syn_event_block *newest = self->blocks;
    bool any = false;
    for (const struct syn_event *entry = self->after_steps; entry < self->next;
         entry += DUE_ENTRIES) {
        bool prepared = syn_block_prepare(newest, SYN_PREPARE_BYTES, false);
        if (!prepared && !newest->older && may_have_spare()) {
            if (!self->spare)
                self->spare = syn_block_new(block_bytes());
            prepared = self->spare && syn_block_prepare(self->spare, SYN_PREPARE_BYTES, false);
        }
        if (!prepared)
            return any;
        any = true;
    }
    return any;
}

/* ---- change blocks ---- */

/* Writes the oldest block and makes it the current one. RATIONALE: used memory is cheaper than new
 * memory. Returns false if the block cannot be written: it then keeps its events for recovery after
 * the end. */
static bool spill(struct syn_thread *self)
{
    struct syn_event_block **oldest = &self->blocks;
    while ((*oldest)->older)
        oldest = &(*oldest)->older;
    struct syn_event_block *block = *oldest;
    while (self->encoding == block && syn_batch_steps_left(self->batch) > 0)
        encode_step(self);
    if (!syn_lock_take(&recorder.write_lock))
        return false;
    self->blocks->used = self->next;
    if (self->encoding == block)
        write_encoded(self, true);
    const bool written = can_keep_events() && write_block(self, block);
    if (written) {
        *oldest = NULL;
        /* The block is in no list now; its events are gone. */
        const uint64_t first_event = self->blocks ? 0 : block->first_event + events_in(block);
        move_to_safe_memory(block);
        block->used = block->events;
        block->note_count = 0;
        block->written = false;
        block->first_event = first_event;
        push_block(self, block);
    }
    syn_lock_give(&recorder.write_lock);
    return written;
}

/* ---- end of a thread ---- */

static uint64_t held_bytes(const struct syn_thread *self)
{
    uint64_t bytes = self->spare ? self->spare->prepared_bytes : 0;
    for (const struct syn_event_block *block = self->blocks; block; block = block->older)
        bytes += block->prepared_bytes;
    bytes += self->batch ? ENCODER_BYTES : 0;
    return bytes + (self->stacks ? syn_stack_cache_bytes(self->stacks) : 0);
}

/* Writes the thread's blocks, oldest first. Returns true if all are written. */
static bool write_all_blocks(struct syn_thread *self, struct syn_event_block *block)
{
    return !block || (write_all_blocks(self, block->older) && write_block(self, block));
}

/* Writes the thread's events and frees its memory. Keeps all of it if writing fails. */
static void write_and_free(struct syn_thread *self)
{
    if (!syn_lock_take(&recorder.write_lock))
        return;
    if (!is_discarding(self))
        self->blocks->used = self->next;
    if (self->blocks && recorder.settings.take_open) /* pending messages never complete */
        recorder.settings.take_open(self->blocks->events, self->next, 0);
    if (can_keep_events() && self->blocks && write_all_blocks(self, self->blocks)) {
        /* The blocks are empty now. The next thread's events are numbered on from there. */
        struct syn_event_block *newest = self->blocks, *other = newest->older;
        newest->first_event += events_in(newest);
        discard_events(self);
        __atomic_store_n(&self->blocks, NULL, __ATOMIC_RELEASE);
        self->vacant = newest;
        self->spare = other ? other : self->spare;
        syn_block_vacate(newest);
        if (self->spare)
            syn_block_vacate(self->spare);
        self->encoding = NULL;
        syn_batch_free(self->batch);
        self->batch = NULL;
        self->declaration_steps = self->declaration_steps_expected = self->deferred_steps = 0;
        self->is_behind = self->declarations_are_due = false;
    }
    syn_lock_give(&recorder.write_lock);
    if (self->stacks)
        syn_stack_cache_free(self->stacks);
    self->stacks = NULL;
}

/* Destructor of the thread's key. MPI calls in later destructors of the thread start a new life.
 * Nothing is done after the end of recording, or in a forked child. */
static void end_thread(void *state)
{
    struct syn_thread *self = state;
    syn_self = NULL;
    if (!syn_recorder_running())
        return;
    if (recorder.settings.leave)
        recorder.settings.leave(self);
    syn_open_line_end(self->line);
    if (held_bytes(self) > syn_idle_room())
        write_and_free(self);
    syn_idle_put(&self->idle, held_bytes(self));
}

static void note_pause(int64_t ticks)
{
    __atomic_add_fetch(&recorder.pauses.count, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&recorder.pauses.sum_ticks, ticks, __ATOMIC_RELAXED);
    int64_t longest = __atomic_load_n(&recorder.pauses.longest_ticks, __ATOMIC_RELAXED);
    while (ticks > longest &&
           !__atomic_compare_exchange_n(&recorder.pauses.longest_ticks, &longest, ticks, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

struct syn_recorder_pauses syn_recorder_pauses(void)
{
    return recorder.pauses;
}

/* Appends a note, also to a block that has room for just one more entry. */
static void put_note(struct syn_thread *self, const struct syn_event *note)
{
    struct syn_event *place = self->next;
    *place = *note;
    if (place < self->blocks->limit)
        __atomic_store_n(&place[1].flags, (uint16_t)0, __ATOMIC_RELAXED);
    __atomic_store_n(&place->flags, (uint16_t)(note->flags | SYN_EVENT_WRITTEN), __ATOMIC_RELEASE);
    self->blocks->note_count++;
    __atomic_store_n(&self->next, place + 1, __ATOMIC_RELEASE);
}

/* Goes on in another block: the spare one, or the oldest one once it is written. Discards events if
 * there is neither. */
static void change_block(struct syn_thread *self)
{
    struct syn_event sample;
    const bool sampled = recorder.settings.sample && recorder.settings.sample(self, &sample);
    struct syn_event_block *full = self->blocks;
    if (sampled)
        put_note(self, &sample);
    /* Take the events of pending messages out of the full block, at most a quarter of a block. */
    const size_t most = block_bytes() / sizeof(struct syn_event) / 4;
    const size_t open_count = recorder.settings.take_open
                                  ? recorder.settings.take_open(full->events, self->next, most)
                                  : 0;
    full->note_count += (uint32_t)open_count;
    struct syn_event_block *spare = self->spare;
    if (spare && spare->prepared_bytes > 0) {
        self->spare = NULL;
        push_block(self, spare);
    } else if (!spill(self)) {
        full->note_count -= (uint32_t)open_count;
        if (open_count > 0)
            recorder.settings.put_open(NULL);
        discard_events(self);
        return;
    }
    /* RATIONALE: The sample comes before the events of pending messages. Notes at the ends of a
     * block need no copy of its events (notes.c). */
    if (sampled && self->next + 1 < self->blocks->limit)
        put_note(self, &sample);
    if (open_count > 0)
        __atomic_store_n(&self->next, self->next + recorder.settings.put_open(self->next),
                         __ATOMIC_RELEASE);
    if (self->blocks != full)
        begin_encoding(self, full);
    set_limit(self);
}

/* Takes the steps that are due and changes blocks if necessary. The pause is counted; the next
 * event is marked perturbed. Afterwards there is room for `wanted` entries, or events are
 * discarded.
 *
 * A large block is changed while it has LATEST_ENTRIES left, so that the change falls on a shared
 * stop. RATIONALE: changing blocks costs 4 to 14 us, and takes all steps that are left. A thread
 * that still has steps, or has stopped for ENOUGH_NS, changes at its next stop instead, as long as
 * there is room. */
static void stop(struct syn_thread *self, ptrdiff_t wanted)
{
    const int cancel_state = syn_cancel_hold();
    const int64_t began = syn_now();
    bool any = prepare_some(self);
    any |= encode_some(self);
    self->after_steps = self->next;
    const struct syn_event_block *block = self->blocks;
    const ptrdiff_t left = block->limit - self->next;
    const bool is_large = block->prepared_bytes == SYN_BLOCK_BYTES;
    const bool is_full = left < (is_large ? LATEST_ENTRIES : wanted);
    const bool may_change_later =
        is_full && left >= wanted + 2 * SOON_ENTRIES &&
        (self->encoding || syn_now() - began > syn_span_ticks(&syn_ticks, ENOUGH_NS));
    if (is_full && !may_change_later) {
        change_block(self);
        any = true;
    } else {
        self->is_behind |= is_full;
        set_limit(self);
    }
    if (any) {
        note_pause(syn_now() - began);
        self->pending_flags |= SYN_EVENT_PERTURBED;
    }
    syn_cancel_restore(cancel_state);
}

/* Returns true if the thread should stop now: the other members stop after this call, or it cannot
 * wait any longer. */
static bool is_to_stop(struct syn_thread *self)
{
    const struct syn_event *last = self->next - 1;
    const ptrdiff_t since = self->next - self->after_steps;
    if (self->next >= self->blocks->limit || since >= LATEST_ENTRIES)
        return true;
    if (since < due_entries(self) || syn_is_note(last))
        return false;
    if (self->is_behind)
        return syn_stop_is_shared(last, SOON_CALLS);
    const bool is_full = syn_stop_is_shared(last, SHARED_CALLS);
    /* RATIONALE: never half-way twice in a row. A thread that lacked entries at the last shared
     * call would otherwise go on stopping half-way, where no other thread stops. */
    const bool halfway =
        !is_full && !self->stopped_halfway && syn_stop_is_shared(last, HALFWAY_CALLS);
    self->stopped_halfway = is_full ? false : self->stopped_halfway || halfway;
    return is_full || halfway;
}

void syn_thread_at_limit(struct syn_thread *self)
{
    if (is_discarding(self))
        syn_recorder_lose(1);
    if (is_discarding(self) || !can_keep_events()) {
        discard_events(self);
        return;
    }
    if (self->declarations_are_due) {
        /* RATIONALE: not deferred to a shared stop, since the raw file has little room for records.
         * The members of a communicator declare it after the same call anyway. */
        const int64_t began = syn_now();
        self->declarations_are_due = false;
        if (syn_lock_take(&recorder.write_lock)) {
            if (can_keep_events())
                recorder.settings.write_due_declarations();
            syn_lock_give(&recorder.write_lock);
            note_pause(syn_now() - began);
            self->pending_flags |= SYN_EVENT_PERTURBED;
        }
    }
    if (is_to_stop(self))
        stop(self, 1);
    else {
        /* The entry at which the thread stops next if no shared call comes before. */
        struct syn_event *const end = self->blocks->limit;
        const ptrdiff_t left = end - self->after_steps, wanted = due_entries(self);
        struct syn_event *const due = left > wanted ? self->after_steps + wanted : end;
        self->limit = due > self->next ? due : self->next + 1;
    }
}

void syn_note_add(struct syn_thread *self, const struct syn_event *note)
{
    if (!is_discarding(self) && self->next + 1 >= self->blocks->limit) {
        if (can_keep_events())
            stop(self, 2);
        else
            discard_events(self);
    }
    if (is_discarding(self))
        return;
    put_note(self, note);
    if (self->next >= self->limit)
        self->limit = self->next + 1;
}

/* Clears the flags before moving `next` back, so that no reader counts a removed note as an
 * event. */
void syn_note_remove(struct syn_thread *self)
{
    struct syn_event *note = self->next - 1;
    __atomic_store_n(&note->flags, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&self->next, note, __ATOMIC_RELEASE);
    self->blocks->note_count--;
}

struct syn_message_counts syn_message_counts(void)
{
    struct syn_message_counts counts = {0};
    for (const struct syn_thread *thread = __atomic_load_n(&recorder.threads, __ATOMIC_ACQUIRE);
         thread; thread = thread->older) {
        counts.call_count += thread->message_count;
        counts.one_sided_count += thread->one_sided_count;
        counts.sum_ticks += thread->message_ticks;
    }
    return counts;
}

SYN_HOT void syn_recorder_declare_new(void)
{
    syn_recorder_declare_comm(NULL);
}

SYN_HOT void syn_recorder_declare_comm(struct syn_comm *comm)
{
    if (!syn_recorder_running() || !syn_lock_take_cancellable(&recorder.write_lock))
        return;
    const bool is_due =
        syn_recorder_running() && recorder.settings.declare && recorder.settings.declare(comm);
    syn_lock_give(&recorder.write_lock);
    /* Write declarations after the current call. Its own event is not perturbed, the next one
     * is. */
    struct syn_thread *self = syn_self;
    if (is_due && self && !is_discarding(self)) {
        self->declarations_are_due = true;
        self->limit = self->next + 1;
    }
}

void syn_recorder_hold(void)
{
    syn_lock_disable_cancel(&recorder.write_lock);
}

bool syn_recorder_running(void)
{
    return __atomic_load_n(&recorder.running, __ATOMIC_ACQUIRE);
}

int syn_recorder_start(const struct syn_recorder_options *options)
{
    recorder.settings = *options;
    syn_blocks_start(options->buffer_bytes);
    syn_slots_prepare();
    recorder.sees_endings = pthread_key_create(&recorder.ending, end_thread) == 0;
    __atomic_store_n(&recorder.running, 1, __ATOMIC_RELEASE);
    struct syn_thread *self = syn_thread_start();
    if (self && self->blocks)
        return SYN_OK;
    syn_recorder_stop();
    return SYN_ENOMEM;
}

void syn_recorder_stop(void)
{
    __atomic_store_n(&recorder.running, 0, __ATOMIC_RELEASE);
    for (struct syn_thread *thread = __atomic_load_n(&recorder.threads, __ATOMIC_ACQUIRE); thread;
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
    __atomic_add_fetch(&recorder.lost_count, call_count, __ATOMIC_RELAXED);
    syn_durable_lose(call_count);
}

uint64_t syn_recorder_lost_count(void)
{
    return __atomic_load_n(&recorder.lost_count, __ATOMIC_RELAXED);
}

uint64_t syn_recorder_late_count(void)
{
    return __atomic_load_n(&recorder.late_count, __ATOMIC_RELAXED);
}

int syn_recorder_drain(void)
{
    if (!syn_lock_take(&recorder.write_lock))
        return SYN_ENOTSUP;
    for (struct syn_thread *thread = __atomic_load_n(&recorder.threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->older) {
        /* `next` belongs to the newest block, unless the thread is changing blocks right now (at
         * MPI_Abort other threads still run). */
        struct syn_event_block *block = __atomic_load_n(&thread->blocks, __ATOMIC_ACQUIRE);
        struct syn_event *next = __atomic_load_n(&thread->next, __ATOMIC_ACQUIRE);
        if (block && next >= block->events && next <= block->limit + 1)
            block->used = next;
        write_blocks(thread, block);
        /* Pages are freed, and the mapping is kept: a thread inside a call may still touch it. */
        for (struct syn_event_block *older; block; block = older) {
            older = block->older;
            madvise(block->memory, block->mapped_bytes, MADV_DONTNEED);
        }
    }
    syn_durable_note_memory(false);
    syn_lock_give(&recorder.write_lock);
    return SYN_OK;
}

size_t syn_recorder_put_open(struct syn_bytes *calls)
{
    size_t count = 0;
    struct syn_open_line line;
    for (const struct syn_thread *thread = __atomic_load_n(&recorder.threads, __ATOMIC_ACQUIRE);
         thread; thread = thread->older) {
        if (!syn_open_lines_copy(thread->line, &line))
            continue;
        syn_put_open(calls, thread->number, &line);
        count++;
    }
    return count;
}
