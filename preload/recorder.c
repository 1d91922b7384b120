/* preload/recorder.c - see recorder.h. Everything here is off the way of an ordinary call. */
#include "recorder.h"

#include <pthread.h>
#include <sys/mman.h>

#include "../sync/status.h"
#include "stacks.h"

/* A thread's first block is small, so that thousands of short-lived threads stay cheap; the next
 * ones double. A larger block would pause its thread longer: the kernel zeroes it when it is taken.
 */
#define FIRST_BLOCK_BYTES ((size_t)64 << 10)
#define BLOCK_BYTES_MAX   ((size_t)1 << 20)

__thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
struct syn_tick_source syn_ticks;
bool syn_recorded[SYN_ROW_COUNT];

static struct syn_recorder_options settings;
static struct syn_thread *threads; /* newest first; only ever pushed to */
static uint32_t thread_count;
static uint64_t held_bytes; /* of all blocks */
static int running;
static pthread_mutex_t write_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Populated at once: page faults one by one would fall into timed intervals. */
static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t next_block_bytes(const struct syn_thread *self)
{
    if (!self->blocks)
        return FIRST_BLOCK_BYTES;
    const size_t doubled = self->blocks->mapped_bytes * 2;
    return doubled < BLOCK_BYTES_MAX ? doubled : BLOCK_BYTES_MAX;
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

static void use_block(struct syn_thread *self, struct syn_block *block)
{
    __atomic_store_n(&self->next, block->events, __ATOMIC_RELEASE);
    self->limit = block->limit;
}

static bool add_block(struct syn_thread *self)
{
    const size_t bytes = next_block_bytes(self);
    if (!may_hold(self, bytes))
        return false;
    struct syn_block *block = map(bytes);
    if (!block) {
        __atomic_sub_fetch(&held_bytes, bytes, __ATOMIC_RELAXED);
        return false;
    }
    block->older = self->blocks;
    block->mapped_bytes = bytes;
    block->used = block->events;
    block->limit = block->events + (bytes - sizeof *block) / sizeof *block->events;
    if (self->blocks)
        self->blocks->used = self->next;
    __atomic_store_n(&self->blocks, block, __ATOMIC_RELEASE);
    use_block(self, block);
    return true;
}

static void push(struct syn_thread *self)
{
    struct syn_thread *head = __atomic_load_n(&threads, __ATOMIC_RELAXED);
    do
        self->older = head;
    while (!__atomic_compare_exchange_n(&threads, &head, self, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

struct syn_thread *syn_thread_start(void)
{
    if (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
        return NULL;
    struct syn_thread *self = map(sizeof *self);
    if (!self)
        return NULL;
    if (!add_block(self) ||
        (settings.stack_depth > 0 && syn_stack_cache_new(settings.stack_depth, &self->stacks))) {
        /* Without memory for it this thread's calls go unrecorded; the block, if any, stays unused.
         */
        self->guard = self->idle_guard = UINTPTR_MAX;
    }
    self->number = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    push(self);
    syn_self = self;
    return self;
}

/* Oldest first: the list is newest first, and short. */
static void write_blocks(struct syn_thread *thread, struct syn_block *block)
{
    if (!block)
        return;
    write_blocks(thread, block->older);
    const size_t count = (size_t)(block->used - block->events);
    if (count > 0)
        settings.write(thread->number, block->events, count);
    block->used = block->events;
}

/* `next` belongs to the newest block, unless its thread is just changing blocks (at MPI_Abort
 * others still run). */
static void write_thread(struct syn_thread *thread)
{
    struct syn_block *block = __atomic_load_n(&thread->blocks, __ATOMIC_ACQUIRE);
    struct syn_event *next = __atomic_load_n(&thread->next, __ATOMIC_ACQUIRE);
    if (block && next >= block->events && next <= block->limit)
        block->used = next;
    write_blocks(thread, block);
}

static void release_older_blocks(struct syn_thread *self)
{
    struct syn_block *block = self->blocks->older;
    self->blocks->older = NULL;
    while (block) {
        struct syn_block *older = block->older;
        __atomic_sub_fetch(&held_bytes, block->mapped_bytes, __ATOMIC_RELAXED);
        munmap(block, block->mapped_bytes);
        block = older;
    }
}

static void spill(struct syn_thread *self)
{
    pthread_mutex_lock(&write_mutex);
    if (syn_recorder_running()) {
        write_thread(self);
        release_older_blocks(self);
        use_block(self, self->blocks);
    }
    pthread_mutex_unlock(&write_mutex);
}

void syn_thread_full(struct syn_thread *self)
{
    if (!syn_recorder_running())
        return; /* the last event of this thread; it stays for the drain */
    if (!add_block(self))
        spill(self);
    self->pending_flags |= SYN_EVENT_PERTURBED;
}

bool syn_recorder_running(void)
{
    return __atomic_load_n(&running, __ATOMIC_ACQUIRE);
}

int syn_recorder_start(const struct syn_recorder_options *options)
{
    settings = *options;
    __atomic_store_n(&running, 1, __ATOMIC_RELEASE);
    struct syn_thread *self = syn_thread_start();
    if (self && self->guard != UINTPTR_MAX)
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

/* The pages go, the mapping stays: a thread that is still in a call may touch it. */
static void forget_pages(const struct syn_thread *thread)
{
    for (struct syn_block *block = thread->blocks; block;) {
        struct syn_block *older = block->older;
        madvise(block, block->mapped_bytes, MADV_DONTNEED);
        block = older;
    }
}

void syn_recorder_drain(void)
{
    pthread_mutex_lock(&write_mutex);
    for (struct syn_thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->older) {
        write_thread(thread);
        forget_pages(thread);
    }
    pthread_mutex_unlock(&write_mutex);
}
