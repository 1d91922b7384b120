/* preload/clocks/align.h - --align: the ranks start a collective together (Hunold & Carpen-Amarie
 * 2015, section 3.3, scheme MS4).
 *
 * Before a recorded blocking collective on an intracommunicator of at least two ranks:
 *     barrier   PMPI_Barrier on it
 *     window    the ranks agree on a global time shortly ahead and wait for it
 * The messages use the program's communicator. RATIONALE: the members are about to make a
 * collective call on it, so our call comes first on all of them, whatever threads and other
 * communicators do.
 *
 * The window is agreed on by one PMPI_Allreduce (maximum): the start is the latest `now` of all
 * members plus the window. So it lies ahead even for a rank that arrives late, unlike a time
 * broadcast by one rank (Algorithm 8). The same message tells whether any member's last start was
 * late, and all adapt the window alike. All members have arrived before the start is agreed on, so
 * an operation cannot overrun into the next window. */
#ifndef SYN_ALIGN_H
#define SYN_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/base/options.h"
#include "preload/recorder/recorder.h"

/* A start later than the agreed time by more than this is late. */
#define SYN_LATE_NS 1000

extern bool syn_align_active;

/* Call this before the recorder starts. Uses the run clock's timeline. */
void syn_align_start(const struct syn_options *options);
/* Counts of this rank: aligned calls, and late starts among them. */
struct syn_align_counts {
    uint64_t aligned_count;
    uint64_t late_count;
    uint64_t given_up_count; /* communicators given up because nearly all starts were late; all
                                their later calls count as late */
    int64_t window_ns;       /* the last window; 0: none yet */
};
void syn_align_counts(struct syn_align_counts *out);

/* ---- used by the inline functions below ---- */

void syn_align_wait(struct syn_thread *self, MPI_Comm handle);
uint16_t syn_align_judge(struct syn_thread *self, struct syn_comm *comm, int64_t start_ticks);

/* Called by wrappers right before the timed interval. */
static inline void syn_align(struct syn_thread *self, MPI_Comm handle)
{
    if (__builtin_expect(syn_align_active, 0))
        syn_align_wait(self, handle);
}

/* Returns the flags of a call after its alignment. */
static inline uint16_t syn_align_flags(struct syn_thread *self, struct syn_comm *comm,
                                       int64_t start_ticks)
{
    return __builtin_expect(syn_align_active, 0) ? syn_align_judge(self, comm, start_ticks) : 0;
}

#endif
