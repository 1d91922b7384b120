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

/* The way in which a communicator, a window or a file was made. Its name contains a word for it. */
enum syn_how {
    SYN_HOW_NOT_WRAPPED, /* by a call without a wrapper */
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

/* Text with a reference count. */
struct syn_shared_text {
    uint32_t reference_count;
    char text[];
};

struct syn_comm {
    /* ---- cleared when the state is reused for the next duplicate of the same parent ---- */

    int64_t window_ns;    /* --align window: length of the last window; 0: none yet */
    uint32_t start_count; /* --align: agreed starts since align.c last decided about giving up */
    uint32_t late_start_count; /* those that were late on any member */
    bool align_given_up;       /* no more starts are agreed on */
    bool start_agreed;         /* this rank's present call has an agreed start */
    bool started_late;         /* this rank's last agreed start was late */
    bool declared;             /* the file has a record of it, with its present name */

    /* The state is released when none of these needs it any more. MPI may keep a communicator (and
     * so `attribute_set`) long after the program has freed it. */
    bool removed;       /* not in the table: its handle may be that of a new communicator */
    bool freed;         /* the call that frees it has succeeded */
    bool attribute_set; /* MPI has a pointer to the state and will pass it to the delete callback */
    bool listed;        /* in the list of states that have to be declared */
    uint32_t pin_count; /* persistent requests that refer to it */
    uintptr_t freeing_frame; /* of the wrapper of the call that frees it: the thread is inside, has
                                returned and will release the state with its next call, or has
                                jumped out; 0: none */

    uint32_t child_count;    /* children made from it that its members count */
    uint64_t children_first; /* first ranks of the last child, see first_ranks() */
    uint64_t children_base;  /* ids of such children are this plus child_count; 0: not computed */
    uint64_t sequence;       /* sequence number of the next collective */

    /* ---- kept when the state is reused; most members are equal for all such duplicates ---- */

    uint32_t index;       /* in this rank's file, given at its first collective; else UINT32_MAX */
    uint32_t event_flags; /* SYN_EVENT_INTERCOMM or 0 */
    int32_t size;         /* of the local group */
    int32_t rank;         /* in the local group */
    int32_t remote_size;  /* 0: no intercommunicator */
    int32_t block_count;  /* blocks of an alltoall: ranks of the remote group, or else the group */
    int32_t neighbor_in_count; /* of a topology; else 0 */
    int32_t neighbor_out_count;
    uintptr_t key; /* communicators.h */
    /* Set while the communicator is in the table and has index and attribute: then a thread that
     * remembers this state need not look it up. Else MPI_COMM_NULL. */
    MPI_Comm handle;
    uint64_t id;        /* equal on all members */
    uint64_t parent_id; /* 0: no parent */
    struct syn_ranks *group;
    struct syn_ranks *remote;            /* of an intercommunicator; else NULL */
    uint32_t how_counts[SYN_HOW_COUNT];  /* child_count by way of making */
    uint32_t number;                     /* among the parent's children made the same way, from 1 */
    uint8_t how;                         /* enum syn_how */
    char detail[20];                     /* part of its name: "2x3", "rows"; or "" */
    struct syn_shared_text *parent_name; /* NULL: no parent */
    struct syn_shared_text *name; /* set by MPI_Comm_set_name, or made when needed; else NULL */
    struct syn_event *split;      /* of a file: its active split collective; else NULL */
    struct syn_comm *next;        /* in the list of states to declare, or of unused states */
};

/* Size of the part that is cleared when a state is reused. */
#define SYN_COMM_OWN_BYTES offsetof(struct syn_comm, index)

/* Arguments of a call that made a communicator, a window or a file. */
struct syn_origin {
    enum syn_how how;
    int tag;           /* the call's tag, if the parent does not count its children */
    const int *number; /* [number_count] MPI_Cart_create: the dimensions; MPI_Cart_sub: for each
                          dimension of the parent, not 0 if it remains */
    int number_count;
    const char *text; /* [text_bytes] a file's path, or a tag that is a string. A NUL ends it;
                         trailing blanks do not count (Fortran) */
    size_t text_bytes;
};

#endif
