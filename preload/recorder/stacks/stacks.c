/* preload/recorder/stacks/stacks.c - see stacks.h. */
#include "preload/recorder/stacks/stacks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/base/lock.h"
#include "preload/base/options.h"
#include "preload/facts/modules.h"
#include "preload/recorder/stacks/walk.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "sync/time/cpu.h"

/* A table of slots for the stacks of a small program; once half of it is used a
 * larger one takes its place, for those of a large one. */
#define LEVEL_COUNT 4
static const unsigned level_bits[LEVEL_COUNT] = {9, 12, 15, 17};
/* Slots that are looked at for one key. */
#define PROBE_COUNT 16
/* Lists of checks that stacks share, of all of them together; each begins a cache line. */
#define LINE_BYTES      ((size_t)64)
#define LISTS_BYTES     ((size_t)64 << 10)
#define LISTS_BYTES_MAX ((size_t)16 << 20)
#define HEAD_COUNT      4096
/* A cache that learned LEARN_MAX stacks is thrashing, as learning costs ten walks. From then on it
 * only walks. It learns again after LEARN_MAX * WALKS_PER_LEARN walks. */
#define LEARN_MAX       65536
#define WALKS_PER_LEARN 16
/* Largest number of our own frames between the program's MPI_Init and the begin of the run; there
 * are fewer. */
#define OWN_FRAMES_MAX 16
/* Memory for stacks is taken in pieces: each holds a hundred short ones. */
#define PIECE_BYTES ((size_t)16 << 10)

/* ---- numbering: one table for the process, read without a lock ---- */

struct stack {
    uint64_t hash;
    struct syn_stack_record record;
    uintptr_t addresses[]; /* [record.depth], innermost first; behind them the record's frames */
};

struct table {
    struct table *smaller; /* the one that it replaced: kept, and never lost sight of */
    size_t mask;
    struct stack *slots[]; /* [mask + 1], open addressing; NULL free */
};

static struct {
    struct syn_lock lock;    /* of whoever adds one */
    struct table *table;     /* read without it */
    struct stack **by_index; /* [count], under the lock */
    size_t capacity, count;  /* the latter read without it */
    struct syn_modules *modules;
    unsigned char *piece; /* of memory for stacks, and what is left of it */
    size_t piece_left;
    struct syn_stack_counts counts; /* of all caches */
} numbered SYN_NEAR = {.lock = SYN_LOCK_INITIALIZER};
void (*syn_stack_added)(void);

static SYN_HOT struct stack *find(const struct table *in, uint64_t hash, const uintptr_t *addresses,
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

static void put_stack(struct table *into, struct stack *stack)
{
    size_t i = stack->hash & into->mask;
    while (into->slots[i])
        i = (i + 1) & into->mask;
    __atomic_store_n(&into->slots[i], stack, __ATOMIC_RELEASE);
}

/* Room for one more. A table that was replaced is kept, for a thread may still
 * be reading it; they sum to the size of the present one. */
static SYN_HOT bool make_room(void)
{
    if (numbered.count == numbered.capacity) {
        const size_t room = numbered.capacity ? numbered.capacity * 2 : 256;
        struct stack **grown = realloc(numbered.by_index, room * sizeof *numbered.by_index);
        if (!grown)
            return false;
        numbered.by_index = grown;
        numbered.capacity = room;
    }
    if (numbered.table && numbered.count * 2 <= numbered.table->mask)
        return true;
    const size_t slots = numbered.table ? (numbered.table->mask + 1) * 2 : 512;
    struct table *grown = calloc(1, sizeof *grown + slots * sizeof *grown->slots);
    if (!grown)
        return false;
    grown->smaller = numbered.table;
    grown->mask = slots - 1;
    for (size_t i = 0; i < numbered.count; i++)
        put_stack(grown, numbered.by_index[i]);
    __atomic_store_n(&numbered.table, grown, __ATOMIC_RELEASE);
    return true;
}

static bool has_modules(void)
{
    return numbered.modules || syn_modules_create(&numbered.modules) == SYN_OK;
}

static SYN_HOT size_t bytes_of_stack(size_t depth)
{
    return sizeof(struct stack) + depth * (sizeof(uintptr_t) + sizeof(struct syn_frame));
}

/* Memory for stacks, which is never given back: one lies behind the other, and no allocator is
 * asked, which has far more to look at. */
static bool has_piece(size_t depth)
{
    if (numbered.piece_left >= bytes_of_stack(depth))
        return true;
    unsigned char *const piece = malloc(PIECE_BYTES);
    if (!piece)
        return false;
    numbered.piece = piece;
    numbered.piece_left = PIECE_BYTES;
    return true;
}

static struct stack *take_piece(size_t depth)
{
    struct stack *stack = (struct stack *)(void *)numbered.piece;
    numbered.piece += bytes_of_stack(depth);
    numbered.piece_left -= bytes_of_stack(depth);
    return stack;
}

/* For one more. */
static SYN_HOT bool is_ready(size_t depth)
{
    return make_room() && has_piece(depth) && has_modules();
}

static void prepare(void)
{
    if (!syn_lock_take(&numbered.lock))
        return;
    if (is_ready(SYN_STACK_DEPTH_MAX))
        memset(numbered.piece, 0, numbered.piece_left); /* no page of it is new any more */
    syn_lock_give(&numbered.lock);
}

/* As a stack would be that gets a number: who has learned where its frames lie finds them soon. */
static void locate_only(const struct syn_walk *walk)
{
    struct syn_frame frames[SYN_STACK_DEPTH_MAX];
    if (!syn_lock_take(&numbered.lock))
        return;
    if (has_modules())
        syn_modules_locate(numbered.modules, walk->addresses, walk->depth, frames);
    syn_lock_give(&numbered.lock);
}

static SYN_HOT struct stack *add_stack(uint64_t hash, const uintptr_t *addresses, size_t depth)
{
    if (!is_ready(depth))
        return NULL;
    struct stack *stack = take_piece(depth);
    struct syn_frame *frames = (struct syn_frame *)(void *)(stack->addresses + depth);
    syn_modules_locate(numbered.modules, addresses, depth, frames);
    stack->hash = hash;
    stack->record = (struct syn_stack_record){
        .index = (uint32_t)numbered.count, .depth = (uint32_t)depth, .frames = frames};
    memcpy(stack->addresses, addresses, depth * sizeof *addresses);
    numbered.by_index[numbered.count] = stack;
    __atomic_store_n(&numbered.count, numbered.count + 1, __ATOMIC_RELEASE);
    put_stack(numbered.table, stack);
    return stack;
}

static SYN_HOT uint32_t number(const uintptr_t *addresses, size_t depth)
{
    const uint64_t hash = syn_hash64(addresses, depth * sizeof *addresses);
    const struct table *seen = __atomic_load_n(&numbered.table, __ATOMIC_ACQUIRE);
    struct stack *stack = seen ? find(seen, hash, addresses, depth) : NULL;
    if (!stack && syn_lock_take(&numbered.lock)) {
        stack = numbered.table ? find(numbered.table, hash, addresses, depth) : NULL;
        if (!stack)
            stack = add_stack(hash, addresses, depth);
        syn_lock_give(&numbered.lock);
        if (stack && syn_stack_added)
            syn_stack_added();
    }
    return stack ? stack->record.index : SYN_NO_STACK;
}

SYN_HOT size_t syn_stack_count(void)
{
    return __atomic_load_n(&numbered.count, __ATOMIC_ACQUIRE);
}

SYN_HOT const struct syn_stack_record *syn_stack_at(uint32_t index)
{
    if (!syn_lock_take(&numbered.lock))
        return NULL;
    const struct syn_stack_record *record =
        index < numbered.count ? &numbered.by_index[index]->record : NULL;
    syn_lock_give(&numbered.lock);
    return record;
}

SYN_HOT const struct syn_module_record *syn_stack_module_at(size_t index)
{
    return numbered.modules ? syn_modules_at(numbered.modules, index) : NULL;
}

void syn_stack_counts(struct syn_stack_counts *out)
{
    out->learned_count = __atomic_load_n(&numbered.counts.learned_count, __ATOMIC_RELAXED);
    out->walked_count = __atomic_load_n(&numbered.counts.walked_count, __ATOMIC_RELAXED);
}

/* ---- the cache: one for each thread ---- */

/* Checks that some stacks have in common, kept once. Lists are known by where they begin, in bytes
 * from the first. */
struct list {
    uint64_t hash;
    uint32_t next;  /* of those with a like hash; 0: none */
    uint32_t count; /* of the checks, */
    uint32_t bytes; /*   and how long they are with one more that always holds where they are odd:
                         they are compared two by two */
    uint32_t unused;
    struct syn_walk_check check[];
};

/* The first two are of no checks: that of who has none, and that of a branch. */
#define NO_LIST     0
#define BRANCH_LIST ((uint32_t)LINE_BYTES)
#define FIRST_LIST  (2 * LINE_BYTES)

/* RATIONALE: a large program's stacks do not stay in the nearest caches. Two slots are a cache
 * line, which is all that a lookup reads that another one has not read just before, and which was
 * asked for when the call began.
 *
 * A leaf is a stack. Where two stacks have the same site, a branch is in its place: it names the
 * word on the stack by which they differ, and each of them is found by the value of that: the path
 * is a hash of the frame and the caller, and of the values at the branches. Of the path a slot has
 * a part only. Who comes to a leaf by a wrong one finds that its checks do not hold. */
struct slot {
    uintptr_t caller;
    uintptr_t value;   /* of a leaf's own check; of a branch: where the word is */
    uint32_t distance; /* of the frame from the stack's end; 0: free */
    uint32_t stack;    /* of a leaf */
    uint32_t rest;     /* the list of the other checks */
    uint16_t tag;      /* of the path */
    uint16_t at;       /* where the own check is: so many words above the frame */
};
_Static_assert(2 * sizeof(struct slot) == 64, "two are a cache line");

struct key {
    uint64_t path;
    uintptr_t caller;
    uintptr_t distance; /* out of the cache's reach: that of no slot */
};

/* A check that always holds. */
static const uintptr_t zero;
#define NO_CHECK                    \
    (struct syn_walk_check)         \
    {                               \
        .where = &zero, .value = 0, \
    }

/* Open addressing; a search begins with the first slot of a cache line. */
struct level {
    struct slot *slots;
    unsigned shift;
    size_t mask;
    size_t used_count;
};

/* A search begins at a cache line of `slots`, chosen by the upper bits of a path. */
struct home {
    const unsigned char *slots;
    unsigned char *lists;
    uintptr_t end; /* of the thread's stack */
    unsigned shift;
};

struct syn_stack_cache {
    struct home home; /* of the newest table */
    /* The thread's stack. Outside of it (a coroutine, a signal's stack) the cache
     * is not used: memory that was checked once may be gone. */
    uintptr_t stack_low, stack_high;
    uintptr_t reach; /* how far from the stack's end a frame may be */
    /* The newest first; what is in others only comes over when it is found there.
     */
    struct level levels[LEVEL_COUNT];
    int level_count;
    int depth;
    size_t lists_bytes, lists_used;
    uint32_t learned_count, walked_count;
    uint32_t next_victim; /* to be replaced where all are used */
    int last_walk;
    struct syn_walk walks[2];   /* the last one that was verified, and room for the next */
    uint32_t heads[HEAD_COUNT]; /* of the lists, by hash */
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
        cache->reach = syn_least(bytes, UINT32_MAX);
    }
    pthread_attr_destroy(&attributes);
}

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Returns false without memory, or where there is none larger. */
static bool add_level(struct syn_stack_cache *cache)
{
    if (cache->level_count == LEVEL_COUNT)
        return false;
    const unsigned bits = level_bits[cache->level_count];
    const size_t count = (size_t)1 << bits;
    struct slot *slots = map(count * sizeof *slots);
    if (!slots)
        return false;
    for (int i = cache->level_count++; i > 0; i--)
        cache->levels[i] = cache->levels[i - 1];
    cache->levels[0] = (struct level){.slots = slots, .shift = 65 - bits, .mask = count - 1};
    cache->home.slots = (const unsigned char *)slots;
    cache->home.shift = 65 - bits;
    return true;
}

int syn_stack_cache_new(int depth, struct syn_stack_cache **out)
{
    struct syn_stack_cache *cache = map(sizeof *cache);
    if (!cache)
        return SYN_ENOMEM;
    cache->home.lists = map(LISTS_BYTES);
    cache->lists_bytes = LISTS_BYTES;
    cache->lists_used = FIRST_LIST;
    if (!cache->home.lists || !add_level(cache)) {
        if (cache->home.lists)
            munmap(cache->home.lists, LISTS_BYTES);
        munmap(cache, sizeof *cache);
        return SYN_ENOMEM;
    }
    cache->depth = depth;
    find_stack(cache);
    cache->home.end = cache->stack_high;
    syn_walk_begin();
    *out = cache;
    return SYN_OK;
}

size_t syn_stack_cache_bytes(const struct syn_stack_cache *cache)
{
    size_t bytes = sizeof *cache + cache->lists_bytes;
    for (int i = 0; i < cache->level_count; i++)
        bytes += (cache->levels[i].mask + 1) * sizeof *cache->levels[i].slots;
    return bytes;
}

void syn_stack_cache_free(struct syn_stack_cache *cache)
{
    for (int i = 0; i < cache->level_count; i++)
        munmap(cache->levels[i].slots, (cache->levels[i].mask + 1) * sizeof(struct slot));
    munmap(cache->home.lists, cache->lists_bytes);
    munmap(cache, sizeof *cache);
}

static inline struct slot *slot_at(const struct level *level, uint64_t path, size_t probe)
{
    return &level->slots[((path >> level->shift) * 2 + probe) & level->mask];
}

static inline bool has_key(const struct slot *slot, const struct key *key)
{
    return slot->caller == key->caller && slot->distance == key->distance &&
           slot->tag == (uint16_t)key->path;
}

static inline struct slot *find_in(const struct level *level, const struct key *key)
{
    for (size_t i = 0; i < PROBE_COUNT; i++) {
        struct slot *slot = slot_at(level, key->path, i);
        if (has_key(slot, key))
            return slot;
        if (slot->distance == 0)
            return NULL;
    }
    return NULL;
}

/* A word of the thread's own stack, above the frame: it is there, but of
 * another stack than the one that named it anything may lie in it, also what a
 * sanitizer lets nobody read. */
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

static inline bool does_hold(const struct syn_walk_check *check)
{
    return word_at(check->where) == check->value;
}

static inline bool is_branch(const struct slot *slot)
{
    return slot->rest == BRANCH_LIST;
}

/* Returns the path that leads on from a branch: the word on the stack that the branch names selects
 * it. */
static inline uint64_t path_behind(const struct slot *slot, uint64_t path)
{
    return syn_hash_add(path, word_at((const uintptr_t *)slot->value));
}

static inline const struct list *rest_of(const struct syn_stack_cache *cache,
                                         const struct slot *slot)
{
    return (const struct list *)(const void *)(cache->home.lists + slot->rest);
}

static inline struct syn_walk_check own_check(const struct slot *slot, uintptr_t frame)
{
    return (struct syn_walk_check){.where = (const uintptr_t *)frame + slot->at,
                                   .value = slot->value};
}

/* Returns true if all checks of a leaf hold. */
static inline bool is_here(const struct syn_stack_cache *cache, const struct slot *slot,
                           uintptr_t frame)
{
    const struct syn_walk_check own = own_check(slot, frame);
    const struct list *const rest = rest_of(cache, slot);
    if (!does_hold(&own))
        return false;
    const struct syn_walk_check *check = rest->check;
    const unsigned char *const end = (const unsigned char *)check + rest->bytes;
    for (; (const unsigned char *)check < end; check += 2)
        if (!does_hold(&check[0]) || !does_hold(&check[1]))
            return false;
    return true;
}

/* The first check of a leaf that does not hold; there is one. */
static struct syn_walk_check broken(const struct syn_stack_cache *cache, const struct slot *slot,
                                    uintptr_t frame)
{
    const struct syn_walk_check own = own_check(slot, frame);
    const struct syn_walk_check *check = rest_of(cache, slot)->check;
    if (!does_hold(&own))
        return own;
    while (does_hold(check))
        check++;
    return *check;
}

/* ---- tables ---- */

/* The place of a key in the newest table: where it is, or a free one; NULL where all that are
 * looked at are taken. */
static struct slot *place_for(struct syn_stack_cache *cache, const struct key *key)
{
    struct level *level = &cache->levels[0];
    for (size_t i = 0; i < PROBE_COUNT; i++) {
        struct slot *slot = slot_at(level, key->path, i);
        level->used_count += slot->distance == 0;
        if (slot->distance == 0 || has_key(slot, key))
            return slot;
    }
    return NULL;
}

/* A table is outgrown once half of it is used, or all places of one key are. Only in the largest
 * does a key replace another, which may be a branch: all stacks behind that are walked again. */
static SYN_HOT struct slot *insert(struct syn_stack_cache *cache, const struct key *key,
                                   const struct slot *made)
{
    if (cache->levels[0].used_count * 2 > cache->levels[0].mask)
        add_level(cache);
    struct slot *slot = place_for(cache, key);
    if (!slot && add_level(cache))
        slot = place_for(cache, key);
    if (!slot)
        slot = slot_at(&cache->levels[0], key->path, cache->next_victim++ % PROBE_COUNT);
    *slot = *made;
    slot->caller = key->caller;
    slot->distance = (uint32_t)key->distance;
    slot->tag = (uint16_t)key->path;
    return slot;
}

/* From a table that was outgrown. */
static struct slot *find_older(struct syn_stack_cache *cache, const struct key *key)
{
    for (int i = 1; i < cache->level_count; i++) {
        const struct slot *slot = find_in(&cache->levels[i], key);
        if (slot)
            return insert(cache, key, slot);
    }
    return NULL;
}

static inline struct key key_of(const struct syn_stack_cache *cache, uintptr_t frame,
                                uintptr_t caller)
{
    const uintptr_t distance = cache->home.end - frame;
    /* One multiplication: the distance is put where addresses have little to tell. */
    return (struct key){.path = syn_hash_add((uint64_t)distance << 40, caller),
                        .caller = caller,
                        .distance = distance};
}

/* The leaf that the branches lead to, if there is one; its slot, and into key->path where it is or
 * would be. The words that branches name lie above the frame, on the thread's own stack. */
static SYN_HOT struct slot *descend(struct syn_stack_cache *cache, struct key *key)
{
    for (;;) {
        struct slot *slot = find_in(&cache->levels[0], key);
        if (!slot)
            slot = find_older(cache, key);
        if (!slot || !is_branch(slot))
            return slot;
        key->path = path_behind(slot, key->path);
    }
}

static void forget_all(struct syn_stack_cache *cache)
{
    for (int i = 0; i < cache->level_count; i++) {
        struct level *level = &cache->levels[i];
        madvise(level->slots, (level->mask + 1) * sizeof *level->slots, MADV_DONTNEED);
        level->used_count = 0;
    }
    memset(cache->heads, 0, sizeof cache->heads);
    cache->lists_used = FIRST_LIST;
}

void syn_stack_cache_take_over(struct syn_stack_cache *cache)
{
    const uintptr_t low = cache->stack_low, high = cache->stack_high;
    cache->stack_low = cache->stack_high = cache->reach = 0;
    find_stack(cache);
    cache->home.end = cache->stack_high;
    if (cache->stack_low == low && cache->stack_high == high)
        return;
    forget_all(cache);
    memset(cache->walks, 0, sizeof cache->walks);
}

/* ---- lists ---- */

static bool grow_lists(struct syn_stack_cache *cache)
{
    const size_t bytes = cache->lists_bytes * 2;
    if (bytes > LISTS_BYTES_MAX)
        return false;
    void *grown = mremap(cache->home.lists, cache->lists_bytes, bytes, MREMAP_MAYMOVE);
    if (grown == MAP_FAILED)
        return false;
    cache->home.lists = grown;
    cache->lists_bytes = bytes;
    return true;
}

static struct list *list_at(const struct syn_stack_cache *cache, size_t at)
{
    return (struct list *)(void *)(cache->home.lists + at);
}

/* Returns the begin of a new list in cache->home.lists; NO_LIST if memory is short or all is
 * used. */
static uint32_t new_list(struct syn_stack_cache *cache, size_t check_count)
{
    const size_t bytes = sizeof(struct list) + (check_count + 1) * sizeof(struct syn_walk_check);
    const size_t at = cache->lists_used;
    const size_t end = at + (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (end > cache->lists_bytes && !grow_lists(cache))
        return NO_LIST;
    cache->lists_used = end;
    return (uint32_t)at;
}

static bool is_list(const struct list *list, uint64_t hash, const struct syn_walk_check *check,
                    size_t count)
{
    return list->hash == hash && list->count == count &&
           memcmp(list->check, check, count * sizeof *check) == 0;
}

/* The list of these checks, which is kept once. NO_LIST without memory. */
static SYN_HOT uint32_t keep_list(struct syn_stack_cache *cache, const struct syn_walk_check *check,
                                  size_t count)
{
    const uint64_t hash = syn_hash64(check, count * sizeof *check);
    uint32_t *head = &cache->heads[hash % HEAD_COUNT];
    for (uint32_t at = *head; at != NO_LIST; at = list_at(cache, at)->next)
        if (is_list(list_at(cache, at), hash, check, count))
            return at;
    const uint32_t at = new_list(cache, count);
    if (at == NO_LIST)
        return NO_LIST;
    struct list *list = list_at(cache, at);
    list->hash = hash;
    list->next = *head;
    list->count = (uint32_t)count;
    list->bytes = (uint32_t)((count + 1) / 2 * 2 * sizeof *check);
    memcpy(list->check, check, count * sizeof *check);
    list->check[count] = NO_CHECK;
    *head = at;
    return at;
}

/* ---- learning ---- */

/* The slot's own check: the first, if it lies near enough to the frame. Who needs none, or another
 * one, has that of the return address, which is part of the key: the word above the frame. Returns
 * how many of the walk's it is. */
static size_t take_own_check(const struct syn_walk *walk, uintptr_t frame, struct slot *made)
{
    const uintptr_t *const words = (const uintptr_t *)frame;
    const uintptr_t bytes = walk->check_count > 0 ? (uintptr_t)walk->checks[0].where - frame : 0;
    const bool is_near = walk->check_count > 0 && bytes / sizeof *words <= UINT16_MAX;
    made->at = is_near ? (uint16_t)(bytes / sizeof *words) : 1;
    made->value = is_near ? walk->checks[0].value : word_at(words + 1);
    return is_near;
}

/* Returns false without memory. */
static bool take_checks(struct syn_stack_cache *cache, const struct syn_walk *walk, uintptr_t frame,
                        struct slot *made)
{
    const size_t own = take_own_check(walk, frame, made);
    if (walk->check_count == own)
        return true;
    made->rest = keep_list(cache, walk->checks + own, walk->check_count - own);
    return made->rest != NO_LIST;
}

/* The leaf in `slot` is another stack of the same site: a branch where they
 * differ takes its place. Into key->path where the new one is to be. */
static SYN_HOT void split(struct syn_stack_cache *cache, struct slot *slot, uintptr_t frame,
                          struct key *key)
{
    const struct slot old = *slot;
    const struct syn_walk_check differs = broken(cache, slot, frame);
    struct key old_key = *key;
    slot->rest = BRANCH_LIST;
    slot->value = (uintptr_t)differs.where;
    old_key.path = syn_hash_add(key->path, differs.value);
    insert(cache, &old_key, &old);
    key->path = syn_hash_add(key->path, word_at(differs.where));
}

static SYN_HOT void learn(struct syn_stack_cache *cache, const struct syn_walk_start *start,
                          const struct syn_walk *walk, uint32_t stack)
{
    struct slot made = {.stack = stack};
    if (!take_checks(cache, walk, start->frame, &made)) {
        forget_all(cache);
        return;
    }
    struct key key = key_of(cache, start->frame, start->caller);
    struct slot *slot = descend(cache, &key);
    if (slot && !is_here(cache, slot, start->frame))
        split(cache, slot, start->frame, &key);
    insert(cache, &key, &made);
}

/* ---- together ---- */

/* May the cache know of it? */
static inline bool is_in_reach(const struct syn_stack_cache *cache, uintptr_t frame)
{
    return cache->home.end - frame - 1 < cache->reach;
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

/* Returns false while a thrashing cache only walks. */
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
    learn(cache, start, walk, stack);
    __atomic_fetch_add(&numbered.counts.learned_count, 1, __ATOMIC_RELAXED);
    return stack;
}

/* By itself, for a walk takes two pages of the program's stack. */
static __attribute__((noinline)) uint32_t walk_only(struct syn_stack_cache *cache,
                                                    const struct syn_walk_start *start)
{
    struct syn_walk walk;
    syn_walk_quickly(start, &walk);
    cache->walked_count++;
    __atomic_fetch_add(&numbered.counts.walked_count, 1, __ATOMIC_RELAXED);
    return number(walk.addresses, walk.depth);
}

static SYN_HOT uint32_t walk_and_number(struct syn_stack_cache *cache, uintptr_t frame,
                                        uintptr_t caller)
{
    const struct syn_walk_start start = start_of(cache, frame, caller);
    if (syn_on_stack(&start, frame) && is_in_reach(cache, frame) && may_learn(cache)) {
        const uint32_t stack = walk_and_learn(cache, &start);
        if (stack != SYN_NO_STACK)
            return stack;
    }
    if (!syn_walk_allowed())
        return number(&caller, 1);
    return walk_only(cache, &start);
}

/* A walk may ask the kernel whether memory is there: a thread must not be
 * cancelled in that. */
static SYN_HOT __attribute__((noinline)) uint32_t stack_unknown(struct syn_stack_cache *cache,
                                                                uintptr_t frame, uintptr_t caller)
{
    const int cancel_state = syn_cancel_hold();
    const uint32_t stack = walk_and_number(cache, frame, caller);
    syn_cancel_restore(cancel_state);
    return stack;
}

/* The longer way: not in the first places of a table, or not known. */
static SYN_HOT __attribute__((noinline)) uint32_t stack_elsewhere(struct syn_stack_cache *cache,
                                                                  uintptr_t frame, uintptr_t caller)
{
    if (is_in_reach(cache, frame)) {
        struct key key = key_of(cache, frame, caller);
        const struct slot *slot = descend(cache, &key);
        if (slot && is_here(cache, slot, frame))
            return slot->stack;
    }
    return stack_unknown(cache, frame, caller);
}

/* As `find_in`, for the first two slots. */
static inline const struct slot *find_first(const struct syn_stack_cache *cache,
                                            const struct key *key)
{
    const struct slot *slot =
        (const void *)(cache->home.slots + (key->path >> cache->home.shift) * 64);
    if (__builtin_expect(has_key(slot, key), 1))
        return slot;
    return has_key(slot + 1, key) ? slot + 1 : NULL;
}

/* As `descend`, where all that it asks for is in the first places: mostly. Calls
 * nothing on this way, so that it needs no registers but those that are free in
 * a function. Of a frame out of reach it finds nothing: no slot is as far from
 * the stack's end. */
SYN_HOT uint32_t syn_stack_index(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    struct key key = key_of(cache, frame, caller);
    const struct slot *slot = find_first(cache, &key);
    while (slot && is_branch(slot)) {
        key.path = path_behind(slot, key.path);
        slot = find_first(cache, &key);
    }
    if (slot && is_here(cache, slot, frame))
        return slot->stack;
    return stack_elsewhere(cache, frame, caller);
}

bool syn_stack_warm_up(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    const struct syn_walk_start start = start_of(cache, frame, caller);
    if (!syn_on_stack(&start, frame) || !is_in_reach(cache, frame))
        return false;
    const struct syn_walk *walk = walk_verified(cache, &start);
    if (!walk)
        return false;
    learn(cache, &start, walk, SYN_NO_STACK);
    locate_only(walk);
    return true;
}

/* So that none of their pages is new. */
static void touch(void *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += syn_page_bytes()) {
        volatile unsigned char *const byte = (unsigned char *)memory + at;
        *byte = *byte;
    }
}

/* A walk that begins here comes through frames of ours first. */
__attribute__((noinline)) void syn_stack_foresee(struct syn_stack_cache *cache)
{
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct syn_walk_start start = start_of(cache, frame, (uintptr_t)__builtin_return_address(0));
    start.depth = syn_least(start.depth + OWN_FRAMES_MAX, SYN_STACK_DEPTH_MAX);
    prepare();
    const struct level *level = &cache->levels[0];
    touch(cache, sizeof *cache);
    touch(level->slots, (level->mask + 1) * sizeof *level->slots);
    touch(cache->home.lists, cache->lists_bytes);
    if (!syn_on_stack(&start, frame))
        return;
    const struct syn_walk *walk = walk_verified(cache, &start);
    if (walk)
        locate_only(walk);
}
