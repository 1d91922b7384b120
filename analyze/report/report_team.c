/* analyze/report/report_team.c - figures of groups that other processes computed, as bytes. */
#include "analyze/report/report_team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

/* ---- facts ---- */

int syn_facts_part_put(const struct syn_facts_part *part, struct syn_bytes *out)
{
    /* In a part there are no texts. */
    syn_bytes_put(out, part->rank, (size_t)part->rank_count * sizeof *part->rank);
    syn_bytes_put(out, &part->causality, sizeof part->causality);
    const int status = syn_column_put(&part->last, NULL, out);
    return status != SYN_OK ? status : syn_column_put(&part->lead_ns, NULL, out);
}

int syn_facts_part_take(struct syn_take *take, struct syn_facts_part *part)
{
    size_t bytes = (size_t)part->rank_count * sizeof *part->rank;
    const uint8_t *ranks = syn_take_bytes(take, bytes);
    if (!ranks)
        return SYN_ETRANSPORT;
    memcpy(part->rank, ranks, bytes);
    const uint8_t *causality = syn_take_bytes(take, sizeof part->causality);
    if (!causality)
        return SYN_ETRANSPORT;
    memcpy(&part->causality, causality, sizeof part->causality);
    const int status = syn_column_take(take, NULL, &part->last);
    return status != SYN_OK ? status : syn_column_take(take, NULL, &part->lead_ns);
}

/* ---- the same trace for all ---- */

struct sight {
    int64_t status, readable_count;
    uint64_t event_count;
    uint8_t run_id[16];
};

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

static int compare_sights(struct syn_team *team, const struct syn_run_path *path,
                          const struct sight *own, char **why)
{
    int status = 0;
    struct syn_bytes message = {0};
    for (int peer = 1; peer < team->link.size && status == SYN_OK; peer++) {
        status = syn_team_receive(team, peer, &message);
        if (status == SYN_OK &&
            (message.count != sizeof *own || memcmp(message.data, own, sizeof *own) != 0)) {
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
    const struct sight own = look(status, trace);
    if (!team)
        return 0;
    if (!syn_team_helps(team))
        return compare_sights(team, path, &own, why);
    struct syn_bytes message = {0};
    syn_bytes_put(&message, &own, sizeof own);
    status = syn_team_send(team, 0, &message);
    syn_bytes_free(&message);
    return status;
}

/* ---- figures to process 0 ---- */

#define PUT_ARRAY(out, array, count) syn_bytes_put(out, array, (count) * sizeof *(array))

static void put_figures(const struct syn_figures *figures, struct syn_bytes *out)
{
    const struct syn_group *group = figures->group;
    syn_bytes_put(out, figures, sizeof *figures); /* pointers in it are put right there */
    PUT_ARRAY(out, figures->rank, figures->rank_count);
    for (size_t i = 0; i < figures->rank_count; i++)
        syn_bytes_put_varint(out, (uint64_t)(figures->rank[i].rank - group->rank));
    PUT_ARRAY(out, figures->run, figures->run_count);
    PUT_ARRAY(out, figures->kruskal_pair, figures->pair_count);
    PUT_ARRAY(out, figures->friedman_pair, figures->pair_count);
}

/* A copy of so many elements; NULL: no memory, or not so many there. */
static void *take_array(struct syn_take *take, size_t count, size_t bytes_each)
{
    bool there = count <= syn_take_left(take) / bytes_each;
    const uint8_t *from = syn_take_bytes(take, there ? count * bytes_each : SIZE_MAX);
    void *array = from ? malloc((count + 1) * bytes_each) : NULL;
    if (array)
        memcpy(array, from, count * bytes_each);
    return array;
}

static int take_figures(struct syn_take *take, const struct syn_group *group,
                        struct syn_figures *out)
{
    const uint8_t *from = syn_take_bytes(take, sizeof *out);
    if (!from)
        return SYN_ETRANSPORT;
    memcpy(out, from, sizeof *out);
    bool pairs = out->kruskal_pair;
    out->group = group;
    out->run = NULL;
    out->kruskal_pair = out->friedman_pair = NULL;
    out->rank = take_array(take, out->rank_count, sizeof *out->rank);
    for (size_t i = 0; out->rank && i < out->rank_count; i++)
        out->rank[i].rank = &group->rank[syn_take_bounded(take, group->rank_count - 1)];
    out->run = take_array(take, out->run_count, sizeof *out->run);
    if (pairs) {
        out->kruskal_pair = take_array(take, out->pair_count, sizeof *out->kruskal_pair);
        out->friedman_pair = take_array(take, out->pair_count, sizeof *out->friedman_pair);
    }
    if (take->failed)
        return SYN_ETRANSPORT;
    return out->rank && out->run && (!pairs || (out->kruskal_pair && out->friedman_pair))
               ? 0
               : SYN_ENOMEM;
}

/* ---- which process has which group ---- */

struct share {
    const struct syn_groups *groups;
    size_t *mine;  /* [mine_count], indices of groups */
    int *peer;     /* [groups->count] */
    double *load;  /* [team size] */
    size_t *order; /* [groups->count], the heaviest first */
    size_t mine_count;
};

static double weight_of(const struct syn_group *group)
{
    return (double)group->instance_count * (double)(8 + group->rank_count) + 1;
}

static int by_weight(const void *left, const void *right, void *ctx)
{
    const struct syn_groups *groups = ctx;
    size_t i = *(const size_t *)left, j = *(const size_t *)right;
    double a = weight_of(groups->group[i]), b = weight_of(groups->group[j]);
    return a != b ? (a < b ? 1 : -1) : i < j ? -1 : i > j;
}

/* The heaviest first, each to whom has least. Process 0 begins with some load: it deals out what it
 * has, and puts together. */
static void deal_groups(struct share *share, int team_size)
{
    double total = 0;
    for (size_t i = 0; i < share->groups->count; i++) {
        share->order[i] = i;
        total += weight_of(share->groups->group[i]);
    }
    qsort_r(share->order, share->groups->count, sizeof *share->order, by_weight,
            (void *)share->groups);
    share->load[0] = total / team_size / 4;
    for (size_t k = 0; k < share->groups->count; k++) {
        size_t i = share->order[k];
        int least = 0;
        for (int peer = 1; peer < team_size; peer++)
            least = share->load[peer] < share->load[least] ? peer : least;
        share->peer[i] = least;
        share->load[least] += weight_of(share->groups->group[i]);
    }
    for (size_t i = 0; i < share->groups->count; i++)
        if (share->peer[i] == 0)
            share->mine[share->mine_count++] = i;
}

static int share_out(struct share *share, const struct syn_groups *groups, int team_size)
{
    size_t count = groups->count + 1;
    *share = (struct share){.groups = groups};
    share->mine = calloc(count, sizeof *share->mine);
    share->peer = calloc(count, sizeof *share->peer);
    share->order = calloc(count, sizeof *share->order);
    share->load = calloc((size_t)team_size, sizeof *share->load);
    if (!share->mine || !share->peer || !share->order || !share->load)
        return SYN_ENOMEM;
    deal_groups(share, team_size);
    return 0;
}

static void free_share(struct share *share)
{
    free(share->mine);
    free(share->peer);
    free(share->order);
    free(share->load);
}

/* ---- process 0 ---- */

static int send_groups(struct syn_team *team, const struct share *share)
{
    struct syn_bytes message = {0};
    int status = 0;
    for (size_t i = 0; i < share->groups->count && status == SYN_OK; i++) {
        if (share->peer[i] == 0)
            continue;
        message.count = 0;
        status = syn_group_put(share->groups->group[i], &message);
        if (status == SYN_OK)
            status = syn_team_send(team, share->peer[i], &message);
    }
    message.count = 0; /* an empty one: no more */
    for (int peer = 1; peer < team->link.size && status == SYN_OK; peer++)
        status = syn_team_send(team, peer, &message);
    syn_bytes_free(&message);
    return status;
}

static int receive_figures(struct syn_team *team, const struct share *share,
                           struct syn_figures *out)
{
    struct syn_bytes message = {0};
    int status = 0;
    for (int peer = 1; peer < team->link.size && status == SYN_OK; peer++) {
        status = syn_team_receive(team, peer, &message);
        struct syn_take take = syn_take_from(message.data, message.count);
        for (size_t i = 0; i < share->groups->count && status == SYN_OK; i++)
            if (share->peer[i] == peer)
                status = take_figures(&take, share->groups->group[i], &out[i]);
    }
    syn_bytes_free(&message);
    return status;
}

int syn_team_figures(struct syn_team *team, const struct syn_groups *groups,
                     const struct syn_figures_plan *plan, struct syn_figures *out)
{
    struct share share;
    if (!team)
        return syn_figures_compute_all(groups, plan, out);
    int status = share_out(&share, groups, team->link.size);
    memset(out, 0, groups->count * sizeof *out);
    if (status == SYN_OK)
        status = send_groups(team, &share);
    if (status == SYN_OK)
        status = syn_figures_compute(groups, share.mine, share.mine_count, plan, out);
    if (status == SYN_OK)
        status = receive_figures(team, &share, out);
    if (status == SYN_OK)
        status = syn_figures_adjust(out, groups->count);
    for (size_t i = 0; i < groups->count && status; i++)
        syn_figures_free(&out[i]);
    free_share(&share);
    return status;
}

/* ---- the others ---- */

static int receive_groups(struct syn_team *team, struct syn_groups *groups)
{
    struct syn_bytes message = {0};
    int status = 0;
    do {
        status = syn_team_receive(team, 0, &message);
        struct syn_take take = syn_take_from(message.data, message.count);
        if (status == SYN_OK && message.count > 0) /* in the numbers of process 0's names */
            status = syn_group_take(&take, NULL, groups);
    } while (status == SYN_OK && message.count > 0);
    syn_bytes_free(&message);
    return status;
}

static int serve(struct syn_team *team, const struct syn_groups *groups,
                 const struct syn_figures_plan *plan)
{
    struct syn_bytes message = {0};
    struct syn_figures *figures = calloc(groups->count + 1, sizeof *figures);
    int status = figures ? syn_figures_compute_all(groups, plan, figures) : SYN_ENOMEM;
    for (size_t i = 0; i < groups->count && status == SYN_OK; i++)
        put_figures(&figures[i], &message);
    if (status == SYN_OK)
        status = syn_team_send(team, 0, &message);
    for (size_t i = 0; i < groups->count && figures; i++)
        syn_figures_free(&figures[i]);
    free(figures);
    syn_bytes_free(&message);
    return status;
}

int syn_team_serve_figures(struct syn_team *team, size_t budget_bytes,
                           const struct syn_figures_plan *plan)
{
    struct syn_groups groups;
    syn_groups_init(&groups, 0);
    int status = syn_groups_bound_memory(&groups, budget_bytes);
    if (status == SYN_OK)
        status = receive_groups(team, &groups);
    if (status == SYN_OK)
        status = serve(team, &groups, plan);
    syn_groups_free(&groups);
    return status;
}
