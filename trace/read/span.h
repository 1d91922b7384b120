/* trace/read/span.h - the begin and end of a run. Every duration of a run that is reported follows
 * from these. */
#ifndef SYN_SPAN_H
#define SYN_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct syn_trace;

/* An interval on the trace's common clock. */
struct syn_run_span {
    int64_t begin_ns, end_ns; /* begin_ns <= end_ns; both are 0 if nothing is known */
    bool is_of_events;        /* the interval is only that of the events */
};

/* Returns the span of a run: from the first rank's return from MPI_Init to the last rank's entry of
 * MPI_Finalize, according to the manifest. It contains all events. If there is no manifest, or its
 * duration is unknown, it is the span of the events. Times of events come from the headers of
 * chunks, after any correction of clocks (syn_rank_correct). */
struct syn_run_span syn_trace_span(const struct syn_trace *trace);
/* Returns the span from the first event to the last, of any rank. */
struct syn_run_span syn_trace_event_span(const struct syn_trace *trace);

/* Returns true for times within +-2^60 ns, so that any difference of two fits in an int64. Events
 * with other times are left out. */
static inline bool syn_plausible_ns(int64_t ns)
{
    return ns > -((int64_t)1 << 60) && ns < (int64_t)1 << 60;
}

static inline int64_t syn_run_span_ns(struct syn_run_span span)
{
    return span.end_ns - span.begin_ns;
}

#endif
