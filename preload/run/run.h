/* preload/run/run.h - facts about a run from its start to its end. A process has one run;
 * lifecycle.c holds it. */
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
    bool of_sessions; /* a program of MPI Sessions that has not called MPI_Init: no MPI_COMM_WORLD,
                         no MPI_COMM_SELF */
    bool measures;    /* clocks are compared by round trips */
    int rank, size;
    struct syn_pmpi_link link; /* our own communicator */
    struct syn_transport transport;
    struct syn_node_ranks node; /* ranks on this machine */
    struct syn_options options; /* of rank 0, on all ranks */
    struct syn_writer_identity identity;
    int64_t begin_ticks; /* return from MPI_Init: ticks, and wall-clock time */
    int64_t begin_unix_ns;
    int finalize_keyval;
    MPI_Comm_delete_attr_function *at_finalize;
};

#endif
