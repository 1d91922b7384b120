/* trace/dense.h - the payload of a DENSE frame (docs/trace-format.md): a chunk of events, and what
 * lies between them, in less space than EVENTS and SEGMENTS take. For traces that are short, whose
 * tables are a large part of them.
 *
 * It is made of the payloads of these two, and they are made of it again, byte for byte: tables as
 * columns of differences; of events in a loop, that they follow each other as before; messages as
 * what is left of the gap that they lie in; samples by the call that they were taken behind, and
 * each count by what the others lead to expect. */
#ifndef SYN_DENSE_H
#define SYN_DENSE_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/dense_layout.h"

/* `events`: the payload of an EVENTS frame of `event_count` events; `segments`: that of its
 * SEGMENTS frame, no bytes if there is none; each with SYN_COLUMNS_SLACK_BYTES behind it. Appends
 * to `out`. Returns 0; SYN_EDAMAGED (they are no such payloads); SYN_ENOMEM. */
int syn_dense_encode(const struct syn_bytes *events, size_t event_count,
                     const struct syn_bytes *segments, struct syn_bytes *out,
                     struct syn_dense_layout *layout);
/* And back, with the slack behind each: `raw` [raw_bytes], with the slack, is not believed, nor is
 * what comes out known to be good. Replaces the content of `events` and `segments`. Returns 0,
 * SYN_EDAMAGED, SYN_ENOMEM. */
int syn_dense_decode(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                     struct syn_bytes *events, struct syn_bytes *segments);

#endif
