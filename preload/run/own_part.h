/* preload/run/own_part.h - this rank's file, complete under its temporary name, becomes a part
 * (trace/node/node_part.h): of its machine's file, or a smaller file of its own.
 *
 * The latter is written as a node file would be that is to be named after this rank, until it is
 * whole and gets its name: what a kill leaves of it nobody reads, and `recover` removes. Until then
 * the file that it is made of is there. */
#ifndef SYN_OWN_PART_H
#define SYN_OWN_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/run/run.h"
#include "trace/base/guarded.h"
#include "trace/node/node_part.h"
#include "trace/read/rank_file.h"

#define SYN_OWN_NAME_BYTES 64

struct syn_own {
    struct syn_guarded file;
    struct syn_rank_file *rank;
    struct syn_part part;
};

/* The name of a rank's file, and the one that it has now; the same of a node file. */
void syn_own_rank_names(int rank, char name[SYN_OWN_NAME_BYTES],
                        char part_name[SYN_OWN_NAME_BYTES]);
void syn_own_node_names(int first_rank, char name[SYN_OWN_NAME_BYTES],
                        char part_name[SYN_OWN_NAME_BYTES]);
/* A file of the trace's directory; a descriptor or -1. */
int syn_own_open(struct syn_guarded *guarded, const char *name, int flags);
/* A new file always: what has the name may be a link, or a pipe at which opening waits. */
int syn_own_create(struct syn_guarded *guarded, const char *name);
void syn_own_remove(const char *name);

/* Open this rank's file, of `bytes_max` at most. `own` is all zeros but for SYN_GUARDED_NONE; free
 * it in any case. */
bool syn_own_read(const struct syn_run *run, uint64_t bytes_max, struct syn_own *own);
/* Makes the part of the file; it refers to `shared` (NULL: to nothing). Returns false if that
 * fails. */
bool syn_own_make(struct syn_own *own, const struct syn_bytes *shared);
bool syn_own_write(const struct syn_own *own, const struct syn_guarded *to, uint64_t offset);
void syn_own_free(struct syn_own *own);

/* A short file, which is complete, becomes as small as it can be, and gets its name. *bytes: its
 * length. False: all is as it was. */
bool syn_own_shorten(const struct syn_run *run, uint64_t *bytes);

#endif
