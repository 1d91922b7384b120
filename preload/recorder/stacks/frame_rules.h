/* preload/recorder/stacks/frame_rules.h - finds a function's caller on the stack by the tables that
 * compilers write for it (x86-64; .eh_frame and .eh_frame_hdr: Linux Standard Base 5.0, core, 10.6;
 * their instructions: DWARF 5, 6.4.2).
 *
 * It reads the rules by which nearly all code is compiled: a frame's end counted from the stack or
 * frame pointer, or saved below the latter (realigned stacks), and registers saved at fixed places.
 * All other rules, and all damage, are "unknown": libunwind may know. */
#ifndef SYN_FRAME_RULES_H
#define SYN_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* How the end of a frame (its canonical frame address, where the caller's stack pointer is) follows
 * from the registers in it. */
enum syn_frame_end {
    SYN_FRAME_END_BY_STACK,   /* stack pointer + end_bytes */
    SYN_FRAME_END_BY_POINTER, /* frame pointer + end_bytes */
    SYN_FRAME_END_SAVED,      /* the word at frame pointer + end_bytes */
    SYN_FRAME_OUTERMOST       /* there is no caller */
};

/* The place of the caller's frame pointer. */
enum syn_frame_pointer {
    SYN_FRAME_POINTER_SAME,       /* in its register */
    SYN_FRAME_POINTER_BY_END,     /* saved at the frame's end + pointer_bytes */
    SYN_FRAME_POINTER_BY_POINTER, /* saved at the frame pointer + pointer_bytes */
};

/* The return address lies right below the frame's end, always. */
struct syn_frame_rule {
    enum syn_frame_end end;
    enum syn_frame_pointer pointer;
    int64_t end_bytes, pointer_bytes;
};

/* The tables of one loaded object. */
struct syn_frame_tables {
    const uint8_t *header; /* .eh_frame_hdr */
    const uint8_t *start,
        *end; /* the object: all that may be read, and addresses there are its own */
};

/* Once, before the first use. */
void syn_frame_rules_begin(void);
/* The rule in force at an instruction. (Of a frame that has called another one that is the call,
 * one byte before the return address.) Both return false where it is unknown. */
bool syn_frame_rule_at(uintptr_t instruction, struct syn_frame_rule *rule);
bool syn_frame_rule_in(const struct syn_frame_tables *tables, uintptr_t instruction,
                       struct syn_frame_rule *rule);

#endif
