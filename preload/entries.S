/* preload/entries.S - the exported MPI functions: one jump each, through a slot.
 *
 * An entry touches neither registers nor stack, so it needs to know no prototype and serves every MPI, and
 * the wrapper behind it sees the program's own call site as its return address. A slot starts out at code
 * that asks syn_resolve (resolve.c), which fills all slots at the first MPI call; from then on an entry costs one indirect
 * jump. Not an IFUNC: the dynamic linker resolves those before it is known which MPI the program uses. */

        .text
        .hidden syn_resolve
        .hidden syn_slots

        .section .syn_slots, "aw", @progbits
        .p2align 3
        .globl  syn_slots
        .type   syn_slots, @object
syn_slots:

        .text
        .set    entry_index, 0

        .macro  entry symbol
        .pushsection .syn_slots, "aw", @progbits
.Lslot_\symbol:
        .quad   .Lfirst_\symbol
        .popsection

        .p2align 4
        .globl  \symbol
        .type   \symbol, @function
\symbol:
        .cfi_startproc
        jmp     *.Lslot_\symbol(%rip)
        .cfi_endproc
        .size   \symbol, . - \symbol

.Lfirst_\symbol:
        .cfi_startproc
        pushq   $entry_index
        .cfi_adjust_cfa_offset 8
        jmp     resolve_and_go
        .cfi_endproc
        .set    entry_index, entry_index + 1
        .endm

/* In: the index of the entry and the caller's return address on the stack, the call's arguments in their registers.
 * Saves every register that may hold one, asks where to go, restores, goes. */
        .p2align 4
        .type   resolve_and_go, @function
resolve_and_go:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        subq    $208, %rsp
        .cfi_adjust_cfa_offset 208
        movq    %rdi, 0(%rsp)
        movq    %rsi, 8(%rsp)
        movq    %rdx, 16(%rsp)
        movq    %rcx, 24(%rsp)
        movq    %r8, 32(%rsp)
        movq    %r9, 40(%rsp)
        movq    %rax, 48(%rsp)
        movq    %r10, 56(%rsp)
        movups  %xmm0, 64(%rsp)
        movups  %xmm1, 80(%rsp)
        movups  %xmm2, 96(%rsp)
        movups  %xmm3, 112(%rsp)
        movups  %xmm4, 128(%rsp)
        movups  %xmm5, 144(%rsp)
        movups  %xmm6, 160(%rsp)
        movups  %xmm7, 176(%rsp)
        movq    208(%rsp), %rdi
        movq    216(%rsp), %rsi
        call    syn_resolve
        movq    %rax, %r11
        movq    0(%rsp), %rdi
        movq    8(%rsp), %rsi
        movq    16(%rsp), %rdx
        movq    24(%rsp), %rcx
        movq    32(%rsp), %r8
        movq    40(%rsp), %r9
        movq    48(%rsp), %rax
        movq    56(%rsp), %r10
        movups  64(%rsp), %xmm0
        movups  80(%rsp), %xmm1
        movups  96(%rsp), %xmm2
        movups  112(%rsp), %xmm3
        movups  128(%rsp), %xmm4
        movups  144(%rsp), %xmm5
        movups  160(%rsp), %xmm6
        movups  176(%rsp), %xmm7
        addq    $216, %rsp
        .cfi_adjust_cfa_offset -216
        jmp     *%r11
        .cfi_endproc
        .size   resolve_and_go, . - resolve_and_go

#define SYN_ENTRY(symbol) entry symbol;
#include "entries.def"

        .section .syn_slots, "aw", @progbits
        .size   syn_slots, . - syn_slots

        .section .note.GNU-stack, "", @progbits
