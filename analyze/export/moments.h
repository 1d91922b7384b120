/* analyze/export/moments.h - a queue of moments that are later than the start of the row being
 * written. The earliest moment is first.
 *
 * Rows come in the order of their starts. Some formats have a stream of records for each thread, in
 * the order of time: there the ends and completions of calls lie between the starts of later ones.
 */
#ifndef SYN_MOMENTS_H
#define SYN_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
