/* preload/recorder/stacks/stacks.h - call stacks: walked (walk.h), remembered by a cache that
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

#include "sync/base/status.h"
#include "trace/base/records.h"

struct syn_stack_cache;

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
 * innermost return address `caller`. By the thread that owns the cache. Where libunwind has to be
 * asked and the program has taken its descriptors: the caller alone. SYN_NO_STACK where memory is
 * short. */
uint32_t syn_stack_index(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller);

/* The cache learns this stack without giving it a number: looking it up gives SYN_NO_STACK, in the
 * time that a known one takes. For measuring that, and so that the first one with a number finds
 * the objects that it lies in soon. Returns false where it cannot be learned. */
bool syn_stack_warm_up(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller);

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
/* A stack or module for the writer; valid for ever. NULL past the last. */
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
