/* analyze/causes/findings/own_time.h - divides a rank's own time: on its processor, ready without a
 * processor, blocked. Segments tell what is certain for each label. The kernel's counters tell how
 * much there is of each over the whole run. */
#ifndef SYN_CAUSE_OWN_TIME_H
#define SYN_CAUSE_OWN_TIME_H

#include "analyze/causes/causes.h"

/* Sums of one rank over the run and all its threads, outside of collectives. */
struct syn_own_time {
    double own_ns, messages_ns;
    double finalize_ns;          /* in MPI_Finalize, waiting for ranks that enter it later */
    double certain_ns;           /* part of own_ns that was certainly off the processor */
    double blocked_ns, ready_ns; /* estimates, within own_ns; NAN: the kernel does not tell */
    double unknown_ns; /* off the processor in threads for which the kernel does not tell blocked
                          from ready */
    double waiting_ns, certain_waiting_ns; /* waiting of others for own_ns and for certain_ns */
    double unexplained_ns; /* sum of the excesses of labels over the other ranks' mean, beyond the
                              certain time */
    bool is_present;
};

struct syn_own_times {
    struct syn_own_time *rank; /* [rank_count], owned */
    size_t rank_count, present_count;
    struct syn_own_time sum; /* sum of the ranks that are present */
};

/* Returns the time from a rank's entry of MPI_Finalize to the run's end, in ns; 0 if the entry is
 * not known. */
double syn_finalize_ns(const struct syn_causes *causes, uint32_t location);
/* Computes the own times of all ranks. Returns 0 or SYN_ENOMEM. The caller frees *out in either
 * case. */
int syn_own_times_make(const struct syn_causes *causes, struct syn_own_times *out);
void syn_own_times_free(struct syn_own_times *times);

/* The shares of an excess of own time that a rank was blocked, and that it was ready without a
 * processor. */
struct syn_own_shares {
    double blocked, ready;
    bool is_divided; /* the kernel tells one from the other; else `ready` is the sum of both */
};
/* How certain it is that the ranks that a profile has chosen are the late ones. */
enum syn_own_ranks { SYN_OWN_THESE_RANKS, SYN_OWN_UNSURE_RANKS, SYN_OWN_ANY_RANKS };
/* Returns the shares of the excess in own time of a profile's chosen ranks over the others.
 * `certain_share` is the share of the waiting for it that is certainly due to time off the
 * processor. */
struct syn_profile;
struct syn_own_shares syn_own_times_divide(const struct syn_own_times *times,
                                           const struct syn_profile *profile,
                                           enum syn_own_ranks ranks, double certain_share);

#endif
