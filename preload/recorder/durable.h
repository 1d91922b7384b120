/* preload/recorder/durable.h - memory that outlives the process: a mapped file of raw blocks
 * (trace/write/raw.h).
 *
 * What is stored in it is there after a SIGKILL, without a system call for it. Space on the disk is
 * allocated and every page touched before it is used: a full disk is an error here and never a
 * SIGBUS later. */
#ifndef SYN_DURABLE_H
#define SYN_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/records.h"
#include "trace/write/writer.h"

struct syn_place;

/* Make rank-NNNNNN.raw in `home`, which stays open as long as this is in use, with its block of
 * records; or, where `spill` is not "", in a directory there that is named after the run. `spill`
 * "memory" is a wish for none. Where there is none, nothing can be reserved, and *why is a text
 * that says why. */
int syn_durable_open(struct syn_place *home, const char *spill, bool may_handle,
                     const struct syn_writer_identity *identity, const char **why);
/* Addresses of a block, and where in the file they lie; NULL where there is none to be had. Nothing
 * of it may be touched before it was prepared. Any thread. */
void *syn_durable_reserve(size_t bytes, uint64_t *offset);
/* Allocate `bytes` of the file from `offset` on, and touch the pages that they have at `memory`:
 * zeros. Returns false where there is no room. Any thread. */
bool syn_durable_prepare(void *memory, uint64_t offset, size_t bytes);
/* Is what was mapped still safe to store to, should somebody cut the file? */
bool syn_durable_is_mended(void);
/* Was one refused for want of space? Said at the end, in one line with all else that is lacking. */
bool syn_durable_was_full(void);
/* Give a block's memory its header: events of `thread`, of which `first_event` came before. */
void syn_durable_label(void *block, size_t bytes, uint32_t thread, uint64_t first_event);

/* Give a block of SYN_RAW_UNIT bytes its header: open calls of the threads from `first_thread` on.
 */
void syn_durable_label_open(void *block, uint32_t first_thread);

/* A block of places for what is pending (trace/write/raw.h), all free, and of how many; or NULL. */
struct syn_event *syn_durable_take_pending(size_t *count);

/* Append to the block of records; by one thread at a time. *taken is how much of it that takes; 0
 * where there is no file. Returns false where there is no room. */
bool syn_durable_record(uint8_t frame_type, const void *record, size_t bytes, size_t *taken);
/* How long they are together; and the first so many bytes of them are in the rank's file: make
 * room. */
size_t syn_durable_record_bytes(void);
void syn_durable_forget_records(size_t upto);

/* Say how many calls were lost more, where there is a file; or, negative as it were (modulo 2^64),
 * that they were not after all. */
void syn_durable_lose(uint64_t call_count);
/* Some events lie in memory that no file is behind; or all of them were written or counted. */
void syn_durable_note_memory(bool in_memory);
/* The word of the raw file that says how the program ends; NULL if there is no file. A signal
 * handler only stores to it. */
uint32_t *syn_durable_ending(void);
void syn_durable_note(enum syn_ending ending);

/* The rank's own file is whole: remove this one. The memory stays valid. */
void syn_durable_remove(void);

/* From now on blocks are only given where SIGBUS comes to our handler first (endings.h). */
void syn_durable_guard(void);
/* Has somebody cut the file? Then (said in one line, off the way of a call) nothing is in it any
 * more: it is removed, blocks lie in memory, and events in them that lack SYN_EVENT_WRITTEN are
 * lost. */
bool syn_durable_was_cut(void);

#endif
