/* preload/facts/nodes.h - the ranks that run on the same machine as this one. Facts that are equal
 * for all of them are read by the lowest rank and sent to the others. */
#ifndef SYN_NODES_H
#define SYN_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/ranks/transport.h"

struct syn_node_ranks {
    int *members; /* [member_count] ranks, ascending; owned */
    int member_count;
    int member_index; /* of this rank in members; 0: it reads the facts for all */
    bool crowded;     /* more members than the machine has processors */
};

/* Returns a key that is equal on all ranks that see the same machine: same boot id and same host
 * name. Containers on one machine may have different names, since they may see different parts of
 * it. */
uint64_t syn_node_key(void);
/* Returns true if this machine has fewer processors than `member_count`. */
bool syn_node_is_crowded(int member_count);
/* Returns true if there are so many ranks for each processor that the recorder's work at the start
 * would delay the program noticeably. */
bool syn_node_is_packed(int member_count);
/* Sends `data` [bytes] of the first member to all members, down a binomial tree. All members call
 * this together. Returns 0 or SYN_ETRANSPORT. */
int syn_node_broadcast(const struct syn_node_ranks *node, const struct syn_transport *transport,
                       void *data, size_t bytes);
void syn_node_free(struct syn_node_ranks *node);

#endif
