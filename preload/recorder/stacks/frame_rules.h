/* preload/recorder/stacks/frame_rules.h - finds a function's caller on the stack by the unwind
 * tables that compilers write (x86-64). Format of .eh_frame and .eh_frame_hdr: Linux Standard Base
 * 5.0, core, 10.6. Instructions: DWARF 5, 6.4.2.
 *
 * It knows the rules of nearly all compiled code: the frame's end is a fixed distance from the
 * stack or frame pointer, or is saved below the frame pointer (realigned stacks); registers are
 * saved at fixed places. Other rules, and damaged tables, are "unknown": libunwind may know
 * them. */
#ifndef SYN_FRAME_RULES_H
#define SYN_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* How the end of a frame (canonical frame address: the caller's stack pointer) follows from the
 * registers in the frame. */
enum syn_frame_end {
    SYN_FRAME_END_BY_STACK,   /* stack pointer + end_bytes */
    SYN_FRAME_END_BY_POINTER, /* frame pointer + end_bytes */
    SYN_FRAME_END_SAVED,      /* the word at frame pointer + end_bytes */
    SYN_FRAME_OUTERMOST       /* there is no caller */
};

/* Place of the caller's frame pointer. */
enum syn_frame_pointer {
    SYN_FRAME_POINTER_SAME,       /* in its register */
    SYN_FRAME_POINTER_BY_END,     /* saved at frame end + pointer_bytes */
    SYN_FRAME_POINTER_BY_POINTER, /* saved at frame pointer + pointer_bytes */
};

/* Rule of a frame. The return address always lies right below the frame's end. */
struct syn_frame_rule {
    enum syn_frame_end end;
    enum syn_frame_pointer pointer;
    int64_t end_bytes, pointer_bytes;
};

/* Unwind tables of a loaded object. */
struct syn_frame_tables {
    const uint8_t *header;      /* .eh_frame_hdr */
    const uint8_t *start, *end; /* the object; nothing outside is read */
};

/* Call this once, before the first use. */
void syn_frame_rules_begin(void);
/* Find the rule at an instruction. In a frame that has called another one, that is the byte before
 * the return address. Both functions return false if the rule is unknown. syn_frame_rule_in looks
 * only in `tables`. */
bool syn_frame_rule_at(uintptr_t instruction, struct syn_frame_rule *rule);
bool syn_frame_rule_in(const struct syn_frame_tables *tables, uintptr_t instruction,
                       struct syn_frame_rule *rule);
/* Returns true if a function begins at this return address, and no function ends there. No call
 * returns there: somebody who made a stack has put it into the first frame (makecontext). */
bool syn_frame_is_first(uintptr_t address);

#endif
