/* analyze/match/members/streams.c - the ranks' event streams in a heap by time. The stream that is
 * furthest behind is read first, so that few instances are pending. */
#include "analyze/match/members/streams.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Largest memory of a thread's decoded events of all ranks. Beyond it chunks are decoded in
 * pieces. */
#define DECODED_MOST ((uint64_t)256 << 20)
/* Memory of the pieces of all ranks. RATIONALE: the smaller the pieces, the fewer events wait for
 * those of other ranks. */
#define PIECES_MOST ((uint64_t)64 << 20)
/* Pieces end where batches end. With very many ranks they are smaller. */
#define PIECE_UNIT  ((uint64_t)SYN_STREAM_BATCH)
#define PIECE_LEAST ((uint64_t)SYN_PIECE_LEAST)
/* Approximate bytes of an event in a payload that is kept in memory. */
#define PAYLOAD_EVENT_BYTES 8

int syn_stream_load(struct syn_rank_stream *stream)
{
    const bool more = stream->columns.more;
    stream->next = 0;
    stream->columns.count = 0;
    stream->columns.more = false;
    if (more)
        return syn_cursor_next(stream->cursor, &stream->columns);
    stream->load_count++;
    for (;;) {
        int status = stream->chunk_next < stream->chunk_end
                         ? syn_cursor_next(stream->cursor, &stream->columns)
                         : SYN_EEND;
        stream->chunk_next++;
        if (status == SYN_EDAMAGED || (status == SYN_OK && stream->columns.count == 0))
            continue;
        if (status != SYN_OK)
            stream->columns.count = 0;
        return status;
    }
}

static struct syn_stream_place place_of(struct syn_rank_stream *stream)
{
    const bool has_read_all = stream->next == stream->columns.count;
    return (struct syn_stream_place){
        has_read_all ? stream->start_ns : stream->columns.start_ns[stream->next], stream};
}

/* Moves past `columns`, all of which were read, and sets start_ns to the start of the next event.
 * Damaged chunks are skipped. Returns SYN_EEND if there is none. */
static int look_behind(struct syn_rank_stream *stream)
{
    bool any = false;
    stream->next = stream->columns.count = 0;
    if (stream->columns.more)
        return syn_cursor_peek(stream->cursor, &stream->start_ns, &any);
    stream->load_count++;
    for (;;) {
        const int status = stream->chunk_next < stream->chunk_end
                               ? syn_cursor_peek(stream->cursor, &stream->start_ns, &any)
                               : SYN_EEND;
        stream->chunk_next++;
        if (status == SYN_EDAMAGED || (status == SYN_OK && !any))
            continue;
        return status;
    }
}

/* Equal times are ordered by stream, which is the order of ranks. */
static bool earlier(const struct syn_stream_place *a, const struct syn_stream_place *b)
{
    return a->start_ns < b->start_ns || (a->start_ns == b->start_ns && a->stream < b->stream);
}

/* Children of a place in the heap: as many as fit a cache line. */
#define CHILDREN ((size_t)4)

static size_t earliest_child(const struct syn_rank_streams *streams, size_t at)
{
    const size_t first = CHILDREN * at + 1;
    const size_t end = syn_least(first + CHILDREN, streams->heap_count);
    size_t best = first;
    for (size_t child = first + 1; child < end; child++)
        if (earlier(&streams->heap[child], &streams->heap[best]))
            best = child;
    return best;
}

static void sift_down(struct syn_rank_streams *streams, size_t at)
{
    struct syn_stream_place *heap = streams->heap;
    const struct syn_stream_place moved = heap[at];
    for (size_t child; (child = earliest_child(streams, at)) < streams->heap_count; at = child) {
        if (!earlier(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void begin_stream(struct syn_rank_stream *stream, struct syn_rank_file *file, int32_t rank,
                         struct syn_rank_names *names)
{
    memset(stream, 0, sizeof *stream);
    stream->file = file;
    stream->rank = rank;
    stream->chunk_end = syn_rank_chunk_count(file);
    stream->names = names;
}

int syn_stream_open(struct syn_rank_stream *stream, struct syn_rank_file *file, int32_t rank,
                    struct syn_rank_names *names)
{
    begin_stream(stream, file, rank, names);
    return syn_cursor_open(file, &stream->cursor);
}

void syn_stream_close(struct syn_rank_stream *stream)
{
    if (stream->cursor)
        syn_cursor_close(stream->cursor);
    stream->cursor = NULL;
}

/* Returns the number of events of all ranks' largest chunks together. */
static uint64_t largest_chunks(const struct syn_trace *trace)
{
    struct syn_chunk_summary chunk;
    uint64_t total = 0;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        uint64_t most = 0;
        for (size_t i = 0; file && syn_rank_chunk(file, i, &chunk); i++)
            most = syn_largest(chunk.event_count, most);
        total += most;
    }
    return total;
}

/* Returns the number of events of a piece. It is PIECE_UNIT unless the decoded chunks exceed
 * DECODED_MOST and pieces of all ranks exceed PIECES_MOST; then it follows from the number of
 * ranks.
 *
 * RATIONALE: a piece is a turn, and turns decide the order in which instances become complete. So
 * the size does not depend on the memory that the user allows. Streams with pieces below PIECE_UNIT
 * begin a slice with a short turn: causes keep the calls of all ranks until a call of all ranks
 * comes, at more than twice the memory of later calls. */
static uint64_t piece_of(uint64_t rank_count, uint64_t decoded_bytes)
{
    const uint64_t room = PIECES_MOST / rank_count / SYN_DECODED_EVENT_BYTES;
    return decoded_bytes <= DECODED_MOST || room >= PIECE_UNIT
               ? PIECE_UNIT
               : syn_largest(room / PIECE_LEAST * PIECE_LEAST, PIECE_LEAST);
}

struct syn_streams_plan syn_streams_plan(const struct syn_trace *trace, size_t memory_bytes)
{
    const uint64_t rank_count = (uint64_t)syn_trace_readable_count(trace);
    const uint64_t events = largest_chunks(trace);
    uint64_t limit =
        memory_bytes && memory_bytes / 8 < DECODED_MOST ? memory_bytes / 8 : DECODED_MOST;
    struct syn_streams_plan plan = {.bytes = events * SYN_DECODED_EVENT_BYTES};
    plan.begin_short = rank_count > 0 && piece_of(rank_count, plan.bytes) < PIECE_UNIT;
    if (plan.bytes <= limit || rank_count == 0)
        return plan;
    plan.piece = piece_of(rank_count, plan.bytes);
    plan.bytes = rank_count * plan.piece * SYN_DECODED_EVENT_BYTES + events * PAYLOAD_EVENT_BYTES;
    return plan;
}

static int open_all(struct syn_trace *trace, const struct syn_streams_plan *plan,
                    const struct syn_trace_names *names, struct syn_rank_streams *streams)
{
    size_t rank_count = (size_t)syn_trace_readable_count(trace);
    streams->stream = calloc(rank_count + 1, sizeof *streams->stream);
    streams->heap = calloc(rank_count + 1, sizeof *streams->heap);
    streams->scratch = syn_scratch_new();
    streams->begin_short = plan->begin_short;
    if (!streams->stream || !streams->heap || !streams->scratch)
        return SYN_ENOMEM;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        if (!file)
            continue;
        struct syn_rank_stream *stream = &streams->stream[streams->count++];
        begin_stream(stream, file, rank, names->rank[rank]);
        int status = syn_cursor_open_with(file, streams->scratch, plan->piece, &stream->cursor);
        if (status != SYN_OK)
            return status;
        syn_cursor_by_tuples(stream->cursor);
    }
    return 0;
}

int syn_streams_seek(struct syn_rank_streams *streams, const uint32_t *first, const uint32_t *end)
{
    streams->heap_count = 0;
    for (size_t i = 0; i < streams->count; i++) {
        struct syn_rank_stream *stream = &streams->stream[i];
        stream->chunk_next = first[stream->rank];
        stream->chunk_end = end[stream->rank];
        stream->columns.more = false;
        syn_cursor_seek(stream->cursor, stream->chunk_next);
        stream->columns.count = 0;
        stream->is_short = streams->begin_short;
        if (streams->begin_short)
            syn_cursor_shorten(stream->cursor);
        int status = look_behind(stream);
        if (status == SYN_OK)
            streams->heap[streams->heap_count++] = place_of(stream);
        else if (status != SYN_EEND)
            return status;
    }
    for (size_t i = streams->heap_count; i-- > 0;)
        sift_down(streams, i);
    return 0;
}

int syn_streams_open(struct syn_trace *trace, size_t memory_bytes,
                     const struct syn_trace_names *names, struct syn_rank_streams *out)
{
    memset(out, 0, sizeof *out);
    const struct syn_streams_plan plan = syn_streams_plan(trace, memory_bytes);
    int status = open_all(trace, &plan, names, out);
    if (status != SYN_OK)
        syn_streams_close(out);
    return status;
}

void syn_streams_close(struct syn_rank_streams *streams)
{
    for (size_t i = 0; i < streams->count; i++)
        syn_stream_close(&streams->stream[i]);
    syn_scratch_free(streams->scratch);
    free(streams->stream);
    free(streams->heap);
    memset(streams, 0, sizeof *streams);
}

int syn_streams_front(struct syn_rank_streams *streams, struct syn_rank_stream **front)
{
    struct syn_rank_stream *stream = streams->heap_count ? streams->heap[0].stream : NULL;
    *front = stream;
    return stream && stream->next == stream->columns.count
               ? syn_cursor_next(stream->cursor, &stream->columns)
               : SYN_OK;
}

/* Number of streams from which on they exceed the cache. */
#define STREAMS_MANY 64

void syn_streams_fetch_next(const struct syn_rank_streams *streams, unsigned step)
{
    if (streams->count < STREAMS_MANY || streams->heap_count < 2)
        return;
    const struct syn_rank_stream *next = streams->heap[earliest_child(streams, 0)].stream;
    if (step == 0)
        syn_fetch(next, offsetof(struct syn_rank_stream, op_class));
    else
        syn_cursor_fetch(next->cursor, step - 1);
}

int syn_streams_advance(struct syn_rank_streams *streams)
{
    struct syn_rank_stream *stream = streams->heap[0].stream;
    const int status = stream->next == stream->columns.count ? look_behind(stream) : SYN_OK;
    if (status != SYN_OK && status != SYN_EEND)
        return status;
    syn_streams_fetch_next(streams, SYN_STREAM_STEPS - 1);
    streams->heap[0] = status == SYN_OK ? place_of(stream) : streams->heap[--streams->heap_count];
    if (streams->heap_count > 0)
        sift_down(streams, 0);
    return 0;
}
