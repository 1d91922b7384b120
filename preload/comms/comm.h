/* preload/comms/comm.h - the state of a communicator, a window or a file. */
#ifndef SYN_COMM_H
#define SYN_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/comms/world_ranks.h"
#include "trace/base/event.h"

#define SYN_COMM_NAME_BYTES 192

/* How something came about: the word of it in its name. */
enum syn_how {
    SYN_HOW_UNSEEN, /* by a call that is not wrapped */
    SYN_HOW_PREDEFINED,
    SYN_HOW_DUP,
    SYN_HOW_SPLIT,
    SYN_HOW_SPLIT_TYPE,
    SYN_HOW_GROUP,
    SYN_HOW_GROUP_ALONE, /* MPI_Comm_create_group */
    SYN_HOW_LEADERS,     /* MPI_Intercomm_create */
    SYN_HOW_FROM_GROUP,  /* MPI_Comm_create_from_group, MPI_Intercomm_create_from_groups */
    SYN_HOW_SHRINK,      /* MPIX_Comm_shrink */
    SYN_HOW_MERGE,
    SYN_HOW_CART,
    SYN_HOW_CART_SUB,
    SYN_HOW_GRAPH,
    SYN_HOW_SPAWN,
    SYN_HOW_CONNECTION, /* MPI_Comm_accept, MPI_Comm_connect */
    SYN_HOW_WINDOW,
    SYN_HOW_FILE,
    SYN_HOW_COUNT
};

struct syn_thread;

/* A piece of text with several owners. */
struct syn_shared_text {
    uint32_t reference_count;
    char text[];
};

struct syn_comm {
    /* ---- its own: zeros at first ---- */

    int64_t window_ns; /* --align window: 0 before the first one */
    uint32_t start_count,
        late_start_count; /* of its starts so far: agreed on, late on any member */
    bool align_given_up;
    bool start_agreed; /*   for the call that this rank is in */
    bool started_late; /*   the last time that a start was agreed on */
    bool declared;     /* the file has it, under its present name */

    /* Users of the state. The last of them gives it back: MPI may hold a communicator (and so
     * `attribute_set`) for long after the program has freed it. */
    bool gone;                        /* not the program's any more: its handle may be another's */
    bool freed;                       /* the call that frees it has succeeded */
    bool attribute_set;               /* MPI has our pointer, and will call back with it */
    bool listed;                      /* of those to declare */
    uint32_t pin_count;               /* persistent requests that refer to it */
    const struct syn_thread *leaving; /* who is in the call that frees it: its event is not there
                                         yet; or will give it back with its next one; NULL: nobody
                                       */

    uint32_t child_count;    /* made from it so far */
    uint64_t children_first; /* the ids of those with these first ranks begin here: */
    uint64_t children_base;  /*   0: not known */
    uint64_t sequence;       /* of the next collective on it */

    /* ---- mostly as with its parent's other children ---- */

    uint32_t index;       /* in this rank's file; given at its first collective */
    uint32_t event_flags; /* SYN_EVENT_INTERCOMM or 0 */
    int32_t size;         /* of the local group */
    int32_t rank;         /* in the local group */
    int32_t remote_size;
    int32_t block_count; /* of an alltoall: ranks of the group addressed; of a neighbourhood: its
                            out-neighbours */
    int32_t neighbor_in_count; /* topologies; else 0 */
    int32_t neighbor_out_count;
    uintptr_t key;
    MPI_Comm handle; /* of a communicator that is in the table and lacks nothing: a state in which a
                        thread finds it again is that of the handle; else MPI_COMM_NULL */
    uint64_t id;
    uint64_t parent_id;
    struct syn_ranks *group;
    struct syn_ranks *remote;           /* intercommunicators; else NULL */
    uint32_t how_counts[SYN_HOW_COUNT]; /* of `child_count`, by each way */
    uint32_t number;                    /* of its parent's children made so, from 1 */
    uint8_t how;
    char detail[20];                     /* "2x3", "rows"; or "" */
    struct syn_shared_text *parent_name; /* NULL: without a parent */
    struct syn_shared_text *name; /* given by MPI_Comm_set_name, or asked for before; else NULL */
    struct syn_event *split;      /* a file's: the split collective under way; else NULL */
    struct syn_comm *next;        /* in the list of those to declare, or of unused ones */
};

/* So much of a state is zeros again when it becomes that of the next duplicate of its parent. */
#define SYN_COMM_OWN_BYTES offsetof(struct syn_comm, index)

/* How a call made something. */
struct syn_origin {
    enum syn_how how;
    int tag;           /* what tells those apart that no parent counts */
    const int *number; /* [number_count] cart: its dimensions; sub-grid: the dimensions that remain,
                          one for each of its parent's */
    int number_count;
    const char *text; /* [text_bytes] a file's path, a tag that is a string; a NUL ends it too, and
                         blanks at the end do not count (Fortran's) */
    size_t text_bytes;
};

#endif
