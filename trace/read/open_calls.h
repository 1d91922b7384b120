/* trace/read/open_calls.h - the calls that the threads of a rank are inside, or were in last. The
 * run was killed or is still running, or its trace was recovered.
 *
 * The calls come from the lines of the rank's raw blocks (trace/base/open_line.h). Each line is
 * checked: indices are those of declared records, peers are ranks or SYN_PEER_*, an id may be
 * unknown to this build, and lines with a negative time are left out. A rank that ended its
 * recording in MPI_Finalize has no open calls. */
#ifndef SYN_OPEN_CALLS_H
#define SYN_OPEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/calls.h"
#include "trace/base/open_line.h"
#include "trace/read/reader.h"

enum syn_open_state {
    SYN_OPEN_INSIDE,  /* the call has not returned */
    SYN_OPEN_OUTSIDE, /* the thread has been outside of MPI since end_ns; the call is its last one
                       */
    SYN_OPEN_MOVING   /* live only: the line was being written when it was read; other fields are
                         unknown */
};

struct syn_open_peer {
    int32_t rank; /* or SYN_PEER_* */
    int32_t tag;  /* or SYN_TAG_ANY */
};

struct syn_open_call {
    uint32_t thread; /* as in events: 0 called MPI_Init */
    enum syn_open_state state;
    uint16_t call; /* for syn_call_name and syn_call_kind; SYN_CALL_KIND_UNKNOWN if MOVING */
    uint16_t
        of_op; /* completions: a collective that the call waits for (syn_op_name); comm and sequence
                  belong to it. Else SYN_OPEN_NO_OP. The call may wait for more collectives: those
                  are events that never completed (SYN_EVENT_NO_COMPLETION) */
    uint32_t comm;     /* a declared communicator (window, file) of the rank, or SYN_OPEN_NO_COMM */
    uint64_t sequence; /* of a collective, as in events. SYN_OPEN_NO_SEQUENCE for all other calls,
                          and for collectives that are numbered in the communicator that they make
                          (MPI_Comm_create_group); comm is then the parent */
    uint64_t bytes; /* as in events; SYN_OPEN_NO_BYTES for the first use of a type, or v-variants */
    uint32_t stack; /* a declared call stack, or SYN_NO_STACK. The innermost frame is right. Outer
                       frames of a message may be those of an earlier call from the same place */
    int32_t root;   /* collectives; as in events */
    uint16_t attributes;       /* collectives; as in events */
    struct syn_open_peer to;   /* messages: destination; MPI_Win_*: target */
    struct syn_open_peer from; /* receives: source; MPI_Sendrecv has both */
    int64_t start_ns;          /* on the run's clock, like events */
    int64_t end_ns;            /* on the run's clock; 0 unless OUTSIDE */
};

/* Finds the i-th open call of an open rank file, in the order of threads. The calls are those in
 * the raw blocks when the file was opened, or those in a recovered file. Threads that have made no
 * call, or have ended, have none. Returns false past the last. */
bool syn_rank_open_call_at(const struct syn_rank_file *file, size_t i, struct syn_open_call *out);

/* Finds the time at which a signal ended the rank, on the run's clock. Returns false if no signal
 * ended the rank, or the time is not known. */
bool syn_rank_end_ns(const struct syn_rank_file *file, int64_t *end_ns);
/* Finds the time at which the rank entered MPI_Finalize, on the run's clock. Returns false if it
 * did not, or the time is not known. */
bool syn_rank_finalize_ns(const struct syn_rank_file *file, int64_t *finalize_ns);

/* ---- a run that is still running ---- */

/* Reads a rank's lines repeatedly, without reading its events. */
struct syn_open_view;

/* Makes a view of `file`, which has to outlive the view. Indices refer to the declarations of
 * `file`; newer communicators or call stacks are unknown until the file is opened again
 * (`is_behind`). Returns 0; SYN_EMISSING: there are no raw blocks with open calls (an older
 * recorder, or --spill memory); SYN_ENOMEM. */
int syn_open_view_new(const struct syn_rank_file *file, struct syn_open_view **out);
void syn_open_view_free(struct syn_open_view *view);
/* Reads all lines. *out [*count] is valid until the next call. *is_behind: a line refers to a
 * record that `file` does not have. Returns 0; SYN_EMISSING: the file is gone (the rank has ended,
 * or the trace was removed); SYN_EIO or SYN_ENOMEM. */
int syn_open_view_read(struct syn_open_view *view, const struct syn_open_call **out, size_t *count,
                       bool *is_behind);

/* Finds the present time on the run's clock, for a rank of this machine. Returns false if another
 * process cannot read the rank's clock (MPI_Wtime). For a rank of another machine the time is
 * meaningless. */
bool syn_rank_now_ns(const struct syn_rank_file *file, int64_t *now_ns);

#endif
