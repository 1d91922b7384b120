/* preload/run/end_facts.h - facts at the end of a rank's file: counts and costs that are known only
 * when the run ends. */
#ifndef SYN_END_FACTS_H
#define SYN_END_FACTS_H

#include <stdint.h>

#include "preload/base/options.h"
#include "preload/base/phases.h"
#include "sync/ranks/transport.h"

/* Writes how often the program switched recording, and how many calls it excluded. */
void syn_end_facts_write_control(void);
/* Writes that and all other facts, in MPI_Finalize. `run_ticks`: from MPI_Init's return to here;
 * `finalize`: the costs of ending so far. */
void syn_end_facts_write(const struct syn_options *options, const struct syn_transport *transport,
                         int64_t run_ticks, const struct syn_phases *finalize);

/* "12,345,678", in `buffer`, which it returns. */
const char *syn_with_commas(uint64_t value, char buffer[32]);
/* Losses of a run. */
struct syn_loss {
    int rank; /* who says it */
    int size;
    int status; /* with `why`, of syn_output_failure; 0: files are whole */
    const char *why;
    uint64_t call_count;
    int homeless_count; /* ranks that kept blocks of events in memory for want of room */
};
/* In one line, also where several things are lacking; none where nothing is. */
void syn_end_facts_say_loss(const struct syn_loss *loss);

#endif
