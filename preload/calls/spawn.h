/* preload/calls/spawn.h - the trace directories of processes that the program starts by
 * MPI_Comm_spawn (trace/directory/spawned.h). The starting process makes a directory, and the new
 * processes find it. The recorder sends no message for this. */
#ifndef SYN_SPAWN_H
#define SYN_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if this process was started by MPI_Comm_spawn. Call it after MPI_Init. */
bool syn_spawned(void);
/* On rank 0 of spawned processes: takes a directory in the trace `directory` of the processes that
 * started them, and appends its name to `directory` [directory_bytes]. Returns 0; SYN_EMISSING if
 * that trace is not being recorded; SYN_EIO (errno). */
int syn_spawned_place(char *directory, size_t directory_bytes);

/* From now on, processes that this one spawns record below `directory` (copied, at most 4096
 * bytes). "": spawned processes are not announced. */
void syn_spawn_start(const char *directory);
/* Announces spawned processes, before a call on the communicator `key` whose rank `root` spawns
 * them. Does so on that rank only. Returns the number of the announcement, or 0 if there is none.
 * */
uint32_t syn_spawn_begin(uintptr_t key, int root);
/* Withdraws the announcement `announced` (0: none) unless the call has started the processes. */
void syn_spawn_end(uint32_t announced, bool started);

/* Says on stderr, in one line, that spawned processes were not recorded; nothing if all were. */
void syn_spawn_say_unrecorded(const char *directory);

#endif
