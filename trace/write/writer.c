/* trace/write/writer.c - writes a rank's file frame by frame. Each frame is complete in itself, so
 * that a cut loses no more than the last frame. */
#include "trace/write/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "sync/base/bytes.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"
#include "trace/base/coding/compress.h"
#include "trace/base/frame.h"
#include "trace/base/sections.h"
#include "trace/events/notes.h"
#include "trace/write/batch.h"

/* A section of records is written when it has this length, if not earlier. */
#define SECTION_BYTES ((size_t)256 << 10)
/* Declarations are written a second time before the end frame, so that no single damage loses the
 * events that refer to them. To save memory, longer declarations are not copied. */
#define COPY_BYTES ((size_t)1 << 20)
/* Room for the first records of each kind, allocated in advance by syn_writer_warm_up. */
#define RECORDS_BYTES ((size_t)4 << 10)
/* The frame of a batch is written in pieces of this length: the kernel takes 3 to 5 us for each new
 * page of a file. */
#define PIECE_BYTES ((size_t)12 << 10)
/* The first pages of a file take half as long again. So pieces are shorter while the file is
 * shorter than YOUNG_BYTES. */
#define FIRST_PIECE_BYTES ((size_t)8 << 10)
#define YOUNG_BYTES       ((size_t)64 << 10)

/* Encoded records, one after the other. */
struct records {
    struct syn_bytes bytes;
    size_t declared_bytes; /* up to the end of the last record that `declared` has counted */
    uint64_t count;
};

/* Declared records of one kind. */
struct section {
    struct records pending;
    struct records going; /* being encoded into a frame, in steps */
    struct records copy;  /* all records of earlier frames */
    bool without_copy;    /* the copy would be too long */
};

/* Kinds of sections, in the order of their frames' types. */
enum { META, COMM, MODULE, STACK, SECTION_COUNT };
#define TYPE_OF(kind) ((uint8_t)(SYN_FRAME_META + (kind)))
_Static_assert(TYPE_OF(COMM) == SYN_FRAME_COMM && TYPE_OF(MODULE) == SYN_FRAME_MODULE &&
                   TYPE_OF(STACK) == SYN_FRAME_STACK,
               "kinds follow the types of frames");

struct syn_writer {
    struct syn_sink sink;
    struct syn_writer_identity identity;
    struct syn_tick_source ticks;
    struct syn_compressor *compressor;
    struct syn_batch *batch; /* for events that come without a batch; made for the first of them */
    int level;
    size_t page_bytes;
    struct section sections[SECTION_COUNT];
    struct syn_bytes clock; /* the last CLOCK payload */
    struct syn_bytes payload;
    struct syn_bytes output; /* complete frames that are not with the sink yet */
    const void *piecemeal;   /* the batch whose frame is being written, or `ahead`; NULL: none */
    const uint8_t *rest;     /* the bytes of that frame that are left to write, */
    size_t rest_bytes;       /* valid until the batch is used again */
    struct syn_bytes ahead;  /* the frame of the records in `going`, */
    struct syn_frame_header ahead_header;
    bool ahead_is_whole;     /* which is complete, */
    bool ahead_is_begun;     /* has its place in the file, */
    bool is_expected;        /* and was announced to the sink, for all records in `going` */
    int going_kind;          /* the kind that is being encoded; SECTION_COUNT: none */
    uint64_t declared_count; /* all records declared, */
    uint64_t going_until;    /* those in `going` or further, */
    uint64_t written_count;  /* those that the sink has or gets with the next write */
    uint64_t written_bytes;
    uint64_t event_count;
    uint32_t frame_count;
    bool finished;
    int status; /* the first error */
    int error_number;
};

/* Keeps the first error. Every error path calls this. */
static SYN_COLD int fail(struct syn_writer *writer, int status)
{
    if (writer->status == SYN_OK && status != SYN_OK) {
        writer->error_number = errno;
        writer->status = status;
    }
    errno = writer->error_number;
    return writer->status;
}

static int settle(struct syn_writer *writer, int status)
{
    return status == SYN_OK ? SYN_OK : fail(writer, status);
}

static int usable(struct syn_writer *writer)
{
    if (writer->status != SYN_OK)
        return fail(writer, writer->status);
    return writer->finished ? SYN_EINVAL : SYN_OK;
}

static struct syn_frame_header header_of(struct syn_writer *writer, uint8_t type, uint64_t elements)
{
    struct syn_frame_header header =
        syn_frame_begin(type, writer->frame_count++, writer->identity.rank, writer->identity.size,
                        writer->identity.run_id);
    header.element_count = elements;
    return header;
}

/* Returns the header of a payload that was compressed from `raw_bytes`. The payload lies in
 * `output`, after the header's place `at`. Members that depend on the place in the file are 0. */
static struct syn_frame_header payload_header(uint8_t type, size_t raw_bytes, uint64_t elements,
                                              const struct syn_bytes *output, size_t at)
{
    const uint8_t *payload = output->data + at + SYN_FRAME_HEADER_BYTES;
    const size_t compressed_bytes = output->count - at - SYN_FRAME_HEADER_BYTES;
    return (struct syn_frame_header){.type = type,
                                     .element_count = elements,
                                     .raw_bytes = raw_bytes,
                                     .compressed_bytes = compressed_bytes,
                                     .payload_hash = syn_hash64(payload, compressed_bytes)};
}

static void put_header(struct syn_writer *writer, struct syn_frame_header *header,
                       struct syn_bytes *output, size_t at)
{
    /* Set the members that depend on the frame's place in the file. */
    const struct syn_frame_header ours = header_of(writer, header->type, header->element_count);
    header->format_version = ours.format_version;
    header->number = ours.number;
    header->rank = ours.rank;
    header->size = ours.size;
    memcpy(header->run_id, ours.run_id, sizeof header->run_id);
    header->first_event = writer->event_count;
    syn_frame_encode(header, output->data + at);
}

/* Begins a frame: leaves room for the header and begins the compression. put_header completes the
 * frame. */
static int begin_frame(struct syn_writer *writer, const struct syn_bytes *raw,
                       struct syn_bytes *output)
{
    if (raw->failed || !syn_bytes_reserve(output, SYN_FRAME_HEADER_BYTES))
        return SYN_ENOMEM;
    output->count += SYN_FRAME_HEADER_BYTES;
    return syn_compress_begin(writer->compressor, SYN_CONTENT_RECORDS, raw->data, &raw->count, 1,
                              output);
}

static int emit(struct syn_writer *writer, uint8_t type, const struct syn_bytes *raw,
                uint64_t elements)
{
    const size_t at = writer->output.count;
    int status = begin_frame(writer, raw, &writer->output);
    while (status == SYN_OK && syn_compress_steps_left(writer->compressor) > 0)
        status = syn_compress_step(writer->compressor);
    if (status == SYN_OK) {
        struct syn_frame_header header =
            payload_header(type, raw->count, elements, &writer->output, at);
        put_header(writer, &header, &writer->output, at);
    }
    return status;
}

static int write_bytes(struct syn_writer *writer, const uint8_t *data, size_t count)
{
    const int status = writer->sink.write(writer->sink.ctx, data, count);
    writer->written_bytes += status == SYN_OK ? count : 0;
    return status;
}

/* Writes `count` bytes of the frame that is written in pieces. */
static int write_part(struct syn_writer *writer, size_t count)
{
    const int status = write_bytes(writer, writer->rest, count);
    writer->rest += count;
    writer->rest_bytes -= count;
    if (writer->rest_bytes == 0 || status != SYN_OK)
        writer->piecemeal = NULL;
    return status;
}

/* Returns the number of bytes in the last page of the file. */
static size_t bytes_in_page(const struct syn_writer *writer)
{
    return writer->written_bytes & (writer->page_bytes - 1);
}

/* Writes the rest of the frame that is written in pieces, because no other frame may come between
 * its pieces. */
static int write_rest(struct syn_writer *writer)
{
    return writer->piecemeal ? write_part(writer, writer->rest_bytes) : SYN_OK;
}

static int hand_over(struct syn_writer *writer)
{
    int status = write_rest(writer);
    if (status == SYN_OK && writer->output.count > 0)
        status = write_bytes(writer, writer->output.data, writer->output.count);
    writer->output.count = 0;
    return status;
}

/* RATIONALE: the room for a whole copy is allocated at once, and kept when it is no longer needed.
 * Moving or freeing it would be a stop. */
static bool has_copy(struct section *section)
{
    return section->copy.bytes.data || syn_bytes_reserve(&section->copy.bytes, COPY_BYTES);
}

/* Moves records of a section into its copy. */
static void move_to_copy(struct section *section, struct records *records)
{
    struct syn_bytes *copy = &section->copy.bytes;
    if (copy->count + records->bytes.count > COPY_BYTES)
        section->without_copy = true;
    if (section->without_copy)
        copy->count = 0;
    else if (has_copy(section))
        syn_bytes_put(copy, records->bytes.data, records->bytes.count);
    section->copy.count += records->count;
    records->bytes.count = records->declared_bytes = 0;
    records->count = 0;
}

static int emit_pending(struct syn_writer *writer, int kind)
{
    struct section *section = &writer->sections[kind];
    if (section->pending.count == 0)
        return SYN_OK;
    int status = emit(writer, TYPE_OF(kind), &section->pending.bytes, section->pending.count);
    move_to_copy(section, &section->pending);
    return status;
}

/* ---- declarations, in steps ---- */

/* Moves on to the next kind with records in `going`. */
static void skip_empty(struct syn_writer *writer)
{
    while (writer->going_kind < SECTION_COUNT &&
           writer->sections[writer->going_kind].going.count == 0)
        writer->going_kind++;
}

static int begin_going_frame(struct syn_writer *writer)
{
    return begin_frame(writer, &writer->sections[writer->going_kind].going.bytes, &writer->ahead);
}

/* Writes the frame's first part, or its rest, unless another write has written the rest already.
 * The frame gets its number with the first part: other frames may have been written during the
 * encoding, and they have the numbers before this one's. */
static int hand_over_ahead(struct syn_writer *writer)
{
    int status = SYN_OK;
    if (!writer->ahead_is_begun) {
        status = hand_over(writer);
        if (status != SYN_OK)
            return status;
        put_header(writer, &writer->ahead_header, &writer->ahead, 0);
        writer->ahead_is_begun = true;
        writer->piecemeal = &writer->ahead;
        writer->rest = writer->ahead.data;
        writer->rest_bytes = writer->ahead.count;
        const size_t in_page = bytes_in_page(writer), room = writer->page_bytes - in_page;
        status = write_part(writer,
                            in_page > 0 ? syn_least(room, writer->rest_bytes) : writer->rest_bytes);
    } else if (writer->piecemeal == &writer->ahead)
        status = write_rest(writer);
    if (status != SYN_OK || writer->piecemeal == &writer->ahead)
        return status;
    writer->ahead.count = 0;
    writer->ahead_is_whole = writer->ahead_is_begun = false;
    if (writer->going_kind == SECTION_COUNT)
        writer->written_count = writer->going_until;
    return SYN_OK;
}

static bool is_going(const struct syn_writer *writer)
{
    return writer->going_until > writer->written_count;
}

/* RATIONALE: after a while without writes, a write that needs a new page takes the kernel 25 to 40
 * us. So the preparation for a write is a step of its own. Each frame is passed on by itself. A
 * frame that crosses the end of the file's last page is passed on in two steps: the part in that
 * page, and the rest. */
static int go_on(struct syn_writer *writer)
{
    if (writer->ahead_is_whole && writer->is_expected)
        return hand_over_ahead(writer);
    if (writer->ahead_is_whole) {
        writer->is_expected = true;
        if (writer->sink.expect)
            writer->sink.expect(writer->sink.ctx);
        return SYN_OK;
    }
    if (writer->ahead.count == 0)
        return begin_going_frame(writer);
    if (syn_compress_steps_left(writer->compressor) > 0)
        return syn_compress_step(writer->compressor);
    struct section *section = &writer->sections[writer->going_kind];
    writer->ahead_header = payload_header(TYPE_OF(writer->going_kind), section->going.bytes.count,
                                          section->going.count, &writer->ahead, 0);
    writer->ahead_is_whole = true;
    move_to_copy(section, &section->going);
    skip_empty(writer);
    return SYN_OK;
}

/* Finishes the records that are being encoded. They are older than all others, and they occupy the
 * compressor. */
static int end_going(struct syn_writer *writer)
{
    int status = SYN_OK;
    while (status == SYN_OK && is_going(writer))
        status = go_on(writer);
    return status;
}

static int emit_all_pending(struct syn_writer *writer)
{
    int status = end_going(writer);
    for (int kind = 0; kind < SECTION_COUNT && status == SYN_OK; kind++)
        status = emit_pending(writer, kind);
    if (status == SYN_OK)
        writer->written_count = writer->going_until = writer->declared_count;
    return status;
}

SYN_HOT bool syn_writer_is_ahead_due(const struct syn_writer *writer, size_t least_bytes)
{
    size_t bytes = 0;
    for (int kind = 0; kind < SECTION_COUNT; kind++)
        bytes += writer->sections[kind].pending.bytes.count;
    return is_going(writer) || (bytes > 0 && bytes >= least_bytes);
}

bool syn_writer_is_ahead_whole(const struct syn_writer *writer)
{
    return is_going(writer) && writer->ahead_is_whole;
}

int syn_writer_ahead(struct syn_writer *writer, size_t least_bytes, enum syn_ahead *what)
{
    int status = usable(writer);
    const bool goes = is_going(writer);
    *what = SYN_AHEAD_NOTHING;
    if (status != SYN_OK || !syn_writer_is_ahead_due(writer, least_bytes))
        return status;
    if (goes)
        status = go_on(writer);
    else {
        /* Begin to encode the records so far. */
        for (int kind = 0; kind < SECTION_COUNT; kind++) {
            struct section *section = &writer->sections[kind];
            const struct records empty = section->going;
            section->going = section->pending;
            section->pending = empty;
        }
        writer->going_until = writer->declared_count;
        writer->is_expected = false;
        writer->going_kind = 0;
        skip_empty(writer);
        status = begin_going_frame(writer);
    }
    *what = !goes ? SYN_AHEAD_BEGUN : is_going(writer) ? SYN_AHEAD_UNDER_WAY : SYN_AHEAD_WRITTEN;
    return settle(writer, status);
}

int syn_writer_warm_up(struct syn_writer *writer, size_t bytes)
{
    struct syn_bytes raw = {0};
    int status = usable(writer);
    /* Touch one page of each copy. `declared` touches the others one by one. */
    for (int kind = 0; kind < SECTION_COUNT; kind++) {
        struct syn_bytes *copy = &writer->sections[kind].copy.bytes;
        if (has_copy(&writer->sections[kind]) && copy->count == 0)
            copy->data[0] = 0;
    }
    /* Allocate room for the first records of each kind. */
    for (int kind = 0; kind < SECTION_COUNT; kind++) {
        uint8_t *room = syn_bytes_reserve(&writer->sections[kind].pending.bytes, RECORDS_BYTES);
        if (room)
            room[0] = 0;
    }
    uint8_t *at = syn_bytes_reserve(&raw, bytes);
    for (size_t i = 0; at && i < bytes; i++)
        at[i] = (uint8_t)(i * i >> 7);
    raw.count = at ? bytes : 0;
    SYN_STEP(status, begin_frame(writer, &raw, &writer->ahead));
    while (status == SYN_OK && syn_compress_steps_left(writer->compressor) > 0)
        status = syn_compress_step(writer->compressor);
    writer->ahead.count = 0;
    syn_bytes_free(&raw);
    return status;
}

uint64_t syn_writer_declared_count(const struct syn_writer *writer)
{
    return writer->declared_count;
}

uint64_t syn_writer_written_count(const struct syn_writer *writer)
{
    return writer->written_count;
}

/* ---- declarations ---- */

static SYN_COLD int emit_full(struct syn_writer *writer, int kind)
{
    int status = end_going(writer);
    SYN_STEP(status, emit_pending(writer, kind));
    return settle(writer, status);
}

/* Completes a declaration after one record was appended to a section. If the writer cannot take it,
 * the record is removed again. */
static inline int declared(struct syn_writer *writer, int kind)
{
    struct records *pending = &writer->sections[kind].pending;
    const size_t bytes = pending->bytes.count - pending->declared_bytes;
    const int status = usable(writer);
    if (status != SYN_OK || pending->bytes.failed || bytes > SYN_SECTION_RAW_MAX - SECTION_BYTES) {
        pending->bytes.count = pending->declared_bytes;
        return status != SYN_OK ? status
                                : fail(writer, pending->bytes.failed ? SYN_ENOMEM : SYN_EINVAL);
    }
    pending->declared_bytes = pending->bytes.count;
    pending->count++;
    writer->declared_count++;
    /* Touch the page of the copy that the records so far will need, when it is a new one. So pages
     * are touched one by one as records come. (A page's length is a power of two; a division would
     * take as long as the rest.) */
    const size_t of_page = ~(writer->page_bytes - 1);
    const size_t end = writer->sections[kind].copy.bytes.count +
                       writer->sections[kind].going.bytes.count + pending->bytes.count;
    if ((end & of_page) > ((end - bytes) & of_page) &&
        end < writer->sections[kind].copy.bytes.capacity)
        writer->sections[kind].copy.bytes.data[end] = 0;
    return pending->bytes.count < SECTION_BYTES ? SYN_OK : emit_full(writer, kind);
}

static int emit_clock(struct syn_writer *writer, const struct syn_clock_section *clock)
{
    writer->clock.count = 0;
    syn_put_clock(&writer->clock, clock);
    return emit(writer, SYN_FRAME_CLOCK, &writer->clock, 1);
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
    writer->page_bytes = syn_page_bytes();
    writer->going_kind = SECTION_COUNT;
    writer->compressor = syn_compressor_new(level);
    int status = writer->compressor ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK && (identity->rank < 0 || identity->rank >= identity->size))
        status = SYN_EINVAL;
    if (status == SYN_OK) {
        /* Write the frames with which every file begins. */
        const struct syn_clock_section clock = {.ticks = writer->ticks};
        struct syn_frame_header header = header_of(writer, SYN_FRAME_FILE, 0);
        uint8_t encoded[SYN_FRAME_HEADER_BYTES];
        syn_frame_encode(&header, encoded);
        syn_bytes_put(&writer->output, encoded, sizeof encoded);
        const size_t op_count = syn_put_ops(&writer->payload);
        status = emit(writer, SYN_FRAME_OPS, &writer->payload, op_count);
        SYN_STEP(status, emit_clock(writer, &clock));
        SYN_STEP(status, hand_over(writer));
    }
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
    syn_put_meta(&writer->sections[META].pending.bytes, key, value);
    return declared(writer, META);
}

int syn_writer_comm(struct syn_writer *writer, const struct syn_comm_record *comm)
{
    if (comm->size < 0 || comm->remote_size == INT32_MIN)
        return fail(writer, SYN_EINVAL);
    syn_put_comm(&writer->sections[COMM].pending.bytes, comm);
    return declared(writer, COMM);
}

int syn_writer_module(struct syn_writer *writer, const struct syn_module_record *module)
{
    syn_put_module(&writer->sections[MODULE].pending.bytes, module);
    return declared(writer, MODULE);
}

int syn_writer_stack(struct syn_writer *writer, const struct syn_stack_record *stack)
{
    syn_put_stack(&writer->sections[STACK].pending.bytes, stack);
    return declared(writer, STACK);
}

/* RATIONALE: there may be millions of records of a few bytes each, and mostly there is room for the
 * next. */
SYN_HOT int syn_writer_record(struct syn_writer *writer, uint8_t frame_type, const void *record,
                              size_t bytes)
{
    const unsigned kind = frame_type - (unsigned)SYN_FRAME_META;
    if (kind >= SECTION_COUNT)
        return SYN_EINVAL;
    struct syn_bytes *pending = &writer->sections[kind].pending.bytes;
    if (bytes > pending->capacity - pending->count || pending->failed)
        syn_bytes_put(pending, record, bytes);
    else {
        syn_copy_short(pending->data + pending->count, record, bytes);
        pending->count += bytes;
    }
    return declared(writer, (int)kind);
}

/* Writes all pending records before a frame that must follow them. */
static int make_way(struct syn_writer *writer)
{
    const int status = usable(writer);
    return status == SYN_OK ? settle(writer, emit_all_pending(writer)) : status;
}

int syn_writer_flush(struct syn_writer *writer)
{
    const int status = make_way(writer);
    return status == SYN_OK ? settle(writer, hand_over(writer)) : status;
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
    status = end_going(writer);
    SYN_STEP(status, emit_clock(writer, &clock));
    SYN_STEP(status, hand_over(writer));
    return settle(writer, status);
}

/* Completes the header of a batch's frame and begins to write the frame from the batch's memory. */
static int begin_batch(struct syn_writer *writer, struct syn_batch *batch)
{
    struct syn_batch_frame *frame = syn_batch_frame(batch);
    if (!frame->is_there)
        return hand_over(writer);
    put_header(writer, &frame->header, frame->bytes, 0);
    frame->is_there = false;
    const int status = hand_over(writer);
    if (status != SYN_OK)
        return status;
    writer->event_count += frame->header.element_count;
    writer->piecemeal = batch;
    writer->rest = frame->bytes->data;
    writer->rest_bytes = frame->bytes->count;
    return SYN_OK;
}

int syn_writer_batch(struct syn_writer *writer, struct syn_batch *batch, uint64_t until,
                     bool *is_whole)
{
    int status = usable(writer);
    const bool is_begun = !syn_batch_frame(batch)->is_there;
    *is_whole = false;
    if (status != SYN_OK)
        return status;
    if (!is_begun && writer->written_count < until)
        status = emit_all_pending(writer);
    if (!is_begun && status == SYN_OK)
        status = begin_batch(writer, batch);
    if (status == SYN_OK && writer->piecemeal == batch) {
        /* End the piece at the end of a page of the file. */
        const size_t in_page = bytes_in_page(writer);
        const size_t most = writer->written_bytes < YOUNG_BYTES ? FIRST_PIECE_BYTES : PIECE_BYTES;
        const size_t count = most - syn_least(in_page, most / 2);
        status = write_part(writer, syn_least(count, writer->rest_bytes));
    }
    *is_whole = status == SYN_OK && writer->piecemeal != batch;
    return settle(writer, status);
}

struct syn_batch *syn_writer_new_batch(const struct syn_writer *writer)
{
    return syn_batch_new(writer->level, &writer->ticks);
}

int syn_writer_entries(struct syn_writer *writer, uint32_t thread, const struct syn_event *entries,
                       size_t entry_count, size_t note_count, const struct syn_timeline *timeline)
{
    struct syn_entries taken = {0};
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    if (!writer->batch)
        writer->batch = syn_writer_new_batch(writer);
    status = writer->batch ? emit_all_pending(writer) : SYN_ENOMEM;
    SYN_STEP(status, syn_entries_take(entries, entry_count, note_count, &writer->ticks, &taken));
    if (status == SYN_OK) {
        /* Encode and write all events of the separated entries, chunk by chunk. */
        for (size_t done = 0; done < taken.event_count && status == SYN_OK;
             done += SYN_CHUNK_EVENTS) {
            const size_t left = taken.event_count - done;
            const size_t count = syn_least(left, SYN_CHUNK_EVENTS);
            status = syn_batch_begin_chunk(writer->batch, thread, &taken, done, count, timeline);
            while (status == SYN_OK && syn_batch_steps_left(writer->batch) > 0)
                status = syn_batch_step(writer->batch);
            SYN_STEP(status, begin_batch(writer, writer->batch));
            status = status == SYN_OK ? write_rest(writer) : status;
        }
    }
    syn_entries_free(&taken);
    SYN_STEP(status, hand_over(writer));
    return settle(writer, status);
}

int syn_writer_copy_chunk(struct syn_writer *writer, const struct syn_frame_header *from,
                          const void *payload)
{
    struct syn_bytes *output = &writer->output;
    struct syn_frame_header header = *from;
    const int status = make_way(writer);
    if (status != SYN_OK)
        return status;
    const size_t at = output->count;
    if (!syn_bytes_reserve(output, SYN_FRAME_HEADER_BYTES))
        return fail(writer, SYN_ENOMEM);
    output->count += SYN_FRAME_HEADER_BYTES;
    put_header(writer, &header, output, at);
    syn_bytes_put(output, payload, from->compressed_bytes);
    if (output->failed)
        return fail(writer, SYN_ENOMEM);
    writer->event_count += from->element_count;
    return settle(writer, hand_over(writer));
}

int syn_writer_open_calls(struct syn_writer *writer, const struct syn_bytes *calls, size_t count)
{
    const int status = make_way(writer);
    return status == SYN_OK ? settle(writer, emit(writer, SYN_FRAME_OPEN, calls, count)) : status;
}

int syn_writer_end(struct syn_writer *writer, const struct syn_end_record *end)
{
    int status = usable(writer);
    if (status != SYN_OK)
        return status;
    status = end_going(writer);
    SYN_STEP(status, emit_pending(writer, META));
    for (int kind = COMM; kind < SECTION_COUNT && status == SYN_OK; kind++) {
        /* Write all records again, together with those that were not written yet. */
        struct section *section = &writer->sections[kind];
        const size_t bytes = section->copy.bytes.count + section->pending.bytes.count;
        if (section->without_copy || section->copy.count == 0 || bytes > COPY_BYTES)
            status = emit_pending(writer, kind);
        else {
            move_to_copy(section, &section->pending);
            status = emit(writer, TYPE_OF(kind), &section->copy.bytes, section->copy.count);
        }
    }
    if (status == SYN_OK && writer->event_count > 0)
        status = emit(writer, SYN_FRAME_CLOCK, &writer->clock, 1);
    if (status == SYN_OK) {
        struct syn_end_record record = *end;
        record.event_count = writer->event_count;
        writer->payload.count = 0;
        syn_put_end(&writer->payload, &record);
        status = emit(writer, SYN_FRAME_END, &writer->payload, 1);
        status = status == SYN_OK ? hand_over(writer) : status;
    }
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
    return settle(writer, status);
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

void syn_writer_close(struct syn_writer *writer)
{
    if (!writer)
        return;
    for (int kind = 0; kind < SECTION_COUNT; kind++) {
        syn_bytes_free(&writer->sections[kind].pending.bytes);
        syn_bytes_free(&writer->sections[kind].going.bytes);
        syn_bytes_free(&writer->sections[kind].copy.bytes);
    }
    syn_bytes_free(&writer->clock);
    syn_bytes_free(&writer->payload);
    syn_bytes_free(&writer->output);
    syn_bytes_free(&writer->ahead);
    syn_batch_free(writer->batch);
    syn_compressor_free(writer->compressor);
    writer->sink.close(writer->sink.ctx);
    free(writer);
}
