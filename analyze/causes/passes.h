/* analyze/causes/passes.h - how long each pass through a segment takes: its median, its 99 %, its
 * longest, and whether long ones come every so many passes. Sums do not tell; so the trace is read
 * a second time, by one thread. */
#ifndef SYN_CAUSE_PASSES_H
#define SYN_CAUSE_PASSES_H

#include "analyze/causes/causes.h"

/* Figures of a segment's time outside of messages. Those of single passes are right to 0.4 %. */
struct syn_pass_figures {
    uint64_t count;
    double median_ns, p99_ns, most_ns;
    uint64_t period;    /* each so-manieth pass takes longer ... */
    double periodic_ns; /* ... namely this, in the median; 0 and NAN: none does */
};

struct syn_passes;

/* All events that `match` reads once more, with its trace, symbols, names and comms; its sink is
 * not asked. `causes` have ended, and are of the same events. 0, or what syn_match_run returns;
 * *out is NULL then. */
int syn_passes_read(const struct syn_match *match, const struct syn_causes *causes,
                    struct syn_passes **out);
void syn_passes_free(struct syn_passes *passes);

/* The figures of a label of the causes on a rank (-1: on all; then nothing is periodic). False: no
 * pass is known. */
bool syn_passes_of(const struct syn_passes *passes, const struct syn_causes *causes, uint32_t label,
                   int32_t rank, struct syn_pass_figures *out);

#endif
