/* preload/run/run.h - facts about a run from its start to its end. One process has one run;
 * lifecycle.c holds it and decides when each part has its turn. */
#ifndef SYN_RUN_H
#define SYN_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <mpi.h>

#include "preload/base/options.h"
#include "preload/facts/nodes.h"
#include "preload/mpi/transport_pmpi.h"
#include "trace/write/writer.h"

struct syn_run {
    bool of_sessions; /* MPI_Init was not called (yet): there is neither world nor self */
    bool measures;    /* the clocks are compared by round trips */
    int rank, size;
    struct syn_pmpi_link link; /* a communicator of our own */
    struct syn_transport transport;
    struct syn_node_ranks node; /* who runs on this machine */
    struct syn_options options; /* rank 0's */
    struct syn_writer_identity identity;
    int64_t begin_ticks; /* MPI_Init's return, and by the wall clock */
    int64_t begin_unix_ns;
    int finalize_keyval;
    MPI_Comm_delete_attr_function *at_finalize;
};

#endif
