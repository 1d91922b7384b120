/* trace/node/node_part.h - writes a node file (node_index.h). Each part is made from one rank's
 * whole file, independently of the others, so the ranks of a machine can make their parts in
 * parallel. A part that refers to no shared sections is a rank's file by itself.
 *
 * Usage: one rank makes the shared sections from its own file (syn_part_sections) and writes them
 * after the place of the index (syn_node_write_shared). Each rank makes its part with these
 * sections, reports the part's length, gets an offset and writes the part there. Finally the first
 * rank writes the index. */
#ifndef SYN_NODE_PART_H
#define SYN_NODE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/read/node_index.h"
#include "trace/read/reader.h"

/* RATIONALE: files up to this length are encoded as small as possible, which takes some
 * milliseconds. In longer files the tables are a small share, and the encoding would take longer.
 */
#define SYN_PART_SHORT_BYTES ((uint64_t)512 << 10)

/* Appends all declarations of a rank's file, open at `descriptor`, as one payload; *kind_count is
 * for its frame header. Returns 0, SYN_EINVAL if they are larger than a frame may be, SYN_EIO,
 * SYN_EDAMAGED, SYN_ENOMEM. The caller frees `out`. */
int syn_part_sections(const struct syn_rank_file *file, int descriptor, struct syn_bytes *out,
                      uint64_t *kind_count);

struct syn_part_piece {
    bool is_copy;  /* true: from the rank's file; false: from `made` */
    uint64_t from; /* offset in that source */
    uint64_t bytes;
};

struct syn_part {
    uint64_t bytes; /* sum over the pieces */
    struct syn_bytes made;
    struct syn_part_piece *pieces; /* owned, [piece_count], in the order of the part */
    size_t piece_count, piece_capacity;
    uint32_t frame_count;
};

/* Makes the part of `file`, open at `descriptor`. The file must have an end and no fault. Chunks of
 * a file that is not short are copied without being decoded. `shared` NULL: the part of a short
 * file that refers to no shared sections. `out` must be zeroed, and freed also after an error.
 * Returns 0, SYN_EINVAL (not whole; not short without `shared`; larger than a frame may be),
 * SYN_EIO, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_part_make(struct syn_rank_file *file, int descriptor, const struct syn_bytes *shared,
                  struct syn_part *out);
/* Writes the part to `to` at `offset`; `from` is the rank's file. Returns 0 or SYN_EIO (errno). */
int syn_part_write(const struct syn_part *part, int from, int to, uint64_t offset);
void syn_part_free(struct syn_part *part);

/* Makes the frame of the shared sections, for a file of index->part_count parts. Returns 0,
 * SYN_EINVAL (larger than a frame may be), SYN_ENOMEM. */
int syn_node_make_shared(const struct syn_node_index *index, const struct syn_bytes *raw,
                         struct syn_bytes *frame);
/* Returns the offset of the first part. */
uint64_t syn_node_parts_begin(const struct syn_node_index *index, const struct syn_bytes *shared);
/* Writes `frame` after the place of the index. Returns 0 or SYN_EIO (errno). */
int syn_node_write_shared(int to, const struct syn_node_index *index,
                          const struct syn_bytes *frame);
/* Writes the parity of `frame` after all parts, and the index at both of its places.
 * index->parity_offset is the end of the parts; index->file_bytes is computed. If a part is missing
 * (bytes 0) though space was reserved for it (`promised` [part_count], bytes), the space becomes a
 * frame that readers skip. The file is durable if 0 is returned; else SYN_EIO (errno), SYN_ENOMEM.
 */
int syn_node_write_index(int to, struct syn_node_index *index, const struct syn_bytes *frame,
                         const uint64_t *promised);

#endif
