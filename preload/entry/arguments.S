/* preload/entry/arguments.S - included by entries.S and control_entry.S: keep every register that may hold an argument
 * of a call whose prototype nobody knows, ask a function of ours, go on.
 *
 * x86-64: rax (of a variadic call), r10 (a nested function's frame), six integers, eight vectors.
 * aarch64 (AAPCS64): x8 (where a structure goes), x0 to x7, q0 to q7, and x30, the caller's return address.
 * powerpc64le (ELFv2): r3 to r10, f1 to f13, v2 to v13, and the link register, the caller's return address.
 * riscv64 (lp64d): a0 to a7, fa0 to fa7, t2 (a nested function's frame), and ra, the caller's return address.
 *
 * All that syncopate needs of a processor is here, in entries.S and in control_entry.S: which registers hold arguments, and
 * a jump that touches none of them. */

#if defined(__x86_64__)
#define ARGUMENT_BYTES 192

        .macro  save_arguments
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
        .endm

        .macro  restore_arguments
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
        .endm
#elif defined(__aarch64__)
#define ARGUMENT_BYTES 224

/* A frame as others have it: x29 and x30 at its lower end. */
        .macro  save_arguments
        stp     x29, x30, [sp, #-ARGUMENT_BYTES]!
        .cfi_adjust_cfa_offset ARGUMENT_BYTES
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        str     x8, [sp, #80]
        stp     q0, q1, [sp, #96]
        stp     q2, q3, [sp, #128]
        stp     q4, q5, [sp, #160]
        stp     q6, q7, [sp, #192]
        .endm

        .macro  restore_arguments
        ldp     x0, x1, [sp, #16]
        ldp     x2, x3, [sp, #32]
        ldp     x4, x5, [sp, #48]
        ldp     x6, x7, [sp, #64]
        ldr     x8, [sp, #80]
        ldp     q0, q1, [sp, #96]
        ldp     q2, q3, [sp, #128]
        ldp     q4, q5, [sp, #160]
        ldp     q6, q7, [sp, #192]
        ldp     x29, x30, [sp], #ARGUMENT_BYTES
        .cfi_adjust_cfa_offset -ARGUMENT_BYTES
        .cfi_restore x29
        .cfi_restore x30
        .endm

/* Functions here may be reached by an indirect jump also where the processor checks these. Objects say so, or
 * the linker takes the protection from the whole library. */
        .pushsection .note.gnu.property, "a"
        .p2align 3
        .word   4, 16, 5
        .asciz  "GNU"
        .word   0xc0000000, 4, 1, 0
        .popsection
#elif defined(__powerpc64__) && _CALL_ELF == 2
/* Behind 32 bytes that a frame begins with, and 64 for whoever is called. */
#define ARGUMENT_AREA   96
#define ARGUMENT_FLOATS (ARGUMENT_AREA + 8 * 8)
#define ARGUMENT_WORDS  (ARGUMENT_FLOATS + 13 * 8)
#define ARGUMENT_BYTES  (ARGUMENT_WORDS + 8 + 12 * 16)

        .abiversion 2
        .machine power8

/* r2, by which data is found, from r12, which holds the address of whoever was jumped to. */
        .macro  find_data
98:     addis   2, 12, .TOC. - 98b@ha
        addi    2, 2, .TOC. - 98b@l
        .endm

        .macro  each_argument general, floating, vector
        .irp    n, 3, 4, 5, 6, 7, 8, 9, 10
        \general \n, (ARGUMENT_AREA + 8 * (\n - 3))(1)
        .endr
        .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
        \floating \n, (ARGUMENT_FLOATS + 8 * (\n - 1))(1)
        .endr
        .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
        li      0, ARGUMENT_WORDS + 8 + 16 * (\n - 2)
        \vector \n, 1, 0
        .endr
        .endm

        .macro  save_arguments
        mflr    0
        std     0, 16(1)
        stdu    1, -ARGUMENT_BYTES(1)
        .cfi_adjust_cfa_offset ARGUMENT_BYTES
        .cfi_offset 65, 16
        each_argument std, stfd, stvx
        .endm

/* r12, to go on to, stays. */
        .macro  restore_arguments
        each_argument ld, lfd, lvx
        addi    1, 1, ARGUMENT_BYTES
        .cfi_adjust_cfa_offset -ARGUMENT_BYTES
        ld      0, 16(1)
        mtlr    0
        .cfi_restore 65
        .endm
#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_float_abi_double)
#define ARGUMENT_FLOATS (8 * 8)
#define ARGUMENT_BYTES  (ARGUMENT_FLOATS + 8 * 8 + 2 * 8)

        .macro  each_argument general, floating
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        \general a\n, (8 * \n)(sp)
        \floating fa\n, (ARGUMENT_FLOATS + 8 * \n)(sp)
        .endr
        \general t2, (ARGUMENT_BYTES - 16)(sp)
        \general ra, (ARGUMENT_BYTES - 8)(sp)
        .endm

        .macro  save_arguments
        addi    sp, sp, -ARGUMENT_BYTES
        .cfi_adjust_cfa_offset ARGUMENT_BYTES
        each_argument sd, fsd
        .cfi_offset ra, -8
        .endm

/* t1, to go on to, stays. */
        .macro  restore_arguments
        each_argument ld, fld
        .cfi_restore ra
        addi    sp, sp, ARGUMENT_BYTES
        .cfi_adjust_cfa_offset -ARGUMENT_BYTES
        .endm
#else
#error "arguments.S, entries.S and control_entry.S know x86-64, aarch64, powerpc64le and riscv64"
#endif
