/* analyze/report/figures/tally.c - counts values of long columns instead of sorting them. Quantiles
 * stay exact at a fraction of the cost. */
#include "analyze/report/figures/tally.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Fewer values than FEW are listed and sorted, never counted. Of fewer than MANY values all are
 * counted if their span allows that, else all are listed. */
#define FEW            1024
#define MANY           8192
#define DENSE_OF_FEWER ((size_t)2 * MANY)

int syn_tally_begin(struct syn_tally *tally, int64_t least, int64_t most, size_t expected)
{
    uint64_t span = (uint64_t)most - (uint64_t)least;
    if (most < least || span >= (uint64_t)SYN_TALLY_SPAN_MAX)
        return SYN_EINVAL;
    /* An array much longer than the column would cost more to clear and walk over than it saves.
     * Few values are sorted as quickly. */
    size_t dense_count = expected < FEW ? 0 : expected < MANY ? DENSE_OF_FEWER : 2 * expected;
    dense_count = syn_least(dense_count, SYN_TALLY_DENSE);
    dense_count = span < dense_count ? (size_t)span + 1 : expected < MANY ? 0 : dense_count;
    if (dense_count > tally->dense_capacity) {
        free(tally->dense);
        tally->dense_capacity = 0;
        tally->dense = malloc(dense_count * sizeof *tally->dense);
        if (!tally->dense)
            return SYN_ENOMEM;
        tally->dense_capacity = dense_count;
    }
    if (dense_count > 0)
        memset(tally->dense, 0, dense_count * sizeof *tally->dense);
    tally->low = least;
    tally->n = 0;
    tally->dense_count = dense_count;
    tally->rest_count = 0;
    tally->count_count = 0;
    return 0;
}

static int add_rest(struct syn_tally *tally, uint64_t above)
{
    if (SYN_ROOM(tally->rest, tally->rest_capacity, tally->rest_count) != SYN_OK)
        return SYN_ENOMEM;
    tally->rest[tally->rest_count++] = (double)above; /* exact: the span is below 2^53 */
    return 0;
}

int syn_tally_add(struct syn_tally *tally, const int64_t *values, size_t count)
{
    uint64_t *dense = tally->dense;
    uint64_t low = (uint64_t)tally->low, dense_count = tally->dense_count;
    tally->n += count;
    if (dense_count == 0) {
        /* no value is counted: append all to the list */
        if (tally->rest_capacity < tally->rest_count + count) {
            const size_t capacity =
                syn_largest(2 * tally->rest_capacity, tally->rest_count + count);
            if (SYN_RESERVE(tally->rest, capacity) != SYN_OK)
                return SYN_ENOMEM;
            tally->rest_capacity = capacity;
        }
        double *rest = tally->rest + tally->rest_count;
        for (size_t i = 0; i < count; i++)
            rest[i] = (double)(int64_t)((uint64_t)values[i] - (uint64_t)tally->low);
        tally->rest_count += count;
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t place = (uint64_t)values[i] - low;
        if (__builtin_expect(place < dense_count, 1))
            dense[place]++;
        else if (add_rest(tally, place))
            return SYN_ENOMEM;
    }
    return 0;
}

static int put_count(struct syn_tally *tally, int64_t value, uint64_t count, uint64_t *until)
{
    if (SYN_ROOM(tally->count, tally->count_capacity, tally->count_count) != SYN_OK)
        return SYN_ENOMEM;
    *until += count;
    tally->count[tally->count_count++] = (struct syn_value_count){value, *until};
    return 0;
}

int syn_tally_close(struct syn_tally *tally)
{
    uint64_t until = 0;
    for (size_t i = 0; i < tally->dense_count; i++)
        if (tally->dense[i] && put_count(tally, tally->low + (int64_t)i, tally->dense[i], &until))
            return SYN_ENOMEM;
    syn_sort(tally->rest, tally->rest_count);
    for (size_t first = 0, end; first < tally->rest_count; first = end) {
        for (end = first + 1; end < tally->rest_count && tally->rest[end] == tally->rest[first];)
            end++;
        if (put_count(tally, tally->low + (int64_t)tally->rest[first], end - first, &until))
            return SYN_ENOMEM;
    }
    return 0;
}

void syn_tally_free(struct syn_tally *tally)
{
    free(tally->dense);
    free(tally->rest);
    free(tally->count);
    *tally = (struct syn_tally){0};
}

struct syn_ordered syn_tally_ordered(const struct syn_tally *tally)
{
    return (struct syn_ordered){.n = tally->n,
                                .count = tally->count,
                                .count_count = tally->count_count,
                                .origin = tally->low};
}
