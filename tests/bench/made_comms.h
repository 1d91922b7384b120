/* tests/bench/made_comms.h - the communicators of a made trace: MPI_COMM_WORLD, and duplicates of
 * it or the parts of drawn_color. */
#ifndef MADE_COMMS_H
#define MADE_COMMS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/write/writer.h"

struct made_comms {
    uint32_t count;
    bool copies; /* all but the first have all ranks, too */
    int rank_count;
};

/* Declares those that the rank is in. Returns 0, or what the writer says. */
int made_comms_write(const struct made_comms *comms, struct syn_writer *writer, int rank);

#endif
