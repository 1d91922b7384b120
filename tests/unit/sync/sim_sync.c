#include "sim_sync.h"

#include <math.h>
#include <stdlib.h>

#include "sync/methods/group.h"

struct syn_sync_options sim_sync_options(enum syn_sync_method method)
{
    struct syn_sync_options options;

    syn_sync_options_default(&options);
    options.method = method;
    return options;
}

static void begin_body(struct sim_net *net, int rank, void *argument)
{
    struct sim_sync *sync = argument;
    const struct syn_transport transport = sim_net_transport(net, rank);
    const struct syn_clock clock = sim_net_clock(net, rank);

    sync->statuses[rank] = syn_sync_begin(&sync->options, &transport, &clock,
                                          sim_net_identity(net, rank), &sync->syncs[rank]);
}

/* Makes the groups that messages would have told a rank: those of its identity, and the first ranks
 * of all. */
static struct syn_clock_groups groups_of(const struct sim_sync *sync, int rank)
{
    struct syn_clock_groups groups = {.members = calloc((size_t)sync->ranks, sizeof(int))};

    for (int other = 0; other < sync->ranks; other++) {
        const uint64_t machine = sync->identities[other].machine;
        int first = 0;
        while (sync->identities[first].machine != machine)
            first++;
        if (first == other)
            syn_rank_set_add(&groups.leaders, other);
        if (machine != sync->identities[rank].machine)
            continue;
        if (other == rank)
            groups.member_index = groups.member_count;
        groups.members[groups.member_count++] = other;
    }
    groups.leader_index = syn_rank_set_below(&groups.leaders, groups.members[0]);
    return groups;
}

static void begin_known_body(struct sim_net *net, int rank, void *argument)
{
    struct sim_sync *sync = argument;
    const struct syn_transport transport = sim_net_transport(net, rank);
    const struct syn_clock clock = sim_net_clock(net, rank);
    struct syn_clock_groups groups = groups_of(sync, rank);
    const struct syn_sync_known known = {
        .groups = &groups, .compared = true, .contradicts = sync->contradicts[rank]};

    sync->statuses[rank] =
        syn_sync_begin_known(&sync->options, &transport, &clock, &known, &sync->syncs[rank]);
    syn_groups_free(&groups);
}

static void measure_body(struct sim_net *net, int rank, void *argument)
{
    struct sim_sync *sync = argument;

    (void)net;
    sync->statuses[rank] = syn_sync_measure(sync->syncs[rank]);
}

static void end_body(struct sim_net *net, int rank, void *argument)
{
    struct sim_sync *sync = argument;

    (void)net;
    sync->statuses[rank] = syn_sync_end(sync->syncs[rank]);
}

static double run(struct sim_sync *sync, void (*body)(struct sim_net *, int, void *))
{
    const double start_ns = sim_net_now_ns(sync->net);

    if (!sim_net_run(sync->net, body, sync))
        sync->deadlocked = true;
    return sim_net_now_ns(sync->net) - start_ns;
}

static void set_up(struct sim_sync *sync, struct sim_net *net,
                   const struct syn_sync_options *options)
{
    const int ranks = sim_net_transport(net, 0).size;

    *sync = (struct sim_sync){.net = net, .ranks = ranks, .options = *options};
    sync->syncs = calloc((size_t)ranks, sizeof *sync->syncs);
    sync->statuses = calloc((size_t)ranks, sizeof *sync->statuses);
    sync->first = calloc((size_t)ranks, sizeof *sync->first);
    for (int rank = 0; rank < ranks; rank++)
        syn_timeline_init(&sync->first[rank]);
}

static void begin(struct sim_sync *sync, void (*body)(struct sim_net *, int, void *))
{
    sync->begin_ns = run(sync, body);
    for (int rank = 0; rank < sync->ranks; rank++)
        if (sync->syncs[rank])
            syn_timeline_copy(&sync->first[rank], syn_sync_timeline(sync->syncs[rank]));
}

void sim_sync_begin(struct sim_sync *sync, struct sim_net *net,
                    const struct syn_sync_options *options)
{
    set_up(sync, net, options);
    begin(sync, begin_body);
}

void sim_sync_begin_known(struct sim_sync *sync, struct sim_net *net,
                          const struct syn_sync_options *options, const bool *contradicts)
{
    set_up(sync, net, options);
    sync->contradicts = contradicts;
    sync->identities = calloc((size_t)sync->ranks, sizeof *sync->identities);
    for (int rank = 0; rank < sync->ranks; rank++)
        sync->identities[rank] = sim_net_identity(net, rank);
    begin(sync, begin_known_body);
}

void sim_sync_measure(struct sim_sync *sync)
{
    run(sync, measure_body);
}

void sim_sync_end(struct sim_sync *sync)
{
    sync->end_ns = run(sync, end_body);
}

void sim_sync_free(struct sim_sync *sync)
{
    for (int rank = 0; rank < sync->ranks; rank++) {
        syn_sync_free(sync->syncs[rank]);
        syn_timeline_free(&sync->first[rank]);
    }
    free(sync->syncs);
    free(sync->first);
    free(sync->statuses);
    free(sync->identities);
}

static const struct syn_timeline *timeline_of(const struct sim_sync *sync, int rank, bool first)
{
    return first ? &sync->first[rank] : syn_sync_timeline(sync->syncs[rank]);
}

int64_t sim_sync_worst_ns(const struct sim_sync *sync, double true_ns, bool first)
{
    int64_t worst_ns = 0;

    for (int rank = 0; rank < sync->ranks; rank++) {
        const int64_t error_ns =
            llabs(sim_net_error_ns(sync->net, rank, true_ns, timeline_of(sync, rank, first)));
        if (error_ns > worst_ns)
            worst_ns = error_ns;
    }
    return worst_ns;
}

static void check(struct sim_coverage *coverage, int64_t error_ns, int64_t bound_ns)
{
    coverage->checked_count++;
    coverage->outside_count += error_ns > bound_ns;
    if (error_ns > coverage->worst_error_ns)
        coverage->worst_error_ns = error_ns;
    if (bound_ns > coverage->worst_bound_ns)
        coverage->worst_bound_ns = bound_ns;
}

void sim_sync_cover(const struct sim_sync *sync, double from_ns, double until_ns, int per_rank,
                    bool first, struct sim_coverage *coverage)
{
    for (int rank = 1; rank < sync->ranks; rank++)
        for (int i = 0; i < per_rank; i++) {
            const struct syn_timeline *timeline = timeline_of(sync, rank, first);
            const double at_ns = from_ns + (until_ns - from_ns) * i / per_rank;
            const syn_local_time local = {sim_net_clock_at(sync->net, rank, at_ns)};
            check(coverage, llabs(sim_net_error_ns(sync->net, rank, at_ns, timeline)),
                  syn_timeline_bound_ns(timeline, local) + 2); /* + 2: clocks are floored to ns */
        }
}
