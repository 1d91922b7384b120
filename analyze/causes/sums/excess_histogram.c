/* analyze/causes/sums/excess_histogram.c - counts the excesses of a label on a location by powers
 * of two, and keeps samples of them that are the same in whatever order the excesses come.
 *
 * excess  how much longer, in ns, a rank took in one instance than the others; with it come the
 *         waiting that it caused, and a draw
 * draw    a 64-bit number as good as random, made from the instance and the location
 * bucket  the excesses from 2^o ns up to 2^(o + 1)
 * below   a bucket's bound: draws that are smaller are kept as samples, others are only counted
 * few     the first form: up to 24 excesses as they came, in lines of the cache
 * many    the second form: a table of histogram, each with its counts and samples
 *
 *     few    histogram -> [e e .] -before-> [e e e] -before-> [e e e]      newest line first
 *
 *     many   place   0  0  2  0  1  0  0  3 ..      by bucket: 1 + index into `at`, 0 for none
 *            at      [bucket 4] [bucket 2] [bucket 7]      in the order of their first excess
 *                        '-> count, waiting_ns, below, sample -> (draw, excess) (draw, excess) ..
 *
 *     draws of a bucket    0 |  kept  | below         only counted         | 2^64
 *
 * Excess 25, or one that needs more than 32 bits, turns few into many. There a bucket keeps every
 * excess whose draw is under `below`; once it holds 48, `below` is lowered so that 24 to 47 stay.
 * At the end the 24 smallest draws are left, whoever added them. Both forms are listed, summed and
 * merged alike. */
#include "analyze/causes/sums/excess_histogram.h"

#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/tables.h"
#include "sync/base/status.h"

#define BUCKETS_LEAST 2
#define SAMPLES_LEAST 3 /* doubled on each growth, up to SYN_BUCKET_ROOM */

/* ---- many ---- */

/* Returns the size of the many form with room for `capacity` histogram. */
static size_t bytes_of(uint32_t capacity)
{
    return offsetof(struct syn_many_excesses, at) + capacity * sizeof(struct syn_excess_bucket);
}

/* Returns the many form with twice the room; a new one if `many` is NULL. NULL: no memory. */
static struct syn_many_excesses *grow(struct syn_cell_memory *memory,
                                      struct syn_many_excesses *many)
{
    const uint32_t had = many ? many->capacity : 0;
    const uint32_t capacity = many ? 2 * had : BUCKETS_LEAST;
    struct syn_many_excesses *grown = syn_cell_memory_piece(memory, bytes_of(capacity));
    if (!grown)
        return NULL;
    if (many)
        memcpy(grown, many, bytes_of(had));
    else
        memset(grown, 0, bytes_of(0));
    grown->capacity = capacity;
    syn_cell_memory_give_back(memory, many, bytes_of(had));
    return grown;
}

/* Adds a bucket that has had no excess. Returns NULL without memory. */
static struct syn_excess_bucket *
add_bucket(struct syn_cell_memory *memory, struct syn_excess_histogram **histogram, unsigned bucket)
{
    struct syn_many_excesses *many = syn_many_of(*histogram);
    if (!many || many->count == many->capacity) {
        many = grow(memory, many);
        if (!many)
            return NULL;
        *histogram = &many->histogram;
    }
    struct syn_excess_bucket *added = &many->at[many->count];
    *added = (struct syn_excess_bucket){.below = UINT64_MAX};
    many->place[bucket] = (uint8_t)++many->count;
    return added;
}

/* Finds a bucket, or adds it. *histogram is NULL or the many form. Returns NULL without memory. */
static struct syn_excess_bucket *find_or_add(struct syn_cell_memory *memory,
                                             struct syn_excess_histogram **histogram,
                                             unsigned bucket)
{
    struct syn_many_excesses *many = syn_many_of(*histogram);
    const unsigned place = many ? many->place[bucket] : 0;
    return __builtin_expect(place > 0, 1) ? &many->at[place - 1]
                                          : add_bucket(memory, histogram, bucket);
}

/* ---- samples ---- */

/* Counts the draws under a bound, in a bucket that is full: it holds SYN_BUCKET_ROOM samples. */
static uint32_t count_below(const struct syn_excess_bucket *bucket, uint64_t below)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SYN_BUCKET_ROOM; i++)
        count += bucket->sample[i].draw < below;
    return count;
}

/* Returns a bound that SYN_BUCKET_SAMPLES draws or more of a full bucket are under, but not all.
 * Draws are as good as random, so two thirds of the old bound, the first try, leave about two
 * thirds of them. */
static uint64_t choose_bound(const struct syn_excess_bucket *bucket)
{
    uint64_t most = bucket->below, below = most / 3 * 2;
    uint32_t count = count_below(bucket, below);
    for (int tries = 0; tries < 64 && (count < SYN_BUCKET_SAMPLES || count == SYN_BUCKET_ROOM);
         tries++) {
        most = count == SYN_BUCKET_ROOM ? below : most;
        below = count == SYN_BUCKET_ROOM ? below / 2 : below + (most - below) / 2;
        count = count_below(bucket, below);
    }
    return below;
}

/* RATIONALE: the loop compares no draw with another, and has no branch: a processor would predict
 * half of them wrong. If more than SYN_BUCKET_SAMPLES draws are equal, all may stay under the
 * bound: one is then dropped, whichever came last, as the next sample would overrun the room. That
 * takes as many instances of one location at one time. */
void syn_excess_bucket_lower(struct syn_excess_bucket *bucket)
{
    const uint64_t below = choose_bound(bucket);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < SYN_BUCKET_ROOM; i++) {
        bucket->sample[kept] = bucket->sample[i];
        kept += bucket->sample[i].draw < below;
    }
    bucket->below = below;
    bucket->sample_count = kept < SYN_BUCKET_ROOM ? kept : SYN_BUCKET_ROOM - 1;
}

/* Doubles the room for samples. Returns 0 or SYN_ENOMEM. */
static int make_room(struct syn_cell_memory *memory, struct syn_excess_bucket *bucket)
{
    const uint32_t had = bucket->sample_room, room = had ? 2 * had : SAMPLES_LEAST;
    struct syn_cause_drawn *sample = syn_cell_memory_piece(memory, room * sizeof *sample);
    if (!sample)
        return SYN_ENOMEM;
    if (had > 0)
        memcpy(sample, bucket->sample, bucket->sample_count * sizeof *sample);
    syn_cell_memory_give_back(memory, bucket->sample, had * sizeof *sample);
    bucket->sample = sample;
    bucket->sample_room = room;
    return 0;
}

/* Keeps a sample if its draw is under the bound. Returns 0 or SYN_ENOMEM. */
static int offer(struct syn_cell_memory *memory, struct syn_excess_bucket *bucket,
                 const struct syn_cause_drawn *drawn)
{
    if (drawn->draw >= bucket->below)
        return 0;
    if (__builtin_expect(bucket->sample_count == bucket->sample_room, 0) &&
        make_room(memory, bucket))
        return SYN_ENOMEM;
    bucket->sample[bucket->sample_count] = *drawn;
    if (__builtin_expect(++bucket->sample_count == SYN_BUCKET_ROOM, 0))
        syn_excess_bucket_lower(bucket);
    return 0;
}

_Static_assert(SYN_BUCKET_ROOM == SAMPLES_LEAST << 4, "doubled room ends at SYN_BUCKET_ROOM");
_Static_assert(64 * sizeof(struct syn_excess_bucket) + sizeof(struct syn_many_excesses) <=
                   SYN_PIECE_MOST,
               "a table of 64 histogram, the largest by doubling, is a piece");

static bool is_before(const struct syn_cause_drawn *a, const struct syn_cause_drawn *b)
{
    return a->draw != b->draw ? a->draw < b->draw : a->excess_ns < b->excess_ns;
}

/* Sorts samples by draw, by insertion: there are SYN_BUCKET_ROOM at most, and mostly few. */
static void sort_samples(struct syn_cause_drawn *sample, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct syn_cause_drawn inserted = sample[i];
        uint32_t k = i;
        for (; k > 0 && is_before(&inserted, &sample[k - 1]); k--)
            sample[k] = sample[k - 1];
        sample[k] = inserted;
    }
}

void syn_excess_histogram_finish(struct syn_excess_histogram *histogram)
{
    struct syn_many_excesses *many = syn_many_of(histogram);
    if (!histogram || histogram->few_count > 0)
        return; /* few excesses are put in order by syn_excess_histogram_list */
    for (uint32_t i = 0; i < many->count; i++) {
        struct syn_excess_bucket *bucket = &many->at[i];
        sort_samples(bucket->sample, bucket->sample_count);
        if (bucket->sample_count > SYN_BUCKET_SAMPLES)
            bucket->sample_count = SYN_BUCKET_SAMPLES;
    }
}

/* ---- few ---- */

static struct syn_excess excess_of(const struct syn_few_excess *few)
{
    return (struct syn_excess){few->excess_ns, few->waiting_ns, few->draw};
}

/* Puts an empty cache line in front of the others. Returns 0 or SYN_ENOMEM. */
static int add_cache_line(struct syn_cell_memory *memory, struct syn_excess_histogram **histogram)
{
    struct syn_few_excesses *line = syn_cell_memory_piece(memory, sizeof *line), *before;
    if (!line)
        return SYN_ENOMEM;
    before = syn_few_of(*histogram);
    line->histogram.few_count = before ? before->histogram.few_count : 0;
    line->count = 0;
    line->before = before;
    *histogram = &line->histogram;
    return 0;
}

/* Adds an excess to none (NULL) or many. Returns 0 or SYN_ENOMEM. */
static int add_to_bucket(struct syn_cell_memory *memory, struct syn_excess_histogram **histogram,
                         const struct syn_excess *excess)
{
    struct syn_excess_bucket *bucket =
        find_or_add(memory, histogram, syn_excess_bucket_of(excess->excess_ns));
    if (!bucket)
        return SYN_ENOMEM;
    bucket->count++;
    syn_sum_add(&bucket->waiting_ns, excess->waiting_ns);
    return offer(memory, bucket, &(struct syn_cause_drawn){excess->draw, excess->excess_ns});
}

/* Turns few into many. Returns 0, or SYN_ENOMEM, on which some excesses are lost. */
static int make_many(struct syn_cell_memory *memory, struct syn_excess_histogram **histogram)
{
    struct syn_few_excesses *line = syn_few_of(*histogram), *before;
    int status = 0;
    *histogram = NULL;
    for (; line; line = before) {
        for (uint32_t i = 0; i < line->count && status == SYN_OK; i++) {
            const struct syn_excess excess = excess_of(&line->at[i]);
            status = add_to_bucket(memory, histogram, &excess);
        }
        before = line->before;
        syn_cell_memory_give_back(memory, line, sizeof *line);
    }
    return status;
}

static bool are_many(const struct syn_excess_histogram *histogram)
{
    return histogram && histogram->few_count == 0;
}

int syn_excess_histogram_add(struct syn_cell_memory *memory,
                             struct syn_excess_histogram **histogram,
                             const struct syn_excess *excess)
{
    const uint32_t few = *histogram ? (*histogram)->few_count : 0;
    int status = 0;
    if (are_many(*histogram))
        return add_to_bucket(memory, histogram, excess);
    /* All lines are full. An excess that is too large does not go into the new line: it is empty
     * until all of them become many, below. */
    if (few < SYN_EXCESSES_FEW && few % SYN_LINE_EXCESSES == 0)
        status = add_cache_line(memory, histogram);
    if (status != SYN_OK)
        return status;
    if (syn_few_fits(syn_few_of(*histogram), excess)) {
        syn_few_add(syn_few_of(*histogram), excess);
        return 0;
    }
    status = make_many(memory, histogram);
    return status != SYN_OK ? status : add_to_bucket(memory, histogram, excess);
}

/* ---- listed ---- */

/* Adds each bucket that occurs among the few excesses to the list, with room for its samples.
 * times: how often each bucket occurs. */
static void begin_few(const uint8_t *times, struct syn_histogram_list *out)
{
    uint32_t first = 0;
    for (unsigned o = 0; o < SYN_EXCESS_BUCKETS; o++)
        if (times[o] > 0) {
            out->at[out->count] =
                (struct syn_excess_bucket){.below = UINT64_MAX, .sample = &out->few[first]};
            out->bucket[out->count++] = (uint8_t)o;
            first += times[o];
        }
}

/* Sums cannot overflow: they are of at most SYN_EXCESSES_FEW numbers of 32 bits. */
static void list_few(const struct syn_few_excesses *few, struct syn_histogram_list *out)
{
    uint8_t times[SYN_EXCESS_BUCKETS] = {0}, place[SYN_EXCESS_BUCKETS];
    for (const struct syn_few_excesses *line = few; line; line = line->before)
        for (uint32_t i = 0; i < line->count; i++)
            times[syn_excess_bucket_of(line->at[i].excess_ns)]++;
    begin_few(times, out);
    for (uint32_t i = 0; i < out->count; i++)
        place[out->bucket[i]] = (uint8_t)i;
    for (const struct syn_few_excesses *line = few; line; line = line->before)
        for (uint32_t i = 0; i < line->count; i++) {
            const struct syn_few_excess *excess = &line->at[i];
            struct syn_excess_bucket *bucket =
                &out->at[place[syn_excess_bucket_of(excess->excess_ns)]];
            bucket->sample[bucket->sample_count++] =
                (struct syn_cause_drawn){excess->draw, excess->excess_ns};
            bucket->count++;
            bucket->waiting_ns += excess->waiting_ns;
        }
    for (uint32_t i = 0; i < out->count; i++)
        sort_samples(out->at[i].sample, out->at[i].sample_count);
}

void syn_excess_histogram_list(struct syn_excess_histogram *histogram,
                               struct syn_histogram_list *out)
{
    const struct syn_many_excesses *many = syn_many_of(histogram);
    out->count = 0;
    if (histogram && !are_many(histogram))
        list_few(syn_few_of(histogram), out);
    for (unsigned o = 0; are_many(histogram) && o < SYN_EXCESS_BUCKETS; o++)
        if (many->place[o]) {
            out->bucket[out->count] = (uint8_t)o;
            out->at[out->count++] = many->at[many->place[o] - 1];
        }
}

/* Sums cannot overflow, as in list_few. */
static void sum_few(const struct syn_few_excesses *few, struct syn_histogram_sums *out)
{
    for (const struct syn_few_excesses *line = few; line; line = line->before)
        for (uint32_t i = 0; i < line->count; i++) {
            const unsigned o = syn_excess_bucket_of(line->at[i].excess_ns);
            const bool is_there = out->present >> o & 1;
            out->count[o] = (is_there ? out->count[o] : 0) + 1;
            out->waiting_ns[o] = (is_there ? out->waiting_ns[o] : 0) + line->at[i].waiting_ns;
            out->present |= UINT64_C(1) << o;
        }
}

static void sum_many(const struct syn_many_excesses *many, struct syn_histogram_sums *out)
{
    for (unsigned o = 0; o < SYN_EXCESS_BUCKETS; o++)
        if (many->place[o]) {
            const struct syn_excess_bucket *bucket = &many->at[many->place[o] - 1];
            out->count[o] = bucket->count;
            out->waiting_ns[o] = bucket->waiting_ns;
            out->present |= UINT64_C(1) << o;
        }
}

_Static_assert(SYN_EXCESS_BUCKETS <= 64, "each bucket has a bit");
void syn_excess_histogram_sum(const struct syn_excess_histogram *histogram,
                              struct syn_histogram_sums *out)
{
    out->present = 0;
    if (are_many(histogram))
        sum_many((const struct syn_many_excesses *)histogram, out);
    else
        sum_few((const struct syn_few_excesses *)histogram, out);
}

/* ---- adding up ---- */

/* Adds the bucket of another many form. Returns 0 or SYN_ENOMEM. */
static int merge_bucket(struct syn_cell_memory *memory, struct syn_excess_histogram **into,
                        unsigned o, const struct syn_excess_bucket *other)
{
    struct syn_excess_bucket *bucket = find_or_add(memory, into, o);
    int status = bucket ? SYN_OK : SYN_ENOMEM;
    if (status != SYN_OK)
        return status;
    bucket->count += other->count;
    syn_sum_add(&bucket->waiting_ns, other->waiting_ns);
    for (uint32_t k = 0; k < other->sample_count && status == SYN_OK; k++)
        status = offer(memory, bucket, &other->sample[k]);
    return status;
}

/* Most entries of `place` are 0, so four are tested at once. */
#define HISTOGRAMS_AT_ONCE 4
_Static_assert(SYN_EXCESS_BUCKETS % HISTOGRAMS_AT_ONCE == 0, "the table divides into fours");
static bool are_next_four_empty(const uint8_t *place)
{
    uint32_t all;
    memcpy(&all, place, sizeof all);
    return all == 0;
}

static int merge_many(struct syn_cell_memory *memory, struct syn_excess_histogram **into,
                      const struct syn_many_excesses *from)
{
    int status = *into && !are_many(*into) ? make_many(memory, into) : 0;
    for (unsigned next = 0; next < SYN_EXCESS_BUCKETS && status == SYN_OK;
         next += HISTOGRAMS_AT_ONCE) {
        if (are_next_four_empty(&from->place[next]))
            continue;
        for (unsigned o = next; o < next + HISTOGRAMS_AT_ONCE && status == SYN_OK; o++)
            if (from->place[o])
                status = merge_bucket(memory, into, o, &from->at[from->place[o] - 1]);
    }
    return status;
}

int syn_excess_histogram_merge(struct syn_cell_memory *memory, struct syn_excess_histogram **into,
                               struct syn_excess_histogram *from)
{
    int status = 0;
    if (are_many(from))
        return merge_many(memory, into, syn_many_of(from));
    for (const struct syn_few_excesses *line = syn_few_of(from); line; line = line->before)
        for (uint32_t i = 0; i < line->count && status == SYN_OK; i++) {
            const struct syn_excess excess = excess_of(&line->at[i]);
            status = syn_excess_histogram_add(memory, into, &excess);
        }
    return status;
}
