#include <math.h>

#include "saturate.h"
#include "session.h"

static void add_knot(struct syn_sync *sync, struct syn_knot knot)
{
    syn_link_fail(&sync->link, syn_timeline_add(&sync->timeline, knot));
}

void syn_set_model(struct syn_sync *sync, const struct syn_model *model)
{
    sync->timeline.slope_before = sync->timeline.slope_after = model->slope;
    sync->timeline.slope_half_width = model->slope_half_width;
    sync->timeline.wander = SYN_WANDER;
    add_knot(sync, (struct syn_knot){model->x_ns, model->y_ns, model->half_width_ns});
}

/* What the two newest knots say of the slope, and within what. */
struct chord {
    double slope;
    double half_width;
};

static struct chord newest_chord(const struct syn_timeline *timeline)
{
    const struct syn_knot *right = &timeline->knots[timeline->knot_count - 1], *left = right - 1;
    const double span_ns = (double)(right->local_ns - left->local_ns);

    return (struct chord){(double)(right->offset_ns - left->offset_ns) / span_ns,
                          ((double)right->half_width_ns + (double)left->half_width_ns) / span_ns};
}

void syn_add_knot(struct syn_sync *sync, struct syn_knot knot)
{
    struct syn_timeline *timeline = &sync->timeline;
    struct chord chord;
    double surprise;

    add_knot(sync, knot);
    if (timeline->knot_count < 2)
        return;
    chord = newest_chord(timeline);
    /* A drift that changed by more than both estimates can be off by has wandered at least so far.
     */
    surprise =
        fabs(chord.slope - timeline->slope_after) - chord.half_width - timeline->slope_half_width;
    timeline->wander = fmax(timeline->wander, surprise);
    if (chord.half_width >= timeline->slope_half_width)
        return;
    timeline->slope_after = chord.slope;
    if (timeline->knot_count == 2) { /* later chords say nothing about the time before the first */
        timeline->slope_before = chord.slope;
        timeline->slope_half_width = chord.half_width;
    }
}

void syn_add_point(struct syn_sync *sync, int peer, const struct syn_point *point,
                   int64_t peer_bound_ns)
{
    if (sync->link.status < 0) /* what did not arrive must not become a knot */
        return;
    syn_keep_point(sync, peer, point);
    syn_add_knot(sync, (struct syn_knot){point->x_ns, point->y_ns,
                                         syn_add_ns(point->high_ns - point->y_ns, peer_bound_ns)});
}

/* What a reference adds to the bounds of those who learn from it. */
static int64_t own_bound_ns(const struct syn_sync *sync)
{
    const syn_local_time now = {syn_link_now_ns(&sync->link)};

    return syn_timeline_bound_ns(&sync->timeline, now);
}

void syn_measure_from(struct syn_sync *sync, int peer)
{
    const double slope = sync->timeline.slope_after;
    const double rate = sync->timeline.slope_half_width + sync->timeline.wander;
    struct syn_point point;
    int64_t peer_bound_ns;

    syn_ping(&sync->link, peer, SYN_PINGPONG_COUNT, sync->exchanges);
    syn_link_recv(&sync->link, peer, &peer_bound_ns, sizeof peer_bound_ns);
    point = syn_point_from_bounds(sync->exchanges, SYN_PINGPONG_COUNT, slope, rate);
    syn_add_point(sync, peer, &point, peer_bound_ns);
}

void syn_serve_measure(struct syn_sync *sync, int peer)
{
    int64_t bound_ns = own_bound_ns(sync);

    syn_echo(&sync->link, peer, SYN_PINGPONG_COUNT, &sync->timeline);
    /* The bound moves one way while the echo lasts; the worse end covers it. */
    if (own_bound_ns(sync) > bound_ns)
        bound_ns = own_bound_ns(sync);
    syn_link_send(&sync->link, peer, &bound_ns, sizeof bound_ns);
}

void syn_measure_tree(struct syn_sync *sync, enum syn_tree_kind kind, const int *ranks, int index,
                      int count)
{
    struct syn_tree tree = syn_tree_start(kind, index, count);

    for (struct syn_tree_step step; syn_tree_next(&tree, &step);) {
        const int peer = ranks == NULL ? step.peer : ranks[step.peer];
        if (step.serve)
            syn_serve_measure(sync, peer);
        else
            syn_measure_from(sync, peer);
    }
}
