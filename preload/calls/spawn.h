/* preload/calls/spawn.h - processes that the program starts by MPI_Comm_spawn: where they record
 * (trace/directory/spawned.h). No message of ours is needed: who starts them leaves a directory,
 * and they find it. */
#ifndef SYN_SPAWN_H
#define SYN_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Was this process started so? After MPI_Init. */
bool syn_spawned(void);
/* Rank 0 of such processes: the place in the trace `directory` [directory_bytes] of who started
 * them is appended to it. Returns 0; SYN_EMISSING if that is not being recorded; SYN_EIO (errno).
 */
int syn_spawned_place(char *directory, size_t directory_bytes);

/* Processes that this one starts from now on record below `directory`; [4096], copied. "": nothing
 * is announced. */
void syn_spawn_start(const char *directory);
/* Before a call on the communicator `key` in which its rank `root` starts processes: there,
 * announce them. Returns the number of the announcement, 0 where there is none. */
uint32_t syn_spawn_begin(uintptr_t key, int root);
/* After it. */
void syn_spawn_end(uint32_t announced, bool started);

/* One line where processes were started that did not come to record. */
void syn_spawn_say_unrecorded(const char *directory);

#endif
