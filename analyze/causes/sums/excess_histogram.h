/* analyze/causes/sums/excess_histogram.h - the distribution of the excesses of a label on a
 * location: counts by powers of two (buckets), and samples of each bucket. An excess is how much
 * longer a rank took in one instance than the others, in ns. Each comes with the waiting that it
 * caused. Whether an excess becomes a sample depends on its draw alone, not on the order of
 * adding. */
#ifndef SYN_EXCESS_HISTOGRAM_H
#define SYN_EXCESS_HISTOGRAM_H

#include <stdint.h>

#include "analyze/causes/sums/cell_memory.h"

#define SYN_EXCESS_BUCKETS 52 /* the last bucket also counts all larger excesses */
#define SYN_BUCKET_SAMPLES 24 /* most samples of a bucket at the end */
#define SYN_BUCKET_ROOM    48 /* most samples of a bucket before its bound is lowered */

struct syn_excess_bucket {
    int64_t count, waiting_ns;
    uint64_t below; /* exclusive upper bound of the draws that are kept; if there are enough, the
                       SYN_BUCKET_SAMPLES smallest are among them */
    struct syn_cause_drawn {
        uint64_t draw;
        int64_t excess_ns;
    } * sample; /* [sample_count] of sample_room */
    uint32_t sample_count, sample_room;
};

/* The excesses of a label on a location. A NULL pointer stands for none. */
struct syn_excess_histogram {
    uint64_t present;              /* bit i is set if bucket i has excesses */
    uint32_t count, capacity;      /* buckets in use, room */
    struct syn_excess_bucket at[]; /* [count], the buckets of the set bits, ascending */
};

struct syn_excess {
    int64_t excess_ns, waiting_ns;
    uint64_t draw; /* a hash that does not depend on the order of work */
};
/* Returns the bucket of an excess: its binary logarithm, rounded down; 0 up to 1 ns. */
static inline unsigned syn_excess_bucket_of(int64_t ns)
{
    const unsigned bucket = ns > 0 ? 63u - (unsigned)__builtin_clzll((uint64_t)ns) : 0;
    return bucket < SYN_EXCESS_BUCKETS ? bucket : SYN_EXCESS_BUCKETS - 1;
}
/* Adds an excess. `memory` owns what the histogram takes. Returns 0 or SYN_ENOMEM. */
int syn_excess_histogram_add(struct syn_cell_memory *memory,
                             struct syn_excess_histogram **histogram,
                             const struct syn_excess *excess);
/* Adds all excesses of `from`, which is not changed. Returns 0 or SYN_ENOMEM. */
int syn_excess_histogram_merge(struct syn_cell_memory *memory, struct syn_excess_histogram **into,
                               const struct syn_excess_histogram *from);
/* Ends adding: sorts samples by draw, and drops those beyond SYN_BUCKET_SAMPLES. */
void syn_excess_histogram_finish(struct syn_excess_histogram *histogram);

#endif
