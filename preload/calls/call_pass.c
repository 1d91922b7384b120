/* preload/calls/call_pass.c - calls that are counted and not recorded. Apart from call.c, because
 * calls that complete later (requests.c) pass too, and call.c knows those. */
#include "preload/calls/call.h"
#include "preload/calls/control.h"

/* A rank that records has to find this call's place taken, and a start that was agreed on must not
 * be taken for the next call's. */
void syn_call_pass(const struct syn_call *call, struct syn_comm *comm, uint16_t op)
{
    if (SYN_IS_BLOCKING(op))
        syn_align_flags(call->self, comm, call->start_ticks);
    comm->sequence++;
    syn_control_passed();
}
