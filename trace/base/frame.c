/* trace/base/frame.c - encodes, decodes and checks the header of a frame. The checks come before
 * anything in a file is used. */
#include "trace/base/frame.h"

#include <string.h>

#include "sync/base/bytes.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"

/* One of the 16 magic numbers of zstd skippable frames. */
#define SKIPPABLE_MAGIC 0x184D2A53u

/* Offsets in the header. The fields before AT_NUMBER and the place of the checksum never change
 * between versions, so an old reader can tell a newer file from a damaged one. */
enum {
    AT_SKIPPABLE_MAGIC = 0,
    AT_BODY_BYTES = 4,
    AT_MAGIC = 8,
    AT_TYPE = 17,
    AT_VERSION = 18,
    AT_RUN_ID = 20,
    AT_RANK = 36,
    AT_SIZE = 40,
    AT_NUMBER = 44,
    AT_RAW_BYTES = 48,
    AT_COMPRESSED_BYTES = 56,
    AT_ELEMENT_COUNT = 64,
    AT_FIRST_EVENT = 72,
    AT_SPAN_START = 80,
    AT_SPAN_END = 88,
    AT_THREAD = 96,
    AT_TIME_BASE = 100,
    AT_RESERVED = 102,
    AT_PAYLOAD_HASH = 104,
    AT_HEADER_HASH = 112
};

#define MAGIC_BYTES  9
#define PREFIX_BYTES (AT_MAGIC + MAGIC_BYTES)

static const uint8_t prefix[PREFIX_BYTES] = {
    0x53, 0x2A, 0x4D, 0x18, SYN_FRAME_HEADER_BYTES - 8, 0, 0, 0, 'S', 'Y', 'N', 'C', 'O',
    'P',  'A',  'T',  'E'};

struct syn_frame_header syn_frame_begin(uint8_t type, uint32_t number, int32_t rank, int32_t size,
                                        const uint8_t run_id[16])
{
    struct syn_frame_header header = {.type = type,
                                      .format_version = SYN_FORMAT_VERSION,
                                      .number = number,
                                      .rank = rank,
                                      .size = size};
    memcpy(header.run_id, run_id, sizeof header.run_id);
    return header;
}

void syn_frame_encode(const struct syn_frame_header *frame, uint8_t header[SYN_FRAME_HEADER_BYTES])
{
    memcpy(header, prefix, PREFIX_BYTES);
    header[AT_TYPE] = frame->type;
    syn_store16(header + AT_VERSION, frame->format_version);
    memcpy(header + AT_RUN_ID, frame->run_id, sizeof frame->run_id);
    syn_store32(header + AT_RANK, (uint32_t)frame->rank);
    syn_store32(header + AT_SIZE, (uint32_t)frame->size);
    syn_store32(header + AT_NUMBER, frame->number);
    syn_store64(header + AT_RAW_BYTES, frame->raw_bytes);
    syn_store64(header + AT_COMPRESSED_BYTES, frame->compressed_bytes);
    syn_store64(header + AT_ELEMENT_COUNT, frame->element_count);
    syn_store64(header + AT_FIRST_EVENT, frame->first_event);
    syn_store64(header + AT_SPAN_START, (uint64_t)frame->span_start);
    syn_store64(header + AT_SPAN_END, (uint64_t)frame->span_end);
    syn_store32(header + AT_THREAD, frame->thread);
    syn_store16(header + AT_TIME_BASE, frame->time_base);
    syn_store16(header + AT_RESERVED, 0);
    syn_store64(header + AT_PAYLOAD_HASH, frame->payload_hash);
    syn_store64(header + AT_HEADER_HASH, syn_hash64(header, AT_HEADER_HASH));
}

enum syn_frame_verdict syn_frame_decode(const uint8_t header[SYN_FRAME_HEADER_BYTES],
                                        struct syn_frame_header *out)
{
    if (memcmp(header, prefix, PREFIX_BYTES) != 0)
        return SYN_FRAME_FOREIGN;
    if (syn_load64(header + AT_HEADER_HASH) != syn_hash64(header, AT_HEADER_HASH))
        return SYN_FRAME_BROKEN;
    out->type = header[AT_TYPE];
    out->format_version = syn_load16(header + AT_VERSION);
    memcpy(out->run_id, header + AT_RUN_ID, sizeof out->run_id);
    out->rank = (int32_t)syn_load32(header + AT_RANK);
    out->size = (int32_t)syn_load32(header + AT_SIZE);
    out->number = syn_load32(header + AT_NUMBER);
    out->raw_bytes = syn_load64(header + AT_RAW_BYTES);
    out->compressed_bytes = syn_load64(header + AT_COMPRESSED_BYTES);
    out->element_count = syn_load64(header + AT_ELEMENT_COUNT);
    out->first_event = syn_load64(header + AT_FIRST_EVENT);
    out->span_start = (int64_t)syn_load64(header + AT_SPAN_START);
    out->span_end = (int64_t)syn_load64(header + AT_SPAN_END);
    out->thread = syn_load32(header + AT_THREAD);
    out->time_base = syn_load16(header + AT_TIME_BASE);
    out->payload_hash = syn_load64(header + AT_PAYLOAD_HASH);
    return out->format_version > SYN_FORMAT_VERSION ? SYN_FRAME_NEWER : SYN_FRAME_VALID;
}

bool syn_frame_is_prefix(const uint8_t *data, size_t bytes)
{
    return memcmp(data, prefix, syn_least(bytes, PREFIX_BYTES)) == 0;
}

size_t syn_frame_search(const uint8_t *data, size_t bytes)
{
    if (bytes < SYN_FRAME_HEADER_BYTES)
        return bytes;
    const uint8_t *at =
        memmem(data, bytes - SYN_FRAME_HEADER_BYTES + PREFIX_BYTES, prefix, PREFIX_BYTES);
    return at ? (size_t)(at - data) : bytes;
}

bool syn_frame_plausible(const struct syn_frame_header *frame)
{
    if (frame->rank < 0 || frame->size < 1 || frame->rank >= frame->size)
        return false;
    if (frame->type == SYN_FRAME_FILE)
        return frame->compressed_bytes == 0 && frame->raw_bytes == 0;
    /* zstd adds only a few bytes for each block that it cannot compress. */
    if (frame->compressed_bytes > frame->raw_bytes + frame->raw_bytes / 64 + 1024)
        return false;
    if (frame->type == SYN_FRAME_EVENTS)
        return frame->element_count > 0 && frame->element_count <= SYN_CHUNK_EVENTS_MAX &&
               frame->raw_bytes <= SYN_SECTION_RAW_MAX &&
               frame->time_base <= SYN_TIME_LOCAL_TICKS && frame->span_start <= frame->span_end;
    return frame->raw_bytes <= SYN_SECTION_RAW_MAX && frame->element_count <= frame->raw_bytes;
}

const char *syn_frame_type_name(uint8_t type)
{
    static const char *const names[] = {
        [SYN_FRAME_FILE] = "file header",
        [SYN_FRAME_META] = "facts",
        [SYN_FRAME_COMM] = "communicators",
        [SYN_FRAME_MODULE] = "modules",
        [SYN_FRAME_STACK] = "call stacks",
        [SYN_FRAME_CLOCK] = "clock",
        [SYN_FRAME_OPS] = "operation names",
        [SYN_FRAME_EVENTS] = "events",
        [SYN_FRAME_END] = "end",
        [SYN_FRAME_NODE] = "index",
        [SYN_FRAME_SHARED] = "shared sections",
        [SYN_FRAME_SECTIONS] = "sections",
        [SYN_FRAME_PARITY] = "parity",
        [SYN_FRAME_OPEN] = "open calls",
    };
    return type < sizeof names / sizeof *names && names[type] ? names[type] : "unknown";
}
