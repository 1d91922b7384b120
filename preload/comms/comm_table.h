/* preload/comms/comm_table.h - hash table from keys (communicators.h) to states. Finding takes no
 * lock. A thread that changes the table holds the lock of communicators.c. */
#ifndef SYN_COMM_TABLE_H
#define SYN_COMM_TABLE_H

#include <stdint.h>

struct syn_comm;

/* Returns the state of `key`, or NULL if there is none or another thread is just changing the
 * table. Callable by any thread at any time. Key 0 has no state. */
struct syn_comm *syn_comm_table_find(uintptr_t key);
/* Sets the state of `key`. *replaced is the state that the key had, or NULL. Returns 0 or
 * SYN_ENOMEM. Under the lock. */
int syn_comm_table_put(uintptr_t key, struct syn_comm *comm, struct syn_comm **replaced);
/* Removes `key` if its state is `comm`. Under the lock. */
void syn_comm_table_remove(uintptr_t key, const struct syn_comm *comm);

#endif
