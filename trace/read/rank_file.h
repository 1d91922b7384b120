/* trace/read/rank_file.h - the inside of an open rank file, shared by opening and by its cursors.
 */
#ifndef SYN_RANK_FILE_H
#define SYN_RANK_FILE_H

#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "sync/base/arena.h"
#include "trace/base/event.h"
#include "trace/base/frame.h"
#include "trace/base/open_line.h"
#include "trace/base/rank_lists.h"
#include "trace/base/sections.h"
#include "trace/read/reader.h"
#include "trace/write/raw.h"

/* One EVENTS frame, or as many events of a raw block. */
struct syn_chunk {
    uint64_t offset; /* of its header in the file */
    struct syn_frame_header header;
    int status;                   /* of the last attempt to decode it; its fault is listed once */
    bool raw;                     /* entries in the raw file: `offset` is of the first one, */
    uint32_t raw_entry_count;     /*   and so many are they; */
    int64_t raw_last_start;       /*   start of the call that stored the last event, in ticks; */
    const struct syn_event *held; /* or here, of the arena, since they change in the file */
};

struct syn_rank_fault_entry {
    int status;
    size_t order; /* 0: found when opening; chunk + 1: when reading that one */
    char *text;   /* owned */
};

struct syn_meta_pair {
    const char *key;
    const char *value;
};

struct syn_op_entry {
    uint16_t op;
    const char *name;
};

/* Indices that a file of any size may use. */
#define SYN_RECORDS_FREE 4096
/* Records found by the index they give themselves; NULL where none was declared. */
struct syn_record_table {
    void **records;
    size_t count;
    size_t capacity;
};

/* A timeline of several files; the last one frees it. */
struct syn_shared_timeline {
    struct syn_timeline timeline;
    size_t user_count;
};

/* The open call of a thread, MPI's constants replaced by those of open_calls.h. */
struct syn_open_entry {
    uint32_t thread;
    bool moving; /* the line changed whenever it was read */
    struct syn_open_line line;
};

struct syn_open_list {
    struct syn_open_entry *entries; /* [count], owned */
    size_t count;
};

struct syn_open_block {
    uint64_t offset;
    struct syn_raw_header header;
};

struct syn_rank_file {
    char *path;
    dev_t device; /* so that a file put in its place is noticed */
    ino_t inode;
    uint64_t from; /* where in the file its own bytes are: all of it, or a node file's part */
    uint64_t until;
    bool is_part;            /* of a node file */
    uint64_t file_bytes;     /* until - from */
    uint64_t sections_bytes; /* of sections that are stored as a difference, decompressed */
    char *raw_path;          /* of the raw blocks that belong to it; NULL where there are none */
    dev_t raw_device;
    ino_t raw_inode;
    uint64_t raw_bytes;
    uint64_t raw_record_bytes; /*   that may hold declarations */
    uint32_t raw_ending;       /* an enum syn_ending; not believed */
    int64_t raw_end_ticks;     /* when that was; 0: not known */
    uint64_t raw_lost_count;   /* calls whose events could be kept nowhere */
    uint32_t raw_in_memory;    /* others lay where no file is behind */
    struct syn_open_list open; /* by thread */
    struct syn_open_block open_blocks[SYN_OPEN_BLOCKS_MAX];
    size_t open_block_count;
    bool identified;
    uint8_t run_id[16];
    int32_t rank;
    int32_t size;

    struct syn_rank_lists *lists; /* of its communicators' members: a trace's, or */
    struct syn_rank_lists own_lists;
    struct syn_arena arena;
    struct syn_meta_pair *metas;
    size_t meta_count;
    struct syn_op_entry *ops;
    size_t op_count;
    struct syn_record_table comms;
    struct syn_record_table modules;
    struct syn_record_table stacks;
    struct syn_clock_section clock;
    struct syn_shared_timeline *correction; /* NULL: none */
    struct syn_end_record end;
    bool has_end;

    struct syn_chunk *chunks;
    size_t chunk_count;
    uint64_t event_count;          /* in all chunks */
    uint64_t declared_event_count; /* that the file had, as far as any header says */

    pthread_mutex_t lock; /* of all below: cursors of several threads add to it */
    uint8_t *lost_stacks; /* a bit for each index that events refer to and nothing declares */
    uint64_t undecodable_count;
    struct syn_rank_fault_entry *faults;
    size_t fault_count;
};

/* Remember a fault; its text is formatted as printf does. The first SYN_FAULTS_MAX are kept. */
#define SYN_FAULTS_MAX 256
void syn_rank_add_fault(struct syn_rank_file *file, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One met in reading a chunk. They are kept in the chunks' order, whichever thread met them first.
 */
void syn_rank_add_chunk_fault(struct syn_rank_file *file, size_t chunk, const char *why);

/* Can a file of this size have declared a record of that index? */
bool syn_rank_index_plausible(const struct syn_rank_file *file, uint32_t index);
/* Remember that events refer to a stack whose declaration is lost; where memory runs out, it is
 * not. */
void syn_rank_lose_stack(struct syn_rank_file *file, uint32_t index);
bool syn_rank_stack_is_lost(const struct syn_rank_file *file, uint32_t index);

/* Append a chunk. 0 or SYN_ENOMEM. */
int syn_rank_add_chunk(struct syn_rank_file *file, const struct syn_chunk *chunk);
/* A rank's file that is open at `descriptor`, which stays open; `path` is for texts, and for
 * cursors. As syn_rank_open, but that raw blocks are looked for beside `path`. */
int syn_rank_open_held(int descriptor, const char *path, struct syn_rank_file **out);
/* Open the file again, if it is still the same. A descriptor, or -1 (errno ESTALE if it is
 * another). */
int syn_rank_reopen(const struct syn_rank_file *file);
/* Reopens its raw blocks. */
int syn_rank_reopen_raw(const struct syn_rank_file *file);
/* A regular file, nothing else, never waiting for one. A descriptor, or -1 with errno. */
int syn_open_regular(const char *path, struct stat *state);
/* Opens the path again if it is still that file; else errno is ESTALE. */
int syn_reopen_regular(const char *path, dev_t device, ino_t inode, struct stat *state);
/* As much of `bytes` at `offset` as there is; -1 with errno. */
ssize_t syn_pread_full(int file, void *data, size_t bytes, uint64_t offset);

/* scan.c: find all frames of an open file, index the chunks, take in the sections, which in a node
 * file refer to `shared` (NULL: to nothing that is there).
 * Returns 0; SYN_ENOTTRACE, SYN_EVERSION, SYN_ETRUNCATED or SYN_EDAMAGED where there is nothing to
 * read; SYN_EIO, SYN_ENOMEM. */
struct syn_bytes;
int syn_rank_scan(struct syn_rank_file *file, int descriptor, const struct syn_bytes *shared);

/* raw_attach.c: add to a rank's file, scanned, what its raw blocks at `path` hold besides. Where
 * there are none of this rank and run, nothing changes. 0 or SYN_ENOMEM. */
int syn_raw_attach(struct syn_rank_file *file, const char *path);
/* raw_pending.c: of `slots` [count], read at `offset`, those in use become chunks of events that
 * never completed. 0 or SYN_ENOMEM. */
int syn_raw_take_pending(struct syn_rank_file *file, uint64_t offset, const uint8_t *slots,
                         size_t count);
/* Add the chunk of `entries`, as many as it says: what is in its header besides the thread comes
 * from them. Nothing where there is no event among them. 0 or SYN_ENOMEM. */
int syn_raw_add_chunk(struct syn_rank_file *file, struct syn_chunk *chunk,
                      const struct syn_event *entries);
/* The entries of a raw chunk, events and notes, as they were recorded. entries
 * [chunk->raw_entry_count]. 0, SYN_EDAMAGED (they are no longer there), SYN_ENOMEM. */
int syn_raw_read(int descriptor, const struct syn_chunk *chunk, struct syn_event *entries);

/* raw_open.c: add the lines of the block at `offset`, read now. `live`: a line that is being
 * written is one of a thread that moves. 0, SYN_EIO, SYN_ENOMEM. */
int syn_raw_take_open(struct syn_open_list *list, int descriptor, uint64_t offset,
                      const struct syn_raw_header *header, bool live);
bool syn_open_times_are_valid(const struct syn_open_line *line);
/* After all frames and raw blocks: put file->open in order, one entry a thread, and close the calls
 * of which the raw blocks have the event. */
void syn_open_close_returned(struct syn_rank_file *file);

/* rank_sections.c: take in the payload of a frame that is not EVENTS. 0, SYN_EDAMAGED, SYN_ENOMEM.
 */
int syn_rank_take_section(struct syn_rank_file *file, const struct syn_frame_header *header,
                          const uint8_t *raw);

#endif
