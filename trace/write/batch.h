/* trace/write/batch.h - entries of one thread become a frame, a little at a time.
 *
 * A program that records must not stand still while some thousand events are encoded: each step
 * takes some microseconds, and between two of them anything may happen but a change of the entries.
 * A batch knows no file: what it made goes there by syn_writer_batch (writer.h), so that threads
 * can have one each and share a writer. */
#ifndef SYN_BATCH_H
#define SYN_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "sync/time/clock.h"
#include "sync/time/timeline.h"
#include "trace/base/event.h"
#include "trace/base/frame.h"
#include "trace/events/notes.h"

struct syn_batch;

/* `level` is zstd's. The tick source is copied. NULL without memory. */
struct syn_batch *syn_batch_new(int level, const struct syn_tick_source *ticks);
void syn_batch_free(struct syn_batch *batch);

/* Begin 1..SYN_CHUNK_EVENTS entries of one thread, `note_count` of them notes (notes.h), as times
 * of `timeline` or, NULL, as ticks. Both are kept by reference until the frame is with a writer.
 * What was begun before and is not there is forgotten. Returns 0, SYN_EINVAL (count), SYN_ENOMEM.
 */
int syn_batch_begin(struct syn_batch *batch, uint32_t thread, const struct syn_event *entries,
                    size_t entry_count, size_t note_count, const struct syn_timeline *timeline);
/* Like syn_batch_begin, for `count` events, from `first` on, of entries that are taken apart
 * already. They are kept by reference. */
int syn_batch_begin_chunk(struct syn_batch *batch, uint32_t thread,
                          const struct syn_entries *entries, size_t first, size_t count,
                          const struct syn_timeline *timeline);
/* Returns 0 or SYN_ENOMEM, behind which no step is left and there is no frame. */
int syn_batch_step(struct syn_batch *batch);
/* How many there are to go, as far as is known: some show what there is to do. None: its frame is
 * whole. */
size_t syn_batch_steps_left(const struct syn_batch *batch);

/* The frame that a batch made, of a chunk. */
struct syn_batch_frame {
    bool is_there;                  /* false: the entries had no event, or a writer has taken it */
    struct syn_frame_header header; /* without its numbers and without its rank */
    struct syn_bytes *bytes;        /* room for the header, then the payload */
};
struct syn_batch_frame *syn_batch_frame(struct syn_batch *batch);

#endif
