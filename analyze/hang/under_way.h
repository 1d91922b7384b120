/* analyze/hang/under_way.h - the messages that a call waits for which completes requests.
 *
 * Its line names no request. But the rank's events say which of its messages have not completed,
 * and the peers' whether their other halves are posted. The call may wait for any of them: it is
 * stuck for certain once all of their peers are. */
#ifndef SYN_UNDER_WAY_H
#define SYN_UNDER_WAY_H

#include "analyze/hang/model.h"
#include "analyze/match/members/message_numbers.h"

/* Add `call`, which waits for somebody, once for each message of its rank that has not completed.
 * It is added as it is where messages are no events, where one of these is from anybody, where the
 * other half of one may be missing in the files, and where all of them are under way. `comm` of the
 * calls is an index into `comms`. 0, SYN_ENOMEM or SYN_EIO. */
int syn_hang_add_messages(const struct syn_trace *trace, const struct syn_comms *comms,
                          const struct syn_message_numbers *numbers,
                          const struct syn_hang_call *call, struct syn_hang_model *model);

#endif
