/* analyze/causes/findings/passes.h - Single passes through segments: median, 99 %, longest, and
 * whether long ones come every so many passes. Sums do not tell that, so one thread reads the trace
 * a second time. */
#ifndef SYN_CAUSE_PASSES_H
#define SYN_CAUSE_PASSES_H

#include "analyze/causes/causes.h"

/* Figures of a segment's time outside of messages. Those of single passes are right to 0.4 %. */
struct syn_pass_figures {
    uint64_t count;
    double median_ns, p99_ns, most_ns;
    uint64_t period;    /* each period-th pass is a long one; 0: none is */
    double periodic_ns; /* the median of these; NAN: none is */
};

struct syn_passes;

/* Read all events of `match` once more, with its trace, symbols, names and comms, but not its sink.
 * `causes` have ended, and are of the same events. *out is NULL where passes need more than
 * memory_bytes. Returns 0, or what syn_match_run returns; *out is NULL then. */
int syn_passes_read(const struct syn_match *match, const struct syn_causes *causes,
                    size_t memory_bytes, struct syn_passes **out);
void syn_passes_free(struct syn_passes *passes);

/* Find the figures of a label of the causes on a rank (-1: on all; then nothing is periodic).
 * Returns false where no pass is known, or memory runs out. */
bool syn_passes_of(const struct syn_passes *passes, const struct syn_causes *causes, uint32_t label,
                   int32_t rank, struct syn_pass_figures *out);

#endif
