/* preload/recorder/stacks.h - call stacks: walked (walk.h), remembered by a cache that
 * verifies, numbered once each.
 *
 * A walk costs about 100 ns, a hit of the cache a tenth of it. A hit is sound: besides the return
 * address and the stack address of the wrapper's frame (two different ways to it can agree in
 * both), everything that the walk depended on is compared: each frame's return address where it
 * lies on the stack, and each frame pointer that a frame's size was derived from. A stack is thus
 * the same on a hit and on a walk. That is so on x86-64;
 * elsewhere the cache learns nothing, and every call walks. */
#ifndef SYN_STACKS_H
#define SYN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/base/records.h"

struct syn_stack_cache;

/* Where a cache looks first: a cache line of `slots`, by the upper bits of a path. */
struct syn_stack_home {
    const unsigned char *slots;
    unsigned char *lists;
    uintptr_t end; /* of the thread's stack */
    unsigned shift;
};

/* One multiplication: the distance is put where addresses have little to tell. */
static inline uint64_t syn_stack_path(uintptr_t distance, uintptr_t caller)
{
    return syn_hash_add((uint64_t)distance << 40, caller);
}

static inline const void *syn_stack_line(const struct syn_stack_home *home, uint64_t path)
{
    return home->slots + (path >> home->shift) * 64;
}

/* The thread will ask for the stack of this frame and caller once its call has returned: by then
 * the cache line is there, which may come from far in a program of many call sites. Returns the
 * path, by which it asks.
 * RATIONALE: always inlined, for gcc takes a function of a prefetch alone for one that does
 * nothing, and leaves its call out. */
static inline __attribute__((always_inline)) uint64_t
syn_stack_expect(const struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    const struct syn_stack_home *home = (const struct syn_stack_home *)(const void *)cache;
    const uint64_t path = syn_stack_path(home->end - frame, caller);
    __builtin_prefetch(syn_stack_line(home, path));
    return path;
}

/* The calling thread's cache for stacks of `depth` frames; of a few pages, mapped. 0 or SYN_ENOMEM.
 */
int syn_stack_cache_new(int depth, struct syn_stack_cache **out);
/* The calling thread takes the cache of one that has ended: what was learned stays if its stack is
 * where the other's was. */
void syn_stack_cache_take_over(struct syn_stack_cache *cache);
/* How much is mapped for it. */
size_t syn_stack_cache_bytes(const struct syn_stack_cache *cache);
void syn_stack_cache_free(struct syn_stack_cache *cache);

/* The index of the stack that called the function whose frame address is `frame`
 * (__builtin_frame_address(0); on x86-64 with its return address above it),
 * innermost return address `caller`; `path` is what syn_stack_expect said of them. By the thread
 * that owns the cache. Where libunwind has to be asked and the program has taken its descriptors:
 * the caller alone. SYN_NO_STACK where memory is short. */
uint32_t syn_stack_index(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller,
                         uint64_t path);

/* The cache learns this stack without giving it a number: looking it up gives SYN_NO_STACK, in the
 * time that a known one takes. For measuring that, and so that the first one with a number finds
 * the objects that it lies in soon. Returns false where it cannot be learned. */
bool syn_stack_rehearse(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller);

/* The first stacks that the calling thread, whose cache it is, asks for will have outer frames in
 * common with the one that it is in now: those are walked and located now, and the cache's pages
 * and what a new number needs are touched. Nothing gets a number; what lacks memory is tried again
 * then. */
void syn_stack_foresee(struct syn_stack_cache *cache);

/* Called, where it is not NULL, after a stack was numbered and before its number is known to
 * anybody. */
extern void (*syn_stack_added)(void);

/* All stacks so far, in order of their indexes from 0; a stack's addresses are located among the
 * loaded objects when it is first seen, so that a plugin unloaded since is known too. */
size_t syn_stack_count(void);
/* What the writer wants; valid for ever. NULL past the last. */
const struct syn_stack_record *syn_stack_at(uint32_t index);
const struct syn_module_record *syn_stack_module_at(size_t index);

/* How often the caches of all threads were right, walked and learned, walked only (for tests and
 * the trace's metas). */
struct syn_stack_counts {
    uint64_t learned_count;
    uint64_t walked_count;
};
void syn_stack_counts(struct syn_stack_counts *out);

#endif
