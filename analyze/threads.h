/* analyze/threads.h - sets the number of threads and the memory that a command may use, and runs a
 * function on several threads. */
#ifndef SYN_THREADS_H
#define SYN_THREADS_H

#include <stddef.h>

#define SYN_THREADS_MAX 256

/* Returns the number that was set, or else the number of processors that this process may run on;
 * at least 1, at most SYN_THREADS_MAX. */
size_t syn_thread_count(void);
/* Sets the number of threads; 0: one for each processor. Call it before threads are started. */
void syn_thread_count_set(size_t count);
/* Returns the bytes that the analysis may use by default: half of the machine's memory, or 1 GiB if
 * that is not known. */
size_t syn_memory_default(void);

/* Calls work(ctx) on `count` threads at once, one of which is the caller; on fewer if no more can
 * be started. Returns when all calls have returned. */
void syn_threads_run(size_t count, void *(*work)(void *), void *ctx);

#endif
