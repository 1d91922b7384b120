/* analyze/causes/lanes.c - columns of plain calls that are read at one end and grow at the other.
 */
#include "analyze/causes/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "sync/base/vector.h"

#define LANE_LEAST 64

void syn_lane_free(struct syn_lane *lane)
{
    free(lane->start_ns);
    free(lane->end_ns);
    free(lane->messages_ns);
    free(lane->off_cpu_ns);
    free(lane->sequence);
    free(lane->kind);
    *lane = (struct syn_lane){0};
}

/* ---- room ---- */

/* Drops the calls that are over, all but the last. */
static void close_ranks(struct syn_lane *lane)
{
    const size_t from = lane->first - 1, count = lane->end - from;
    memmove(lane->start_ns, lane->start_ns + from, count * sizeof *lane->start_ns);
    memmove(lane->end_ns, lane->end_ns + from, count * sizeof *lane->end_ns);
    memmove(lane->sequence, lane->sequence + from, count * sizeof *lane->sequence);
    memmove(lane->kind, lane->kind + from, count * sizeof *lane->kind);
    if (lane->messages_ns) {
        memmove(lane->messages_ns, lane->messages_ns + from, count * sizeof *lane->messages_ns);
        memmove(lane->off_cpu_ns, lane->off_cpu_ns + from, count * sizeof *lane->off_cpu_ns);
    }
    lane->first = 1;
    lane->end = count;
}

static int reserve(struct syn_lane *lane, size_t count)
{
    if (lane->end + count <= lane->capacity)
        return 0;
    if (lane->first > lane->capacity / 4) /* very many ranks: a longer lane costs more than this */
        close_ranks(lane);
    size_t capacity = lane->capacity ? lane->capacity : LANE_LEAST;
    while (lane->end + count > capacity)
        capacity *= 2;
    if (capacity == lane->capacity)
        return 0;
    if (SYN_RESERVE(lane->kind, capacity) || SYN_RESERVE(lane->start_ns, capacity) ||
        SYN_RESERVE(lane->end_ns, capacity) || SYN_RESERVE(lane->sequence, capacity) ||
        (lane->messages_ns &&
         (SYN_RESERVE(lane->messages_ns, capacity) || SYN_RESERVE(lane->off_cpu_ns, capacity))))
        return SYN_ENOMEM;
    lane->capacity = capacity;
    return 0;
}

/* From here on segments have parts. */
static int begin_parts(struct syn_lane *lane)
{
    lane->messages_ns = calloc(lane->capacity, sizeof *lane->messages_ns);
    lane->off_cpu_ns = calloc(lane->capacity, sizeof *lane->off_cpu_ns);
    return lane->messages_ns && lane->off_cpu_ns ? 0 : SYN_ENOMEM;
}

static void copy_part(int64_t *to, const int64_t *from, size_t i, size_t count)
{
    if (from)
        memcpy(to, from + i, count * sizeof *to);
    else
        memset(to, 0, count * sizeof *to);
}

int syn_lane_append(struct syn_lane *lane, const struct syn_match_batch *batch, size_t i,
                    size_t count)
{
    const struct syn_event_columns *columns = batch->columns;
    const bool parts = columns->messages_ns || columns->off_cpu_ns;
    if (count == 0)
        return 0; /* columns of nothing need not be there */
    if (reserve(lane, count) || (parts && !lane->messages_ns && begin_parts(lane)))
        return SYN_ENOMEM;
    memcpy(lane->start_ns + lane->end, columns->start_ns + i, count * sizeof *lane->start_ns);
    memcpy(lane->end_ns + lane->end, columns->end_ns + i, count * sizeof *lane->end_ns);
    memcpy(lane->sequence + lane->end, columns->sequence + i, count * sizeof *lane->sequence);
    memcpy(lane->kind + lane->end, batch->note + (i - batch->first), count * sizeof *lane->kind);
    if (lane->messages_ns) {
        copy_part(lane->messages_ns + lane->end, columns->messages_ns, i, count);
        copy_part(lane->off_cpu_ns + lane->end, columns->off_cpu_ns, i, count);
    }
    lane->end += count;
    return 0;
}

int syn_lane_append_call(struct syn_lane *lane, const struct syn_replay_call *call)
{
    const bool parts = (call->messages_ns | call->off_cpu_ns) != 0;
    if (reserve(lane, 1) || (parts && !lane->messages_ns && begin_parts(lane)))
        return SYN_ENOMEM;
    lane->start_ns[lane->end] = call->start_ns;
    lane->end_ns[lane->end] = call->end_ns;
    lane->sequence[lane->end] = call->sequence;
    lane->kind[lane->end] = call->kind;
    if (lane->messages_ns) {
        lane->messages_ns[lane->end] = call->messages_ns;
        lane->off_cpu_ns[lane->end] = call->off_cpu_ns;
    }
    lane->end++;
    return 0;
}

struct syn_replay_call syn_lane_call(const struct syn_lane *lane, ptrdiff_t k)
{
    const size_t at = (size_t)((ptrdiff_t)lane->first + k);
    const int64_t start_ns = lane->start_ns[at];
    return (struct syn_replay_call){.start_ns = start_ns,
                                    .call_end_ns = start_ns,
                                    .wait_start_ns = start_ns,
                                    .end_ns = lane->end_ns[at],
                                    .sequence = lane->sequence[at],
                                    .messages_ns = lane->messages_ns ? lane->messages_ns[at] : 0,
                                    .off_cpu_ns = lane->messages_ns ? lane->off_cpu_ns[at] : 0,
                                    .kind = lane->kind[at]};
}
