/* preload/run/node_output.h - in MPI_Finalize the ranks of a machine put their files into one
 * (trace/node/node_part.h), each its own part at an offset that they agree on.
 *
 * Until that file is whole and has its name every rank's own file is there, complete to its end: a
 * kill at any moment loses nothing. A rank that cannot take part (a full disk, no memory, more than
 * SYN_NODE_OUTPUT_BYTES_MAX) says so with 0 bytes, and keeps its own file; nobody waits for more
 * than the messages, which all send whatever happens. */
#ifndef SYN_NODE_OUTPUT_H
#define SYN_NODE_OUTPUT_H

#include <stdbool.h>

#include "preload/run/run.h"

/* RATIONALE: events are copied once more. What is longer than this took long to record, and is one
 * file of many megabytes beside others: it stays where it is. */
#define SYN_NODE_OUTPUT_BYTES_MAX ((uint64_t)64 << 20)

enum syn_node_output {
    SYN_NODE_OUTPUT_NONE,  /* this rank's file is to be finished by itself */
    SYN_NODE_OUTPUT_IN,    /* it is in the machine's file, or has been finished for it */
    SYN_NODE_OUTPUT_FAILED /* the first rank alone: others' files could not be finished (errno) */
};

struct syn_node_written {
    bool any;       /* does the machine have such a file now? As far as this rank knows: the first
                       one does */
    uint64_t bytes; /* that this rank brought into it, where it is in it */
};

/* All ranks of a machine call. `is_complete`: this rank's file has its end, under its temporary
 * name. */
enum syn_node_output syn_node_output(const struct syn_run *run, bool is_complete,
                                     struct syn_node_written *written);

#endif
