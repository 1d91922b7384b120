/* preload/recorder/stacks/walk.h - from a wrapper's frame outwards: the return addresses, and what
 * on the stack they were found from.
 *
 * Ways to walk, by processor. x86-64: by the tables that compilers write (walk_rules.c), and where
 * those do not say it in the usual way, by libunwind (walk_unwind.c). aarch64: the chain of frame
 * records that its procedure call standard asks for (walk_records.c): libunwind up to 1.6 does not
 * know signed return addresses, ends there or crashes, and the chain is read in a hundredth of the
 * time. Other processors: libunwind, unverified. Where there is none of these: the caller alone.
 */
#ifndef SYN_WALK_H
#define SYN_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/options.h"

/* A word on the stack that a walk depended on. */
struct syn_walk_check {
    const uintptr_t *where;
    uintptr_t value;
};

struct syn_walk_start {
    uintptr_t frame;  /* of the wrapper: what lies below is not there on the next call */
    uintptr_t caller; /* the wrapper's return address */
    uintptr_t stack_low, stack_high; /* the thread's stack */
    size_t depth;                    /* so many addresses at most */
};

/* The state from which the rest of a walk follows, but for the words on the stack that are
 * checked. */
struct syn_walk_frame {
    uintptr_t end;              /* of the frame before it: its own stack pointer */
    uintptr_t pointer;          /* the frame pointer's register, in it */
    uintptr_t pointer_saved_at; /* 0: in no memory */
    bool has_pointer;           /* the register was found */
    size_t check_count;         /* that are needed to get there */
};

/* Each frame may have three checks: its return address, its frame pointer and its end. */
#define SYN_WALK_CHECKS_MAX (3 * SYN_STACK_DEPTH_MAX)

/* (What a short one needs lies in few pages.) */
struct syn_walk {
    size_t depth, check_count;
    bool complete;   /* to the outermost frame */
    bool verifiable; /* checks say all that the walk depended on, but for frame and caller */
    uintptr_t addresses[SYN_STACK_DEPTH_MAX];          /* [depth], innermost first: the caller */
    struct syn_walk_frame frames[SYN_STACK_DEPTH_MAX]; /* [depth] */
    struct syn_walk_check checks[SYN_WALK_CHECKS_MAX]; /* [check_count] */
};

/* Before the first walk of a thread. */
void syn_walk_begin(void);
/* May libunwind be used now? Not where the program has taken its descriptors. */
bool syn_walk_allowed(void);
/* The addresses alone, also where the frame is not on the thread's stack. */
void syn_walk_quickly(const struct syn_walk_start *start, struct syn_walk *walk);
/* With checks, for a frame on the thread's stack. Where walk->verifiable is false, so may the
 * addresses be incomplete. `known` is another walk of this thread, verified or all zeros: outer
 * frames that are there again are taken from it. */
void syn_walk_verified(const struct syn_walk_start *start, const struct syn_walk *known,
                       struct syn_walk *walk);

/* Like syn_walk_verified, by libunwind alone (x86-64 with libunwind). */
void syn_walk_unwound(const struct syn_walk_start *start, const struct syn_walk *known,
                      struct syn_walk *walk);

/* May a word be read there? */
static inline bool syn_on_stack(const struct syn_walk_start *start, uintptr_t address)
{
    return address >= start->stack_low && address + sizeof(uintptr_t) <= start->stack_high &&
           address % sizeof(uintptr_t) == 0;
}

static inline void syn_check_later(struct syn_walk *walk, const uintptr_t *where, uintptr_t value)
{
    walk->checks[walk->check_count++] = (struct syn_walk_check){.where = where, .value = value};
}

static inline void syn_walk_caller_only(const struct syn_walk_start *start, struct syn_walk *walk)
{
    walk->addresses[0] = start->caller;
    walk->depth = 1;
    walk->check_count = 0;
    walk->complete = false;
    walk->verifiable = false;
}

#endif
