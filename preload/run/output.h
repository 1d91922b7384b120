/* preload/run/output.h - this rank's file: opened in MPI_Init, filled from full buffers, finished
 * in MPI_Finalize.
 *
 * An error is kept as a status and a text; recording ends, the program goes on. One thread at a
 * time may use it: the recorder ensures that while it runs. */
#ifndef SYN_RUN_OUTPUT_H
#define SYN_RUN_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/methods/sync.h"
#include "trace/base/event.h"
#include "trace/base/records.h"
#include "trace/write/writer.h"

struct syn_place;

/* Make the directory if necessary, and begin the file. Returns 0 or a status (see
 * syn_output_failure). */
int syn_output_open(const char *directory, const struct syn_writer_identity *identity, int level,
                    const struct syn_tick_source *ticks);
/* Write an experimental factor; `format` as in printf. */
void syn_output_meta(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Write a factor; has the type of a collector's `emit`. Returns nonzero once the file has
 * failed. */
int syn_output_emit(void *ctx, const char *key, const char *value);
/* Store the timeline and its measurements. `sync` NULL: local time is global time. */
void syn_output_clock(const struct syn_timeline *timeline, const struct syn_sync *sync);
/* Write all that is known so far (factors, clock, declarations). The file of a killed program has
 * them then. */
void syn_output_flush(void);
/* Write entries of one thread, `note_count` of them notes. Times are local ticks; after
 * syn_output_normalize, global times. Returns true if they are written; after a failure nothing
 * more is. */
bool syn_output_entries(uint32_t thread, const struct syn_event *entries, size_t entry_count,
                        size_t note_count);
/* syn_output_new_batch returns an encoder for entries of one thread, or NULL without memory; any
 * thread may call it. syn_output_batch writes a piece of its finished frames, otherwise like
 * syn_output_entries, after the first `until` declarations (0: all). */
struct syn_batch;
struct syn_comm;
struct syn_batch *syn_output_new_batch(void);
bool syn_output_batch(struct syn_batch *batch, size_t event_count, uint64_t until, bool *is_whole);
/* Take one step that writes declarations before a batch. *until: 0 at first, then their number.
 * Returns false if all of them are in the file. */
bool syn_output_write_declarations(uint64_t *until);
/* Declare everything that events may refer to: communicators, modules, stacks. Gives `comm` an
 * index first, unless it is NULL. Returns true if steps that write declarations to the file are
 * due: syn_output_write_due_declarations takes them. */
bool syn_output_declare(struct syn_comm *comm);
void syn_output_write_due_declarations(void);
/* Allocate the memory for such steps now. */
void syn_output_warm_up(void);
void syn_output_normalize(const struct syn_timeline *timeline);
/* Write the calls that threads are inside, if a rank ends within calls. */
void syn_output_open_calls(void);
/* syn_output_end, then syn_output_commit. */
int syn_output_finish(enum syn_ending ending);
/* Write the end of the file, under its temporary name. */
int syn_output_end(enum syn_ending ending);
/* Give the file its name and remove the raw file. */
int syn_output_commit(void);
/* Instead of commit: the events are in another file. `failed`: a status, if that file failed
 * (errno). */
int syn_output_leave(int failed);
/* Remove the unfinished file. */
void syn_output_abandon(void);
/* Directory of the file; open from syn_output_open to syn_output_close. */
struct syn_place *syn_output_place(void);
void syn_output_close(void);
/* For a run that ends without MPI_Finalize, when ranks cannot communicate: returns true if this
 * rank is to report the run's losses. The first rank that asks does so, and each rank that cannot
 * use the directory. */
bool syn_output_reports_losses(void);

/* Returns 0 or the first error; *text names the file and the reason. */
int syn_output_failure(const char **text);
uint64_t syn_output_event_count(void);
uint64_t syn_output_bytes(void);

#endif
