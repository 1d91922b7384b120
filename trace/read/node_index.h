/* trace/read/node_index.h - the frames of a node file that belong to no rank: its index and its
 * shared content. docs/trace-format.md, "Node files".
 *
 * A file begins with its index and the shared content. It ends with the parity of the shared
 * content and a copy of the index, so no single damage loses either. The index holds the length of
 * the file. */
#ifndef SYN_NODE_INDEX_H
#define SYN_NODE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/base/frame.h"

/* Largest number of ranks of one machine; far more than machines have. */
#define SYN_NODE_PARTS_MAX 65536

struct syn_node_part {
    int32_t rank; /* in MPI_COMM_WORLD */
    uint64_t offset;
    uint64_t bytes; /* 0: the file has no part of this rank */
};

struct syn_node_index {
    uint8_t run_id[16];
    int32_t rank, size;          /* the first rank in the file; number of ranks in the run */
    uint64_t file_bytes;         /* length of the complete file */
    uint64_t parity_offset;      /* of the parity frame; the shared frame follows the index */
    struct syn_node_part *parts; /* owned, [part_count], ranks ascending */
    size_t part_count;
};

/* Returns the size of the frame with the index of `part_count` parts. */
uint64_t syn_node_index_bytes(size_t part_count);
/* Appends the frame of the index. `number` 0: the first one; 1: the copy at the end. */
void syn_node_index_put(const struct syn_node_index *index, uint32_t number, struct syn_bytes *out);
/* Takes the payload [header->compressed_bytes] of such a frame, whose checksum has been verified.
 * Returns 0 (the caller frees *out by syn_node_index_free), SYN_EDAMAGED or SYN_ENOMEM. */
int syn_node_index_take(const struct syn_frame_header *header, const uint8_t *payload,
                        struct syn_node_index *out);
void syn_node_index_free(struct syn_node_index *index);

/* Returns the header of such a frame without the fields that describe its payload. */
struct syn_frame_header syn_node_header(const struct syn_node_index *index, uint8_t type,
                                        uint32_t number);
/* Appends a frame. The length and hash of `payload` [bytes] are added to `header`. */
void syn_node_frame_put(struct syn_frame_header header, const void *payload, size_t bytes,
                        struct syn_bytes *out);

#endif
