/* trace/read/duplicates.h - finds calls that a rank's file has more than once.
 *
 * A rank's calls on a communicator are numbered from 0. The number says which calls of other ranks
 * belong to it. If a rank has one number twice, one of the two calls is matched with calls of
 * another instance: the recorder failed, or files of two runs were put together. */
#ifndef SYN_DUPLICATES_H
#define SYN_DUPLICATES_H

#include <stdint.h>

#include "trace/read/reader.h"

struct syn_duplicates {
    uint64_t count; /* calls whose number had occurred before */
    uint64_t first_sequence;
    uint32_t first_comm; /* index */
    struct syn_duplicates_table *table;
};

/* Checks the next piece of a rank's events for duplicates. `duplicates` is all zeros at first.
 * Returns 0 or SYN_ENOMEM. */
int syn_duplicates_look(struct syn_duplicates *duplicates, const struct syn_rank_file *file,
                        const struct syn_event_columns *columns);
void syn_duplicates_free(struct syn_duplicates *duplicates);

#endif
