/* analyze/hang/under_way.h - finds the messages that a call which completes requests may wait for.
 *
 * The open line of such a call names no request. But the rank's events say which of its messages
 * have not completed, and the peers' events say whether the other halves are posted. The call may
 * wait for any of these messages, so it is stuck for certain once the peers of all of them are
 * stuck. */
#ifndef SYN_UNDER_WAY_H
#define SYN_UNDER_WAY_H

#include "analyze/hang/model.h"
#include "analyze/match/members/message_numbers.h"

/* Adds `call`, which waits for unknown ranks (SYN_HANG_SOMEBODY), once for each message of its rank
 * that has not completed. The call is added as given if messages are not recorded as events, one of
 * the messages is from MPI_ANY_SOURCE, the other half of one may be missing in the files, or all of
 * them are under way. `comm` of the calls is an index into `comms`. Returns 0, SYN_ENOMEM or
 * SYN_EIO. */
int syn_hang_add_messages(const struct syn_trace *trace, const struct syn_comms *comms,
                          const struct syn_message_numbers *numbers,
                          const struct syn_hang_call *call, struct syn_hang_model *model);

#endif
