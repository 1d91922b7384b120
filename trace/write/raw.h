/* trace/write/raw.h - blocks of events as the recorder has them in memory, in a file that outlives
 * it (docs/trace-format.md, "Raw blocks").
 *
 * DIR/rank-000000.raw is a mapping of the recorder's own memory: what a program wrote into it is
 * there when the program was killed, without any last action of its own. Blocks lie one after the
 * other, each begins at a multiple of SYN_RAW_UNIT. The first one holds records (communicators,
 * modules, call stacks) that the rank's file does not have yet; others hold events, what was
 * started and is not complete, or the calls that threads are inside. */
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
/* Version of the raw blocks. */
#define SYN_RAW_VERSION 1

enum syn_raw_kind {
    SYN_RAW_RECORDS = 1,
    SYN_RAW_EVENTS = 2,
    SYN_RAW_PENDING = 3,
    SYN_RAW_OPEN = 4, /* open calls: a line (open_line.h) for each thread from `thread` on */
};

/* The thread of a block of pending ones, which are of all threads: behind all blocks of events. */
#define SYN_RAW_NO_THREAD UINT32_MAX

struct syn_raw_header {
    uint16_t kind;
    uint32_t thread; /* EVENTS; OPEN: of the first line */
    uint8_t run_id[16];
    int32_t rank;
    int32_t size;
    uint64_t block_bytes; /* with this header */
    uint64_t first_event; /* EVENTS: how many the thread recorded before those of this block */
};

/* The header's place in memory. What begins at byte 64 changes while the program runs and is not
 * under the checksum. */
void syn_raw_encode(const struct syn_raw_header *header, uint8_t at[SYN_RAW_HEADER_BYTES]);
/* False where there is no valid one. */
bool syn_raw_decode(const uint8_t at[SYN_RAW_HEADER_BYTES], struct syn_raw_header *out);
/* RECORDS: where the recorder says how the program ended: an enum syn_ending, 0 so far. */
static inline uint32_t *syn_raw_ending(void *block)
{
    return (uint32_t *)((uint8_t *)block + 64);
}

/* RECORDS: 1 where some events lie in memory that no file is behind. A kill loses those, and nobody
 * knows how many they are. */
static inline uint32_t *syn_raw_in_memory(void *block)
{
    return (uint32_t *)((uint8_t *)block + 68);
}

/* RECORDS: how many calls the recorder counted whose events it could keep nowhere. */
static inline uint64_t *syn_raw_lost(void *block)
{
    return (uint64_t *)((uint8_t *)block + 72);
}

/* OPEN: the constants of the MPI, where its header has no checksum any more; and the lines, as many
 * as there is room for. */
#define SYN_RAW_NAMES_AT 64
static inline struct syn_open_names *syn_raw_open_names(void *block)
{
    return (struct syn_open_names *)(void *)((uint8_t *)block + SYN_RAW_NAMES_AT);
}

/* Blocks of lines, of SYN_RAW_UNIT bytes: 65,408 threads. */
#define SYN_OPEN_BLOCKS_MAX 64

static inline struct syn_open_line *syn_raw_open_lines(void *block)
{
    return (struct syn_open_line *)(void *)((uint8_t *)block + SYN_RAW_HEADER_BYTES);
}

/* RECORDS: the tick at which the ending was stored, by where the ending is; 0: not known. */
static inline int64_t *syn_raw_end_ticks(uint32_t *ending)
{
    return (int64_t *)(ending + 4);
}

/* The entries of a block, events and notes. One is there once its flags have SYN_EVENT_WRITTEN,
 * which is stored last: the first that has not ends the block. */
static inline struct syn_event *syn_raw_events(void *block)
{
    return (struct syn_event *)((uint8_t *)block + SYN_RAW_HEADER_BYTES);
}

/* An event as it lies in a block. */
void syn_raw_event_decode(const uint8_t at[sizeof(struct syn_event)], struct syn_event *out);

/* PENDING: a place for each nonblocking collective that was started and is not complete, in the
 * form of an event. It is one while its flags have SYN_EVENT_WRITTEN, stored last at the start and
 * taken away before the event that it becomes is stored: none is there twice, wherever a kill
 * comes. Its end is not known: there is the number of the thread that started it; and in the place
 * of the start of the wait, the time in messages before its start. */
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

/* Append one record (its frame type, its bytes as in that frame) to a block of records, from
 * *used on (0 at first). Its length is stored last, and before that the end behind it. Returns
 * false where it does not fit. */
bool syn_raw_append(void *block, size_t block_bytes, size_t *used, uint8_t type, const void *record,
                    size_t record_bytes);
/* The first `upto` of the *used bytes, whole records, are not needed any more: they make room, some
 * perhaps only when more of them are forgotten. At any instant all the others are there. */
void syn_raw_forget(void *block, size_t *used, size_t upto);
/* A type that is none: what was forgotten and takes its place still. */
#define SYN_RAW_NO_RECORD 0
/* The record at *at (0 for the first), and on to the next. False past the last; nothing is
 * believed. */
bool syn_raw_record(const void *block, size_t block_bytes, size_t *at, uint8_t *type,
                    const uint8_t **record, size_t *record_bytes);

/* "DIR/rank-000000.raw"; snprintf's contract. */
int syn_raw_path(char *buffer, size_t buffer_bytes, const char *directory, int rank);
/* Is `name` (without directory) that of a raw file? */
bool syn_raw_name_parse(const char *name, int32_t *rank);
/* Do the first `bytes` of a file look like those of a raw file? True for none and for zeros. */
bool syn_raw_is_prefix(const uint8_t *data, size_t bytes);

#endif
