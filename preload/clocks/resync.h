/* preload/clocks/resync.h - --resync: the clocks measured again while the program runs.
 *
 * All ranks have to take part, so it happens where they all are: right before a blocking
 * collective on MPI_COMM_WORLD in which every rank waits for every other anyway (barrier,
 * allreduce, allgather, alltoall), so that no program waits for what it would not have waited for.
 * Which of these calls is agreed on beforehand. At an agreed call rank 0, whose clock counts, tells
 * all whether the clocks are measured now, and from which collective of MPI_COMM_WORLD on the next
 * agreed call may be; collectives are known to all ranks by the same numbers. What is sent goes
 * over the communicator of our own. */
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

/* Before the recorder starts. interval_s 0: never. *transport must outlive the run's recording;
 * *link, that below it, is told when round trips are measured (NULL: they are not). */
void syn_resync_start(double interval_s, const struct syn_transport *transport,
                      struct syn_pmpi_link *link);
/* Counts of this rank: agreed calls, and measurements among them. */
struct syn_resync_counts {
    uint64_t agreed_count;
    uint64_t measured_count;
};
struct syn_resync_counts syn_resync_counts(void);

/* For wrappers, by way of the inline function below. */
void syn_resync_call(struct syn_thread *self, MPI_Comm handle);

/* Right before the timed interval of a blocking collective; op_flags: SYN_OPF_*. */
static inline void syn_resync(struct syn_thread *self, MPI_Comm handle, uint32_t op_flags)
{
    if ((op_flags & (SYN_OPF_SYNCHRONIZING | SYN_OPF_VARIABLE)) == SYN_OPF_SYNCHRONIZING &&
        __builtin_expect(syn_resync_active, 0))
        syn_resync_call(self, handle);
}

#endif
