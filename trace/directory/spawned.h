/* trace/directory/spawned.h - manages the directories for traces of processes that a program starts
 * by MPI_Comm_spawn.
 *
 * Spawned processes have an MPI_COMM_WORLD, clocks and ranks of their own. So the trace of a
 * spawned world is a directory of its own, DIR/spawned-0001, ..., within the trace of the processes
 * that started it. These announce the world by an empty directory spawned-0001.part. Rank 0 of the
 * spawned world takes that directory by renaming it. If a directory is still .part after the run,
 * its world was started but never recorded. */
#ifndef SYN_SPAWNED_H
#define SYN_SPAWNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_SPAWNED_NAME_BYTES 32

/* Returns whether `name` (without directory) names the directory of a spawned world. *is_part: the
 * world is only announced. */
bool syn_spawned_name_parse(const char *name, uint32_t *number, bool *is_part);
void syn_spawned_name(uint32_t number, char name[SYN_SPAWNED_NAME_BYTES]);

/* Announces a spawned world in the trace `directory`. *number is the first that is free. Returns 0
 * or SYN_EIO (errno). */
int syn_spawned_announce(const char *directory, uint32_t *number);
/* Withdraws an announcement, if no process was started. */
void syn_spawned_withdraw(const char *directory, uint32_t number);
/* Takes the announced world with the lowest number. If none is announced, but a rank's file in
 * `directory` is being written, takes a new number. Returns 0; SYN_EMISSING if `directory` is no
 * trace that is being recorded; SYN_EIO (errno). */
int syn_spawned_claim(const char *directory, uint32_t *number);
/* Returns the number of spawned worlds in `directory`; *announced_count of them were never taken. 0
 * if the directory cannot be read. */
size_t syn_spawned_count(const char *directory, size_t *announced_count);

#endif
