/* sync/time/cpu.h - everything in sync/, trace/ and analyze/ that depends on the processor: its
 * counter, vector loops, signed return addresses, the widest float, the page size. (preload/ has
 * assembler and stack walks besides.)
 *
 * All code runs on any x86-64. A few loops over whole columns have a second version for processors
 * since 2013. RATIONALE: a test before the loop selects the version, since indirect functions fail
 * with sanitizers and preloading. Other processors use the first version. */
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

/* Target of the loops' second versions. SYN_BY_CPU(newer, any): selects an expression for this
 * processor; `newer` may use names that exist only with SYN_HAVE_AVX2. RATIONALE: FMA is not used,
 * as it rounds once instead of twice, and all processors must compute the same times (hence also
 * -ffp-contract=off). */
#if defined(__x86_64__)
#define SYN_HAVE_AVX2          1
#define SYN_TARGET_AVX2        __attribute__((target("avx2,bmi,bmi2,lzcnt")))
#define SYN_BY_CPU(newer, any) (syn_cpu() >= SYN_CPU_AVX2 ? (newer) : (any))
#else
#define SYN_HAVE_AVX2 0
#define SYN_TARGET_AVX2
#define SYN_BY_CPU(newer, any) (any)
#endif

/* Returns the best version that this processor supports and syn_cpu_limit allows. */
enum syn_cpu syn_cpu(void);
/* Limit the version in the whole process, to test the others. */
void syn_cpu_limit(enum syn_cpu best);

/* ---- counter ---- */

/* Reads the counter: the time-stamp counter of x86-64, the virtual counter of aarch64's generic
 * timer; 0 on other processors. RATIONALE: aarch64 may read its counter before earlier instructions
 * are done, even before a load that a branch waited for: a call could seem to end before its
 * message arrived. isb prevents that, as in the kernel's clock_gettime. rdtsc is unordered by its
 * manual, but in practice waits for what the end of a call depends on. */
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

/* Returns true if the counter's rate is constant and the same on all processors of this machine,
 * and the kernel itself keeps time by it. */
bool syn_cpu_counter_trusted(void);
/* Returns its frequency in Hz if the processor states it exactly (aarch64's cntfrq_el0, set by
 * firmware); else 0. */
uint64_t syn_cpu_counter_hz(void);

/* ---- code ---- */

/* Returns a code address from a return address on the stack: removes the signature that aarch64 may
 * keep in the upper bits (pointer authentication). */
static inline uintptr_t syn_code_address(uintptr_t address)
{
#if defined(__aarch64__)
    register uintptr_t word __asm__("x30") = address;
    __asm__("hint #7" : "+r"(word)); /* xpaclri: no operation on processors without signatures */
    return word;
#else
    return address;
#endif
}

/* ---- numbers ---- */

/* IEEE 754 binary128 (113 binary digits): the same results on every processor. Some compilers call
 * it long double, others __float128. */
#if LDBL_MANT_DIG == 113
typedef long double syn_quad;
#else
typedef __float128 syn_quad;
#endif

/* ---- memory ---- */

/* Returns the page size in bytes: 4 KiB; on aarch64 also 16 or 64 KiB. May be called in a signal
 * handler. */
size_t syn_page_bytes(void);

#endif
