/* preload/comms/world_ranks.c - see world_ranks.h. */
#include "preload/comms/world_ranks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/mpi/pmpi.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"

#define LISTS_LEAST 64

static MPI_Group world_group; /* all processes of the run */
static bool started;
static struct syn_chains known_ranks;
static int *scratch; /* [2 * scratch_room]: 0, 1, 2, ..., then room for an answer */
static int scratch_room;

int syn_ranks_start(MPI_Comm all)
{
    started = syn_pmpi.Comm_group(all, &world_group) == MPI_SUCCESS;
    return started ? SYN_OK : SYN_ETRANSPORT;
}

void syn_ranks_stop(void)
{
    if (started)
        syn_pmpi.Group_free(&world_group);
    started = false;
}

static bool make_room(int count)
{
    if (count <= scratch_room)
        return true;
    int *grown = realloc(scratch, 2 * (size_t)count * sizeof *grown);
    if (!grown)
        return false;
    scratch = grown;
    scratch_room = count;
    for (int i = 0; i < count; i++)
        scratch[i] = i;
    return true;
}

/* Into scratch; how many, or -1. */
static int translate(MPI_Group group)
{
    int count = 0;
    if (!started || syn_pmpi.Group_size(group, &count) || count < 1 || !make_room(count) ||
        syn_pmpi.Group_translate_ranks(group, count, scratch, world_group, scratch + scratch_room))
        return -1;
    for (int i = 0; i < count; i++)
        if (scratch[scratch_room + i] == MPI_UNDEFINED)
            scratch[scratch_room + i] = -1;
    return count;
}

static struct syn_ranks *find(const int *ranks, int count, uint64_t hash)
{
    for (struct syn_chained *at = syn_chains_first(&known_ranks, hash); at; at = at->next) {
        struct syn_ranks *known = (struct syn_ranks *)at;
        if (at->hash == hash && known->count == count &&
            memcmp(known->rank, ranks, (size_t)count * sizeof *ranks) == 0)
            return known;
    }
    return NULL;
}

static struct syn_ranks *intern(const int *ranks, int count)
{
    const uint64_t hash = syn_hash64(ranks, (size_t)count * sizeof *ranks);
    if (!known_ranks.head && syn_chains_begin(&known_ranks, LISTS_LEAST) != SYN_OK)
        return NULL;
    struct syn_ranks *known = find(ranks, count, hash);
    if (known)
        return syn_ranks_share(known);
    struct syn_ranks *made = malloc(sizeof *made + (size_t)count * sizeof *made->rank);
    if (!made || syn_chains_add(&known_ranks, &made->chained, hash) != SYN_OK) {
        free(made);
        return NULL;
    }
    made->reference_count = 1;
    made->count = count;
    memcpy(made->rank, ranks, (size_t)count * sizeof *ranks);
    return made;
}

struct syn_ranks *syn_ranks_of(MPI_Group group)
{
    const int count = translate(group);
    syn_pmpi.Group_free(&group);
    return count < 0 ? NULL : intern(scratch + scratch_room, count);
}

struct syn_ranks *syn_ranks_share(struct syn_ranks *ranks)
{
    if (ranks)
        ranks->reference_count++;
    return ranks;
}

void syn_ranks_release(struct syn_ranks *ranks)
{
    if (!ranks || --ranks->reference_count > 0)
        return;
    syn_chains_remove(&known_ranks, &ranks->chained);
    free(ranks);
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

static int list_text(const struct syn_ranks *ranks, char *text, size_t bytes)
{
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
    return list_text(ranks, text, bytes);
}
