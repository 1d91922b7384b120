/* analyze/match/slices.c - cut a trace into stretches of time. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/match_internal.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Events of a slice: enough that the members that straddle its end (up to a chunk of each rank) are
 * few among them; not so many that what is made of them would leave the cache before it is packed,
 * or take much memory. But a chunk of each rank there has to be: with less of them no instance of
 * all ranks would have all its members in one slice, and all of them would have to wait in memory.
 */
#define SLICE_EVENTS_LEAST   ((uint64_t)1 << 18)
#define SLICE_EVENTS_MOST    ((uint64_t)1 << 24)
#define SLICE_CHUNKS_OF_RANK 4
/* Of very many sites each has its own columns and sums in each slice: so many calls of one make
 * that worth while, as long as there are slices enough for the threads. */
#define SLICE_CALLS_OF_SITE 32
#define SLICES_ENOUGH       16

struct piece {
    int64_t order_ns; /* its start, not before that of the rank's pieces before it */
    int64_t start_ns;
    uint64_t event_count;
    uint32_t rank, chunk;
};

static int by_time(const void *left, const void *right)
{
    const struct piece *a = left;
    const struct piece *b = right;
    if (a->order_ns != b->order_ns)
        return a->order_ns < b->order_ns ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

static size_t chunk_count_of(const struct syn_trace *trace, int32_t rank)
{
    const struct syn_rank_file *file = syn_trace_rank(trace, rank);
    return file ? syn_rank_chunk_count(file) : 0;
}

static struct piece *list_pieces(const struct syn_trace *trace, size_t *count)
{
    size_t total = 0;
    for (int32_t r = 0; r < syn_trace_size(trace); r++)
        total += chunk_count_of(trace, r);
    struct piece *piece = malloc((total + 1) * sizeof *piece);
    *count = 0;
    for (int32_t r = 0; piece && r < syn_trace_size(trace); r++) {
        struct syn_chunk_summary chunk;
        int64_t latest_ns = INT64_MIN;
        for (size_t i = 0; i < chunk_count_of(trace, r); i++) {
            syn_rank_chunk(syn_trace_rank(trace, r), i, &chunk);
            latest_ns = syn_largest(chunk.start_ns, latest_ns);
            piece[(*count)++] = (struct piece){latest_ns, chunk.start_ns, chunk.event_count,
                                               (uint32_t)r, (uint32_t)i};
        }
    }
    return piece;
}

/* Of the rank that has the most. */
static uint64_t site_count(const struct syn_trace *trace)
{
    uint64_t most = 0;
    for (int32_t r = 0; r < syn_trace_size(trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        if (file)
            most = syn_largest(most, (uint64_t)syn_rank_stack_count(file));
    }
    return most;
}

uint64_t syn_slice_events(const struct syn_slicing *of)
{
    const uint64_t mean =
        of->chunk_count ? (of->event_count + of->chunk_count - 1) / of->chunk_count : 0;
    const uint64_t of_sites = of->site_count * of->rank_count * SLICE_CALLS_OF_SITE;
    uint64_t wanted = mean * of->rank_count * SLICE_CHUNKS_OF_RANK;
    wanted = syn_largest(wanted, syn_least(of_sites, of->event_count / SLICES_ENOUGH));
    wanted = syn_least(wanted, syn_largest(SLICE_EVENTS_MOST, mean * of->rank_count));
    return syn_largest(wanted, SLICE_EVENTS_LEAST);
}

/* How many slices there will be; with `out`, their chunks too. */
static size_t deal(const struct piece *piece, size_t count, uint64_t wanted, struct syn_slices *out)
{
    size_t slice = 0, row_bytes = out ? out->rank_count * sizeof *out->first : 0;
    uint64_t events = 0;
    bool begins = true;
    for (size_t i = 0; i < count; i++) {
        if (events >= wanted) {
            slice++;
            events = 0;
            begins = true;
        }
        events += piece[i].event_count;
        if (!out)
            continue;
        uint32_t *end = out->first + (slice + 1) * out->rank_count;
        if (begins)
            memcpy(end, end - out->rank_count, row_bytes);
        begins = false;
        end[piece[i].rank] = piece[i].chunk + 1;
        out->events[slice] = events;
        if (piece[i].start_ns < out->begin_ns[slice])
            out->begin_ns[slice] = piece[i].start_ns;
    }
    return count ? slice + 1 : 0;
}

static int make(const struct syn_trace *trace, struct piece *piece, size_t piece_count,
                uint64_t slice_events, struct syn_slices *out)
{
    for (size_t i = 0; i < piece_count; i++)
        out->event_count += piece[i].event_count;
    qsort(piece, piece_count, sizeof *piece, by_time);
    const struct syn_slicing of = {out->event_count, piece_count, out->rank_count,
                                   site_count(trace)};
    const uint64_t wanted = slice_events ? slice_events : syn_slice_events(&of);
    out->count = deal(piece, piece_count, wanted, NULL);
    out->first = calloc((out->count + 2) * (out->rank_count + 1), sizeof *out->first);
    out->begin_ns = malloc((out->count + 1) * sizeof *out->begin_ns);
    out->events = calloc(out->count + 1, sizeof *out->events);
    if (!out->first || !out->begin_ns || !out->events)
        return SYN_ENOMEM;
    for (size_t s = 0; s <= out->count; s++)
        out->begin_ns[s] = INT64_MAX;
    deal(piece, piece_count, wanted, out);
    for (size_t s = out->count; s-- > 0;)
        if (out->begin_ns[s + 1] < out->begin_ns[s])
            out->begin_ns[s] = out->begin_ns[s + 1];
    return 0;
}

int syn_slices_cut(const struct syn_trace *trace, uint64_t slice_events, struct syn_slices *out)
{
    size_t piece_count;
    *out = (struct syn_slices){.rank_count = (size_t)syn_trace_size(trace)};
    struct piece *piece = list_pieces(trace, &piece_count);
    int status = piece ? make(trace, piece, piece_count, slice_events, out) : SYN_ENOMEM;
    free(piece);
    return status;
}

void syn_slices_free(struct syn_slices *slices)
{
    free(slices->first);
    free(slices->begin_ns);
    free(slices->events);
    *slices = (struct syn_slices){0};
}
