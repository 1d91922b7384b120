/* analyze/export/otf2.h - the definitions of an OTF2 archive. */
#ifndef SYN_OTF2_H
#define SYN_OTF2_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/export/export.h"

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

#endif
