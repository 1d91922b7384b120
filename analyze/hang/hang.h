/* analyze/hang/hang.h - finds from the graph of waiting whether a run hangs, which ranks wait, and
 * for which ranks.
 *
 *     model (look.c) --> syn_hang_find --> waits, absent ranks, a circle
 *                        the caller adds how long earlier waits were (examine.c)
 *                    --> syn_hang_judge --> the state, and the chance of a false alarm
 *
 * All lists are in the order in which a report tells them. `hang --watch` finds and judges anew
 * each second: no state is kept in between. */
#ifndef SYN_HANG_H
#define SYN_HANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/hang/graph.h"
#include "analyze/hang/model.h"

enum syn_hang_state {
    SYN_HANG_IS_STUCK, /* the run never goes on: a circle, a rank that is gone, or a disagreement */
    SYN_HANG_IS_WAITING,     /* a wait is too long, by earlier waits or by the floor */
    SYN_HANG_IS_PROGRESSING, /* the run is live, and neither of the above */
    SYN_HANG_HAS_ENDED,      /* all ranks left MPI_Finalize, or left the program by exit() */
    SYN_HANG_WAS_KILLED      /* the run was killed, and did not hang as far as known */
};

struct syn_hang_options {
    int64_t floor_ns; /* a wait of this length is too long if fewer than SYN_HANG_FEW earlier ones
                         are known */
    int64_t
        least_ns;  /* a shorter wait is never too long, and a shorter disagreement does not block */
    double factor; /* a wait is too long if longer than the longest earlier one times this */
    struct syn_hang_stand stand;
};
#define SYN_HANG_OPTIONS                                                                           \
    {                                                                                              \
        .floor_ns = INT64_C(60000000000), .least_ns = INT64_C(1000000000), .factor = 2, .stand = { \
            .transit_ns = INT64_C(5000000000),                                                     \
            .rest_ns = INT64_C(60000000000)                                                        \
        }                                                                                          \
    }
/* Sets all times to `ns`: the floor, and both times after which a call never returns. */
void syn_hang_count_from(struct syn_hang_options *options, int64_t ns);
/* The longest of fewer earlier waits is no measure. */
#define SYN_HANG_FEW 20

/* The durations of earlier calls of one rank at the same call site. */
struct syn_hang_earlier {
    uint64_t count;
    double n_effective; /* independent calls that say as much */
    int64_t longest_ns;
};

/* Ranks that are inside the same call, from the same call site. */
struct syn_hang_wait {
    size_t call;      /* the one of these calls, in the model, that has waited longest, */
    int64_t since_ns; /* since then */
    int32_t *rank;    /* [rank_count] ascending; owned */
    size_t rank_count;
    bool lost;  /* one of the calls never returns */
    bool waits; /* one of the calls waits for a rank; else all members that they need are there */
    bool is_too_long; /* set by syn_hang_judge */
    struct syn_hang_earlier earlier;
};

/* A rank that others wait for. */
struct syn_hang_absent {
    int32_t rank;
    size_t call;          /* of the model: its open call, or its last call; SIZE_MAX: none */
    bool root;            /* it waits for no rank, is stopped, or is inside MPI_Finalize */
    bool lost;            /* it never goes on */
    size_t waiting_count; /* calls of the model that wait for it directly */
};

struct syn_hang {
    enum syn_hang_state state;
    int64_t for_ns;             /* the longest wait so far; 0: no rank waits */
    struct syn_hang_wait *wait; /* [wait_count], those with `waits` first, then the longest first */
    size_t wait_count;
    struct syn_hang_absent *absent; /* [absent_count], roots first, then by rank */
    size_t absent_count;
    int32_t *cycle; /* [cycle_count], each rank waits for the next one; owned */
    size_t cycle_count;
    int32_t *unknown; /* [unknown_count], ranks of which the state is not known; owned */
    size_t unknown_count;
    /* Evidence on the longest wait. longest_before_ns: the longest earlier wait at the same call
     * site; -1: none is known. chance: the largest probability that one of the waits looks too long
     * by chance; NAN: no wait was judged too long by earlier ones. */
    int64_t longest_before_ns;
    double chance;
    bool is_conditional; /* the run is stuck only if no message was under way when it was killed */
};

/* Finds which ranks wait, and for which ranks. Returns 0 or SYN_ENOMEM; free in any case. */
int syn_hang_find(const struct syn_hang_model *model, const struct syn_hang_options *options,
                  struct syn_hang *out);
/* Judges each wait and sets the state. `disagree`: ranks that are inside one instance made calls
 * that cannot both return (syn_disagreements_block). Such a run is stuck once it has waited for
 * least_ns, or at once if the time of its end is not known. */
void syn_hang_judge(struct syn_hang *hang, const struct syn_hang_model *model,
                    const struct syn_hang_options *options, bool disagree);
void syn_hang_free(struct syn_hang *hang);

/* Returns "stuck", "waiting", "progressing", "ended" or "killed". */
const char *syn_hang_state_name(enum syn_hang_state state);
/* Returns where an absent rank is: "outside", "message", "collective", "finalize" or "dead". */
const char *syn_hang_absent_name(const struct syn_hang_model *model,
                                 const struct syn_hang_absent *absent);
/* Returns the name of the function that a call is inside, or was; never NULL. */
const char *syn_hang_call_name(const struct syn_hang_call *call);

#endif
