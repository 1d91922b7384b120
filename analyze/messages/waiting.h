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

#include "analyze/match/members/bounds.h"
#include "sync/base/integers.h"
#include "trace/events/message.h"

/* Global times of a half: `wait_ns` to `end_ns` is the call that completed it. */
struct syn_half_times {
    int64_t start_ns, wait_ns, end_ns;
};

/* The half is not waited for. */
#define SYN_NEVER_DUE INT64_MIN

/* Is a send, of these SYN_MESSAGE_... bits and this size, surely not over before its receive is
 * posted? No MPI that is known holds back one of 4096 bytes or less, or a buffered one. */
static inline bool syn_send_lasts(uint16_t bits, uint64_t bytes)
{
    return (bits & SYN_MESSAGE_SYNCHRONOUS) != 0 ||
           (bytes > 4096 && (bits & SYN_MESSAGE_BUFFERED) == 0);
}

/* When is a receive due whose send starts then? At most at its own end. */
static inline int64_t syn_receive_due_ns(int64_t end_ns, int64_t send_ns)
{
    return syn_least(send_ns, end_ns);
}

/* When is a send due whose receive is posted then? Of a call that completes several, one that may
 * be eager is not known to have lasted until the end of the call. */
static inline int64_t syn_send_due_ns(int64_t end_ns, bool is_alone, bool lasts, int64_t posted_ns)
{
    return (is_alone || lasts) && posted_ns <= end_ns ? posted_ns : SYN_NEVER_DUE;
}

/* A half and when it is due. */
struct syn_due_half {
    int64_t due_ns;
    uint64_t message; /* channel << 32 | number */
    bool receives;
};

/* Does a call that completes both wait for `half` and not for `than`? The order of halves that are
 * due at the same moment does not depend on how they were read. */
static inline bool syn_half_comes_later(const struct syn_due_half *half,
                                        const struct syn_due_half *than)
{
    if (half->due_ns != than->due_ns)
        return half->due_ns > than->due_ns;
    return half->message != than->message ? half->message > than->message
                                          : half->receives > than->receives;
}

/* Time that a call that starts at `wait_ns` waits for the half that comes last; 0 where it is no
 * more than the bound of both ranks' clocks. */
static inline int64_t syn_due_waiting_ns(int64_t wait_ns, int64_t due_ns, int64_t bound_ns)
{
    return due_ns > wait_ns && due_ns - wait_ns > bound_ns ? due_ns - wait_ns : 0;
}

/* The bound of both clocks: of `own` where the call starts, of `other` where the other half does.
 */
static inline int64_t syn_message_bound_ns(struct syn_bounds *own, int64_t wait_ns,
                                           struct syn_bounds *other, int64_t other_start_ns)
{
    return own == other ? 0 : syn_bounds_at(own, wait_ns) + syn_bounds_at(other, other_start_ns);
}

#endif
