#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../sync/convert.h"
#include "../sync/status.h"
#include "columns.h"
#include "compress.h"
#include "rank_file.h"

struct syn_scratch {
    struct syn_decompressor *decompressor;
    struct syn_bytes payload;
    struct syn_bytes raw;
};

struct syn_cursor {
    struct syn_rank_file *file;
    size_t next;
    struct syn_scratch *scratch;
    bool owns_scratch;
    struct syn_columns columns;
    bool forged_stack; /* in the chunk that is being decoded */
    /* Of a cursor that hands out pieces: */
    size_t piece; /* events in one; 0: whole chunks */
    struct syn_columns_decoder
        *decoder;  /* of the chunk before `next`; NULL: nothing of it is left */
    uint8_t *kept; /* its payload */
};

struct syn_scratch *syn_scratch_new(void)
{
    struct syn_scratch *scratch = calloc(1, sizeof *scratch);
    if (scratch)
        scratch->decompressor = syn_decompressor_new();
    if (scratch && scratch->decompressor)
        return scratch;
    free(scratch);
    return NULL;
}

void syn_scratch_free(struct syn_scratch *scratch)
{
    if (!scratch)
        return;
    syn_decompressor_free(scratch->decompressor);
    syn_bytes_free(&scratch->payload);
    syn_bytes_free(&scratch->raw);
    free(scratch);
}

int syn_cursor_open_with(struct syn_rank_file *file, struct syn_scratch *scratch, size_t piece,
                         struct syn_cursor **out)
{
    *out = NULL;
    struct syn_cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor)
        return SYN_ENOMEM;
    cursor->file = file;
    cursor->scratch = scratch;
    cursor->piece = (piece + SYN_COLUMNS_PIECE - 1) / SYN_COLUMNS_PIECE * SYN_COLUMNS_PIECE;
    *out = cursor;
    return SYN_OK;
}

int syn_cursor_open(struct syn_rank_file *file, struct syn_cursor **out)
{
    struct syn_scratch *scratch = syn_scratch_new();
    *out = NULL;
    int status = scratch ? syn_cursor_open_with(file, scratch, 0, out) : SYN_ENOMEM;
    if (status == SYN_OK)
        (*out)->owns_scratch = true;
    else
        syn_scratch_free(scratch);
    return status;
}

static void end_pieces(struct syn_cursor *cursor)
{
    syn_columns_decoder_close(cursor->decoder);
    free(cursor->kept);
    cursor->decoder = NULL;
    cursor->kept = NULL;
}

void syn_cursor_seek(struct syn_cursor *cursor, size_t i)
{
    end_pieces(cursor);
    cursor->next = i;
}

void syn_cursor_close(struct syn_cursor *cursor)
{
    if (!cursor)
        return;
    end_pieces(cursor);
    if (cursor->owns_scratch)
        syn_scratch_free(cursor->scratch);
    syn_columns_free(&cursor->columns);
    free(cursor);
}

static int64_t global_ns(const struct syn_clock_section *clock, int64_t ticks)
{
    return syn_timeline_global(&clock->timeline, syn_tick_source_local(&clock->ticks, ticks)).ns;
}

static int read_payload(struct syn_cursor *cursor, const struct syn_chunk *chunk, const char **why)
{
    const struct syn_frame_header *header = &chunk->header;
    cursor->scratch->payload.count = 0;
    uint8_t *payload = syn_bytes_reserve(&cursor->scratch->payload, header->compressed_bytes);
    if (!payload)
        return SYN_ENOMEM;
    int descriptor = syn_rank_reopen(cursor->file);
    if (descriptor < 0) {
        *why = errno == ESTALE ? "another file is in its place now" : strerror(errno);
        return SYN_EDAMAGED;
    }
    ssize_t got = syn_pread_full(descriptor, payload, header->compressed_bytes,
                                 chunk->offset + SYN_FRAME_HEADER_BYTES);
    close(descriptor);
    if (got < 0 || (uint64_t)got != header->compressed_bytes) {
        *why = "cannot be read";
        return SYN_EDAMAGED;
    }
    *why = "checksum";
    return syn_hash64(payload, (size_t)got) == header->payload_hash ? SYN_OK : SYN_EDAMAGED;
}

static bool comm_known(void *ctx, uint32_t index)
{
    const struct syn_cursor *cursor = ctx;
    return syn_rank_comm(cursor->file, index) != NULL;
}

static bool stack_known(void *ctx, uint32_t index)
{
    struct syn_cursor *cursor = ctx;
    if (syn_rank_stack(cursor->file, index))
        return true;
    if (syn_rank_index_plausible(cursor->file, index))
        syn_rank_lose_stack(cursor->file, index);
    else
        cursor->forged_stack = true;
    return false;
}

/* Into `raw`, which has room for the slack too. */
static int decompress(struct syn_cursor *cursor, const struct syn_chunk *chunk, uint8_t *raw,
                      const char **why)
{
    const struct syn_frame_header *header = &chunk->header;
    int status = read_payload(cursor, chunk, why);
    if (status != SYN_OK)
        return status;
    *why = "decompression";
    status = syn_decompress(cursor->scratch->decompressor, cursor->scratch->payload.data,
                            header->compressed_bytes, raw, header->raw_bytes);
    if (status == SYN_OK)
        memset(raw + header->raw_bytes, 0, SYN_COLUMNS_SLACK_BYTES);
    return status;
}

/* Readers choose chunks by the span in the header. */
static int check_span(const struct syn_frame_header *header, int64_t start, int64_t end,
                      const char **why)
{
    *why = "time span";
    return start == header->span_start && end == header->span_end ? SYN_OK : SYN_EDAMAGED;
}

static int check_stacks(const struct syn_cursor *cursor, const char **why)
{
    *why = "call stacks that no file of this length declares";
    return cursor->forged_stack ? SYN_EDAMAGED : SYN_OK;
}

static int decode(struct syn_cursor *cursor, const struct syn_chunk *chunk, bool *lost_stacks,
                  const char **why)
{
    const struct syn_frame_header *header = &chunk->header;
    const struct syn_columns_known known = {comm_known, stack_known, cursor};
    struct syn_columns *columns = &cursor->columns;
    struct syn_bytes *scratch = &cursor->scratch->raw;
    scratch->count = 0;
    uint8_t *raw = syn_bytes_reserve(scratch, header->raw_bytes + SYN_COLUMNS_SLACK_BYTES);
    if (!raw || syn_columns_reserve(columns, header->element_count) != SYN_OK)
        return SYN_ENOMEM;
    int status = decompress(cursor, chunk, raw, why);
    cursor->forged_stack = false;
    if (status == SYN_OK)
        status = syn_columns_decode(raw, header->raw_bytes, header->element_count, &known, columns,
                                    lost_stacks, why);
    if (status == SYN_OK)
        status = check_stacks(cursor, why);
    return status ? status : check_span(header, columns->span_start, columns->span_end, why);
}

/* A chunk is good as a whole or not at all: so all of it is decoded before any of it is handed out.
 */
static int verify_pieces(struct syn_cursor *cursor, const struct syn_chunk *chunk, const char **why)
{
    struct syn_columns *columns = &cursor->columns;
    int64_t start = INT64_MAX, end = INT64_MIN;
    do {
        int status = syn_columns_decoder_next(cursor->decoder, cursor->piece, columns);
        if (status != SYN_OK)
            return status;
        start = columns->span_start < start ? columns->span_start : start;
        end = columns->span_end > end ? columns->span_end : end;
    } while (syn_columns_decoder_left(cursor->decoder) > 0);
    syn_columns_decoder_rewind(cursor->decoder);
    return check_span(&chunk->header, start, end, why);
}

static int begin_pieces(struct syn_cursor *cursor, const struct syn_chunk *chunk, bool *lost_stacks,
                        const char **why)
{
    const struct syn_frame_header *header = &chunk->header;
    const struct syn_columns_known known = {comm_known, stack_known, cursor};
    cursor->kept = malloc(header->raw_bytes + SYN_COLUMNS_SLACK_BYTES);
    if (!cursor->kept || syn_columns_reserve(&cursor->columns, cursor->piece) != SYN_OK)
        return SYN_ENOMEM;
    int status = decompress(cursor, chunk, cursor->kept, why);
    cursor->forged_stack = false;
    if (status == SYN_OK)
        status = syn_columns_decoder_open(cursor->kept, header->raw_bytes, header->element_count,
                                          &known, lost_stacks, why, &cursor->decoder);
    if (status == SYN_OK)
        status = check_stacks(cursor, why);
    if (status == SYN_OK) {
        *why = "sequence numbers";
        status = verify_pieces(cursor, chunk, why);
    }
    return status;
}

/* A raw chunk: events as the recorder had them. `columns` has room. */
static int take_raw_events(struct syn_cursor *cursor, const struct syn_event *events, size_t count,
                           bool *lost_stacks, const char **why)
{
    struct syn_columns *columns = &cursor->columns;
    *why = "an event of an unknown communicator";
    cursor->forged_stack = false;
    for (size_t i = 0; i < count; i++) {
        const struct syn_event *event = &events[i];
        const bool lost = event->stack != SYN_NO_STACK && !stack_known(cursor, event->stack);
        if (!comm_known(cursor, event->comm))
            return SYN_EDAMAGED;
        *lost_stacks |= lost;
        columns->start[i] = event->start_ticks;
        columns->end[i] = event->end_ticks;
        columns->call_end[i] = event->call_end_ticks;
        columns->wait_start[i] = event->wait_start_ticks;
        columns->bytes[i] = event->bytes;
        columns->sequence[i] = event->sequence;
        columns->comm[i] = event->comm;
        columns->stack[i] = lost ? SYN_NO_STACK : event->stack;
        columns->root[i] = event->root;
        columns->op[i] = event->op;
        columns->flags[i] = event->flags;
    }
    columns->count = count;
    columns->extended = true;
    columns->tuple_count = 0;
    *why = "call stacks that no file of this length declares";
    return cursor->forged_stack ? SYN_EDAMAGED : SYN_OK;
}

static int decode_raw(struct syn_cursor *cursor, const struct syn_chunk *chunk, bool *lost_stacks,
                      const char **why)
{
    const size_t count = chunk->header.element_count;
    int descriptor = syn_rank_reopen_raw(cursor->file);
    *why = "its raw block cannot be read";
    if (descriptor < 0)
        return SYN_EDAMAGED;
    struct syn_event *events = malloc(count * sizeof *events);
    int status =
        events && syn_columns_reserve(&cursor->columns, count) == SYN_OK ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK)
        status = syn_raw_read(descriptor, chunk, events);
    close(descriptor);
    if (status == SYN_OK)
        status = take_raw_events(cursor, events, count, lost_stacks, why);
    free(events);
    return status;
}

static void normalize(const struct syn_clock_section *clock, struct syn_columns *columns)
{
    struct syn_convert convert = syn_convert_begin(&clock->ticks, &clock->timeline);
    syn_convert_ticks(&convert, columns->start, columns->count);
    syn_convert_ticks(&convert, columns->end, columns->count);
    if (!columns->extended)
        return;
    syn_convert_ticks(&convert, columns->call_end, columns->count);
    syn_convert_ticks(&convert, columns->wait_start, columns->count);
}

/* The first cursor to meet a fault of a chunk lists it. */
static void note_fault(struct syn_cursor *cursor, struct syn_chunk *chunk, int status,
                       const char *why)
{
    struct syn_rank_file *file = cursor->file;
    pthread_mutex_lock(&file->lock);
    bool first = chunk->status == SYN_OK;
    chunk->status = SYN_EDAMAGED;
    if (first && status != SYN_OK)
        file->undecodable_count += chunk->header.element_count;
    pthread_mutex_unlock(&file->lock);
    if (first)
        syn_rank_add_chunk_fault(file, (size_t)(chunk - file->chunks), why);
}

static void hand_out(const struct syn_columns *columns, uint32_t thread,
                     struct syn_event_columns *out)
{
    *out = (struct syn_event_columns){
        .count = columns->count,
        .thread = thread,
        .start_ns = columns->start,
        .end_ns = columns->end,
        .call_end_ns = columns->extended ? columns->call_end : columns->end,
        .wait_start_ns = columns->extended ? columns->wait_start : columns->start,
        .bytes = columns->bytes,
        .sequence = columns->sequence,
        .comm = columns->comm,
        .stack = columns->stack,
        .root = columns->root,
        .op = columns->op,
        .flags = columns->flags,
        .tuple = columns->tuple_count ? columns->tuple : NULL,
        .tuple_count = columns->tuple_count};
}

/* What the next chunk has, or in pieces that it has something. */
static int open_chunk(struct syn_cursor *cursor, struct syn_chunk *chunk)
{
    const char *why = NULL;
    bool lost_stacks = false;
    bool whole = cursor->piece == 0 || chunk->header.element_count <= cursor->piece;
    int status = chunk->raw ? decode_raw(cursor, chunk, &lost_stacks, &why)
                 : whole    ? decode(cursor, chunk, &lost_stacks, &why)
                            : begin_pieces(cursor, chunk, &lost_stacks, &why);
    if (status != SYN_OK)
        end_pieces(cursor);
    if (status != SYN_OK && status != SYN_ENOMEM)
        note_fault(cursor, chunk, status, why);
    if (status == SYN_OK && lost_stacks)
        note_fault(cursor, chunk, SYN_OK, "the declaration of a call stack is lost");
    return status;
}

int syn_cursor_next(struct syn_cursor *cursor, struct syn_event_columns *out)
{
    struct syn_rank_file *file = cursor->file;
    int status = SYN_OK;
    if (!cursor->decoder) {
        if (cursor->next >= file->chunk_count)
            return SYN_EEND;
        status = open_chunk(cursor, &file->chunks[cursor->next++]);
    }
    if (status == SYN_OK && cursor->decoder)
        status = syn_columns_decoder_next(cursor->decoder, cursor->piece, &cursor->columns);
    if (status != SYN_OK)
        return status;
    const struct syn_frame_header *header = &file->chunks[cursor->next - 1].header;
    if (header->time_base == SYN_TIME_LOCAL_TICKS)
        normalize(&file->clock, &cursor->columns);
    hand_out(&cursor->columns, header->thread, out);
    out->more = cursor->decoder && syn_columns_decoder_left(cursor->decoder) > 0;
    if (!out->more)
        end_pieces(cursor);
    return SYN_OK;
}

bool syn_rank_chunk_has_fault(const struct syn_rank_file *file, size_t i)
{
    return i < file->chunk_count && file->chunks[i].status != SYN_OK;
}

bool syn_rank_chunk(const struct syn_rank_file *file, size_t i, struct syn_chunk_summary *out)
{
    if (i >= file->chunk_count)
        return false;
    const struct syn_frame_header *header = &file->chunks[i].header;
    bool local = header->time_base == SYN_TIME_LOCAL_TICKS;
    const struct syn_clock_section *clock = &file->clock;
    out->event_count = header->element_count;
    out->thread = header->thread;
    out->start_ns = local ? global_ns(clock, header->span_start) : header->span_start;
    out->end_ns = local ? global_ns(clock, header->span_end) : header->span_end;
    return true;
}
