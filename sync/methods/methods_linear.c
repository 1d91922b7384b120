/* sync/methods/methods_linear.c - methods in which rank 0 measures every rank: O(p) rounds. */

#include "sync/methods/session.h"

void syn_none(struct syn_sync *sync)
{
    (void)sync;
}

void syn_linear_measure(struct syn_sync *sync)
{
    syn_measure_tree(sync, SYN_TREE_LINEAR, NULL, sync->link.transport.rank,
                     sync->link.transport.size);
}

/* Hunold & Carpen-Amarie 2015, Algorithms 7 and 8: rank 0 pings, rank r learns from the echo.
 * RATIONALE: the barrier before each rank is left out, since a rank that waits for the first ping
 * is as quiet as one in a barrier, and p barriers take O(p log p) rounds. Rank 0's results are not
 * broadcast, since only the paper's window scheme needs them everywhere. */
void syn_skampi(struct syn_sync *sync)
{
    struct syn_link *link = &sync->link;
    const struct syn_transport *transport = &link->transport;
    struct syn_point point;

    if (sync->timeline.knot_count == 0) {
        sync->timeline.slope_half_width = SYN_SLOPE_LIMIT;
        sync->timeline.wander = SYN_WANDER;
        sync->timeline.wander_time_s = SYN_WANDER_TIME_S;
    }
    if (transport->rank == 0) {
        for (int peer = 1; peer < transport->size; peer++)
            syn_ping(link, peer, SYN_PINGPONG_COUNT, sync->exchanges);
        return;
    }
    syn_echo_learning(link, 0, SYN_PINGPONG_COUNT, sync->exchanges);
    point =
        syn_point_from_bounds(sync->exchanges, SYN_PINGPONG_COUNT - 1, sync->timeline.slope_after,
                              sync->timeline.slope_half_width + sync->timeline.wander);
    syn_add_point(sync, 0, &point, 0);
}

void syn_jk_begin(struct syn_sync *sync)
{
    struct syn_model model;

    if (sync->link.transport.rank == 0) {
        /* Hunold & Carpen-Amarie 2015, Algorithm 15, Learn_Model, root: one point of each rank in
         * turn, so that each rank's points spread over the whole duration. */
        const int size = sync->link.transport.size;

        for (int peer = 1; peer < size; peer++)
            syn_serve_rtt(sync, peer);
        for (int i = 0; i < sync->options.fitpoint_count; i++)
            for (int peer = 1; peer < size; peer++)
                syn_echo(&sync->link, peer, sync->options.exchange_count, NULL);
        return;
    }
    model = syn_learn_line(sync, 0);
    syn_set_model(sync, &model);
}
