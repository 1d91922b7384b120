/* preload/facts/nodes.h - the ranks that run on one machine with this one. What is the same for all
 * of them is found out once, by the lowest, and handed on. */
#ifndef SYN_NODES_H
#define SYN_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/ranks/transport.h"

struct syn_node_ranks {
    int *members; /* [member_count] ranks, ascending; owned */
    int member_count;
    int member_index; /* of this rank; 0: it finds out for all */
    bool crowded;     /* more members than the machine has processors */
};

/* Equal on ranks that see the same machine: same boot id, same host name (containers of one machine
 * may see different parts of it). */
uint64_t syn_node_key(void);
/* Has this machine fewer processors than that; so many fewer that what each rank does at the start,
 * all together, would be felt? */
bool syn_node_is_crowded(int member_count);
bool syn_node_is_packed(int member_count);
/* `data` [bytes] of the first member arrives at all of them, down a binomial tree: they all call.
 * Returns 0 or SYN_ETRANSPORT. */
int syn_node_broadcast(const struct syn_node_ranks *node, const struct syn_transport *transport,
                       void *data, size_t bytes);
void syn_node_free(struct syn_node_ranks *node);

#endif
