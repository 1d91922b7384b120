/* preload/comms/comm_bases.c - see comm_bases.h. */
#include "preload/comms/comm_bases.h"

#include "preload/comms/comm_names.h"
#include "preload/comms/world_ranks.h"
#include "sync/base/layout.h"

/* Several, because libraries take turns in duplicating a communicator of their own each. */
#define BASE_COUNT 8

/* A remembered communicator. The base counts as a user of its group, remote group and parent name,
 * so that equal addresses mean equal contents. */
struct base {
    uint32_t index, number;
    uint64_t id;
    uint8_t how;
    struct syn_ranks *group, *remote;
    struct syn_shared_text *parent_name; /* NULL: the place is empty */
};

static struct base bases[BASE_COUNT];

static struct base *place_of(const struct syn_comm *comm)
{
    return &bases[(comm->parent_id + comm->how) % BASE_COUNT];
}

/* Returns true if the name is "WORD NUMBER of PARENT" and `comm->name` was neither set nor made. */
static bool has_plain_name(const struct syn_comm *comm)
{
    return !comm->name && comm->parent_name && comm->detail[0] == '\0';
}

SYN_HOT bool syn_comm_is_repeated(const struct syn_comm *comm, struct syn_repeated_comm *out)
{
    const struct base *base = place_of(comm);
    if (!has_plain_name(comm) || base->parent_name != comm->parent_name || base->how != comm->how ||
        base->group != comm->group || base->remote != comm->remote)
        return false;
    *out = (struct syn_repeated_comm){.base = base->index,
                                      .index = comm->index,
                                      .further = (int64_t)comm->number - (int64_t)base->number};
    return comm->id - base->id == (uint64_t)out->further;
}

static void forget(struct base *base)
{
    syn_ranks_release(base->group);
    syn_ranks_release(base->remote);
    syn_shared_text_release(base->parent_name);
    *base = (struct base){0};
}

/* A communicator that was renamed since is no base any more. */
void syn_comm_was_declared(const struct syn_comm *comm)
{
    for (struct base *base = bases; base < bases + BASE_COUNT; base++)
        if (base->parent_name && base->index == comm->index)
            forget(base);
    if (!has_plain_name(comm))
        return;
    struct base *const base = place_of(comm);
    forget(base);
    *base = (struct base){.index = comm->index,
                          .number = comm->number,
                          .id = comm->id,
                          .how = comm->how,
                          .group = syn_ranks_share(comm->group),
                          .remote = syn_ranks_share(comm->remote),
                          .parent_name = syn_shared_text_share(comm->parent_name)};
}
