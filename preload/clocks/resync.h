/* preload/clocks/resync.h - --resync: measures the clocks again while the program runs.
 *
 * All ranks have to take part. So it happens right before a blocking collective on MPI_COMM_WORLD
 * in which each rank waits for all others anyway (barrier, allreduce, allgather, alltoall). At such
 * an *agreed call*, rank 0 broadcasts on our communicator whether to measure now, and from which
 * sequence number on the next agreed call may come. The sequence numbers of MPI_COMM_WORLD are the
 * same on all ranks. Rank 0's clock decides. */
#ifndef SYN_RESYNC_H
#define SYN_RESYNC_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/mpi/transport_pmpi.h"
#include "preload/recorder/recorder.h"
#include "sync/ranks/transport.h"
#include "trace/base/ops.h"

extern bool syn_resync_active;

/* Call this before the recorder starts. interval_s 0: never measure. *transport must stay valid
 * while recording. *link, below it, gets `measuring` during measurements; NULL: measurements use no
 * round trips. */
void syn_resync_start(double interval_s, const struct syn_transport *transport,
                      struct syn_pmpi_link *link);
/* Counts of this rank. */
struct syn_resync_counts {
    uint64_t agreed_count;
    uint64_t measured_count;
};
struct syn_resync_counts syn_resync_counts(void);

/* Used by the inline function below. */
void syn_resync_call(struct syn_thread *self, MPI_Comm handle);

/* Called by wrappers right before the timed interval of a blocking collective. op_flags:
 * SYN_OPF_*. */
static inline void syn_resync(struct syn_thread *self, MPI_Comm handle, uint32_t op_flags)
{
    if ((op_flags & (SYN_OPF_SYNCHRONIZING | SYN_OPF_VARIABLE)) == SYN_OPF_SYNCHRONIZING &&
        __builtin_expect(syn_resync_active, 0))
        syn_resync_call(self, handle);
}

#endif
