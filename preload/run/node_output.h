/* preload/run/node_output.h - in MPI_Finalize, the ranks of a machine put their files into one node
 * file (trace/node/node_part.h). Each writes its own part at an agreed offset.
 *
 * Each rank's own file stays, complete, until the node file is complete and has its name: a kill at
 * any moment loses nothing. A rank that cannot take part (full disk, no memory, file larger than
 * SYN_NODE_OUTPUT_BYTES_MAX) announces 0 bytes and keeps its own file. Ranks wait only for
 * messages, which every rank sends in any case. */
#ifndef SYN_NODE_OUTPUT_H
#define SYN_NODE_OUTPUT_H

#include <stdbool.h>

#include "preload/run/run.h"

/* RATIONALE: events are copied once more. Larger files took long to record, and one large file more
 * is no trouble: they stay. */
#define SYN_NODE_OUTPUT_BYTES_MAX ((uint64_t)64 << 20)

enum syn_node_output {
    SYN_NODE_OUTPUT_NONE,  /* the rank has to finish its own file */
    SYN_NODE_OUTPUT_IN,    /* the file is in the node file, or was finished for this rank */
    SYN_NODE_OUTPUT_FAILED /* first rank only: other ranks' files could not be finished (errno) */
};

struct syn_node_written {
    bool any;       /* the machine has a node file; set on the first rank */
    uint64_t bytes; /* bytes that this rank wrote to it */
};

/* Called by all ranks of a machine. `is_complete`: this rank's file is complete, under its
 * temporary name. */
enum syn_node_output syn_node_output(const struct syn_run *run, bool is_complete,
                                     struct syn_node_written *written);

#endif
