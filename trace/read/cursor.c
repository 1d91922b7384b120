/* trace/read/cursor.c - returns the events of a rank's file, chunk by chunk. Damaged chunks are
 * skipped and listed as faults. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/compare.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/time/convert.h"
#include "trace/columns/columns.h"
#include "trace/columns/segments.h"
#include "trace/events/attributes.h"
#include "trace/read/frame_read.h"
#include "trace/read/rank_file.h"

struct syn_scratch {
    struct syn_chunk_loader loader;
    struct syn_columns columns; /* the piece that was decoded last, by any cursor. Shared memory
                                   stays in the cache, even with very many cursors */
};

/* The segments of a chunk, which are returned along with its events. */
struct piecewise {
    struct syn_segments segments;
    size_t done; /* number of the chunk's events that were returned */
    size_t next[SYN_SEGMENT_FIGURES];
    int64_t *by_event; /* [SYN_SEGMENT_FIGURES][capacity]; allocated for the first chunk with any
                          figure */
    size_t capacity;
};

struct syn_cursor {
    struct syn_rank_file *file;
    size_t next;
    struct syn_scratch *scratch;
    bool owns_scratch;
    struct syn_columns columns; /* of a whole chunk */
    bool is_open;               /* a chunk is open, and not all of it was returned */
    bool forged_stack;          /* the chunk that is being decoded has an impossible call stack */
    bool is_local;              /* times of the open chunk are ticks, */
    uint32_t thread; /* and its thread. RATIONALE: with very many ranks the chunk's header is not in
                        the cache */
    /* State of a cursor that returns pieces: */
    size_t piece;  /* events in a piece; 0: whole chunks */
    bool is_short; /* the next piece has the shortest length */
    struct syn_columns_decoder
        *decoder;  /* of the chunk before `next`; NULL: nothing of it is left */
    uint8_t *kept; /* payload of that chunk */
    struct piecewise segments;
};

_Static_assert(SYN_PIECE_LEAST == SYN_COLUMNS_PIECE, "a piece is no shorter");

struct syn_scratch *syn_scratch_new(void)
{
    return calloc(1, sizeof(struct syn_scratch));
}

void syn_scratch_free(struct syn_scratch *scratch)
{
    if (!scratch)
        return;
    syn_chunk_loader_free(&scratch->loader);
    syn_columns_free(&scratch->columns);
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
    cursor->is_open = false;
}

void syn_cursor_seek(struct syn_cursor *cursor, size_t i)
{
    end_pieces(cursor);
    cursor->next = i;
}

void syn_cursor_shorten(struct syn_cursor *cursor)
{
    cursor->is_short = true;
}

void syn_cursor_by_tuples(struct syn_cursor *cursor)
{
    cursor->columns.by_tuple = true;
}

void syn_cursor_close(struct syn_cursor *cursor)
{
    if (!cursor)
        return;
    end_pieces(cursor);
    if (cursor->owns_scratch)
        syn_scratch_free(cursor->scratch);
    syn_columns_free(&cursor->columns);
    syn_segments_free(&cursor->segments.segments);
    free(cursor->segments.by_event);
    free(cursor);
}

/* Returns a time of a chunk's header as global time. */
static int64_t global_ns(const struct syn_rank_file *file, bool local, int64_t time)
{
    const struct syn_clock_section *clock = &file->clock;
    if (local)
        time = syn_timeline_global(&clock->timeline, syn_tick_source_local(&clock->ticks, time)).ns;
    if (file->correction)
        time = syn_timeline_global(&file->correction->timeline, (syn_local_time){time}).ns;
    return time;
}

static bool comm_known(void *ctx, uint32_t index)
{
    const struct syn_cursor *cursor = ctx;
    return syn_rank_comm(cursor->file, index) != NULL;
}

/* Remembers call stacks whose declaration is lost, and sets them to SYN_NO_STACK. An index that no
 * file of this length can declare means that the chunk is damaged. Returns true if there were
 * any. */
static bool lose_stacks(void *ctx, uint32_t *stacks, size_t count)
{
    struct syn_cursor *cursor = ctx;
    const struct syn_record_table *declared = &cursor->file->stacks;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = stacks[i];
        if ((index < declared->count && declared->records[index]) || index == SYN_NO_STACK)
            continue;
        if (syn_rank_index_plausible(cursor->file, index))
            syn_rank_lose_stack(cursor->file, index);
        else
            cursor->forged_stack = true;
        stacks[i] = SYN_NO_STACK;
        any = true;
    }
    return any;
}

/* Finds the columns of a chunk. They point into `raw`, or into the scratch memory if it is NULL. */
static int unpack(struct syn_cursor *cursor, const struct syn_chunk *chunk, uint8_t *raw,
                  struct syn_columns_source *out, const char **why)
{
    const int descriptor = syn_rank_reopen(cursor->file);
    if (descriptor < 0) {
        *why = errno == ESTALE ? "another file is in its place now" : strerror(errno);
        return SYN_EDAMAGED;
    }
    const int status = syn_chunk_load(&cursor->scratch->loader, descriptor, chunk, raw, out, why);
    close(descriptor);
    return status == SYN_EIO ? SYN_EDAMAGED : status;
}

static int check_stacks(const struct syn_cursor *cursor, const char **why)
{
    *why = "call stacks that no file of this length declares";
    return cursor->forged_stack ? SYN_EDAMAGED : SYN_OK;
}

/* Decodes a chunk as a whole, or only checks it if it is read in pieces: it is then decoded once
 * and rewound, so that no event of a damaged chunk is returned. */
static int decode(struct syn_cursor *cursor, const struct syn_chunk *chunk, bool is_whole,
                  bool *lost_stacks, const char **why)
{
    const struct syn_frame_header *header = &chunk->header;
    const struct syn_columns_known known = {comm_known, lose_stacks, cursor};
    struct syn_columns *columns = is_whole ? &cursor->columns : &cursor->scratch->columns;
    struct syn_columns_source source;
    if (syn_columns_reserve(columns, is_whole ? header->element_count : cursor->piece) != SYN_OK)
        return SYN_ENOMEM;
    if (!is_whole && !(cursor->kept = malloc(header->raw_bytes + SYN_COLUMNS_SLACK_BYTES)))
        return SYN_ENOMEM;
    int status = unpack(cursor, chunk, cursor->kept, &source, why);
    cursor->forged_stack = false;
    SYN_STEP(status, is_whole ? syn_columns_decode(&source, &known, columns, lost_stacks, why)
                              : syn_columns_decoder_open(&source, &known, lost_stacks, why,
                                                         &cursor->decoder));
    SYN_STEP(status, check_stacks(cursor, why));
    if (status != SYN_OK)
        return status;
    int64_t start = is_whole ? columns->span_start : INT64_MAX;
    int64_t end = is_whole ? columns->span_end : INT64_MIN;
    while (!is_whole && syn_columns_decoder_left(cursor->decoder) > 0) {
        syn_columns_decoder_verify(cursor->decoder, cursor->piece, columns);
        start = syn_least(columns->span_start, start);
        end = syn_largest(columns->span_end, end);
    }
    if (!is_whole)
        syn_columns_decoder_rewind(cursor->decoder);
    /* Check the span in the header, because readers choose chunks by it. */
    *why = "time span";
    if (start != header->span_start || end != header->span_end)
        return SYN_EDAMAGED;
    *why = "its segments";
    return syn_segments_are_there(&source)
               ? syn_segments_decode(&source, &cursor->segments.segments)
               : SYN_OK;
}

/* ---- raw chunks ---- */

struct raw_key {
    int64_t start;
    uint32_t position;
};

SYN_ORDER(compare_keys, struct raw_key, SYN_UP(start) ?: SYN_UP(position))

/* Computes order [event_count]: the indices of `entries`' events, sorted by start. */
static int order_events(const struct syn_entries *entries, uint32_t *order)
{
    struct raw_key *keys = malloc((entries->event_count + 1) * sizeof *keys);
    if (!keys)
        return SYN_ENOMEM;
    for (size_t i = 0; i < entries->event_count; i++)
        keys[i] = (struct raw_key){entries->events[i].start_ticks, (uint32_t)i};
    qsort(keys, entries->event_count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < entries->event_count; i++)
        order[i] = keys[i].position;
    free(keys);
    return SYN_OK;
}

/* Takes events in the form of the recorder. `columns` has room. */
static int take_raw_events(struct syn_cursor *cursor, const struct syn_segments_chunk *chunk,
                           bool *lost_stacks, const char **why)
{
    struct syn_columns *columns = &cursor->columns;
    *why = "an event of an unknown communicator";
    cursor->forged_stack = false;
    for (size_t i = 0; i < chunk->count; i++) {
        const struct syn_event *event = &chunk->entries->events[chunk->order[i]];
        columns->stack[i] = event->stack;
        *lost_stacks |= lose_stacks(cursor, &columns->stack[i], 1);
        if (!comm_known(cursor, event->comm))
            return SYN_EDAMAGED;
        columns->start[i] = event->start_ticks;
        columns->end[i] = event->end_ticks;
        columns->call_end[i] = event->call_end_ticks;
        columns->wait_start[i] = event->wait_start_ticks;
        columns->bytes[i] = event->bytes & SYN_PAYLOAD_BYTES_MASK;
        columns->attributes[i] = (uint16_t)(event->bytes >> SYN_ATTRIBUTES_SHIFT);
        columns->sequence[i] = event->sequence;
        columns->comm[i] = event->comm;
        columns->root[i] = event->root;
        columns->op[i] = event->op;
        columns->flags[i] = event->flags;
    }
    columns->count = chunk->count;
    columns->extended = true;
    columns->tuple_count = 0;
    *why = "call stacks that no file of this length declares";
    return cursor->forged_stack ? SYN_EDAMAGED : SYN_OK;
}

/* Decodes a raw chunk. The file may have changed since its events were counted. */
static int decode_raw(struct syn_cursor *cursor, const struct syn_chunk *chunk, bool *lost_stacks,
                      const char **why)
{
    const size_t count = chunk->raw_entry_count;
    struct syn_entries entries = {0};
    *why = "its raw block cannot be read";
    if (syn_columns_reserve(&cursor->columns, chunk->header.element_count) != SYN_OK)
        return SYN_ENOMEM;
    const int descriptor = syn_rank_reopen_raw(cursor->file);
    if (descriptor < 0)
        return SYN_EDAMAGED;
    struct syn_event *raw = malloc(count * sizeof *raw);
    uint32_t *order = malloc((count + 1) * sizeof *order);
    int status = raw && order ? syn_raw_read(descriptor, chunk, raw) : SYN_ENOMEM;
    close(descriptor);
    SYN_STEP(status, syn_entries_take(raw, count, syn_count_notes(raw, count),
                                      &cursor->file->clock.ticks, &entries));
    if (status == SYN_OK && entries.event_count != chunk->header.element_count)
        status = SYN_EDAMAGED;
    const struct syn_segments_chunk events = {
        .entries = &entries, .count = entries.event_count, .order = order};
    SYN_STEP(status, order_events(&entries, order));
    SYN_STEP(status, syn_segments_of(&events, &cursor->segments.segments));
    SYN_STEP(status, take_raw_events(cursor, &events, lost_stacks, why));
    syn_entries_free(&entries);
    free(order);
    free(raw);
    return status;
}

/* A tick source whose tick is a nanosecond, for corrections, which convert times in nanoseconds. */
static const struct syn_tick_source nanoseconds = {.multiplier = (uint64_t)1 << 32};

static void normalize(struct syn_convert convert, struct syn_columns *columns)
{
    syn_convert_ticks(&convert, columns->start, columns->count);
    syn_convert_ticks(&convert, columns->end, columns->count);
    if (!columns->extended)
        return;
    syn_convert_ticks(&convert, columns->call_end, columns->count);
    syn_convert_ticks(&convert, columns->wait_start, columns->count);
}

/* Lists the first fault of a chunk. Later faults of the same chunk are ignored. */
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

static void convert_samples(struct syn_segments *segments, const struct syn_tick_source *ticks,
                            const struct syn_timeline *timeline)
{
    struct syn_convert convert = syn_convert_begin(ticks, timeline);
    for (size_t i = 0; i < segments->sample_count; i++)
        segments->samples[i].time = syn_convert_tick(&convert, segments->samples[i].time);
}

/* Opens the next chunk, unless one is open. */
static int open_next(struct syn_cursor *cursor)
{
    struct syn_rank_file *file = cursor->file;
    if (cursor->is_open)
        return SYN_OK;
    if (cursor->next >= file->chunk_count)
        return SYN_EEND;
    struct syn_chunk *chunk = &file->chunks[cursor->next++];
    syn_segments_free(&cursor->segments.segments);
    cursor->segments.done = 0;
    memset(cursor->segments.next, 0, sizeof cursor->segments.next);
    cursor->is_local = chunk->header.time_base == SYN_TIME_LOCAL_TICKS;
    cursor->thread = chunk->header.thread;
    const char *why = NULL;
    bool lost_stacks = false;
    bool whole = cursor->piece == 0 || chunk->header.element_count <= cursor->piece;
    int status = chunk->raw ? decode_raw(cursor, chunk, &lost_stacks, &why)
                            : decode(cursor, chunk, whole, &lost_stacks, &why);
    if (status != SYN_OK)
        end_pieces(cursor);
    if (status != SYN_OK && status != SYN_ENOMEM)
        note_fault(cursor, chunk, status, why);
    if (status == SYN_OK && lost_stacks)
        note_fault(cursor, chunk, SYN_OK, "the declaration of a call stack is lost");
    if (status == SYN_OK) {
        /* Convert the times of segments to the rank's global time. */
        struct syn_segments *segments = &cursor->segments.segments;
        static const enum syn_segment_figure in_ticks[] = {SYN_SEGMENT_MESSAGES,
                                                           SYN_SEGMENT_WAIT_MESSAGES};
        for (size_t f = 0; cursor->is_local && f < sizeof in_ticks / sizeof *in_ticks; f++) {
            struct syn_sparse *figure = &segments->figures[in_ticks[f]];
            for (size_t i = 0; i < figure->count; i++)
                figure->value[i] = syn_ticks_span_ns(&file->clock.ticks, figure->value[i]);
        }
        if (cursor->is_local)
            convert_samples(segments, &file->clock.ticks, &file->clock.timeline);
        if (file->correction)
            convert_samples(segments, &nanoseconds, &file->correction->timeline);
    }
    cursor->is_open = status == SYN_OK;
    return status;
}

/* Converts the times in `columns` to global time. */
static void globalize(const struct syn_cursor *cursor, struct syn_columns *columns)
{
    const struct syn_rank_file *file = cursor->file;
    if (cursor->is_local)
        normalize(syn_convert_begin(&file->clock.ticks, &file->clock.timeline), columns);
    if (file->correction)
        normalize(syn_convert_begin(&nanoseconds, &file->correction->timeline), columns);
}

int syn_cursor_peek(struct syn_cursor *cursor, int64_t *start_ns, bool *any)
{
    const int status = open_next(cursor);
    if (status != SYN_OK)
        return status;
    *any = cursor->decoder || cursor->columns.count > 0;
    if (!*any) {
        cursor->is_open = false;
        return SYN_OK;
    }
    *start_ns =
        cursor->decoder ? syn_columns_decoder_start(cursor->decoder) : cursor->columns.start[0];
    int64_t end = *start_ns;
    globalize(cursor, &(struct syn_columns){.count = 1, .start = start_ns, .end = &end});
    return SYN_OK;
}

void syn_cursor_fetch(const struct syn_cursor *cursor, unsigned step)
{
    if (step == 0)
        syn_fetch(cursor, sizeof *cursor);
    else if (cursor->decoder)
        syn_columns_decoder_fetch(cursor->decoder, cursor->piece, step - 1);
    if (step == 1)
        SYN_FETCH(&cursor->file->correction);
}

/* Returns the next `count` values of a figure; NULL if no event of the chunk has one. */
static const int64_t *fill(struct piecewise *piecewise, enum syn_segment_figure which, size_t count)
{
    const struct syn_sparse *figure = &piecewise->segments.figures[which];
    int64_t *by_event = piecewise->by_event + (size_t)which * piecewise->capacity;
    if (figure->count == 0)
        return NULL;
    memset(by_event, 0, count * sizeof *by_event);
    for (size_t *i = &piecewise->next[which];
         *i < figure->count && figure->position[*i] < piecewise->done + count; ++*i)
        by_event[figure->position[*i] - piecewise->done] = figure->value[*i];
    return by_event;
}

/* Sets the figures of the next out->count events. Samples come with the first piece. */
static int hand_out_segments(struct piecewise *piecewise, struct syn_event_columns *out)
{
    const size_t count = out->count;
    bool any = false;
    if (piecewise->done == 0) {
        out->samples = piecewise->segments.samples;
        out->sample_count = piecewise->segments.sample_count;
    }
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        any |= piecewise->segments.figures[i].count > 0;
    if (any && count > piecewise->capacity) {
        free(piecewise->by_event);
        piecewise->by_event = malloc(SYN_SEGMENT_FIGURES * count * sizeof *piecewise->by_event);
        piecewise->capacity = piecewise->by_event ? count : 0;
        if (!piecewise->by_event)
            return SYN_ENOMEM;
    }
    if (any) {
        out->messages_ns = fill(piecewise, SYN_SEGMENT_MESSAGES, count);
        out->off_cpu_ns = fill(piecewise, SYN_SEGMENT_OFF_CPU, count);
        out->wait_messages_ns = fill(piecewise, SYN_SEGMENT_WAIT_MESSAGES, count);
        out->wait_off_cpu_ns = fill(piecewise, SYN_SEGMENT_WAIT_OFF_CPU, count);
    }
    piecewise->done += count;
    return SYN_OK;
}

int syn_cursor_next(struct syn_cursor *cursor, struct syn_event_columns *out)
{
    int status = open_next(cursor);
    struct syn_columns *columns = cursor->decoder ? &cursor->scratch->columns : &cursor->columns;
    if (status != SYN_OK)
        return status;
    if (cursor->decoder)
        syn_columns_decoder_next(cursor->decoder,
                                 cursor->is_short ? SYN_COLUMNS_PIECE : cursor->piece, columns);
    cursor->is_short = false;
    globalize(cursor, columns);
    *out = (struct syn_event_columns){
        .count = columns->count,
        .thread = cursor->thread,
        .start_ns = columns->start,
        .end_ns = columns->end,
        .call_end_ns = columns->extended ? columns->call_end : columns->end,
        .wait_start_ns = columns->extended ? columns->wait_start : columns->start,
        .sequence = columns->sequence,
        .tuple = columns->tuple_count ? columns->tuple : NULL,
        .tuple_count = columns->tuple_count};
    if (columns->by_tuple && columns->tuple_count > 0) {
        out->of_tuple = (struct syn_event_sayings){
            columns->bytes, columns->comm,  columns->stack,     columns->root,
            columns->op,    columns->flags, columns->attributes};
    } else {
        out->bytes = columns->bytes;
        out->comm = columns->comm;
        out->stack = columns->stack;
        out->root = columns->root;
        out->op = columns->op;
        out->flags = columns->flags;
        out->attributes = columns->attributes;
    }
    if (hand_out_segments(&cursor->segments, out) != SYN_OK)
        return SYN_ENOMEM;
    out->more = cursor->decoder && syn_columns_decoder_left(cursor->decoder) > 0;
    if (!out->more)
        end_pieces(cursor);
    return SYN_OK;
}

bool syn_rank_chunk(const struct syn_rank_file *file, size_t i, struct syn_chunk_summary *out)
{
    if (i >= file->chunk_count)
        return false;
    const struct syn_frame_header *header = &file->chunks[i].header;
    bool local = header->time_base == SYN_TIME_LOCAL_TICKS;
    out->event_count = header->element_count;
    out->thread = header->thread;
    out->start_ns = global_ns(file, local, header->span_start);
    out->end_ns = global_ns(file, local, header->span_end);
    return true;
}
