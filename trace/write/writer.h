/* trace/write/writer.h - writes one rank's file. docs/trace-format.md has the format.
 *
 * Usage: open; declare communicators, modules and call stacks, before or after the events that
 * refer to them, but before finish; append events in batches as buffers fill; finish. After an
 * error the writer has failed: each call returns the first error (errno restored) and does nothing.
 * So the recorder needs to check only once. One thread uses a writer at a time. */
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

/* Opens a writer. `level` is zstd's (0: its default). The writer owns the sink: syn_writer_close
 * closes it, and so does a failed open. The tick source is copied and written first, so that even
 * the shortest file can be read. Returns 0, SYN_EINVAL (identity), SYN_ENOMEM or SYN_EIO. */
int syn_writer_open(struct syn_sink sink, const struct syn_writer_identity *identity, int level,
                    const struct syn_tick_source *ticks, struct syn_writer **out);

/* Adds a fact about the run or the rank, an experimental factor. Key and value are copied; they are
 * UTF-8, with any bytes but NUL. docs/trace-format.md lists the keys. The last value of a key
 * counts. */
int syn_writer_meta(struct syn_writer *writer, const char *key, const char *value);
/* Add declarations, which are copied. A declaration with the same index replaces an earlier one
 * (for example of a communicator that got a name). Indices should be dense from 0, because a
 * reader's tables are as long as the largest index. world_ranks NULL: all are unknown. */
int syn_writer_comm(struct syn_writer *writer, const struct syn_comm_record *comm);
int syn_writer_module(struct syn_writer *writer, const struct syn_module_record *module);
int syn_writer_stack(struct syn_writer *writer, const struct syn_stack_record *stack);
/* Adds a fact or declaration that is already encoded, as in a frame of `frame_type` (sections.h).
 * The bytes are copied. */
int syn_writer_record(struct syn_writer *writer, uint8_t frame_type, const void *record,
                      size_t bytes);
/* Passes all declarations so far to the sink, so that they survive a kill. */
int syn_writer_flush(struct syn_writer *writer);

/* Stores the clock model with its measurements, from which local times can be recovered. Called
 * again after the last measurement: readers use the last model, also for all events that were
 * written in local ticks. `quality` may be NULL. */
int syn_writer_clock(struct syn_writer *writer, const struct syn_timeline *timeline,
                     const struct syn_fitpoint *fitpoints, size_t fitpoint_count,
                     const struct syn_sync_quality *quality);

/* Appends entries of one thread (a small number; 0: the thread that called MPI_Init). They are
 * events in any order, or events and `note_count` notes (notes.h) in the order in which they were
 * recorded. A segment that begins before the entries is not stored.
 *
 * With `timeline` NULL, times are stored as local ticks, for buffers that are written before the
 * clock models are final; the reader converts them. Otherwise times are stored as global
 * nanoseconds of that timeline. Declarations are written first. Everything is compressed and passed
 * to the sink before this returns. */
int syn_writer_entries(struct syn_writer *writer, uint32_t thread, const struct syn_event *entries,
                       size_t entry_count, size_t note_count, const struct syn_timeline *timeline);

struct syn_batch;
/* Returns a batch (batch.h) with the level and clock of this writer, or NULL if memory is short.
 * The caller frees it by syn_batch_free. Any thread may call this, also while another uses the
 * writer. */
struct syn_batch *syn_writer_new_batch(const struct syn_writer *writer);
/* Writes one piece of the frame of a batch that has no step left. Call it until *is_whole. If the
 * first `until` records (syn_writer_declared_count; UINT64_MAX: all) are not written yet, they are
 * written before the frame. Other writes wait until the whole frame is written, and the batch must
 * not change until then. */
int syn_writer_batch(struct syn_writer *writer, struct syn_batch *batch, uint64_t until,
                     bool *is_whole);

/* Does one step, of some microseconds, that moves declared records to the sink. So no call has to
 * wait for all of them. New records are begun only if they have at least `least_bytes`. */
enum syn_ahead {
    SYN_AHEAD_NOTHING, /* there was no step to do */
    SYN_AHEAD_BEGUN,   /* the records declared so far are being encoded */
    SYN_AHEAD_UNDER_WAY,
    SYN_AHEAD_WRITTEN /* the records are with the sink */
};
int syn_writer_ahead(struct syn_writer *writer, size_t least_bytes, enum syn_ahead *what);
/* Returns true if there is a step to do. */
bool syn_writer_is_ahead_due(const struct syn_writer *writer, size_t least_bytes);
/* Returns true if a complete frame waits to be passed to the sink. */
bool syn_writer_is_ahead_whole(const struct syn_writer *writer);
/* Allocates and touches the memory that such steps need for `bytes` of declarations. */
int syn_writer_warm_up(struct syn_writer *writer, size_t bytes);
/* Return the number of declared records, and the number of the first of these that are with the
 * sink, or will be with the next write. */
uint64_t syn_writer_declared_count(const struct syn_writer *writer);
uint64_t syn_writer_written_count(const struct syn_writer *writer);

struct syn_bytes;
/* Appends the open calls of the rank; called once. `calls` has `count` records of syn_put_open
 * (sections.h). */
int syn_writer_open_calls(struct syn_writer *writer, const struct syn_bytes *calls, size_t count);

struct syn_frame_header;
/* Appends a chunk of another file unchanged: `payload` [from->compressed_bytes] of an EVENTS frame,
 * whose checksum has been verified. Times keep their base, so this file's clock must be the other
 * file's (trace/recover/recover.c). */
int syn_writer_copy_chunk(struct syn_writer *writer, const struct syn_frame_header *from,
                          const void *payload);

/* Writes all declarations and the end frame, and commits. The writer's own count of events replaces
 * end->event_count. */
int syn_writer_finish(struct syn_writer *writer, const struct syn_end_record *end);
/* The two halves of syn_writer_finish. After syn_writer_end everything is in the file, under its
 * temporary name. syn_writer_commit commits the file. */
int syn_writer_end(struct syn_writer *writer, const struct syn_end_record *end);
int syn_writer_commit(struct syn_writer *writer);
/* Returns the number of bytes passed to the sink. */
uint64_t syn_writer_bytes(const struct syn_writer *writer);
/* Frees the writer. Without a finish before, the file stays under its temporary name. NULL is
 * allowed. */
void syn_writer_close(struct syn_writer *writer);

#endif
