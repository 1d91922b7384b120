/* trace/apart.h - the payloads of APART and STOPS frames (docs/trace-format.md): chunks of events
 * of which something lies apart from the tuples.
 *
 * In an EVENTS frame each call site needs a tuple. Where nearly every event has another one, tuples
 * and the index into them are most of what has to be made and compressed, while the program waits.
 * An APART frame has the call stacks first, as columns of bytes, and then the payload of an EVENTS
 * frame without stacks. Likewise a STOPS frame has a list of the events that the recorder stopped
 * before: with a flag for it in the tuples, each chunk would have two of every kind, and a column
 * that says which. columns_encode.c makes them all. */
#ifndef SYN_APART_H
#define SYN_APART_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

/* The payload that an EVENTS frame of the same events would have, with SYN_COLUMNS_SLACK_BYTES
 * behind it. `raw` [raw_bytes], of a frame of that type, is not believed, nor is what comes out
 * known to be good. Replaces the content of `events`. Returns 0, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_apart_decode(uint8_t frame_type, const uint8_t *raw, size_t raw_bytes, size_t event_count,
                     struct syn_bytes *events);

#endif
