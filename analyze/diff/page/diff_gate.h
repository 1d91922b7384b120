/* analyze/diff/page/diff_gate.h - parses the words of --fail-on, and judges whether a diff passes
 * that gate.
 *
 * Claims and error rates: docs/methods-statistics.md, "Gates". */
#ifndef SYN_DIFF_GATE_H
#define SYN_DIFF_GATE_H

#include "analyze/diff/diff.h"
#include "analyze/print/ci.h"

/* Words of the list that are no verdict. */
enum syn_gate_word {
    SYN_GATE_NOTHING = SYN_VERDICT_INDISTINGUISHABLE + 1, /* syn_diff_says_nothing */
    SYN_GATE_ONLY_IN_A,
    SYN_GATE_ONLY_IN_B,
    SYN_GATE_SLOWER_SEGMENT,
    SYN_GATE_FASTER_SEGMENT,
    SYN_GATE_SLOWER_MESSAGE, /* messages of a call site or of a pair of ranks */
    SYN_GATE_FASTER_MESSAGE,
    SYN_GATE_RUN_TIME,    /* B's run time is certainly longer than A's by more than run_time */
    SYN_GATE_SLOWER_THAN, /* a group certainly costs more than slower_than of the run more */
    SYN_GATE_UNABLE       /* the runs could not have shown a change by `unable` */
};
#define SYN_GATE_HAS(gate, word) (((gate)->set >> (word)) & 1u)

struct syn_diff_gate {
    unsigned set; /* 1 << verdict, 1 << enum syn_gate_word; 0: no gate */
    double run_time, slower_than,
        unable; /* shares of A's run; run_time NAN: the diff's threshold */
};

/* Words for completion, and for the error line about a wrong word. */
#define SYN_GATE_COMPLETION                                                                     \
    "slower slower=1% faster unclear equivalent indistinguishable nothing only-in-a only-in-b " \
    "slower-segment faster-segment slower-message faster-message run-time run-time=5% unable=10%"
#define SYN_GATE_EXPECTED                                                              \
    "a list of run-time, run-time=X%, slower, slower=X%, unable=X%, faster, unclear, " \
    "equivalent, indistinguishable, \"too few runs\", nothing, only-in-a, only-in-b, " \
    "slower-segment, faster-segment, slower-message and faster-message, such as "      \
    "run-time,slower=1%"

/* Parses a list such as "run-time=5%,only-in-b". Returns 0, SYN_EINVAL or SYN_ENOMEM. */
int syn_gate_parse(const char *list, struct syn_diff_gate *out);

/* Judges the diff by all words of the gate. *checks: those that are no verdict of a group or
 * segment. *passes: no check failed, and nothing that the gate names was found. Returns 0 or
 * SYN_ENOMEM; the caller frees the checks in any case. */
int syn_gate_judge(const struct syn_diff *diff, const struct syn_diff_gate *gate,
                   struct syn_checks *checks, bool *passes);

#endif
