/* analyze/report/team_figures.c - decides which process of a team computes which group's figures,
 * and brings them together in process 0. */
#include "analyze/report/team_figures.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/report/report_team.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Groups that travel together. */
#define BATCH_BYTES ((size_t)1 << 20)
/* Costs of an instance for each of its ranks and 8 columns more, in ns: DENSE_NS for the figures of
 * the first DENSE_MOST of a group, FIGURES_NS for those of all, MOVING_NS to come to another
 * process. OWN_NS: the work of process 0 meanwhile, which finds causes and tests who came last. */
#define DENSE_NS   3.5
#define DENSE_MOST 1e5
#define FIGURES_NS 1.8
#define MOVING_NS  3.4
#define OWN_NS     0.6

/* A group there, and its number in process 0. */
struct syn_team_task {
    size_t here, number;
};

void syn_group_homes_free(struct syn_group_homes *homes)
{
    free(homes->home);
    free(homes->tasks.task);
    *homes = (struct syn_group_homes){0};
}

/* ---- all groups to process 0 ---- */

static int send_batch(struct syn_team *team, struct syn_bytes *message)
{
    int status = syn_team_send(team, 0, message);
    message->count = 0;
    return status;
}

static int send_groups(struct syn_team *team, const struct syn_groups *groups, bool whole)
{
    struct syn_bytes message = {0};
    int status = 0;
    for (size_t i = 0; i < groups->count && status == SYN_OK; i++) {
        status = syn_group_put(groups->group[i], whole, &message);
        if (status == SYN_OK && message.count >= BATCH_BYTES)
            status = send_batch(team, &message);
    }
    if (status == SYN_OK && message.count > 0)
        status = send_batch(team, &message);
    if (status == SYN_OK) /* an empty one: no more */
        status = send_batch(team, &message);
    syn_bytes_free(&message);
    return status;
}

static int receive_groups(struct syn_team *team, int peer, struct syn_groups *groups)
{
    struct syn_bytes message = {0};
    int status = 0;
    do {
        status = syn_team_receive(team, peer, &message);
        struct syn_take take = syn_take_from(message.data, message.count);
        while (status == SYN_OK && syn_take_left(&take) > 0)
            status = syn_group_take(&take, &team->map[peer], groups);
    } while (status == SYN_OK && message.count > 0);
    syn_bytes_free(&message);
    return status;
}

/* Notes that the groups from homes->count on belong to process `peer`. */
static int note_homes(struct syn_group_homes *homes, const struct syn_groups *groups, int peer)
{
    if (SYN_RESERVE(homes->home, groups->count + 1))
        return SYN_ENOMEM;
    for (; homes->count < groups->count; homes->count++)
        homes->home[homes->count] =
            (struct syn_group_home){groups->group[homes->count], peer, peer};
    return 0;
}

static int by_begin(const void *left, const void *right, void *names)
{
    return syn_groups_compare(((const struct syn_group_home *)left)->group,
                              ((const struct syn_group_home *)right)->group, names);
}

/* ---- who computes what ---- */

static double values_of(const struct syn_group *group)
{
    return (double)group->instance_count * (8 + (double)group->rank_count);
}

/* Nanoseconds, roughly, as measured with 10^5 and with 10^6 instances of 8 ranks: figures of many
 * instances are mostly counts and samples. Packing a group, sending it and unpacking it costs more
 * than the figures of very many. */
static double figures_ns(const struct syn_group *group)
{
    const double count = (double)group->instance_count;
    return (DENSE_NS * syn_least(count, DENSE_MOST) + FIGURES_NS * count) *
               (8 + (double)group->rank_count) +
           1;
}

static double moving_ns(const struct syn_group *group)
{
    return MOVING_NS * values_of(group);
}

static int by_cost(const void *left, const void *right, void *ctx)
{
    const struct syn_group_home *home = ctx;
    size_t i = *(const size_t *)left, j = *(const size_t *)right;
    double a = figures_ns(home[i].group), b = figures_ns(home[j].group);
    return a != b ? (a < b ? 1 : -1) : i < j ? -1 : i > j;
}

/* To who has least, if that one is ready with it before the one that has it would be with all of
 * its own. *load: [size] ns. */
static void choose(struct syn_group_home *home, double *load, int size)
{
    const double own_ns = figures_ns(home->group), on_the_way_ns = moving_ns(home->group);
    int least = 0;
    for (int peer = 1; peer < size; peer++)
        least = load[peer] < load[least] ? peer : least;
    if (load[least] + own_ns + on_the_way_ns >= load[home->peer])
        return;
    home->computes = least;
    load[least] += own_ns + on_the_way_ns;
    load[home->peer] -= own_ns - on_the_way_ns / 2;
}

/* The dearest first. *load: [size], 0. *order: [homes->count], scratch. */
static bool deal(struct syn_group_homes *homes, double *load, size_t *order, int size)
{
    bool moves = false;
    for (size_t i = 0; i < homes->count; i++) {
        order[i] = i;
        homes->home[i].computes = homes->home[i].peer;
        load[homes->home[i].peer] += figures_ns(homes->home[i].group);
        load[0] += OWN_NS * values_of(homes->home[i].group);
    }
    qsort_r(order, homes->count, sizeof *order, by_cost, homes->home);
    for (size_t k = 0; k < homes->count; k++) {
        choose(&homes->home[order[k]], load, size);
        moves |= homes->home[order[k]].computes != homes->home[order[k]].peer;
    }
    return moves;
}

int syn_team_deal(struct syn_group_homes *homes, int size)
{
    double *load = calloc((size_t)size, sizeof *load);
    size_t *order = malloc((homes->count + 1) * sizeof *order);
    const int status = load && order ? 0 : SYN_ENOMEM;
    homes->moves = status == SYN_OK && deal(homes, load, order, size);
    free(load);
    free(order);
    return status;
}

/* ---- what a process has to compute ---- */

static int add_task(struct syn_team_tasks *tasks, size_t here, size_t number)
{
    if (SYN_ROOM(tasks->task, tasks->capacity, tasks->count))
        return SYN_ENOMEM;
    tasks->task[tasks->count++] = (struct syn_team_task){here, number};
    return 0;
}

/* To a process: below what time inside a group is light, whether any group moves, and of each of
 * its groups, in their order there, who computes it and which it is. */
static int send_orders(struct syn_team *team, int peer, const struct syn_group_homes *homes,
                       double light_ns)
{
    struct syn_bytes message = {0};
    syn_bytes_put_double(&message, light_ns);
    syn_bytes_put_varint(&message, homes->moves);
    for (size_t i = 0; i < homes->count; i++)
        if (homes->home[i].peer == peer) {
            syn_bytes_put_varint(&message, (uint64_t)homes->home[i].computes);
            syn_bytes_put_varint(&message, i);
        }
    int status = syn_team_send(team, peer, &message);
    syn_bytes_free(&message);
    return status;
}

/* Orders as they were sent, for whoever has them. */
struct orders {
    double light_ns;
    bool moves;
    int *computes;  /* [count] */
    size_t *number; /* [count] */
    size_t count;
};

static void free_orders(struct orders *orders)
{
    free(orders->computes);
    free(orders->number);
}

static int allocate_orders(struct orders *orders, size_t count)
{
    *orders = (struct orders){.count = count};
    orders->computes = calloc(count + 1, sizeof *orders->computes);
    orders->number = calloc(count + 1, sizeof *orders->number);
    return orders->computes && orders->number ? 0 : SYN_ENOMEM;
}

static int receive_orders(struct syn_team *team, size_t count, struct orders *out)
{
    struct syn_bytes message = {0};
    int status = allocate_orders(out, count);
    if (status == SYN_OK)
        status = syn_team_receive(team, 0, &message);
    struct syn_take take = syn_take_from(message.data, message.count);
    out->light_ns = syn_take_double(&take);
    out->moves = syn_take_bounded(&take, 1);
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        out->computes[i] = (int)syn_take_bounded(&take, (uint64_t)team->link.size - 1);
        out->number[i] = syn_take_varint(&take);
    }
    syn_bytes_free(&message);
    return status == SYN_OK && take.failed ? SYN_ETRANSPORT : status;
}

/* Process 0's own: its groups are among all of them, by their numbers. */
static int own_orders(const struct syn_group_homes *homes, struct orders *out)
{
    int status = allocate_orders(out, homes->count);
    out->moves = homes->moves;
    for (size_t i = 0; i < homes->count && status == SYN_OK; i++) {
        out->computes[i] = homes->home[i].peer == 0 ? homes->home[i].computes : -1;
        out->number[i] = i;
    }
    return status;
}

/* ---- groups that move ---- */

static int put_moving(const struct syn_groups *groups, const struct orders *orders, int peer,
                      struct syn_bytes *out)
{
    int status = 0;
    out->count = 0;
    for (size_t i = 0; i < orders->count && status == SYN_OK; i++)
        if (orders->computes[i] == peer) {
            syn_bytes_put_varint(out, orders->number[i]);
            status = syn_group_put(groups->group[i], true, out);
        }
    return out->failed ? SYN_ENOMEM : status;
}

static void swap_columns(struct syn_column *a, struct syn_column *b)
{
    const struct syn_column column = *a;
    *a = *b;
    *b = column;
}

/* Into the group that process 0 has already: its columns. */
static int fill_group(struct syn_group *group, struct syn_group *filled)
{
    if (memcmp(group->key, filled->key, sizeof group->key) != 0 ||
        group->rank_count != filled->rank_count)
        return SYN_ETRANSPORT;
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
        swap_columns(&group->column[c], &filled->column[c]);
    for (size_t i = 0; i < group->rank_count; i++)
        swap_columns(&group->rank[i].local_ns, &filled->rank[i].local_ns);
    return 0;
}

static int take_columns(struct syn_take *take, const struct syn_name_map *map,
                        struct syn_groups *groups, size_t number)
{
    struct syn_groups one;
    if (number >= groups->count)
        return SYN_ETRANSPORT;
    syn_groups_init(&one, groups->by);
    one.store = groups->store;
    int status = syn_group_take(take, map, &one);
    if (status == SYN_OK)
        status = fill_group(groups->group[number], one.group[0]);
    one.store = NULL; /* it is that of the groups */
    syn_groups_free(&one);
    return status;
}

static int take_moving(struct syn_team *team, int peer, const struct syn_bytes *message,
                       struct syn_groups *groups, struct syn_team_tasks *tasks)
{
    const struct syn_name_map *map = &team->map[peer];
    struct syn_take take = syn_take_from(message->data, message->count);
    int status = 0;
    while (status == SYN_OK && syn_take_left(&take) > 0) {
        const size_t number = syn_take_varint(&take);
        const bool known = team->link.rank == 0;
        status =
            known ? take_columns(&take, map, groups, number) : syn_group_take(&take, map, groups);
        if (status == SYN_OK)
            status = add_task(tasks, known ? number : groups->count - 1, number);
    }
    return status;
}

static int move_groups(struct syn_team *team, struct syn_groups *groups,
                       const struct orders *orders, struct syn_team_tasks *tasks)
{
    struct syn_bytes sent = {0}, received = {0};
    int status = 0;
    for (int step = 0; step < team->link.size && status == SYN_OK; step++) {
        const int peer = syn_team_partner(team, step);
        if (peer == team->link.rank)
            continue;
        status = put_moving(groups, orders, peer, &sent);
        if (status == SYN_OK)
            status = syn_team_swap(team, peer, &sent, &received);
        if (status == SYN_OK)
            status = take_moving(team, peer, &received, groups, tasks);
    }
    syn_bytes_free(&sent);
    syn_bytes_free(&received);
    return status;
}

/* All that this process computes, once groups have moved. */
static int find_tasks(struct syn_team *team, struct syn_groups *groups, const struct orders *orders,
                      struct syn_team_tasks *tasks)
{
    int status = 0;
    for (size_t i = 0; i < orders->count && status == SYN_OK; i++)
        if (orders->computes[i] == team->link.rank)
            status = add_task(tasks, i, orders->number[i]);
    return status == SYN_OK && orders->moves ? move_groups(team, groups, orders, tasks) : status;
}

/* ---- computing ---- */

static int compute(const struct syn_groups *groups, const struct syn_team_tasks *tasks,
                   const struct syn_figures_plan *plan, struct syn_figures *out)
{
    size_t *which = malloc((tasks->count + 1) * sizeof *which);
    for (size_t i = 0; which && i < tasks->count; i++)
        which[i] = tasks->task[i].here;
    const int status =
        which ? syn_figures_compute(groups, which, tasks->count, plan, out) : SYN_ENOMEM;
    free(which);
    return status;
}

static int send_figures(struct syn_team *team, const struct syn_team_tasks *tasks,
                        const struct syn_figures *figures)
{
    struct syn_bytes message = {0};
    for (size_t i = 0; i < tasks->count; i++) {
        syn_bytes_put_varint(&message, tasks->task[i].number);
        syn_figures_put(&figures[tasks->task[i].here], &message);
    }
    int status = syn_team_send(team, 0, &message);
    syn_bytes_free(&message);
    return status;
}

static int take_figures(struct syn_take *take, int peer, const struct syn_group_homes *homes,
                        struct syn_figures *out)
{
    const size_t number = syn_take_varint(take);
    if (take->failed || number >= homes->count || homes->home[number].computes != peer ||
        out[number].group)
        return SYN_ETRANSPORT;
    return syn_figures_take(take, homes->home[number].group, &out[number]);
}

static int receive_figures(struct syn_team *team, const struct syn_group_homes *homes,
                           struct syn_figures *out)
{
    struct syn_bytes message = {0};
    int status = 0;
    for (int peer = 1; peer < team->link.size && status == SYN_OK; peer++) {
        status = syn_team_receive(team, peer, &message);
        struct syn_take take = syn_take_from(message.data, message.count);
        while (status == SYN_OK && syn_take_left(&take) > 0)
            status = take_figures(&take, peer, homes, out);
    }
    for (size_t i = 0; i < homes->count && status == SYN_OK; i++)
        status = out[i].group ? SYN_OK : SYN_ETRANSPORT;
    syn_bytes_free(&message);
    return status;
}

/* ---- process 0 ---- */

int syn_team_gather_groups(struct syn_team *team, const struct syn_names *names,
                           struct syn_groups *groups, struct syn_group_homes *homes)
{
    *homes = (struct syn_group_homes){0};
    int status = note_homes(homes, groups, 0);
    for (int peer = 1; peer < team->link.size && status == SYN_OK; peer++) {
        status = receive_groups(team, peer, groups);
        if (status == SYN_OK)
            status = note_homes(homes, groups, peer);
    }
    if (status != SYN_OK)
        return status;
    if (homes->count > 1)
        qsort_r(homes->home, homes->count, sizeof *homes->home, by_begin, (void *)names);
    return syn_groups_sort(groups, names);
}

int syn_team_share_figures(struct syn_team *team, double light_ns, struct syn_groups *groups,
                           struct syn_group_homes *homes)
{
    struct orders orders = {0};
    int status = syn_team_deal(homes, team->link.size);
    for (int peer = 1; peer < team->link.size && status == SYN_OK; peer++)
        status = send_orders(team, peer, homes, light_ns);
    homes->are_known = status == SYN_OK;
    if (status == SYN_OK)
        status = own_orders(homes, &orders);
    if (status == SYN_OK)
        status = find_tasks(team, groups, &orders, &homes->tasks);
    free_orders(&orders);
    return status;
}

int syn_team_figures(struct syn_team *team, const struct syn_group_homes *homes,
                     struct syn_groups *groups, const struct syn_figures_plan *plan,
                     struct syn_figures *out)
{
    memset(out, 0, groups->count * sizeof *out);
    int status = compute(groups, &homes->tasks, plan, out);
    if (status == SYN_OK)
        status = receive_figures(team, homes, out);
    if (status == SYN_OK)
        status = syn_figures_adjust(out, groups->count);
    for (size_t i = 0; i < groups->count && status; i++)
        syn_figures_free(&out[i]);
    return status;
}

/* ---- the others ---- */

static int serve(struct syn_team *team, const struct syn_groups *groups,
                 const struct syn_team_tasks *tasks, const struct syn_figures_plan *plan)
{
    struct syn_figures *figures = calloc(groups->count + 1, sizeof *figures);
    int status = figures ? compute(groups, tasks, plan, figures) : SYN_ENOMEM;
    if (status == SYN_OK)
        status = send_figures(team, tasks, figures);
    for (size_t i = 0; i < groups->count && figures; i++)
        syn_figures_free(&figures[i]);
    free(figures);
    return status;
}

int syn_team_serve_figures(struct syn_team *team, struct syn_groups *groups, bool whole,
                           const struct syn_figures_plan *plan)
{
    struct orders orders = {0};
    struct syn_team_tasks tasks = {0};
    struct syn_figures_plan as_told = *plan;
    int status = send_groups(team, groups, whole);
    if (status == SYN_OK)
        status = receive_orders(team, groups->count, &orders);
    if (status == SYN_OK)
        status = find_tasks(team, groups, &orders, &tasks);
    as_told.left_out.light_ns = orders.light_ns;
    if (status == SYN_OK)
        status = serve(team, groups, &tasks, &as_told);
    free_orders(&orders);
    free(tasks.task);
    return status;
}
