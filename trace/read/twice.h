/* trace/read/twice.h - is a call of a rank there more than once?
 *
 * A rank's calls on a communicator are numbered from 0 on; the number says which calls of other
 * ranks belong to it. Where a rank has one number twice, one of the two is matched with calls that
 * it has nothing to do with: a recorder went wrong, or somebody put files together. */
#ifndef SYN_TWICE_H
#define SYN_TWICE_H

#include <stdint.h>

#include "trace/read/reader.h"

struct syn_twice {
    uint64_t count; /* of calls whose number was there already */
    uint64_t first_sequence;
    uint32_t first_comm; /* index */
    struct syn_twice_table *table;
};

/* Look at one more piece of a rank's events; `twice` is all zeros at first. 0 or SYN_ENOMEM. */
int syn_twice_look(struct syn_twice *twice, const struct syn_rank_file *file,
                   const struct syn_event_columns *columns);
void syn_twice_free(struct syn_twice *twice);

#endif
