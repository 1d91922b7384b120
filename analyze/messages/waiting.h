/* analyze/messages/waiting.h - waiting in a message: which side waits, and until when.
 *
 * A half is a send or a receive. Its rank waits in the call that completes it; that call may
 * complete other halves too. A receive is due when its send starts. A send is due when its receive
 * is posted, if the sending rank was still in the call then: an eager send returns at once and
 * waits for no rank. A completing call waits from its start until its last half is due, and all of
 * this waiting is attributed to that half. Waiting that does not exceed the clock bound counts as
 * 0. */
#ifndef SYN_MESSAGES_WAITING_H
#define SYN_MESSAGES_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/match/members/bounds.h"
#include "sync/base/integers.h"
#include "trace/events/message.h"

/* Global times of a half. The call that completed it lasts from `wait_ns` to `end_ns`. */
struct syn_half_times {
    int64_t start_ns, wait_ns, end_ns;
};

/* The rank does not wait for this half. */
#define SYN_NEVER_DUE INT64_MIN

/* Returns whether a send with these SYN_MESSAGE_... bits and this size surely lasts until its
 * receive is posted. No known MPI holds back a send of 4096 bytes or less, or a buffered one. */
static inline bool syn_send_lasts(uint16_t bits, uint64_t bytes)
{
    return (bits & SYN_MESSAGE_SYNCHRONOUS) != 0 ||
           (bytes > 4096 && (bits & SYN_MESSAGE_BUFFERED) == 0);
}

/* Returns when a receive is due whose send starts at send_ns. It is due no later than its own
 * end. */
static inline int64_t syn_receive_due_ns(int64_t end_ns, int64_t send_ns)
{
    return syn_least(send_ns, end_ns);
}

/* Returns when a send is due whose receive is posted at posted_ns. If a call completes several
 * halves, a send that may be eager need not have lasted until the end of the call. */
static inline int64_t syn_send_due_ns(int64_t end_ns, bool is_alone, bool lasts, int64_t posted_ns)
{
    return (is_alone || lasts) && posted_ns <= end_ns ? posted_ns : SYN_NEVER_DUE;
}

/* A half and the time at which it is due. */
struct syn_due_half {
    int64_t due_ns;
    uint64_t message; /* channel << 32 | number */
    bool receives;
};

/* Returns whether a call that completes both halves waits for `half` and not for `than`. Of halves
 * that are due at the same time, the order does not depend on the order of reading. */
static inline bool syn_half_comes_later(const struct syn_due_half *half,
                                        const struct syn_due_half *than)
{
    if (half->due_ns != than->due_ns)
        return half->due_ns > than->due_ns;
    return half->message != than->message ? half->message > than->message
                                          : half->receives > than->receives;
}

/* Returns how long a call that starts at `wait_ns` waits for its last half. Returns 0 if that is no
 * more than the clock bound of both ranks. */
static inline int64_t syn_due_waiting_ns(int64_t wait_ns, int64_t due_ns, int64_t bound_ns)
{
    return due_ns > wait_ns && due_ns - wait_ns > bound_ns ? due_ns - wait_ns : 0;
}

/* Returns the clock bound of both ranks: that of `own` at the start of the call, plus that of
 * `other` at the start of the other half. */
static inline int64_t syn_message_bound_ns(struct syn_bounds *own, int64_t wait_ns,
                                           struct syn_bounds *other, int64_t other_start_ns)
{
    return own == other ? 0 : syn_bounds_at(own, wait_ns) + syn_bounds_at(other, other_start_ns);
}

#endif
