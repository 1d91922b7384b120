/* trace/node/chunk_pack.h - a chunk in as few bytes as it needs, for files that are short.
 *
 * The columns stay; those that others predict are encoded by what the prediction leaves
 * (docs/trace-format.md, "Packed chunks"). It takes some milliseconds a rank, once a run. */
#ifndef SYN_CHUNK_PACK_H
#define SYN_CHUNK_PACK_H

#include "sync/base/bytes.h"
#include "trace/columns/columns.h"

/* Append the packed columns of a chunk. Returns 0, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_chunk_pack(const struct syn_columns_source *source, struct syn_bytes *out,
                   struct syn_columns_layout *layout);

#endif
