/* preload/recorder/idle.h - pool of thread states whose thread has ended.
 *
 * A program may start thousands of threads one after another. Each takes over the state of one that
 * has ended, with its memory. So memory depends on the number of threads that live at the same
 * time. An idle state is warm if it has kept memory for events, else cold. All warm states together
 * keep at most a few MiB. */
#ifndef SYN_IDLE_H
#define SYN_IDLE_H

#include <stddef.h>
#include <stdint.h>

/* Part of the state. */
struct syn_idle {
    struct syn_idle *next;
    uint64_t bytes; /* memory that it keeps while idle; 0: cold */
};

/* Returns how many bytes one more state may keep. */
uint64_t syn_idle_room(void);
/* Put a state into the pool. It keeps `bytes`. Any thread may take it from now on. */
void syn_idle_put(struct syn_idle *idle, uint64_t bytes);
/* Take a state from the pool, preferably a warm one. Returns NULL if there is none. */
struct syn_idle *syn_idle_take(void);

/* Returns zeroed memory for a new state, aligned to a cache line and never freed; or NULL without
 * memory. */
void *syn_idle_new(size_t bytes);

#endif
