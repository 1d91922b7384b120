/* analyze/export/otf2.h - the definitions of an OTF2 archive, and the queue of what lies between
 * the starts of calls. */
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

/* Numbers of strings and nodes are kept + 1, 0: not written yet. */
struct syn_otf2_definitions {
    OTF2_GlobalDefWriter *writer; /* the archive's */
    uint32_t string_count, region_count, node_count;
    uint32_t *string_of_name; /* [name_count], by name number */
    uint32_t *node_of_name;
    uint32_t *line_of_name; /* UINT32_MAX: the name is no line of a source file */
    uint32_t line_count;
    size_t name_count;
    uint32_t region_of_op[UINT16_MAX + 1];
    uint32_t wait_region;
    OTF2_StringRef empty;
};

/* All return an OTF2_ErrorCode, OTF2_SUCCESS or not. Clock: ticks of a nanosecond, counted from
 * the run's begin. Its date there is start_unix_ns; 0: none is written. */
OTF2_ErrorCode syn_otf2_begin(struct syn_otf2_definitions *definitions, int64_t length_ns,
                              int64_t start_unix_ns);
/* Returns the string of a name number, written once. */
OTF2_ErrorCode syn_otf2_name(struct syn_otf2_definitions *definitions,
                             const struct syn_names *names, uint32_t name, OTF2_StringRef *out);
/* The line of source of a site's name ("main.c:31 solve"), written once;
 * OTF2_UNDEFINED_SOURCE_CODE_LOCATION for a name that has none. */
OTF2_ErrorCode syn_otf2_source_line(struct syn_otf2_definitions *definitions,
                                    const struct syn_names *names, uint32_t name,
                                    OTF2_SourceCodeLocationRef *out);
OTF2_ErrorCode syn_otf2_region(struct syn_otf2_definitions *definitions, uint16_t op,
                               const char *name, OTF2_RegionRef *out);
/* The calls that complete nonblocking ones. */
OTF2_ErrorCode syn_otf2_wait_region(struct syn_otf2_definitions *definitions, OTF2_RegionRef *out);
/* All communicators of a run, each under its index; location r is rank r's first thread. */
OTF2_ErrorCode syn_otf2_comms(struct syn_otf2_definitions *definitions,
                              const struct syn_comms *comms, const struct syn_names *names);
/* A process on its node. */
OTF2_ErrorCode syn_otf2_process(struct syn_otf2_definitions *definitions,
                                const struct syn_names *names, int32_t rank, uint32_t node_name);
OTF2_ErrorCode syn_otf2_location(struct syn_otf2_definitions *definitions, uint64_t location,
                                 int32_t rank, uint32_t thread, uint64_t event_count);
void syn_otf2_free(struct syn_otf2_definitions *definitions);

/* OTF2's code of a collective; OTF2 has none for neighbourhoods, windows and files: false. */
bool syn_otf2_op(uint16_t op, OTF2_CollectiveOp *out);

/* Moments that are later than the start of the row being written, the earliest first. Rows come in
 * the order of their starts; a thread's records are in the order of time, and the ends and
 * completions of calls lie between the starts of later ones. */
enum syn_moment_kind {
    SYN_MOMENT_CALL_END,   /* of a blocking call */
    SYN_MOMENT_INITIATED,  /* the initiating call of a nonblocking one returns */
    SYN_MOMENT_WAIT_BEGIN, /* the call that completes it starts, */
    SYN_MOMENT_COMPLETE    /* and returns */
};

struct syn_moment {
    int64_t time_ns;
    uint64_t order; /* among those of one time: given by push, ascending */
    enum syn_moment_kind kind;
    uint32_t location; /* the thread, as the format numbers it */
    uint64_t call;     /* number of its call */
    int64_t wait_start_ns;
    uint64_t bytes;
    uint32_t comm; /* as the format numbers them */
    int32_t root;  /* of a message its peer */
    int32_t tag;   /* of a message, and its bits */
    uint16_t message_bits;
    uint16_t op;
};

struct syn_moment_heap {
    struct syn_moment *moment; /* [count], a binary heap */
    size_t count, capacity;
    uint64_t pushed_count;
};

/* 0 or SYN_ENOMEM. */
int syn_moments_push(struct syn_moment_heap *moments, struct syn_moment moment);
/* Removes the earliest moment and copies it to *out. Returns false if it is after `until_ns`, or if
 * there is none. */
bool syn_moments_pop(struct syn_moment_heap *moments, int64_t until_ns, struct syn_moment *out);
void syn_moments_free(struct syn_moment_heap *moments);

#endif
