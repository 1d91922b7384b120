/* sync/cpu.h - which version of a loop this processor gets.
 *
 * Everything runs on any x86-64. A few loops over whole columns have a second version for
 * processors since 2013. The choice is a test where the loop begins and not an indirect function:
 * those do not get along with sanitizers and preloading. */
#ifndef SYN_CPU_H
#define SYN_CPU_H

enum syn_cpu {
    SYN_CPU_ANY,
    SYN_CPU_AVX2 /* AVX2, BMI, BMI2 and LZCNT */
};

/* What the loops' second versions are compiled for. No FMA: it rounds once where others round
 * twice, and every processor is to find the same times. */
#define SYN_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt")))

/* The best there is a version for, and allowed. */
enum syn_cpu syn_cpu(void);
/* From now on no better than that, in the whole process: for tests of the other versions. */
void syn_cpu_limit(enum syn_cpu best);

#endif
