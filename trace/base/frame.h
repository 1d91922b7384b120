/* trace/base/frame.h - the frames of a rank's file (docs/trace-format.md).
 *
 * A frame's header is a zstd skippable frame of 120 bytes. The payload behind the header is an
 * ordinary zstd frame. So the whole file is a valid sequence of zstd frames, and `zstd -t` verifies
 * it. */
#ifndef SYN_FRAME_H
#define SYN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of the format of all files and of the manifest. */
#define SYN_FORMAT_VERSION     1
#define SYN_FRAME_HEADER_BYTES 120
/* The largest number of events in a chunk. docs/trace-format.md, "Measured", has the reason. */
#define SYN_CHUNK_EVENTS 16384
/* Limits of a reader. They bound its memory per chunk, whatever a file claims. */
#define SYN_CHUNK_EVENTS_MAX 65536
/* At least the number of entries of the largest raw block (raw.h): each raw block becomes one chunk
 * or more. */
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
    SYN_FRAME_EVENTS = 8, /* a chunk: events, and the segments and samples between them */
    SYN_FRAME_END = 9,
    /* Types of frames in node files. SECTIONS is also in short rank files. */
    SYN_FRAME_NODE =
        11, /* the index: where the part of each rank lies; first and last in the file */
    SYN_FRAME_SHARED = 12,   /* content that the sections of all parts refer to */
    SYN_FRAME_SECTIONS = 13, /* all sections of a rank in one frame, as a difference from SHARED */
    SYN_FRAME_MEMBERS = 14,  /* not a frame: marks communicators within SECTIONS */
    SYN_FRAME_PARITY = 16,   /* repairs SHARED */
    SYN_FRAME_OPEN = 17      /* the calls that threads were inside when the rank ended */
};

/* The unit of the times in an EVENTS frame: global nanoseconds, or ticks of the rank's clock. */
enum syn_time_base { SYN_TIME_GLOBAL_NS = 0, SYN_TIME_LOCAL_TICKS = 1 };

struct syn_frame_header {
    uint8_t type; /* enum syn_frame_type; a reader skips other types */
    uint16_t format_version;
    uint32_t
        number; /* number of the frame in the file, from 0; a gap shows that frames were lost */
    uint8_t run_id[16];
    int32_t rank;
    int32_t size;
    uint64_t raw_bytes;        /* size of the payload after decompression */
    uint64_t compressed_bytes; /* of the zstd frame that follows the header */
    uint64_t element_count;    /* number of events, communicators, ... */
    uint64_t
        first_event; /* EVENTS: number of events in the frames before; END: number of all events */
    int64_t span_start; /* EVENTS: smallest start and largest end, in the frame's time base */
    int64_t span_end;
    uint32_t thread;
    uint16_t time_base;    /* enum syn_time_base */
    uint64_t payload_hash; /* XXH3 64 of the compressed payload */
};

/* The result of decoding the place where a header is expected. */
enum syn_frame_verdict {
    SYN_FRAME_VALID,
    SYN_FRAME_NEWER,  /* a valid header of a later format version: only its identity is reliable */
    SYN_FRAME_BROKEN, /* a header with our magic number, but its checksum does not hold */
    SYN_FRAME_FOREIGN /* no header of ours */
};

/* Returns a frame's header without the fields that describe its payload: the header of frame
 * `number` in a file of this run and rank. */
struct syn_frame_header syn_frame_begin(uint8_t type, uint32_t number, int32_t rank, int32_t size,
                                        const uint8_t run_id[16]);
void syn_frame_encode(const struct syn_frame_header *frame, uint8_t header[SYN_FRAME_HEADER_BYTES]);
enum syn_frame_verdict syn_frame_decode(const uint8_t header[SYN_FRAME_HEADER_BYTES],
                                        struct syn_frame_header *out);
/* Returns true if `data` [bytes], shorter than a header, may be the start of a header; true for 0
 * bytes. */
bool syn_frame_is_prefix(const uint8_t *data, size_t bytes);
/* Returns the offset of the first place in `data` where a whole header may start, or `bytes` if
 * there is none. */
size_t syn_frame_search(const uint8_t *data, size_t bytes);
/* Returns true if a writer can have made the sizes in this valid header. This bounds every later
 * allocation. */
bool syn_frame_plausible(const struct syn_frame_header *frame);
/* Returns "events", "communicators", ...; "unknown" for a type that this build does not know. */
const char *syn_frame_type_name(uint8_t type);

#endif
