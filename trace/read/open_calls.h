/* trace/read/open_calls.h - the calls that the threads of a rank are inside, or were in last: of a
 * run that was killed, of one that is still running, or of a recovered trace.
 *
 * They come from the lines of the rank's raw blocks (trace/base/open_line.h). Nothing in a line is
 * believed: indices are those of declared records, peers are ranks or SYN_PEER_*, an id may be one
 * that this build does not know, and a line with a negative time is left out. A rank that ended its
 * recording in MPI_Finalize has none. */
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
    SYN_OPEN_OUTSIDE, /* the thread is outside of MPI since end_ns; the call is its last one */
    SYN_OPEN_MOVING   /* live only: the line was being written when it was read; nothing else is
                         known */
};

struct syn_open_peer {
    int32_t rank; /* or SYN_PEER_* */
    int32_t tag;  /* or SYN_TAG_ANY */
};

struct syn_open_call {
    uint32_t thread; /* as an event's: 0 called MPI_Init */
    enum syn_open_state state;
    uint16_t call;  /* syn_call_name, syn_call_kind: SYN_CALL_KIND_UNKNOWN where MOVING */
    uint16_t of_op; /* completions: a collective that it waits for (syn_op_name), to which comm and
                       sequence belong; else SYN_OPEN_NO_OP. There may be more of them: those are
                       events that never completed (SYN_EVENT_NO_COMPLETION) */
    uint32_t comm;  /* a declared communicator (window, file) of the rank, or SYN_OPEN_NO_COMM */
    uint64_t sequence; /* of a collective, as an event's; SYN_OPEN_NO_SEQUENCE of all others, and of
                          a call that counts in what it makes (MPI_Comm_create_group): comm is the
                          parent then */
    uint64_t bytes;    /* as an event's, or SYN_OPEN_NO_BYTES: first use of a type, or v-variants */
    uint32_t stack; /* a declared stack, or SYN_NO_STACK. The innermost frame is right; outer ones
                       of a message may be those of an earlier call from the same place */
    int32_t root;   /* collectives; as an event's */
    uint16_t attributes;       /* collectives; as an event's */
    struct syn_open_peer to;   /* messages; of MPI_Win_*: the target */
    struct syn_open_peer from; /* receives; both of MPI_Sendrecv */
    int64_t start_ns;          /* on the run's clock, like events; so is */
    int64_t end_ns;            /* OUTSIDE only, else 0 */
};

/* The i-th open call of an open rank file, by thread: as its raw blocks had them when it was
 * opened, or as a recovered file keeps them. Threads that have made no call, or have ended, have
 * none. False past the last. */
bool syn_rank_open_call_at(const struct syn_rank_file *file, size_t i, struct syn_open_call *out);

/* When a signal ended the rank, on the run's clock. False: it did not, or that is not known. */
bool syn_rank_end_ns(const struct syn_rank_file *file, int64_t *end_ns);
/* When the rank entered MPI_Finalize, on the run's clock. False: it did not, or that is not known.
 */
bool syn_rank_finalize_ns(const struct syn_rank_file *file, int64_t *finalize_ns);

/* ---- a run that is still going ---- */

/* Read a rank's lines again and again, without reading its events. */
struct syn_open_view;

/* `file` outlives the view; indices are those that it has declared: a newer communicator or call
 * stack is not known until the file is opened anew (`is_behind`). 0; SYN_EMISSING: it has no raw
 * blocks with open calls (an older recorder, or --spill memory); SYN_EIO, SYN_ENOMEM. */
int syn_open_view_new(const struct syn_rank_file *file, struct syn_open_view **out);
void syn_open_view_free(struct syn_open_view *view);
/* Read all lines. *out, of *count, is valid until the next call. *is_behind: a line refers to a
 * record that `file` has not. 0; SYN_EMISSING: the file is gone (the rank has ended, or the trace
 * was taken away); SYN_EIO, SYN_ENOMEM. */
int syn_open_view_read(struct syn_open_view *view, const struct syn_open_call **out, size_t *count,
                       bool *is_behind);

/* The time now on the run's clock, as a rank of this machine has it: false where its clock is none
 * that another process can read (MPI_Wtime). That of another machine's rank means nothing. */
bool syn_rank_now_ns(const struct syn_rank_file *file, int64_t *now_ns);

#endif
