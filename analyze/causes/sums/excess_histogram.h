/* analyze/causes/sums/excess_histogram.h - how large the excesses of a label on a location were:
 * counts by powers of two (buckets), and samples of each. An excess is how much longer a rank took
 * in one instance than the others, in ns, with the waiting that it caused. Whether an excess
 * becomes a sample depends on its draw alone, never on the order in which excesses come. */
#ifndef SYN_EXCESS_HISTOGRAM_H
#define SYN_EXCESS_HISTOGRAM_H

#include <stdint.h>

#include "analyze/causes/sums/cell_memory.h"

#define SYN_EXCESS_BUCKETS 52 /* the last one also has all larger excesses */
#define SYN_BUCKET_SAMPLES 24 /* how many samples of a bucket are left at the end, at most */
#define SYN_BUCKET_ROOM    48 /* how many it holds before its bound is lowered */

struct syn_excess_bucket {
    int64_t count, waiting_ns;
    uint64_t below; /* all smaller draws are kept: among them are the SYN_BUCKET_SAMPLES smallest
                       of all, if there are as many */
    struct syn_cause_drawn {
        uint64_t draw;
        int64_t excess_ns;
    } * sample; /* [sample_count] of sample_room */
    uint32_t sample_count, sample_room;
};

/* The excesses of a label on a location; NULL: none. */
struct syn_excess_histogram {
    uint64_t present;              /* bit o: bucket o has excesses */
    uint32_t count, capacity;      /* of buckets */
    struct syn_excess_bucket at[]; /* [count], those of the set bits, ascending */
};

struct syn_excess {
    int64_t excess_ns, waiting_ns;
    uint64_t draw; /* as good as random, the same wherever it is made */
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
/* Adds all excesses of `from`, which stays as it is. Returns 0 or SYN_ENOMEM. */
int syn_excess_histogram_merge(struct syn_cell_memory *memory, struct syn_excess_histogram **into,
                               const struct syn_excess_histogram *from);
/* Once all excesses are added: sorts samples by draw, and drops those beyond SYN_BUCKET_SAMPLES. */
void syn_excess_histogram_finish(struct syn_excess_histogram *histogram);

#endif
