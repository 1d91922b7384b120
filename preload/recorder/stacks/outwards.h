/* preload/recorder/stacks/outwards.h - verified walk on x86-64, frame by frame. The next frame is
 * found by unwind tables (walk_rules.c) or libunwind (walk_unwind.c). */
#ifndef SYN_OUTWARDS_H
#define SYN_OUTWARDS_H

#include "preload/recorder/stacks/walk.h"

/* For functions that read any frame of the program, also memory that the address sanitizer
 * guards. */
#ifdef __SANITIZE_ADDRESS__
#define SYN_READS_ANY_STACK __attribute__((no_sanitize_address, noinline))
#else
#define SYN_READS_ANY_STACK
#endif

#if defined(__x86_64__)
/* Finds the caller of the walk's newest frame and adds it with its checks. Returns 1; 0 if there is
 * none; below 0 if it cannot be verified. */
typedef int syn_walk_step(void *walker, struct syn_walk *walk);

/* Continue a walk that has the caller and its frame. Otherwise like syn_walk_verified. */
void syn_walk_outwards(const struct syn_walk_start *start, const struct syn_walk *known,
                       syn_walk_step *step, void *walker, struct syn_walk *walk);
/* Continue a walk that has the caller and its frame. Otherwise like syn_walk_to. */
enum syn_walk_result syn_walk_search(uintptr_t sought, syn_walk_step *step, void *walker,
                                     struct syn_walk *walk);

/* Add the check of a return address: `value` must lie right below the frame's end. */
bool syn_check_return_address(struct syn_walk *walk, const struct syn_walk_start *start,
                              uintptr_t end, uintptr_t value);
/* Add the check of a word that the walk has read. Returns false if the word has another value, is
 * outside of the stack, or lies below the wrapper's frame, where it may change. */
bool syn_check_word(struct syn_walk *walk, const struct syn_walk_start *start, uintptr_t where,
                    uintptr_t value);

/* Start a walk from the wrapper's frame, which has a frame pointer: it tells the caller's frame and
 * frame pointer. Returns false if it is not a valid frame. */
bool syn_walk_from_wrapper(const struct syn_walk_start *start, struct syn_walk *walk);
#endif

#endif
