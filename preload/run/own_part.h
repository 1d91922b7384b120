/* preload/run/own_part.h - turns this rank's complete file into a part (trace/node/node_part.h): of
 * the machine's node file, or of a smaller file of its own.
 *
 * The smaller file is first written under the temporary name of a node file. So no reader reads
 * what a kill leaves of it, and `recover` removes it. The original file stays until the new one is
 * complete. */
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

/* Final and temporary name of a rank's file, or of a node file. */
void syn_own_rank_names(int rank, char name[SYN_OWN_NAME_BYTES],
                        char part_name[SYN_OWN_NAME_BYTES]);
void syn_own_node_names(int first_rank, char name[SYN_OWN_NAME_BYTES],
                        char part_name[SYN_OWN_NAME_BYTES]);
/* Open a file of the trace's directory. Returns a descriptor or -1. */
int syn_own_open(struct syn_guarded *guarded, const char *name, int flags);
/* Make a new file. RATIONALE: an existing one is removed first, since it may be a link, or a pipe
 * that blocks open(). */
int syn_own_create(struct syn_guarded *guarded, const char *name);
void syn_own_remove(const char *name);

/* Open this rank's file, if it has at most `bytes_max` bytes. Initialize *own with zeros and
 * SYN_GUARDED_NONE; free it in any case. */
bool syn_own_read(const struct syn_run *run, uint64_t bytes_max, struct syn_own *own);
/* Make a part from the file; it refers to `shared`, unless that is NULL. Returns false on
 * failure. */
bool syn_own_make(struct syn_own *own, const struct syn_bytes *shared);
bool syn_own_write(const struct syn_own *own, const struct syn_guarded *to, uint64_t offset);
void syn_own_free(struct syn_own *own);

/* Rewrite a short, complete file as small as possible and give it its name. *bytes: its length.
 * Returns false if nothing was changed. */
bool syn_own_shorten(const struct syn_run *run, uint64_t *bytes);

#endif
