/* preload/recorder/stacks/outwards.h - a verified walk of x86-64, frame by frame, whoever finds the
 * next frame: the tables (walk_rules.c) or libunwind (walk_unwind.c). */
#ifndef SYN_OUTWARDS_H
#define SYN_OUTWARDS_H

#include "preload/recorder/stacks/walk.h"

/* Frames of the program: what a sanitizer lets nobody else read, too. */
#ifdef __SANITIZE_ADDRESS__
#define SYN_READS_ANY_STACK __attribute__((no_sanitize_address, noinline))
#else
#define SYN_READS_ANY_STACK
#endif

#if defined(__x86_64__)
/* Adds the caller of the walk's newest frame, with what that depended on. Returns 1; 0 where there
 * is none; below 0 where it cannot be verified. */
typedef int syn_walk_step(void *walker, struct syn_walk *walk);

/* `walk` has the caller alone, and its frame. As syn_walk_verified. */
void syn_walk_outwards(const struct syn_walk_start *start, const struct syn_walk *known,
                       syn_walk_step *step, void *walker, struct syn_walk *walk);

/* The return address `value` of a frame that ends at `end`: it has to be there. */
bool syn_check_return_address(struct syn_walk *walk, const struct syn_walk_start *start,
                              uintptr_t end, uintptr_t value);
/* The word at `where` was read by a walk. False where it lies so that it may be gone the next time,
 * or outside of the stack, or has another value. */
bool syn_check_word(struct syn_walk *walk, const struct syn_walk_start *start, uintptr_t where,
                    uintptr_t value);

/* The wrapper keeps a frame pointer: its frame says where its caller's begins, with which frame
 * pointer. False where it is not one. */
bool syn_walk_from_wrapper(const struct syn_walk_start *start, struct syn_walk *walk);
#endif

#endif
