/* analyze/causes/sums/excess_histogram.c - counts the excesses of a label on a location by powers
 * of two, and keeps samples that do not depend on the order of adding.
 *
 * Bucket o counts the excesses from 2^o ns up to 2^(o + 1). The bucket keeps every excess whose
 * draw is below its bound. As soon as it holds SYN_BUCKET_ROOM samples, the bound is lowered so
 * that SYN_BUCKET_SAMPLES or more remain, but not all. At the end the SYN_BUCKET_SAMPLES smallest
 * draws remain, in whatever order they were added.
 *
 *     draws of a bucket    0 |  kept  | below         only counted         | 2^64 */
#include "analyze/causes/sums/excess_histogram.h"

#include <stddef.h>
#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "sync/base/status.h"

#define SAMPLES_LEAST 3 /* doubled on each growth, up to SYN_BUCKET_ROOM */
_Static_assert(SYN_BUCKET_ROOM == SAMPLES_LEAST << 4, "doubled room ends at SYN_BUCKET_ROOM");
_Static_assert(64 * sizeof(struct syn_excess_bucket) + sizeof(struct syn_excess_histogram) <=
                   SYN_PIECE_MOST,
               "a table of 64 buckets, the largest by doubling, is a piece");
_Static_assert(SYN_EXCESS_BUCKETS <= 64, "each bucket has a bit");

static size_t bytes_of(uint32_t capacity)
{
    return sizeof(struct syn_excess_histogram) + capacity * sizeof(struct syn_excess_bucket);
}

/* Returns a bucket, made if there is none. Returns NULL if out of memory. */
static struct syn_excess_bucket *bucket_at(struct syn_cell_memory *memory,
                                           struct syn_excess_histogram **histogram, unsigned number)
{
    struct syn_excess_histogram *of = *histogram;
    const uint64_t bit = UINT64_C(1) << number;
    const uint32_t at = of ? (uint32_t)__builtin_popcountll(of->present & (bit - 1)) : 0;
    if (__builtin_expect(of && of->present & bit, 1))
        return &of->at[at];
    if (!of || of->count == of->capacity) {
        const uint32_t had = of ? of->capacity : 0, capacity = had ? 2 * had : 1;
        struct syn_excess_histogram *grown = syn_cell_memory_piece(memory, bytes_of(capacity));
        if (!grown)
            return NULL;
        *grown = (struct syn_excess_histogram){0};
        if (of)
            memcpy(grown, of, bytes_of(had));
        grown->capacity = capacity;
        syn_cell_memory_give_back(memory, of, bytes_of(had));
        *histogram = of = grown;
    }
    memmove(&of->at[at + 1], &of->at[at], (of->count - at) * sizeof *of->at);
    of->at[at] = (struct syn_excess_bucket){.below = UINT64_MAX};
    of->present |= bit;
    of->count++;
    return &of->at[at];
}

/* ---- samples ---- */

/* Returns how many draws of a full bucket are below a bound. */
static uint32_t count_below(const struct syn_excess_bucket *bucket, uint64_t below)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SYN_BUCKET_ROOM; i++)
        count += bucket->sample[i].draw < below;
    return count;
}

/* Lowers the bound of a full bucket so that SYN_BUCKET_SAMPLES draws or more are below it, but not
 * all, and drops the others. Draws are like random numbers, so two thirds of the old bound, the
 * first try, leave about two thirds of them. If more than SYN_BUCKET_SAMPLES draws are equal, all
 * may stay below the bound. Then the last one is dropped, because the next sample would exceed the
 * room. That requires as many instances of one location at one time. */
static void lower_bound(struct syn_excess_bucket *bucket)
{
    uint64_t most = bucket->below, below = most / 3 * 2;
    uint32_t count = count_below(bucket, below), kept = 0;
    for (int tries = 0; tries < 64 && (count < SYN_BUCKET_SAMPLES || count == SYN_BUCKET_ROOM);
         tries++) {
        most = count == SYN_BUCKET_ROOM ? below : most;
        below = count == SYN_BUCKET_ROOM ? below / 2 : below + (most - below) / 2;
        count = count_below(bucket, below);
    }
    for (uint32_t i = 0; i < SYN_BUCKET_ROOM; i++) {
        bucket->sample[kept] = bucket->sample[i];
        kept += bucket->sample[i].draw < below;
    }
    bucket->below = below;
    bucket->sample_count = kept < SYN_BUCKET_ROOM ? kept : SYN_BUCKET_ROOM - 1;
}

/* Keeps a sample if its draw is below the bound. A branch could not be predicted, so the sample is
 * always written, behind those that are kept. Returns 0 or SYN_ENOMEM. */
static int offer(struct syn_cell_memory *memory, struct syn_excess_bucket *bucket, uint64_t draw,
                 int64_t excess_ns)
{
    const uint32_t had = bucket->sample_room;
    if (__builtin_expect(bucket->sample_count == had, 0)) {
        const uint32_t room = had ? 2 * had : SAMPLES_LEAST;
        struct syn_cause_drawn *sample = syn_cell_memory_piece(memory, room * sizeof *sample);
        if (!sample)
            return SYN_ENOMEM;
        if (had > 0)
            memcpy(sample, bucket->sample, had * sizeof *sample);
        syn_cell_memory_give_back(memory, bucket->sample, had * sizeof *sample);
        bucket->sample = sample;
        bucket->sample_room = room;
    }
    bucket->sample[bucket->sample_count] = (struct syn_cause_drawn){draw, excess_ns};
    bucket->sample_count += draw < bucket->below;
    if (__builtin_expect(bucket->sample_count == SYN_BUCKET_ROOM, 0))
        lower_bound(bucket);
    return 0;
}

void syn_excess_histogram_finish(struct syn_excess_histogram *histogram)
{
    for (uint32_t o = 0; histogram && o < histogram->count; o++) {
        struct syn_cause_drawn *sample = histogram->at[o].sample;
        /* sorts by draw, then by excess, with insertion: there are at most SYN_BUCKET_ROOM, and
         * mostly few */
        for (uint32_t i = 1; i < histogram->at[o].sample_count; i++) {
            const struct syn_cause_drawn moved = sample[i];
            uint32_t k = i;
            for (; k > 0 &&
                   (moved.draw < sample[k - 1].draw || (moved.draw == sample[k - 1].draw &&
                                                        moved.excess_ns < sample[k - 1].excess_ns));
                 k--)
                sample[k] = sample[k - 1];
            sample[k] = moved;
        }
        if (histogram->at[o].sample_count > SYN_BUCKET_SAMPLES)
            histogram->at[o].sample_count = SYN_BUCKET_SAMPLES;
    }
}

/* ---- adding up ---- */

int syn_excess_histogram_add(struct syn_cell_memory *memory,
                             struct syn_excess_histogram **histogram,
                             const struct syn_excess *excess)
{
    struct syn_excess_bucket *bucket =
        bucket_at(memory, histogram, syn_excess_bucket_of(excess->excess_ns));
    if (!bucket)
        return SYN_ENOMEM;
    bucket->count++;
    syn_sum_add(&bucket->waiting_ns, excess->waiting_ns);
    return offer(memory, bucket, excess->draw, excess->excess_ns);
}

int syn_excess_histogram_merge(struct syn_cell_memory *memory, struct syn_excess_histogram **into,
                               const struct syn_excess_histogram *from)
{
    const struct syn_excess_bucket *added = from ? from->at : NULL;
    int status = 0;
    for (uint64_t left = from ? from->present : 0; left && status == SYN_OK;
         left &= left - 1, added++) {
        struct syn_excess_bucket *bucket = bucket_at(memory, into, (unsigned)__builtin_ctzll(left));
        status = bucket ? SYN_OK : SYN_ENOMEM;
        for (uint32_t k = 0; k < added->sample_count && status == SYN_OK; k++)
            status = offer(memory, bucket, added->sample[k].draw, added->sample[k].excess_ns);
        if (status == SYN_OK) {
            bucket->count += added->count;
            syn_sum_add(&bucket->waiting_ns, added->waiting_ns);
        }
    }
    return status;
}
