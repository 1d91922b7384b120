/* preload/recorder/stacks/stacks.c - the numbers of call stacks, and each thread's cache
 * (stacks.h).
 *
 *     lookup:  key (wrapper's frame, return address) -> slot in the newest level
 *              branch: a stack word selects the next slot;  leaf: a stack and its checks
 *     miss:    walk the stack, number it, insert a leaf */
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

/* Sizes of a cache's tables, in bits of the slot count. When a table is half full, the next size
 * takes its place. */
#define LEVEL_COUNT 4
static const unsigned level_bits[LEVEL_COUNT] = {9, 12, 15, 17};
/* Slots that are tried for a key. */
#define PROBE_COUNT 16
/* Memory of a cache's check lists. A list begins at a cache line. */
#define LINE_BYTES      ((size_t)64)
#define LISTS_BYTES     ((size_t)64 << 10)
#define LISTS_BYTES_MAX ((size_t)16 << 20)
#define HEAD_COUNT      4096
/* A cache that has learned LEARN_MAX stacks is thrashing: learning costs as much as ten walks. It
 * then only walks, LEARN_MAX * WALKS_PER_LEARN times, before it learns again. */
#define LEARN_MAX       65536
#define WALKS_PER_LEARN 16
/* More than our own frames between the program's MPI_Init and the start of the run. */
#define OWN_FRAMES_MAX 16
/* Stacks are allocated in pieces of this size; one holds about a hundred short stacks. */
#define PIECE_BYTES ((size_t)16 << 10)

/* ---- numbers: one table for the process, read without a lock ---- */

struct stack {
    uint64_t hash;
    struct syn_stack_record record;
    uintptr_t addresses[]; /* [record.depth], innermost first; the record's frames follow */
};

struct table {
    struct table *smaller; /* the table that it replaced, which is kept */
    size_t mask;
    struct stack *slots[]; /* [mask + 1], open addressing; NULL: free */
};

static struct {
    struct syn_lock lock;    /* held while a stack is added */
    struct table *table;     /* read without the lock */
    struct stack **by_index; /* [count]; caller holds the lock */
    size_t capacity, count;  /* count is read without the lock */
    struct syn_modules *modules;
    unsigned char *piece; /* unused rest of the newest piece */
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

/* Makes room for one more stack. RATIONALE: replaced tables are kept, since another thread may be
 * reading them. Together they are as large as the newest. */
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

/* Makes sure that the piece has room for a stack of `depth` frames. Pieces are never freed.
 * RATIONALE: stacks lie side by side, and malloc is rarely called. */
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

/* Prepares all that one more stack needs. */
static SYN_HOT bool is_ready(size_t depth)
{
    return make_room() && has_piece(depth) && has_modules();
}

static void prepare(void)
{
    if (!syn_lock_take(&numbered.lock))
        return;
    if (is_ready(SYN_STACK_DEPTH_MAX))
        memset(numbered.piece, 0, numbered.piece_left); /* touches all its pages */
    syn_lock_give(&numbered.lock);
}

/* Locates a walk's addresses among the loaded objects, as numbering would. RATIONALE: the objects
 * found are remembered, so that later stacks are located quickly. */
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

/* ---- the cache of a thread ---- */

/* List of checks, shared by all stacks that have the same. Lists are identified by their offset in
 * bytes. */
struct list {
    uint64_t hash;
    uint32_t next;  /* in the chain of this hash; 0: end */
    uint32_t count; /* number of checks */
    uint32_t bytes; /* size of the checks; an odd number is filled up by NO_CHECK, as two are
                       compared at a time */
    uint32_t unused;
    struct syn_walk_check check[];
};

/* Two offsets are not lists with checks: of leaves without further checks, and of branches. */
#define NO_LIST     0
#define BRANCH_LIST ((uint32_t)LINE_BYTES)
#define FIRST_LIST  (2 * LINE_BYTES)

/* Slot of the cache: free, a leaf or a branch.
 *
 * A leaf is one stack. If two stacks have the same key, a branch takes the place: it names the
 * stack word in which they differ. The value of that word selects the path to each. A path is a
 * hash of frame, caller and the values at its branches. A slot stores only 16 bits of it: a wrong
 * leaf is noticed because its checks fail.
 *
 * RATIONALE: the stacks of a large program do not stay in the nearest caches. Two slots share a
 * cache line, which is prefetched when the call begins. A lookup touches little else. */
struct slot {
    uintptr_t caller;
    uintptr_t value;   /* leaf: value of its own check; branch: address of its word */
    uint32_t distance; /* of the frame from the stack's end; 0: free slot */
    uint32_t stack;    /* leaf: number of the stack */
    uint32_t rest;     /* leaf: list of its other checks; or BRANCH_LIST */
    uint16_t tag;      /* low bits of the path */
    uint16_t at;       /* place of the own check, in words above the frame */
};
_Static_assert(2 * sizeof(struct slot) == 64, "two are a cache line");

struct key {
    uint64_t path;
    uintptr_t caller;
    uintptr_t distance; /* from the stack's end; if it exceeds the reach, no slot has it */
};

/* A check that always holds. */
static const uintptr_t zero;
#define NO_CHECK                    \
    (struct syn_walk_check)         \
    {                               \
        .where = &zero, .value = 0, \
    }

/* A hash table with open addressing. A search begins at the first slot of a cache line. */
struct level {
    struct slot *slots;
    unsigned shift;
    size_t mask;
    size_t used_count;
};

/* Fields that every lookup reads. Upper bits of a path select the cache line of `slots` where a
 * search begins. */
struct home {
    const unsigned char *slots;
    unsigned char *lists;
    uintptr_t end; /* of the thread's stack */
    unsigned shift;
};

struct syn_stack_cache {
    struct home home; /* of the newest level */
    /* Bounds of the thread's stack. Frames outside of it (coroutines, alternate signal stacks) are
     * not cached: memory named in a check may be gone. */
    uintptr_t stack_low, stack_high;
    uintptr_t reach; /* largest distance of a frame from the stack's end */
    /* Newest (largest) first. An entry of an older level moves to the newest when it is found. */
    struct level levels[LEVEL_COUNT];
    int level_count;
    int depth;
    size_t lists_bytes, lists_used;
    uint32_t learned_count, walked_count;
    uint32_t next_victim; /* slot that is replaced next when all are used */
    int last_walk;
    struct syn_walk walks[2];   /* the last verified walk, and room for the next */
    uint32_t heads[HEAD_COUNT]; /* chains of lists, by hash */
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

/* Returns false without memory, or if the newest level has the largest size. */
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

/* Reads a word of the thread's own stack above the frame. It is mapped, but may belong to another
 * frame than the one that was checked, even one that the address sanitizer guards. */
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

static inline bool holds(const struct syn_walk_check *check)
{
    return word_at(check->where) == check->value;
}

static inline bool is_branch(const struct slot *slot)
{
    return slot->rest == BRANCH_LIST;
}

/* Returns the path behind a branch: the value of the branch's stack word selects it. */
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
static inline bool all_checks_hold(const struct syn_stack_cache *cache, const struct slot *slot,
                                   uintptr_t frame)
{
    const struct syn_walk_check own = own_check(slot, frame);
    const struct list *const rest = rest_of(cache, slot);
    if (!holds(&own))
        return false;
    const struct syn_walk_check *check = rest->check;
    const unsigned char *const end = (const unsigned char *)check + rest->bytes;
    for (; (const unsigned char *)check < end; check += 2)
        if (!holds(&check[0]) || !holds(&check[1]))
            return false;
    return true;
}

/* ---- levels ---- */

/* Returns the key's slot in the newest level, or a free one for it; NULL if all PROBE_COUNT slots
 * are taken. */
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

/* Stores *made under the key. Adds a level if the newest is half full or the key's slots are taken.
 * In the largest level it replaces another entry; if that is a branch, all stacks behind it have to
 * be walked again. */
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

static inline struct key key_of(const struct syn_stack_cache *cache, uintptr_t frame,
                                uintptr_t caller)
{
    const uintptr_t distance = cache->home.end - frame;
    /* RATIONALE: one multiplication only; the distance fills bits in which addresses hardly
     * differ. */
    return (struct key){.path = syn_hash_add((uint64_t)distance << 40, caller),
                        .caller = caller,
                        .distance = distance};
}

/* Follows the branches to a leaf. Returns its slot, or NULL; key->path is where the leaf is or
 * would be. The words that branches name lie above the frame, on the thread's own stack. */
static SYN_HOT struct slot *descend(struct syn_stack_cache *cache, struct key *key)
{
    for (;;) {
        struct slot *slot = find_in(&cache->levels[0], key);
        /* An entry of an older level moves to the newest. */
        for (int i = 1; i < cache->level_count && !slot; i++) {
            const struct slot *older = find_in(&cache->levels[i], key);
            slot = older ? insert(cache, key, older) : NULL;
        }
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

static struct list *list_at(const struct syn_stack_cache *cache, size_t at)
{
    return (struct list *)(void *)(cache->home.lists + at);
}

/* Returns the offset of a new list; NO_LIST if memory is short or all is used. */
static uint32_t new_list(struct syn_stack_cache *cache, size_t check_count)
{
    const size_t bytes = sizeof(struct list) + (check_count + 1) * sizeof(struct syn_walk_check);
    const size_t at = cache->lists_used;
    const size_t end = at + (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (end > cache->lists_bytes) {
        const size_t grown_bytes = cache->lists_bytes * 2;
        void *grown = grown_bytes <= LISTS_BYTES_MAX ? mremap(cache->home.lists, cache->lists_bytes,
                                                              grown_bytes, MREMAP_MAYMOVE)
                                                     : MAP_FAILED;
        if (grown == MAP_FAILED)
            return NO_LIST;
        cache->home.lists = grown;
        cache->lists_bytes = grown_bytes;
    }
    cache->lists_used = end;
    return (uint32_t)at;
}

/* Returns the list of these checks, made if it is new. NO_LIST without memory. */
static SYN_HOT uint32_t keep_list(struct syn_stack_cache *cache, const struct syn_walk_check *check,
                                  size_t count)
{
    const uint64_t hash = syn_hash64(check, count * sizeof *check);
    uint32_t *head = &cache->heads[hash % HEAD_COUNT];
    for (uint32_t at = *head; at != NO_LIST; at = list_at(cache, at)->next) {
        const struct list *list = list_at(cache, at);
        if (list->hash == hash && list->count == count &&
            memcmp(list->check, check, count * sizeof *check) == 0)
            return at;
    }
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

/* Stores the walk's checks in *made. The slot's own check is the walk's first, if it lies near the
 * frame. Otherwise it is a check of the return address above the frame, which always holds since
 * the key has it. Returns false without memory. */
static bool take_checks(struct syn_stack_cache *cache, const struct syn_walk *walk, uintptr_t frame,
                        struct slot *made)
{
    const uintptr_t *const words = (const uintptr_t *)frame;
    const uintptr_t bytes = walk->check_count > 0 ? (uintptr_t)walk->checks[0].where - frame : 0;
    const bool is_near = walk->check_count > 0 && bytes / sizeof *words <= UINT16_MAX;
    made->at = is_near ? (uint16_t)(bytes / sizeof *words) : 1;
    made->value = is_near ? walk->checks[0].value : word_at(words + 1);
    if (walk->check_count == is_near)
        return true;
    made->rest = keep_list(cache, walk->checks + is_near, walk->check_count - is_near);
    return made->rest != NO_LIST;
}

/* The leaf in `slot` is another stack with the same key: replaces it by a branch on the first word
 * that differs. key->path becomes the path of the new stack. */
static SYN_HOT void split(struct syn_stack_cache *cache, struct slot *slot, uintptr_t frame,
                          struct key *key)
{
    const struct slot old = *slot;
    /* Find the first check that does not hold; there must be one. */
    struct syn_walk_check differs = own_check(slot, frame);
    for (const struct syn_walk_check *check = rest_of(cache, slot)->check; holds(&differs); check++)
        differs = *check;
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
    if (slot && !all_checks_hold(cache, slot, start->frame))
        split(cache, slot, start->frame, &key);
    insert(cache, &key, &made);
}

/* ---- lookup, walk and learn ---- */

/* Returns true if the frame lies on the part of the stack that the cache covers. */
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

/* Returns NULL if the walk cannot be verified. */
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

/* RATIONALE: not inlined, since a walk takes two pages of the program's stack. */
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

/* RATIONALE: a walk may ask the kernel whether memory exists, which is a cancellation point. */
static SYN_HOT __attribute__((noinline)) uint32_t stack_by_walk(struct syn_stack_cache *cache,
                                                                uintptr_t frame, uintptr_t caller)
{
    const int cancel_state = syn_cancel_hold();
    const uint32_t stack = walk_and_number(cache, frame, caller);
    syn_cancel_restore(cancel_state);
    return stack;
}

/* Looks the stack up in all slots and levels, then walks. */
static SYN_HOT __attribute__((noinline)) uint32_t
stack_by_full_lookup(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    if (is_in_reach(cache, frame)) {
        struct key key = key_of(cache, frame, caller);
        const struct slot *slot = descend(cache, &key);
        if (slot && all_checks_hold(cache, slot, frame))
            return slot->stack;
    }
    return stack_by_walk(cache, frame, caller);
}

/* Like find_in, for the first two slots only. */
static inline const struct slot *find_first(const struct syn_stack_cache *cache,
                                            const struct key *key)
{
    const struct slot *slot =
        (const void *)(cache->home.slots + (key->path >> cache->home.shift) * 64);
    if (__builtin_expect(has_key(slot, key), 1))
        return slot;
    return has_key(slot + 1, key) ? slot + 1 : NULL;
}

/* Like descend, as long as each key is in the first two slots, which is usual. RATIONALE: this path
 * calls no function, so it needs no saved registers. For a frame out of reach it finds nothing,
 * since no slot has such a distance. */
SYN_HOT uint32_t syn_stack_index(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    struct key key = key_of(cache, frame, caller);
    const struct slot *slot = find_first(cache, &key);
    while (slot && is_branch(slot)) {
        key.path = path_behind(slot, key.path);
        slot = find_first(cache, &key);
    }
    if (slot && all_checks_hold(cache, slot, frame))
        return slot->stack;
    return stack_by_full_lookup(cache, frame, caller);
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

/* Touches the pages, so that later stores meet no new page. */
static void touch(void *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += syn_page_bytes()) {
        volatile unsigned char *const byte = (unsigned char *)memory + at;
        *byte = *byte;
    }
}

/* This walk begins with frames of our own; hence OWN_FRAMES_MAX more. */
__attribute__((noinline)) void syn_stack_prefault(struct syn_stack_cache *cache)
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
