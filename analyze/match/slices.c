/* analyze/match/slices.c - cuts a trace into time slices. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/match_internal.h"
#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Wanted number of events of a slice. RATIONALE: a slice has so many events that few of them belong
 * to instances that straddle its end (up to a chunk of each rank). It has so few that its results
 * stay in the cache until they are packed, and take little memory. But it always has about a chunk
 * of each rank: with less, no instance of all ranks would have all members in one slice, and all of
 * them would be pending. */
#define SLICE_EVENTS_LEAST   ((uint64_t)1 << 18)
#define SLICE_EVENTS_MOST    ((uint64_t)1 << 24)
#define SLICE_CHUNKS_OF_RANK 4
/* Calls of a call site in a slice, if there are very many call sites. RATIONALE: each call site has
 * its own columns and sums in each slice, which pays only with several calls. There are still
 * enough slices for all threads. */
#define SLICE_CALLS_OF_SITE 256
/* Memory that a slice must have for each of its events. RATIONALE: until a call of all ranks comes,
 * causes keep every call, of 80 bytes, in queues whose capacity doubles: up to 160 bytes. That may
 * take a quarter of the memory. */
#define EVENT_BYTES ((uint64_t)4 * 160)

struct piece {
    int64_t order_ns; /* start, or the latest start of the rank's earlier chunks if that is later */
    int64_t start_ns;
    uint64_t event_count;
    uint32_t rank, chunk;
};

SYN_ORDER(by_time, struct piece, SYN_UP(order_ns) ?: SYN_UP(rank) ?: SYN_UP(chunk))

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

/* Returns the number of sites of the rank that has the most. */
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

uint64_t syn_slices_enough(size_t thread_count)
{
    return syn_least((uint64_t)thread_count, (uint64_t)SYN_SLICES_FEW);
}

uint64_t syn_slice_events(const struct syn_slicing *of, const struct syn_slice_wish *wish)
{
    const uint64_t mean =
        of->chunk_count ? (of->event_count + of->chunk_count - 1) / of->chunk_count : 0;
    const uint64_t of_sites = of->site_count * of->rank_count * SLICE_CALLS_OF_SITE;
    uint64_t wanted = mean * of->rank_count * SLICE_CHUNKS_OF_RANK;
    uint64_t longer = syn_least(of_sites, of->event_count / wish->enough);
    if (wish->memory_bytes)
        longer = syn_least(longer, wish->memory_bytes / EVENT_BYTES / wish->enough);
    wanted = syn_largest(wanted, longer);
    wanted = syn_least(wanted, syn_largest(SLICE_EVENTS_MOST, mean * of->rank_count));
    return syn_largest(wanted, SLICE_EVENTS_LEAST);
}

static uint64_t gap_before(const struct piece *piece)
{
    return (uint64_t)piece[0].order_ns - (uint64_t)piece[-1].order_ns;
}

/* Returns where a slice ends: at the widest gap in time between two chunks, within `half` chunks of
 * `end`. RATIONALE: the n-th chunks of all ranks begin at nearly the same time, and the next ones
 * much later. If a slice ended among them, the calls of some ranks would be in the next slice, and
 * their instances would be pending. */
static size_t widest_gap(const struct piece *piece, size_t begin, size_t end, size_t count,
                         size_t half)
{
    const size_t first = end - begin > half ? end - half : begin + 1;
    size_t best = end;
    for (size_t i = first; i < count && i <= end + half; i++)
        if (gap_before(&piece[i]) > gap_before(&piece[best]))
            best = i;
    return best;
}

struct cutting {
    uint64_t wanted; /* wanted events of a slice */
    size_t half;     /* chunks that a slice may have more or less */
};

/* Returns the index after the last piece of the slice that begins with piece `begin`. */
static size_t slice_end(const struct piece *piece, size_t count, size_t begin,
                        const struct cutting *how)
{
    uint64_t events = 0;
    size_t end = begin;
    while (end < count && events < how->wanted)
        events += piece[end++].event_count;
    return end < count ? widest_gap(piece, begin, end, count, how->half) : end;
}

static int make(const struct piece *piece, size_t piece_count, const struct cutting *how,
                struct syn_slices *out)
{
    size_t slices = 0;
    for (size_t i = 0; i < piece_count; i = slice_end(piece, piece_count, i, how))
        slices++;
    out->count = slices;
    out->first = calloc((out->count + 2) * (out->rank_count + 1), sizeof *out->first);
    out->begin_ns = malloc((out->count + 1) * sizeof *out->begin_ns);
    out->events = calloc(out->count + 1, sizeof *out->events);
    if (!out->first || !out->begin_ns || !out->events)
        return SYN_ENOMEM;
    for (size_t s = 0; s <= out->count; s++)
        out->begin_ns[s] = INT64_MAX;
    size_t i = 0;
    for (size_t slice = 0; slice < out->count; slice++) {
        const size_t slice_ends = slice_end(piece, piece_count, i, how);
        uint32_t *end = out->first + (slice + 1) * out->rank_count;
        memcpy(end, end - out->rank_count, out->rank_count * sizeof *end);
        for (; i < slice_ends; i++) {
            end[piece[i].rank] = piece[i].chunk + 1;
            out->events[slice] += piece[i].event_count;
            if (piece[i].start_ns < out->begin_ns[slice])
                out->begin_ns[slice] = piece[i].start_ns;
        }
    }
    for (size_t s = out->count; s-- > 0;)
        if (out->begin_ns[s + 1] < out->begin_ns[s])
            out->begin_ns[s] = out->begin_ns[s + 1];
    return 0;
}

int syn_slices_cut(const struct syn_trace *trace, const struct syn_slice_wish *wish,
                   struct syn_slices *out)
{
    size_t piece_count;
    *out = (struct syn_slices){.rank_count = (size_t)syn_trace_size(trace)};
    SYN_FREED struct piece *piece = list_pieces(trace, &piece_count);
    if (!piece)
        return SYN_ENOMEM;
    for (size_t i = 0; i < piece_count; i++)
        out->event_count += piece[i].event_count;
    qsort(piece, piece_count, sizeof *piece, by_time);
    const struct syn_slicing of = {out->event_count, piece_count, out->rank_count,
                                   site_count(trace)};
    const struct cutting how = {wish->events ? wish->events : syn_slice_events(&of, wish),
                                wish->events ? 0 : out->rank_count / 2};
    return make(piece, piece_count, &how, out);
}

void syn_slices_free(struct syn_slices *slices)
{
    free(slices->first);
    free(slices->begin_ns);
    free(slices->events);
    *slices = (struct syn_slices){0};
}
