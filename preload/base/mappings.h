/* preload/base/mappings.h - the recorder's memory that is mapped from files, and its repair if a
 * file is truncated.
 *
 * A store to a page behind the end of a mapped file raises SIGBUS. The handler (recorder/endings.c)
 * replaces such a page of the recorder by an empty one. The program and the recording go on; the
 * data of the page are lost. */
#ifndef SYN_MAPPINGS_H
#define SYN_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Adds a mapping, which stays in the table for good. Returns false if the table is full. Any thread
 * may call it. */
bool syn_mappings_add(const void *memory, size_t bytes);
/* In a handler of SIGBUS: replaces the page at `address` by an empty one. Returns false if the
 * address lies in no mapping of the table, or without memory. */
bool syn_mappings_mend(const void *address);
/* Returns true if a page was replaced since the process began. */
bool syn_mappings_mended(void);

#endif
