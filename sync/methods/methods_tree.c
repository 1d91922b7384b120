/* sync/methods/methods_tree.c - methods that use a tree: netgauge, hca and hca2 bottom up with
 * merged models, hca3 top down with global stamps. */
#include <stdlib.h>

#include "sync/base/status.h"
#include "sync/methods/session.h"
#include "sync/ranks/collect.h"

void syn_top_down_measure(struct syn_sync *sync)
{
    syn_measure_tree(sync, SYN_TREE_TOP_DOWN, NULL, sync->link.transport.rank,
                     sync->link.transport.size);
}

/* How a pair of ranks makes a model of the client's clock against the reference's. */
struct pair_method {
    struct syn_model (*learn)(struct syn_sync *sync, int peer);
    void (*serve)(struct syn_sync *sync, int peer);
};

/* Netgauge: the offset of the exchange with the shortest round trip; the drift is unknown.
 * RATIONALE: Algorithm 12 of Hunold & Carpen-Amarie 2015 returns the *last* difference, whose round
 * trip was not short by its own loop. */
static struct syn_model netgauge_learn(struct syn_sync *sync, int peer)
{
    const struct syn_exchange best = syn_ping_until_settled(&sync->link, peer);
    const struct syn_point point = syn_point_from_bounds(&best, 1, 0, SYN_SLOPE_LIMIT);

    syn_keep_point(sync, peer, &point);
    return (struct syn_model){.x_ns = point.x_ns,
                              .y_ns = point.y_ns,
                              .half_width_ns = point.high_ns - point.y_ns,
                              .slope_half_width = SYN_SLOPE_LIMIT};
}

static void netgauge_serve(struct syn_sync *sync, int peer)
{
    syn_echo_until_settled(&sync->link, peer);
}

static void hca_serve(struct syn_sync *sync, int peer)
{
    syn_serve_line(sync, peer, NULL);
}

static struct syn_model hca2_learn(struct syn_sync *sync, int peer)
{
    struct syn_model model = syn_learn_line(sync, peer);

    syn_learn_intercept(sync, peer, &model);
    return model;
}

static void hca2_serve(struct syn_sync *sync, int peer)
{
    syn_serve_line(sync, peer, NULL);
    syn_serve_intercept(sync, peer, NULL);
}

static const struct pair_method netgauge_pair = {netgauge_learn, netgauge_serve};
static const struct pair_method hca_pair = {syn_learn_line, hca_serve};
static const struct pair_method hca2_pair = {hca2_learn, hca2_serve};

/* Hunold & Carpen-Amarie 2015, Algorithm 3: Sync_Clocks_Pow2, then the pairs of
 * Sync_Clocks_Remaining. *extra: model of a rank from 2^R on, relative to the rank 2^R below it. */
static void climb(struct syn_sync *sync, const struct pair_method *pair, struct syn_model *models,
                  struct syn_model *extra)
{
    const int rank = sync->link.transport.rank;
    struct syn_tree tree = syn_tree_start(SYN_TREE_BOTTOM_UP, rank, sync->link.transport.size);

    for (struct syn_tree_step step; syn_tree_next(&tree, &step);) {
        const int count = step.round > 0 ? 1 << (step.round - 1) : 0;
        if (step.serve) {
            pair->serve(sync, step.peer);
            if (step.round > 0) {
                /* The client sends its subtree's models relative to itself: models[peer..peer +
                 * count). */
                syn_link_recv(&sync->link, step.peer, models + step.peer,
                              (size_t)count * sizeof *models);
                for (int i = 1; i < count; i++)
                    models[step.peer + i] =
                        syn_model_merge(&models[step.peer], &models[step.peer + i]);
            }
        } else if (step.round > 0) {
            models[rank] = pair->learn(sync, step.peer);
            syn_link_send(&sync->link, step.peer, models + rank, (size_t)count * sizeof *models);
        } else {
            *extra = pair->learn(sync, step.peer);
        }
    }
}

/* Returns this rank's model against rank 0: models go up the tree and are scattered by rank 0. */
static struct syn_model learn_bottom_up(struct syn_sync *sync, const struct pair_method *pair)
{
    const struct syn_transport *transport = &sync->link.transport;
    struct syn_model *models = calloc((size_t)transport->size, sizeof *models);
    struct syn_model *extras = calloc((size_t)transport->size, sizeof *extras);
    struct syn_model extra = {0}, model = {0};

    if (!models || !extras) {
        syn_link_fail(&sync->link, SYN_ENOMEM);
    } else {
        climb(sync, pair, models, &extra);
        syn_collect_gather(transport, &extra, sizeof extra, extras);
        if (transport->rank == 0) {
            /* On rank 0: complete the models of the ranks from 2^R on. Rank 0's own model is the
             * identity, so rank 2^R needs no merge. */
            int size = transport->size;
            const int base = 1 << syn_tree_start(SYN_TREE_BOTTOM_UP, 0, size).level_count;

            for (int rank = base; rank < size; rank++)
                models[rank] = rank == base ? extras[rank]
                                            : syn_model_merge(&models[rank - base], &extras[rank]);
        }
        syn_collect_scatter(transport, models, sizeof *models, &model);
    }
    free(models);
    free(extras);
    return model;
}

static void begin_bottom_up(struct syn_sync *sync, const struct pair_method *pair)
{
    const struct syn_model model = learn_bottom_up(sync, pair);

    if (sync->link.transport.rank != 0)
        syn_set_model(sync, &model);
}

void syn_netgauge_begin(struct syn_sync *sync)
{
    begin_bottom_up(sync, &netgauge_pair);
}

void syn_hca2_begin(struct syn_sync *sync)
{
    begin_bottom_up(sync, &hca2_pair);
}

/* Slopes through the tree, intercepts from rank 0 itself: Hunold & Carpen-Amarie 2015, Algorithm
 * 2. */
void syn_hca_begin(struct syn_sync *sync)
{
    const struct syn_transport *transport = &sync->link.transport;
    struct syn_model model = learn_bottom_up(sync, &hca_pair);

    if (transport->rank != 0) {
        syn_learn_intercept(sync, 0, &model);
        syn_set_model(sync, &model);
        return;
    }
    for (int peer = 1; peer < transport->size; peer++)
        syn_serve_intercept(sync, peer, NULL);
}

/* Error of a reference's own global clock, sent to the client. */
struct reference_error {
    int64_t bound_ns;
    double slope_half_width;
};

void syn_hca3_begin(struct syn_sync *sync)
{
    struct syn_tree tree =
        syn_tree_start(SYN_TREE_TOP_DOWN, sync->link.transport.rank, sync->link.transport.size);

    for (struct syn_tree_step step; syn_tree_next(&tree, &step);) {
        const int peer = step.peer;
        struct reference_error error = {.slope_half_width = sync->timeline.slope_half_width};
        if (step.serve) {
            syn_serve_line(sync, peer, &sync->timeline);
            syn_serve_intercept(sync, peer, &sync->timeline);
            error.bound_ns = syn_timeline_bound_ns(&sync->timeline,
                                                   (syn_local_time){syn_link_now_ns(&sync->link)});
            syn_link_send(&sync->link, peer, &error, sizeof error);
        } else {
            struct syn_model model = syn_learn_line(sync, peer);

            syn_learn_intercept(sync, peer, &model);
            syn_link_recv(&sync->link, peer, &error, sizeof error);
            model.half_width_ns += error.bound_ns;
            model.slope_half_width += error.slope_half_width;
            syn_set_model(sync, &model);
        }
    }
}
