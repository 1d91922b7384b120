/* preload/recorder/stacks/walk_rules.c - walks x86-64 stacks by the unwind tables of loaded
 * objects: see walk.h. */
#include "preload/recorder/stacks/walk.h"

#if defined(__x86_64__)
#include "preload/recorder/stacks/frame_rules.h"
#include "preload/recorder/stacks/outwards.h"
#include "sync/base/layout.h"

/* Reads a word outside of the wrapper's frame. Returns false if it is not on the stack. */
SYN_READS_ANY_STACK
static bool read_word(const struct syn_walk_start *start, uintptr_t where, uintptr_t *value)
{
    if (!syn_on_stack(start, where) || where < start->frame)
        return false;
    *value = *(const uintptr_t *)where;
    return true;
}

/* Finds the end of the newest frame by its rule, and adds the checks that it depends on. */
static SYN_HOT bool find_end(struct syn_walk *walk, const struct syn_walk_start *start,
                             const struct syn_frame_rule *rule, uintptr_t *end)
{
    const struct syn_walk_frame *frame = &walk->frames[walk->depth - 1];
    const uintptr_t by_pointer = frame->pointer + (uintptr_t)rule->end_bytes;
    *end = frame->end + (uintptr_t)rule->end_bytes;
    if (rule->end == SYN_FRAME_END_BY_STACK)
        return true;
    *end = by_pointer;
    if (!syn_check_word(walk, start, frame->pointer_saved_at, frame->pointer))
        return false;
    return rule->end == SYN_FRAME_END_BY_POINTER ||
           (read_word(start, by_pointer, end) && syn_check_word(walk, start, by_pointer, *end));
}

/* Finds the frame pointer of the newest frame's caller; `caller->end` is set. */
static SYN_HOT bool find_pointer(const struct syn_walk *walk, const struct syn_walk_start *start,
                                 const struct syn_frame_rule *rule, struct syn_walk_frame *caller)
{
    const struct syn_walk_frame *frame = &walk->frames[walk->depth - 1];
    caller->pointer = frame->pointer;
    caller->pointer_saved_at = frame->pointer_saved_at;
    if (rule->pointer == SYN_FRAME_POINTER_SAME)
        return true;
    const bool by_end = rule->pointer == SYN_FRAME_POINTER_BY_END;
    const uintptr_t from = by_end ? caller->end : frame->pointer;
    caller->pointer_saved_at = from + (uintptr_t)rule->pointer_bytes;
    return read_word(start, caller->pointer_saved_at, &caller->pointer);
}

static SYN_HOT int step_by_rule(void *walker, struct syn_walk *walk)
{
    const struct syn_walk_start *start = walker;
    const struct syn_walk_frame *frame = &walk->frames[walk->depth - 1];
    struct syn_walk_frame caller = {.has_pointer = true};
    struct syn_frame_rule rule;
    uintptr_t address;
    if (!syn_frame_rule_at(walk->addresses[walk->depth - 1] - 1, &rule))
        return syn_frame_is_first(walk->addresses[walk->depth - 1]) ? 0 : -1;
    if (rule.end == SYN_FRAME_OUTERMOST)
        return 0;
    if (!find_end(walk, start, &rule, &caller.end) || caller.end <= frame->end)
        return -1;
    walk->end = caller.end;
    if (!find_pointer(walk, start, &rule, &caller) ||
        !read_word(start, caller.end - sizeof address, &address))
        return -1;
    if (address == 0)
        return 0;
    if (!syn_check_return_address(walk, start, caller.end, address))
        return -1;
    caller.check_count = walk->check_count;
    walk->addresses[walk->depth] = address;
    walk->frames[walk->depth++] = caller;
    return 1;
}

/* RATIONALE: libunwind takes 10 us with cold caches and 1 us with warm ones, and may test addresses
 * by writing to its pipe. Where the tables do not help (code made at run time, signal frames),
 * libunwind walks from the start. */
SYN_HOT void syn_walk_verified(const struct syn_walk_start *start, const struct syn_walk *known,
                               struct syn_walk *walk)
{
    struct syn_walk_start from = *start;
    if (syn_walk_from_wrapper(start, walk))
        syn_walk_outwards(start, known, step_by_rule, &from, walk);
#ifdef SYN_HAVE_UNWIND
    if (!walk->verifiable && syn_walk_allowed())
        syn_walk_unwound(start, known, walk);
#else
    walk->verifiable = walk->depth > 1; /* found as much as the tables tell */
#endif
}

enum syn_walk_result syn_walk_to(const struct syn_walk_start *start, uintptr_t sought,
                                 struct syn_walk *walk)
{
    struct syn_walk_start from = *start;
    enum syn_walk_result result = SYN_WALK_BROKE;
    if (syn_walk_from_wrapper(start, walk))
        result = syn_walk_search(sought, step_by_rule, &from, walk);
#ifdef SYN_HAVE_UNWIND
    if (result == SYN_WALK_BROKE && syn_walk_allowed())
        result = syn_walk_unwound_to(start, sought, walk);
#endif
    return result;
}

#ifndef SYN_HAVE_UNWIND
void syn_walk_begin(void)
{
    syn_frame_rules_begin();
}

bool syn_walk_allowed(void)
{
    return true;
}

void syn_walk_quickly(const struct syn_walk_start *start, struct syn_walk *walk)
{
    static const struct syn_walk nothing;
    syn_walk_verified(start, &nothing, walk);
}
#endif
#endif
