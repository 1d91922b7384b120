/* analyze/hang/model.h - the state of all ranks of a run at one moment: what each thread is inside,
 * and how far each member of a communicator has come. It knows no files: look.c fills it from a
 * trace, tests fill it by hand.
 *
 * A *call* is what one thread of a rank is inside, or where it is since its last call returned. One
 * that waits for several messages is there once for each of them. The *instance* of a collective
 * call is its communicator and sequence number. A member has *begun* an instance once it has
 * entered the call, or started it without waiting. */
#ifndef SYN_HANG_MODEL_H
#define SYN_HANG_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/records.h"

enum syn_hang_inside {
    SYN_HANG_OUTSIDE,    /* of MPI, since `since_ns`; the rest is that of the last call */
    SYN_HANG_COLLECTIVE, /* or its completion: communicator and sequence number are known */
    SYN_HANG_MESSAGE,    /* to and from whom is known; a probe, too */
    SYN_HANG_SOMEBODY,   /* it waits for a rank that nobody names: requests, a window */
    SYN_HANG_FINALIZE
};

enum syn_hang_process {
    SYN_HANG_UNKNOWN, /* its file, or what lay in memory, is missing: nothing is said of it */
    SYN_HANG_RUNS,    /* or ran until the whole run was killed */
    SYN_HANG_STOPPED, /* by a signal or a debugger */
    SYN_HANG_ENDED,   /* it has left MPI_Finalize */
    SYN_HANG_DIED     /* of a signal, by exit() or without a word, while others ran on */
};

#define SYN_HANG_NO_COMM UINT32_MAX
#define SYN_HANG_NO_SITE UINT32_MAX
#define SYN_HANG_NOBODY  (-1) /* peer: the call has none */
#define SYN_HANG_ANYBODY (-2) /* peer: any member of the communicator */
#define SYN_HANG_ANY_TAG (-1)
/* An unknown member has begun all, so that it is never called absent. */
#define SYN_HANG_ALL_BEGUN UINT64_MAX

struct syn_hang_peer {
    int32_t rank; /* in MPI_COMM_WORLD, or SYN_HANG_NOBODY or _ANYBODY */
    int32_t tag;  /* or SYN_HANG_ANY_TAG */
};

struct syn_hang_call {
    int32_t rank; /* in MPI_COMM_WORLD */
    uint32_t thread;
    enum syn_hang_inside inside;
    uint16_t op;                   /* SYN_HANG_COLLECTIVE: syn_op_id */
    const char *name;              /* of the function; NULL: `op` has it. Borrowed */
    uint32_t comm;                 /* index into the model's communicators, or SYN_HANG_NO_COMM */
    uint64_t sequence;             /* SYN_HANG_COLLECTIVE */
    bool is_newest;                /* the thread has begun no later instance of `comm` */
    int32_t root;                  /* likewise, rank in the communicator; -1: none */
    struct syn_hang_peer to, from; /* SYN_HANG_MESSAGE */
    bool is_under_way;             /* the other half is posted: the peer need not come */
    uint32_t site;                 /* name number, or SYN_HANG_NO_SITE */
    int64_t since_ns;              /* global: entry, or of OUTSIDE the last return */
};

struct syn_hang_comm {
    const char *label; /* borrowed */
    uint32_t size;
    bool intercomm;
    const uint32_t *world_rank; /* [size] ascending, borrowed */
    uint64_t *begun; /* [size] owned: instances that the member has begun, counted from the first */
};

struct syn_hang_rank {
    enum syn_hang_process process;
    enum syn_ending ending; /* how its recording ended; UNKNOWN: it did not */
    char state; /* of /proc, of a live run on this node: 'R', 'S', 'D', 'T', ...; 0: not known */
};

/* {0} is one of no ranks. */
struct syn_hang_model {
    struct syn_hang_rank *rank; /* [rank_count] */
    int32_t rank_count;
    struct syn_hang_comm *comm; /* [comm_count] */
    size_t comm_count, comm_capacity;
    struct syn_hang_call *call; /* [call_count], in order of rank and thread once complete */
    size_t call_count, call_capacity;
    int64_t now_ns;    /* global: when the ranks were looked at, or when the run was last alive */
    bool live;         /* the run goes on; else it ended or was killed by now_ns or later */
    bool now_is_least; /* it was killed, and no rank noted when */
};

/* All ranks unknown. 0 or SYN_ENOMEM; free in any case. */
int syn_hang_model_begin(struct syn_hang_model *model, int32_t rank_count);
/* A communicator of which no member has begun anything; members of unknown ranks have begun all:
 * tell of ranks first. world_rank [size] is borrowed. 0 or SYN_ENOMEM. */
int syn_hang_model_comm(struct syn_hang_model *model, const struct syn_hang_comm *comm);
int syn_hang_model_call(struct syn_hang_model *model, const struct syn_hang_call *call);
/* All calls are there, and now_ns: puts them in order. No call began more than a century from
 * now_ns, whatever a damaged file says: times can be subtracted. */
void syn_hang_model_settle(struct syn_hang_model *model);
void syn_hang_model_free(struct syn_hang_model *model);

/* A rank's number among the members, SYN_HANG_NO_MEMBER if it is none. */
#define SYN_HANG_NO_MEMBER UINT32_MAX
uint32_t syn_hang_member(const struct syn_hang_comm *comm, uint32_t rank);

/* Has the rank neither ended nor died? */
static inline bool syn_hang_goes_on(const struct syn_hang_model *model, int32_t rank)
{
    const enum syn_hang_process process = model->rank[rank].process;
    return process != SYN_HANG_ENDED && process != SYN_HANG_DIED;
}

/* A call that is inside MPI. */
static inline bool syn_hang_is_open(const struct syn_hang_call *call)
{
    return call->inside != SYN_HANG_OUTSIDE;
}

#endif
