/* analyze/causes/sums/plan.c - finds locations and groups of ranks. */
#include "analyze/causes/sums/plan.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/numbering.h"
#include "sync/base/cleanup.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/read/open_calls.h"

/* Each pair of groups is compared to find which group contains which. If there are more groups than
 * this, only groups that cover all locations are known to contain others. Then windows reach
 * further back than necessary. */
#define COMPARED_GROUPS 512

/* ---- locations ---- */

static int list_locations(struct syn_cause_plan *plan)
{
    size_t capacity = 0;
    plan->first_location = malloc(((size_t)plan->rank_count + 1) * sizeof *plan->first_location);
    if (!plan->first_location)
        return SYN_ENOMEM;
    for (int32_t r = 0; r < plan->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(plan->trace, r);
        struct syn_chunk_summary chunk;
        uint32_t threads = 0;
        int64_t finalize_ns = INT64_MAX;
        for (size_t i = 0; file && syn_rank_chunk(file, i, &chunk); i++)
            if (chunk.thread >= threads && chunk.thread < UINT16_MAX)
                threads = chunk.thread + 1;
        if (file && !syn_rank_finalize_ns(file, &finalize_ns))
            finalize_ns = INT64_MAX;
        plan->first_location[r] = plan->location_count;
        for (uint32_t t = 0; t < threads; t++) {
            if (SYN_ROOM(plan->location, capacity, plan->location_count) != SYN_OK)
                return SYN_ENOMEM;
            plan->location[plan->location_count++] = (struct syn_cause_location){r, t, finalize_ns};
        }
    }
    plan->first_location[plan->rank_count] = plan->location_count;
    return 0;
}

uint32_t syn_location_of(const struct syn_cause_plan *plan, int32_t rank, uint32_t thread)
{
    uint32_t count = plan->first_location[rank + 1] - plan->first_location[rank];
    return thread < count ? plan->first_location[rank] + thread : SYN_NO_NUMBER;
}

/* ---- groups ---- */

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static bool all_in(const uint32_t *some, uint32_t some_count, const uint32_t *all,
                   uint32_t all_count)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < some_count; i++) {
        while (at < all_count && all[at] < some[i])
            at++;
        if (at == all_count || all[at] != some[i])
            return false;
    }
    return true;
}

struct gathering {
    uint32_t **member;         /* [group_count], sorted */
    struct syn_numbering sums; /* hashes of the members, hardly ever equal for two groups */
    uint32_t *next;            /* [group_count] next group of the same hash, or SYN_NO_GROUP */
    uint32_t *first;           /* [sums.count] first group of each hash, or SYN_NO_GROUP */
};

/* Finds the group of a communicator, or makes a new one. Takes ownership of `member`. Returns 0 or
 * SYN_ENOMEM. */
static int find_group(struct syn_cause_plan *plan, struct gathering *gathering, uint32_t comm,
                      uint32_t *member)
{
    const uint32_t count = plan->comms->comm[comm].size;
    const uint64_t sum = syn_hash64(member, count * sizeof *member);
    size_t known = gathering->sums.count;
    uint32_t number = syn_numbering_of(&gathering->sums, &sum);
    if (number == SYN_NO_NUMBER) {
        free(member);
        return SYN_ENOMEM;
    }
    if (number == known)
        gathering->first[number] = SYN_NO_GROUP;
    /* Only one thread of a member takes part in a call. So communicators of the same ranks may
     * belong to different threads, if a rank has several. */
    uint32_t threads = 0, most = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *first = &plan->first_location[member[i]];
        threads += first[1] - first[0];
        most = syn_largest(first[1] - first[0], most);
    }
    const bool is_alone = most > 1;
    uint32_t group = is_alone ? SYN_NO_GROUP : gathering->first[number];
    while (group != SYN_NO_GROUP &&
           (plan->group[group].member_count != count ||
            memcmp(gathering->member[group], member, count * sizeof *member) != 0))
        group = gathering->next[group];
    if (group != SYN_NO_GROUP) {
        free(member);
    } else {
        group = plan->group_count++;
        gathering->member[group] = member;
        gathering->next[group] = gathering->first[number];
        gathering->first[number] = group;
        plan->group[group] =
            (struct syn_rank_group){.member_count = count,
                                    .comm = comm,
                                    .covers_all = count == plan->location_count && threads == count,
                                    .is_alone = is_alone};
    }
    plan->group_of_comm[comm] = group;
    return 0;
}

static int list_groups(struct syn_cause_plan *plan, struct gathering *gathering)
{
    const struct syn_comms *comms = plan->comms;
    plan->group_of_comm = malloc((comms->count + 1) * sizeof *plan->group_of_comm);
    plan->group = calloc(comms->count + 1, sizeof *plan->group);
    gathering->member = calloc(comms->count + 1, sizeof *gathering->member);
    gathering->next = malloc((comms->count + 1) * sizeof *gathering->next);
    gathering->first = malloc((comms->count + 1) * sizeof *gathering->first);
    if (!plan->group_of_comm || !plan->group || !gathering->member || !gathering->next ||
        !gathering->first)
        return SYN_ENOMEM;
    for (uint32_t c = 0; c < comms->count; c++) {
        const struct syn_communicator *comm = &comms->comm[c];
        plan->group_of_comm[c] = SYN_NO_GROUP;
        if (comm->known_count != comm->size || !comm->world_rank || comm->contradictory)
            continue;
        uint32_t *member = malloc(((size_t)comm->size + 1) * sizeof *member);
        if (!member)
            return SYN_ENOMEM;
        memcpy(member, comm->world_rank, comm->size * sizeof *member);
        qsort(member, comm->size, sizeof *member, by_number);
        const int status = find_group(plan, gathering, c, member);
        if (status != SYN_OK)
            return status;
    }
    return 0;
}

static bool is_above(const struct syn_cause_plan *plan, const struct gathering *gathering,
                     uint32_t high, uint32_t low)
{
    const struct syn_rank_group *above = &plan->group[high], *below = &plan->group[low];
    return above->member_count > below->member_count &&
           all_in(gathering->member[low], below->member_count, gathering->member[high],
                  above->member_count);
}

static int find_above(struct syn_cause_plan *plan, const struct gathering *gathering)
{
    const bool compares = plan->group_count <= COMPARED_GROUPS;
    SYN_FREED uint32_t *above = malloc(((size_t)plan->group_count + 1) * sizeof *above);
    if (!above)
        return SYN_ENOMEM;
    for (uint32_t low = 0; low < plan->group_count; low++) {
        struct syn_rank_group *group = &plan->group[low];
        for (uint32_t high = 0; high < plan->group_count; high++)
            if (high == low ||
                (!group->is_alone && (plan->group[high].covers_all ||
                                      (compares && is_above(plan, gathering, high, low)))))
                above[group->above_count++] = high;
        group->above = malloc(group->above_count * sizeof *above);
        if (!group->above)
            break;
        memcpy(group->above, above, group->above_count * sizeof *above);
    }
    return plan->group_count == 0 || plan->group[plan->group_count - 1].above ? 0 : SYN_ENOMEM;
}

/* Lists the groups of each rank, one rank after the other. Returns 0 or SYN_ENOMEM. */
static int list_groups_of_ranks(struct syn_cause_plan *plan, const struct gathering *gathering)
{
    const size_t ranks = (size_t)plan->rank_count;
    size_t total = 0;
    plan->first_group = calloc(ranks + 2, sizeof *plan->first_group);
    for (uint32_t g = 0; plan->first_group && g < plan->group_count; g++)
        for (uint32_t m = 0; !plan->group[g].is_alone && m < plan->group[g].member_count;
             m++, total++)
            plan->first_group[gathering->member[g][m] + 2]++;
    plan->rank_group = malloc((total + 1) * sizeof *plan->rank_group);
    if (!plan->first_group || !plan->rank_group)
        return SYN_ENOMEM;
    for (size_t r = 0; r < ranks; r++)
        plan->first_group[r + 2] += plan->first_group[r + 1];
    for (uint32_t g = 0; g < plan->group_count; g++)
        for (uint32_t m = 0; !plan->group[g].is_alone && m < plan->group[g].member_count; m++)
            plan->rank_group[plan->first_group[gathering->member[g][m] + 1]++] = g;
    return 0;
}

/* ---- chunks ---- */

/* Finds when all calls in the chunks before each chunk are over. Returns 0 or SYN_ENOMEM. */
static int find_over(struct syn_cause_plan *plan)
{
    for (uint32_t g = 0; g < plan->group_count; g++)
        plan->has_cover |= plan->group[g].covers_all;
    if (!plan->has_cover)
        return 0;
    plan->over_ns = calloc((size_t)plan->rank_count + 1, sizeof *plan->over_ns);
    for (int32_t r = 0; plan->over_ns && r < plan->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(plan->trace, r);
        const size_t count = file ? syn_rank_chunk_count(file) : 0;
        struct syn_chunk_summary chunk;
        int64_t over_ns = INT64_MIN;
        plan->over_ns[r] = malloc((count + 1) * sizeof **plan->over_ns);
        if (!plan->over_ns[r])
            return SYN_ENOMEM;
        for (size_t i = 0; i < count; i++) {
            plan->over_ns[r][i] = over_ns;
            if (syn_rank_chunk(file, i, &chunk))
                over_ns = syn_largest(chunk.end_ns, over_ns);
        }
    }
    return plan->over_ns ? 0 : SYN_ENOMEM;
}

/* ---- life ---- */

int syn_cause_plan_make(struct syn_trace *trace, const struct syn_comms *comms,
                        struct syn_cause_plan *out)
{
    struct gathering gathering = {0};
    *out = (struct syn_cause_plan){
        .trace = trace, .comms = comms, .rank_count = syn_trace_size(trace)};
    syn_numbering_begin(&gathering.sums, sizeof(uint64_t));
    int status = list_locations(out);
    SYN_STEP(status, list_groups(out, &gathering));
    SYN_STEP(status, find_above(out, &gathering));
    SYN_STEP(status, list_groups_of_ranks(out, &gathering));
    SYN_STEP(status, find_over(out));
    for (uint32_t i = 0; i < out->group_count; i++)
        free(gathering.member[i]);
    free(gathering.member);
    free(gathering.next);
    free(gathering.first);
    syn_numbering_free(&gathering.sums);
    return status;
}

void syn_cause_plan_free(struct syn_cause_plan *plan)
{
    for (uint32_t i = 0; i < plan->group_count; i++)
        free(plan->group[i].above);
    for (int32_t r = 0; plan->over_ns && r < plan->rank_count; r++)
        free(plan->over_ns[r]);
    free(plan->over_ns);
    free(plan->group);
    free(plan->group_of_comm);
    free(plan->rank_group);
    free(plan->first_group);
    free(plan->location);
    free(plan->first_location);
    *plan = (struct syn_cause_plan){0};
}
