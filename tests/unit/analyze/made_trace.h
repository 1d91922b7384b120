/* tests/unit/analyze/made_trace.h - traces for tests, event by event, in a directory of their own.
 */
#ifndef MADE_TRACE_H
#define MADE_TRACE_H

#include <stdint.h>

#include "trace/base/event.h"
#include "trace/read/reader.h"
#include "trace/write/writer.h"

#define MADE_RANKS 8

struct made_trace {
    char directory[64];
    int rank_count;
    struct syn_writer *writer[MADE_RANKS];
    uint64_t event_count[MADE_RANKS];
    struct syn_timeline timeline[MADE_RANKS];
};

/* A run of rank_count ranks on MPI_COMM_WORLD (index 0, id 1), ticks being global nanoseconds. */
void made_begin(struct made_trace *made, int rank_count);
/* As above, with a clock bound of half_width_ns that grows by `wander` per nanosecond from time
 * 0. */
void made_begin_bounded(struct made_trace *made, int rank_count, int64_t half_width_ns,
                        double wander);
void made_comm(struct made_trace *made, int rank, struct syn_comm_record comm);
/* One blocking event: rank, start, end, and whatever else `event` holds. */
void made_event(struct made_trace *made, int rank, int64_t start_ns, int64_t end_ns,
                struct syn_event event);
/* One event as it is. */
void made_raw(struct made_trace *made, int rank, struct syn_event event);
/* Events of one of the rank's threads as they are, written at once. */
void made_thread(struct made_trace *made, int rank, uint32_t thread, const struct syn_event *event,
                 size_t count);
/* Finish all ranks but those in the mask `without`, write the manifest and open the trace. */
struct syn_trace *made_open(struct made_trace *made, unsigned without);
/* Close and remove everything. */
void made_end(struct made_trace *made, struct syn_trace *trace);

#endif
