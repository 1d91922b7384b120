/* trace/read/reader.h - read a trace: a directory of rank files, of node files, which are many of
 * these in one, or of both; whole or damaged.
 *
 * Nothing in a file is believed: every count is checked against the bytes that are there before
 * memory is taken for it, every index against its table. What is whole is delivered; what is not
 * becomes a fault in a list, one line each, so that every command can say what is missing. No path
 * in a trace is followed. */
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

/* The events' values besides their times and sequence numbers. */
struct syn_event_sayings {
    const uint64_t *bytes;
    const uint32_t *comm;  /* index of one of the rank's communicators: always a declared one */
    const uint32_t *stack; /* index of one of the rank's stacks, or SYN_NO_STACK: always valid */
    const int32_t *root;
    const uint16_t *op; /* may be an id this build does not know: use syn_rank_op_name */
    const uint16_t *flags;
    const uint16_t *attributes; /* trace/events/attributes.h */
};

/* Decoded events of one thread, in columns of `count`; valid until the next call on the same
 * cursor. Times are global nanoseconds, whether the file stores global time or local ticks. */
struct syn_event_columns {
    size_t count;
    uint32_t thread;
    const int64_t *start_ns;
    const int64_t *end_ns;
    const int64_t *call_end_ns;
    const int64_t *wait_start_ns;
    const uint64_t *bytes;
    const uint64_t *sequence;
    const uint32_t *comm;  /* index of one of the rank's communicators: always a declared one */
    const uint32_t *stack; /* index of one of the rank's stacks, or SYN_NO_STACK: always valid */
    const int32_t *root;
    const uint16_t *op; /* may be an id this build does not know: use syn_rank_op_name */
    const uint16_t *flags;
    const uint16_t *attributes; /* reduction and type: trace/events/attributes.h; 0 none known */
    /* Events with the same number (below tuple_count) agree in bytes, comm, stack, root, op,
     * flags and attributes; NULL where that is not known. */
    const uint16_t *tuple;
    size_t tuple_count;
    /* [tuple_count], of a cursor by tuples (syn_cursor_by_tuples), where bytes, comm, stack, root,
     * op, flags and attributes of each event are NULL instead. All NULL: those are there. */
    struct syn_event_sayings of_tuple;
    /* Times of segments, which go from the end of a recorded call of the thread to the start of its
     * next one. NULL: 0 for all events here. Before the event's start, and (of a nonblocking
     * operation) before the start of the call that completed it: time in MPI calls that are no
     * collectives; time that the thread was off its processor outside of MPI, as far as that is
     * certain (trace/events/off_cpu.h). Events that one call completed share that segment: the
     * figures are at one of them. */
    const int64_t *messages_ns;
    const int64_t *off_cpu_ns;
    const int64_t *wait_messages_ns;
    const int64_t *wait_off_cpu_ns;
    /* Samples of the thread during this chunk, ascending: the last one before its first event to
     * the first one behind its last, as far as there are any; so neighbouring chunks may have some
     * in common. Of a chunk in pieces: with the first. */
    const struct syn_sample *samples; /* [sample_count], time in global nanoseconds */
    size_t sample_count;
    bool more; /* these are a piece of a chunk, and not its last */
};

struct syn_rank_lists;
/* Opens and indexes: reads all headers and small sections, no events. Members of communicators are
 * lists of `lists`, which lives longer; NULL: the file, which is alone, has its own. No descriptor
 * stays open, so that thousands of files can be. Memory is at most SYN_OPEN_BYTES_BASE +
 * SYN_OPEN_BYTES_FACTOR * file size. Returns 0 (also for a damaged file of which something could be
 * read: see syn_rank_fault), or with *out NULL SYN_EIO, SYN_ENOTTRACE, SYN_EVERSION, SYN_ENOMEM,
 * and SYN_ETRUNCATED or SYN_EDAMAGED where the file was ours but nothing of it is left to read. */
int syn_rank_open(const char *path, struct syn_rank_lists *lists, struct syn_rank_file **out);
void syn_rank_close(struct syn_rank_file *file);
#define SYN_OPEN_BYTES_BASE   ((uint64_t)64 << 20)
#define SYN_OPEN_BYTES_FACTOR 256

/* Sets where a rank's raw blocks (trace/write/raw.h) are looked for besides the directory of its
 * file: in DIRECTORY/syncopate-RUNID, as SYNCOPATE_SPILL=DIRECTORY puts them. NULL or "": in the
 * directory that the file names, if the rank ran on this machine. Kept by reference; for the whole
 * process, before the first open. */
void syn_rank_look_in(const char *directory);
/* Looks beside the file alone, and does without the rest. */
void syn_rank_look_nowhere(void);
/* The directory that an unfinished file names for its raw blocks, if none of them were found; else
 * NULL. */
const char *syn_rank_lacks_raw(const struct syn_rank_file *file);
/* Did the rank run on this machine? NULL: no. */
bool syn_is_of_this_host(const struct syn_rank_file *file);

/* The first fault: SYN_OK, SYN_ETRUNCATED or SYN_EDAMAGED as far as known so far, and where: "chunk
 * 12 at byte 40960: checksum". `where` may be NULL. */
int syn_rank_fault(struct syn_rank_file *file, const char **where);
/* The i-th fault known so far; SYN_EEND past the last. The text lives as long as the file. */
int syn_rank_fault_at(struct syn_rank_file *file, size_t i, const char **where);
/* Events that were written but cannot be read, as far as known so far. */
uint64_t syn_rank_lost_event_count(struct syn_rank_file *file);
const char *syn_rank_file_path(const struct syn_rank_file *file);
const uint8_t *syn_rank_run_id(const struct syn_rank_file *file); /* [16] */
int32_t syn_rank_rank(const struct syn_rank_file *file);
int32_t syn_rank_size(const struct syn_rank_file *file);
/* NULL where the key is absent. */
const char *syn_rank_meta(const struct syn_rank_file *file, const char *key);
/* Did the recorder note the time in messages; did it take samples? */
bool syn_rank_has_messages(const struct syn_rank_file *file);
bool syn_rank_has_samples(const struct syn_rank_file *file);
/* The i-th pair, in file order; false past the last. */
bool syn_rank_meta_at(const struct syn_rank_file *file, size_t i, const char **key,
                      const char **value);
/* Records by the index they were declared with: counts are the largest index + 1, and a record is
 * NULL where its index was never declared (or its declaration is lost) or out of range. */
size_t syn_rank_comm_count(const struct syn_rank_file *file);
const struct syn_comm_record *syn_rank_comm(const struct syn_rank_file *file, uint32_t index);
size_t syn_rank_module_count(const struct syn_rank_file *file);
const struct syn_module_record *syn_rank_module(const struct syn_rank_file *file, uint32_t index);
size_t syn_rank_stack_count(const struct syn_rank_file *file);
const struct syn_stack_record *syn_rank_stack(const struct syn_rank_file *file, uint32_t index);
/* The name of an operation: this build's, else the one that the file gives; NULL where neither
 * knows it. */
const char *syn_rank_op_name(const struct syn_rank_file *file, uint16_t op_id);
const struct syn_end_record *syn_rank_end(const struct syn_rank_file *file); /* never NULL */
/* Is it not known how many calls were lost? So it is of a rank that did not end its recording,
 * where not all of its events lay in blocks that are there: they were in memory, or a file was cut.
 */
bool syn_rank_loss_is_unknown(const struct syn_rank_file *file);
/* The best clock model in the file; an identity timeline where none was written. */
const struct syn_timeline *syn_rank_timeline(const struct syn_rank_file *file);
const struct syn_fitpoint *syn_rank_fitpoints(const struct syn_rank_file *file, size_t *count);
const struct syn_sync_quality *
syn_rank_quality(const struct syn_rank_file *file); /* NULL where none */
const struct syn_tick_source *syn_rank_ticks(const struct syn_rank_file *file);
/* The bound on a global time of this rank, by the correction if there is one. */
int64_t syn_rank_bound_ns(const struct syn_rank_file *file, int64_t global_ns);
/* From now on global times of these ranks' files [count] are what `correction` makes of them: a
 * timeline from global time as the file has it to global time as it is, which must not run
 * backwards, and whose bound is that of the times. Before any cursor is open. Copied, once for all
 * of them. 0 or SYN_ENOMEM. */
int syn_rank_correct(struct syn_rank_file *const *files, size_t count,
                     const struct syn_timeline *correction);
/* NULL where there is none. */
const struct syn_timeline *syn_rank_correction(const struct syn_rank_file *file);
uint64_t syn_rank_file_bytes(const struct syn_rank_file *file);
/* Events in all readable chunks, from their headers. */
uint64_t syn_rank_event_count(const struct syn_rank_file *file);
size_t syn_rank_chunk_count(const struct syn_rank_file *file);

/* Returns the content of a chunk's header, without reading the chunk: events, thread, span in
 * global time (of a chunk in local ticks: as the best clock model has it). False past the last
 * chunk. */
struct syn_chunk_summary {
    uint64_t event_count;
    uint32_t thread;
    int64_t start_ns;
    int64_t end_ns;
};
bool syn_rank_chunk(const struct syn_rank_file *file, size_t i, struct syn_chunk_summary *out);

/* Iterate the chunks in file order: events of one thread, by start within a chunk. Several cursors
 * on one file may be used by several threads. */
struct syn_cursor;
int syn_cursor_open(struct syn_rank_file *file, struct syn_cursor **out);
/* Go on with the i-th chunk (for several threads that share the chunks of one file). */
void syn_cursor_seek(struct syn_cursor *cursor, size_t i);
/* Decode the next chunk. 0; SYN_EEND; SYN_EDAMAGED: that chunk is skipped and remembered as a
 * fault, and the next call goes on with the one after; SYN_ENOMEM. */
int syn_cursor_next(struct syn_cursor *cursor, struct syn_event_columns *out);
void syn_cursor_close(struct syn_cursor *cursor);
/* When the first event starts that syn_cursor_next would hand out, and whether there is any: a
 * chunk of none is passed over with this. Nothing of a piece is decoded yet. Returns what
 * syn_cursor_next would; SYN_OK once, then that says so again until it has handed out the events.
 */
int syn_cursor_peek(struct syn_cursor *cursor, int64_t *start_ns, bool *any);
/* The next piece will be asked for soon: what that takes comes into the cache, in steps 0, 1 and 2,
 * each found through the one before. */
void syn_cursor_fetch(const struct syn_cursor *cursor, unsigned step);
/* Cursors of one thread may share what reading a chunk takes, as long as none is used while another
 * reads; free it after them. NULL: no memory. With `piece` > 0 chunks of more than so many events
 * (rounded up to 32s) are handed out in pieces: of each cursor there is its chunk's payload in
 * memory, some 6 bytes an event. A piece is theirs together: what one has handed out is good until
 * another with the same scratch is asked. That takes half as long again, since a chunk is verified
 * before any of it is handed out. 0 or SYN_ENOMEM. */
struct syn_scratch;
struct syn_scratch *syn_scratch_new(void);
void syn_scratch_free(struct syn_scratch *scratch);
int syn_cursor_open_with(struct syn_rank_file *file, struct syn_scratch *scratch, size_t piece,
                         struct syn_cursor **out);
/* Keeps the common values of a tuple once for each tuple from now on, if a chunk is read whole and
 * has tuples. Copies for each event would be most of what decoding writes. */
void syn_cursor_by_tuples(struct syn_cursor *cursor);
/* Whatever the cursor: flags of event i. */
static inline uint16_t syn_event_flags_at(const struct syn_event_columns *columns, size_t i)
{
    return columns->flags ? columns->flags[i] : columns->of_tuple.flags[columns->tuple[i]];
}
/* The next piece has only so many events. */
#define SYN_PIECE_LEAST 32
void syn_cursor_shorten(struct syn_cursor *cursor);
#define SYN_DECODED_EVENT_BYTES 68

/* ---- a trace ---- */

struct syn_trace;

struct syn_trace_fault {
    int status;   /* SYN_EMISSING (a rank), SYN_ETRUNCATED, SYN_EDAMAGED, SYN_EMIXED, SYN_EVERSION,
                     ... */
    int32_t rank; /* -1: the trace as a whole */
    const char *text; /* one line that names the file and the fault */
};

/* Open a trace directory. Finished (manifest, rank-*.syn) or left behind by a killed run (*.part
 * files too). Returns 0 where at least one rank is readable (faults are listed); else
 * SYN_ENOTTRACE, SYN_EMISSING, SYN_EVERSION, SYN_EMIXED, SYN_EIO with *why a line naming the file
 * and the fault (caller frees). */
int syn_trace_open(const char *directory, struct syn_trace **out, char **why);
void syn_trace_close(struct syn_trace *trace);
const char *syn_trace_directory(const struct syn_trace *trace);
/* NULL where there is none (an unfinished run). */
const struct syn_manifest *syn_trace_manifest(const struct syn_trace *trace);
int32_t
syn_trace_size(const struct syn_trace *trace); /* ranks of the run, by manifest or by any file */
/* Ranks whose file is readable. */
int32_t syn_trace_readable_count(const struct syn_trace *trace);
/* NULL where that rank's file is missing or unreadable. */
struct syn_rank_file *syn_trace_rank(const struct syn_trace *trace, int32_t rank);
/* Faults known so far (reading chunks may add some), in order of rank; valid until the next call.
 */
const struct syn_trace_fault *syn_trace_faults(struct syn_trace *trace, size_t *count);
/* A fault of something else in the directory; `text`: one line that names the file, copied. */
void syn_trace_add_fault(struct syn_trace *trace, int status, const char *text);
/* Read and verify everything, also that no call of a rank is there twice. 0, or SYN_EDAMAGED where
 * there is any fault. */
int syn_trace_verify(struct syn_trace *trace);

#endif
