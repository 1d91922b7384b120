/* trace/write/writer.h - write one rank's file. docs/trace-format.md is the format.
 *
 * Usage: open; declare communicators, modules, stacks before (or after: at the latest before
 * finish) the events that refer to them; append events in batches as buffers fill; finish. Any
 * error leaves the writer in a failed state in which every call returns that error (errno restored)
 * and does nothing: the recorder checks once. One writer is used by one thread at a time. */
#ifndef SYN_WRITER_H
#define SYN_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/methods/sync.h"
#include "sync/time/clock.h"
#include "sync/time/timeline.h"
#include "trace/base/event.h"
#include "trace/base/records.h"
#include "trace/base/sink.h"

struct syn_writer;

struct syn_writer_identity {
    uint8_t run_id[16]; /* random, the same in every file of the run */
    int32_t rank;       /* in MPI_COMM_WORLD */
    int32_t size;
};

/* `level` is zstd's (0: its default). The sink is taken over: closed by syn_writer_close, and at
 * once where opening fails. The tick source is copied and written first, so that even the shortest
 * file can be read. Returns 0, SYN_EINVAL (identity), SYN_ENOMEM, SYN_EIO. */
int syn_writer_open(struct syn_sink sink, const struct syn_writer_identity *identity, int level,
                    const struct syn_tick_source *ticks, struct syn_writer **out);

/* A fact about the run or the rank: an experimental factor. UTF-8, any bytes but NUL; copied.
 * docs/trace-format.md lists the keys. The same key again replaces the value. */
int syn_writer_meta(struct syn_writer *writer, const char *key, const char *value);
/* Declarations, copied. The same index again replaces (a communicator that got a name). Indexes are
 * best dense from 0: a reader's tables are as long as the largest. world_ranks NULL: all unknown.
 */
int syn_writer_comm(struct syn_writer *writer, const struct syn_comm_record *comm);
int syn_writer_module(struct syn_writer *writer, const struct syn_module_record *module);
int syn_writer_stack(struct syn_writer *writer, const struct syn_stack_record *stack);
/* One of these four that is bytes already, as in a frame of `frame_type` (sections.h); copied. */
int syn_writer_record(struct syn_writer *writer, uint8_t frame_type, const void *record,
                      size_t bytes);
/* Hand what was declared so far to the sink, so that it survives a kill. */
int syn_writer_flush(struct syn_writer *writer);

/* Store the clock model with the raw measurements, so that local time can be had back. Given again
 * after the last measurement; the last one given is the best, and the one that normalizes all
 * events that were written in local ticks. `quality` may be NULL. */
int syn_writer_clock(struct syn_writer *writer, const struct syn_timeline *timeline,
                     const struct syn_fitpoint *fitpoints, size_t fitpoint_count,
                     const struct syn_sync_quality *quality);

/* Append entries of one thread (a small number, 0 = the thread that called MPI_Init): events, in
 * any order, or with `note_count` notes among them (notes.h) in the order they were recorded in. A
 * segment that `entries` do not have the begin of is not told. `timeline` NULL: times are stored as
 * local ticks (a buffer spilled before the models were final; the reader normalizes). Otherwise
 * they are stored as global nanoseconds of that timeline. What was declared goes first; all of it
 * is compressed and handed to the sink before this returns. */
int syn_writer_entries(struct syn_writer *writer, uint32_t thread, const struct syn_event *entries,
                       size_t entry_count, size_t note_count, const struct syn_timeline *timeline);

struct syn_batch;
/* A batch (batch.h) whose frames fit this writer: of its level and clock. Free it by
 * syn_batch_free. NULL without memory. Any thread may ask, also while another uses the writer. */
struct syn_batch *syn_writer_new_batch(const struct syn_writer *writer);
/* Append a piece of the frames of a batch that has no step left, again until *is_whole. What was
 * declared before the `until`th record (syn_writer_declared_count; UINT64_MAX: all of it) goes
 * first, if it is not there yet. Whatever else the writer is asked to write comes behind the whole
 * batch, which has to stay as it is until then. */
int syn_writer_batch(struct syn_writer *writer, struct syn_batch *batch, uint64_t until,
                     bool *is_whole);

/* Takes a step that moves declared records to the sink, of some microseconds, so that nobody has to
 * wait for all of them. New records are not begun before there are `least_bytes` of them. */
enum syn_ahead {
    SYN_AHEAD_NOTHING, /* there was none to take */
    SYN_AHEAD_BEGUN,   /* all that was declared so far is on its way */
    SYN_AHEAD_UNDER_WAY,
    SYN_AHEAD_WRITTEN /* it is with the sink */
};
int syn_writer_ahead(struct syn_writer *writer, size_t least_bytes, enum syn_ahead *what);
/* Is there one to take? */
bool syn_writer_is_ahead_due(const struct syn_writer *writer, size_t least_bytes);
/* Is the next one that which hands over to the sink? */
bool syn_writer_is_ahead_whole(const struct syn_writer *writer);
/* The memory that such steps need for `bytes` of declarations, now. */
int syn_writer_warm_up(struct syn_writer *writer, size_t bytes);
/* Records that were declared, and those of them, the first ones, that the sink has or gets with
 * what it gets next. */
uint64_t syn_writer_declared_count(const struct syn_writer *writer);
uint64_t syn_writer_written_count(const struct syn_writer *writer);

struct syn_bytes;
/* Append the open calls of the rank, once: `count` of syn_put_open (sections.h). */
int syn_writer_open_calls(struct syn_writer *writer, const struct syn_bytes *calls, size_t count);

struct syn_frame_header;
/* Append a chunk of another file as it is: `payload` [from->compressed_bytes] of an EVENTS frame,
 * known to be whole. Its times keep their base: the clock written here must be the other file's
 * (trace/recover/recover.c). */
int syn_writer_copy_chunk(struct syn_writer *writer, const struct syn_frame_header *from,
                          const void *payload);

/* Write what was declared and the end frame, and commit. end->event_count is the writer's own
 * count, whatever the caller has there. */
int syn_writer_finish(struct syn_writer *writer, const struct syn_end_record *end);
/* Two halves of syn_writer_finish: after syn_writer_end all is in the file, under its temporary
 * name; syn_writer_commit commits it. */
int syn_writer_end(struct syn_writer *writer, const struct syn_end_record *end);
int syn_writer_commit(struct syn_writer *writer);
/* Bytes handed to the sink so far. */
uint64_t syn_writer_bytes(const struct syn_writer *writer);
/* Frees; without a finish before it the file stays visibly unfinished. NULL is fine. */
void syn_writer_close(struct syn_writer *writer);

#endif
