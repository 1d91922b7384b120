/* analyze/threads.h - how many threads this command may use. */
#ifndef SYN_THREADS_H
#define SYN_THREADS_H

#include <stddef.h>

#define SYN_THREADS_MAX 256

/* As many as there are processors that this process may run on, or what was set. 1 and more. */
size_t syn_thread_count(void);
/* 0: as many as there are processors. Before threads are started. */
void syn_thread_count_set(size_t count);
/* Bytes that the analysis may take by default: half of the machine's memory. */
size_t syn_memory_default(void);

/* Run work(ctx) on `count` threads at once, this one among them; fewer where they cannot be had.
 * Returns when all are done. */
void syn_threads_run(size_t count, void *(*work)(void *), void *ctx);

#endif
