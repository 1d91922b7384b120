/* preload/clocks/align.h - starts that the ranks agree on (Hunold & Carpen-Amarie 2015,
 * section 3.3, measurement scheme MS4).
 *
 * Before a recorded blocking collective on an intracommunicator of two and more ranks:
 *   barrier   PMPI_Barrier on it;
 *   window    the ranks agree on a time of the global clock a little ahead, and wait for it.
 * What is exchanged goes over the program's own communicator: the members are about to make a
 * collective call on it, so that one of ours comes first on every one of them or on none, whatever
 * threads and other communicators do, and no communicator has to be made for it.
 *
 * Agreeing is one PMPI_Allreduce (maximum): the start is the latest `now` of any member plus the
 * window. Unlike a time that one rank broadcasts (Hunold & Carpen-Amarie 2015, Algorithm 8), it
 * lies ahead for those who come late to the collective too, and the same message tells everyone
 * whether anyone's last start was late, so that all adapt the window alike. As each start is agreed
 * on when all are there, an operation cannot overrun into the next window. */
#ifndef SYN_ALIGN_H
#define SYN_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/base/options.h"
#include "preload/recorder/recorder.h"

/* A start further than this behind the agreed time is late. */
#define SYN_LATE_NS 1000

extern bool syn_align_active;

/* Before the recorder starts. The timeline is that of the run clock. */
void syn_align_start(const struct syn_options *options);
/* Counts of this rank: starts that were agreed on, and how many of them were late. */
struct syn_align_counts {
    uint64_t aligned_count;
    uint64_t late_count;
    uint64_t given_up_count; /* communicators on which nearly all were late, so that no more were
                                tried: their later calls are late by definition */
    int64_t window_ns;       /* the one last used; 0 without windows */
};
void syn_align_counts(struct syn_align_counts *out);

/* ---- for wrappers, by way of the inline functions below ---- */

void syn_align_wait(struct syn_thread *self, MPI_Comm handle);
uint16_t syn_align_judge(struct syn_thread *self, struct syn_comm *comm, int64_t start_ticks);

/* Right before the timed interval. */
static inline void syn_align(struct syn_thread *self, MPI_Comm handle)
{
    if (__builtin_expect(syn_align_active, 0))
        syn_align_wait(self, handle);
}

/* The flags of a call that started so. */
static inline uint16_t syn_align_flags(struct syn_thread *self, struct syn_comm *comm,
                                       int64_t start_ticks)
{
    return __builtin_expect(syn_align_active, 0) ? syn_align_judge(self, comm, start_ticks) : 0;
}

#endif
