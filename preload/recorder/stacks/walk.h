/* preload/recorder/stacks/walk.h - walks the stack outwards from a wrapper's frame: finds the
 * return addresses, and the stack words they depend on.
 *
 * Ways to walk, by processor:
 *     x86-64   unwind tables (walk_rules.c); libunwind where these are unusual (walk_unwind.c)
 *     aarch64  chain of frame records (walk_records.c)
 *     others   libunwind without checks; without libunwind only the caller is known
 * RATIONALE: on aarch64, libunwind up to 1.6 does not know signed return addresses: it stops or
 * crashes there. The chain is read in a hundredth of its time. */
#ifndef SYN_WALK_H
#define SYN_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/options.h"

/* Word on the stack that a walk depended on. */
struct syn_walk_check {
    const uintptr_t *where;
    uintptr_t value;
};

struct syn_walk_start {
    uintptr_t frame;                 /* of the wrapper; memory below it changes from call to call */
    uintptr_t caller;                /* return address of the wrapper */
    uintptr_t stack_low, stack_high; /* bounds of the thread's stack */
    size_t depth;                    /* most addresses to find */
};

/* State of a walk after a frame. The rest of the walk follows from it and from the stack words that
 * are checked. */
struct syn_walk_frame {
    uintptr_t end;              /* stack pointer in this frame: the end of the frame inside it */
    uintptr_t pointer;          /* frame pointer register in this frame */
    uintptr_t pointer_saved_at; /* where the register was saved on the stack; 0: not saved */
    bool has_pointer;           /* the register is known */
    size_t check_count;         /* number of checks up to this frame */
};

/* A frame has at most three checks: return address, frame pointer, frame end. */
#define SYN_WALK_CHECKS_MAX (3 * SYN_STACK_DEPTH_MAX)

struct syn_walk {
    size_t depth, check_count;
    uintptr_t end;   /* of the last frame whose end was found */
    bool complete;   /* reached the outermost frame */
    bool verifiable; /* the walk depended only on frame, caller and the checked words */
    uintptr_t addresses[SYN_STACK_DEPTH_MAX];          /* [depth], innermost (the caller) first */
    struct syn_walk_frame frames[SYN_STACK_DEPTH_MAX]; /* [depth] */
    struct syn_walk_check checks[SYN_WALK_CHECKS_MAX]; /* [check_count] */
};

/* Call this before a thread's first walk. */
void syn_walk_begin(void);
/* Returns true if libunwind may be used: the program has not taken its descriptors. */
bool syn_walk_allowed(void);
/* Find the addresses only. Also works if the frame is not on the thread's own stack. */
void syn_walk_quickly(const struct syn_walk_start *start, struct syn_walk *walk);
/* Walk with checks; the frame must lie on the thread's stack. If walk->verifiable is false, the
 * addresses may be incomplete. `known` is an earlier verified walk of this thread, or all zeros:
 * outer frames that are the same are copied from it. */
void syn_walk_verified(const struct syn_walk_start *start, const struct syn_walk *known,
                       struct syn_walk *walk);

/* Like syn_walk_verified, by libunwind only (x86-64 with libunwind). */
void syn_walk_unwound(const struct syn_walk_start *start, const struct syn_walk *known,
                      struct syn_walk *walk);

/* Result of a walk that looks for a wrapper. */
enum syn_walk_result {
    SYN_WALK_MET,    /* the wrapper's frame is on the way */
    SYN_WALK_PASSED, /* it is not: the walk went beyond it, or to the outermost frame */
    SYN_WALK_BROKE   /* unknown: the walk could not go on */
};

/* Walk until the wrapper with frame address `sought` is found. Only the words from start->frame to
 * the end of that frame are read. `walk` is left at the last frames. syn_walk_unwound_to: by
 * libunwind only (x86-64 with libunwind). */
enum syn_walk_result syn_walk_to(const struct syn_walk_start *start, uintptr_t sought,
                                 struct syn_walk *walk);
enum syn_walk_result syn_walk_unwound_to(const struct syn_walk_start *start, uintptr_t sought,
                                         struct syn_walk *walk);

/* Returns true if a word may be read at `address`. */
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
    walk->end = 0;
    walk->complete = false;
    walk->verifiable = false;
}

#endif
