/* analyze/hang/model.h - the state of all ranks of a run at one moment: the call that each thread
 * is inside, and how far each member of a communicator has come. The model reads no files: look.c
 * fills it from a trace, and tests fill it by hand.
 *
 * A *call* is the call that a thread is inside, or else the last call that the thread made. A call
 * that waits for several messages is there once for each of them. The *instance* of a collective
 * call is its communicator and sequence number. A member has *begun* an instance once it has
 * entered the call, or started a nonblocking one. */
#ifndef SYN_HANG_MODEL_H
#define SYN_HANG_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/records.h"

enum syn_hang_inside {
    SYN_HANG_OUTSIDE,    /* of MPI, since `since_ns`; the other fields describe the last call */
    SYN_HANG_COLLECTIVE, /* or a call that completes one; communicator and sequence number are known
                          */
    SYN_HANG_MESSAGE,    /* or a probe; its peers are known */
    SYN_HANG_SOMEBODY,   /* the rank that it waits for is not known: requests, a window */
    SYN_HANG_FINALIZE
};

enum syn_hang_process {
    SYN_HANG_UNKNOWN, /* its file or raw blocks are missing, or its recording was disabled */
    SYN_HANG_RUNS,    /* it runs, or ran until the whole run was killed */
    SYN_HANG_STOPPED, /* by a signal or a debugger */
    SYN_HANG_ENDED,   /* its recording ended in MPI_Finalize */
    SYN_HANG_DIED     /* by a signal, by exit() or MPI_Abort, or unnoticed, while others ran on */
};

#define SYN_HANG_NO_COMM UINT32_MAX
#define SYN_HANG_NO_SITE UINT32_MAX
#define SYN_HANG_NOBODY  (-1) /* peer: the call has none */
#define SYN_HANG_ANYBODY (-2) /* peer: any member of the communicator */
#define SYN_HANG_ANY_TAG (-1)
/* A member of unknown state counts as having begun all instances, so that it is never absent. */
#define SYN_HANG_ALL_BEGUN UINT64_MAX

struct syn_hang_peer {
    int32_t rank; /* of MPI_COMM_WORLD, or SYN_HANG_NOBODY or _ANYBODY */
    int32_t tag;  /* or SYN_HANG_ANY_TAG */
};

struct syn_hang_call {
    int32_t rank; /* of MPI_COMM_WORLD */
    uint32_t thread;
    enum syn_hang_inside inside;
    uint16_t op;                   /* of SYN_HANG_COLLECTIVE: a syn_op_id */
    const char *name;              /* of the function, borrowed; NULL: that of `op` */
    uint32_t comm;                 /* index into the model's communicators, or SYN_HANG_NO_COMM */
    uint64_t sequence;             /* of SYN_HANG_COLLECTIVE */
    bool is_newest;                /* the thread has begun no later instance of `comm` */
    int32_t root;                  /* of SYN_HANG_COLLECTIVE: a rank of MPI_COMM_WORLD; -1: none */
    struct syn_hang_peer to, from; /* of SYN_HANG_MESSAGE */
    bool is_under_way;             /* the peer has made its call of the message: it need not come */
    uint32_t site;                 /* name number, or SYN_HANG_NO_SITE */
    int64_t since_ns;              /* global time of the entry; of OUTSIDE, of the last return */
};

struct syn_hang_comm {
    const char *label; /* borrowed */
    uint32_t size;
    bool intercomm;
    const uint32_t *world_rank; /* [size] ascending, borrowed */
    uint64_t *begun;            /* [size] owned: number of instances that a member has begun */
};

struct syn_hang_rank {
    enum syn_hang_process process;
    enum syn_ending ending; /* how its recording ended; SYN_ENDING_UNKNOWN: it did not */
    char state; /* as in /proc, if the rank of a live run is on this machine: 'R', 'S', 'D', 'T',
                   ...; 0: not known */
};

/* {0} is a model of no ranks. */
struct syn_hang_model {
    struct syn_hang_rank *rank; /* [rank_count] */
    int32_t rank_count;
    struct syn_hang_comm *comm; /* [comm_count] */
    size_t comm_count, comm_capacity;
    struct syn_hang_call *call; /* [call_count], in order of rank and thread once settled */
    size_t call_count, call_capacity;
    int64_t now_ns;    /* global time of the look, or the latest time known of a dead run */
    bool live;         /* the run goes on; else it ended or was killed at now_ns or later */
    bool now_is_least; /* the run was killed, and no rank noted when */
};

/* Begins a model in which the state of all ranks is unknown. Returns 0 or SYN_ENOMEM; free in any
 * case. */
int syn_hang_model_begin(struct syn_hang_model *model, int32_t rank_count);
/* Adds a communicator. No member has begun an instance, except that those of unknown state have
 * begun all: set the ranks first. world_rank [size] is borrowed. Returns 0 or SYN_ENOMEM. */
int syn_hang_model_comm(struct syn_hang_model *model, const struct syn_hang_comm *comm);
int syn_hang_model_call(struct syn_hang_model *model, const struct syn_hang_call *call);
/* Puts the calls in order, once all of them and now_ns are set. Times of calls, which a damaged
 * file may make arbitrary, are limited to a century around now_ns, so that they can be subtracted.
 */
void syn_hang_model_settle(struct syn_hang_model *model);
void syn_hang_model_free(struct syn_hang_model *model);

/* Returns the member that is `rank` of MPI_COMM_WORLD; SYN_HANG_NO_MEMBER: there is none. */
#define SYN_HANG_NO_MEMBER UINT32_MAX
uint32_t syn_hang_member(const struct syn_hang_comm *comm, uint32_t rank);

/* Says whether the rank has neither ended nor died. */
static inline bool syn_hang_goes_on(const struct syn_hang_model *model, int32_t rank)
{
    const enum syn_hang_process process = model->rank[rank].process;
    return process != SYN_HANG_ENDED && process != SYN_HANG_DIED;
}

/* Says whether the call is inside MPI. */
static inline bool syn_hang_is_open(const struct syn_hang_call *call)
{
    return call->inside != SYN_HANG_OUTSIDE;
}

#endif
