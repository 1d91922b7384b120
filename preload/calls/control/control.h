/* preload/calls/control/control.h - the program's orders by MPI_Pcontrol (recording off, on, a
 * phase begins), and whether this rank records at all.
 *
 * A call that is passed over still counts in its communicator's sequence, so that the ranks' calls
 * match even where the ranks switch at different moments. */
#ifndef SYN_CONTROL_H
#define SYN_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/options.h"
#include "preload/entry/backend.h"
#include "preload/recorder/control_bits.h"

#define SYN_CONTROL_WRAPPERS 6

/* Before recording starts, on every rank. */
void syn_control_start(const struct syn_options *options, int rank);
/* A call was passed over: it was not to be recorded, or is lost. */
void syn_control_passed(void);
struct syn_control_counts {
    uint64_t switch_count; /* calls of MPI_Pcontrol that changed something */
    uint64_t passed_count; /* collective calls passed over */
    bool left_out;
};
void syn_control_counts(struct syn_control_counts *counts);

/* The name of phase `number`, from 1; NULL past the last that began so far. */
const char *syn_control_phase_name(uint32_t number);

/* MPI_Pcontrol in C and Fortran; those that this MPI lacks with the name NULL. Returns
 * SYN_CONTROL_WRAPPERS. */
size_t syn_control_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
