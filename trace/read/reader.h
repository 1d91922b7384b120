/* trace/read/reader.h - reads a trace: a directory of rank files, of node files, which hold many
 * ranks each, or of both. Files may be damaged.
 *
 * Everything in a file is checked before it is used: every count against the bytes that are there
 * before memory is allocated, every index against its table. Undamaged content is returned. Each
 * damage becomes a fault in a list, one line of text each, so that every command can report what is
 * missing. No path in a trace is followed. */
#ifndef SYN_READER_H
#define SYN_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/methods/sync.h"
#include "sync/time/clock.h"
#include "sync/time/timeline.h"
#include "trace/base/records.h"
#include "trace/directory/manifest.h"

/* ---- one rank's file ---- */

struct syn_rank_file;

/* The values of events besides their times and sequence numbers. */
struct syn_event_sayings {
    const uint64_t *bytes;
    const uint32_t *comm;  /* index of a declared communicator of the rank */
    const uint32_t *stack; /* index of a declared call stack of the rank, or SYN_NO_STACK */
    const int32_t *root;
    const uint16_t *op; /* may be an id that this build does not know: use syn_rank_op_name */
    const uint16_t *flags;
    const uint16_t *attributes; /* trace/events/attributes.h */
};

/* Decoded events of one thread, in columns of `count`. They are valid until the next call on the
 * same cursor. Times are global nanoseconds, whether the file stores global times or local
 * ticks. */
struct syn_event_columns {
    size_t count;
    uint32_t thread;
    const int64_t *start_ns;
    const int64_t *end_ns;
    const int64_t *call_end_ns;
    const int64_t *wait_start_ns;
    const uint64_t *bytes;
    const uint64_t *sequence;
    const uint32_t *comm;  /* index of a declared communicator of the rank */
    const uint32_t *stack; /* index of a declared call stack of the rank, or SYN_NO_STACK */
    const int32_t *root;
    const uint16_t *op; /* may be an id that this build does not know: use syn_rank_op_name */
    const uint16_t *flags;
    const uint16_t *attributes; /* reduction and type: trace/events/attributes.h; 0: none known */
    /* Events with the same number (below tuple_count) agree in bytes, comm, stack, root, op, flags
     * and attributes. NULL: not known. */
    const uint16_t *tuple;
    size_t tuple_count;
    /* [tuple_count], only of a cursor by tuples (syn_cursor_by_tuples): the values of each tuple.
     * The columns bytes, comm, stack, root, op, flags and attributes are then NULL. Otherwise all
     * members of of_tuple are NULL. */
    struct syn_event_sayings of_tuple;
    /* Times in segments. A segment is the time from the end of a recorded call of the thread to the
     * start of its next one. NULL: 0 for all events here. messages_ns and off_cpu_ns lie before the
     * event's start; for a nonblocking operation, wait_messages_ns and wait_off_cpu_ns lie before
     * the start of the call that completed it. `messages` is time in MPI calls that are no events.
     * `off_cpu` is time that the thread was certainly off its processor, outside of MPI
     * (trace/events/off_cpu.h). Events that one call completed share a segment; its figures are at
     * one of them. */
    const int64_t *messages_ns;
    const int64_t *off_cpu_ns;
    const int64_t *wait_messages_ns;
    const int64_t *wait_off_cpu_ns;
    /* Samples of the thread in this chunk, ascending: from the last sample before its first event
     * to the first sample behind its last event, as far as there are any. So neighbouring chunks
     * may have samples in common. If a chunk is read in pieces, they come with the first. */
    const struct syn_sample *samples; /* [sample_count], time in global nanoseconds */
    size_t sample_count;
    bool more; /* this is a piece of a chunk, and not its last piece */
};

struct syn_rank_lists;
/* Opens a rank's file and indexes it: reads all headers and small sections, but no events. Members
 * of communicators are lists of `lists`, which has to outlive the file; NULL: the file has lists of
 * its own. No descriptor stays open, so that thousands of files can be open. Memory is at most
 * SYN_OPEN_BYTES_BASE + SYN_OPEN_BYTES_FACTOR * file size.
 *
 * Returns 0, also for a damaged file of which something can be read (see syn_rank_fault). Otherwise
 * *out is NULL, and the status is SYN_EIO, SYN_ENOTTRACE, SYN_EVERSION, SYN_ENOMEM, or
 * SYN_ETRUNCATED or SYN_EDAMAGED for a file of ours of which nothing can be read. */
int syn_rank_open(const char *path, struct syn_rank_lists *lists, struct syn_rank_file **out);
void syn_rank_close(struct syn_rank_file *file);
#define SYN_OPEN_BYTES_BASE   ((uint64_t)64 << 20)
#define SYN_OPEN_BYTES_FACTOR 256

/* Sets a second place to look for a rank's raw blocks (trace/write/raw.h), besides the directory of
 * its file: DIRECTORY/syncopate-RUNID, which SYNCOPATE_SPILL=DIRECTORY makes. NULL or "": the
 * directory that the file names, if the rank ran on this machine. `directory` is kept by reference.
 * This holds for the whole process and is set before the first file is opened. */
void syn_rank_look_in(const char *directory);
/* Restricts the search for raw blocks to the directory of the rank's file. */
void syn_rank_look_nowhere(void);
/* Returns the directory that an unfinished file names for its raw blocks, if none of them were
 * found; else NULL. */
const char *syn_rank_lacks_raw(const struct syn_rank_file *file);
/* Returns true if the rank ran on this machine; false for NULL. */
bool syn_is_of_this_host(const struct syn_rank_file *file);

/* Returns the first fault known so far: SYN_OK, SYN_ETRUNCATED, SYN_EDAMAGED or SYN_EIO. *where is
 * its text, for example "chunk 12 at byte 40960: checksum". `where` may be NULL. */
int syn_rank_fault(struct syn_rank_file *file, const char **where);
/* Returns the i-th fault known so far; SYN_EEND past the last. The text lives as long as the
 * file. */
int syn_rank_fault_at(struct syn_rank_file *file, size_t i, const char **where);
/* Returns the number of events that were written but cannot be read, as far as known so far. */
uint64_t syn_rank_lost_event_count(struct syn_rank_file *file);
const char *syn_rank_file_path(const struct syn_rank_file *file);
const uint8_t *syn_rank_run_id(const struct syn_rank_file *file); /* [16] */
int32_t syn_rank_rank(const struct syn_rank_file *file);
int32_t syn_rank_size(const struct syn_rank_file *file);
/* Returns the value of a key; NULL if the key is absent. */
const char *syn_rank_meta(const struct syn_rank_file *file, const char *key);
/* Return true if the recorder recorded time in messages, or took samples. */
bool syn_rank_has_messages(const struct syn_rank_file *file);
bool syn_rank_has_samples(const struct syn_rank_file *file);
/* Finds the i-th pair, in file order. Returns false past the last. */
bool syn_rank_meta_at(const struct syn_rank_file *file, size_t i, const char **key,
                      const char **value);
/* Return records by the index of their declaration. Counts are the largest index + 1. A record is
 * NULL if its index is out of range or was never declared, or its declaration is lost. */
size_t syn_rank_comm_count(const struct syn_rank_file *file);
const struct syn_comm_record *syn_rank_comm(const struct syn_rank_file *file, uint32_t index);
size_t syn_rank_module_count(const struct syn_rank_file *file);
const struct syn_module_record *syn_rank_module(const struct syn_rank_file *file, uint32_t index);
size_t syn_rank_stack_count(const struct syn_rank_file *file);
const struct syn_stack_record *syn_rank_stack(const struct syn_rank_file *file, uint32_t index);
/* Returns the name of an operation: this build's, or else the file's; NULL if neither has one. */
const char *syn_rank_op_name(const struct syn_rank_file *file, uint16_t op_id);
const struct syn_end_record *syn_rank_end(const struct syn_rank_file *file); /* never NULL */
/* Returns true if the number of lost calls is not known. That is so for a rank that did not end its
 * recording, if not all its events lay in blocks that are present: some were in memory, or a file
 * was cut. */
bool syn_rank_loss_is_unknown(const struct syn_rank_file *file);
/* Returns the best clock model in the file; an identity timeline if there is none. */
const struct syn_timeline *syn_rank_timeline(const struct syn_rank_file *file);
const struct syn_fitpoint *syn_rank_fitpoints(const struct syn_rank_file *file, size_t *count);
const struct syn_sync_quality *syn_rank_quality(const struct syn_rank_file *file); /* NULL: none */
const struct syn_tick_source *syn_rank_ticks(const struct syn_rank_file *file);
/* Returns the bound on a global time of this rank; that of the correction if there is one. */
int64_t syn_rank_bound_ns(const struct syn_rank_file *file, int64_t global_ns);
/* Sets a correction of the global times of the ranks' files [count]: a timeline from global time in
 * the file to true global time. It must not run backwards. Its bound becomes the bound of the
 * times. Called before any cursor is open. The timeline is copied once for all files. Returns 0 or
 * SYN_ENOMEM. */
int syn_rank_correct(struct syn_rank_file *const *files, size_t count,
                     const struct syn_timeline *correction);
/* Returns the correction, or NULL. */
const struct syn_timeline *syn_rank_correction(const struct syn_rank_file *file);
uint64_t syn_rank_file_bytes(const struct syn_rank_file *file);
/* Returns the number of events in all readable chunks, according to their headers. */
uint64_t syn_rank_event_count(const struct syn_rank_file *file);
size_t syn_rank_chunk_count(const struct syn_rank_file *file);

/* Describes a chunk from its header, without reading the chunk: events, thread, and span in global
 * time (by the best clock model, if the chunk has local ticks). Returns false past the last
 * chunk. */
struct syn_chunk_summary {
    uint64_t event_count;
    uint32_t thread;
    int64_t start_ns;
    int64_t end_ns;
};
bool syn_rank_chunk(const struct syn_rank_file *file, size_t i, struct syn_chunk_summary *out);

/* Reads the chunks in file order. A chunk has events of one thread, sorted by start. Several
 * threads may each use a cursor on the same file. */
struct syn_cursor;
int syn_cursor_open(struct syn_rank_file *file, struct syn_cursor **out);
/* Continues with the i-th chunk. This is for threads that share the chunks of one file. */
void syn_cursor_seek(struct syn_cursor *cursor, size_t i);
/* Decodes the next chunk. Returns 0; SYN_EEND; SYN_EDAMAGED: the chunk is skipped and listed as a
 * fault, and the next call continues with the chunk behind; SYN_ENOMEM. */
int syn_cursor_next(struct syn_cursor *cursor, struct syn_event_columns *out);
void syn_cursor_close(struct syn_cursor *cursor);
/* Finds the start of the first event that syn_cursor_next would return, without decoding a piece.
 * *any is false for a chunk without events, which this call skips. Returns what syn_cursor_next
 * would return. After SYN_OK this returns the same until syn_cursor_next returns the events. */
int syn_cursor_peek(struct syn_cursor *cursor, int64_t *start_ns, bool *any);
/* Fetches into the cache what the next piece needs, in steps 0, 1 and 2. Each step finds its data
 * through the one before. */
void syn_cursor_fetch(const struct syn_cursor *cursor, unsigned step);
/* Opens a cursor that shares scratch memory with other cursors of the same thread, as long as none
 * is used while another reads. The scratch memory is freed after the cursors. syn_scratch_new
 * returns NULL if memory is short.
 *
 * With `piece` > 0, chunks of more than `piece` events (rounded up to a multiple of 32) are
 * returned in pieces. Then each cursor keeps only its chunk's payload, some 6 bytes an event. The
 * decoded piece is in the scratch memory. So it is valid until another cursor with the same scratch
 * memory is read. Pieces take half as long again, since a whole chunk is verified before its first
 * event is returned. Returns 0 or SYN_ENOMEM. */
struct syn_scratch;
struct syn_scratch *syn_scratch_new(void);
void syn_scratch_free(struct syn_scratch *scratch);
int syn_cursor_open_with(struct syn_rank_file *file, struct syn_scratch *scratch, size_t piece,
                         struct syn_cursor **out);
/* Stores the values of a tuple only once from now on, if a chunk is read whole and has tuples.
 * Copies for each event would be most of the bytes that decoding writes. */
void syn_cursor_by_tuples(struct syn_cursor *cursor);
/* Returns the flags of event i, also for a cursor by tuples. */
static inline uint16_t syn_event_flags_at(const struct syn_event_columns *columns, size_t i)
{
    return columns->flags ? columns->flags[i] : columns->of_tuple.flags[columns->tuple[i]];
}
/* Number of events in the next piece after syn_cursor_shorten. */
#define SYN_PIECE_LEAST 32
void syn_cursor_shorten(struct syn_cursor *cursor);
#define SYN_DECODED_EVENT_BYTES 68

/* ---- a trace ---- */

struct syn_trace;

struct syn_trace_fault {
    int status;   /* SYN_EMISSING (a rank), SYN_ETRUNCATED, SYN_EDAMAGED, SYN_EMIXED, SYN_EVERSION,
                     ... */
    int32_t rank; /* -1: the whole trace */
    const char *text; /* one line that names the file and the fault */
};

/* Opens a trace directory, which is finished (manifest and rank-*.syn) or was left by a killed run
 * (with *.part files). Returns 0 if at least one rank is readable; faults are then listed.
 * Otherwise returns SYN_ENOTTRACE, SYN_EMISSING, SYN_EVERSION, SYN_EMIXED or SYN_EIO, and *why is a
 * line that names the file and the fault (the caller frees it). */
int syn_trace_open(const char *directory, struct syn_trace **out, char **why);
void syn_trace_close(struct syn_trace *trace);
const char *syn_trace_directory(const struct syn_trace *trace);
/* Returns the manifest; NULL if there is none (an unfinished run). */
const struct syn_manifest *syn_trace_manifest(const struct syn_trace *trace);
int32_t syn_trace_size(const struct syn_trace *trace); /* number of ranks of the run, from the
                                                          manifest or from any file */
/* Returns the number of ranks whose file is readable. */
int32_t syn_trace_readable_count(const struct syn_trace *trace);
/* Returns a rank's file; NULL if it is missing or unreadable. */
struct syn_rank_file *syn_trace_rank(const struct syn_trace *trace, int32_t rank);
/* Returns the faults known so far, in the order of ranks; reading chunks may add more. The list is
 * valid until the next call. */
const struct syn_trace_fault *syn_trace_faults(struct syn_trace *trace, size_t *count);
/* Adds a fault of another file in the directory. `text` is one line that names the file; it is
 * copied. */
void syn_trace_add_fault(struct syn_trace *trace, int status, const char *text);
/* Reads and verifies everything, and checks that no call of a rank occurs twice. Returns 0,
 * SYN_EDAMAGED if there is any fault, or SYN_ENOMEM. */
int syn_trace_verify(struct syn_trace *trace);

#endif
