/* preload/entry/entries.S - the exported MPI functions: one jump each, through a slot.
 *
 * An entry touches neither arguments nor stack, so it needs to know no prototype and serves every MPI, and
 * the wrapper behind it sees the program's own call site as its return address. A slot starts out at code
 * that asks syn_resolve (resolve.c), which fills all slots at the first MPI call; from then on an entry costs one indirect
 * jump. Which of the names the process sees is presence.c's business.
 *
 * On aarch64 a slot is read with acquire: the wrapper that it leads to reads what was made before the slot was
 * filled, by another thread perhaps, and neither a branch nor an address orders that. x86-64 orders all loads. x16
 * and x17 are a linker's own: no call has anything in them. On powerpc64le the same takes a branch that depends on what was
 * read, and isync; r11 and r12 are a linker's own there. On riscv64 it takes a fence; t0 and t1 are a linker's own. */

#include "preload/entry/arguments.S"

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

        .macro  slot symbol
        .pushsection .syn_slots, "aw", @progbits
.Lslot_\symbol:
        .quad   .Lfirst_\symbol
        .popsection
        .endm

#if defined(__x86_64__)
        .macro  entry symbol
        slot    \symbol
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

/* In: the index of the entry on the stack, the call's arguments in their registers.
 * Saves every register that may hold one, asks where to go, restores, goes. */
        .p2align 4
        .type   resolve_and_go, @function
resolve_and_go:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        subq    $(ARGUMENT_BYTES + 16), %rsp
        .cfi_adjust_cfa_offset ARGUMENT_BYTES + 16
        save_arguments
        movq    (ARGUMENT_BYTES + 16)(%rsp), %rdi
        call    syn_resolve
        movq    %rax, %r11
        restore_arguments
        addq    $(ARGUMENT_BYTES + 24), %rsp
        .cfi_adjust_cfa_offset -(ARGUMENT_BYTES + 24)
        jmp     *%r11
        .cfi_endproc
        .size   resolve_and_go, . - resolve_and_go
#elif defined(__aarch64__)
        .macro  entry symbol
        slot    \symbol
        .p2align 4
        .globl  \symbol
        .type   \symbol, @function
\symbol:
        .cfi_startproc
        bti     c
        adrp    x16, .Lslot_\symbol
        add     x16, x16, #:lo12:.Lslot_\symbol
        ldar    x16, [x16]
        br      x16
        .cfi_endproc
        .size   \symbol, . - \symbol

.Lfirst_\symbol:
        .cfi_startproc
        bti     c
        mov     w17, #entry_index
        b       resolve_and_go
        .cfi_endproc
        .set    entry_index, entry_index + 1
        .endm

/* In: the index of the entry in x17, the call's arguments in their registers. Asks
 * where to go, goes. */
        .p2align 4
        .type   resolve_and_go, @function
resolve_and_go:
        .cfi_startproc
        save_arguments
        mov     x0, x17
        bl      syn_resolve
        mov     x16, x0
        restore_arguments
        br      x16
        .cfi_endproc
        .size   resolve_and_go, . - resolve_and_go
#elif defined(__powerpc64__)
        .macro  entry symbol
        slot    \symbol
        .p2align 4
        .globl  \symbol
        .type   \symbol, @function
\symbol:
        .cfi_startproc
        find_data
        .localentry \symbol, . - \symbol
        addis   11, 2, .Lslot_\symbol@toc@ha
        ld      12, .Lslot_\symbol@toc@l(11)
        cmpd    7, 12, 12
        bne-    7, . + 4
        isync
        mtctr   12
        bctr
        .cfi_endproc
        .size   \symbol, . - \symbol

.Lfirst_\symbol:
        .cfi_startproc
        li      11, entry_index
        b       resolve_and_go
        .cfi_endproc
        .set    entry_index, entry_index + 1
        .endm

/* In: the index of the entry in r11, our data in r2, the call's arguments
 * in their registers. Asks where to go, goes. */
        .p2align 4
        .type   resolve_and_go, @function
resolve_and_go:
        .cfi_startproc
        save_arguments
        mr      3, 11
        bl      syn_resolve
        nop
        mr      12, 3
        mtctr   12
        restore_arguments
        bctr
        .cfi_endproc
        .size   resolve_and_go, . - resolve_and_go
#elif defined(__riscv)
        .macro  entry symbol
        slot    \symbol
        .p2align 4
        .globl  \symbol
        .type   \symbol, @function
\symbol:
        .cfi_startproc
        ld      t1, .Lslot_\symbol
        fence   r, rw
        jr      t1
        .cfi_endproc
        .size   \symbol, . - \symbol

.Lfirst_\symbol:
        .cfi_startproc
        li      t0, entry_index
        j       resolve_and_go
        .cfi_endproc
        .set    entry_index, entry_index + 1
        .endm

/* In: the index of the entry in t0, the call's arguments in their registers. Asks
 * where to go, goes. */
        .p2align 4
        .type   resolve_and_go, @function
resolve_and_go:
        .cfi_startproc
        save_arguments
        mv      a0, t0
        call    syn_resolve
        mv      t1, a0
        restore_arguments
        jr      t1
        .cfi_endproc
        .size   resolve_and_go, . - resolve_and_go
#endif

        .globl  syn_entries_begin, syn_entries_end
        .hidden syn_entries_begin
        .hidden syn_entries_end
syn_entries_begin:
#define SYN_ENTRY(symbol) entry symbol;
#include "preload/entry/entries.def"
syn_entries_end:

        .section .syn_slots, "aw", @progbits
        .size   syn_slots, . - syn_slots

        .section .note.GNU-stack, "", @progbits
