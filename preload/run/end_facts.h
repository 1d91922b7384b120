/* preload/run/end_facts.h - facts at the end of a rank's file: counts and costs that are known only
 * then. */
#ifndef SYN_END_FACTS_H
#define SYN_END_FACTS_H

#include <stdint.h>

#include "preload/base/options.h"
#include "preload/base/phases.h"
#include "sync/ranks/transport.h"

/* Writes how often the program switched recording, and how many calls it excluded. */
void syn_end_facts_write_control(void);
/* Write these and all other facts, in MPI_Finalize. `run_ticks`: time since MPI_Init returned.
 * `finalize`: cost of ending so far. */
void syn_end_facts_write(const struct syn_options *options, const struct syn_transport *transport,
                         int64_t run_ticks, const struct syn_phases *finalize);

/* Write `value` with commas ("12,345,678") to `buffer`. Returns `buffer`. */
const char *syn_with_commas(uint64_t value, char buffer[32]);
/* Losses of a run. */
struct syn_loss {
    int rank; /* the rank that reports */
    int size;
    int status; /* and `why`, as of syn_output_failure; 0: files are complete */
    const char *why;
    uint64_t call_count;
    int memory_only_count; /* ranks that kept events in memory, for lack of room */
};
/* Print one line about the losses; no line if there are none. */
void syn_end_facts_say_loss(const struct syn_loss *loss);

#endif
