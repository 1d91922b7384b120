/* analyze/hang/hang.h - does a run hang, who waits, and for whom: what a graph of waiting says.
 *
 *     model (look.c) --> syn_hang_find --> waits, absent ranks, a circle
 *                        the caller adds how long earlier waits were (examine.c)
 *                    --> syn_hang_judge --> the state, and the chance of a false alarm
 *
 * All lists are in the order in which they are told. A process that wakes once a second finds and
 * judges anew each time; nothing is kept between. */
#ifndef SYN_HANG_H
#define SYN_HANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/hang/graph.h"
#include "analyze/hang/model.h"

enum syn_hang_state {
    SYN_HANG_IS_STUCK,       /* it never goes on: a circle, a rank that is gone, a mismatch */
    SYN_HANG_IS_WAITING,     /* for longer than ever before */
    SYN_HANG_IS_PROGRESSING, /* live */
    SYN_HANG_HAS_ENDED,      /* all ranks left MPI_Finalize, or the program by exit() */
    SYN_HANG_WAS_KILLED      /* while it did not hang, as far as known */
};

struct syn_hang_options {
    int64_t floor_ns; /* a wait is too long from here on where too few earlier ones are known */
    int64_t least_ns; /* no shorter wait is ever too long, and no shorter disagreement blocks */
    double factor;    /* times the longest of the earlier waits */
    struct syn_hang_stand stand;
};
#define SYN_HANG_OPTIONS                                                                           \
    {                                                                                              \
        .floor_ns = INT64_C(60000000000), .least_ns = INT64_C(1000000000), .factor = 2, .stand = { \
            .transit_ns = INT64_C(5000000000),                                                     \
            .rest_ns = INT64_C(60000000000)                                                        \
        }                                                                                          \
    }
/* Judge all by one time. */
void syn_hang_count_from(struct syn_hang_options *options, int64_t ns);
/* The longest of fewer earlier waits says too little. */
#define SYN_HANG_FEW 20

/* Earlier calls of one rank at the same place: how long each took. */
struct syn_hang_earlier {
    uint64_t count;
    double n_effective; /* of so many independent ones */
    int64_t longest_ns;
};

/* Ranks that are inside the same call, from the same place. */
struct syn_hang_wait {
    size_t call;   /* of the model: the one that has waited longest speaks for all */
    int32_t *rank; /* [rank_count] ascending; owned */
    size_t rank_count;
    bool lost;        /* one of them never returns */
    bool waits;       /* one of them waits for somebody; else all that they need are there */
    bool is_too_long; /* judged */
    struct syn_hang_earlier earlier;
};

/* A rank that somebody waits for. */
struct syn_hang_absent {
    int32_t rank;
    size_t call;          /* of the model: what it is inside, or its last call; SIZE_MAX: none */
    bool root;            /* it waits for nobody */
    bool lost;            /* it never comes */
    size_t waiting_count; /* calls that wait for it directly */
};

struct syn_hang {
    enum syn_hang_state state;
    int64_t for_ns;             /* the longest wait so far; 0: nobody waits */
    struct syn_hang_wait *wait; /* [wait_count], the longest first */
    size_t wait_count;
    struct syn_hang_absent *absent; /* [absent_count], roots first, then by rank */
    size_t absent_count;
    int32_t *cycle; /* [cycle_count], each waits for the next one; owned */
    size_t cycle_count;
    int32_t *unknown; /* [unknown_count], ranks of which a file is missing; owned */
    size_t unknown_count;
    /* Evidence on the longest wait. longest_before_ns: the longest earlier one there, -1 if none is
     * known. chance: the largest probability that one of the waits looks too long by chance, NAN if
     * the floor decided. */
    int64_t longest_before_ns;
    double chance;
    bool is_conditional; /* stuck only if no message was under way when the run was killed */
};

/* Find who waits for whom. 0 or SYN_ENOMEM; free in any case. */
int syn_hang_find(const struct syn_hang_model *model, const struct syn_hang_options *options,
                  struct syn_hang *out);
/* The state. `disagree`: ranks that are inside one instance made calls that cannot both return
 * (syn_disagreements_block); a short moment is left to them. */
void syn_hang_judge(struct syn_hang *hang, const struct syn_hang_model *model,
                    const struct syn_hang_options *options, bool disagree);
void syn_hang_free(struct syn_hang *hang);

/* "stuck", "waiting", "progressing", "ended", "killed". */
const char *syn_hang_state_name(enum syn_hang_state state);
/* "outside", "message", "collective", "finalize", "dead": where an absent rank is. */
const char *syn_hang_absent_name(const struct syn_hang_model *model,
                                 const struct syn_hang_absent *absent);
/* "running", "asleep", "disk", "stopped"; NULL: not known. */
const char *syn_hang_process_name(const struct syn_hang_rank *rank);
/* From whom a message is awaited, or to whom it goes; below 0: none, or anybody. */
int32_t syn_hang_peer(const struct syn_hang_call *call);
/* The function that a call is inside, or was; never NULL. */
const char *syn_hang_call_name(const struct syn_hang_call *call);

#endif
