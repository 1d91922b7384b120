/* analyze/causes/findings/own_time.h - divides a rank's own time: on its processor, ready without
 * one, blocked. Segments say what is certain, label by label; the kernel's counters say how much
 * there is of each over the whole run. */
#ifndef SYN_CAUSE_OWN_TIME_H
#define SYN_CAUSE_OWN_TIME_H

#include "analyze/causes/causes.h"

/* Sums over the run, outside of collectives, of all threads of a rank. */
struct syn_own_time {
    double own_ns, messages_ns;
    double finalize_ns;          /* in MPI_Finalize, for ranks that come to it later */
    double certain_ns;           /* of own_ns, certainly off the processor */
    double blocked_ns, ready_ns; /* estimates, within own_ns; NAN: the kernel did not tell */
    double unknown_ns;           /* off the processor, of threads of which it did not tell which */
    double waiting_ns, certain_waiting_ns; /* of others, for own_ns and for certain_ns */
    double unexplained_ns; /* by which labels exceed the other ranks' mean, beyond what is
                              certain, summed up */
    bool is_present;
};

struct syn_own_times {
    struct syn_own_time *rank; /* [rank_count], owned */
    size_t rank_count, present_count;
    struct syn_own_time sum; /* of those present */
};

/* Returns the time from the entry of MPI_Finalize by a location's rank to the run's end, in ns; 0
 * where the entry is not known. */
double syn_finalize_ns(const struct syn_causes *causes, uint32_t location);
/* 0 or SYN_ENOMEM; free in any case. */
int syn_own_times_make(const struct syn_causes *causes, struct syn_own_times *out);
void syn_own_times_free(struct syn_own_times *times);

/* The shares of an excess of own time that were spent blocked, and ready without a processor. */
struct syn_own_shares {
    double blocked, ready;
    bool is_divided; /* the kernel told which is which; else `ready` has both */
};
/* How sure it is that the ranks that a profile has chosen are those that are late. */
enum syn_own_ranks { SYN_OWN_THESE_RANKS, SYN_OWN_UNSURE_RANKS, SYN_OWN_ANY_RANKS };
/* Returns the shares of the excess of a profile's chosen ranks over the others, in own time.
 * `certain_share` of the waiting for it is certainly for being off the processor. */
struct syn_profile;
struct syn_own_shares syn_own_times_divide(const struct syn_own_times *times,
                                           const struct syn_profile *profile,
                                           enum syn_own_ranks ranks, double certain_share);

#endif
