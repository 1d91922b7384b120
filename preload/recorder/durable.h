/* preload/recorder/durable.h - memory that outlives the process: a mapped file of raw blocks
 * (trace/write/raw.h).
 *
 * Stores to it survive a SIGKILL without a system call. Disk space is allocated and each page
 * touched before use: so a full disk is an error here and never a SIGBUS later. */
#ifndef SYN_DURABLE_H
#define SYN_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/records.h"
#include "trace/write/writer.h"

struct syn_place;

/* Create the raw file rank-NNNNNN.raw with its block of records. It lies in `home`, which must stay
 * open; or, if `spill` is not "", in a directory below `spill` that is named after the run. `spill`
 * "memory": make no file. `may_handle`: signal handlers are allowed. On failure nothing can be
 * reserved, and *why is the reason. */
int syn_durable_open(struct syn_place *home, const char *spill, bool may_handle,
                     const struct syn_writer_identity *identity, const char **why);
/* Reserve addresses for a block. Returns them and their *offset in the file, or NULL. Do not touch
 * them before syn_durable_prepare. Any thread may call this. */
void *syn_durable_reserve(size_t bytes, uint64_t *offset);
/* Allocate `bytes` of the file from `offset` on and touch their pages at `memory`, which become
 * zeros. Returns false if the disk is full. Any thread may call this. */
bool syn_durable_prepare(void *memory, uint64_t offset, size_t bytes);
/* Returns true if stores to the mapping are safe even if another program cuts the file. */
bool syn_durable_is_safe(void);
/* Returns true if space was refused. The recorder tells this once, at the end of the run. */
bool syn_durable_was_full(void);
/* Write the header of a block of events: of `thread`, which had `first_event` events before. */
void syn_durable_label(void *block, size_t bytes, uint32_t thread, uint64_t first_event);

/* Write the header of a block of SYN_RAW_UNIT bytes for open lines of threads from `first_thread`
 * on. */
void syn_durable_label_open(void *block, uint32_t first_thread);

/* Returns a block of places for pending collectives (trace/write/raw.h), all free, and their
 * number; or NULL. */
struct syn_event *syn_durable_take_pending(size_t *count);

/* Append a record to the block of records. One thread at a time. *taken: bytes that it occupies, 0
 * if there is no file. Returns false if the block is full. */
bool syn_durable_record(uint8_t frame_type, const void *record, size_t bytes, size_t *taken);
/* Bytes of all records in the block. syn_durable_forget_records frees the first `upto` bytes: these
 * records are in the rank's file. */
size_t syn_durable_record_bytes(void);
void syn_durable_forget_records(size_t upto);

/* Add to the number of lost calls in the raw file. A negative number, modulo 2^64, takes calls
 * back. */
void syn_durable_lose(uint64_t call_count);
/* Say in the raw file whether some events are only in memory, which a kill loses. */
void syn_durable_note_memory(bool in_memory);
/* Word of the raw file that says how the program ended (enum syn_ending); NULL without a file.
 * Signal handlers may store to it. */
uint32_t *syn_durable_ending(void);
void syn_durable_note(enum syn_ending ending);

/* Remove the raw file: the rank's own file is complete. The memory stays valid. */
void syn_durable_remove(void);

/* From now on reserve blocks only while our SIGBUS handler is called first (endings.h). */
void syn_durable_guard(void);
/* Returns true if another program has cut the file. Then says so in one line and removes the file.
 * New blocks are in plain memory. Events that lack SYN_EVENT_WRITTEN in old blocks are lost. */
bool syn_durable_was_cut(void);

#endif
