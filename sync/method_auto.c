/* The default: one leader for all ranks that share a clock; the leaders' drifts learned all at
 * once, their offsets top down as in HCA3; the result handed on within the groups. */
#include <stdlib.h>

#include "saturate.h"
#include "session.h"
#include "status.h"

/* A slope against rank 0 and within what it is known. */
struct known_slope {
    double slope;
    double half_width;
};

static struct syn_tree leaders_tree(const struct syn_sync *sync)
{
    return syn_tree_start(SYN_TREE_TOP_DOWN, sync->groups.leader_index, sync->groups.leader_count);
}

/* A point of the own clock against the parent's. All levels learn at the same time: in each turn a
 * leader first pings its parent, then answers its children; the root sets the pace. */
static struct syn_point take_turn(struct syn_sync *sync)
{
    struct syn_tree tree = leaders_tree(sync);
    struct syn_point point = {0};

    for (struct syn_tree_step step; syn_tree_next(&tree, &step);) {
        const int peer = sync->groups.leaders[step.peer];
        const int count = sync->options.exchange_count;
        if (step.serve) {
            syn_echo(&sync->link, peer, count, NULL);
        } else {
            syn_ping(&sync->link, peer, count, sync->exchanges);
            point = syn_point_from_bounds(sync->exchanges, count, 0, SYN_SLOPE_LIMIT);
        }
    }
    return point;
}

static void take_turns(struct syn_sync *sync, struct syn_point *points)
{
    const int count = sync->options.fitpoint_count;
    const double pause_ns = sync->options.budget_s * 1e9 / (count - 1);
    const int64_t start_ns = syn_link_now_ns(&sync->link);

    for (int i = 0; i < count; i++) {
        struct syn_point point;
        if (sync->groups.leader_index == 0)
            syn_link_sleep_until(&sync->link, start_ns + syn_saturate(pause_ns * i));
        point = take_turn(sync);
        if (points != NULL)
            points[i] = point;
    }
}

/* The drift against the parent's clock, from the bounds. */
static struct known_slope fit_slope(struct syn_sync *sync, const struct syn_point *points, int peer)
{
    const int count = sync->options.fitpoint_count;
    struct syn_model model;

    if (syn_model_theil_sen(points, count, &model) < 0) {
        syn_link_fail(&sync->link, SYN_ENOMEM);
        return (struct known_slope){0, SYN_SLOPE_LIMIT};
    }
    syn_model_certify(&model, points, count, 0);
    syn_keep_points(sync, peer, points, count);
    return (struct known_slope){model.slope, model.slope_half_width};
}

/* Down the tree: a leader's drift against rank 0 is its parent's and its own against the parent,
 * merged as models are. */
static void hand_slopes_down(struct syn_sync *sync, struct known_slope own)
{
    struct syn_tree tree = leaders_tree(sync);

    for (struct syn_tree_step step; syn_tree_next(&tree, &step);) {
        const int peer = sync->groups.leaders[step.peer];
        struct known_slope parent;
        if (step.serve) {
            syn_link_send(&sync->link, peer, &own, sizeof own);
            continue;
        }
        syn_link_recv(&sync->link, peer, &parent, sizeof parent);
        own.slope = parent.slope + own.slope - parent.slope * own.slope;
        own.half_width = (parent.half_width + own.half_width) * (1 + SYN_SLOPE_LIMIT);
    }
    sync->timeline.slope_before = sync->timeline.slope_after = own.slope;
    sync->timeline.slope_half_width = own.half_width;
}

static void learn_slopes(struct syn_sync *sync)
{
    const struct syn_groups *groups = &sync->groups;
    const int parent =
        syn_tree_parent(SYN_TREE_TOP_DOWN, groups->leader_index, groups->leader_count);
    struct known_slope own = {0, 0};
    struct syn_point *points = malloc((size_t)sync->options.fitpoint_count * sizeof *points);

    if (points == NULL)
        syn_link_fail(&sync->link, SYN_ENOMEM);
    take_turns(sync, points);
    if (parent >= 0 && points != NULL)
        own = fit_slope(sync, points, groups->leaders[parent]);
    hand_slopes_down(sync, own);
    free(points);
}

/* What a leader hands its members after each measurement. */
struct handed_knot {
    struct syn_knot knot;
    double slope_before;
    double slope_after;
    double slope_half_width;
    double wander;
};

/* A member reads the leader's clock: the leader's newest knot is its own, but for the allowance. */
static void adopt(struct syn_sync *sync, const struct handed_knot *handed)
{
    struct syn_knot knot = handed->knot;

    if (sync->link.status < 0)
        return;
    knot.half_width_ns = syn_add_ns(knot.half_width_ns, SYN_SHARED_CLOCK_NS);
    sync->timeline.slope_before = handed->slope_before;
    sync->timeline.slope_after = handed->slope_after;
    sync->timeline.slope_half_width = handed->slope_half_width;
    sync->timeline.wander = handed->wander;
    syn_link_fail(&sync->link, syn_timeline_add(&sync->timeline, knot));
}

static struct handed_knot newest(const struct syn_timeline *timeline)
{
    const struct syn_knot none = {0};

    return (struct handed_knot){timeline->knot_count > 0 ? timeline->knots[timeline->knot_count - 1]
                                                         : none,
                                timeline->slope_before, timeline->slope_after,
                                timeline->slope_half_width, timeline->wander};
}

/* Down the group's binomial tree. */
static void hand_on(struct syn_sync *sync)
{
    const struct syn_groups *groups = &sync->groups;
    const int index = groups->member_index;
    struct handed_knot handed;

    if (index == 0) {
        handed = newest(&sync->timeline);
    } else {
        const int parent = groups->members[syn_group_parent(index)];
        syn_link_recv(&sync->link, parent, &handed, sizeof handed);
        adopt(sync, &handed);
    }
    for (int step = syn_group_widest_step(index, groups->member_count); step > 0; step /= 2)
        if (index + step < groups->member_count)
            syn_link_send(&sync->link, groups->members[index + step], &handed, sizeof handed);
}

/* Members of rank 0's group have its very clock and need no message to know. */
static void adopt_reference(struct syn_sync *sync)
{
    const struct handed_knot handed = {.knot = {.local_ns = syn_link_now_ns(&sync->link)}};

    if (sync->groups.member_index > 0)
        adopt(sync, &handed);
}

void syn_auto_measure(struct syn_sync *sync)
{
    const struct syn_groups *groups = &sync->groups;

    if (groups->leader_count > 1 && groups->member_index == 0)
        syn_measure_tree(sync, SYN_TREE_TOP_DOWN, groups->leaders, groups->leader_index,
                         groups->leader_count);
    if (groups->leader_index == 0)
        adopt_reference(sync);
    else
        hand_on(sync);
}

static void describe(struct syn_sync *sync)
{
    const struct syn_groups *groups = &sync->groups;
    const int parent =
        syn_tree_parent(SYN_TREE_TOP_DOWN, groups->leader_index, groups->leader_count);

    sync->quality.group_size = groups->member_count;
    sync->quality.round_count = syn_tree_round_count(SYN_TREE_TOP_DOWN, groups->leader_count) +
                                syn_tree_round_count(SYN_TREE_TOP_DOWN, groups->member_count);
    if (groups->member_index > 0)
        sync->quality.reference_rank = groups->members[0];
    else
        sync->quality.reference_rank = parent < 0 ? -1 : groups->leaders[parent];
}

void syn_auto_begin(struct syn_sync *sync)
{
    if (syn_groups_form(&sync->groups, &sync->link, sync->identity) < 0)
        return;
    describe(sync);
    if (sync->groups.leader_index > 0)
        sync->timeline.wander = SYN_WANDER;
    if (sync->groups.leader_count > 1 && sync->groups.member_index == 0)
        learn_slopes(sync);
    syn_auto_measure(sync);
}
