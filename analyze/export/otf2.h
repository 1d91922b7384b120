/* analyze/export/otf2.h - the definitions of an OTF2 archive, and the queue of its later
 * records. */
#ifndef SYN_OTF2_H
#define SYN_OTF2_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/export/export.h"

/* ---- definitions (otf2_definitions.c) ---- */

enum syn_otf2_attribute {
    SYN_OTF2_SITE,
    SYN_OTF2_SEQUENCE,
    SYN_OTF2_BYTES,
    SYN_OTF2_PHASE,
    SYN_OTF2_SOURCE_LINE,
    SYN_OTF2_ATTRIBUTES
};

/* The definitions written so far. Numbers of strings, regions and lines are stored + 1, and 0 means
 * not written yet. Node 0 is the machine, so 0 means the same for nodes. */
struct syn_otf2_definitions {
    OTF2_GlobalDefWriter *writer; /* borrowed from the archive */
    OTF2_ErrorCode code;          /* of the first call that failed; none is made after it */
    uint32_t string_count, region_count, node_count, line_count;
    struct syn_otf2_name {
        uint32_t string, node;
        uint32_t line; /* UINT32_MAX: the name has no line of a source file */
    } * name;          /* [name_count] by name number */
    size_t name_count;
    uint32_t region_of_op[UINT16_MAX + 1];
    uint32_t wait_region;
    OTF2_StringRef empty;
};

/* Calls OTF2, unless an earlier call has failed. */
#define SYN_OTF2_CALL(definitions, call) \
    ((definitions)->code = (definitions)->code == OTF2_SUCCESS ? (call) : (definitions)->code)

/* Writes the clock, the attributes and the machine. A tick is a nanosecond, counted from the run's
 * begin. start_unix_ns is the time of day then; 0: it is not written. */
void syn_otf2_begin(struct syn_otf2_definitions *definitions, int64_t length_ns,
                    int64_t start_unix_ns);
/* These return the number of a definition, which is written at its first use: the string of a name;
 * the source line of a call site's name ("main.c:31 solve"), or OTF2_UNDEFINED_SOURCE_CODE_LOCATION
 * if it has none; the region of an operation; the region of all calls that complete nonblocking
 * operations. */
OTF2_StringRef syn_otf2_name(struct syn_otf2_definitions *definitions,
                             const struct syn_names *names, uint32_t name);
OTF2_SourceCodeLocationRef syn_otf2_source_line(struct syn_otf2_definitions *definitions,
                                                const struct syn_names *names, uint32_t name);
OTF2_RegionRef syn_otf2_region(struct syn_otf2_definitions *definitions, uint16_t op,
                               const char *name);
OTF2_RegionRef syn_otf2_wait_region(struct syn_otf2_definitions *definitions);
/* Writes all communicators of a run, numbered by their index. Location r is the first thread of
 * rank r. */
void syn_otf2_comms(struct syn_otf2_definitions *definitions, const struct syn_comms *comms,
                    const struct syn_names *names);
/* Writes the process of a rank, and its node at first use. */
void syn_otf2_process(struct syn_otf2_definitions *definitions, const struct syn_names *names,
                      int32_t rank, uint32_t node_name);
void syn_otf2_location(struct syn_otf2_definitions *definitions, uint64_t location, int32_t rank,
                       uint32_t thread, uint64_t event_count);
void syn_otf2_free(struct syn_otf2_definitions *definitions);

/* Sets *out to OTF2's code of a collective. Returns false if OTF2 has none: neighbourhood
 * collectives, windows, files and messages. */
bool syn_otf2_op(uint16_t op, OTF2_CollectiveOp *out);

/* A moment is a record to be written later than the start of the current row. Rows come in the
 * order of their starts, and a thread's records are in the order of time. But the ends and
 * completions of calls lie between the starts of later calls. So moments wait in a heap, the
 * earliest first. */
enum syn_moment_kind {
    SYN_MOMENT_CALL_END,   /* a blocking call returns */
    SYN_MOMENT_INITIATED,  /* the initiating call of a nonblocking operation returns */
    SYN_MOMENT_WAIT_BEGIN, /* the completing call starts */
    SYN_MOMENT_COMPLETE    /* the completing call returns */
};

struct syn_moment {
    int64_t time_ns;
    uint64_t order; /* orders moments of one time; syn_moments_push sets it, ascending */
    enum syn_moment_kind kind;
    uint32_t location; /* index of the thread's stream */
    uint64_t call;     /* number of the call */
    int64_t wait_start_ns;
    uint64_t bytes;
    uint32_t comm; /* index in the run's syn_comms */
    int32_t root;  /* of a message, its peer */
    int32_t tag;   /* of a message, as the bits below */
    uint16_t message_bits;
    uint16_t op;
};

struct syn_moment_heap {
    struct syn_moment *moment; /* [count], a binary heap */
    size_t count, capacity;
    uint64_t pushed_count;
};

/* Adds a moment. Returns 0 or SYN_ENOMEM. */
int syn_moments_push(struct syn_moment_heap *moments, struct syn_moment moment);
/* Removes the earliest moment, and copies it to *out. Returns false if it is after `until_ns`, or
 * if there is none. */
bool syn_moments_pop(struct syn_moment_heap *moments, int64_t until_ns, struct syn_moment *out);
void syn_moments_free(struct syn_moment_heap *moments);

#endif
