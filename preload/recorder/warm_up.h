/* preload/recorder/warm_up.h - warms up a thread's encoder before the first block is full.
 *
 * The first touch of a page takes a microsecond or more. With new pages, a step of a few
 * microseconds takes a hundred. So MPI_Init lets the encoder encode two blocks of made-up events:
 * one with as much variety as possible, and one like the usual block. */
#ifndef SYN_WARM_UP_H
#define SYN_WARM_UP_H

#include <stddef.h>

#include "trace/base/event.h"
#include "trace/write/batch.h"

/* Overwrites `entries`, at least 2, with made-up events. Keeps no result. Ends early without
 * memory. */
void syn_warm_up(struct syn_batch *batch, struct syn_event *entries, size_t count);

#endif
