/* sync/cpu.c - what depends on the processor, asked once. */
#include "cpu.h"

#include <stdbool.h>

static enum syn_cpu limit = SYN_CPU_AVX2;

static bool has_avx2(void)
{
#if defined(__x86_64__)
    /* Every processor with AVX2 has LZCNT, which gcc 12 cannot ask for. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

enum syn_cpu syn_cpu(void)
{
    return limit >= SYN_CPU_AVX2 && has_avx2() ? SYN_CPU_AVX2 : SYN_CPU_ANY;
}

void syn_cpu_limit(enum syn_cpu best)
{
    limit = best;
}
