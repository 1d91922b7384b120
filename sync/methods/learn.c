/* sync/methods/learn.c - a client learns the drift of its clock against its reference
 * (session.h). */

#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "sync/methods/session.h"

void syn_keep_point(struct syn_sync *sync, int peer, const struct syn_point *point)
{
    if (SYN_ROOM(sync->fitpoints, sync->fitpoint_capacity, sync->fitpoint_count) != SYN_OK) {
        syn_link_fail(&sync->link, SYN_ENOMEM);
        return;
    }
    sync->fitpoints[sync->fitpoint_count++] =
        (struct syn_fitpoint){.peer_rank = peer,
                              .stage = sync->stage,
                              .local_ns = point->x_ns,
                              .low_ns = point->low_ns,
                              .high_ns = point->high_ns,
                              .rtt_min_ns = point->rtt_min_ns};
}

void syn_keep_points(struct syn_sync *sync, int peer, const struct syn_point *points, int count)
{
    for (int i = 0; i < count; i++)
        syn_keep_point(sync, peer, &points[i]);
}

void syn_serve_rtt(struct syn_sync *sync, int peer)
{
    syn_echo(&sync->link, peer, SYN_WARMUP_COUNT + SYN_PINGPONG_COUNT, NULL);
}

struct syn_model syn_learn_line(struct syn_sync *sync, int peer)
{
    const int count = sync->options.fitpoint_count;
    syn_ping(&sync->link, peer, SYN_WARMUP_COUNT, sync->exchanges);
    syn_ping(&sync->link, peer, SYN_PINGPONG_COUNT, sync->exchanges);
    const int64_t rtt_ns = syn_mean_rtt_ns(sync->exchanges, SYN_PINGPONG_COUNT);
    struct syn_model model;

    for (int i = 0; i < count; i++) {
        syn_ping(&sync->link, peer, sync->options.exchange_count, sync->exchanges);
        sync->points[i] =
            syn_point_from_median(sync->exchanges, sync->options.exchange_count, rtt_ns);
    }
    model = syn_model_least_squares(sync->points, count);
    syn_model_certify(&model, sync->points, count, 0);
    syn_keep_points(sync, peer, sync->points, count);
    return model;
}

void syn_serve_line(struct syn_sync *sync, int peer, const struct syn_timeline *stamps)
{
    syn_serve_rtt(sync, peer);
    syn_echo(&sync->link, peer, sync->options.fitpoint_count * sync->options.exchange_count,
             stamps);
}

void syn_learn_intercept(struct syn_sync *sync, int peer, struct syn_model *model)
{
    struct syn_point point;

    syn_ping(&sync->link, peer, SYN_PINGPONG_COUNT, sync->exchanges);
    point = syn_point_from_bounds(sync->exchanges, SYN_PINGPONG_COUNT, model->slope,
                                  model->slope_half_width + SYN_WANDER);
    syn_keep_point(sync, peer, &point);
    model->x_ns = point.x_ns;
    model->y_ns = point.y_ns;
    model->half_width_ns = point.high_ns - point.y_ns;
}

void syn_serve_intercept(struct syn_sync *sync, int peer, const struct syn_timeline *stamps)
{
    syn_echo(&sync->link, peer, SYN_PINGPONG_COUNT, stamps);
}
