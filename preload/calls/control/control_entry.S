/* preload/calls/control/control_entry.S - the wrapper of MPI_Pcontrol in C.
 *
 * MPI_Pcontrol may have any arguments after the level. Only the program and another tool know their number and
 * types. So the wrapper saves and restores all registers that may contain an argument, and jumps to the next
 * function with the stack unchanged. */

#include "preload/entry/arguments.S"

        .hidden syn_control_obey
        .hidden syn_control_next

        .text
        .p2align 4
        .globl  syn_control_entry
        .hidden syn_control_entry
        .type   syn_control_entry, @function
syn_control_entry:
        .cfi_startproc
#if defined(__x86_64__)
        subq    $(ARGUMENT_BYTES + 8), %rsp /* with the return address, a multiple of 16 */
        .cfi_adjust_cfa_offset ARGUMENT_BYTES + 8
        save_arguments
        call    syn_control_obey
        restore_arguments
        addq    $(ARGUMENT_BYTES + 8), %rsp
        .cfi_adjust_cfa_offset -(ARGUMENT_BYTES + 8)
        jmp     *syn_control_next(%rip)
#elif defined(__aarch64__)
        bti     c
        save_arguments
        bl      syn_control_obey
        restore_arguments
        adrp    x16, syn_control_next
        ldr     x16, [x16, #:lo12:syn_control_next]
        br      x16
#elif defined(__powerpc64__)
        find_data
        .localentry syn_control_entry, . - syn_control_entry
        save_arguments
        bl      syn_control_obey
        nop
        addis   11, 2, syn_control_next@toc@ha
        ld      12, syn_control_next@toc@l(11)
        mtctr   12
        restore_arguments
        bctr
#elif defined(__riscv)
        save_arguments
        call    syn_control_obey
        restore_arguments
        ld      t1, syn_control_next
        jr      t1
#endif
        .cfi_endproc
        .size   syn_control_entry, . - syn_control_entry

        .section .note.GNU-stack, "", @progbits
