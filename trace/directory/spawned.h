/* trace/directory/spawned.h - the directories for traces of processes that a program started by
 * MPI_Comm_spawn.
 *
 * Such processes have an MPI_COMM_WORLD, clocks and ranks of their own. So the trace of such a
 * world is a directory of its own, DIR/spawned-0001, ..., within the trace of the processes that
 * started it. These announce it by an empty directory spawned-0001.part; rank 0 of the new world
 * finds that, and takes it by renaming it. A directory that still is .part when the run has ended
 * stands for a world that was started, but never recorded. */
#ifndef SYN_SPAWNED_H
#define SYN_SPAWNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_SPAWNED_NAME_BYTES 32

/* Is `name` (without directory) that of one? *is_part: of one that is announced only. */
bool syn_spawned_name_parse(const char *name, uint32_t *number, bool *is_part);
void syn_spawned_name(uint32_t number, char name[SYN_SPAWNED_NAME_BYTES]);

/* Announce one in the trace `directory`: *number is the first that is free. Returns 0 or SYN_EIO
 * (errno). */
int syn_spawned_announce(const char *directory, uint32_t *number);
/* Take an announcement back: nobody was started. */
void syn_spawned_withdraw(const char *directory, uint32_t number);
/* Take the lowest that is announced. Where none is, but `directory` holds files of a run that goes
 * on, one that nobody announced. Returns 0; SYN_EMISSING if `directory` is no trace that is being
 * recorded; SYN_EIO (errno). */
int syn_spawned_claim(const char *directory, uint32_t *number);
/* How many there are in `directory`, of which *announced_count nobody took. Where the directory
 * cannot be read, 0. */
size_t syn_spawned_count(const char *directory, size_t *announced_count);

#endif
