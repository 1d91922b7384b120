/* preload/recorder/rehearsal.h - a thread's encoder has encoded before the first block is full.
 *
 * Each page that is touched first is a microsecond or more: where an encoder's are all new, a step
 * of some microseconds takes a hundred. So in MPI_Init it encodes what was made up, twice: as much
 * as a block can well ask for, and what most blocks are like. */
#ifndef SYN_REHEARSAL_H
#define SYN_REHEARSAL_H

#include <stddef.h>

#include "trace/base/event.h"
#include "trace/write/batch.h"

/* Overwrites entries [count], 2 at least, and keeps nothing of what it made. Without memory it ends
 * early. */
void syn_rehearse(struct syn_batch *batch, struct syn_event *entries, size_t count);

#endif
