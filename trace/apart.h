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

#include "sync/base/bytes.h"
#include "trace/columns.h"
#include "trace/columns_tables.h"

/* The parts that the payload of an EVENTS frame of the same events would have; `source->raw` is
 * kept by reference. Returns 0; SYN_EDAMAGED, then *why is a constant text; SYN_ENOMEM. Free `out`
 * in any case. */
int syn_apart_find(const struct syn_columns_source *source, struct syn_columns_payload *out,
                   const char **why);

/* That payload itself, with SYN_COLUMNS_SLACK_BYTES behind it, to be written as another frame.
 * Replaces the content of `events`. Returns what syn_apart_find does. */
int syn_apart_to_events(const struct syn_columns_source *source, struct syn_bytes *events);

#endif
