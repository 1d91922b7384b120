/* trace/read/node_index.h - the index of a node file and its shared content: the frames that are no
 * rank's. docs/trace-format.md, "Node files".
 *
 * A file begins with its index and what is shared, and ends with both once more, so that no single
 * damage takes both. The index says how long the file is to be. */
#ifndef SYN_NODE_INDEX_H
#define SYN_NODE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/base/frame.h"

/* Ranks of one machine; far more than there are. */
#define SYN_NODE_PARTS_MAX 65536

struct syn_node_part {
    int32_t rank; /* in MPI_COMM_WORLD */
    uint64_t offset;
    uint64_t bytes; /* 0: it is not in here */
};

struct syn_node_index {
    uint8_t run_id[16];
    int32_t rank, size;     /* the first of its ranks; how many the run has */
    uint64_t file_bytes;    /* that the file is to have */
    uint64_t parity_offset; /* of the parity frame; the shared frame is right behind the index */
    struct syn_node_part *parts; /* owned, [part_count], ranks ascending */
    size_t part_count;
};

/* Returns the size of the frame with the index of `part_count` parts. */
uint64_t syn_node_index_bytes(size_t part_count);
/* Append the frame; `number` 0: the first, 1: the one at the end. */
void syn_node_index_put(const struct syn_node_index *index, uint32_t number, struct syn_bytes *out);
/* The payload [header->compressed_bytes] of such a frame, whose checksum holds. 0 (free it by
 * syn_node_index_free), SYN_EDAMAGED for what no writer makes, SYN_ENOMEM. */
int syn_node_index_take(const struct syn_frame_header *header, const uint8_t *payload,
                        struct syn_node_index *out);
void syn_node_index_free(struct syn_node_index *index);

/* A header of one of these frames but for its payload. */
struct syn_frame_header syn_node_header(const struct syn_node_index *index, uint8_t type,
                                        uint32_t number);
/* Append a frame: `header` is completed by what `payload` [bytes] says. */
void syn_node_frame_put(struct syn_frame_header header, const void *payload, size_t bytes,
                        struct syn_bytes *out);

#endif
