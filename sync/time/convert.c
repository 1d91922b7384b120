/* sync/time/convert.c - see convert.h. Ticks become nanoseconds by a multiplication and a shift,
 * exact in 128 bits. */
#include "sync/time/convert.h"

#include <stdbool.h>

#include "sync/base/integers.h"
#include "sync/time/cpu.h"
#include "sync/time/ends.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

/* Values converted in one batch. If they do not all lie in one piece, they are converted one by
 * one. */
#define BLOCK_TICKS ((size_t)512)

/* Adding this constant to a double between -2^51 and 2^51 puts its rounded integer value into the
 * low bits of the sum; subtracting it converts an integer to a double. SSE2 and AVX2 have no
 * instruction for either. */
#define WHOLE_MAGIC      0x1.8p52
#define WHOLE_MAGIC_BITS INT64_C(0x4338000000000000)
#define WHOLE_MAX        0x1p51

/* A line that holds for a whole batch: local_ns = elapsed * multiplier / 2^32, and global_ns =
 * local_ns - offset_ns - floor(slope * (local_ns - knot_ns) + 0.5). */
struct line {
    int64_t base_ticks;
    uint64_t multiplier;
    int64_t knot_ns, offset_ns;
    double slope;
};

/* Like syn_convert_tick, without its checks. */
static void convert_any(const struct line *line, int64_t *ticks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t elapsed = (uint64_t)ticks[i] - (uint64_t)line->base_ticks;
        int64_t local_ns = (int64_t)(((unsigned __int128)elapsed * line->multiplier) >> 32);
        double change_ns = line->slope * (double)(local_ns - line->knot_ns) + 0.5;
        int64_t whole_ns = (int64_t)change_ns;
        whole_ns -= (double)whole_ns > change_ns;
        ticks[i] = (int64_t)((uint64_t)local_ns - ((uint64_t)line->offset_ns + (uint64_t)whole_ns));
    }
}

#if SYN_HAVE_AVX2
/* floor(a * b / 2^32) mod 2^64, for unsigned a and b. */
SYN_TARGET_AVX2 static inline __m256i multiply_shift(__m256i a, __m256i b)
{
    __m256i a_high = _mm256_srli_epi64(a, 32), b_high = _mm256_srli_epi64(b, 32);
    __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(a, b), 32);
    __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(a_high, b), _mm256_mul_epu32(a, b_high));
    __m256i high = _mm256_slli_epi64(_mm256_mul_epu32(a_high, b_high), 32);
    return _mm256_add_epi64(_mm256_add_epi64(low, middle), high);
}

SYN_TARGET_AVX2 static void convert_avx2(const struct line *line, int64_t *ticks, size_t count)
{
    const __m256i base = _mm256_set1_epi64x(line->base_ticks);
    const __m256i multiplier = _mm256_set1_epi64x((int64_t)line->multiplier);
    const __m256i knot = _mm256_set1_epi64x(line->knot_ns);
    const __m256i offset = _mm256_set1_epi64x(line->offset_ns);
    const __m256i magic_bits = _mm256_set1_epi64x(WHOLE_MAGIC_BITS);
    const __m256d magic = _mm256_set1_pd(WHOLE_MAGIC), half = _mm256_set1_pd(0.5);
    const __m256d slope = _mm256_set1_pd(line->slope);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i elapsed = _mm256_sub_epi64(_mm256_loadu_si256((__m256i *)(ticks + i)), base);
        __m256i local = multiply_shift(elapsed, multiplier);
        __m256i since = _mm256_add_epi64(_mm256_sub_epi64(local, knot), magic_bits);
        __m256d change = _mm256_mul_pd(slope, _mm256_sub_pd(_mm256_castsi256_pd(since), magic));
        __m256d whole = _mm256_floor_pd(_mm256_add_pd(change, half));
        __m256i whole_bits = _mm256_castpd_si256(_mm256_add_pd(whole, magic));
        __m256i shift = _mm256_add_epi64(_mm256_sub_epi64(whole_bits, magic_bits), offset);
        _mm256_storeu_si256((__m256i *)(ticks + i), _mm256_sub_epi64(local, shift));
    }
    /* RATIONALE: GCC 12 omits it before a call in tail position. The program's SSE code would take
     * up to twice as long, until something else clears the upper halves. */
    _mm256_zeroupper();
    convert_any(line, ticks + i, count - i);
}
#endif

/* Returns true if a time is near enough to the knot for doubles. If both ends of a batch are, all
 * its times are, since everything here is monotonic. */
static bool near_enough(const struct syn_piece *piece, int64_t local_ns)
{
    int64_t since_ns;
    if (__builtin_sub_overflow(local_ns, piece->knot_ns, &since_ns) ||
        since_ns < -(int64_t)WHOLE_MAX || since_ns > (int64_t)WHOLE_MAX)
        return false;
    double change_ns = piece->slope * (double)since_ns + 0.5;
    return change_ns > -WHOLE_MAX && change_ns < WHOLE_MAX;
}

/* Finds one line for all ticks between `ends`. Returns false if there is none. */
static bool find_line(struct syn_convert *convert, struct syn_ends ends, struct line *out)
{
    const struct syn_tick_source *source = convert->ticks;
    int64_t elapsed, first_ns, last_ns;
    if (__builtin_sub_overflow(ends.least, source->base_ticks, &elapsed) || elapsed < 0 ||
        __builtin_sub_overflow(ends.largest, source->base_ticks, &elapsed) ||
        ((unsigned __int128)(uint64_t)elapsed * source->multiplier) >> 32 > INT64_MAX)
        return false;
    first_ns = syn_convert_local(source, ends.least);
    last_ns = syn_convert_local(source, ends.largest);
    struct syn_piece *piece = &convert->piece;
    if (first_ns < piece->first_ns || first_ns > piece->last_ns)
        *piece = syn_timeline_piece(convert->timeline, (syn_local_time){first_ns});
    if (first_ns < piece->first_ns || last_ns > piece->last_ns || !near_enough(piece, first_ns) ||
        !near_enough(piece, last_ns))
        return false;
    *out = (struct line){source->base_ticks, source->multiplier, piece->knot_ns, piece->offset_ns,
                         piece->slope};
    return true;
}

void syn_convert_ticks(struct syn_convert *convert, int64_t *ticks, size_t count)
{
    struct line line;
    for (size_t done = 0, here; done < count; done += here) {
        int64_t *at = ticks + done;
        here = syn_least(count - done, BLOCK_TICKS);
        if (find_line(convert, syn_ends_of(at, here), &line))
            SYN_BY_CPU(convert_avx2(&line, at, here), convert_any(&line, at, here));
        else
            for (size_t i = 0; i < here; i++)
                at[i] = syn_convert_tick(convert, at[i]);
    }
}
