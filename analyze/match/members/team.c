/* analyze/match/members/team.c - processes that make a report together: who has which part, and
 * what goes wrong with all when it goes wrong with one. */
#include "analyze/match/members/team.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

int syn_team_begin(struct syn_team *team)
{
    team->map = calloc((size_t)team->link.size, sizeof *team->map);
    team->names_sent = calloc((size_t)team->link.size, sizeof *team->names_sent);
    return team->map && team->names_sent ? 0 : SYN_ENOMEM;
}

void syn_team_end(struct syn_team *team)
{
    for (int peer = 0; team->map && peer < team->link.size; peer++)
        free(team->map[peer].id);
    free(team->map);
    free(team->names_sent);
    free(team->bucket_owner);
    team->map = NULL;
    team->names_sent = NULL;
    team->bucket_owner = NULL;
}

bool syn_team_helps(const struct syn_team *team)
{
    return team && team->link.rank != 0;
}

int syn_team_send(struct syn_team *team, int peer, const struct syn_bytes *message)
{
    uint64_t count = message->count;
    if (message->failed)
        return SYN_ENOMEM;
    team->begun = true;
    int status = team->link.send(team->link.ctx, peer, &count, sizeof count);
    return status || count == 0 ? status
                                : team->link.send(team->link.ctx, peer, message->data, count);
}

int syn_team_receive(struct syn_team *team, int peer, struct syn_bytes *message)
{
    uint64_t count;
    team->begun = true;
    message->count = 0;
    int status = team->link.recv(team->link.ctx, peer, &count, sizeof count);
    if (status != SYN_OK || count == 0)
        return status;
    uint8_t *data = syn_bytes_reserve(message, count);
    if (!data)
        return SYN_ENOMEM;
    message->count = count;
    return team->link.recv(team->link.ctx, peer, data, count);
}

int syn_team_partner(const struct syn_team *team, int step)
{
    return (step + team->link.size - team->link.rank) % team->link.size;
}

/* A send may wait for its receive: the lower one sends first. */
int syn_team_swap(struct syn_team *team, int peer, const struct syn_bytes *out,
                  struct syn_bytes *in)
{
    int status = 0;
    if (team->link.rank < peer)
        status = syn_team_send(team, peer, out);
    if (status == SYN_OK)
        status = syn_team_receive(team, peer, in);
    if (status == SYN_OK && team->link.rank > peer)
        status = syn_team_send(team, peer, out);
    return status;
}

int syn_team_put_names(struct syn_team *team, int peer, const struct syn_names *names,
                       struct syn_bytes *out)
{
    size_t *sent = &team->names_sent[peer], count = *sent;
    while (syn_names_text(names, (uint32_t)count))
        count++;
    syn_bytes_put_varint(out, count - *sent);
    for (; *sent < count; ++*sent)
        syn_bytes_put_string(out, syn_names_text(names, (uint32_t)*sent));
    return out->failed ? SYN_ENOMEM : 0;
}

static int take_name(struct syn_name_map *map, struct syn_names *names, struct syn_take *take)
{
    size_t length = syn_take_bounded(take, syn_take_left(take));
    const uint8_t *bytes = syn_take_bytes(take, length);
    if (!bytes)
        return SYN_ETRANSPORT;
    char *text = strndup((const char *)bytes, length);
    map->id[map->count] = text ? syn_names_site(names, text) : SYN_NO_NAME;
    free(text);
    return map->id[map->count++] == SYN_NO_NAME ? SYN_ENOMEM : 0;
}

int syn_team_take_names(struct syn_team *team, int peer, struct syn_names *names,
                        struct syn_take *take)
{
    struct syn_name_map *map = &team->map[peer];
    size_t count = syn_take_bounded(take, syn_take_left(take));
    uint32_t *id = realloc(map->id, (map->count + count + 1) * sizeof *id);
    if (!id)
        return SYN_ENOMEM;
    map->id = id;
    for (size_t i = 0; i < count; i++) {
        int status = take_name(map, names, take);
        if (status != SYN_OK)
            return status;
    }
    return take->failed ? SYN_ETRANSPORT : 0;
}

uint64_t syn_name_mapped(const struct syn_name_map *map, uint64_t number)
{
    return map && number < map->count ? map->id[number] : number;
}
