/* trace/write/batch.h - encodes entries of one thread as a frame, in short steps.
 *
 * RATIONALE: a program that records must not stand still while thousands of events are encoded.
 * Each step takes some microseconds. Between two steps anything may happen, except that the entries
 * must not change. A batch does not write to a file itself. syn_writer_batch (writer.h) writes its
 * frame, so threads can have one batch each and share a writer. */
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

/* Returns a batch, or NULL if memory is short. `level` is zstd's. The tick source is copied. */
struct syn_batch *syn_batch_new(int level, const struct syn_tick_source *ticks);
void syn_batch_free(struct syn_batch *batch);

/* Begins a batch of 1..SYN_CHUNK_EVENTS entries of one thread, `note_count` of them notes
 * (notes.h). Times become those of `timeline`, or stay ticks if it is NULL. `entries` and
 * `timeline` are kept by reference until the frame is with a writer. A frame that no writer has
 * taken is discarded. Returns 0, SYN_EINVAL (count) or SYN_ENOMEM. */
int syn_batch_begin(struct syn_batch *batch, uint32_t thread, const struct syn_event *entries,
                    size_t entry_count, size_t note_count, const struct syn_timeline *timeline);
/* Does the same as syn_batch_begin for `count` events, from `first` on, of entries that are already
 * separated from notes. They are kept by reference. */
int syn_batch_begin_chunk(struct syn_batch *batch, uint32_t thread,
                          const struct syn_entries *entries, size_t first, size_t count,
                          const struct syn_timeline *timeline);
/* Does one step. Returns 0 or SYN_ENOMEM; after an error no step is left and there is no frame. */
int syn_batch_step(struct syn_batch *batch);
/* Returns an estimate of the steps left, since some steps show what else there is to do. 0: the
 * frame is complete. */
size_t syn_batch_steps_left(const struct syn_batch *batch);

/* The frame of a batch: one chunk. */
struct syn_batch_frame {
    bool is_there; /* false: the entries had no event, or a writer has taken the frame */
    struct syn_frame_header header; /* without the frame's number, first event, run and rank */
    struct syn_bytes *bytes;        /* room for the header, then the payload */
};
struct syn_batch_frame *syn_batch_frame(struct syn_batch *batch);

#endif
