/* analyze/causes/rows.c - loops along a location's columns. They ask no question, so that compilers
 * make vectors of them; each is there once for any processor and once for newer ones
 * (sync/time/cpu.h).
 */
#include "analyze/causes/rows.h"

#include <string.h>

#include "sync/base/integers.h"
#include "sync/time/cpu.h"

#define LOOP static inline __attribute__((always_inline))

/* ---- who is in it ---- */

/* 0: all agree. Of the calls behind the first: that begins after anything that was before. */
LOOP uint64_t differences(const struct syn_row_calls *row, const struct syn_row_run *run)
{
    const int64_t *start_ns = row->start_ns, *end_ns = row->end_ns;
    uint64_t differ = row->sequence[1] ^ run->sequence[1];
    for (size_t k = 2; k <= row->count; k++)
        differ |= (uint64_t)(start_ns[k] < end_ns[k - 1]) | (row->sequence[k] ^ run->sequence[k]);
    return differ;
}

static uint64_t differences_any(const struct syn_row_calls *row, const struct syn_row_run *run)
{
    return differences(row, run);
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static uint64_t differences_avx2(const struct syn_row_calls *row,
                                                 const struct syn_row_run *run)
{
    return differences(row, run);
}
#endif

static uint64_t other_kinds(const struct syn_row_calls *row, const uint64_t *plain,
                            const struct syn_row_run *run)
{
    uint64_t differ = 0;
    for (size_t k = 1; k <= row->count; k++)
        differ |= plain[row->kind[k]] ^ run->plain[k];
    return differ;
}

static size_t count_agreeing(const struct syn_row_calls *row, const uint64_t *plain,
                             const struct syn_row_run *run)
{
    int64_t before_ns = row->before_ns;
    size_t k = 1;
    for (; k <= row->count; before_ns = row->end_ns[k++])
        if (row->start_ns[k] < before_ns || plain[row->kind[k]] != run->plain[k] ||
            row->sequence[k] != run->sequence[k])
            break;
    return k - 1;
}

size_t syn_row_agrees(const struct syn_row_calls *row, const uint64_t *plain,
                      const struct syn_row_run *run)
{
    if (row->count == 0)
        return 0;
    const bool agree = row->start_ns[1] >= row->before_ns && other_kinds(row, plain, run) == 0 &&
                       SYN_BY_CPU(differences_avx2(row, run), differences_any(row, run)) == 0;
    return agree ? row->count : count_agreeing(row, plain, run);
}

/* ---- who comes last ---- */

LOOP void come(const int64_t *restrict start_ns, const int64_t *restrict end_ns, size_t count,
               int64_t location, struct syn_row_run *restrict run)
{
    for (size_t k = 1; k <= count; k++) {
        const int64_t together_ns = run->together_ns[k];
        const bool later = start_ns[k] > together_ns;
        run->last[k] = later ? location : run->last[k];
        run->together_ns[k] = later ? start_ns[k] : together_ns;
        run->first_end_ns[k] = syn_least(end_ns[k], run->first_end_ns[k]);
    }
}

static void come_any(const struct syn_row_calls *row, int64_t location, struct syn_row_run *run)
{
    come(row->start_ns, row->end_ns, row->count, location, run);
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static void come_avx2(const struct syn_row_calls *row, int64_t location,
                                      struct syn_row_run *run)
{
    come(row->start_ns, row->end_ns, row->count, location, run);
}
#endif

static void come_first(const struct syn_row_calls *row, int64_t location, struct syn_row_run *run)
{
    memcpy(run->together_ns + 1, row->start_ns + 1, row->count * sizeof *run->together_ns);
    memcpy(run->first_end_ns + 1, row->end_ns + 1, row->count * sizeof *run->first_end_ns);
    for (size_t k = 1; k <= row->count; k++)
        run->last[k] = location;
}

void syn_row_come(const struct syn_row_calls *row, uint32_t location, bool is_first,
                  struct syn_row_run *run)
{
    if (is_first)
        come_first(row, location, run);
    else
        SYN_BY_CPU(come_avx2(row, location, run), come_any(row, location, run));
}

/* ---- what each did ---- */

LOOP void divide(const int64_t *restrict start_ns, const int64_t *restrict end_ns, size_t count,
                 const int64_t *restrict together_ns, struct syn_row_times *restrict times)
{
    for (size_t k = 2; k <= count; k++) {
        times->segment_ns[k] = start_ns[k] - end_ns[k - 1];
        times->waiting_ns[k] = together_ns[k] - start_ns[k];
        times->operation_ns[k] = end_ns[k] - together_ns[k];
        times->before_ns[k] = end_ns[k - 1] - together_ns[k - 1];
    }
}

/* Waiting within the clocks' bound is not owed. */
LOOP void owe(const struct syn_row_times *restrict times, size_t count,
              struct syn_row_run *restrict run)
{
    for (size_t k = 1; k <= count; k++) {
        const int64_t owed = times->waiting_ns[k] > run->bound_ns[k] ? -1 : 0;
        run->waiter_count[k] -= owed;
        run->debt_ns[k] += times->waiting_ns[k] & owed;
        run->computing_ns[k] += times->segment_ns[k] & owed;
        run->operation_ns[k] += times->before_ns[k] & owed;
    }
}

static void pass_any(const struct syn_row_calls *row, struct syn_row_run *run,
                     struct syn_row_times *times)
{
    divide(row->start_ns, row->end_ns, row->count, run->together_ns, times);
    owe(times, row->count, run);
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static void pass_avx2(const struct syn_row_calls *row, struct syn_row_run *run,
                                      struct syn_row_times *times)
{
    divide(row->start_ns, row->end_ns, row->count, run->together_ns, times);
    owe(times, row->count, run);
}
#endif

void syn_row_pass(const struct syn_row_calls *row, struct syn_row_run *run,
                  struct syn_row_times *times)
{
    times->segment_ns[1] = row->start_ns[1] - row->before_ns;
    times->waiting_ns[1] = run->together_ns[1] - row->start_ns[1];
    times->operation_ns[1] = row->end_ns[1] - run->together_ns[1];
    times->before_ns[1] = row->before_ns - run->together_ns[0];
    SYN_BY_CPU(pass_avx2(row, run, times), pass_any(row, run, times));
}
