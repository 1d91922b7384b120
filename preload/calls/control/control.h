/* preload/calls/control/control.h - switches the recording by MPI_Pcontrol (off, on, a phase
 * begins) and by --ranks.
 *
 * A call that is not recorded is passed over, but takes a sequence number of its communicator. So
 * the ranks' calls match even if the ranks switch at different times. */
#ifndef SYN_CONTROL_H
#define SYN_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/options.h"
#include "preload/entry/backend.h"
#include "preload/recorder/control_bits.h"

#define SYN_CONTROL_WRAPPERS 6

/* Applies --ranks and --phases. Call it on every rank before recording starts. */
void syn_control_start(const struct syn_options *options, int rank);
/* Counts a call that was passed over: as not wanted, or as lost. */
void syn_control_passed(void);
struct syn_control_counts {
    uint64_t switch_count; /* calls of MPI_Pcontrol that changed something */
    uint64_t passed_count; /* collective calls that were not wanted */
    bool left_out;         /* --ranks excludes this rank */
};
void syn_control_counts(struct syn_control_counts *counts);

/* Returns the name of a phase; the first is 1. NULL past the last phase that has begun. */
const char *syn_control_phase_name(uint32_t number);

/* Adds the wrappers of MPI_Pcontrol in C and Fortran; a wrapper whose function this MPI lacks gets
 * the name NULL. Returns SYN_CONTROL_WRAPPERS. */
size_t syn_control_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
