/* analyze/clocks/clocks.h - are the clocks of a run as its trace says, and if not, how have they
 * run? Before anything else is computed from a trace's times.
 *
 * The program's own synchronizing collectives bound the clocks of any two of their members, as
 * often as they are called: who has left has seen the last one come. So a clock that was set, or
 * that warmed, shows, and its times can be mended by what it is seen to have done
 * (clocks/solve.h), with a bound that follows from the same collectives.
 *
 * Ranks that share a clock are one here. A run on one clock is left as it is, unread. */
#ifndef SYN_CLOCKS_H
#define SYN_CLOCKS_H

#include "analyze/clocks/causality.h"

struct syn_clock_check {
    int32_t clock_count;      /* that can be told apart; 1: nothing to check */
    int32_t uncompared_count; /* ranks whose clock was never compared with rank 0's */
    /* Found in the times that the trace states: */
    struct syn_causality causality;
    int32_t contradicted_count; /* clocks whose bounds the collectives contradict, */
    int32_t bent_count;         /*   or that they show to have run less evenly than stated */
    int32_t drifted_count;      /* that were seen by measurements alone to have changed their drift:
                                   their bounds have grown, */
    int64_t drifted_bound_ns;   /*   to this at most, */
    int32_t drifted_rank;       /*   of this rank; -1 none */
    /* Changes made by the correction: */
    int32_t mended_count;     /* clocks, of these two */
    int32_t tightened_count;  /* clocks of which the collectives say more than was measured */
    int32_t step_count;       /* times that a clock was set */
    int64_t largest_step_ns;  /* of these, with its sign */
    int64_t largest_shift_ns; /* by which any time was moved */
    int32_t worst_rank;       /* the lowest rank of the clock that was moved most; -1 none */
};

/* Check, and correct the files of an open trace where it is needed or makes the bound tighter. To
 * be called before anything is read of it. The same for any number of threads; memory_bytes as in
 * struct syn_match. 0, SYN_ENOMEM or SYN_EIO. */
int syn_clocks_mend(struct syn_trace *trace, size_t memory_bytes, struct syn_clock_check *out);

/* `now`: of the times as they are, mended or not. Is there more to say than that all is well? */
bool syn_clocks_are_wrong(const struct syn_clock_check *check, const struct syn_causality *now);
/* "lost", "never compared" (some rank's clock), "mended", "drifted" (by measurements alone; the
 * bounds have grown), "tightened" or "as measured". */
const char *syn_clocks_verdict(const struct syn_clock_check *check,
                               const struct syn_causality *now);
/* ... and can times across ranks not be trusted? */
bool syn_clocks_are_lost(const struct syn_causality *now);
/* Do they say in which order ranks came? Not those that are lost, or were never compared. */
bool syn_clocks_can_order(const struct syn_clock_check *check, const struct syn_causality *now);
struct syn_text;
/* Some sentences for people, appended; nothing where all is well. */
void syn_clocks_write(const struct syn_clock_check *check, const struct syn_causality *now,
                      struct syn_text *out);
/* Writes the result of the method "auto": "one clock for all ranks", "4 clocks, 1 step at most from
 * that of rank 0". Writes nothing for other methods, or if the trace has no such figures. */
void syn_clocks_method_words(struct syn_trace *trace, struct syn_text *out);

#endif
