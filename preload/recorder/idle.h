/* preload/recorder/idle.h - states whose thread has ended, for threads to come.
 *
 * A program may start thousands of threads one after another. Each takes the state of one that has
 * ended, with its memory, so that all take as much as those that live at once. A state is warm as
 * long as it has memory for events, and cold without; the warm ones together keep a few MiB. */
#ifndef SYN_IDLE_H
#define SYN_IDLE_H

#include <stddef.h>
#include <stdint.h>

/* A member of the state. */
struct syn_idle {
    struct syn_idle *next;
    uint64_t bytes; /* that it keeps while it is idle; 0: cold */
};

/* How much one more may keep; less where many are idle. */
uint64_t syn_idle_room(void);
/* Another thread may take it from here on. It keeps `bytes`. */
void syn_idle_put(struct syn_idle *idle, uint64_t bytes);
/* A warm one, else a cold one; NULL where there is none. */
struct syn_idle *syn_idle_take(void);

/* Memory for a new state, all zeros, for good; at a cache line. NULL without memory. */
void *syn_idle_new(size_t bytes);

#endif
