/* trace/base/frame.h - the frames that a rank's file consists of (docs/trace-format.md).
 *
 * Our header is a zstd skippable frame of 120 bytes; the payload behind it is one ordinary zstd
 * frame. So the whole file is a valid sequence of zstd frames: `zstd -t` verifies it. */
#ifndef SYN_FRAME_H
#define SYN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of the format of all files and of the manifest. */
#define SYN_FORMAT_VERSION     1
#define SYN_FRAME_HEADER_BYTES 120
/* Events in one chunk at most: see docs/trace-format.md, "Measured", for the choice. */
#define SYN_CHUNK_EVENTS 16384
/* Limits of a reader: they bound its memory per chunk, whatever a file says. */
#define SYN_CHUNK_EVENTS_MAX 65536
/* No fewer than the entries of the largest raw block (raw.h), which becomes one chunk at least. */
#define SYN_CHUNK_SAMPLES_MAX (4 * SYN_CHUNK_EVENTS_MAX)
#define SYN_SECTION_RAW_MAX   ((uint64_t)16 << 20)

enum syn_frame_type {
    SYN_FRAME_FILE = 1, /* first in the file; no payload */
    SYN_FRAME_META = 2,
    SYN_FRAME_COMM = 3,
    SYN_FRAME_MODULE = 4,
    SYN_FRAME_STACK = 5,
    SYN_FRAME_CLOCK = 6,
    SYN_FRAME_OPS = 7,
    SYN_FRAME_EVENTS = 8, /* a chunk: events, and what lies between them */
    SYN_FRAME_END = 9,
    /* In node files, and SECTIONS in short rank files: */
    SYN_FRAME_NODE = 11,     /* which ranks' parts lie where; first and last in the file */
    SYN_FRAME_SHARED = 12,   /* what the sections of all parts refer to */
    SYN_FRAME_SECTIONS = 13, /* all sections of a rank, in one frame, as they differ from that */
    SYN_FRAME_MEMBERS = 14,  /* no frame: communicators as they are within SECTIONS */
    SYN_FRAME_PARITY = 16,   /* repairs SHARED */
    SYN_FRAME_OPEN = 17      /* the calls that threads were inside when the rank ended */
};

/* Times of an EVENTS frame: global nanoseconds, or ticks of the rank's clock. */
enum syn_time_base { SYN_TIME_GLOBAL_NS = 0, SYN_TIME_LOCAL_TICKS = 1 };

struct syn_frame_header {
    uint8_t type; /* enum syn_frame_type; others are skipped by a reader */
    uint16_t format_version;
    uint32_t number; /* of the frame in the file, from 0: a gap shows what was lost */
    uint8_t run_id[16];
    int32_t rank;
    int32_t size;
    uint64_t raw_bytes;        /* of the payload once decompressed */
    uint64_t compressed_bytes; /* of the zstd frame that follows the header */
    uint64_t element_count;    /* events, communicators, ... */
    uint64_t
        first_event; /* EVENTS: how many events the file has before these; END: how many in all */
    int64_t span_start; /* EVENTS: smallest start and largest end, in the frame's time base */
    int64_t span_end;
    uint32_t thread;
    uint16_t time_base;    /* enum syn_time_base */
    uint64_t payload_hash; /* XXH3 64 of the compressed payload */
};

/* The content of a place where a header should be. */
enum syn_frame_verdict {
    SYN_FRAME_VALID,
    SYN_FRAME_NEWER, /* a valid header of a later format version: only its identity can be relied on
                      */
    SYN_FRAME_BROKEN, /* ours by its magic, but its checksum does not hold */
    SYN_FRAME_FOREIGN /* no header of ours */
};

/* The header of a frame but for its payload: the `number`-th of a file of that run and rank. */
struct syn_frame_header syn_frame_begin(uint8_t type, uint32_t number, int32_t rank, int32_t size,
                                        const uint8_t run_id[16]);
void syn_frame_encode(const struct syn_frame_header *frame, uint8_t header[SYN_FRAME_HEADER_BYTES]);
enum syn_frame_verdict syn_frame_decode(const uint8_t header[SYN_FRAME_HEADER_BYTES],
                                        struct syn_frame_header *out);
/* Do `bytes` (fewer than a header) look like the start of one? True for none at all. */
bool syn_frame_is_prefix(const uint8_t *data, size_t bytes);
/* Offset of the first place in `data` where a whole header may start, or `bytes` if there is none.
 */
size_t syn_frame_search(const uint8_t *data, size_t bytes);
/* Are the sizes in a valid header ones that a writer can have meant? Bounds every later allocation.
 */
bool syn_frame_plausible(const struct syn_frame_header *frame);
/* "events", "communicators", ...; "unknown" for a type this build does not know. */
const char *syn_frame_type_name(uint8_t type);

#endif
