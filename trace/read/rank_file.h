/* trace/read/rank_file.h - the inside of an open rank file, shared by the code that opens the file
 * and by its cursors. */
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

/* One EVENTS frame, or that many events of a raw block. */
struct syn_chunk {
    uint64_t offset; /* of its header in the file */
    struct syn_frame_header header;
    int status; /* of the last attempt to decode the chunk; its fault is listed once */
    bool raw;   /* the entries lie in the raw file: `offset` is that of the first entry, */
    uint32_t raw_entry_count;     /* their number, */
    int64_t raw_last_start;       /* start of the call that stored the last event, in ticks, */
    const struct syn_event *held; /* copy of the entries in the arena, if they change in the file */
};

struct syn_rank_fault_entry {
    int status;
    size_t order; /* 0: found when the file was opened; chunk + 1: found when that chunk was read */
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

/* Indices up to this number are valid in a file of any size. */
#define SYN_RECORDS_FREE 4096
/* Records by the index of their declaration; NULL for an index that was not declared. */
struct syn_record_table {
    void **records;
    size_t count;
    size_t capacity;
};

/* A timeline that several files share; the last file frees it. */
struct syn_shared_timeline {
    struct syn_timeline timeline;
    size_t user_count;
};

/* The open call of a thread, with SYN_PEER_* and SYN_TAG_ANY instead of MPI's constants. */
struct syn_open_entry {
    uint32_t thread;
    bool moving; /* the line changed at each reading */
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
    dev_t device; /* device and inode: to notice another file at the same path */
    ino_t inode;
    uint64_t from; /* the file's range of bytes: the whole file, or the part in a node file */
    uint64_t until;
    bool is_part;            /* the file is a part of a node file */
    uint64_t file_bytes;     /* until - from */
    uint64_t sections_bytes; /* decompressed length of sections that are stored as a difference */
    char *raw_path;          /* path of the raw blocks that belong to the file; NULL: none */
    dev_t raw_device;
    ino_t raw_inode;
    uint64_t raw_bytes;
    uint64_t raw_record_bytes; /* bytes of blocks that may hold declarations */
    uint32_t raw_ending;       /* an enum syn_ending, unchecked */
    int64_t raw_end_ticks;     /* tick at which the ending was stored; 0: not known */
    uint64_t raw_lost_count;   /* calls whose events could not be kept anywhere */
    uint32_t raw_in_memory;    /* not 0: other events lay in memory without a file */
    struct syn_open_list open; /* one entry for each thread, in the order of threads */
    struct syn_open_block open_blocks[SYN_OPEN_BLOCKS_MAX];
    size_t open_block_count;
    bool identified;
    uint8_t run_id[16];
    int32_t rank;
    int32_t size;

    struct syn_rank_lists
        *lists; /* the members of its communicators; the trace's lists, or own_lists */
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
    uint64_t declared_event_count; /* events that the file had, according to its headers */

    pthread_mutex_t lock; /* for all fields below, which cursors of several threads change */
    uint8_t *lost_stacks; /* one bit for each index that events refer to and that is not declared */
    uint64_t undecodable_count;
    struct syn_rank_fault_entry *faults;
    size_t fault_count;
};

/* Adds a fault; its text is formatted as by printf. The first SYN_FAULTS_MAX are kept. */
#define SYN_FAULTS_MAX 256
void syn_rank_add_fault(struct syn_rank_file *file, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads the whole file, which lists its faults, and looks for calls that occur twice. Returns 0 or
 * SYN_ENOMEM. */
int syn_rank_verify(struct syn_rank_file *file);
/* Adds a fault that was found when a chunk was read. Such faults are kept in the order of chunks,
 * whichever thread found them first. */
void syn_rank_add_chunk_fault(struct syn_rank_file *file, size_t chunk, const char *why);

/* Returns true if a file of this size may declare a record of that index. */
bool syn_rank_index_plausible(const struct syn_rank_file *file, uint32_t index);
/* Remembers that events refer to a stack whose declaration is lost. If memory is short, nothing is
 * remembered. */
void syn_rank_lose_stack(struct syn_rank_file *file, uint32_t index);
bool syn_rank_stack_is_lost(const struct syn_rank_file *file, uint32_t index);

/* Appends a chunk. Returns 0 or SYN_ENOMEM. */
int syn_rank_add_chunk(struct syn_rank_file *file, const struct syn_chunk *chunk);
/* Opens a rank's file from an open `descriptor`, which stays open. `path` is for messages and
 * cursors. Otherwise the same as syn_rank_open; raw blocks are looked for beside `path`. */
int syn_rank_open_held(int descriptor, const char *path, struct syn_rank_file **out);
/* Opens the file again. Returns a descriptor, or -1 (errno ESTALE if another file is at its
 * path). */
int syn_rank_reopen(const struct syn_rank_file *file);
/* Opens the file's raw blocks again. */
int syn_rank_reopen_raw(const struct syn_rank_file *file);
/* Opens a regular file and nothing else; never waits. Returns a descriptor, or -1 with errno. */
int syn_open_regular(const char *path, struct stat *state);
/* Opens a path again if it is still the same file; otherwise errno is ESTALE. */
int syn_reopen_regular(const char *path, dev_t device, ino_t inode, struct stat *state);
/* Reads `bytes` at `offset`, or fewer at the end of the file. Returns the number of bytes read; -1
 * with errno. */
ssize_t syn_pread_full(int file, void *data, size_t bytes, uint64_t offset);

/* scan.c: finds all frames of an open file, indexes the chunks and takes the sections. In a node
 * file the sections refer to `shared` (NULL: the shared content is lost). Returns 0; SYN_ENOTTRACE,
 * SYN_EVERSION, SYN_ETRUNCATED or SYN_EDAMAGED if there is nothing to read; SYN_EIO or
 * SYN_ENOMEM. */
struct syn_bytes;
int syn_rank_scan(struct syn_rank_file *file, int descriptor, const struct syn_bytes *shared);

/* raw_attach.c: adds to a scanned rank file the content of the raw blocks at `path`. If none of
 * them belong to this rank and run, nothing changes. Returns 0 or SYN_ENOMEM. */
int syn_raw_attach(struct syn_rank_file *file, const char *path);
/* raw_pending.c: makes chunks of events that never completed from the used slots of `slots`
 * [count], which were read at `offset`. Returns 0 or SYN_ENOMEM. */
int syn_raw_take_pending(struct syn_rank_file *file, uint64_t offset, const uint8_t *slots,
                         size_t count);
/* Adds the chunk of `entries` [chunk->raw_entry_count]. The fields of its header, except for the
 * thread, are computed from them. Adds nothing if there is no event among them. Returns 0 or
 * SYN_ENOMEM. */
int syn_raw_add_chunk(struct syn_rank_file *file, struct syn_chunk *chunk,
                      const struct syn_event *entries);
/* Reads the entries of a raw chunk, events and notes, in the order in which they were recorded, to
 * entries [chunk->raw_entry_count]. Returns 0, SYN_EDAMAGED (they are no longer in the file) or
 * SYN_ENOMEM. */
int syn_raw_read(int descriptor, const struct syn_chunk *chunk, struct syn_event *entries);

/* raw_open.c: adds the lines of the block at `offset`, as they are now. `live`: a line that is
 * being written means that its thread is moving. Returns 0, SYN_EIO or SYN_ENOMEM. */
int syn_raw_take_open(struct syn_open_list *list, int descriptor, uint64_t offset,
                      const struct syn_raw_header *header, bool live);
bool syn_open_times_are_valid(const struct syn_open_line *line);
/* Sorts file->open, keeps one entry for each thread, and closes calls whose event is in the raw
 * blocks. Called after all frames and raw blocks have been read. */
void syn_open_close_returned(struct syn_rank_file *file);

/* rank_sections.c: takes the payload of a frame that is not EVENTS. Returns 0, SYN_EDAMAGED or
 * SYN_ENOMEM. */
int syn_rank_take_section(struct syn_rank_file *file, const struct syn_frame_header *header,
                          const uint8_t *raw);

#endif
