/* trace/read/node_file.c - see node_file.h. */
#include "trace/read/node_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/coding/compress.h"
#include "trace/base/coding/parity.h"
#include "trace/directory/manifest.h"
#include "trace/read/frame_read.h"
#include "trace/read/rank_file.h"

/* The copy of the index is searched for in this many last bytes of a file. They are enough for some
 * thousand ranks. */
#define TAIL_BYTES ((size_t)128 << 10)

int syn_node_path(char *buffer, size_t buffer_bytes, const char *directory, int32_t rank)
{
    return snprintf(buffer, buffer_bytes, "%s/node-%06d.syn", directory, rank);
}

bool syn_node_name_parse(const char *name, int32_t *rank, bool *is_part)
{
    char like[NAME_MAX + 1];
    if (strncmp(name, "node-", 5) != 0 ||
        snprintf(like, sizeof like, "rank-%s", name + 5) >= (int)sizeof like)
        return false;
    return syn_rank_name_parse(like, rank, is_part);
}

static void add_fault(struct syn_node_file *node, int status, const char *text)
{
    if (node->fault_count == SYN_NODE_FAULTS_MAX)
        return;
    node->faults[node->fault_count].status = status;
    node->faults[node->fault_count++].text = text;
}

/* ---- frames ---- */

/* Loads and verifies the payload of a frame; the caller frees it. Returns NULL with *status on
 * error. */
static uint8_t *load_payload(int descriptor, const struct syn_frame_header *header, uint64_t offset,
                             int *status)
{
    uint8_t *payload = malloc(header->compressed_bytes + 1);
    *status = payload ? syn_frame_read_payload(descriptor, offset, header, payload) : SYN_ENOMEM;
    if (*status == SYN_OK)
        return payload;
    free(payload);
    return NULL;
}

static int load_index(int descriptor, uint64_t offset, struct syn_node_index *out)
{
    struct syn_frame_header header;
    int status = syn_frame_read_header(descriptor, offset, SYN_FRAME_NODE, &header);
    if (status != SYN_OK)
        return status;
    uint8_t *payload = load_payload(descriptor, &header, offset, &status);
    if (payload)
        status = syn_node_index_take(&header, payload, out);
    free(payload);
    return status;
}

/* ---- the index ---- */

/* Checks the copy of the index in a file of the right length. */
static int check_copy(struct syn_node_file *node, int descriptor)
{
    struct syn_node_index copy;
    const uint64_t bytes = syn_node_index_bytes(node->index.part_count);
    int status = SYN_EDAMAGED;
    if (node->index.file_bytes >= bytes)
        status = load_index(descriptor, node->index.file_bytes - bytes, &copy);
    if (status == SYN_ENOMEM || status == SYN_EIO)
        return status;
    const struct syn_node_index *index = &node->index;
    bool same = status == SYN_OK && index->part_count == copy.part_count &&
                index->file_bytes == copy.file_bytes &&
                memcmp(index->run_id, copy.run_id, sizeof copy.run_id) == 0;
    for (size_t i = 0; same && i < copy.part_count; i++)
        same = index->parts[i].rank == copy.parts[i].rank &&
               index->parts[i].offset == copy.parts[i].offset &&
               index->parts[i].bytes == copy.parts[i].bytes;
    if (status == SYN_OK)
        syn_node_index_free(&copy);
    if (!same)
        add_fault(node, SYN_EDAMAGED, "the copy of its index is damaged");
    return SYN_OK;
}

static int find_parts(struct syn_node_file *node, int descriptor, uint64_t file_bytes)
{
    const int status = load_index(descriptor, 0, &node->index);
    if (status == SYN_ENOMEM || status == SYN_EIO || status == SYN_EVERSION ||
        (status == SYN_ETRUNCATED && file_bytes < SYN_FRAME_HEADER_BYTES))
        return status;
    if (status != SYN_OK) {
        /* Search for the copy of the index, which ends at the end of the file. */
        const size_t bytes = (size_t)syn_least(file_bytes, (uint64_t)TAIL_BYTES);
        const uint64_t from = file_bytes - bytes;
        uint8_t *tail = malloc(bytes + 1);
        const ssize_t got = tail ? syn_pread_full(descriptor, tail, bytes, from) : 0;
        int searched = !tail ? SYN_ENOMEM : got < 0 ? SYN_EIO : SYN_EDAMAGED;
        for (size_t at = 0; searched == SYN_EDAMAGED && at < (size_t)got;) {
            at += syn_frame_search(tail + at, (size_t)got - at);
            if (at == (size_t)got)
                break;
            searched = load_index(descriptor, from + at, &node->index);
            if (searched != SYN_OK && searched != SYN_ENOMEM && searched != SYN_EIO)
                searched = SYN_EDAMAGED;
            at++;
        }
        free(tail);
        if (searched != SYN_OK)
            return searched == SYN_EDAMAGED ? status : searched;
        add_fault(node, SYN_EDAMAGED, "its index is damaged; the copy at its end is used");
    }
    if (file_bytes < node->index.file_bytes)
        add_fault(node, SYN_ETRUNCATED, "it was cut off: parts of its ranks are missing");
    else if (file_bytes > node->index.file_bytes)
        add_fault(node, SYN_EDAMAGED, "it is longer than its index says");
    if (status != SYN_OK || file_bytes < node->index.file_bytes)
        return SYN_OK;
    return check_copy(node, descriptor);
}

/* ---- shared content ---- */

static int unpack_shared(const struct syn_frame_header *header, const uint8_t *payload,
                         struct syn_bytes *out)
{
    out->count = 0;
    uint8_t *raw = syn_bytes_reserve(out, header->raw_bytes + 1);
    struct syn_decompressor *decompressor = raw ? syn_decompressor_new() : NULL;
    if (!decompressor)
        return SYN_ENOMEM;
    const int status =
        syn_decompress(decompressor, payload, header->compressed_bytes, raw, header->raw_bytes);
    out->count = status == SYN_OK ? header->raw_bytes : 0;
    syn_decompressor_free(decompressor);
    return status;
}

int syn_node_read_shared(int descriptor, size_t part_count, const uint8_t run_id[16],
                         struct syn_bytes *out)
{
    const uint64_t offset = syn_node_index_bytes(part_count);
    struct syn_frame_header header;
    int status = syn_frame_read_header(descriptor, offset, SYN_FRAME_SHARED, &header);
    if (status != SYN_OK)
        return status == SYN_EIO ? status : SYN_EDAMAGED;
    uint8_t *payload = load_payload(descriptor, &header, offset, &status);
    if (payload)
        status = unpack_shared(&header, payload, out);
    if (status == SYN_OK && memcmp(header.run_id, run_id, sizeof header.run_id) != 0)
        status = SYN_EDAMAGED;
    free(payload);
    return status;
}

/* ---- parity of the shared content ---- */

/* Loads the content of the parity frame. */
static int load_parity(int descriptor, uint64_t offset, uint8_t out[SYN_PARITY_BYTES])
{
    struct syn_frame_header header;
    size_t bytes = 0;
    int status = syn_frame_read_header(descriptor, offset, SYN_FRAME_PARITY, &header);
    if (status != SYN_OK)
        return status == SYN_EIO ? status : SYN_EDAMAGED;
    uint8_t *payload = load_payload(descriptor, &header, offset, &status);
    const uint8_t *inner = payload ? syn_unwrap(payload, header.compressed_bytes, &bytes) : NULL;
    if (inner && bytes == SYN_PARITY_BYTES)
        memcpy(out, inner, SYN_PARITY_BYTES);
    else if (payload)
        status = SYN_EDAMAGED;
    free(payload);
    return status;
}

/* Loads the frame that the parity guards, unverified. */
static int load_guarded(const struct syn_node_file *node, int descriptor, uint64_t bytes,
                        uint8_t **out)
{
    const uint64_t from = syn_node_index_bytes(node->index.part_count);
    *out = NULL;
    if (bytes < SYN_FRAME_HEADER_BYTES || from > node->index.parity_offset ||
        bytes > node->index.parity_offset - from || bytes > SYN_PARITY_DATA_MAX)
        return SYN_EDAMAGED;
    *out = malloc((size_t)bytes);
    const ssize_t got = *out ? syn_pread_full(descriptor, *out, (size_t)bytes, from) : 0;
    if (!*out)
        return SYN_ENOMEM;
    return got < 0 ? SYN_EIO : (uint64_t)got == bytes ? SYN_OK : SYN_EDAMAGED;
}

/* Takes the shared content of a repaired frame. */
static int take_repaired(struct syn_node_file *node, const uint8_t *frame, size_t bytes)
{
    struct syn_frame_header header;
    if (syn_frame_decode(frame, &header) != SYN_FRAME_VALID || header.type != SYN_FRAME_SHARED ||
        !syn_frame_plausible(&header) ||
        header.compressed_bytes != bytes - SYN_FRAME_HEADER_BYTES ||
        memcmp(header.run_id, node->index.run_id, sizeof header.run_id) != 0)
        return SYN_EDAMAGED;
    return unpack_shared(&header, frame + SYN_FRAME_HEADER_BYTES, &node->shared);
}

/* The parity is read even if it is not needed. So damage to either of the two is found while the
 * other can still repair it. */
static int find_shared(struct syn_node_file *node, int descriptor)
{
    const int first =
        syn_node_read_shared(descriptor, node->index.part_count, node->index.run_id, &node->shared);
    /* Check or repairs the shared content by its parity. `first` is SYN_OK if the frame was
     * undamaged. */
    uint8_t parity[SYN_PARITY_BYTES], *frame = NULL;
    int second = load_parity(descriptor, node->index.parity_offset, parity);
    const uint64_t bytes = second == SYN_OK ? syn_parity_data_bytes(parity) : 0;
    if (second == SYN_OK)
        second = load_guarded(node, descriptor, bytes, &frame);
    if (second == SYN_OK && first == SYN_OK)
        second = syn_parity_check(parity, frame, (size_t)bytes);
    else if (second == SYN_OK)
        second = syn_parity_repair(parity, frame, (size_t)bytes);
    if (second == SYN_OK && first != SYN_OK)
        second = take_repaired(node, frame, (size_t)bytes);
    free(frame);
    if (first == SYN_ENOMEM || second == SYN_ENOMEM)
        return SYN_ENOMEM;
    node->has_shared = first == SYN_OK || second == SYN_OK;
    const bool explained = node->fault_count > 0 && node->faults[0].status == SYN_ETRUNCATED;
    if (!node->has_shared)
        add_fault(node, SYN_EDAMAGED, "what its ranks declare alike is damaged");
    else if (first != SYN_OK || (second != SYN_OK && !explained))
        add_fault(node, SYN_EDAMAGED, "what its ranks declare alike, or its parity, is damaged");
    return SYN_OK;
}

/* ---- the whole file ---- */

int syn_node_open(const char *path, struct syn_node_file *out)
{
    struct stat state;
    *out = (struct syn_node_file){.path = strdup(path)};
    if (!out->path)
        return SYN_ENOMEM;
    int descriptor = syn_open_regular(path, &state);
    if (descriptor < 0)
        return errno == EINVAL ? SYN_ENOTTRACE : SYN_EIO;
    out->device = state.st_dev;
    out->inode = state.st_ino;
    int status = find_parts(out, descriptor, (uint64_t)state.st_size);
    SYN_STEP(status, find_shared(out, descriptor));
    int error_number = errno;
    close(descriptor);
    errno = error_number;
    return status;
}

void syn_node_close(struct syn_node_file *node)
{
    syn_node_index_free(&node->index);
    syn_bytes_free(&node->shared);
    free(node->path);
    node->path = NULL;
}

int syn_node_reopen(const struct syn_node_file *node, struct stat *state)
{
    return syn_reopen_regular(node->path, node->device, node->inode, state);
}

const struct syn_bytes *syn_node_shared(const struct syn_node_file *node)
{
    return node->has_shared ? &node->shared : NULL;
}
