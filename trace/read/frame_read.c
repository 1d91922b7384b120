/* trace/read/frame_read.c - see frame_read.h. */
#include "trace/read/frame_read.h"

#include "sync/base/hash.h"
#include "sync/base/status.h"

int syn_frame_read_header(int descriptor, uint64_t offset, uint8_t type,
                          struct syn_frame_header *out)
{
    uint8_t data[SYN_FRAME_HEADER_BYTES];
    const ssize_t got = syn_pread_full(descriptor, data, sizeof data, offset);
    if (got < 0)
        return SYN_EIO;
    if (got < SYN_FRAME_HEADER_BYTES)
        return syn_frame_is_prefix(data, (size_t)got) ? SYN_ETRUNCATED : SYN_ENOTTRACE;
    switch (syn_frame_decode(data, out)) {
    case SYN_FRAME_VALID:
        return out->type == type && syn_frame_plausible(out) ? SYN_OK : SYN_EDAMAGED;
    case SYN_FRAME_NEWER:
        return SYN_EVERSION;
    case SYN_FRAME_BROKEN:
        return SYN_EDAMAGED;
    default:
        return SYN_ENOTTRACE;
    }
}

int syn_frame_read_payload(int descriptor, uint64_t offset, const struct syn_frame_header *header,
                           uint8_t *payload)
{
    const size_t bytes = header->compressed_bytes;
    const ssize_t got = syn_pread_full(descriptor, payload, bytes, offset + SYN_FRAME_HEADER_BYTES);
    if (got < 0)
        return SYN_EIO;
    return (size_t)got == bytes && syn_hash64(payload, bytes) == header->payload_hash
               ? SYN_OK
               : SYN_EDAMAGED;
}
