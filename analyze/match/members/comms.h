/* analyze/match/members/comms.h - the communicators of a run, as its ranks' records agree on them.
 */
#ifndef SYN_COMMS_H
#define SYN_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/names.h"
#include "trace/read/reader.h"

struct syn_communicator {
    uint64_t id;
    uint32_t label;       /* in the table of names: unique within the run */
    uint32_t family;      /* likewise, for grouping: the label, but one name for all where more than
                             SYN_FAMILY_MAX communicators differ in their numbers only */
    uint32_t size;        /* members that record: of the local group, and of the remote one of an
                             intercommunicator */
    uint32_t full_size;   /* with those that record nothing (--ranks), or elsewhere: processes of
                             another MPI_COMM_WORLD */
    uint32_t known_count; /* members whose record was read; an instance needs all of them */
    bool intercomm;
    bool contradictory;   /* its records disagree: nothing on it is matched */
    uint32_t *world_rank; /* [known_count], of a member; members are numbered by comm rank, those of
                             an intercommunicator by world rank. NULL unless known_count == size */
};

/* The communicator behind a communicator index of one rank. */
struct syn_comm_place {
    uint32_t comm;     /* index into syn_comms.comm; SYN_NO_COMM: not usable */
    uint32_t member;   /* the rank's number among the members */
    int32_t comm_size; /* of the local group */
};
#define SYN_NO_COMM UINT32_MAX
/* A program that makes communicators in a loop shall not have a group for each. */
#define SYN_FAMILY_MAX 8

struct syn_comms {
    struct syn_communicator *comm; /* [count] */
    size_t count;
    struct syn_comm_place *
        *place; /* [rank_count][place_count[rank]]; NULL for a rank without file */
    size_t *place_count;
    int32_t rank_count;
};

/* Are there members enough that instances of it can be complete? */
static inline bool syn_comm_can_complete(const struct syn_communicator *comm)
{
    return comm->known_count == comm->size;
}

/* Does the rank record? One that --ranks left out has a file all the same. */
bool syn_rank_records(const struct syn_rank_file *file);

/* Gather the records of all ranks. Labels go into `names`: the communicator's name, with " @R" (R
 * the world rank of its rank 0) where several bear it, and its id where even that is not unique.
 * Returns 0 or SYN_ENOMEM. */
int syn_comms_open(struct syn_trace *trace, struct syn_names *names, struct syn_comms *out);
void syn_comms_close(struct syn_comms *comms);

#endif
