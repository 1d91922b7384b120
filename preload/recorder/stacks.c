/* preload/recorder/stacks.c - see stacks.h. */
#include "preload/recorder/stacks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/base/lock.h"
#include "preload/base/options.h"
#include "preload/facts/modules.h"
#include "preload/recorder/walk.h"

/* Sets are many enough for the call sites of a large program, ways for the stack depths that each
 * is reached at. */
#define SET_COUNT 64
#define WAY_COUNT 4
/* A set that has learned this often is thrashing (recursion, sites reached in ever new ways):
 * learning costs ten walks, so from then on it only walks. */
#define LEARN_MAX 256

/* ---- numbering: one table for the process, read without a lock ---- */

struct stack {
    uint64_t hash;
    struct syn_stack_record record;
    uintptr_t addresses[]; /* [record.depth], innermost first */
};

struct table {
    size_t mask;
    struct stack *slots[]; /* [mask + 1], open addressing; NULL free */
};

static struct table *table;
static struct stack **by_index; /* [stack_count], under the lock */
static size_t by_index_room;
static size_t stack_count;
static struct syn_modules *modules;
static struct syn_stack_counts counts;
void (*syn_stack_added)(void);
static struct syn_lock lock = SYN_LOCK_INITIALIZER;

static uint64_t hash_addresses(const uintptr_t *addresses, size_t depth)
{
    uint64_t hash = depth;
    for (size_t i = 0; i < depth; i++)
        hash = (hash ^ addresses[i]) * 0x9e3779b97f4a7c15u + (hash >> 29);
    return hash ^ (hash >> 32);
}

static struct stack *find(const struct table *in, uint64_t hash, const uintptr_t *addresses,
                          size_t depth)
{
    for (size_t i = hash & in->mask;; i = (i + 1) & in->mask) {
        struct stack *stack = __atomic_load_n(&in->slots[i], __ATOMIC_ACQUIRE);
        if (!stack)
            return NULL;
        if (stack->hash == hash && stack->record.depth == depth &&
            memcmp(stack->addresses, addresses, depth * sizeof *addresses) == 0)
            return stack;
    }
}

static void put(struct table *into, struct stack *stack)
{
    size_t i = stack->hash & into->mask;
    while (into->slots[i])
        i = (i + 1) & into->mask;
    __atomic_store_n(&into->slots[i], stack, __ATOMIC_RELEASE);
}

/* Room for one more. A table that was replaced is kept, for a thread may still be reading it; they
 * sum to the size of the present one. */
static bool make_room(void)
{
    if (stack_count == by_index_room) {
        const size_t room = by_index_room ? by_index_room * 2 : 256;
        struct stack **grown = realloc(by_index, room * sizeof *by_index);
        if (!grown)
            return false;
        by_index = grown;
        by_index_room = room;
    }
    if (table && stack_count * 2 <= table->mask)
        return true;
    const size_t slots = table ? (table->mask + 1) * 2 : 512;
    struct table *grown = calloc(1, sizeof *grown + slots * sizeof *grown->slots);
    if (!grown)
        return false;
    grown->mask = slots - 1;
    for (size_t i = 0; i < stack_count; i++)
        put(grown, by_index[i]);
    __atomic_store_n(&table, grown, __ATOMIC_RELEASE);
    return true;
}

static struct syn_frame *locate(const uintptr_t *addresses, size_t depth)
{
    if (!modules && syn_modules_create(&modules))
        return NULL;
    struct syn_frame *frames = malloc(depth * sizeof *frames);
    for (size_t i = 0; frames && i < depth; i++)
        syn_modules_locate(modules, addresses[i], &frames[i]);
    return frames;
}

static struct stack *add(uint64_t hash, const uintptr_t *addresses, size_t depth)
{
    struct stack *stack = malloc(sizeof *stack + depth * sizeof *addresses);
    struct syn_frame *frames = locate(addresses, depth);
    if (!stack || !frames || !make_room()) {
        free(stack);
        free(frames);
        return NULL;
    }
    stack->hash = hash;
    stack->record = (struct syn_stack_record){
        .index = (uint32_t)stack_count, .depth = (uint32_t)depth, .frames = frames};
    memcpy(stack->addresses, addresses, depth * sizeof *addresses);
    by_index[stack_count++] = stack;
    put(table, stack);
    return stack;
}

static uint32_t number(const uintptr_t *addresses, size_t depth)
{
    const uint64_t hash = hash_addresses(addresses, depth);
    const struct table *seen = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    struct stack *stack = seen ? find(seen, hash, addresses, depth) : NULL;
    if (!stack && syn_lock_take(&lock)) {
        stack = table ? find(table, hash, addresses, depth) : NULL;
        if (!stack)
            stack = add(hash, addresses, depth);
        syn_lock_give(&lock);
        if (stack && syn_stack_added)
            syn_stack_added();
    }
    return stack ? stack->record.index : SYN_NO_STACK;
}

size_t syn_stack_count(void)
{
    if (!syn_lock_take(&lock))
        return 0;
    const size_t count = stack_count;
    syn_lock_give(&lock);
    return count;
}

const struct syn_stack_record *syn_stack_at(uint32_t index)
{
    if (!syn_lock_take(&lock))
        return NULL;
    const struct syn_stack_record *record = index < stack_count ? &by_index[index]->record : NULL;
    syn_lock_give(&lock);
    return record;
}

const struct syn_module_record *syn_stack_module_at(size_t index)
{
    return modules ? syn_modules_at(modules, index) : NULL;
}

void syn_stack_counts(struct syn_stack_counts *out)
{
    out->learned_count = __atomic_load_n(&counts.learned_count, __ATOMIC_RELAXED);
    out->walked_count = __atomic_load_n(&counts.walked_count, __ATOMIC_RELAXED);
}

/* ---- the cache: one for each thread ---- */

struct entry {
    uintptr_t caller; /* 0: unused */
    uintptr_t frame;
    uint32_t stack;
    uint32_t check_count;
    struct syn_check checks[]; /* [cache->check_room] */
};

struct syn_stack_cache {
    /* The thread's stack. Outside of it (a coroutine, a signal's stack) the cache is not used:
     * memory that was checked once may be gone. */
    uintptr_t stack_low, stack_high;
    int depth;
    int check_room;
    size_t entry_bytes;
    struct {
        uint16_t learned_count;
        uint8_t next_way; /* the oldest, to be replaced */
    } sets[SET_COUNT];
    unsigned char entries[] __attribute__((aligned(64))); /* [SET_COUNT][WAY_COUNT][entry_bytes] */
};

static void find_stack(struct syn_stack_cache *cache)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &low, &bytes)) {
        cache->stack_low = (uintptr_t)low;
        cache->stack_high = (uintptr_t)low + bytes;
    }
    pthread_attr_destroy(&attributes);
}

int syn_stack_cache_new(int depth, struct syn_stack_cache **out)
{
    const int check_room = 2 * depth;
    const size_t entry_bytes =
        (sizeof(struct entry) + (size_t)check_room * sizeof(struct syn_check) + 63) / 64 * 64;
    const size_t bytes = sizeof(struct syn_stack_cache) + SET_COUNT * WAY_COUNT * entry_bytes;
    struct syn_stack_cache *cache =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cache == MAP_FAILED)
        return SYN_ENOMEM;
    cache->depth = depth;
    cache->check_room = check_room;
    cache->entry_bytes = entry_bytes;
    find_stack(cache);
    syn_walk_begin();
    *out = cache;
    return SYN_OK;
}

static size_t set_of(uintptr_t frame, uintptr_t caller)
{
    return ((caller ^ (frame << 17) ^ frame) * 0x9e3779b97f4a7c15u) >> 58;
}
_Static_assert(SET_COUNT == 1 << (64 - 58), "set_of gives 6 bits");

static struct entry *entry_at(struct syn_stack_cache *cache, size_t set, size_t way)
{
    return (struct entry *)(cache->entries + (set * WAY_COUNT + way) * cache->entry_bytes);
}

static bool holds(const struct entry *entry)
{
    for (uint32_t i = 0; i < entry->check_count; i++)
        if (*entry->checks[i].where != entry->checks[i].value)
            return false;
    return true;
}

/* ---- together ---- */

static void learn(struct syn_stack_cache *cache, size_t set, uintptr_t frame, uintptr_t caller,
                  const struct syn_walk *walk, uint32_t stack)
{
    struct entry *entry = entry_at(cache, set, cache->sets[set].next_way);
    cache->sets[set].next_way = (uint8_t)((cache->sets[set].next_way + 1) % WAY_COUNT);
    entry->caller = caller;
    entry->frame = frame;
    entry->stack = stack;
    entry->check_count = (uint32_t)walk->check_count;
    memcpy(entry->checks, walk->checks, walk->check_count * sizeof *walk->checks);
}

static struct syn_walk_start start_of(const struct syn_stack_cache *cache, uintptr_t frame,
                                      uintptr_t caller)
{
    return (struct syn_walk_start){.frame = frame,
                                   .caller = caller,
                                   .stack_low = cache->stack_low,
                                   .stack_high = cache->stack_high,
                                   .depth = (size_t)cache->depth};
}

static uint32_t walk_and_number(struct syn_stack_cache *cache, size_t set, uintptr_t frame,
                                uintptr_t caller)
{
    struct syn_walk walk;
    const struct syn_walk_start start = start_of(cache, frame, caller);
    if (!syn_walk_allowed())
        return number(&caller, 1);
    if (syn_on_stack(&start, frame) && cache->sets[set].learned_count < LEARN_MAX) {
        cache->sets[set].learned_count++;
        syn_walk_verified(&start, &walk);
        if (walk.verifiable) {
            const uint32_t stack = number(walk.addresses, walk.depth);
            learn(cache, set, frame, caller, &walk, stack);
            __atomic_fetch_add(&counts.learned_count, 1, __ATOMIC_RELAXED);
            return stack;
        }
    }
    syn_walk_quickly(&start, &walk);
    __atomic_fetch_add(&counts.walked_count, 1, __ATOMIC_RELAXED);
    return number(walk.addresses, walk.depth);
}

/* A walk may ask the kernel whether memory is there: a thread must not be cancelled in that. */
static __attribute__((noinline)) uint32_t stack_unknown(struct syn_stack_cache *cache, size_t set,
                                                        uintptr_t frame, uintptr_t caller)
{
    const int cancel_state = syn_cancel_hold();
    const uint32_t stack = walk_and_number(cache, set, frame, caller);
    syn_cancel_restore(cancel_state);
    return stack;
}

uint32_t syn_stack_index(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    const size_t set = set_of(frame, caller);
    if (frame >= cache->stack_low && frame < cache->stack_high) {
        for (size_t way = 0; way < WAY_COUNT; way++) {
            const struct entry *entry = entry_at(cache, set, way);
            if (entry->caller == caller && entry->frame == frame && holds(entry))
                return entry->stack;
        }
    }
    return stack_unknown(cache, set, frame, caller);
}

bool syn_stack_rehearse(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    struct syn_walk walk;
    const struct syn_walk_start start = start_of(cache, frame, caller);
    if (!syn_on_stack(&start, frame) || !syn_walk_allowed())
        return false;
    syn_walk_verified(&start, &walk);
    if (walk.verifiable)
        learn(cache, set_of(frame, caller), frame, caller, &walk, SYN_NO_STACK);
    return walk.verifiable;
}
