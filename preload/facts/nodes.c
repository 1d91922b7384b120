/* preload/facts/nodes.c - see nodes.h. */
#include "preload/facts/nodes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "sync/methods/group.h"
#include "sync/time/identity.h"

/* Largest number of ranks of a processor for which the recorder prepares all memory at the start.
 * RATIONALE: Preparing a thread's memory takes 4 ms. With up to so many ranks, all of them together
 * take less than any MPI takes to start them. */
#define RANKS_A_PROCESSOR_MAX 8

uint64_t syn_node_key(void)
{
    struct utsname names;
    uint64_t key = 0;
    syn_machine_hash(&key);
    for (const char *at = uname(&names) ? "" : names.nodename; *at; at++)
        key = syn_hash_add(key, (unsigned char)*at);
    return key;
}

bool syn_node_is_crowded(int member_count)
{
    return member_count > sysconf(_SC_NPROCESSORS_ONLN);
}

bool syn_node_is_packed(int member_count)
{
    return member_count > RANKS_A_PROCESSOR_MAX * sysconf(_SC_NPROCESSORS_ONLN);
}

int syn_node_broadcast(const struct syn_node_ranks *node, const struct syn_transport *transport,
                       void *data, size_t bytes)
{
    const int index = node->member_index;
    int status = SYN_OK;
    if (index > 0)
        status =
            transport->recv(transport->ctx, node->members[syn_group_parent(index)], data, bytes);
    for (int step = syn_group_widest_step(index, node->member_count); step > 0; step /= 2) {
        if (index + step >= node->member_count)
            continue;
        const int sent = transport->send(transport->ctx, node->members[index + step], data, bytes);
        status = status != SYN_OK ? status : sent;
    }
    return status;
}

void syn_node_free(struct syn_node_ranks *node)
{
    free(node->members);
    memset(node, 0, sizeof *node);
}
