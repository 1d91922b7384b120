/* preload/comms/world_ranks.c - see world_ranks.h. */
#include "preload/comms/world_ranks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/mpi/pmpi.h"
#include "sync/base/status.h"

/* Guarded by the lock of communicators.c, except at the run's start and end. */
static struct {
    MPI_Group group; /* all processes of the run */
    bool started;
    struct syn_rank_lists known;
    int *scratch; /* [2 * scratch_room]: the numbers 0, 1, 2, ..., then the result of translate */
    int scratch_room;
} world;

int syn_ranks_start(MPI_Comm all)
{
    world.started = syn_pmpi.Comm_group(all, &world.group) == MPI_SUCCESS;
    return world.started ? SYN_OK : SYN_ETRANSPORT;
}

void syn_ranks_stop(void)
{
    if (world.started)
        syn_pmpi.Group_free(&world.group);
    world.started = false;
}

static bool make_room(int count)
{
    if (count <= world.scratch_room)
        return true;
    int *grown = realloc(world.scratch, 2 * (size_t)count * sizeof *grown);
    if (!grown)
        return false;
    world.scratch = grown;
    world.scratch_room = count;
    for (int i = 0; i < count; i++)
        world.scratch[i] = i;
    return true;
}

/* Writes the world ranks of `group` to the second half of scratch. Returns their number, or -1. */
static int translate(MPI_Group group)
{
    int count = 0;
    if (!world.started || syn_pmpi.Group_size(group, &count) || count < 1 || !make_room(count) ||
        syn_pmpi.Group_translate_ranks(group, count, world.scratch, world.group,
                                       world.scratch + world.scratch_room))
        return -1;
    for (int i = 0; i < count; i++)
        if (world.scratch[world.scratch_room + i] == MPI_UNDEFINED)
            world.scratch[world.scratch_room + i] = -1;
    return count;
}

struct syn_ranks *syn_ranks_of(MPI_Group group)
{
    const int count = translate(group);
    syn_pmpi.Group_free(&group);
    return count < 0 ? NULL
                     : syn_rank_lists_keep(&world.known, world.scratch + world.scratch_room, count);
}

struct syn_ranks *syn_ranks_share(struct syn_ranks *ranks)
{
    if (ranks)
        ranks->reference_count++;
    return ranks;
}

void syn_ranks_release(struct syn_ranks *ranks)
{
    syn_rank_lists_release(&world.known, ranks);
}

/* ---- as text ---- */

#define LISTED_MAX 6

static bool contiguous(const struct syn_ranks *ranks)
{
    for (int32_t i = 1; i < ranks->count; i++)
        if (ranks->rank[i] != ranks->rank[0] + i)
            return false;
    return ranks->rank[0] >= 0;
}

static bool all_unknown(const struct syn_ranks *ranks)
{
    for (int32_t i = 0; i < ranks->count; i++)
        if (ranks->rank[i] >= 0)
            return false;
    return true;
}

int syn_ranks_text(const struct syn_ranks *ranks, char *text, size_t bytes)
{
    if (all_unknown(ranks))
        return snprintf(text, bytes, "%d rank%s of another world", ranks->count,
                        ranks->count == 1 ? "" : "s");
    if (ranks->count == 1 && ranks->rank[0] >= 0)
        return snprintf(text, bytes, "rank %d", ranks->rank[0]);
    if (ranks->count > 2 && contiguous(ranks))
        return snprintf(text, bytes, "ranks %d-%d", ranks->rank[0], ranks->rank[ranks->count - 1]);
    int used = snprintf(text, bytes, "ranks ");
    for (int32_t i = 0; i < ranks->count && i < LISTED_MAX && (size_t)used < bytes; i++)
        used +=
            ranks->rank[i] < 0
                ? snprintf(text + used, bytes - (size_t)used, "%s?", i ? "," : "")
                : snprintf(text + used, bytes - (size_t)used, "%s%d", i ? "," : "", ranks->rank[i]);
    if (ranks->count > LISTED_MAX && (size_t)used < bytes)
        used += snprintf(text + used, bytes - (size_t)used, ",... (%d)", ranks->count);
    return used;
}
