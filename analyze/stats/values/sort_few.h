/* analyze/stats/values/sort_few.h - sorting a few hundred numbers in registers; private to this
 * folder. */
#ifndef SYN_STATS_SORT_FEW_H
#define SYN_STATS_SORT_FEW_H

#include <stddef.h>
#include <stdint.h>

#include "sync/time/cpu.h"

/* A power of two. */
#define SYN_FEW_MOST ((size_t)1024)

#if SYN_HAVE_AVX2
/* x [SYN_FEW_MOST], of which n count: ascending. What is behind them is lost. For processors of
 * SYN_CPU_AVX2. */
void syn_sort_few_avx2(uint32_t *x, size_t n);
#endif

#endif
