/* trace/node/node_part.h - write a node file (node_index.h): its parts are made of ranks' files
 * that are whole, each by itself, so that the ranks of a machine can do so side by side. A part
 * that refers to nothing is a rank's file of its own.
 *
 * Usage: one makes what is shared of its own sections (syn_part_sections) and writes it behind the
 * place of the index (syn_node_write_shared). Each, with that at hand, makes its part, which then
 * has its length; gets an offset, and writes it there. At last the one writes the index. */
#ifndef SYN_NODE_PART_H
#define SYN_NODE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/read/node_index.h"
#include "trace/read/reader.h"

/* RATIONALE: what is no longer than this is made as small as it can be, which takes some
 * milliseconds. Of what is longer the tables are a small part, and it would take longer. */
#define SYN_PART_SHORT_BYTES ((uint64_t)512 << 10)

/* All that a rank's file, open at `descriptor`, declares, as one payload; *kind_count: for its
 * header. Returns 0, SYN_EINVAL where that is more than a frame holds, SYN_EIO, SYN_EDAMAGED,
 * SYN_ENOMEM. `out` is freed by the caller. */
int syn_part_sections(const struct syn_rank_file *file, int descriptor, struct syn_bytes *out,
                      uint64_t *kind_count);

struct syn_part_piece {
    bool is_copy;  /* of the rank's file, or of `made` */
    uint64_t from; /* offset there */
    uint64_t bytes;
};

struct syn_part {
    uint64_t bytes; /* all of it */
    struct syn_bytes made;
    struct syn_part_piece *pieces; /* owned, [piece_count], one after the other */
    size_t piece_count, piece_capacity;
    uint32_t frame_count;
};

/* `file`, open at `descriptor`, is whole: it has an end, and no fault. Where it is not short, what
 * a chunk holds is not looked at. `shared` NULL: a short file's part that refers to nothing, to be
 * a file of its own. Zeroed `out`; free it in either case. Returns 0, SYN_EINVAL (not whole, not
 * short, or more than frames hold), SYN_EIO, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_part_make(struct syn_rank_file *file, int descriptor, const struct syn_bytes *shared,
                  struct syn_part *out);
/* Write it to `to` at `offset`; `from` is the rank's file. 0 or SYN_EIO (errno). */
int syn_part_write(const struct syn_part *part, int from, int to, uint64_t offset);
void syn_part_free(struct syn_part *part);

/* The frame of what is shared, for a file of index->part_count parts. 0, SYN_EINVAL (more than a
 * frame holds), SYN_ENOMEM. */
int syn_node_make_shared(const struct syn_node_index *index, const struct syn_bytes *raw,
                         struct syn_bytes *frame);
/* Offset of the first part. */
uint64_t syn_node_parts_begin(const struct syn_node_index *index, const struct syn_bytes *shared);
/* `frame` at its first place. 0 or SYN_EIO (errno). */
int syn_node_write_shared(int to, const struct syn_node_index *index,
                          const struct syn_bytes *frame);
/* Write the parity of `frame` behind all parts, and the index in both places. index->parity_offset
 * is where parts end, its file_bytes follows. Space of a part that is not there (bytes 0, though
 * more was promised: `promised` [part_count]) becomes a frame that is passed over. Durable once it
 * returns 0; else SYN_EIO (errno), SYN_ENOMEM. */
int syn_node_write_index(int to, struct syn_node_index *index, const struct syn_bytes *frame,
                         const uint64_t *promised);

#endif
