/* tests/bench/made_comms.c - see made_comms.h. */
#include "made_comms.h"

#include <stdio.h>
#include <stdlib.h>

#include "drawn_calls.h"
#include "sync/base/status.h"

static int color_of(const struct made_comms *comms, uint32_t index, int rank)
{
    return comms->copies ? 0 : drawn_color(index, rank, comms->rank_count);
}

/* Writes the communicator of this index that the rank is in. Writes nothing if the rank is in
 * none. */
static int write_comm(const struct made_comms *comms, struct syn_writer *writer, uint32_t index,
                      int rank)
{
    int32_t *world_ranks = malloc((size_t)comms->rank_count * sizeof *world_ranks);
    const int color = color_of(comms, index, rank);
    char name[48];
    struct syn_comm_record comm = {.index = index,
                                   .id = index ? 2 * (uint64_t)index + (uint64_t)color : 1,
                                   .parent_id = index ? 1 : 0,
                                   .name = name,
                                   .world_ranks = world_ranks};
    if (!world_ranks)
        return SYN_ENOMEM;
    snprintf(name, sizeof name, index ? "%s of MPI_COMM_WORLD #%u" : "MPI_COMM_WORLD",
             comms->copies ? "duplicate" : "split", index);
    for (int r = 0; r < comms->rank_count; r++) {
        if (r == rank)
            comm.rank = (int32_t)comm.size;
        if (color_of(comms, index, r) == color)
            world_ranks[comm.size++] = r;
    }
    const int status = color >= 0 ? syn_writer_comm(writer, &comm) : SYN_OK;
    free(world_ranks);
    return status;
}

int made_comms_write(const struct made_comms *comms, struct syn_writer *writer, int rank)
{
    int status = SYN_OK;
    for (uint32_t i = 0; i < comms->count && status == SYN_OK; i++)
        status = write_comm(comms, writer, i, rank);
    return status;
}
