/* preload/recorder/stacks/stacks.h - call stacks: each different stack gets a number. They are
 * walked (walk.h); a cache saves most walks.
 *
 * A walk costs about 100 ns, a cache hit a tenth of that. A hit is always right: two paths to a
 * wrapper can agree in its return address and frame address, so the cache also compares every word
 * that the walk depended on, which are each frame's return address on the stack and each frame
 * pointer from which a frame's size was derived. Where a walk
 * cannot be verified (walk.h), nothing is cached and every call walks. */
#ifndef SYN_STACKS_H
#define SYN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/status.h"
#include "trace/base/records.h"

struct syn_stack_cache;

/* Make the calling thread's cache, for stacks of up to `depth` frames. Takes a few pages. Returns 0
 * or SYN_ENOMEM. */
int syn_stack_cache_new(int depth, struct syn_stack_cache **out);
/* The calling thread takes over the cache of a thread that has ended. The content stays only if
 * both have their stack at the same address. */
void syn_stack_cache_take_over(struct syn_stack_cache *cache);
/* Bytes mapped for the cache. */
size_t syn_stack_cache_bytes(const struct syn_stack_cache *cache);
void syn_stack_cache_free(struct syn_stack_cache *cache);

/* Returns the number of the calling thread's stack, outside of the function with frame address
 * `frame` (__builtin_frame_address(0)) and return address `caller`. Call it from the thread that
 * owns the cache. If only libunwind could walk the stack, and the program has taken its
 * descriptors, the stack is the caller alone. SYN_NO_STACK if memory is short. */
uint32_t syn_stack_index(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller);

/* Let the cache learn this stack without a number. A lookup then gives SYN_NO_STACK in the time of
 * a hit: used to measure that, and to make the first numbered stack cheap to locate. Returns false
 * if the stack cannot be learned. */
bool syn_stack_warm_up(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller);

/* Prepare for the first stacks of the calling thread, which owns the cache: walk and locate the
 * frames that it is in now, since the first stacks will share the outer ones, and touch the memory
 * that they need. Numbers nothing. Lack of memory is no error: it is tried again later. */
void syn_stack_prefault(struct syn_stack_cache *cache);

/* If not NULL, called after a stack got a number and before any caller knows the number. */
extern void (*syn_stack_added)(void);

/* Number of stacks so far; their indexes count from 0. Addresses are located among the loaded
 * objects when a stack is first seen, so that they are known after the object is unloaded. */
size_t syn_stack_count(void);
/* A stack or a module for the writer, valid for ever. NULL if the index is too large. */
const struct syn_stack_record *syn_stack_at(uint32_t index);
const struct syn_module_record *syn_stack_module_at(size_t index);

/* How often all threads' caches learned a stack, or only walked (for tests and metadata). */
struct syn_stack_counts {
    uint64_t learned_count;
    uint64_t walked_count;
};
void syn_stack_counts(struct syn_stack_counts *out);

#endif
