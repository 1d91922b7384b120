/* trace/dense_segments.h - what lies between the calls of a chunk, in a DENSE payload: for dense.c.
 */
#ifndef SYN_DENSE_SEGMENTS_H
#define SYN_DENSE_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/dense_layout.h"

/* Times of the chunk's events, in its time base. */
struct syn_dense_calls {
    size_t count;
    int64_t base; /* of the chunk's first gap */
    int64_t *gap; /* [count], before each call */
    int64_t *end; /* [count], of each call */
};

/* `segments`: the payload of a SEGMENTS frame, with the slack behind it. 0, SYN_EDAMAGED,
 * SYN_ENOMEM. */
int syn_dense_put_segments(const struct syn_bytes *segments, const struct syn_dense_calls *calls,
                           struct syn_bytes *out, struct syn_dense_layout *layout);
/* And back, from bytes that have the slack behind them. */
int syn_dense_take_segments(struct syn_take *take, const struct syn_dense_calls *calls,
                            struct syn_bytes *segments);

#endif
