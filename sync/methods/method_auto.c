/* sync/methods/method_auto.c - the default method. Ranks that share a clock have one leader.
 * Leaders learn their drifts, all at the same time; then their offsets, top down as in HCA3; then
 * they send the result to their groups. */

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/methods/session.h"

/* A clock's line against rank 0's, with its wander; and rank 0's choice of how offsets are
 * measured. */
struct known_line {
    struct syn_model model;
    double wander;
    bool is_root; /* line of rank 0 itself: 0, exact */
    enum syn_tree_kind offset_tree;
};

/* If measuring all leaders' offsets directly takes at most this long, rank 0 does so. RATIONALE:
 * every hop to rank 0 adds its half round trip to the bound, and its asymmetry to the error. */
#define DIRECT_NS 200000000
/* Least number of points for a slope, even if they exceed the budget. */
#define TURN_COUNT_MIN 8

static struct syn_tree slope_tree(const struct syn_clock_groups *groups)
{
    return syn_tree_start(SYN_TREE_TOP_DOWN, groups->leader_index, groups->leaders.count);
}

/* Returns the leader that this leader learns from; -1 on rank 0. */
static int parent_leader(const struct syn_clock_groups *groups, enum syn_tree_kind kind)
{
    const int parent = syn_tree_parent(kind, groups->leader_index, groups->leaders.count);

    return parent < 0 ? -1 : syn_rank_set_at(&groups->leaders, parent);
}

/* Returns true if another turn follows. Only rank 0 decides, by its clock. */
static bool root_goes_on(const struct syn_sync *sync, int turn, int64_t start_ns)
{
    const int count = sync->options.fitpoint_count;
    const double budget_ns = sync->options.budget_s * 1e9;

    if (turn == count)
        return false;
    syn_link_sleep_until(&sync->link, start_ns + syn_saturate(budget_ns / (count - 1) * turn));
    return turn < TURN_COUNT_MIN ||
           (double)(syn_link_now_ns(&sync->link) - start_ns) <= budget_ns * (1 + 0.5 / count);
}

/* Takes one point against the parent's clock. In each turn a leader receives from its parent
 * whether the turn takes place, pings it, and does the same for its children; so all levels learn
 * at the same time. `goes_on`: rank 0's decision; on other ranks, what to assume if the message is
 * lost. Returns false after the last turn, and leaves *point. */
static bool take_turn(struct syn_sync *sync, bool goes_on, struct syn_point *point)
{
    const int count = sync->options.exchange_count;
    const bool may_go_on = goes_on;
    struct syn_tree tree = slope_tree(&sync->groups);

    for (struct syn_tree_step step; syn_tree_next(&tree, &step);) {
        const int peer = syn_rank_set_at(&sync->groups.leaders, step.peer);
        if (step.serve) {
            syn_link_send(&sync->link, peer, &goes_on, sizeof goes_on);
            if (goes_on)
                syn_echo(&sync->link, peer, count, NULL);
            continue;
        }
        syn_link_recv(&sync->link, peer, &goes_on, sizeof goes_on);
        if (sync->link.status != SYN_OK) /* the message may be lost: assume yes */
            goes_on = may_go_on;
        if (goes_on) {
            syn_link_watch(&sync->link);
            syn_ping(&sync->link, peer, count, sync->exchanges);
            syn_link_move_if_disturbed(&sync->link);
            *point = syn_point_from_bounds(sync->exchanges, count, 0, SYN_SLOPE_LIMIT);
            syn_note_rtt(sync, peer, point->rtt_min_ns);
        }
    }
    return goes_on;
}

/* Result of the turns: number of points in sync->points, and their time without pauses. */
struct turns {
    int count;
    int64_t busy_ns;
};

/* Fits the line against the parent's clock. */
static struct known_line fit_line(struct syn_sync *sync, int count, int peer)
{
    struct known_line line = {.wander = SYN_WANDER, .offset_tree = SYN_TREE_TOP_DOWN};

    if (count < 2 || syn_model_from_points(sync->points, count, &line.model, &line.wander) < 0) {
        syn_link_fail(&sync->link, count < 2 ? SYN_ETRANSPORT : SYN_ENOMEM);
        line.model = (struct syn_model){.slope_half_width = SYN_SLOPE_LIMIT};
        return line;
    }
    syn_keep_points(sync, peer, sync->points, count);
    return line;
}

/* Sends lines down the tree: a leader's line against rank 0 is its parent's, merged with its own
 * line against the parent. */
static void hand_lines_down(struct syn_sync *sync, struct known_line own)
{
    struct syn_tree tree = slope_tree(&sync->groups);

    for (struct syn_tree_step step; syn_tree_next(&tree, &step);) {
        const int peer = syn_rank_set_at(&sync->groups.leaders, step.peer);
        struct known_line parent;
        if (step.serve) {
            syn_link_send(&sync->link, peer, &own, sizeof own);
            continue;
        }
        syn_link_recv(&sync->link, peer, &parent, sizeof parent);
        if (!parent.is_root)
            own.model = syn_model_merge(&parent.model, &own.model);
        own.wander += parent.is_root ? 0 : parent.wander - SYN_WANDER;
        own.offset_tree = parent.offset_tree;
    }
    sync->offset_tree = own.offset_tree;
    sync->learned = own.model;
    sync->has_learned = !own.is_root;
    sync->slope_error = own.model.slope_error;
    sync->timeline.slope_before = sync->timeline.slope_after = own.model.slope;
    sync->timeline.slope_half_width = own.model.slope_half_width;
    sync->timeline.wander = own.wander;
}

/* Message of a leader to its members after each measurement. */
struct handed_knot {
    struct syn_knot knot;
    double slope_before;
    double slope_after;
    double slope_half_width;
    double wander;
    double wander_time_s;
    enum syn_tree_kind offset_tree;
};

/* Adopts the leader's newest knot, since the member reads the same clock; adds
 * SYN_SHARED_CLOCK_NS. */
static void adopt(struct syn_sync *sync, const struct handed_knot *handed)
{
    struct syn_knot knot = handed->knot;

    if (sync->link.status != SYN_OK)
        return;
    knot.half_width_ns = syn_add_ns(knot.half_width_ns, SYN_SHARED_CLOCK_NS);
    sync->timeline.slope_before = handed->slope_before;
    sync->timeline.slope_after = handed->slope_after;
    sync->timeline.slope_half_width = handed->slope_half_width;
    sync->timeline.wander = handed->wander;
    sync->timeline.wander_time_s = handed->wander_time_s;
    sync->offset_tree = handed->offset_tree;
    syn_link_fail(&sync->link, syn_timeline_add(&sync->timeline, knot));
}

/* Returns the message that this leader sends. */
static struct handed_knot newest(const struct syn_sync *sync)
{
    const struct syn_timeline *timeline = &sync->timeline;
    struct handed_knot handed = {.slope_before = timeline->slope_before,
                                 .slope_after = timeline->slope_after,
                                 .slope_half_width = timeline->slope_half_width,
                                 .wander = timeline->wander,
                                 .wander_time_s = timeline->wander_time_s,
                                 .offset_tree = sync->offset_tree};

    if (timeline->knot_count > 0)
        handed.knot = timeline->knots[timeline->knot_count - 1];
    return handed;
}

/* Sends the knot down the group's binomial tree. */
static void hand_on(struct syn_sync *sync)
{
    const struct syn_clock_groups *groups = &sync->groups;
    const int index = groups->member_index;
    struct handed_knot handed;

    if (index == 0) {
        handed = newest(sync);
    } else {
        const int parent = groups->members[syn_group_parent(index)];
        syn_link_recv(&sync->link, parent, &handed, sizeof handed);
        adopt(sync, &handed);
    }
    for (int step = syn_group_widest_step(index, groups->member_count); step > 0; step /= 2)
        if (index + step < groups->member_count)
            syn_link_send(&sync->link, groups->members[index + step], &handed, sizeof handed);
}

void syn_auto_measure(struct syn_sync *sync)
{
    const struct syn_clock_groups *groups = &sync->groups;

    if (groups->leaders.count > 1 && groups->member_index == 0)
        syn_measure_tree(sync, sync->offset_tree, &groups->leaders, groups->leader_index,
                         groups->leaders.count);
    if (groups->leader_index == 0) {
        /* Members of rank 0's group read its clock, so they need no message. */
        const struct handed_knot handed = {.knot = {.local_ns = syn_link_now_ns(&sync->link)}};

        if (sync->groups.member_index > 0)
            adopt(sync, &handed);
    } else {
        hand_on(sync);
    }
}

void syn_auto_begin(struct syn_sync *sync)
{
    if (syn_groups_form(&sync->groups, &sync->link, sync->identity, sync->known) < 0)
        return;
    sync->timeline.wander_time_s = SYN_WANDER_TIME_S;
    if (sync->groups.leader_index > 0)
        sync->timeline.wander = SYN_WANDER;
    if (sync->groups.leaders.count > 1 && sync->groups.member_index == 0) {
        const int parent = parent_leader(&sync->groups, SYN_TREE_TOP_DOWN);
        const bool is_root = sync->groups.leader_index == 0;
        const int64_t start_ns = syn_link_now_ns(&sync->link);
        struct turns turns = {0, 0};
        bool goes_on = true;

        while (goes_on) {
            goes_on = is_root ? root_goes_on(sync, turns.count, start_ns)
                              : turns.count < sync->options.fitpoint_count;
            const int64_t turn_start_ns = syn_link_now_ns(&sync->link);
            goes_on = take_turn(sync, goes_on, &sync->points[turns.count]);
            turns.busy_ns += syn_link_now_ns(&sync->link) - turn_start_ns;
            turns.count += goes_on;
        }
        struct known_line own = {.is_root = true};

        if (parent >= 0) {
            own = fit_line(sync, turns.count, parent);
        } else {
            /* Rank 0 decides whether it can measure all leaders in time, judged by the ping-pongs
             * so far. */
            const int leader_count = sync->groups.leaders.count;
            const double ping_count = (double)turns.count * sync->options.exchange_count *
                                      syn_tree_round_count(SYN_TREE_TOP_DOWN, leader_count);
            const double all_ns =
                (double)turns.busy_ns / ping_count * SYN_PINGPONG_COUNT * (leader_count - 1);
            own.offset_tree = all_ns <= DIRECT_NS ? SYN_TREE_LINEAR : SYN_TREE_TOP_DOWN;
        }
        hand_lines_down(sync, own);
    }
    syn_auto_measure(sync);
    sync->has_learned = false;

    const struct syn_clock_groups *groups = &sync->groups;
    sync->quality.group_size = groups->member_count;
    sync->quality.round_count = syn_tree_round_count(sync->offset_tree, groups->leaders.count) +
                                syn_tree_round_count(SYN_TREE_TOP_DOWN, groups->member_count);
    sync->quality.reference_rank =
        groups->member_index > 0 ? groups->members[0] : parent_leader(groups, sync->offset_tree);
}
