/* analyze/causes/splits.c - finds communicators that divide all locations among them. */
#include "analyze/causes/splits.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

#define NO_PART UINT32_MAX

int syn_splits_begin(struct syn_splits *splits, const struct syn_cause_plan *plan)
{
    *splits = (struct syn_splits){.plan = plan};
    splits->of_comm = malloc((plan->comms->count + 1) * sizeof *splits->of_comm);
    splits->order = malloc((2 * (size_t)plan->location_count + 1) * sizeof *splits->order);
    if (!splits->of_comm || !splits->order)
        return SYN_ENOMEM;
    for (uint32_t i = 0; i < plan->location_count; i++)
        splits->order[i] = i;
    memset(splits->of_comm, 0xFF, plan->comms->count * sizeof *splits->of_comm);
    return 0;
}

static void free_split(struct syn_split *split)
{
    if (split)
        free(split->part);
    free(split);
}

void syn_splits_free(struct syn_splits *splits)
{
    for (uint32_t s = 0; s < splits->count; s++)
        free_split(splits->split[s]);
    free(splits->of_comm);
    free(splits->order);
    *splits = (struct syn_splits){0};
}

/* ---- parts ---- */

/* Can a communicator be part of a split? Splits are looked for only where each rank has one
 * location.
 */
static bool takes_part(const struct syn_cause_plan *plan, uint32_t comm)
{
    const uint32_t group = plan->group_of_comm[comm];
    return group != SYN_NO_GROUP && !plan->group[group].is_alone &&
           plan->comms->comm[comm].size > 1;
}

/* The members of a communicator, all at it, are one more part. False: that is none. */
static bool add_part(const struct syn_cause_plan *plan, struct syn_split *split,
                     const uint32_t *comm, uint32_t first)
{
    const struct syn_communicator *of = &plan->comms->comm[comm[first]];
    if (split->part_count == SYN_PARTS_MOST || !takes_part(plan, comm[first]))
        return false;
    for (uint32_t m = 0, before = 0; m < of->size; m++) {
        const uint32_t location = plan->first_location[of->world_rank[m]];
        const bool ascends = m == 0 ? location == first : location > before;
        if (!ascends || split->part[location] != NO_PART || comm[location] != comm[first])
            return false;
        split->part[location] = split->part_count;
        before = location;
    }
    split->comm[split->part_count] = comm[first];
    split->first[split->part_count++] = first;
    return true;
}

static bool divide(const struct syn_cause_plan *plan, struct syn_split *split, const uint32_t *comm)
{
    memset(split->part, 0xFF, plan->location_count * sizeof *split->part);
    for (uint32_t i = 0; i < plan->location_count; i++)
        if (split->part[i] == NO_PART && !add_part(plan, split, comm, i))
            return false;
    split->covers_all = split->part_count == 1;
    return true;
}

/* ---- of one another ---- */

static bool is_above(const struct syn_cause_plan *plan, uint32_t high, uint32_t low)
{
    const struct syn_rank_group *group = &plan->group[plan->group_of_comm[low]];
    for (uint32_t a = 0; a < group->above_count; a++)
        if (group->above[a] == plan->group_of_comm[high])
            return true;
    return false;
}

/* How many parts of `low` lie in one of `high`. */
static uint32_t count_within(const struct syn_cause_plan *plan, const struct syn_split *low,
                             const struct syn_split *high)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < low->part_count; p++)
        count += is_above(plan, high->comm[high->part[low->first[p]]], low->comm[p]);
    return count;
}

/* Note which splits a new one lies within, and which lie within it. False: it lies across one, with
 * some of its parts within that one's and some not. */
static bool compare(struct syn_splits *splits, uint32_t added)
{
    const struct syn_split *split = splits->split[added];
    for (uint32_t s = 0; s <= added; s++) {
        const uint32_t low = count_within(splits->plan, split, splits->split[s]);
        const uint32_t high = count_within(splits->plan, splits->split[s], split);
        if ((low != 0 && low != split->part_count) ||
            (high != 0 && high != splits->split[s]->part_count))
            return false;
        splits->is_within[added][s] = low > 0;
        splits->is_within[s][added] = high > 0;
    }
    return true;
}

/* Sort locations by the split's part that they are in; those of one part keep their order (counting
 * sort). */
static void sort_locations(struct syn_splits *splits, const struct syn_split *split)
{
    const uint32_t count = splits->plan->location_count;
    uint32_t *order = splits->order, *before = order + count;
    uint32_t next[SYN_PARTS_MOST + 1] = {0};
    memcpy(before, order, count * sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        next[split->part[i] + 1]++;
    for (uint32_t p = 0; p < split->part_count; p++)
        next[p + 1] += next[p];
    for (uint32_t i = 0; i < count; i++)
        order[next[split->part[before[i]]]++] = before[i];
}

/* Keep a split. Not one that shares a communicator with an earlier split, for a communicator has
 * the number of one split only, nor one that lies across an earlier one. False: it is not kept. */
static bool note(struct syn_splits *splits, struct syn_split *split)
{
    for (uint32_t p = 0; p < split->part_count; p++)
        if (splits->of_comm[split->comm[p]] != SYN_NO_SPLIT)
            return false;
    splits->split[splits->count] = split;
    if (!compare(splits, splits->count))
        return false;
    for (uint32_t p = 0; p < split->part_count; p++)
        splits->of_comm[split->comm[p]] = splits->count;
    splits->count++;
    sort_locations(splits, split);
    return true;
}

int syn_splits_find(struct syn_splits *splits, const uint32_t *comm, uint32_t *split)
{
    *split = splits->of_comm[comm[0]];
    if (*split != SYN_NO_SPLIT || splits->count == SYN_SPLITS_MOST)
        return 0;
    struct syn_split *added = calloc(1, sizeof *added);
    if (added)
        added->part = malloc(splits->plan->location_count * sizeof *added->part);
    if (!added || !added->part) {
        free_split(added);
        return SYN_ENOMEM;
    }
    if (divide(splits->plan, added, comm) && note(splits, added))
        *split = splits->count - 1;
    else
        free_split(added);
    return 0;
}
