/* analyze/hang/graph.h - makes the graph of waiting, over all communicators and messages at once.
 *
 *     call ---> absent members of its instance -> rank ---> each of its calls
 *     call ---> the peer of its message --------> rank
 *     call ---> all members of a communicator --> each rank of it
 *
 * A node is *lost* if it never goes on, whatever the other nodes do. A rank that has ended, died or
 * entered MPI_Finalize is lost to all other calls that wait for it. Of the other nodes, the largest
 * set is taken in which each node has a reason to be lost. A node of the kind ANY needs one lost
 * node that it leads to: a barrier needs all absent members. A node of the kind ALL needs all nodes
 * that it leads to be lost: any member may send the message, and a rank goes on with any of its
 * threads. A circle is such a set, and so are the nodes that wait for a circle (Knapp 1987: the
 * AND-OR model of deadlock).
 *
 * Time and memory grow with ranks, calls, and members of communicators with open calls. */
#ifndef SYN_HANG_GRAPH_H
#define SYN_HANG_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/hang/model.h"

/* An instance that calls are inside. The last one of a graph is MPI_Finalize, with the communicator
 * SYN_HANG_NO_COMM. */
struct syn_hang_instance {
    uint32_t comm;
    uint64_t sequence;
    size_t call_count;
    size_t absent_count; /* known members that have not begun the instance */
};

struct syn_hang_node {
    uint32_t lost_count; /* number of lost nodes among those it leads to */
    bool lost;
    bool reached; /* a call that waits leads here, directly or not */
};

/* The nodes at the other ends of the edges of node n: to[first[n]] ... to[first[n + 1] - 1]. */
struct syn_hang_edges {
    uint32_t *first; /* [node_count + 2] */
    uint32_t *to;
};

/* Says when a call that may return by itself counts as one that never returns: once that call, and
 * all ranks that it may wait for, have been where they are for so long. */
struct syn_hang_stand {
    int64_t transit_ns; /* for a call that waits for a message of a named rank */
    int64_t rest_ns;    /* for any other call */
    bool at_once;       /* messages of named ranks count at once */
};

struct syn_hang_graph {
    const struct syn_hang_model *model;
    struct syn_hang_instance *instance; /* [instance_count], by communicator and sequence number */
    size_t instance_count;
    uint32_t *instance_of; /* [call_count]: the instance that a call is inside; UINT32_MAX: none */
    bool *waits;           /* [call_count]: the call waits for a rank */
    size_t *first_call;    /* [rank_count + 1]: the first of each rank's calls in the model */
    struct syn_hang_node *node;
    size_t node_count; /* calls, ranks, each instance twice, communicators, MPI_COMM_WORLD */
    struct syn_hang_edges edges;
    struct syn_hang_stand rule;
};

/* Makes the graph of a settled model, and finds the nodes that are lost and that are reached.
 * Returns 0 or SYN_ENOMEM; free the graph in any case. */
int syn_hang_graph_make(const struct syn_hang_model *model, const struct syn_hang_stand *rule,
                        struct syn_hang_graph *out);
void syn_hang_graph_free(struct syn_hang_graph *graph);

/* Says whether the i-th call never returns. */
static inline bool syn_hang_call_is_lost(const struct syn_hang_graph *graph, size_t i)
{
    return graph->node[i].lost && graph->waits[i];
}
/* Says whether a call waits for the rank, directly or not. */
static inline bool syn_hang_rank_is_reached(const struct syn_hang_graph *graph, int32_t rank)
{
    return graph->node[graph->model->call_count + (size_t)rank].reached;
}
/* Lists the ranks of a circle in which each waits for the next one, from the lowest on: *rank
 * [*count], owned by the caller. *count is 0 if there is no circle. Returns 0 or SYN_ENOMEM. */
int syn_hang_cycle(const struct syn_hang_graph *graph, int32_t **rank, size_t *count);

#endif
