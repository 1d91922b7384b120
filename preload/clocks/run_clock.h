/* preload/clocks/run_clock.h - the clock of this run: from the ticks that the recorder reads to
 * global time. */
#ifndef SYN_RUN_CLOCK_H
#define SYN_RUN_CLOCK_H

#include <stdbool.h>

#include "preload/clocks/startup_exchange.h"
#include "sync/methods/sync.h"
#include "sync/ranks/transport.h"

/* At the first MPI call: the calibration begins, so that it is over when MPI's own initialization
 * is. Any number of threads, any number of times. */
void syn_run_clock_early(void);
/* Describes this rank's clock before the options are known (sync/time/identity.h). */
void syn_run_clock_offer(struct syn_clock_offer *out);
/* Choose the tick source (syn_ticks of the recorder), with the rate that its machine's ranks share.
 * `mpi_time`: what SYN_CLOCK_FUNCTION reads. Fails on all ranks alike. */
int syn_run_clock_choose(const struct syn_startup *opening, int64_t (*mpi_time)(void), int rank);
/* Synchronize all ranks and set the run's epoch: all of them call. *transport must outlive the run
 * clock. Where syn_run_clock_is_shared, the ranks still have to agree on how they fared. */
int syn_run_clock_begin(const struct syn_startup *opening, const struct syn_transport *transport);
/* Are all ranks of one machine, and read its own clock, so that nothing is to be measured but that
 * they do? The same answer on every rank. */
bool syn_run_clock_is_shared(const struct syn_startup *opening, int size);
/* Measure again, and correct for the tick length of rank 0's clock as it was over the whole run:
 * all ranks call. */
int syn_run_clock_end(const struct syn_transport *transport);

/* Measure once more while the program runs: all ranks call, at the same place in the order of the
 * messages on *transport. Returns 0 or negative: then there is one knot less. */
int syn_run_clock_measure(void);

/* Without the others: what was measured so far becomes syn_run_clock_timeline's. */
int syn_run_clock_collect(void);

/* The newest knots, for threads that ask while the program runs: may change with each measurement,
 * stays readable until the one after the next. */
const struct syn_timeline *syn_run_clock_current(void);
/* The best so far, while nobody measures; the zero of its global time is the epoch. Owned by the
 * run clock. */
const struct syn_timeline *syn_run_clock_timeline(void);
/* The measurements; NULL before begin or where it failed. */
const struct syn_sync *syn_run_clock_sync(void);

#endif
