/* trace/write/batch.c - encodes a thread's entries into a frame, step by step (batch.h).
 *
 * The phases of a batch follow one another. Each has an encoder that counts the steps it has left;
 * a call of syn_batch_step does one step of the current phase. */
#include "trace/write/batch.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/base/coding/compress.h"
#include "trace/columns/columns.h"
#include "trace/columns/segments.h"

/* Phases, in order: separate events from notes; encode the events; encode the segments between
 * them; compress; hash. */
enum phase { SEPARATE, EVENTS, SEGMENTS, COMPRESS, HASH, DONE };

/* Usual number of steps to compress a full block. */
#define STEPS_OF_COMPRESSION ((size_t)9)
/* A frame that is smaller is hashed in the last step of its compression. */
#define HASHED_AT_ONCE_BYTES ((uint64_t)4 << 10)

struct syn_batch {
    struct syn_tick_source ticks;
    struct syn_compressor *compressor;
    struct syn_columns_encoder *encoder;
    struct syn_segments_encoder segments;
    struct syn_entries own_entries; /* that this batch separated, see syn_batch_begin */
    struct syn_segments_chunk chunk;
    struct syn_columns_layout layout;
    struct syn_bytes payload;
    struct syn_bytes output;
    struct syn_batch_frame frame;
    uint32_t thread;
    enum phase phase;
    bool is_hashed;
    size_t steps_done;     /* for the current entries */
    size_t steps_expected; /* as many as the previous entries took */
};

struct syn_batch *syn_batch_new(int level, const struct syn_tick_source *ticks)
{
    struct syn_batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->ticks = *ticks;
    batch->phase = DONE;
    batch->frame.bytes = &batch->output;
    batch->compressor = syn_compressor_new(level);
    batch->encoder = syn_columns_encoder_new();
    if (batch->compressor && batch->encoder)
        return batch;
    syn_batch_free(batch);
    return NULL;
}

void syn_batch_free(struct syn_batch *batch)
{
    if (!batch)
        return;
    syn_compressor_free(batch->compressor);
    syn_columns_encoder_free(batch->encoder);
    syn_segments_encoder_free(&batch->segments);
    syn_entries_free(&batch->own_entries);
    syn_bytes_free(&batch->payload);
    syn_bytes_free(&batch->output);
    free(batch);
}

struct syn_batch_frame *syn_batch_frame(struct syn_batch *batch)
{
    return &batch->frame;
}

/* ---- the frame ---- */

/* Hashes the payload: the frame is complete. */
static void finish_frame(struct syn_batch *batch)
{
    struct syn_frame_header *header = &batch->frame.header;
    header->compressed_bytes = batch->output.count - SYN_FRAME_HEADER_BYTES;
    header->payload_hash =
        syn_hash64(batch->output.data + SYN_FRAME_HEADER_BYTES, header->compressed_bytes);
    batch->frame.is_there = true;
    batch->is_hashed = true;
}

/* ---- phases ---- */

/* Begins a phase. A chunk without events has no further phase.
 *
 * Plan: start the encoder of the phase. Before compression the frame's header is filled in, and
 * room is left for it in the output. */
static int begin_phase(struct syn_batch *batch, enum phase phase)
{
    struct syn_segments_chunk *chunk = &batch->chunk;
    batch->phase = chunk->count == 0 ? DONE : phase;
    switch (batch->phase) {
    case EVENTS:
        return syn_columns_begin(batch->encoder, chunk->entries->events + chunk->first,
                                 chunk->count, &batch->ticks, chunk->timeline, &batch->payload,
                                 &batch->layout);
    case SEGMENTS:
        chunk->order = syn_columns_order(batch->encoder);
        syn_segments_begin(&batch->segments, chunk, &batch->payload, &batch->layout);
        return SYN_OK;
    case COMPRESS: {
        batch->frame.header = (struct syn_frame_header){
            .type = SYN_FRAME_EVENTS,
            .element_count = batch->chunk.count,
            .span_start = batch->layout.span_start,
            .span_end = batch->layout.span_end,
            .thread = batch->thread,
            .time_base = batch->chunk.timeline ? SYN_TIME_GLOBAL_NS : SYN_TIME_LOCAL_TICKS,
            .raw_bytes = batch->payload.count};
        if (!syn_bytes_reserve(&batch->output, SYN_FRAME_HEADER_BYTES))
            return SYN_ENOMEM;
        batch->output.count += SYN_FRAME_HEADER_BYTES;
        const enum syn_content content =
            batch->layout.only_times ? SYN_CONTENT_TIMES : SYN_CONTENT_COLUMNS;
        return syn_compress_begin(batch->compressor, content, batch->payload.data,
                                  batch->layout.cuts, batch->layout.cut_count, &batch->output);
    }
    case HASH:
        batch->is_hashed = false;
        if (batch->output.count < HASHED_AT_ONCE_BYTES)
            finish_frame(batch);
        return SYN_OK;
    default:
        return SYN_OK;
    }
}

static size_t steps_left_in_phase(const struct syn_batch *batch)
{
    switch (batch->phase) {
    case SEPARATE:
        return syn_entries_steps_left(&batch->own_entries);
    case EVENTS:
        return syn_columns_steps_left(batch->encoder);
    case SEGMENTS:
        return syn_segments_steps_left(&batch->segments);
    case COMPRESS:
        return syn_compress_steps_left(batch->compressor);
    case HASH:
        return !batch->is_hashed;
    default:
        return 0;
    }
}

/* Ends a batch without a frame. */
static int fail(struct syn_batch *batch, int status)
{
    batch->phase = DONE;
    batch->frame.is_there = false;
    return status;
}

/* Begins phases until one has a step to do. */
static int skip_empty_phases(struct syn_batch *batch)
{
    int status = SYN_OK;
    while (status == SYN_OK && batch->phase < DONE && steps_left_in_phase(batch) == 0)
        status = begin_phase(batch, batch->phase + 1);
    return status == SYN_OK ? SYN_OK : fail(batch, status);
}

/* Prepares a batch for other entries. */
static void reset(struct syn_batch *batch, uint32_t thread)
{
    batch->thread = thread;
    batch->steps_expected = batch->steps_done;
    batch->steps_done = 0;
    batch->output.count = 0;
    batch->frame.is_there = false;
}

int syn_batch_begin(struct syn_batch *batch, uint32_t thread, const struct syn_event *entries,
                    size_t entry_count, size_t note_count, const struct syn_timeline *timeline)
{
    reset(batch, thread);
    if (entry_count == 0 || entry_count > SYN_CHUNK_EVENTS || note_count > entry_count)
        return fail(batch, SYN_EINVAL);
    batch->chunk = (struct syn_segments_chunk){.entries = &batch->own_entries,
                                               .count = entry_count - note_count,
                                               .ticks = &batch->ticks,
                                               .timeline = timeline};
    batch->phase = SEPARATE;
    const int status =
        syn_entries_begin(entries, entry_count, note_count, &batch->ticks, &batch->own_entries);
    return status == SYN_OK ? skip_empty_phases(batch) : fail(batch, status);
}

int syn_batch_begin_chunk(struct syn_batch *batch, uint32_t thread,
                          const struct syn_entries *entries, size_t first, size_t count,
                          const struct syn_timeline *timeline)
{
    reset(batch, thread);
    batch->chunk = (struct syn_segments_chunk){.entries = entries,
                                               .first = first,
                                               .count = count,
                                               .ticks = &batch->ticks,
                                               .timeline = timeline};
    const int status = begin_phase(batch, EVENTS);
    return status == SYN_OK ? skip_empty_phases(batch) : fail(batch, status);
}

int syn_batch_step(struct syn_batch *batch)
{
    int status = SYN_OK;
    batch->steps_done++;
    switch (batch->phase) {
    case SEPARATE:
        status = syn_entries_step(&batch->own_entries);
        break;
    case EVENTS:
        status = syn_columns_step(batch->encoder);
        break;
    case SEGMENTS:
        status = syn_segments_step(&batch->segments);
        break;
    case COMPRESS:
        status = syn_compress_step(batch->compressor);
        break;
    default:
        finish_frame(batch);
    }
    return status == SYN_OK ? skip_empty_phases(batch) : fail(batch, status);
}

/* Estimates the steps that are left. RATIONALE: entries are mostly like the previous ones. So the
 * estimate is the steps that those took, but at least what is known of this phase and later ones.
 */
size_t syn_batch_steps_left(const struct syn_batch *batch)
{
    size_t least = steps_left_in_phase(batch);
    if (batch->phase < EVENTS)
        least += batch->chunk.count / 512;
    if (batch->phase < SEGMENTS)
        least += batch->chunk.entries->figures[0] ? STEPS_OF_COMPRESSION : 2;
    if (batch->phase < COMPRESS)
        least += STEPS_OF_COMPRESSION;
    if (batch->phase >= COMPRESS || batch->steps_expected < batch->steps_done + least)
        return least;
    return batch->steps_expected - batch->steps_done;
}
