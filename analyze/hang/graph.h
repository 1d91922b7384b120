/* analyze/hang/graph.h - the graph of waiting, over all communicators and messages at once.
 *
 *     call ---> the absent of its instance ---> rank ---> each of its calls
 *     call ---> the peer of its message ------> rank
 *     call ---> everybody of a communicator --> each rank of it
 *
 * A node is *lost* if it can come no further whatever the others do. A rank that has ended, died or
 * entered MPI_Finalize is lost to all who wait for it in another call. Of the others the largest
 * set is taken in which each node has a reason: a node of the kind ANY needs one lost node behind
 * it (all absent members of a barrier have to come), one of the kind ALL needs all of them (anybody
 * may send the message; a rank goes on with any of its threads). A circle is such a set, and so is
 * all that waits for one (Knapp 1987: the AND-OR model of deadlock).
 *
 * Time and memory grow with ranks, calls, and members of communicators with open calls. */
#ifndef SYN_HANG_GRAPH_H
#define SYN_HANG_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/hang/model.h"

/* An instance that calls are inside. The last one of a graph is MPI_Finalize, of SYN_HANG_NO_COMM.
 */
struct syn_hang_instance {
    uint32_t comm;
    uint64_t sequence;
    size_t call_count;
    size_t absent_count; /* known members that have not begun it */
};

struct syn_hang_node {
    uint32_t first_edge; /* of the graph's edges; they end where the next node's begin */
    uint32_t needed;     /* lost nodes behind it that make it lost */
    uint32_t lost_count; /* of them, so far */
    bool lost;
    bool reached; /* by somebody who waits */
};

/* A call that may return by itself counts as one that does not once it and all those whom it may
 * wait for have stood where they are for so long. */
struct syn_hang_stand {
    int64_t transit_ns; /* it waits for a message of a named rank */
    int64_t rest_ns;    /* any other */
    bool at_once;       /* messages of named ranks count without a time */
};

struct syn_hang_graph {
    const struct syn_hang_model *model;
    struct syn_hang_instance *instance; /* [instance_count] by communicator and sequence number */
    size_t instance_count;
    uint32_t *instance_of; /* [call_count], of calls that are inside one; else UINT32_MAX */
    bool *waits;           /* [call_count]: there is somebody that the call waits for */
    size_t *first_call;    /* [rank_count + 1], of the model's calls */
    struct syn_hang_node *node;
    size_t node_count; /* calls, ranks, instances twice, communicators, the world */
    uint32_t *edge;    /* [edge_count], the node that it leads to */
    size_t edge_count;
    struct syn_hang_stand rule;
};

/* The graph of a settled model, with what is lost and what is reached. 0 or SYN_ENOMEM; free in any
 * case. */
int syn_hang_graph_make(const struct syn_hang_model *model, const struct syn_hang_stand *rule,
                        struct syn_hang_graph *out);
void syn_hang_graph_free(struct syn_hang_graph *graph);

/* Is the i-th call one that never returns? */
static inline bool syn_hang_call_is_lost(const struct syn_hang_graph *graph, size_t i)
{
    return graph->node[i].lost && graph->waits[i];
}
/* Does somebody wait for the rank, directly or not? */
static inline bool syn_hang_rank_is_reached(const struct syn_hang_graph *graph, int32_t rank)
{
    return graph->node[graph->model->call_count + (size_t)rank].reached;
}
/* The ranks of a circle in which each waits for the next one, the lowest first: *rank [*count],
 * the caller's; *count 0 where there is none. 0 or SYN_ENOMEM. */
int syn_hang_cycle(const struct syn_hang_graph *graph, int32_t **rank, size_t *count);

#endif
