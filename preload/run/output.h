/* preload/run/output.h - this rank's file: opened in MPI_Init, fed by full buffers, finished in
 * MPI_Finalize.
 *
 * Anything that goes wrong with it stays here as a status and a text; recording then stops by
 * itself, the program goes on. Used by one thread at a time (the recorder sees to that while it
 * runs). */
#ifndef SYN_RUN_OUTPUT_H
#define SYN_RUN_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/methods/sync.h"
#include "trace/base/event.h"
#include "trace/base/records.h"
#include "trace/write/writer.h"

struct syn_place;

/* Make the directory if it is not there, and begin the file in it. 0 or a status (see
 * syn_output_failure). */
int syn_output_open(const char *directory, const struct syn_writer_identity *identity, int level,
                    const struct syn_tick_source *ticks);
/* An experimental factor; printf. */
void syn_output_meta(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes a factor, as a collector's `emit`. Returns nonzero once the file has failed. */
int syn_output_emit(void *ctx, const char *key, const char *value);
/* Keep the timeline and the measurements behind it. NULL sync: local time is global time. */
void syn_output_clock(const struct syn_timeline *timeline, const struct syn_sync *sync);
/* Hand over all that is known so far: factors, clock, communicators, call sites. A program that is
 * killed has them in its file from then on. */
void syn_output_flush(void);
/* Entries of one thread, `note_count` of them notes, as local ticks; after syn_output_normalize in
 * the global time of its timeline. Returns whether they are written; once that fails nothing more
 * is. */
bool syn_output_entries(uint32_t thread, const struct syn_event *entries, size_t entry_count,
                        size_t note_count);
/* A batch for entries of one thread, which any thread may ask for; NULL without memory. And its
 * frames, once they are whole, as syn_output_entries; behind what was declared `until` then (0: all
 * that is now). */
struct syn_batch;
struct syn_comm;
struct syn_batch *syn_output_new_batch(void);
bool syn_output_batch(struct syn_batch *batch, size_t event_count, uint64_t until, bool *is_whole);
/* A step of what was declared before a batch is to be written: *until is 0 at first, and then how
 * much that was. Returns false where all of it is in the file. */
bool syn_output_ahead(uint64_t *until);
/* Declares all that events may refer to: communicators, modules, stacks; `comm` (NULL: none) gets
 * an index before. Returns true if steps that write them to the file are due; syn_output_pay takes
 * those. */
bool syn_output_declare(struct syn_comm *comm);
void syn_output_pay(void);
/* The memory of such steps, now. */
void syn_output_warm_up(void);
void syn_output_normalize(const struct syn_timeline *timeline);
/* Write the calls that threads are inside, for a rank that ends within them. */
void syn_output_open_calls(void);
/* Complete the file: syn_output_end, then syn_output_commit. */
int syn_output_finish(enum syn_ending ending);
/* All is in the file, under its temporary name. */
int syn_output_end(enum syn_ending ending);
/* It gets its name, and the blocks that outlive the process go. */
int syn_output_commit(void);
/* Instead: it is in another file, or `failed` to be (the status; errno). */
int syn_output_leave(int failed);
/* Remove what was begun. */
void syn_output_abandon(void);
/* The directory that holds the file; open from syn_output_open to syn_output_close. */
struct syn_place *syn_output_place(void);
void syn_output_close(void);
/* For a run that ends without MPI_Finalize, in which no rank can ask another: returns true if this
 * rank is to report the run's losses. Of all ranks that see the directory, the first to ask does; a
 * rank that cannot use the directory does, too. */
bool syn_output_speaks(void);

/* 0, or the first error, with a text that names the file and the reason. */
int syn_output_failure(const char **text);
uint64_t syn_output_event_count(void);
uint64_t syn_output_bytes(void);

#endif
