/* analyze/messages/waiting.h - the waiting in a message: which side of it, until when.
 *
 * A half is a send or a receive. Its rank waits in the call that completes it, which may complete
 * others, too. A receive is due when its send starts; a send when its receive is posted, if the
 * sending rank was still inside then: an eager one leaves at once, and waited for nobody. All that
 * a completing call waits, from its start until the latest of its halves is due, is due to that
 * half. Waiting below the clocks' bound is not claimed. */
#ifndef SYN_MESSAGES_WAITING_H
#define SYN_MESSAGES_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/base/integers.h"

/* Global times of a half: `wait_ns` to `end_ns` is the call that completed it. */
struct syn_half_times {
    int64_t start_ns, wait_ns, end_ns;
};

/* An eager send of this size or less leaves at once in every MPI that is known. */
#define SYN_EAGER_BYTES 4096
/* The half is not waited for. */
#define SYN_NEVER_DUE INT64_MIN

/* When is a receive due? At most at its own end. */
static inline int64_t syn_receive_due_ns(const struct syn_half_times *receive,
                                         const struct syn_half_times *send)
{
    return syn_least(send->start_ns, receive->end_ns);
}

/* When is a send due? Of a call that completes several, one that may be eager is not known to have
 * lasted until the end of the call. */
static inline int64_t syn_send_due_ns(const struct syn_half_times *send,
                                      const struct syn_half_times *receive, bool is_alone,
                                      bool is_synchronous, uint64_t bytes)
{
    const bool lasts = is_alone || is_synchronous || bytes > SYN_EAGER_BYTES;
    return lasts && receive->start_ns <= send->end_ns ? receive->start_ns : SYN_NEVER_DUE;
}

/* Time that a completing call waits for a half that is due then; 0 where it is no more than the
 * bounds of both ranks' clocks. */
static inline int64_t syn_due_waiting_ns(const struct syn_half_times *half, int64_t due_ns,
                                         int64_t bound_ns)
{
    const int64_t until_ns = syn_least(due_ns, half->end_ns);
    return until_ns > half->wait_ns && until_ns - half->wait_ns > bound_ns
               ? until_ns - half->wait_ns
               : 0;
}

#endif
