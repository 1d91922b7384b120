/* sync/ranks/rank_set.c - see rank_set.h. The second rank of a run determines its step; so a set
 * has at most about half as many runs as ranks. */
#include "sync/ranks/rank_set.h"

#include <stdlib.h>

#include "sync/base/status.h"
#include "sync/base/vector.h"

static int last_of(const struct syn_rank_run *run)
{
    return run->first + (run->count - 1) * run->step;
}

static int push(struct syn_rank_set *set, struct syn_rank_run run)
{
    if (SYN_ROOM(set->runs, set->capacity, set->run_count))
        return SYN_ENOMEM;
    run.before = set->count;
    set->runs[set->run_count++] = run;
    set->count += run.count;
    return SYN_OK;
}

static int add_run(struct syn_rank_set *set, struct syn_rank_run next)
{
    struct syn_rank_run *last = set->run_count > 0 ? &set->runs[set->run_count - 1] : NULL;
    const int step = last ? next.first - last_of(last) : 0;

    /* A run is continued with the same step only. */
    if (!last || (last->count > 1 && last->step != step) || (next.count > 1 && next.step != step))
        return push(set, next);
    last->step = step;
    last->count += next.count;
    set->count += next.count;
    return SYN_OK;
}

int syn_rank_set_add(struct syn_rank_set *set, int rank)
{
    return add_run(set, (struct syn_rank_run){.first = rank, .count = 1});
}

int syn_rank_set_append(struct syn_rank_set *set, const struct syn_rank_set *above)
{
    int status = SYN_OK;

    for (size_t i = 0; status == SYN_OK && i < above->run_count; i++)
        status = add_run(set, above->runs[i]);
    return status;
}

/* ---- lookup ---- */

int syn_rank_set_at(const struct syn_rank_set *set, int index)
{
    size_t low = 0, high = set->run_count;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (set->runs[middle].before <= index)
            low = middle;
        else
            high = middle;
    }
    return set->runs[low].first + (index - set->runs[low].before) * set->runs[low].step;
}

int syn_rank_set_below(const struct syn_rank_set *set, int rank)
{
    int low = 0, high = set->count;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (syn_rank_set_at(set, middle) < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool syn_rank_set_has(const struct syn_rank_set *set, int rank)
{
    const int index = syn_rank_set_below(set, rank);

    return index < set->count && syn_rank_set_at(set, index) == rank;
}

int syn_rank_set_union(struct syn_rank_set *to, const struct syn_rank_set *a,
                       const struct syn_rank_set *b)
{
    int status = SYN_OK;

    for (int i = 0, k = 0; status == SYN_OK && (i < a->count || k < b->count);) {
        const int left = i < a->count ? syn_rank_set_at(a, i) : -1;
        const int right = k < b->count ? syn_rank_set_at(b, k) : -1;
        const bool takes_left = right < 0 || (left >= 0 && left <= right);
        i += takes_left;
        k += !takes_left || left == right;
        status = syn_rank_set_add(to, takes_left ? left : right);
    }
    return status;
}

int *syn_rank_set_list(const struct syn_rank_set *set)
{
    int *list = set->count > 0 ? malloc((size_t)set->count * sizeof *list) : NULL;
    int *at = list;

    for (size_t i = 0; list && i < set->run_count; i++)
        for (int k = 0; k < set->runs[i].count; k++)
            *at++ = set->runs[i].first + k * set->runs[i].step;
    return list;
}

void syn_rank_set_free(struct syn_rank_set *set)
{
    free(set->runs);
    *set = (struct syn_rank_set){0};
}

/* ---- message: number of runs; for each run the gap to the previous one, its number of ranks, and
 * its step if there are several ---- */

void syn_rank_set_put(const struct syn_rank_set *set, struct syn_bytes *out)
{
    int last = -1;

    syn_bytes_put_varint(out, set->run_count);
    for (size_t i = 0; i < set->run_count; i++) {
        const struct syn_rank_run *run = &set->runs[i];
        syn_bytes_put_varint(out, (uint64_t)(run->first - last - 1));
        syn_bytes_put_varint(out, (uint64_t)(run->count - 1));
        if (run->count > 1)
            syn_bytes_put_varint(out, (uint64_t)(run->step - 1));
        last = last_of(run);
    }
}

/* Reads one run of ranks above `last`; there are `left` such ranks. */
static struct syn_rank_run take_run(struct syn_take *take, int last, int left)
{
    struct syn_rank_run run = {.first = last + 1};

    run.first += (int)syn_take_bounded(take, (uint64_t)left - 1);
    left -= run.first - last;
    run.count = 1 + (int)syn_take_bounded(take, (uint64_t)left);
    if (run.count > 1)
        run.step = 1 + (int)syn_take_bounded(take, (uint64_t)(left / (run.count - 1)) - 1);
    return run;
}

void syn_rank_set_take(struct syn_rank_set *set, int size, struct syn_take *take)
{
    const uint64_t run_count = syn_take_bounded(take, (uint64_t)size);

    for (uint64_t i = 0; i < run_count && !take->failed; i++) {
        const int last = set->run_count > 0 ? last_of(&set->runs[set->run_count - 1]) : -1;
        const int left = size - 1 - last;
        take->failed |= left < 1;
        if (!take->failed)
            take->failed |= push(set, take_run(take, last, left)) != SYN_OK;
    }
}
