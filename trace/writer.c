/* trace/writer.c - a rank's file as it grows: frame by frame, each complete in itself, so that a
 * cut loses no more than the last. */
#include "trace/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "sync/base/bytes.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/batch.h"
#include "trace/compress.h"
#include "trace/frame.h"
#include "trace/notes.h"
#include "trace/sections.h"

/* A section of records is written once it is that long, if nothing asks for it earlier. */
#define SECTION_BYTES ((size_t)256 << 10)
/* Declarations are written a second time before the end frame, so that no single damage costs the
 * events that refer to them; unless they are longer than this, for memory's sake. */
#define COPY_BYTES ((size_t)1 << 20)

/* Records of one kind that were declared. */
struct section {
    struct syn_bytes pending;
    uint64_t pending_count;
    struct syn_bytes copy; /* of all that went into earlier frames */
    uint64_t copy_count;
    bool without_copy; /* it got too long */
};

enum { META, COMM, MODULE, STACK, SECTION_COUNT };

static const uint8_t section_types[SECTION_COUNT] = {SYN_FRAME_META, SYN_FRAME_COMM,
                                                     SYN_FRAME_MODULE, SYN_FRAME_STACK};

struct syn_writer {
    struct syn_sink sink;
    struct syn_writer_identity identity;
    struct syn_tick_source ticks;
    struct syn_compressor *compressor;
    struct syn_batch *batch; /* made for the first events that come without one */
    int level;
    struct section sections[SECTION_COUNT];
    struct syn_bytes clock; /* the last CLOCK payload */
    struct syn_bytes payload;
    struct syn_bytes output; /* frames that are not with the sink yet */
    uint64_t written_bytes;
    uint64_t event_count;
    uint32_t frame_count;
    bool finished;
    int status; /* the first error */
    int error_number;
};

/* Every path to an error goes through here, so that the first one stays. */
static int fail(struct syn_writer *writer, int status)
{
    if (writer->status == SYN_OK && status != SYN_OK) {
        writer->error_number = errno;
        writer->status = status;
    }
    errno = writer->error_number;
    return writer->status;
}

static int usable(struct syn_writer *writer)
{
    if (writer->status != SYN_OK)
        return fail(writer, writer->status);
    return writer->finished ? SYN_EINVAL : SYN_OK;
}

static struct syn_frame_header header_of(struct syn_writer *writer, uint8_t type, uint64_t elements)
{
    struct syn_frame_header header = {.type = type,
                                      .format_version = SYN_FORMAT_RANK_FILES,
                                      .number = writer->frame_count++,
                                      .rank = writer->identity.rank,
                                      .size = writer->identity.size,
                                      .element_count = elements};
    memcpy(header.run_id, writer->identity.run_id, sizeof header.run_id);
    return header;
}

/* Append header and compressed payload to the output. */
static int emit(struct syn_writer *writer, uint8_t type, const struct syn_bytes *raw,
                uint64_t elements)
{
    struct syn_frame_header header = header_of(writer, type, elements);
    struct syn_bytes *output = &writer->output;
    const size_t at = output->count;
    if (raw->failed || !syn_bytes_reserve(output, SYN_FRAME_HEADER_BYTES))
        return SYN_ENOMEM;
    output->count += SYN_FRAME_HEADER_BYTES;
    int status =
        syn_compress(writer->compressor, SYN_CONTENT_RECORDS, raw->data, &raw->count, 1, output);
    if (status != SYN_OK)
        return status;
    const uint8_t *payload = output->data + at + SYN_FRAME_HEADER_BYTES;
    header.first_event = writer->event_count;
    header.raw_bytes = raw->count;
    header.compressed_bytes = output->count - at - SYN_FRAME_HEADER_BYTES;
    header.payload_hash = syn_hash64(payload, header.compressed_bytes);
    syn_frame_encode(&header, output->data + at);
    return SYN_OK;
}

static int hand_over_bytes(struct syn_writer *writer, struct syn_bytes *output)
{
    if (output->count == 0)
        return SYN_OK;
    int status = writer->sink.write(writer->sink.ctx, output->data, output->count);
    writer->written_bytes += status == SYN_OK ? output->count : 0;
    output->count = 0;
    return status;
}

static int hand_over(struct syn_writer *writer)
{
    return hand_over_bytes(writer, &writer->output);
}

/* Empty the pending records of a section into its copy. */
static void move_to_copy(struct section *section)
{
    if (section->copy.count + section->pending.count > COPY_BYTES)
        section->without_copy = true;
    if (section->without_copy)
        syn_bytes_free(&section->copy);
    else
        syn_bytes_put(&section->copy, section->pending.data, section->pending.count);
    section->copy_count += section->pending_count;
    section->pending.count = 0;
    section->pending_count = 0;
}

static int emit_pending(struct syn_writer *writer, int kind)
{
    struct section *section = &writer->sections[kind];
    if (section->pending_count == 0)
        return SYN_OK;
    int status = emit(writer, section_types[kind], &section->pending, section->pending_count);
    move_to_copy(section);
    return status;
}

static int emit_all_pending(struct syn_writer *writer)
{
    int status = SYN_OK;
    for (int kind = 0; kind < SECTION_COUNT && status == SYN_OK; kind++)
        status = emit_pending(writer, kind);
    return status;
}

/* After one record was appended to a section. */
static int declared(struct syn_writer *writer, int kind, size_t count_before)
{
    struct section *section = &writer->sections[kind];
    if (section->pending.failed)
        return fail(writer, SYN_ENOMEM);
    if (section->pending.count - count_before > SYN_SECTION_RAW_MAX - SECTION_BYTES) {
        section->pending.count = count_before;
        return fail(writer, SYN_EINVAL);
    }
    section->pending_count++;
    if (section->pending.count < SECTION_BYTES)
        return SYN_OK;
    int status = emit_pending(writer, kind);
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

static int emit_clock(struct syn_writer *writer, const struct syn_clock_section *clock)
{
    writer->clock.count = 0;
    syn_put_clock(&writer->clock, clock);
    return emit(writer, SYN_FRAME_CLOCK, &writer->clock, 1);
}

/* The frames that every file starts with. */
static int emit_opening(struct syn_writer *writer)
{
    struct syn_clock_section clock = {.ticks = writer->ticks};
    struct syn_frame_header header = header_of(writer, SYN_FRAME_FILE, 0);
    uint8_t *at = syn_bytes_reserve(&writer->output, SYN_FRAME_HEADER_BYTES);
    if (!at)
        return SYN_ENOMEM;
    syn_frame_encode(&header, at);
    writer->output.count += SYN_FRAME_HEADER_BYTES;
    writer->payload.count = 0;
    size_t op_count = syn_put_ops(&writer->payload);
    int status = emit(writer, SYN_FRAME_OPS, &writer->payload, op_count);
    if (status == SYN_OK)
        status = emit_clock(writer, &clock);
    return status == SYN_OK ? hand_over(writer) : status;
}

int syn_writer_open(struct syn_sink sink, const struct syn_writer_identity *identity, int level,
                    const struct syn_tick_source *ticks, struct syn_writer **out)
{
    *out = NULL;
    struct syn_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        sink.close(sink.ctx);
        return SYN_ENOMEM;
    }
    writer->sink = sink;
    writer->identity = *identity;
    writer->ticks = *ticks;
    writer->level = level;
    writer->compressor = syn_compressor_new(level);
    int status = SYN_EINVAL;
    if (!writer->compressor)
        status = SYN_ENOMEM;
    else if (identity->rank >= 0 && identity->rank < identity->size)
        status = emit_opening(writer);
    if (status != SYN_OK) {
        int error_number = errno;
        syn_writer_close(writer);
        errno = error_number;
        return status;
    }
    *out = writer;
    return SYN_OK;
}

int syn_writer_meta(struct syn_writer *writer, const char *key, const char *value)
{
    struct syn_bytes *pending = &writer->sections[META].pending;
    size_t before = pending->count;
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    syn_put_meta(pending, key, value);
    return declared(writer, META, before);
}

int syn_writer_comm(struct syn_writer *writer, const struct syn_comm_record *comm)
{
    struct syn_bytes *pending = &writer->sections[COMM].pending;
    size_t before = pending->count;
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    if (comm->size < 0 || comm->remote_size == INT32_MIN)
        return fail(writer, SYN_EINVAL);
    syn_put_comm(pending, comm);
    return declared(writer, COMM, before);
}

int syn_writer_module(struct syn_writer *writer, const struct syn_module_record *module)
{
    struct syn_bytes *pending = &writer->sections[MODULE].pending;
    size_t before = pending->count;
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    syn_put_module(pending, module);
    return declared(writer, MODULE, before);
}

int syn_writer_stack(struct syn_writer *writer, const struct syn_stack_record *stack)
{
    struct syn_bytes *pending = &writer->sections[STACK].pending;
    size_t before = pending->count;
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    syn_put_stack(pending, stack);
    return declared(writer, STACK, before);
}

int syn_writer_flush(struct syn_writer *writer)
{
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    status = emit_all_pending(writer);
    if (status == SYN_OK)
        status = hand_over(writer);
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

int syn_writer_clock(struct syn_writer *writer, const struct syn_timeline *timeline,
                     const struct syn_fitpoint *fitpoints, size_t fitpoint_count,
                     const struct syn_sync_quality *quality)
{
    struct syn_clock_section clock = {.ticks = writer->ticks,
                                      .timeline = *timeline,
                                      .fitpoints = fitpoints,
                                      .fitpoint_count = fitpoint_count,
                                      .has_quality = quality != NULL};
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    if (quality)
        clock.quality = *quality;
    status = emit_clock(writer, &clock);
    if (status == SYN_OK)
        status = hand_over(writer);
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

/* What a batch could not know of its frame. */
static void complete_header(struct syn_writer *writer, struct syn_frame_header *header)
{
    const struct syn_frame_header ours = header_of(writer, header->type, header->element_count);
    header->format_version = ours.format_version;
    header->number = ours.number;
    header->rank = ours.rank;
    header->size = ours.size;
    memcpy(header->run_id, ours.run_id, sizeof header->run_id);
    header->first_event = writer->event_count;
}

/* The frames of a batch are written as they lie there, once their headers are complete. */
static int emit_frames(struct syn_writer *writer, struct syn_batch_frames *frames)
{
    const uint64_t count_before = writer->event_count;
    for (size_t i = 0; i < frames->count; i++) {
        struct syn_frame_header *header = &frames->frame[i].header;
        complete_header(writer, header);
        syn_frame_encode(header, frames->bytes->data + frames->frame[i].at);
        writer->event_count += header->type == SYN_FRAME_EVENTS ? header->element_count : 0;
    }
    frames->count = 0;
    int status = hand_over(writer);
    if (status == SYN_OK)
        status = hand_over_bytes(writer, frames->bytes);
    if (status != SYN_OK)
        writer->event_count = count_before;
    return status;
}

int syn_writer_batch(struct syn_writer *writer, struct syn_batch *batch)
{
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    status = emit_all_pending(writer);
    if (status == SYN_OK)
        status = emit_frames(writer, syn_batch_frames(batch));
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

int syn_writer_ahead(struct syn_writer *writer, bool *any)
{
    int kind = 0;
    int status = usable(writer);
    *any = false;
    while (kind < SECTION_COUNT && writer->sections[kind].pending_count == 0)
        kind++;
    if (status != SYN_OK || kind == SECTION_COUNT)
        return status;
    *any = true;
    status = emit_pending(writer, kind);
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

struct syn_batch *syn_writer_new_batch(const struct syn_writer *writer)
{
    return syn_batch_new(writer->level, &writer->ticks);
}

static int emit_chunk(struct syn_writer *writer, uint32_t thread, const struct syn_entries *entries,
                      size_t first, size_t count, const struct syn_timeline *timeline)
{
    int status = syn_batch_begin_chunk(writer->batch, thread, entries, first, count, timeline);
    while (status == SYN_OK && syn_batch_steps_left(writer->batch) > 0)
        status = syn_batch_step(writer->batch);
    return status == SYN_OK ? emit_frames(writer, syn_batch_frames(writer->batch)) : status;
}

/* All events of entries that were taken apart. */
static int emit_chunks(struct syn_writer *writer, uint32_t thread,
                       const struct syn_entries *entries, const struct syn_timeline *timeline)
{
    int status = SYN_OK;
    for (size_t done = 0; done < entries->event_count && status == SYN_OK;
         done += SYN_CHUNK_EVENTS) {
        const size_t left = entries->event_count - done;
        status =
            emit_chunk(writer, thread, entries, done, syn_least(left, SYN_CHUNK_EVENTS), timeline);
    }
    return status;
}

static int begin_events(struct syn_writer *writer)
{
    if (!writer->batch)
        writer->batch = syn_writer_new_batch(writer);
    return writer->batch ? emit_all_pending(writer) : SYN_ENOMEM;
}

static int end_events(struct syn_writer *writer, int status)
{
    if (status == SYN_OK)
        status = hand_over(writer);
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

int syn_writer_events(struct syn_writer *writer, uint32_t thread, const struct syn_event *events,
                      size_t event_count, const struct syn_timeline *timeline)
{
    return syn_writer_entries(writer, thread, events, event_count, 0, timeline);
}

int syn_writer_entries(struct syn_writer *writer, uint32_t thread, const struct syn_event *entries,
                       size_t entry_count, size_t note_count, const struct syn_timeline *timeline)
{
    struct syn_entries taken = {0};
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    status = begin_events(writer);
    if (status == SYN_OK)
        status = syn_entries_take(entries, entry_count, note_count, &writer->ticks, &taken);
    if (status == SYN_OK)
        status = emit_chunks(writer, thread, &taken, timeline);
    syn_entries_free(&taken);
    return end_events(writer, status);
}

static int emit_copied(struct syn_writer *writer, const struct syn_frame_header *from,
                       const void *payload)
{
    struct syn_bytes *output = &writer->output;
    struct syn_frame_header header = header_of(writer, from->type, from->element_count);
    header.first_event = writer->event_count;
    header.span_start = from->span_start;
    header.span_end = from->span_end;
    header.thread = from->thread;
    header.time_base = from->time_base;
    header.raw_bytes = from->raw_bytes;
    header.compressed_bytes = from->compressed_bytes;
    header.payload_hash = from->payload_hash;
    uint8_t *at = syn_bytes_reserve(output, SYN_FRAME_HEADER_BYTES);
    if (!at)
        return SYN_ENOMEM;
    syn_frame_encode(&header, at);
    output->count += SYN_FRAME_HEADER_BYTES;
    syn_bytes_put(output, payload, from->compressed_bytes);
    if (output->failed)
        return SYN_ENOMEM;
    writer->event_count += from->type == SYN_FRAME_EVENTS ? from->element_count : 0;
    return hand_over(writer);
}

int syn_writer_copy_chunk(struct syn_writer *writer, const struct syn_frame_header *from,
                          const void *payload)
{
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    status = emit_all_pending(writer);
    if (status == SYN_OK)
        status = emit_copied(writer, from, payload);
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

/* All records of a section once more, with those that were not written yet among them. */
static int emit_copy(struct syn_writer *writer, int kind)
{
    struct section *section = &writer->sections[kind];
    if (section->without_copy || section->copy_count == 0 ||
        section->copy.count + section->pending.count > COPY_BYTES)
        return emit_pending(writer, kind);
    move_to_copy(section);
    return emit(writer, section_types[kind], &section->copy, section->copy_count);
}

static int emit_closing(struct syn_writer *writer)
{
    int status = emit_pending(writer, META);
    for (int kind = COMM; kind < SECTION_COUNT && status == SYN_OK; kind++)
        status = emit_copy(writer, kind);
    if (status == SYN_OK && writer->event_count > 0)
        status = emit(writer, SYN_FRAME_CLOCK, &writer->clock, 1);
    return status;
}

static int emit_end(struct syn_writer *writer, const struct syn_end_record *end)
{
    struct syn_end_record record = *end;
    record.event_count = writer->event_count;
    writer->payload.count = 0;
    syn_put_end(&writer->payload, &record);
    int status = emit(writer, SYN_FRAME_END, &writer->payload, 1);
    return status == SYN_OK ? hand_over(writer) : status;
}

int syn_writer_end(struct syn_writer *writer, const struct syn_end_record *end)
{
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    status = emit_closing(writer);
    if (status == SYN_OK)
        status = emit_end(writer, end);
    if (status != SYN_OK)
        return fail(writer, status);
    writer->finished = true;
    return SYN_OK;
}

int syn_writer_commit(struct syn_writer *writer)
{
    if (writer->status != SYN_OK)
        return fail(writer, writer->status);
    const int status = writer->sink.commit(writer->sink.ctx);
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

int syn_writer_finish(struct syn_writer *writer, const struct syn_end_record *end)
{
    const int status = syn_writer_end(writer, end);
    return status == SYN_OK ? syn_writer_commit(writer) : status;
}

uint64_t syn_writer_bytes(const struct syn_writer *writer)
{
    return writer->written_bytes;
}

uint64_t syn_writer_event_count(const struct syn_writer *writer)
{
    return writer->event_count;
}

void syn_writer_close(struct syn_writer *writer)
{
    if (!writer)
        return;
    for (int kind = 0; kind < SECTION_COUNT; kind++) {
        syn_bytes_free(&writer->sections[kind].pending);
        syn_bytes_free(&writer->sections[kind].copy);
    }
    syn_bytes_free(&writer->clock);
    syn_bytes_free(&writer->payload);
    syn_bytes_free(&writer->output);
    syn_batch_free(writer->batch);
    syn_compressor_free(writer->compressor);
    writer->sink.close(writer->sink.ctx);
    free(writer);
}
