/* analyze/match/members/comms.h - the communicators of a run, from the records of all ranks. */
#ifndef SYN_COMMS_H
#define SYN_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/names.h"
#include "trace/read/reader.h"

struct syn_communicator {
    uint64_t id;
    uint32_t label;  /* name number; unique within the run */
    uint32_t family; /* name number for grouping: the label. More than SYN_FAMILY_MAX communicators
                        whose labels differ in numbers only share one name */
    uint32_t size;   /* members that record, of both groups of an intercommunicator */
    uint32_t full_size;   /* all members: also ranks that --ranks left out, and processes of another
                             MPI_COMM_WORLD */
    uint32_t known_count; /* members whose record was read; a complete instance needs all */
    bool intercomm;
    bool contradictory;   /* its records disagree, so its events are not matched */
    uint32_t *world_rank; /* [known_count] rank in MPI_COMM_WORLD of each member. Members are
                             numbered by rank in the communicator; those of an intercommunicator, by
                             rank in MPI_COMM_WORLD. NULL unless known_count == size */
};

/* The communicator that a communicator index of one rank means. */
struct syn_comm_place {
    uint32_t comm;     /* index into syn_comms.comm; SYN_NO_COMM: the communicator is not usable */
    uint32_t member;   /* the rank's number among the members */
    int32_t comm_size; /* of the local group */
};
#define SYN_NO_COMM UINT32_MAX
/* Largest number of communicators that differ in numbers only and keep groups of their own. It
 * limits the groups of a program that makes communicators in a loop. */
#define SYN_FAMILY_MAX 8

struct syn_comms {
    struct syn_communicator *comm; /* [count] */
    size_t count;
    struct syn_comm_place **place; /* [rank_count][place_count[rank]]; NULL: the rank has no file */
    size_t *place_count;
    int32_t rank_count;
};

/* Returns whether all members' records were read, so that instances can be complete. */
static inline bool syn_comm_can_complete(const struct syn_communicator *comm)
{
    return comm->known_count == comm->size;
}

/* Returns whether the rank records. A rank that --ranks left out has a file, too. */
bool syn_rank_records(const struct syn_rank_file *file);

/* Gathers the records of all ranks. A label, added to `names`, is the communicator's name. If
 * several have that name, " @R" follows it, where R is the rank of its rank 0 in MPI_COMM_WORLD. If
 * labels are still equal, the id follows. Returns 0 or SYN_ENOMEM. */
int syn_comms_open(struct syn_trace *trace, struct syn_names *names, struct syn_comms *out);
void syn_comms_close(struct syn_comms *comms);

#endif
