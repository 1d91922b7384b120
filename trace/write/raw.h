/* trace/write/raw.h - raw blocks: the recorder's buffers in a file that outlives the program
 * (docs/trace-format.md, "Raw blocks").
 *
 * The recorder maps DIR/rank-000000.raw as its own memory. So everything that it wrote is in the
 * file when the program is killed, without any last action. Each block begins at a multiple of
 * SYN_RAW_UNIT. The first block holds records (communicators, modules, call stacks) that are not
 * yet in the rank's file. Other blocks hold events, pending nonblocking collectives, or the calls
 * that threads are inside. */
#ifndef SYN_RAW_H
#define SYN_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/event.h"
#include "trace/base/open_line.h"
#include "trace/base/records.h"

#define SYN_RAW_UNIT            ((size_t)64 << 10)
#define SYN_RAW_BLOCK_BYTES_MAX ((size_t)16 << 20)
#define SYN_RAW_HEADER_BYTES    128
/* The version of raw blocks. */
#define SYN_RAW_VERSION 1

enum syn_raw_kind {
    SYN_RAW_RECORDS = 1,
    SYN_RAW_EVENTS = 2,
    SYN_RAW_PENDING = 3,
    SYN_RAW_OPEN = 4, /* open calls: one line (open_line.h) for each thread from `thread` on */
};

/* The thread of a block of pending operations, which belong to all threads. It sorts these blocks
 * behind all blocks of events. */
#define SYN_RAW_NO_THREAD UINT32_MAX

struct syn_raw_header {
    uint16_t kind;
    uint32_t thread; /* EVENTS: the thread; OPEN: the thread of the first line */
    uint8_t run_id[16];
    int32_t rank;
    int32_t size;
    uint64_t block_bytes; /* including this header */
    uint64_t first_event; /* EVENTS: number of events that the thread recorded before this block */
};

/* Writes the header into memory. The bytes from byte 64 on change while the program runs. The
 * checksum does not cover them. */
void syn_raw_encode(const struct syn_raw_header *header, uint8_t at[SYN_RAW_HEADER_BYTES]);
/* Returns false if there is no valid header. */
bool syn_raw_decode(const uint8_t at[SYN_RAW_HEADER_BYTES], struct syn_raw_header *out);
/* RECORDS: returns the place where the recorder stores how the program ended: an enum syn_ending, 0
 * until then. */
static inline uint32_t *syn_raw_ending(void *block)
{
    return (uint32_t *)((uint8_t *)block + 64);
}

/* RECORDS: returns the place of a flag: 1 if some events lie in memory without a file. A kill loses
 * those, and their number is not known. */
static inline uint32_t *syn_raw_in_memory(void *block)
{
    return (uint32_t *)((uint8_t *)block + 68);
}

/* RECORDS: returns the place of the number of calls whose events could not be kept anywhere. */
static inline uint64_t *syn_raw_lost(void *block)
{
    return (uint64_t *)((uint8_t *)block + 72);
}

/* OPEN: the place of MPI's constants, behind the part of the header that the checksum covers. The
 * lines follow the header and fill the block. */
#define SYN_RAW_NAMES_AT 64
static inline struct syn_open_names *syn_raw_open_names(void *block)
{
    return (struct syn_open_names *)(void *)((uint8_t *)block + SYN_RAW_NAMES_AT);
}

/* Largest number of blocks of lines. Each has SYN_RAW_UNIT bytes, so that together they hold 65,408
 * threads. */
#define SYN_OPEN_BLOCKS_MAX 64

static inline struct syn_open_line *syn_raw_open_lines(void *block)
{
    return (struct syn_open_line *)(void *)((uint8_t *)block + SYN_RAW_HEADER_BYTES);
}

/* RECORDS: returns the place of the tick at which the ending was stored; 0: not known. It lies
 * behind the ending. */
static inline int64_t *syn_raw_end_ticks(uint32_t *ending)
{
    return (int64_t *)(ending + 4);
}

/* Returns the entries of a block: events and notes. An entry is complete if its flags have
 * SYN_EVENT_WRITTEN, which is stored last. The first entry without this flag ends the block. */
static inline struct syn_event *syn_raw_events(void *block)
{
    return (struct syn_event *)((uint8_t *)block + SYN_RAW_HEADER_BYTES);
}

/* Decodes an event of a block. */
void syn_raw_event_decode(const uint8_t at[sizeof(struct syn_event)], struct syn_event *out);

/* PENDING: fills a slot for a nonblocking collective that was started and is not complete, in the
 * form of an event. The slot is in use while its flags have SYN_EVENT_WRITTEN. This flag is stored
 * last, and it is removed before the completed event is stored. So no collective is in the file
 * twice, whenever the program is killed. `end_ticks` holds the number of the thread that started
 * the collective, since the end is not known; `wait_start_ticks` holds the time in messages before
 * its start. */
static inline void syn_raw_pending_fill(struct syn_event *slot, const struct syn_event *event,
                                        uint32_t thread, int64_t messages_ticks)
{
    struct syn_event made = *event;
    made.end_ticks = thread;
    made.wait_start_ticks = messages_ticks;
    made.flags = 0;
    *slot = made;
    __atomic_store_n(&slot->flags, (uint16_t)(event->flags | SYN_EVENT_WRITTEN), __ATOMIC_RELEASE);
}

static inline void syn_raw_pending_clear(struct syn_event *slot)
{
    __atomic_store_n(&slot->flags, (uint16_t)0, __ATOMIC_RELEASE);
}

static inline size_t syn_raw_capacity(size_t block_bytes)
{
    return (block_bytes - SYN_RAW_HEADER_BYTES) / sizeof(struct syn_event);
}

/* Appends one record (its frame type, and its bytes as in that frame) to a block of records, at
 * *used (0 at first). The end mark behind the record is stored before the record's length, which is
 * stored last. Returns false if the record does not fit. */
bool syn_raw_append(void *block, size_t block_bytes, size_t *used, uint8_t type, const void *record,
                    size_t record_bytes);
/* Removes the first `upto` of the *used bytes, which are whole records. Some of the room becomes
 * free only when more records are removed. At every instant all other records are in the block. */
void syn_raw_forget(void *block, size_t *used, size_t upto);
/* The type of removed records that still take their place. */
#define SYN_RAW_NO_RECORD 0
/* Reads the record at *at (0 for the first) and moves *at to the next. Returns false after the last
 * record. All lengths are checked. */
bool syn_raw_record(const void *block, size_t block_bytes, size_t *at, uint8_t *type,
                    const uint8_t **record, size_t *record_bytes);

/* Writes "DIR/rank-000000.raw". Returns what snprintf returns. */
int syn_raw_path(char *buffer, size_t buffer_bytes, const char *directory, int rank);
/* Returns true if `name`, without directory, is that of a raw file. */
bool syn_raw_name_parse(const char *name, int32_t *rank);
/* Returns true if the first `bytes` of a file may be those of a raw file; true for 0 bytes and for
 * zeros. */
bool syn_raw_is_prefix(const uint8_t *data, size_t bytes);

#endif
