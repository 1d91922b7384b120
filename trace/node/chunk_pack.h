/* trace/node/chunk_pack.h - encodes a chunk in fewer bytes, for short files.
 *
 * The columns stay the same. A column that others predict is encoded as its difference from the
 * prediction (docs/trace-format.md, "Packed chunks"). This takes some milliseconds for each rank,
 * once a run. */
#ifndef SYN_CHUNK_PACK_H
#define SYN_CHUNK_PACK_H

#include "sync/base/bytes.h"
#include "trace/columns/columns.h"

/* Appends the packed columns of a chunk to `out`; `layout` gets the places where blocks end.
 * Returns 0, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_chunk_pack(const struct syn_columns_source *source, struct syn_bytes *out,
                   struct syn_columns_layout *layout);

#endif
