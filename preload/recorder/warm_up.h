/* preload/recorder/warm_up.h - warms up a thread's encoder before the first block is full.
 *
 * The first touch of a page takes a microsecond or more. With new pages a step of a few
 * microseconds takes a hundred. So in MPI_Init the encoder encodes made-up events twice: as many as
 * a block can need, and some like those of most blocks. */
#ifndef SYN_WARM_UP_H
#define SYN_WARM_UP_H

#include <stddef.h>

#include "trace/base/event.h"
#include "trace/write/batch.h"

/* Overwrites entries [count], at least 2, and keeps nothing. Ends early without memory. */
void syn_warm_up(struct syn_batch *batch, struct syn_event *entries, size_t count);

#endif
