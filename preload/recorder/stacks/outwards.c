/* preload/recorder/stacks/outwards.c - see outwards.h. */
#include "preload/recorder/stacks/outwards.h"

#include "preload/base/own_code.h"
#include "sync/base/layout.h"

#if defined(__x86_64__)

/* ---- checks ---- */

SYN_READS_ANY_STACK
static bool has_word(const struct syn_walk_start *start, uintptr_t where, uintptr_t value)
{
    return syn_on_stack(start, where) && *(const uintptr_t *)where == value;
}

SYN_HOT bool syn_check_word(struct syn_walk *walk, const struct syn_walk_start *start,
                            uintptr_t where, uintptr_t value)
{
    if (where < start->frame || !has_word(start, where, value))
        return false;
    syn_check_later(walk, (const uintptr_t *)where, value);
    return true;
}

SYN_HOT bool syn_check_return_address(struct syn_walk *walk, const struct syn_walk_start *start,
                                      uintptr_t end, uintptr_t value)
{
    return syn_check_word(walk, start, end - sizeof(uintptr_t), value);
}

SYN_READS_ANY_STACK
SYN_HOT bool syn_walk_from_wrapper(const struct syn_walk_start *start, struct syn_walk *walk)
{
    const uintptr_t *frame = (const uintptr_t *)start->frame;
    syn_walk_caller_only(start, walk);
    if (!syn_on_stack(start, start->frame) ||
        !has_word(start, start->frame + sizeof *frame, start->caller))
        return false;
    walk->frames[0] = (struct syn_walk_frame){.end = start->frame + 2 * sizeof *frame,
                                              .pointer = frame[0],
                                              .pointer_saved_at = start->frame,
                                              .has_pointer = true};
    return true;
}

/* ---- outer frames that are known ---- */

/* RATIONALE: when a program reaches a new call site, most outer frames are those of the last
 * walk. */

/* Returns the frame of `known` from which both walks continue in the same way; 0: none. */
static size_t same_frame(const struct syn_walk *known, const struct syn_walk *walk)
{
    const size_t newest = walk->depth - 1;
    const struct syn_walk_frame *ours = &walk->frames[newest];
    for (size_t i = 1; i < known->depth; i++) {
        const struct syn_walk_frame *theirs = &known->frames[i];
        if (theirs->end == ours->end && known->addresses[i] == walk->addresses[newest] &&
            theirs->pointer == ours->pointer && theirs->pointer_saved_at == ours->pointer_saved_at)
            return i;
    }
    return 0;
}

SYN_READS_ANY_STACK
static bool all_hold(const struct syn_walk *known, size_t from)
{
    for (size_t i = from; i < known->check_count; i++)
        if (*known->checks[i].where != known->checks[i].value)
            return false;
    return true;
}

/* Completes the walk from `known` if it goes on in the same way. Returns true if so. */
static SYN_HOT bool goes_on_as_known(const struct syn_walk *known, size_t depth,
                                     struct syn_walk *walk)
{
    const size_t at = known->verifiable ? same_frame(known, walk) : 0;
    if (at == 0 || (!known->complete && known->depth - at < depth - walk->depth + 1) ||
        !all_hold(known, known->frames[at].check_count))
        return false;
    /* Copies the frames behind frame `at` of `known`, and their checks. */
    const size_t known_checks = known->frames[at].check_count, own_checks = walk->check_count;
    for (size_t i = at + 1; i < known->depth && walk->depth < depth; i++, walk->depth++) {
        walk->addresses[walk->depth] = known->addresses[i];
        walk->frames[walk->depth] = known->frames[i];
        walk->frames[walk->depth].check_count += own_checks - known_checks;
    }
    const size_t last = walk->frames[walk->depth - 1].check_count;
    while (walk->check_count < last) {
        const size_t i = walk->check_count - own_checks + known_checks;
        walk->checks[walk->check_count++] = known->checks[i];
    }
    walk->complete = walk->depth < depth;
    return true;
}

/* ---- a walk ---- */

SYN_HOT void syn_walk_outwards(const struct syn_walk_start *start, const struct syn_walk *known,
                               syn_walk_step *step, void *walker, struct syn_walk *walk)
{
    int stepped = 1;
    while (walk->depth < start->depth && (stepped = step(walker, walk)) > 0)
        if (goes_on_as_known(known, start->depth, walk))
            break;
    walk->complete |= stepped == 0;
    walk->verifiable = stepped >= 0;
}

/* Returns true if the walk's newest frame is that of the wrapper. RATIONALE: another function may
 * have its frame where the wrapper's was, so its code counts, too. */
static bool is_at(uintptr_t sought, const struct syn_walk *walk)
{
    const struct syn_walk_frame *newest = &walk->frames[walk->depth - 1];
    return newest->has_pointer && newest->pointer == sought && newest->end <= sought &&
           syn_own_code_has(walk->addresses[walk->depth - 1]);
}

enum syn_walk_result syn_walk_search(uintptr_t sought, syn_walk_step *step, void *walker,
                                     struct syn_walk *walk)
{
    int stepped;
    while ((stepped = step(walker, walk)) > 0) {
        if (is_at(sought, walk))
            return SYN_WALK_MET;
        if (walk->end > sought)
            return SYN_WALK_PASSED;
        if (walk->depth == SYN_STACK_DEPTH_MAX) { /* the newest frame is enough to go on */
            walk->addresses[0] = walk->addresses[walk->depth - 1];
            walk->frames[0] = walk->frames[walk->depth - 1];
            walk->depth = 1;
            walk->check_count = 0;
        }
    }
    return stepped == 0 || walk->end > sought ? SYN_WALK_PASSED : SYN_WALK_BROKE;
}
#endif
