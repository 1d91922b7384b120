#include "lanes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"

/* What the ranks' decoded events may take, of one thread, before they are decoded in pieces. */
#define DECODED_MOST ((uint64_t)256 << 20)
#define PIECE_UNIT   ((uint64_t)SYN_LANE_BATCH)
/* An event of a payload that is kept, roughly. */
#define PAYLOAD_EVENT_BYTES 8

int syn_lane_load(struct syn_lane *lane)
{
    const bool more = lane->columns.more;
    lane->next = 0;
    lane->columns.count = 0;
    lane->columns.more = false;
    if (more)
        return syn_cursor_next(lane->cursor, &lane->columns);
    lane->load_count++;
    for (;;) {
        int status = lane->chunk_next < lane->chunk_end
                         ? syn_cursor_next(lane->cursor, &lane->columns)
                         : SYN_EEND;
        lane->chunk_next++;
        if (status == SYN_EDAMAGED || (status == 0 && lane->columns.count == 0))
            continue;
        if (status != 0)
            lane->columns.count = 0;
        return status;
    }
}

static int64_t time_of(const struct syn_lane *lane)
{
    return lane->columns.start_ns[lane->next];
}

static bool earlier(const struct syn_lane *a, const struct syn_lane *b)
{
    int64_t at = time_of(a);
    int64_t bt = time_of(b);
    return at < bt || (at == bt && a->rank < b->rank);
}

static void sift_down(struct syn_lanes *lanes, size_t at)
{
    struct syn_lane **heap = lanes->heap;
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < lanes->heap_count; child++)
            if (earlier(heap[child], heap[least]))
                least = child;
        if (least == at)
            return;
        struct syn_lane *moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static int open_lane(struct syn_lane *lane, struct syn_rank_file *file, int32_t rank)
{
    memset(lane, 0, sizeof *lane);
    lane->file = file;
    lane->rank = rank;
    lane->chunk_end = syn_rank_chunk_count(file);
    lane->site_count = syn_rank_stack_count(file);
    lane->site = malloc((lane->site_count + 1) * sizeof *lane->site);
    if (!lane->site)
        return SYN_ENOMEM;
    memset(lane->site, 0xFF, (lane->site_count + 1) * sizeof *lane->site);
    memset(lane->phase, 0xFF, sizeof lane->phase);
    return syn_bounds_init(&lane->bounds, file);
}

int syn_lane_open(struct syn_lane *lane, struct syn_rank_file *file, int32_t rank)
{
    int status = open_lane(lane, file, rank);
    return status ? status : syn_cursor_open(file, &lane->cursor);
}

void syn_lane_close(struct syn_lane *lane)
{
    if (lane->cursor)
        syn_cursor_close(lane->cursor);
    free(lane->site);
    syn_bounds_free(&lane->bounds);
    lane->cursor = NULL;
    lane->site = NULL;
}

/* The events of all ranks' largest chunks, together. */
static uint64_t largest_chunks(const struct syn_trace *trace)
{
    struct syn_chunk_summary chunk;
    uint64_t total = 0;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        uint64_t most = 0;
        for (size_t i = 0; file && syn_rank_chunk(file, i, &chunk); i++)
            most = chunk.event_count > most ? chunk.event_count : most;
        total += most;
    }
    return total;
}

struct syn_lanes_plan syn_lanes_plan(const struct syn_trace *trace, size_t memory_bytes)
{
    const uint64_t rank_count = (uint64_t)syn_trace_readable_count(trace);
    const uint64_t events = largest_chunks(trace);
    uint64_t limit =
        memory_bytes && memory_bytes / 8 < DECODED_MOST ? memory_bytes / 8 : DECODED_MOST;
    struct syn_lanes_plan plan = {0, events * SYN_DECODED_EVENT_BYTES};
    if (plan.bytes <= limit || rank_count == 0)
        return plan;
    plan.piece = limit / rank_count / SYN_DECODED_EVENT_BYTES / PIECE_UNIT * PIECE_UNIT;
    plan.piece = plan.piece > PIECE_UNIT ? plan.piece : PIECE_UNIT;
    plan.bytes = rank_count * plan.piece * SYN_DECODED_EVENT_BYTES + events * PAYLOAD_EVENT_BYTES;
    return plan;
}

static int open_all(struct syn_trace *trace, size_t piece, struct syn_lanes *lanes)
{
    size_t rank_count = (size_t)syn_trace_readable_count(trace);
    lanes->lane = calloc(rank_count + 1, sizeof *lanes->lane);
    lanes->heap = calloc(rank_count + 1, sizeof *lanes->heap);
    lanes->scratch = syn_scratch_new();
    if (!lanes->lane || !lanes->heap || !lanes->scratch)
        return SYN_ENOMEM;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        if (!file)
            continue;
        struct syn_lane *lane = &lanes->lane[lanes->count++];
        int status = open_lane(lane, file, rank);
        if (status == 0)
            status = syn_cursor_open_with(file, lanes->scratch, piece, &lane->cursor);
        if (status)
            return status;
    }
    return 0;
}

int syn_lanes_seek(struct syn_lanes *lanes, const uint32_t *first, const uint32_t *end)
{
    lanes->heap_count = 0;
    for (size_t i = 0; i < lanes->count; i++) {
        struct syn_lane *lane = &lanes->lane[i];
        lane->chunk_next = first[lane->rank];
        lane->chunk_end = end[lane->rank];
        lane->columns.more = false;
        syn_cursor_seek(lane->cursor, lane->chunk_next);
        int status = syn_lane_load(lane);
        if (status == 0)
            lanes->heap[lanes->heap_count++] = lane;
        else if (status != SYN_EEND)
            return status;
    }
    for (size_t i = lanes->heap_count; i-- > 0;)
        sift_down(lanes, i);
    return 0;
}

int syn_lanes_open(struct syn_trace *trace, size_t memory_bytes, struct syn_lanes *out)
{
    memset(out, 0, sizeof *out);
    int status = open_all(trace, syn_lanes_plan(trace, memory_bytes).piece, out);
    if (status)
        syn_lanes_close(out);
    return status;
}

void syn_lanes_close(struct syn_lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++)
        syn_lane_close(&lanes->lane[i]);
    syn_scratch_free(lanes->scratch);
    free(lanes->lane);
    free(lanes->heap);
    memset(lanes, 0, sizeof *lanes);
}

struct syn_lane *syn_lanes_front(struct syn_lanes *lanes)
{
    return lanes->heap_count ? lanes->heap[0] : NULL;
}

int syn_lanes_advance(struct syn_lanes *lanes)
{
    struct syn_lane *lane = lanes->heap[0];
    if (lane->next == lane->columns.count) {
        int status = syn_lane_load(lane);
        if (status == SYN_EEND)
            lanes->heap[0] = lanes->heap[--lanes->heap_count];
        else if (status)
            return status;
    }
    sift_down(lanes, 0);
    return 0;
}

/* The names are those of all lanes, which several threads may read. */
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

uint32_t syn_lane_find_site(struct syn_lane *lane, size_t place, struct syn_symbols *symbols,
                            struct syn_names *names)
{
    pthread_mutex_lock(&naming);
    const char *label = symbols && place < lane->site_count
                            ? syn_symbols_site(symbols, lane->file, (uint32_t)place)
                            : SYN_LABEL_UNKNOWN;
    lane->site[place] = syn_names_id(names, label);
    pthread_mutex_unlock(&naming);
    return lane->site[place];
}

/* A file that lost the name has the number still. */
static const char *phase_name(const struct syn_rank_file *file, unsigned phase, char *key,
                              size_t bytes)
{
    snprintf(key, bytes, "phase.%u", phase);
    const char *name = phase ? syn_rank_meta(file, key) : "";
    return name ? name : key;
}

uint32_t syn_lane_find_phase(struct syn_lane *lane, unsigned phase, struct syn_names *names)
{
    char key[32];
    pthread_mutex_lock(&naming);
    lane->phase[phase] = syn_names_id(names, phase_name(lane->file, phase, key, sizeof key));
    pthread_mutex_unlock(&naming);
    return lane->phase[phase];
}
