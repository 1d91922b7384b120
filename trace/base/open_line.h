/* trace/base/open_line.h - the call that a thread is inside now, or was in last: one cache line of
 * a raw block of the kind SYN_RAW_OPEN (docs/trace-format.md, "Raw blocks").
 *
 * An event is written when a call returns. A call that never returns leaves no event, only this
 * line. The recorder rewrites the line with plain stores before each call and closes it after the
 * call.
 *
 *     start_ticks = 0      the line is being written
 *     end_ticks = 0        (a clock of microseconds may end a call and begin the next in one tick)
 *     other fields
 *     start_ticks = start  stored behind all of them: the call is open
 *     end_ticks = end      it has returned: end_ticks >= start_ticks
 *
 * A reader of a dead process's file finds a line whole, or with start 0. A reader of a live
 * process's file reads each line twice. A line that did not change between the two reads is whole
 * or has start 0, because start times never repeat. A thread without a call has a line of zeros. A
 * thread that has ended has a line with start 0 and SYN_OPEN_NO_CALL. */
#ifndef SYN_OPEN_LINE_H
#define SYN_OPEN_LINE_H

#include <stdint.h>

/* comm: the call has no communicator, window or file with an index. */
#define SYN_OPEN_NO_COMM UINT32_MAX
/* bytes: the size is not known before the call. */
#define SYN_OPEN_NO_BYTES UINT64_MAX
/* sequence: the call is not a collective, or not numbered. */
#define SYN_OPEN_NO_SEQUENCE UINT64_MAX
/* of_op: the call waits for no collective that is known. */
#define SYN_OPEN_NO_OP UINT16_MAX
/* call: the thread has ended. */
#define SYN_OPEN_NO_CALL UINT16_MAX

struct syn_open_line {
    int64_t start_ticks;
    int64_t end_ticks;
    uint64_t sequence; /* of a collective, or of the collective that a completion waits for; else
                          SYN_OPEN_NO_SEQUENCE */
    uint64_t bytes;    /* as an event's, with its attributes; or SYN_OPEN_NO_BYTES */
    uint32_t comm;     /* index, or SYN_OPEN_NO_COMM */
    uint32_t stack;    /* index, or SYN_NO_STACK */
    int32_t peer; /* root of a collective, as in an event; destination or target of a message, as
                     MPI numbers it */
    int32_t tag;  /* tag of the message that is sent */
    int32_t from_peer; /* source of a message, as MPI numbers it */
    int32_t from_tag;  /* tag of the message that is received */
    uint16_t call;     /* an id of calls.h, or SYN_OPEN_NO_CALL */
    uint16_t of_op;    /* completions: syn_op_id of a collective that the call waits for, or
                          SYN_OPEN_NO_OP */
    uint32_t unused;
};
_Static_assert(sizeof(struct syn_open_line) == 64, "an open call is one cache line");

/* MPI's constants, which differ between implementations. They lie behind the part of the block's
 * header that the checksum covers (byte 64). */
struct syn_open_names {
    int32_t any_source;
    int32_t proc_null;
    int32_t any_tag;
};

/* A peer is a rank in the communicator or window (in an intercommunicator: of the remote group), or
 * one of these: */
#define SYN_PEER_NONE    (-1) /* the call names no peer */
#define SYN_PEER_ANY     (-2) /* MPI_ANY_SOURCE */
#define SYN_PEER_NOBODY  (-3) /* MPI_PROC_NULL: the call waits for no rank */
#define SYN_PEER_UNKNOWN (-4) /* the call may wait for a rank that its parameters do not name */
#define SYN_TAG_ANY      (-1) /* MPI_ANY_TAG, or the call has no tag */

/* Stores a field of a line. RATIONALE: atomic, so that the compiler makes one store of each field.
 * Compilers take longer to merge neighbours. */
#define SYN_OPEN_SET(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

static inline void syn_open_line_begin(struct syn_open_line *line)
{
    __atomic_store_n(&line->start_ticks, (int64_t)0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&line->end_ticks, (int64_t)0, __ATOMIC_RELAXED);
}

/* Opens the line. The caller has stored all other fields. */
static inline void syn_open_line_enter(struct syn_open_line *line, int64_t start_ticks)
{
    __atomic_store_n(&line->start_ticks, start_ticks, __ATOMIC_RELEASE);
}

/* Marks the thread as ended. */
static inline void syn_open_line_end(struct syn_open_line *line)
{
    syn_open_line_begin(line);
    SYN_OPEN_SET(line->call, (uint16_t)SYN_OPEN_NO_CALL);
}

static inline void syn_open_line_leave(struct syn_open_line *line, int64_t end_ticks)
{
    __atomic_store_n(&line->end_ticks, end_ticks, __ATOMIC_RELEASE);
}

#endif
