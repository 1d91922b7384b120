/* analyze/clocks/clocks.h - checks whether the clocks of a run behaved as its trace states, and
 * corrects them if not. The check comes before any other use of a trace's times.
 *
 * The program's own synchronizing collectives bound the clocks of any two of their members: no
 * member leaves before the last has arrived. So the collectives show when a clock was set or
 * changed its drift. Its times are then corrected (clocks/solve.h), with a bound that follows from
 * the same collectives.
 *
 * Ranks that share a clock are treated as one. A run with a single clock is not read. */
#ifndef SYN_CLOCKS_H
#define SYN_CLOCKS_H

#include "analyze/clocks/causality.h"

struct syn_clock_check {
    int32_t clock_count;      /* different clocks of the run; 1: nothing to check */
    int32_t uncompared_count; /* ranks whose clock was never compared with rank 0's; if any, no
                                 clock is checked */
    /* Result for the times as the trace states them: */
    struct syn_causality causality;
    int32_t contradicted_count; /* clocks whose stated bounds the collectives contradict */
    int32_t bent_count;         /* others that the collectives show to have left their course */
    int32_t drifted_count; /* clocks whose measurements alone show a change of drift; their bounds
                              have grown */
    int64_t drifted_bound_ns; /* largest clock bound of these */
    int32_t drifted_rank;     /* lowest rank of that clock; -1: none */
    /* Changes made by the correction: */
    int32_t mended_count;     /* contradicted and bent clocks that were corrected */
    int32_t tightened_count;  /* clocks that collectives bound better than measurements */
    int32_t step_count;       /* how often clocks were set */
    int64_t largest_step_ns;  /* largest of these changes, with its sign */
    int64_t largest_shift_ns; /* largest amount by which a time was moved */
    int32_t worst_rank;       /* lowest rank of the clock that was moved most; -1: none */
};

/* Checks the clocks of an open trace, and corrects its files where a clock is wrong or the bound
 * becomes tighter. Called before any event is read. The result does not depend on the number of
 * threads. memory_bytes is as in struct syn_match. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_clocks_mend(struct syn_trace *trace, size_t memory_bytes, struct syn_clock_check *out);

/* Returns whether a clock did not run as it was measured. `now` is the check of the times in use,
 * corrected or not; so it is below. */
bool syn_clocks_are_wrong(const struct syn_clock_check *check, const struct syn_causality *now);
/* Returns the verdict: "lost", "never compared" (the clock of some rank), "mended", "drifted" (as
 * measurements alone show; bounds have grown), "tightened" or "as measured". */
const char *syn_clocks_verdict(const struct syn_clock_check *check,
                               const struct syn_causality *now);
/* Returns whether times of different ranks cannot be compared. */
bool syn_clocks_are_lost(const struct syn_causality *now);
/* Returns whether the times show in which order ranks arrived: no clock is lost, and all were
 * compared. */
bool syn_clocks_can_order(const struct syn_clock_check *check, const struct syn_causality *now);
struct syn_text;
/* Appends some sentences for the reader of a report. Writes nothing if the clocks are right. */
void syn_clocks_write(const struct syn_clock_check *check, const struct syn_causality *now,
                      struct syn_text *out);
/* Writes the result of the method "auto": "one clock for all ranks", or "4 clocks, 1 step at most
 * from that of rank 0". Writes nothing for other methods, or if the trace lacks these figures. */
void syn_clocks_method_words(struct syn_trace *trace, struct syn_text *out);

#endif
