/* trace/base/calls.h - ids of all calls in which a thread may wait: those of operations (ops.h),
 * and behind them those of messages.def. */
#ifndef SYN_CALLS_H
#define SYN_CALLS_H

#include <stdint.h>

#include "trace/base/ops.h"

/* Ids from here on are rows of messages.def. */
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
    SYN_CALL_KIND_MESSAGE,    /* point to point, or one-sided */
    SYN_CALL_KIND_COMPLETION, /* MPI_Wait and its like */
    SYN_CALL_KIND_FINALIZE
};

/* For whom a message may wait: messages.def. */
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
/* SYN_WAITS_SOMEBODY of completions; SYN_WAITS_NOBODY of an id that this build does not know. */
enum syn_call_waits syn_call_waits(uint16_t id);
/* "MPI_Recv", "MPI_Allreduce"; NULL for an id that this build does not know. */
const char *syn_call_name(uint16_t id);

#endif
