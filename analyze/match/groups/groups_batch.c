/* analyze/match/groups/groups_batch.c - instances of one signature to their group, all at once.
 *
 * What is computed for each member of each instance is computed for four instances at a time, in
 * the order of the members, so that nothing depends on what a branch says of an instance. */
#include <string.h>

#include "analyze/match/groups/groups_parts.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"

/* Four instances. Differences of times fit: nothing of a batch reaches 2^31. */
typedef int32_t lanes __attribute__((vector_size(16)));
#define LANES (sizeof(lanes) / sizeof(int32_t))
_Static_assert(SYN_BATCH_INSTANCES % LANES == 0, "whole lanes");
/* Two sums of such lanes, that are not below 0. */
typedef uint64_t sums __attribute__((vector_size(16)));

/* Results of a batch. */
struct found {
    /* Sums over all instances, those that make up four included. */
    sums start[SYN_BATCH_MEMBERS], end[SYN_BATCH_MEMBERS], waiting[SYN_BATCH_MEMBERS], last_start;
    lanes twice_midrank[SYN_BATCH_MEMBERS];
    lanes ties; /* of t^3 - t */
    /* Results of each instance: */
    int64_t others_waiting_ns[SYN_BATCH_INSTANCES];
    int64_t spread_ns[SYN_BATCH_INSTANCES], completion_ns[SYN_BATCH_INSTANCES],
        exit_skew_ns[SYN_BATCH_INSTANCES], local_max_ns[SYN_BATCH_INSTANCES];
    int64_t local_ns[SYN_BATCH_MEMBERS][SYN_BATCH_INSTANCES];
};

#define INLINE static inline __attribute__((always_inline))

INLINE lanes load(const int32_t *from)
{
    lanes out;
    memcpy(&out, from, sizeof out);
    return out;
}

INLINE void store(int64_t *to, lanes from)
{
    for (size_t i = 0; i < LANES; i++)
        to[i] = from[i];
}

INLINE lanes larger(lanes a, lanes b)
{
    const lanes is = a > b;
    return (a & is) | (b & ~is);
}

INLINE lanes smaller(lanes a, lanes b)
{
    const lanes is = a < b;
    return (a & is) | (b & ~is);
}

INLINE void add(sums *to, lanes of)
{
    const sums two = (sums)of;
    *to += (two & UINT32_MAX) + (two >> 32);
}

static inline int64_t sum_of(sums of)
{
    return (int64_t)(of[0] + of[1]);
}

static inline int32_t sum_of_lanes(lanes of)
{
    return of[0] + of[1] + of[2] + of[3];
}

/* When the last ones came and the first ones left. */
INLINE lanes find_ends(const struct syn_group_batch *batch, size_t at, struct found *found)
{
    lanes last_start = load(&batch->start[0][at]), first_end = load(&batch->end[0][at]);
    lanes last_end = first_end, local_max = first_end - last_start;
    for (uint32_t m = 1; m < batch->member_count; m++) {
        const lanes start = load(&batch->start[m][at]), end = load(&batch->end[m][at]);
        last_start = larger(start, last_start);
        first_end = smaller(end, first_end);
        last_end = larger(end, last_end);
        local_max = larger(end - start, local_max);
    }
    add(&found->last_start, last_start);
    store(&found->spread_ns[at], last_start);
    store(&found->completion_ns[at], last_end);
    store(&found->exit_skew_ns[at], last_end - first_end);
    store(&found->local_max_ns[at], local_max);
    return last_start;
}

/* Adds each member's waiting and time inside. */
INLINE void add_times(const struct syn_group_batch *batch, size_t at, lanes last_start, lanes *x,
                      struct found *found)
{
    for (uint32_t m = 0; m < batch->member_count; m++) {
        const lanes start = load(&batch->start[m][at]), end = load(&batch->end[m][at]);
        const lanes waiting = larger(smaller(end, last_start) - start, (lanes){0});
        x[m] = end - start;
        store(&found->local_ns[m][at], x[m]);
        for (size_t i = 0; i < LANES; i++)
            found->others_waiting_ns[at + i] += waiting[i];
        add(&found->start[m], start);
        add(&found->end[m], end);
        add(&found->waiting[m], waiting);
    }
}

/* Midranks of the members' times of each instance: a half, one for each that is shorter, and a half
 * for each that is as long, itself too. */
INLINE void add_midranks(const lanes *x, uint32_t count, struct found *found)
{
    lanes ties = {0};
    for (uint32_t a = 0; a < count; a++) {
        lanes shorter = {0}, alike = {0}; /* below 0 */
        for (uint32_t b = 0; b < count; b++) {
            shorter += x[b] < x[a];
            alike += x[b] == x[a];
        }
        found->twice_midrank[a] += 1 - 2 * shorter - alike;
        ties += alike * alike - 1;
    }
    found->ties += ties;
}

INLINE void find(const struct syn_group_batch *batch, bool ranks, struct found *found)
{
    lanes x[SYN_BATCH_MEMBERS];
    for (size_t at = 0; at < batch->count; at += LANES) {
        const lanes last_start = find_ends(batch, at, found);
        add_times(batch, at, last_start, x, found);
        if (ranks)
            add_midranks(x, batch->member_count, found);
    }
}

static void find_any(const struct syn_group_batch *batch, bool ranks, struct found *found)
{
    find(batch, ranks, found);
}

#if SYN_HAVE_AVX2
/* As above, with fewer instructions a step. */
SYN_TARGET_AVX2 static void find_avx2(const struct syn_group_batch *batch, bool ranks,
                                      struct found *found)
{
    find(batch, ranks, found);
}
#endif

/* Behind the last instance are as many as make up four, whose members all come and go at once. */
static void fill_up(struct syn_group_batch *batch)
{
    const size_t end = (batch->count + LANES - 1) / LANES * LANES;
    for (uint32_t m = 0; m < batch->member_count; m++)
        for (size_t i = batch->count; i < end; i++)
            batch->start[m][i] = batch->end[m][i] = 0;
}

static void add_last(struct syn_group *group, const struct syn_group_batch *batch,
                     const struct found *found)
{
    for (size_t i = 0; batch->member_count > 1 && i < batch->count; i++) {
        struct syn_group_rank *rank = &group->rank[batch->place[batch->last_starter[i]]];
        rank->last_count++;
        rank->last_sure_count += batch->is_sure[i];
        rank->caused_ns += (double)found->others_waiting_ns[i];
    }
}

/* Adds the sums of midranks. Instances that make up four came and went at once: each member has the
 * middle rank there, and all are tied. */
static void add_midrank_sums(struct syn_group *group, const struct syn_group_batch *batch,
                             const struct found *found)
{
    const int64_t members = batch->member_count;
    const int64_t filling = (int64_t)((LANES - batch->count % LANES) % LANES);
    const int64_t ties =
        sum_of_lanes(found->ties) - filling * (members * members * members - members);
    for (uint32_t m = 0; m < batch->member_count; m++) {
        const int64_t twice = sum_of_lanes(found->twice_midrank[m]) - filling * (members + 1);
        group->rank[batch->place[m]].midrank_sum += (double)twice / 2;
    }
    group->tie_sum += (double)ties;
}

static int add_ranks(struct syn_group *group, const struct syn_group_batch *batch,
                     const struct found *found)
{
    int failed = 0;
    for (uint32_t m = 0; m < batch->member_count; m++) {
        struct syn_group_rank *rank = &group->rank[batch->place[m]];
        const int64_t start = sum_of(found->start[m]);
        rank->wait_ns += (double)(sum_of(found->last_start) - start);
        rank->inside_ns += (double)(sum_of(found->end[m]) - start);
        rank->waiting_ns += (double)sum_of(found->waiting[m]);
        failed |= syn_column_append_all(&rank->local_ns, NULL, found->local_ns[m], batch->count);
    }
    return failed;
}

int syn_group_add_batch(struct syn_group *group, struct syn_group_batch *batch)
{
    struct found found;
    const bool ranks = batch->member_count > 1 && group->same_members;
    memset(&found, 0, offsetof(struct found, spread_ns));
    fill_up(batch);
    SYN_BY_CPU(find_avx2, find_any)(batch, ranks, &found);
    if (ranks)
        add_midrank_sums(group, batch, &found);
    add_last(group, batch, &found);
    group->instance_count += batch->count;
    const struct {
        struct syn_column *column;
        const int64_t *value;
    } to[] = {
        {&group->start_ns, batch->first_start_ns},  {&group->bound_ns, batch->bound_ns},
        {&group->local_max_ns, found.local_max_ns}, {&group->completion_ns, found.completion_ns},
        {&group->spread_ns, found.spread_ns},       {&group->exit_skew_ns, found.exit_skew_ns}};
    int failed = add_ranks(group, batch, &found);
    for (size_t c = 0; c < sizeof to / sizeof *to; c++)
        failed |= syn_column_append_all(to[c].column, NULL, to[c].value, batch->count);
    return failed ? SYN_ENOMEM : SYN_OK;
}
