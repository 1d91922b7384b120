/* analyze/causes/sums/excess_histogram.h - how large the excesses of a label on a location were:
 * counts by powers of two (buckets), and samples of each. An excess is how much longer a rank took
 * in one instance than the others, in ns, with the waiting that it caused. Whether an excess
 * becomes a sample depends on its draw alone, never on the order in which excesses come.
 *
 * RATIONALE: most labels on a location have few excesses. These are kept as they came, three in a
 * cache line, so that adding one writes to one line. More excesses become buckets. Counts and
 * bounds, which each excess needs, lie together. Samples lie elsewhere, as few excesses become one.
 */
#ifndef SYN_EXCESS_HISTOGRAM_H
#define SYN_EXCESS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/sums/cell_memory.h"
#include "sync/base/bytes.h"

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

/* The excesses of a label on a location; NULL: none. They have one of the two forms that follow,
 * which begin with this struct. */
struct syn_excess_histogram {
    uint32_t few_count; /* above 0: the form is few, with so many excesses; 0: the form is many */
};

#define SYN_LINE_EXCESSES 3
#define SYN_EXCESSES_FEW  SYN_BUCKET_SAMPLES /* the most of this form: so all are samples */
/* One cache line of the few form. */
struct syn_few_excesses {
    struct syn_excess_histogram histogram; /* counts the lines before as well */
    uint32_t count; /* in this line; 0 only inside syn_excess_histogram_add */
    struct syn_few_excesses *before;
    struct syn_few_excess {
        uint64_t draw;
        uint32_t excess_ns, waiting_ns;
    } at[SYN_LINE_EXCESSES]; /* [count] */
};
_Static_assert(sizeof(struct syn_few_excesses) == SYN_LINE_BYTES, "it is one cache line");

/* The many form: the buckets that have excesses. */
struct syn_many_excesses {
    struct syn_excess_histogram histogram;
    uint32_t count, capacity;
    uint8_t place[SYN_EXCESS_BUCKETS]; /* 1 + index into `at`; 0: none */
    struct syn_excess_bucket at[];     /* [count], in the order of their first excess */
};

static inline struct syn_few_excesses *syn_few_of(struct syn_excess_histogram *histogram)
{
    return (struct syn_few_excesses *)histogram;
}
static inline struct syn_many_excesses *syn_many_of(struct syn_excess_histogram *histogram)
{
    return (struct syn_many_excesses *)histogram;
}

/* The buckets that have excesses, ascending, of both forms. */
struct syn_histogram_list {
    uint32_t count;
    uint8_t bucket[SYN_EXCESS_BUCKETS];
    struct syn_excess_bucket at[SYN_EXCESS_BUCKETS];
    struct syn_cause_drawn few[SYN_EXCESSES_FEW]; /* samples of the few form */
};
/* Lists the buckets with their samples. The list is valid until the histogram changes. It must not
 * be copied: it may point into itself. */
void syn_excess_histogram_list(struct syn_excess_histogram *histogram,
                               struct syn_histogram_list *out);

/* The buckets without samples. Elements of a bucket are valid if its bit is set. */
struct syn_histogram_sums {
    uint64_t present; /* bit o: bucket o has excesses */
    int64_t count[SYN_EXCESS_BUCKETS], waiting_ns[SYN_EXCESS_BUCKETS];
};
void syn_excess_histogram_sum(const struct syn_excess_histogram *histogram,
                              struct syn_histogram_sums *out);

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
/* Can an excess be added to the newest line of the few form? */
static inline bool syn_few_fits(const struct syn_few_excesses *few, const struct syn_excess *excess)
{
    return few->count < SYN_LINE_EXCESSES &&
           ((uint64_t)excess->excess_ns | (uint64_t)excess->waiting_ns) <= UINT32_MAX;
}
static inline void syn_few_add(struct syn_few_excesses *few, const struct syn_excess *excess)
{
    few->at[few->count++] = (struct syn_few_excess){excess->draw, (uint32_t)excess->excess_ns,
                                                    (uint32_t)excess->waiting_ns};
    few->histogram.few_count++;
}
/* Lowers bucket->below, and drops the samples that are not under it. The bucket is full: it has
 * SYN_BUCKET_ROOM samples. */
void syn_excess_bucket_lower(struct syn_excess_bucket *bucket);
/* Adds all excesses of `from`, which stays as it is. Returns 0 or SYN_ENOMEM. */
int syn_excess_histogram_merge(struct syn_cell_memory *memory, struct syn_excess_histogram **into,
                               struct syn_excess_histogram *from);
/* Once all excesses are added: sorts samples by draw, and drops those beyond SYN_BUCKET_SAMPLES. */
void syn_excess_histogram_finish(struct syn_excess_histogram *histogram);

#endif
