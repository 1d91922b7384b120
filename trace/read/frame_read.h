/* trace/read/frame_read.h - one frame of an open file, by its place: its header, its payload as it
 * is stored. Whoever goes through a file from its start has windows of it instead (scan.c). */
#ifndef SYN_FRAME_READ_H
#define SYN_FRAME_READ_H

#include "trace/read/rank_file.h"

/* The header of a frame of `type` (enum syn_frame_type) at `offset`. SYN_OK, SYN_EIO, and why
 * there is none: SYN_ETRUNCATED, SYN_ENOTTRACE, SYN_EVERSION, SYN_EDAMAGED. */
int syn_frame_read_header(int descriptor, uint64_t offset, uint8_t type,
                          struct syn_frame_header *out);
/* The payload of the frame at `offset`, verified: payload [header->compressed_bytes], the
 * caller's. SYN_OK, SYN_EIO, SYN_EDAMAGED. */
int syn_frame_read_payload(int descriptor, uint64_t offset, const struct syn_frame_header *header,
                           uint8_t *payload);

#endif
