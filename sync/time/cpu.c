/* sync/time/cpu.c - see cpu.h. */
#include "sync/time/cpu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- loops ---- */

static enum syn_cpu limit = SYN_CPU_AVX2;

static bool has_avx2(void)
{
#if defined(__x86_64__)
    /* Every processor with AVX2 has LZCNT; gcc 12 cannot test for it. */
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

/* ---- counter ---- */

#if defined(__x86_64__) || defined(__aarch64__)
static bool file_contains_word(const char *path, const char *word)
{
    char line[4096]; /* the flags of a current x86 processor take about 2 kB */
    bool found = false;
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        char *rest = line;
        for (char *token; !found && (token = strsep(&rest, " \t\n"));)
            found = strcmp(token, word) == 0;
    }
    fclose(file);
    return found;
}

static bool kernel_keeps_time_by(const char *clocksource)
{
    return file_contains_word("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                              clocksource);
}
#endif

bool syn_cpu_counter_trusted(void)
{
#if defined(__x86_64__)
    return file_contains_word("/proc/cpuinfo", "constant_tsc") &&
           file_contains_word("/proc/cpuinfo", "nonstop_tsc") && kernel_keeps_time_by("tsc");
#elif defined(__aarch64__)
    /* The architecture guarantees one counter of constant frequency. */
    return kernel_keeps_time_by("arch_sys_counter");
#else
    return false;
#endif
}

uint64_t syn_cpu_counter_hz(void)
{
#if defined(__aarch64__)
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz & UINT32_MAX; /* the upper bits are reserved */
#else
    return 0;
#endif
}

/* ---- memory ---- */

size_t syn_page_bytes(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? (size_t)bytes : 4096;
}
