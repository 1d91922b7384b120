/* analyze/causes/sums/sums.h - sums of a replay by label and location: the time spent, and the
 * waiting of others that it caused. */
#ifndef SYN_CAUSE_SUMS_H
#define SYN_CAUSE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/sums/excess_histogram.h"
#include "analyze/causes/sums/packed_bins.h"
#include "sync/base/status.h"

/* Categories of time. A segment has the first three, a call the last two. */
enum syn_category {
    SYN_CATEGORY_COMPUTING,
    SYN_CATEGORY_MESSAGES,
    SYN_CATEGORY_OFF_CPU,
    SYN_CATEGORY_OPERATION,
    SYN_CATEGORY_WAITING,
    SYN_CATEGORY_COUNT
};

/* Returns the index of a category in its label: 0 computing, 1 messages, 2 off the processor of a
 * segment; 0 operation, 1 waiting of a call.
 *
 * Samples show only the least time that a rank was off its processor. So the excess of computing
 * contains that time too. The waiting that each caused is kept apart. */
static inline unsigned syn_category_index(enum syn_category category)
{
    return category == SYN_CATEGORY_OPERATION ? 0
           : category == SYN_CATEGORY_WAITING ? 1
                                              : (unsigned)category;
}

/* The key of a label's category: histories, weights and pieces of the critical path have it. */
static inline uint32_t syn_category_key(uint32_t label, enum syn_category category)
{
    return label * SYN_CATEGORY_COUNT + (uint32_t)category;
}
static inline uint32_t syn_key_label(uint32_t key)
{
    return key / SYN_CATEGORY_COUNT;
}
static inline enum syn_category syn_key_category(uint32_t key)
{
    return (enum syn_category)(key % SYN_CATEGORY_COUNT);
}

/* How the waiting that a cell caused reached the ranks that waited, if some of it was in
 * messages. */
#define SYN_HOPS 16 /* the last element also counts all longer ways */
struct syn_cause_reach {
    int64_t messages_ns;       /* waiting in messages */
    int64_t hops_ns[SYN_HOPS]; /* waiting by the number of times that it was passed on */
    uint32_t hops_most;
};

/* Sums of one label on one location, except those by bin and those of struct syn_category_sums. */
struct syn_cause_cell {
    /* Sums over all bins, set when the sums are settled: */
    int64_t ns[SYN_CATEGORIES_OF_LABEL];
    int64_t waiting_ns[SYN_CATEGORIES_OF_LABEL]; /* waiting of others that this label caused */
    int64_t count;                               /* passes of the location through the label */
    struct syn_cause_reach
        *reach; /* [SYN_CATEGORIES_OF_LABEL], in cell memory; NULL: not by messages */
    uint32_t number, location, label;
};

/* Sums of one category of a cell. Two of them fit in a cache line. A charge changes one category
 * and one time bin. */
struct syn_category_sums {
    int64_t path_ns;   /* time on the critical path */
    int64_t bound_ns;  /* error of the waiting that the clock bounds allow */
    int64_t instances; /* instances in which this category made a rank wait */
    /* excesses over the mean of the ranks that waited, one for each instance with waiting */
    struct syn_excess_histogram *histogram;
};

/* Reasons why some waiting has no known cause. */
enum syn_unknown {
    SYN_UNKNOWN_BEGIN, /* no synchronization before */
    SYN_UNKNOWN_CLOCK, /* no more than the clock bound */
    SYN_UNKNOWN_EARLY, /* the waiting rank left before the last rank arrived, so it did not wait for
                          that one */
    SYN_UNKNOWN_PASSED, /* the last rank was late because of waiting whose cause is unknown */
    SYN_UNKNOWN_COUNT
};

/* The run's time, divided into `count` bins of bin_ns from begin_ns on. Times outside belong to the
 * first or last bin. */
#define SYN_TIME_BINS_MOST 64
struct syn_time_bins {
    int64_t begin_ns, bin_ns;
    uint32_t count;
};
static inline uint32_t syn_time_bin_of(const struct syn_time_bins *bins, int64_t ns)
{
    const int64_t bin = (ns - bins->begin_ns) / bins->bin_ns;
    return bin < 0 ? 0 : bin >= bins->count ? bins->count - 1 : (uint32_t)bin;
}

/* A block of cells with neighbouring numbers. Cells are numbered in the order in which they are
 * made, so a block mostly has one label on all locations. Sums of a category lie together, because
 * a replay mostly needs the first. Values of a time bin lie together, because a slice has values in
 * only a bin or two. */
struct syn_cell_block {
    struct syn_category_sums category[SYN_CATEGORIES_OF_LABEL][SYN_BLOCK_CELLS];
    struct syn_cause_cell cell[SYN_BLOCK_CELLS];
    struct syn_packed_bin packed[]; /* [bins.count] */
};

/* Returns the sums of a category, by its index, of a cell whose number is set. */
static inline struct syn_category_sums *syn_category_sums_of(const struct syn_cause_cell *cell,
                                                             unsigned index)
{
    const unsigned place = cell->number % SYN_BLOCK_CELLS;
    struct syn_cell_block *block =
        (struct syn_cell_block *)((char *)(cell - place) - offsetof(struct syn_cell_block, cell));
    return &block->category[index][place];
}

/* Sums of one thread, or of a run. They can be added up in any order. */
struct syn_cause_sums {
    struct syn_cause_sums *next; /* next in a list of sums that no thread adds to now */
    struct syn_time_bins bins;
    /* [label_count][location_count] cell numbers; 0: no cell. RATIONALE: members of an instance
     * have the same labels, so their numbers lie side by side. */
    uint32_t *number;
    uint32_t label_count, location_count;
    uint32_t cell_count;           /* cells have numbers 1 to cell_count; place 0 stays empty */
    struct syn_cell_block **block; /* [block_count], in cell memory */
    size_t block_count, block_capacity;
    struct syn_cell_memory memory; /* of blocks, packed bins and histograms */
    /* Memory of the threads that helped to add other sums (adding_sums.c). Each thread has its own,
     * and uses it again when the next sums are added. */
    struct syn_cell_memory *helper; /* [helper_count], owned */
    size_t helper_count;
    struct syn_bin_overlap **overlap;      /* [location_count][bins.count]; NULL: all 0 */
    int64_t waiting_ns;                    /* waiting of all ranks */
    int64_t caused_ns[SYN_TIME_BINS_MOST]; /* waiting in each bin that cells caused; set when the
                                              sums are settled */
    int64_t messages_ns[2]; /* waiting in messages: for late receivers, for late senders */
    int64_t unknown_ns[SYN_UNKNOWN_COUNT];
    int64_t path_start_ns; /* the pieces of the path go from here to path_end_ns */
    int64_t path_end_ns;
    uint64_t instance_count; /* instances on communicators of at least two members */
};

void syn_cause_sums_begin(struct syn_cause_sums *sums, uint32_t location_count,
                          const struct syn_time_bins *bins);
void syn_cause_sums_free(struct syn_cause_sums *sums);
/* Returns the number of a label's cell on a location, or 0 if it has no cell. */
static inline uint32_t syn_cause_number_of(const struct syn_cause_sums *sums, uint32_t location,
                                           uint32_t label)
{
    return label < sums->label_count ? sums->number[(size_t)label * sums->location_count + location]
                                     : 0;
}
static inline struct syn_cause_cell *syn_cause_cell_at(const struct syn_cause_sums *sums,
                                                       uint32_t number)
{
    return &sums->block[number / SYN_BLOCK_CELLS]->cell[number % SYN_BLOCK_CELLS];
}
static inline struct syn_category_sums *syn_category_sums_at(const struct syn_cause_sums *sums,
                                                             uint32_t number, unsigned index)
{
    return &sums->block[number / SYN_BLOCK_CELLS]->category[index][number % SYN_BLOCK_CELLS];
}
/* Returns the place of a label's cell number, made if there is none. Returns NULL if out of
 * memory. */
uint32_t *syn_cause_number_place(struct syn_cause_sums *sums, uint32_t location, uint32_t label);
/* Returns an empty block, taken from `memory`, or NULL if out of memory. */
struct syn_cell_block *syn_cell_block_new(const struct syn_cause_sums *sums,
                                          struct syn_cell_memory *memory);
/* Returns the packed values of a cell's block in a time bin. */
static inline struct syn_packed_bin *syn_packed_bin_at(const struct syn_cause_sums *sums,
                                                       uint32_t number, uint32_t bin)
{
    return &sums->block[number / SYN_BLOCK_CELLS]->packed[bin];
}
static inline struct syn_bin_values syn_bin_of_cell(const struct syn_cause_sums *sums,
                                                    const struct syn_cause_cell *cell, uint32_t bin)
{
    return syn_packed_bin_read(syn_packed_bin_at(sums, cell->number, bin),
                               cell->number % SYN_BLOCK_CELLS);
}
/* Returns the cell of a label, made if there is none. Returns NULL if out of memory. */
struct syn_cause_cell *syn_cause_cell_make(struct syn_cause_sums *sums, uint32_t location,
                                           uint32_t label);
/* Adds to the values of a cell in a bin. Returns 0 or SYN_ENOMEM. */
static inline __attribute__((always_inline)) int syn_bin_add_in(struct syn_cause_sums *sums,
                                                                uint32_t number, uint32_t bin,
                                                                const struct syn_bin_values *added)
{
    return syn_packed_bin_add(&sums->memory, syn_packed_bin_at(sums, number, bin),
                              number % SYN_BLOCK_CELLS, added);
}
/* Adds to the values of a label on a location in a bin, and makes the cell if there is none.
 * Returns 0 or SYN_ENOMEM. */
static inline int syn_bin_add(struct syn_cause_sums *sums, uint32_t location, uint32_t label,
                              uint32_t bin, const struct syn_bin_values *added)
{
    uint32_t number = syn_cause_number_of(sums, location, label);
    if (__builtin_expect(number == 0, 0)) {
        const struct syn_cause_cell *cell = syn_cause_cell_make(sums, location, label);
        number = cell ? cell->number : 0;
    }
    return number ? syn_bin_add_in(sums, number, bin, added) : SYN_ENOMEM;
}
/* Charges waiting to the label on a location that caused it. `at_ns` is the time of the waiting,
 * `excess_ns` the excess of the label. Returns 0 or SYN_ENOMEM. */
struct syn_cause_charge {
    int64_t waiting_ns, bound_ns, excess_ns, at_ns;
    int64_t off_cpu_ns; /* part of the excess off the processor, if the key is computing */
};
int syn_cause_cell_charge(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                          const struct syn_cause_charge *charge);
/* Notes how the waiting of a charge reached the ranks that waited. Returns 0 or SYN_ENOMEM. */
struct syn_cause_way {
    int64_t waiting_ns, messages_ns, hops;
    uint32_t hops_most;
};
int syn_cause_cell_reach(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                         const struct syn_cause_way *way);
/* Adds to a cell's `reach`, which is taken from `memory` if there is none. Returns 0 or
 * SYN_ENOMEM. */
int syn_cause_reach_add(struct syn_cell_memory *memory, struct syn_cause_cell *into,
                        const struct syn_cause_reach *from);
/* Adds the sums of `from` to `into`, with several threads. The larger of the two becomes `into`, so
 * `from` can only be freed afterwards. Returns 0 or SYN_ENOMEM; on error both can only be freed. */
int syn_cause_sums_add(struct syn_cause_sums *into, struct syn_cause_sums *from);

/* Gives each label the number number[label]. Returns 0 or SYN_ENOMEM; on error the sums can only be
 * freed. */
int syn_cause_sums_relabel(struct syn_cause_sums *sums, const uint32_t *number);

/* Ends adding. Buckets keep at most SYN_BUCKET_SAMPLES samples, ordered. Cells get the sums over
 * their bins, and caused_ns the waiting in each bin. */
void syn_cause_sums_settle(struct syn_cause_sums *sums);

#endif
