/* trace/events/message.h - the event of a message: its 16 attribute bits and its `sequence`. `op`
 * is SYN_CALL_BASE + a row of trace/base/messages.def, `root` the peer. */
#ifndef SYN_MESSAGE_H
#define SYN_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/base/calls.h"

/* Returns whether `op` is an operation of messages. */
static inline bool syn_is_message(uint16_t op)
{
    return op >= SYN_CALL_BASE;
}

/* The upper 16 bits of an event's `bytes`. */
#define SYN_MESSAGE_RECEIVE     0x0001u
#define SYN_MESSAGE_ANY_SOURCE  0x0002u /* passed by the program */
#define SYN_MESSAGE_ANY_TAG     0x0004u /* passed by the program */
#define SYN_MESSAGE_CANCELLED   0x0008u
#define SYN_MESSAGE_SYNCHRONOUS 0x0010u /* Ssend, Issend */
#define SYN_MESSAGE_BUFFERED    0x0020u
#define SYN_MESSAGE_PERSISTENT  0x0040u
#define SYN_MESSAGE_PARTITIONED 0x0080u
#define SYN_MESSAGE_PROBED      0x0100u /* matched by a probe: Mprobe, Improbe */
#define SYN_MESSAGE_POSTED      0x0200u /* bytes are those of the posted buffer, not those received */
#define SYN_MESSAGE_UNKNOWN     0x0400u /* unknown: peer, tag, or result of MPI_Cancel */

#define SYN_MESSAGE_ORDER_SHIFT 32

/* Composes an event's `sequence` of two half words: the number of the message among those that the
 * thread posted, from 0, and the tag. */
static inline uint64_t syn_message_sequence(uint32_t order, int32_t tag)
{
    return (uint64_t)order << SYN_MESSAGE_ORDER_SHIFT | (uint32_t)tag;
}

static inline uint32_t syn_message_order(uint64_t sequence)
{
    return (uint32_t)(sequence >> SYN_MESSAGE_ORDER_SHIFT);
}

static inline int32_t syn_message_tag(uint64_t sequence)
{
    return (int32_t)(uint32_t)sequence;
}

#endif
