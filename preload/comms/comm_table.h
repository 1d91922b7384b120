/* preload/comms/comm_table.h - from a handle to a state: found without a lock, changed under the
 * caller's. */
#ifndef SYN_COMM_TABLE_H
#define SYN_COMM_TABLE_H

#include <stdint.h>

struct syn_comm;

/* NULL where there is none, or where another thread is just changing the table. Any thread, any
 * time. There is none with the key 0. */
struct syn_comm *syn_comm_table_find(uintptr_t key);
/* Replaces the state of an existing key, which goes to *replaced (else NULL). Returns 0 or
 * SYN_ENOMEM. One thread at a time, as is remove. */
int syn_comm_table_put(uintptr_t key, struct syn_comm *comm, struct syn_comm **replaced);
/* Nothing where the key has another state, or none. */
void syn_comm_table_remove(uintptr_t key, const struct syn_comm *comm);

#endif
