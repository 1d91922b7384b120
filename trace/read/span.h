/* trace/read/span.h - when a run begins and ends. All that says how long a run took goes by this.
 */
#ifndef SYN_SPAN_H
#define SYN_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct syn_trace;

/* A stretch of the trace's common clock. */
struct syn_run_span {
    int64_t begin_ns, end_ns; /* begin_ns <= end_ns; both 0 where nothing is known */
    bool is_of_events;        /* nobody has said when the run began and ended */
};

/* The run: from the first rank's return of MPI_Init to the last rank's entry of MPI_Finalize, as
 * the manifest says; never less than from the first event to the last. Without a manifest, or with
 * one of a trace that was recovered, that of the events. By the headers of chunks, after any
 * correction of clocks (syn_rank_correct). */
struct syn_run_span syn_trace_span(const struct syn_trace *trace);
/* From the first event to the last, of any rank. */
struct syn_run_span syn_trace_event_span(const struct syn_trace *trace);

/* Times within +-2^60 ns: any difference of two fits an int64. Events with others are left out. */
static inline bool syn_plausible_ns(int64_t ns)
{
    return ns > -((int64_t)1 << 60) && ns < (int64_t)1 << 60;
}

static inline int64_t syn_run_span_ns(struct syn_run_span span)
{
    return span.end_ns - span.begin_ns;
}

#endif
