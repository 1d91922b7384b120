/* analyze/report/report_team.c - figures of groups that other processes computed, as bytes. */
#include "analyze/report/report_team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/figures/figure_fields.h"
#include "sync/base/fields.h"
#include "sync/base/status.h"

/* ---- structures ---- */

#include "analyze/report/figures/figures.def"

/* A process's view of a trace. */
struct sight {
    int64_t status, readable_count;
    uint64_t event_count;
    uint8_t run_id[16];
};
SYN_FIELDS(syn_sight_fields, struct sight, SYN_FIELD(struct sight, status),
           SYN_FIELD(struct sight, readable_count), SYN_FIELD(struct sight, event_count),
           SYN_FIELD_ARRAY(struct sight, run_id));

/* ---- facts ---- */

int syn_facts_part_put(const struct syn_facts_part *part, struct syn_bytes *out)
{
    syn_fields_put_all(&syn_rank_facts_fields, part->rank, (size_t)part->rank_count, out);
    syn_fields_put(&syn_causality_fields, &part->causality, out);
    syn_late_kinds_put(&part->kinds, out);
    int status = syn_column_put(&part->last, NULL, out);
    if (status == SYN_OK)
        status = syn_column_put(&part->kind, NULL, out);
    if (status == SYN_OK)
        status = syn_column_put(&part->lead_ns, NULL, out);
    return status != SYN_OK ? status : syn_column_put(&part->start_ns, NULL, out);
}

int syn_facts_part_take(struct syn_take *take, const struct syn_name_map *map,
                        struct syn_facts_part *part)
{
    syn_fields_take_all(&syn_rank_facts_fields, take, part->rank, (size_t)part->rank_count);
    syn_fields_take(&syn_causality_fields, take, &part->causality);
    if (take->failed)
        return SYN_ETRANSPORT;
    int status = syn_late_kinds_take(take, map, &part->kinds);
    if (status == SYN_OK)
        status = syn_column_take(take, NULL, &part->last);
    if (status == SYN_OK)
        status = syn_column_take(take, NULL, &part->kind);
    if (status == SYN_OK)
        status = syn_column_take(take, NULL, &part->lead_ns);
    return status != SYN_OK ? status : syn_column_take(take, NULL, &part->start_ns);
}

/* ---- the same trace for all ---- */

static struct sight look(int status, struct syn_trace *trace)
{
    struct sight sight = {.status = status};
    for (int32_t r = 0; trace && r < syn_trace_size(trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        if (!file)
            continue;
        if (sight.readable_count++ == 0)
            memcpy(sight.run_id, syn_rank_run_id(file), sizeof sight.run_id);
        sight.event_count += syn_rank_event_count(file);
    }
    return sight;
}

static bool are_alike(const struct syn_bytes *message, const struct syn_bytes *own)
{
    return !own->failed && message->count == own->count &&
           memcmp(message->data, own->data, own->count) == 0;
}

static int compare_sights(struct syn_team *team, const struct syn_run_path *path,
                          const struct syn_bytes *own, char **why)
{
    int status = 0;
    struct syn_bytes message = {0};
    for (int peer = 1; peer < team->link.size && status == SYN_OK; peer++) {
        status = syn_team_receive(team, peer, &message);
        if (status == SYN_OK && !are_alike(&message, own)) {
            status = SYN_ETRANSPORT;
            if (asprintf(why, "%s: process %d does not see what process 0 sees there",
                         path->directory, peer) < 0)
                *why = NULL;
        }
    }
    syn_bytes_free(&message);
    return status;
}

int syn_team_agree(struct syn_team *team, const struct syn_run_path *path, int status,
                   struct syn_trace *trace, char **why)
{
    const struct sight sight = look(status, trace);
    struct syn_bytes own = {0};
    if (!team)
        return 0;
    syn_fields_put(&syn_sight_fields, &sight, &own);
    status =
        syn_team_helps(team) ? syn_team_send(team, 0, &own) : compare_sights(team, path, &own, why);
    syn_bytes_free(&own);
    return status;
}

/* ---- sums of causes, up a tree ---- */

static int send_causes(struct syn_team *team, int peer, const struct syn_names *names,
                       const struct syn_causes *causes)
{
    struct syn_bytes message = {0};
    int status = syn_team_put_names(team, peer, names, &message);
    if (status == SYN_OK)
        status = syn_causes_sums_put(causes, &message);
    if (status == SYN_OK)
        status = syn_team_send(team, peer, &message);
    syn_bytes_free(&message);
    return status;
}

static int receive_causes(struct syn_team *team, int peer, struct syn_names *names,
                          struct syn_causes *causes)
{
    struct syn_bytes message = {0};
    int status = syn_team_receive(team, peer, &message);
    struct syn_take take = syn_take_from(message.data, message.count);
    if (status == SYN_OK)
        status = syn_team_take_names(team, peer, names, &take);
    if (status == SYN_OK)
        status = syn_causes_sums_take(causes, &take, &team->map[peer]);
    syn_bytes_free(&message);
    return status;
}

int syn_team_gather_causes(struct syn_team *team, struct syn_names *names,
                           struct syn_causes *causes)
{
    const int rank = team->link.rank, size = team->link.size;
    int status = syn_causes_gather(causes);
    for (int step = 1; step < size && status == SYN_OK; step *= 2) {
        if (rank % (2 * step) != 0)
            return send_causes(team, rank - step, names, causes);
        if (rank + step < size)
            status = receive_causes(team, rank + step, names, causes);
    }
    return status;
}

/* ---- figures to process 0 ---- */

void syn_figures_put(const struct syn_figures *figures, struct syn_bytes *out)
{
    const struct syn_group *group = figures->group;
    const bool pairs = figures->kruskal_pair;
    syn_fields_put(&syn_figures_fields, figures, out);
    for (size_t i = 0; i < figures->rank_count; i++) {
        syn_bytes_put_varint(out, (uint64_t)(figures->rank[i].rank - group->rank));
        syn_fields_put(&syn_rank_figures_fields, &figures->rank[i], out);
    }
    syn_fields_put_all(&syn_run_figures_fields, figures->run, figures->run_count, out);
    syn_bytes_put_varint(out, pairs);
    if (!pairs)
        return;
    syn_fields_put_all(&syn_pair_fields, figures->kruskal_pair, figures->pair_count, out);
    syn_fields_put_all(&syn_pair_fields, figures->friedman_pair, figures->pair_count, out);
}

/* Takes `count` structures. Returns NULL without memory, or if there are not so many (then the take
 * has failed). Each takes a byte at least. */
static void *take_array(struct syn_take *take, const struct syn_fields *fields, size_t count)
{
    take->failed |= count > syn_take_left(take);
    void *array = take->failed ? NULL : calloc(count + 1, fields->bytes);
    if (array)
        syn_fields_take_all(fields, take, array, count);
    return array;
}

static struct syn_rank_figures *take_ranks(struct syn_take *take, const struct syn_group *group,
                                           size_t count)
{
    take->failed |= count > syn_take_left(take) || count > group->rank_count;
    struct syn_rank_figures *rank = take->failed ? NULL : calloc(count + 1, sizeof *rank);
    for (size_t i = 0; rank && i < count && !take->failed; i++) {
        rank[i].rank = &group->rank[syn_take_bounded(take, group->rank_count - 1)];
        syn_fields_take(&syn_rank_figures_fields, take, &rank[i]);
    }
    return rank;
}

int syn_figures_take(struct syn_take *take, const struct syn_group *group, struct syn_figures *out)
{
    *out = (struct syn_figures){.group = group};
    syn_fields_take(&syn_figures_fields, take, out);
    out->rank = take_ranks(take, group, out->rank_count);
    out->run = take_array(take, &syn_run_figures_fields, out->run_count);
    const bool pairs = syn_take_bounded(take, 1);
    if (pairs) {
        out->kruskal_pair = take_array(take, &syn_pair_fields, out->pair_count);
        out->friedman_pair = take_array(take, &syn_pair_fields, out->pair_count);
    }
    if (take->failed)
        return SYN_ETRANSPORT;
    return out->rank && out->run && (!pairs || (out->kruskal_pair && out->friedman_pair))
               ? SYN_OK
               : SYN_ENOMEM;
}
