/* trace/read/raw/raw_open.c - makes open calls (open_calls.h) from lines of raw blocks, or of a
 * recovered file.
 *
 * A block of lines is read in pieces of a page. Each line is read until two readings agree, because
 * then no store came between. Lines are used from the first on, so that a piece of zeros ends the
 * block. */
#include "trace/read/open_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/bytes.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/events/attributes.h"
#include "trace/read/rank_file.h"
#include "trace/read/span.h"
#include "trace/write/raw.h"

#define LINE_BYTES  sizeof(struct syn_open_line)
#define PIECE_LINES ((size_t)64)
/* Number of further readings of a line that a thread is writing. */
#define TRIES 4

/* ---- lines of a block ---- */

static bool is_blank(const uint8_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (at[i])
            return false;
    return true;
}

bool syn_open_times_are_valid(const struct syn_open_line *line)
{
    return line->start_ticks > 0 && line->end_ticks >= 0;
}

/* Adds a line with a call. A line with start 0 is being written: a live thread is then moving, and
 * a dead thread's call is unknown. */
static int add_line(struct syn_open_list *list, uint32_t thread, bool moving, bool live,
                    const struct syn_open_names *names, const uint8_t at[LINE_BYTES])
{
    struct syn_open_entry entry = {.thread = thread, .moving = moving};
    entry.line = (struct syn_open_line){.start_ticks = (int64_t)syn_load64(at),
                                        .end_ticks = (int64_t)syn_load64(at + 8),
                                        .sequence = syn_load64(at + 16),
                                        .bytes = syn_load64(at + 24),
                                        .comm = syn_load32(at + 32),
                                        .stack = syn_load32(at + 36),
                                        .peer = (int32_t)syn_load32(at + 40),
                                        .tag = (int32_t)syn_load32(at + 44),
                                        .from_peer = (int32_t)syn_load32(at + 48),
                                        .from_tag = (int32_t)syn_load32(at + 52),
                                        .call = syn_load16(at + 56),
                                        .of_op = syn_load16(at + 58)};
    if (!moving && entry.line.start_ticks == 0) {
        if (!live || is_blank(at, LINE_BYTES) || entry.line.call == SYN_OPEN_NO_CALL)
            return SYN_OK;
        entry.moving = true;
    }
    if (!entry.moving && !syn_open_times_are_valid(&entry.line))
        return SYN_OK;
    syn_open_line_make_plain(names, &entry.line);
    if (SYN_ROOM_DOUBLED(list->entries, list->count) != SYN_OK)
        return SYN_ENOMEM;
    list->entries[list->count++] = entry;
    return SYN_OK;
}

/* Reads the line at `offset` again, after two readings that differed. Returns false if it still
 * changes. */
static bool settle(int descriptor, uint64_t offset, uint8_t line[LINE_BYTES])
{
    uint8_t next[LINE_BYTES];
    for (int i = 0; i < TRIES; i++) {
        if (syn_pread_full(descriptor, next, LINE_BYTES, offset) != (ssize_t)LINE_BYTES)
            return false;
        if (memcmp(line, next, LINE_BYTES) == 0)
            return true;
        memcpy(line, next, LINE_BYTES);
    }
    return false;
}

/* Takes `count` lines at `offset`. They are read twice, and the second reading is used. */
static int take_piece(struct syn_open_list *list, int descriptor, uint64_t offset, uint32_t thread,
                      const struct syn_open_names *names, size_t count, bool live, bool *any)
{
    uint8_t piece[PIECE_LINES * LINE_BYTES], again[PIECE_LINES * LINE_BYTES];
    const size_t bytes = count * LINE_BYTES;
    const ssize_t first = syn_pread_full(descriptor, piece, bytes, offset);
    const ssize_t second = first < 0 ? -1 : syn_pread_full(descriptor, again, bytes, offset);
    const ssize_t got =
        second < 0 ? -1 : (ssize_t)(syn_least((size_t)first, (size_t)second) / LINE_BYTES);
    int status = got < 0 ? SYN_EIO : SYN_OK;
    for (ssize_t i = 0; i < got && status == SYN_OK; i++) {
        const size_t at = (size_t)i * LINE_BYTES;
        const bool same = memcmp(piece + at, again + at, LINE_BYTES) == 0;
        const bool moving = !same && !settle(descriptor, offset + at, again + at);
        status = add_line(list, thread + (uint32_t)i, moving, live, names, again + at);
    }
    *any = got > 0 && !is_blank(again, (size_t)got * LINE_BYTES);
    return status;
}

int syn_raw_take_open(struct syn_open_list *list, int descriptor, uint64_t offset,
                      const struct syn_raw_header *header, bool live)
{
    uint8_t head[SYN_RAW_HEADER_BYTES];
    const ssize_t got = syn_pread_full(descriptor, head, sizeof head, offset);
    if (got != (ssize_t)sizeof head)
        return got < 0 ? SYN_EIO : SYN_OK;
    const struct syn_open_names names = {
        .any_source = (int32_t)syn_load32(head + SYN_RAW_NAMES_AT),
        .proc_null = (int32_t)syn_load32(head + SYN_RAW_NAMES_AT + 4),
        .any_tag = (int32_t)syn_load32(head + SYN_RAW_NAMES_AT + 8)};
    const size_t room = (header->block_bytes - SYN_RAW_HEADER_BYTES) / LINE_BYTES;
    bool any = true;
    int status = SYN_OK;
    if (header->thread > UINT32_MAX - room)
        return SYN_OK;
    for (size_t done = 0; done < room && any && status == SYN_OK; done += PIECE_LINES)
        status = take_piece(list, descriptor, offset + SYN_RAW_HEADER_BYTES + done * LINE_BYTES,
                            header->thread + (uint32_t)done, &names,
                            syn_least(room - done, PIECE_LINES), live, &any);
    return status;
}

/* ---- entries of an open file ---- */

/* Orders entries by thread, the newest call first. */
SYN_ORDER(compare_entries, struct syn_open_entry, SYN_UP(thread) ?: SYN_DOWN(line.start_ticks))

static int compare_threads(const void *key, const void *entry)
{
    const uint32_t thread = *(const uint32_t *)key;
    const struct syn_open_entry *at = entry;
    return (thread > at->thread) - (thread < at->thread);
}

/* RATIONALE: an event is stored before its line is closed, and a kill may come between. Other calls
 * may return inside an open call: those that callbacks make in MPI_Finalize or MPI_Comm_free. */
void syn_open_close_returned(struct syn_rank_file *file)
{
    struct syn_open_list *list = &file->open;
    size_t kept = 0;
    if (list->count > 0)
        qsort(list->entries, list->count, sizeof *list->entries, compare_entries);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || list->entries[kept - 1].thread != list->entries[i].thread)
            list->entries[kept++] = list->entries[i];
    list->count = kept;
    for (size_t i = 0; i < file->chunk_count && list->count > 0; i++) {
        const struct syn_chunk *chunk = &file->chunks[i];
        struct syn_open_entry *entry = chunk->raw
                                           ? bsearch(&chunk->header.thread, list->entries,
                                                     list->count, sizeof *entry, compare_threads)
                                           : NULL;
        if (entry && chunk->raw_last_start == entry->line.start_ticks &&
            chunk->header.span_end > entry->line.start_ticks &&
            entry->line.end_ticks < chunk->header.span_end)
            entry->line.end_ticks = chunk->header.span_end;
    }
}

/* ---- calls ---- */

static int64_t global_ns(const struct syn_rank_file *file, int64_t ticks)
{
    const struct syn_clock_section *clock = &file->clock;
    const syn_global_time time =
        syn_timeline_global(&clock->timeline, syn_tick_source_local(&clock->ticks, ticks));
    return file->correction
               ? syn_timeline_global(&file->correction->timeline, (syn_local_time){time.ns}).ns
               : time.ns;
}

/* Returns true if a call may wait for ranks that are not known. MPI_Wait for a collective waits
 * only for that collective; calls for several requests may wait for others, too. */
static bool waits_for_unknown(const struct syn_open_call *call)
{
    const enum syn_call_waits waits = syn_call_waits(call->call);
    if (call->call == SYN_CALL_Wait)
        return call->of_op == SYN_OPEN_NO_OP;
    return waits == SYN_WAITS_SOMEBODY || waits == SYN_WAITS_ACCESSES;
}

/* Returns a peer. A recovered file may have any number here. */
static struct syn_open_peer peer_of(int32_t rank, int32_t tag)
{
    return (struct syn_open_peer){rank >= SYN_PEER_UNKNOWN ? rank : SYN_PEER_UNKNOWN, tag};
}

/* Makes the call of a line, with the references that `file` has declared. Returns true if the line
 * refers to others. Of a line that is being written, only the thread is known. */
static bool take_call(const struct syn_rank_file *file, const struct syn_open_entry *entry,
                      struct syn_open_call *out)
{
    const struct syn_open_line *line = &entry->line;
    const bool has_comm = syn_rank_comm(file, line->comm),
               has_stack = syn_rank_stack(file, line->stack);
    if (entry->moving) {
        *out = (struct syn_open_call){.thread = entry->thread,
                                      .state = SYN_OPEN_MOVING,
                                      .call = SYN_OPEN_NO_OP,
                                      .of_op = SYN_OPEN_NO_OP,
                                      .comm = SYN_OPEN_NO_COMM,
                                      .sequence = SYN_OPEN_NO_SEQUENCE,
                                      .bytes = SYN_OPEN_NO_BYTES,
                                      .stack = SYN_NO_STACK,
                                      .root = -1,
                                      .to = {SYN_PEER_NONE, SYN_TAG_ANY},
                                      .from = {SYN_PEER_NONE, SYN_TAG_ANY}};
        return false;
    }
    *out = (struct syn_open_call){
        .thread = entry->thread,
        .state = line->end_ticks < line->start_ticks ? SYN_OPEN_INSIDE : SYN_OPEN_OUTSIDE,
        .call = line->call,
        .of_op = SYN_OPEN_NO_OP,
        .comm = has_comm ? line->comm : SYN_OPEN_NO_COMM,
        .sequence = has_comm ? line->sequence : SYN_OPEN_NO_SEQUENCE,
        .bytes = SYN_OPEN_NO_BYTES,
        .stack = has_stack ? line->stack : SYN_NO_STACK,
        .root = -1,
        .start_ns = global_ns(file, line->start_ticks),
    };
    if (out->state == SYN_OPEN_OUTSIDE)
        out->end_ns = global_ns(file, line->end_ticks);
    if (syn_call_kind(line->call) == SYN_CALL_KIND_COMPLETION && syn_op_name(line->of_op))
        out->of_op = line->of_op;
    if (syn_call_kind(line->call) == SYN_CALL_KIND_COLLECTIVE) {
        out->root = line->peer >= 0 ? line->peer : -1;
        if (line->bytes != SYN_OPEN_NO_BYTES) {
            out->bytes = line->bytes & SYN_PAYLOAD_BYTES_MASK;
            out->attributes = (uint16_t)(line->bytes >> SYN_ATTRIBUTES_SHIFT);
        }
    }
    const enum syn_call_waits waits = syn_call_waits(line->call);
    const int32_t none = waits_for_unknown(out) ? SYN_PEER_UNKNOWN : SYN_PEER_NONE;
    out->to = out->from = peer_of(none, SYN_TAG_ANY);
    if (waits == SYN_WAITS_SENDS || waits == SYN_WAITS_EXCHANGES)
        out->to = peer_of(line->peer, line->tag);
    if (waits == SYN_WAITS_TARGETS)
        out->to = peer_of(line->peer, SYN_TAG_ANY);
    if (waits == SYN_WAITS_RECEIVES || waits == SYN_WAITS_EXCHANGES)
        out->from = peer_of(line->from_peer, line->from_tag);
    return (!has_comm && line->comm != SYN_OPEN_NO_COMM) ||
           (!has_stack && line->stack != SYN_NO_STACK);
}

bool syn_rank_open_call_at(const struct syn_rank_file *file, size_t i, struct syn_open_call *out)
{
    if (i >= file->open.count)
        return false;
    (void)take_call(file, &file->open.entries[i], out);
    return true;
}

/* ---- live ---- */

struct syn_open_view {
    const struct syn_rank_file *file;
    struct syn_open_list lines;
    struct syn_open_call *calls; /* [capacity] */
    size_t capacity;
};

int syn_open_view_new(const struct syn_rank_file *file, struct syn_open_view **out)
{
    *out = NULL;
    if (file->open_block_count == 0)
        return SYN_EMISSING;
    struct syn_open_view *view = calloc(1, sizeof *view);
    if (!view)
        return SYN_ENOMEM;
    view->file = file;
    *out = view;
    return SYN_OK;
}

void syn_open_view_free(struct syn_open_view *view)
{
    if (!view)
        return;
    free(view->lines.entries);
    free(view->calls);
    free(view);
}

int syn_open_view_read(struct syn_open_view *view, const struct syn_open_call **out, size_t *count,
                       bool *is_behind)
{
    const struct syn_rank_file *file = view->file;
    int status = SYN_OK;
    *count = 0;
    *is_behind = false;
    free(view->lines.entries);
    view->lines = (struct syn_open_list){0};
    const int descriptor = syn_rank_reopen_raw(file);
    if (descriptor < 0)
        return errno == ENOENT || errno == ESTALE || errno == ENOTDIR ? SYN_EMISSING : SYN_EIO;
    for (size_t i = 0; i < file->open_block_count && status == SYN_OK; i++)
        status = syn_raw_take_open(&view->lines, descriptor, file->open_blocks[i].offset,
                                   &file->open_blocks[i].header, true);
    close(descriptor);
    if (status != SYN_OK)
        return status;
    if (view->lines.count > view->capacity) {
        if (SYN_RESERVE(view->calls, view->lines.count) != SYN_OK)
            return SYN_ENOMEM;
        view->capacity = view->lines.count;
    }
    for (size_t i = 0; i < view->lines.count; i++)
        *is_behind |= take_call(file, &view->lines.entries[i], &view->calls[i]);
    *count = view->lines.count;
    *out = view->calls;
    return SYN_OK;
}

bool syn_rank_end_ns(const struct syn_rank_file *file, int64_t *end_ns)
{
    const char *kept = syn_rank_meta(file, SYN_META_END_TICKS);
    const int64_t ticks = kept ? strtoll(kept, NULL, 10) : file->raw_end_ticks;
    if (file->end.ending <= SYN_ENDING_SIGNAL || ticks == 0)
        return false;
    *end_ns = global_ns(file, ticks);
    return true;
}

bool syn_rank_finalize_ns(const struct syn_rank_file *file, int64_t *finalize_ns)
{
    const char *kept = syn_rank_meta(file, SYN_META_FINALIZE_TICKS);
    if (!kept || file->end.ending != SYN_ENDING_FINALIZE)
        return false;
    *finalize_ns = global_ns(file, strtoll(kept, NULL, 10));
    return syn_plausible_ns(*finalize_ns);
}

bool syn_rank_now_ns(const struct syn_rank_file *file, int64_t *now_ns)
{
    const struct syn_tick_source *ticks = &file->clock.ticks;
    if (ticks->kind == SYN_CLOCK_FUNCTION)
        return false;
    *now_ns = global_ns(file, syn_ticks_now(ticks));
    return true;
}
