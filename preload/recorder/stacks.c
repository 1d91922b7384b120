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
#include "sync/base/hash.h"

/* Slots for as many stacks as a large program has, eight to a cache line. */
#define SET_BITS  12
#define WAY_COUNT 8
/* Entries lie behind one another in chunks, which are there when they are needed. */
#define UNIT_BYTES  ((size_t)64)
#define CHUNK_UNITS ((size_t)1024)
#define CHUNK_COUNT ((size_t)256)
/* Who has learned this often without an end is thrashing: learning costs ten walks, so from then on
 * it only walks, and begins anew after so many walks more. */
#define LEARN_MAX       65536
#define WALKS_PER_LEARN 16

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

void syn_stacks_prepare(void)
{
    if (!syn_lock_take(&lock))
        return;
    make_room();
    if (!modules)
        syn_modules_create(&modules);
    syn_lock_give(&lock);
}

static struct syn_frame *locate(const uintptr_t *addresses, size_t depth)
{
    if (!modules && syn_modules_create(&modules))
        return NULL;
    struct syn_frame *frames = malloc(depth * sizeof *frames);
    if (frames)
        syn_modules_locate_all(modules, addresses, depth, frames);
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
    const uint64_t hash = syn_hash64(addresses, depth * sizeof *addresses);
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

/* A leaf is a stack. Where two stacks have the same site, a branch is in its place: it names the
 * word on the stack by which they differ, and each of them is found by the value of that. */
struct entry {
    uintptr_t caller;
    uintptr_t frame;
    uint64_t path;           /* a hash of both, and of the values at the branches before it */
    const uintptr_t *branch; /* NULL: a leaf */
    uint32_t stack;
    uint32_t check_count;
    struct syn_walk_check checks[]; /* [check_count] */
};

struct slot {
    uint32_t tag; /* low bits of the path */
    uint32_t at;  /* the entry's unit; 0: free */
};

struct syn_stack_cache {
    /* The thread's stack. Outside of it (a coroutine, a signal's stack) the cache is not used:
     * memory that was checked once may be gone. */
    uintptr_t stack_low, stack_high;
    int depth;
    uint32_t used_units; /* the first one is not used */
    uint32_t learned_count, walked_count;
    uint32_t next_way; /* to be replaced where all are used */
    unsigned char *chunks[CHUNK_COUNT];
    struct syn_walk walks[2]; /* the last one that was verified, and room for the next */
    int last_walk;
    struct slot slots[1 << SET_BITS][WAY_COUNT] __attribute__((aligned(64)));
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

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int syn_stack_cache_new(int depth, struct syn_stack_cache **out)
{
    struct syn_stack_cache *cache = map(sizeof *cache);
    if (!cache)
        return SYN_ENOMEM;
    cache->depth = depth;
    cache->used_units = 1;
    find_stack(cache);
    syn_walk_begin();
    *out = cache;
    return SYN_OK;
}

static inline uint64_t path_of(uintptr_t frame, uintptr_t caller)
{
    return syn_hash_add(syn_hash_add(0, frame), caller);
}

static inline struct slot *set_of(struct syn_stack_cache *cache, uint64_t path)
{
    return cache->slots[path >> (64 - SET_BITS)];
}

static inline struct entry *entry_at(const struct syn_stack_cache *cache, uint32_t at)
{
    return (struct entry *)(cache->chunks[at / CHUNK_UNITS] + at % CHUNK_UNITS * UNIT_BYTES);
}

static inline struct slot *find_slot(struct syn_stack_cache *cache, uint64_t path, uintptr_t frame,
                                     uintptr_t caller)
{
    struct slot *set = set_of(cache, path);
    for (size_t way = 0; way < WAY_COUNT; way++) {
        if (set[way].tag != (uint32_t)path || set[way].at == 0)
            continue;
        const struct entry *entry = entry_at(cache, set[way].at);
        if (entry->path == path && entry->caller == caller && entry->frame == frame)
            return &set[way];
    }
    return NULL;
}

/* A word of the thread's own stack, above the frame: it is there, but of another stack than the one
 * that named it anything may lie in it, also what a sanitizer lets nobody read. */
#ifdef __SANITIZE_ADDRESS__
__attribute__((no_sanitize_address, noinline))
#else
inline
#endif
static uintptr_t
word_at(const uintptr_t *where)
{
    return *where;
}

/* The first check that does not hold; check_count where all do. */
static inline uint32_t first_broken(const struct entry *entry)
{
    uint32_t i = 0;
    while (i < entry->check_count && word_at(entry->checks[i].where) == entry->checks[i].value)
        i++;
    return i;
}

/* The leaf that the branches lead to, if there is one; its slot, and into *path where it is or
 * would be. The words that branches name lie above the frame, on the thread's own stack. */
static inline struct slot *descend(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller,
                                   uint64_t *path)
{
    *path = path_of(frame, caller);
    for (;;) {
        struct slot *slot = find_slot(cache, *path, frame, caller);
        const uintptr_t *branch = slot ? entry_at(cache, slot->at)->branch : NULL;
        if (!branch)
            return slot;
        *path = syn_hash_add(*path, word_at(branch));
    }
}

/* ---- learning ---- */

static void forget_all(struct syn_stack_cache *cache)
{
    memset(cache->slots, 0, sizeof cache->slots);
    cache->used_units = 1;
}

/* Room for an entry, which does not go over the end of a chunk. NULL without memory, or where all
 * is used. */
static struct entry *new_entry(struct syn_stack_cache *cache, size_t check_count, uint32_t *at)
{
    const size_t bytes = sizeof(struct entry) + check_count * sizeof(struct syn_walk_check);
    const size_t units = (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
    size_t first = cache->used_units;
    if (first / CHUNK_UNITS != (first + units - 1) / CHUNK_UNITS)
        first = (first / CHUNK_UNITS + 1) * CHUNK_UNITS;
    const size_t chunk = first / CHUNK_UNITS;
    if (units > CHUNK_UNITS || chunk >= CHUNK_COUNT)
        return NULL;
    if (!cache->chunks[chunk])
        cache->chunks[chunk] = map(CHUNK_UNITS * UNIT_BYTES);
    if (!cache->chunks[chunk])
        return NULL;
    cache->used_units = (uint32_t)(first + units);
    *at = (uint32_t)first;
    return entry_at(cache, *at);
}

static void insert(struct syn_stack_cache *cache, uint64_t path, uint32_t at)
{
    struct slot *set = set_of(cache, path);
    size_t way = 0;
    while (way < WAY_COUNT && set[way].at != 0)
        way++;
    if (way == WAY_COUNT)
        way = cache->next_way++ % WAY_COUNT;
    entry_at(cache, at)->path = path;
    set[way] = (struct slot){(uint32_t)path, at};
}

/* The leaf in `slot` is another stack of the same site: a branch where they differ takes its place.
 * Returns where the new one is to be. */
static uint64_t split(struct syn_stack_cache *cache, struct slot *slot, uint64_t path)
{
    uint32_t at;
    const uint32_t old_at = slot->at;
    struct entry *old = entry_at(cache, old_at);
    const struct syn_walk_check *differs = &old->checks[first_broken(old)];
    struct entry *branch = new_entry(cache, 0, &at);
    if (!branch)
        return path;
    *branch = (struct entry){
        .caller = old->caller, .frame = old->frame, .path = path, .branch = differs->where};
    slot->at = at;
    insert(cache, syn_hash_add(path, differs->value), old_at);
    return syn_hash_add(path, word_at(differs->where));
}

static void learn(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller,
                  const struct syn_walk *walk, uint32_t stack)
{
    uint32_t at;
    uint64_t path;
    struct slot *slot = descend(cache, frame, caller, &path);
    struct entry *entry = new_entry(cache, walk->check_count, &at);
    if (!entry) {
        forget_all(cache);
        return;
    }
    *entry = (struct entry){.caller = caller,
                            .frame = frame,
                            .stack = stack,
                            .check_count = (uint32_t)walk->check_count};
    memcpy(entry->checks, walk->checks, walk->check_count * sizeof *walk->checks);
    if (slot && first_broken(entry_at(cache, slot->at)) < entry_at(cache, slot->at)->check_count)
        path = split(cache, slot, path);
    else if (slot)
        slot->at = 0;
    insert(cache, path, at);
}

/* ---- together ---- */

static struct syn_walk_start start_of(const struct syn_stack_cache *cache, uintptr_t frame,
                                      uintptr_t caller)
{
    return (struct syn_walk_start){.frame = frame,
                                   .caller = caller,
                                   .stack_low = cache->stack_low,
                                   .stack_high = cache->stack_high,
                                   .depth = (size_t)cache->depth};
}

/* Who thrashes only walks for a while. */
static bool may_learn(struct syn_stack_cache *cache)
{
    if (cache->learned_count < LEARN_MAX)
        return true;
    if (cache->walked_count < LEARN_MAX * WALKS_PER_LEARN)
        return false;
    cache->learned_count = cache->walked_count = 0;
    return true;
}

/* NULL where it cannot be verified. */
static const struct syn_walk *walk_verified(struct syn_stack_cache *cache,
                                            const struct syn_walk_start *start)
{
    const int next = !cache->last_walk;
    struct syn_walk *walk = &cache->walks[next];
    syn_walk_verified(start, &cache->walks[cache->last_walk], walk);
    if (!walk->verifiable)
        return NULL;
    cache->last_walk = next;
    return walk;
}

static uint32_t walk_and_learn(struct syn_stack_cache *cache, const struct syn_walk_start *start)
{
    cache->learned_count++;
    const struct syn_walk *walk = walk_verified(cache, start);
    if (!walk)
        return SYN_NO_STACK;
    const uint32_t stack = number(walk->addresses, walk->depth);
    learn(cache, start->frame, start->caller, walk, stack);
    __atomic_fetch_add(&counts.learned_count, 1, __ATOMIC_RELAXED);
    return stack;
}

static uint32_t walk_and_number(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    struct syn_walk walk;
    const struct syn_walk_start start = start_of(cache, frame, caller);
    if (!syn_walk_allowed())
        return number(&caller, 1);
    if (syn_on_stack(&start, frame) && may_learn(cache)) {
        const uint32_t stack = walk_and_learn(cache, &start);
        if (stack != SYN_NO_STACK)
            return stack;
    }
    syn_walk_quickly(&start, &walk);
    cache->walked_count++;
    __atomic_fetch_add(&counts.walked_count, 1, __ATOMIC_RELAXED);
    return number(walk.addresses, walk.depth);
}

/* A walk may ask the kernel whether memory is there: a thread must not be cancelled in that. */
static __attribute__((noinline)) uint32_t stack_unknown(struct syn_stack_cache *cache,
                                                        uintptr_t frame, uintptr_t caller)
{
    const int cancel_state = syn_cancel_hold();
    const uint32_t stack = walk_and_number(cache, frame, caller);
    syn_cancel_restore(cancel_state);
    return stack;
}

uint32_t syn_stack_index(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    if (frame >= cache->stack_low && frame < cache->stack_high) {
        uint64_t path;
        const struct slot *slot = descend(cache, frame, caller, &path);
        const struct entry *entry = slot ? entry_at(cache, slot->at) : NULL;
        if (entry && first_broken(entry) == entry->check_count)
            return entry->stack;
    }
    return stack_unknown(cache, frame, caller);
}

bool syn_stack_rehearse(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    const struct syn_walk_start start = start_of(cache, frame, caller);
    if (!syn_on_stack(&start, frame) || !syn_walk_allowed())
        return false;
    const struct syn_walk *walk = walk_verified(cache, &start);
    if (walk)
        learn(cache, frame, caller, walk, SYN_NO_STACK);
    return walk != NULL;
}
