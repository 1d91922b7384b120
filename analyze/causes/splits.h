/* analyze/causes/splits.h - communicators that divide all locations among them: MPI_COMM_WORLD by
 * itself, or those of one MPI_Comm_split, its parts. So where each location has a call of its own
 * part of a split, all of these are instances with all their members. */
#ifndef SYN_CAUSE_SPLITS_H
#define SYN_CAUSE_SPLITS_H

#include "analyze/causes/plan.h"

#define SYN_SPLITS_MOST 16
#define SYN_PARTS_MOST  128

struct syn_split {
    uint32_t *part; /* [location_count]; owned */
    uint32_t part_count;
    uint32_t comm[SYN_PARTS_MOST];  /* [part_count] */
    uint32_t first[SYN_PARTS_MOST]; /* [part_count], the first location */
    bool covers_all;                /* one part */
};

struct syn_splits {
    const struct syn_cause_plan *plan;
    struct syn_split *split[SYN_SPLITS_MOST]; /* [count], owned */
    uint32_t count;
    uint32_t *of_comm; /* [comm count]; SYN_NO_SPLIT; owned */
    /* All locations, those that are in the same part of each split side by side, ascending. */
    uint32_t *order; /* [location_count], and as much room; owned */
    /* The members of each part of the first were together in a part of the second. */
    bool is_within[SYN_SPLITS_MOST][SYN_SPLITS_MOST];
};
#define SYN_NO_SPLIT UINT32_MAX

/* Is the i-th location by `order` in another part of some split than the one before it? */
static inline bool syn_splits_differ(const struct syn_splits *splits, uint32_t i)
{
    bool same = i > 0;
    for (uint32_t s = 0; s < splits->count && same; s++) {
        const uint32_t *part = splits->split[s]->part;
        same = part[splits->order[i]] == part[splits->order[i - 1]];
    }
    return !same;
}

/* The plan has to outlive them. 0 or SYN_ENOMEM; free in any case. */
int syn_splits_begin(struct syn_splits *splits, const struct syn_cause_plan *plan);
void syn_splits_free(struct syn_splits *splits);
/* The one that these [location_count] are, each location's own; noted where it is new. Only splits
 * whose parts have two members and more, in the order of their ranks, and of which any two are
 * comparable: of each part the members are in one part of the other one, or of none. *split:
 * SYN_NO_SPLIT where they are none. 0 or SYN_ENOMEM. */
int syn_splits_find(struct syn_splits *splits, const uint32_t *comm, uint32_t *split);

#endif
