/* preload/recorder/stacks/within.c - see within.h. */
#include "preload/recorder/stacks/within.h"

#include <stddef.h>

#include "preload/base/lock.h"
#include "preload/recorder/stacks/outwards.h"
#include "preload/recorder/stacks/walk.h"

SYN_READS_ANY_STACK
static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

static struct syn_within *place_of(struct syn_within *known, uintptr_t caller)
{
    return &known[(caller ^ caller >> 5) & (SYN_WITHINS - 1)];
}

/* Keeps a walk that found the outer wrapper by one step, which depended on no word but the return
 * address. */
static void learn(struct syn_within *known, uintptr_t outer, const struct syn_walk_start *start,
                  const struct syn_walk *walk)
{
#if defined(__x86_64__)
    const struct syn_walk_frame *inner = &walk->frames[0], *found = &walk->frames[1];
    const uintptr_t pointer_at = found->pointer_saved_at - start->frame;
    const uintptr_t address_at = found->end - sizeof(uintptr_t) - start->frame;
    if (walk->depth != 2 || walk->check_count != 1 ||
        inner->end != start->frame + 2 * sizeof(uintptr_t) || address_at > UINT16_MAX ||
        pointer_at > UINT16_MAX || outer - start->frame > UINT32_MAX)
        return;
    *place_of(known, start->caller) =
        (struct syn_within){.caller = start->caller,
                            .address = walk->addresses[1],
                            .distance = (uint32_t)(outer - start->frame),
                            .address_at = (uint16_t)address_at,
                            .pointer_at = (uint16_t)pointer_at};
#else
    (void)known, (void)outer, (void)start, (void)walk;
#endif
}

/* RATIONALE: not inlined, since a walk takes two pages of the program's stack. A walk may ask the
 * kernel whether memory exists, which is a cancellation point. */
static __attribute__((noinline)) bool was_left(struct syn_within *known, uintptr_t outer,
                                               const struct syn_walk_start *start)
{
    struct syn_walk walk;
    const int cancel_state = syn_cancel_hold();
    syn_walk_begin();
    const enum syn_walk_result result = syn_walk_to(start, outer, &walk);
    syn_cancel_restore(cancel_state);
    if (result == SYN_WALK_MET)
        learn(known, outer, start, &walk);
    return result == SYN_WALK_PASSED;
}

bool syn_wrapper_was_left(struct syn_within *known, uintptr_t outer, uintptr_t frame)
{
    const uintptr_t caller = word_at(frame + sizeof(uintptr_t));
    const struct syn_within *at = place_of(known, caller);
    if (at->caller == caller && at->distance == outer - frame &&
        word_at(frame + at->address_at) == at->address && word_at(frame + at->pointer_at) == outer)
        return false;
    const struct syn_walk_start start = {.frame = frame,
                                         .caller = caller,
                                         .stack_low = frame,
                                         .stack_high = outer + 2 * sizeof(uintptr_t)};
    return was_left(known, outer, &start);
}
