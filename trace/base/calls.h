/* trace/base/calls.h - ids of all calls in which a thread may wait. The ids of operations (ops.h)
 * come first, the ids of messages.def follow. */
#ifndef SYN_CALLS_H
#define SYN_CALLS_H

#include <stdint.h>

#include "trace/base/ops.h"

/* Ids from here on are SYN_CALL_BASE plus a row of messages.def. */
#define SYN_CALL_BASE 0x8000u

enum syn_call_id {
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES) \
    SYN_CALL_##Name = SYN_CALL_BASE + (row),
#define SYN_PREPARED(row, Name, name, NAME, count, LARGE, MOVES) \
    SYN_CALL_##Name = SYN_CALL_BASE + (row),
#define SYN_COMPLETION(row, Name) SYN_CALL_##Name = SYN_CALL_BASE + (row),
#define SYN_LIFE(row, Name)       SYN_CALL_##Name = SYN_CALL_BASE + (row),
#include "trace/base/messages.def"
};

enum syn_sort_of_call {
    SYN_CALL_KIND_UNKNOWN,    /* an id that this build does not know */
    SYN_CALL_KIND_COLLECTIVE, /* an operation of ops.def, of any class and form */
    SYN_CALL_KIND_MESSAGE,    /* point to point or one-sided, or makes a persistent request */
    SYN_CALL_KIND_COMPLETION, /* MPI_Wait, MPI_Waitall, MPI_Waitany, MPI_Waitsome */
    SYN_CALL_KIND_FINALIZE
};

/* The ranks that a message may wait for: WAITS in messages.def. */
enum syn_call_waits {
    SYN_WAITS_NOBODY,
    SYN_WAITS_SENDS,
    SYN_WAITS_RECEIVES,
    SYN_WAITS_EXCHANGES,
    SYN_WAITS_TARGETS,
    SYN_WAITS_ACCESSES,
    SYN_WAITS_SOMEBODY
};

enum syn_sort_of_call syn_call_kind(uint16_t id);
/* Returns how a call waits: SYN_WAITS_SOMEBODY for completions, SYN_WAITS_NOBODY for ids that are
 * not in messages.def. */
enum syn_call_waits syn_call_waits(uint16_t id);
/* Returns "MPI_Recv" or "MPI_Allreduce"; NULL for an id that this build does not know. */
const char *syn_call_name(uint16_t id);

#endif
