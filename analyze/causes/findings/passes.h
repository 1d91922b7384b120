/* analyze/causes/findings/passes.h - figures of single passes through segments: median, 99 %,
 * longest, and whether every n-th pass is a long one. Sums do not contain this, so one thread reads
 * the trace a second time. */
#ifndef SYN_CAUSE_PASSES_H
#define SYN_CAUSE_PASSES_H

#include "analyze/causes/causes.h"

/* Figures of a segment's time outside of messages. Those of single passes are correct to 0.4 %. */
struct syn_pass_figures {
    uint64_t count;
    double median_ns, p99_ns, most_ns;
    uint64_t period;    /* each period-th pass is a long one; 0: no period */
    double periodic_ns; /* median of these long passes; NAN: no period */
};

struct syn_passes;

/* Reads all events of `match` once more, with its trace, symbols, names and comms, but not its
 * sink. `causes` are those of the same events, and have ended. *out is NULL if passes need more
 * than memory_bytes. Returns 0, or the error of syn_match_run; *out is NULL then. */
int syn_passes_read(const struct syn_match *match, const struct syn_causes *causes,
                    size_t memory_bytes, struct syn_passes **out);
void syn_passes_free(struct syn_passes *passes);

/* Sets the figures of a label of the causes on a rank. Rank -1 stands for all ranks; then no period
 * is searched. Returns false if no pass is known, or if out of memory. */
bool syn_passes_of(const struct syn_passes *passes, const struct syn_causes *causes, uint32_t label,
                   int32_t rank, struct syn_pass_figures *out);

#endif
