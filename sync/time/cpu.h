/* sync/time/cpu.h - differences between processors: its counter, which version of a loop
 * it gets, how it signs return addresses, its widest number, the size of a page. (Beside it only
 * the assembler of preload/, and the frames that its stacks.c verifies.)
 *
 * Everything runs on any x86-64. A few loops over whole columns have a second version for those
 * since 2013. The choice is a test where the loop begins and not an indirect function: those do
 * not get along with sanitizers and preloading. Other processors get the first version. */
#ifndef SYN_CPU_H
#define SYN_CPU_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- loops ---- */

enum syn_cpu {
    SYN_CPU_ANY,
    SYN_CPU_AVX2 /* AVX2, BMI, BMI2 and LZCNT */
};

/* The target of the loops' second versions. No FMA: it rounds once where others round twice, and
 * every processor is to find the same times (hence -ffp-contract=off, too). SYN_BY_CPU(NEWER, ANY):
 * the one of the two expressions that is for this processor; NEWER may name what is there only
 * where SYN_HAVE_AVX2. */
#if defined(__x86_64__)
#define SYN_HAVE_AVX2          1
#define SYN_TARGET_AVX2        __attribute__((target("avx2,bmi,bmi2,lzcnt")))
#define SYN_BY_CPU(newer, any) (syn_cpu() >= SYN_CPU_AVX2 ? (newer) : (any))
#else
#define SYN_HAVE_AVX2 0
#define SYN_TARGET_AVX2
#define SYN_BY_CPU(newer, any) (any)
#endif

/* The best there is a version for, and allowed. */
enum syn_cpu syn_cpu(void);
/* From now on no better than that, in the whole process: for tests of the other versions. */
void syn_cpu_limit(enum syn_cpu best);

/* ---- counter ---- */

/* The counter: the time-stamp counter of x86-64, the virtual counter of aarch64's generic timer;
 * 0 where there is none.
 * RATIONALE: aarch64 may read its counter before instructions that come earlier in the program
 * have been executed, even before a load that a branch waited for: a call could seem to end before
 * the message that ended it came. The isb holds it back, as it does in the kernel's own
 * clock_gettime. rdtsc, too, is unordered as the manual has it, but waits in practice for what a
 * call's end depends on. */
static inline int64_t syn_cpu_counter(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return (int64_t)ticks;
#else
    return 0;
#endif
}

/* Is the counter's rate constant, the same in all processors of this machine, and does the kernel
 * itself keep time by it? */
bool syn_cpu_counter_trusted(void);
/* Its frequency in Hz, as far as the processor says it exactly: aarch64's cntfrq_el0, which
 * firmware has set. 0: not said. */
uint64_t syn_cpu_counter_hz(void);

/* ---- code ---- */

/* An address of code from a return address as it lies on a stack: without its signature, which
 * aarch64 may keep in the upper bits (pointer authentication). */
static inline uintptr_t syn_code_address(uintptr_t address)
{
#if defined(__aarch64__)
    register uintptr_t word __asm__("x30") = address;
    __asm__("hint #7" : "+r"(word)); /* xpaclri: no operation on processors without */
    return word;
#else
    return address;
#endif
}

/* ---- numbers ---- */

/* IEEE 754's binary128: 113 binary digits, and so the same results on every processor. Some have it
 * as long double, the others by a name of the compiler's. */
#if LDBL_MANT_DIG == 113
typedef long double syn_quad;
#else
typedef __float128 syn_quad;
#endif

/* ---- memory ---- */

/* The bytes of a page: 4 KiB, on aarch64 also 16 or 64 KiB. Also in a signal handler. */
size_t syn_page_bytes(void);

#endif
