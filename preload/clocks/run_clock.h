/* preload/clocks/run_clock.h - the clock of this run: converts the recorder's ticks to global
 * time. */
#ifndef SYN_RUN_CLOCK_H
#define SYN_RUN_CLOCK_H

#include <stdbool.h>

#include "preload/clocks/startup_exchange.h"
#include "sync/methods/sync.h"
#include "sync/ranks/transport.h"

/* At the first MPI call: start the calibration, which ends when MPI is initialized. May be called
 * by any thread, any number of times. */
void syn_run_clock_early(void);
/* Describe this rank's clock, before the options are known (sync/time/identity.h). */
void syn_run_clock_offer(struct syn_clock_offer *out);
/* Choose the tick source (syn_ticks), with the tick length that the ranks of a machine share.
 * `mpi_time`: function for SYN_CLOCK_FUNCTION. Fails on all ranks or on none. */
int syn_run_clock_choose(const struct syn_startup *startup, int64_t (*mpi_time)(void), int rank);
/* Synchronize and set the run's epoch; called by all ranks. *transport must outlive the run clock.
 * If syn_run_clock_is_shared, the ranks still have to agree on the status. */
int syn_run_clock_begin(const struct syn_startup *startup, const struct syn_transport *transport);
/* Returns true if all ranks run on one machine and read its clock, which only has to be verified.
 * Same answer on every rank. */
bool syn_run_clock_is_shared(const struct syn_startup *startup, int size);
/* Measure again, and correct the tick length of rank 0's clock by the whole run; called by all
 * ranks. */
int syn_run_clock_end(const struct syn_transport *transport);

/* Measure during the run; called by all ranks at the same point of *transport's messages. Returns 0
 * or a negative status: then a knot is missing. */
int syn_run_clock_measure(void);

/* Without other ranks: take all measurements so far into syn_run_clock_timeline. */
int syn_run_clock_collect(void);

/* Timeline with the newest knots, for any thread during the run. Valid until the measurement after
 * the next. */
const struct syn_timeline *syn_run_clock_current(void);
/* The best timeline so far; not during a measurement. Its zero is the epoch. Owned by the run
 * clock. */
const struct syn_timeline *syn_run_clock_timeline(void);
/* The measurements; NULL before begin, or if it failed. */
const struct syn_sync *syn_run_clock_sync(void);

#endif
