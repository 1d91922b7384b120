/* analyze/clocks/solve.c - see solve.h. */
#include "analyze/clocks/solve.h"

#include <math.h>
#include <stdlib.h>

#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* The width of a window is the sum of the fastest ways there and back in it. Each way has a floor,
 * which is the same throughout a run for the same route. A window that is little wider than the
 * narrowest one is near both floors. So its middle is off by at most half of the difference of the
 * widths. The line is drawn through windows up to TIGHT_FACTOR times the narrowest width plus
 * TIGHT_NS. */
#define TIGHT_FACTOR 1.5
#define LOOSE_FACTOR 3
#define TIGHT_NS     200
/* Least number of narrow windows. If there are fewer, none of them may be near the floors, and
 * their middles say nothing; then LOOSE_FACTOR is the limit. */
#define NODES_MIN 8
/* A wide window is used if none of this many windows on either side is narrow. */
#define NEAR 2
/* Floors change with the placement of ranks: by this share of the narrowest window, plus
 * FLOOR_NS. */
#define FLOOR_SHARE 0.25
#define FLOOR_NS    50
/* A clock has left its line if at least this many windows show that. */
#define BENT_COUNT 3
/* A change by this much at once is beyond any drift: the clock was set. */
#define STEP_NS 2000
/* Two clocks drift apart by 200 ppm at most. A line that is bent by a setting may do so by as much
 * again. */
#define DRIFT_MAX 4e-4
/* Largest number of rounds. Each round adds the windows that the last correction left out. */
#define ROUNDS 8
/* A clock that is known not to run evenly may leave a line by at least this, in ns per ns. */
#define UNEVEN 5e-6

/* A window or a measurement, taken as one instant. */
struct node {
    int64_t at_ns;
    double low_ns, high_ns; /* bounds of d */
    double d_ns;            /* estimate of d; at first the middle of the bounds */
    int64_t from_ns, to_ns; /* instants of the two bounds, the earlier first */
    double width_ns;        /* half width of the correction there */
    bool is_set;            /* the bounds contradict each other: the clock was set between them */
    bool anchors; /* a measurement or a narrow window: d is known better than from the neighbours */
};

struct nodes {
    struct node *node;
    size_t count;
    bool floors_known; /* enough windows are narrow, so the narrowest is near its floors */
};

static struct node node_of_window(const struct syn_clock_window *window)
{
    /* the bounds are exchanged if the clock was set in the window */
    const double low_ns = (double)syn_least(window->low_ns, window->high_ns);
    const double high_ns = (double)syn_largest(window->low_ns, window->high_ns);
    return (struct node){
        .at_ns = window->low_at_ns + (window->high_at_ns - window->low_at_ns) / 2,
        .low_ns = low_ns,
        .high_ns = high_ns,
        .d_ns = (low_ns + high_ns) / 2,
        .is_set = window->low_ns > window->high_ns,
        .from_ns = syn_least(window->low_at_ns, window->high_at_ns),
        .to_ns = syn_largest(window->low_at_ns, window->high_at_ns),
    };
}

static double width(const struct node *node)
{
    return node->high_ns - node->low_ns;
}

SYN_ORDER(by_time, struct node, SYN_UP(at_ns))

/* ---- windows that are used ---- */

/* Returns whether a window has both bounds, and these do not exclude each other. */
static bool is_usable(const struct syn_clock_window *window)
{
    return window->low_ns != INT64_MIN && window->high_ns != INT64_MAX &&
           window->high_ns >= window->low_ns;
}

static bool is_narrow(const struct syn_clock_window *window, double limit_ns)
{
    const struct node node = node_of_window(window);
    return is_usable(window) && width(&node) <= limit_ns;
}

/* Returns whether this window or one of its neighbours is narrow. */
static bool has_narrow_near(const struct syn_clock_evidence *evidence, size_t i, double limit_ns)
{
    for (size_t k = i < NEAR ? 0 : i - NEAR; k < evidence->window_count && k <= i + NEAR; k++)
        if (is_narrow(&evidence->window[k], limit_ns))
            return true;
    return false;
}

/* A bound on |d| that windows may contradict. */
typedef int64_t (*bound_of)(const void *ctx, int64_t at_ns);

/* Returns whether a window excludes all d within a bound. */
static bool contradicts(const struct syn_clock_evidence *evidence, bound_of bound_ns)
{
    for (size_t i = 0; i < evidence->window_count; i++) {
        const struct syn_clock_window *window = &evidence->window[i];
        if ((window->low_ns != INT64_MIN &&
             window->low_ns > bound_ns(evidence->ctx, window->low_at_ns)) ||
            (window->high_ns != INT64_MAX &&
             -window->high_ns > bound_ns(evidence->ctx, window->high_at_ns)))
            return true;
    }
    return false;
}

/* ---- the line that the middles follow ---- */

/* Returns how far a window's middle may be off, beyond what all middles have in common. */
static double slack(const struct node *node, double floor_ns)
{
    return (width(node) - floor_ns) / 2;
}

/* The line that the middles of windows follow while d is 0. This line is not 0, because the ways
 * there and back take different times. It goes through the narrowest window near the run's begin
 * and the narrowest near its end. With fewer than two measurements it is constant. */
struct baseline {
    double first_ns, slope, slack_ns;
    int64_t at_ns;
};

/* Returns the narrowest of `count` nodes. */
static const struct node *narrowest_of(const struct node *node, size_t count)
{
    const struct node *best = node;
    for (size_t i = 1; i < count; i++)
        if (width(&node[i]) < width(best))
            best = &node[i];
    return best;
}

/* Finds the baseline. Its slack is that of the wider of the two windows that it goes through. */
static struct baseline find_baseline(const struct nodes *nodes, size_t measured_count,
                                     double floor_ns)
{
    const size_t wanted = nodes->count / 20 + 2;
    const size_t some = syn_least(wanted, nodes->count);
    const struct node *first = narrowest_of(nodes->node, some);
    const struct node *last = narrowest_of(nodes->node + nodes->count - some, some);
    struct baseline line = {
        .first_ns = first->d_ns, .at_ns = first->at_ns, .slack_ns = slack(first, floor_ns)};
    if (measured_count < 2 || last->at_ns <= first->at_ns)
        return line;
    line.slope = (last->d_ns - first->d_ns) / (double)(last->at_ns - first->at_ns);
    line.slack_ns = fmax(line.slack_ns, slack(last, floor_ns));
    return line;
}

/* Returns how far middles may be off for other reasons than the width of their windows. */
static double floors_slack(const struct baseline *line, double floor_ns)
{
    return FLOOR_SHARE * floor_ns + FLOOR_NS + line->slack_ns;
}

/* Returns whether enough middles exceed a bound on |d| by more than they may be off. */
static bool is_bent(const struct syn_clock_evidence *evidence, bound_of bound_ns,
                    const struct nodes *nodes, const struct baseline *line, double floor_ns)
{
    const double floors_ns = floors_slack(line, floor_ns);
    int count = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        const struct node *node = &nodes->node[i];
        const double most_ns = (double)bound_ns(evidence->ctx, node->at_ns);
        count += node->anchors && fabs(node->d_ns) > most_ns + floors_ns + slack(node, floor_ns);
    }
    return nodes->floors_known && count >= BENT_COUNT;
}

/* Returns how far d may exceed the stated bound without being found bent. */
static double unseen(const struct nodes *nodes, const struct baseline *line, double floor_ns)
{
    double slack_ns = 0;
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->node[i].anchors)
            slack_ns = fmax(slack_ns, slack(&nodes->node[i], floor_ns));
    return floors_slack(line, floor_ns) + slack_ns;
}

/* A clock is watched if each WATCHED_SHARE of the run has a narrow window, and the narrowest window
 * is at most WATCHED_TIMES as wide as the best measurement. */
#define WATCHED_SHARE 0.25
#define WATCHED_TIMES 10

static int64_t best_measured_ns(const struct syn_clock_evidence *evidence)
{
    int64_t best_ns = INT64_MAX;
    for (size_t i = 0; i < evidence->measured_count; i++)
        best_ns = syn_least(best_ns, evidence->measured[i].half_width_ns);
    return best_ns;
}

/* Returns whether the narrowest window is about as good as the measurements. If not, all windows
 * are wide, and their common width is no floor. */
static bool is_near_measured(const struct syn_clock_evidence *evidence, double floor_ns)
{
    return floor_ns <= WATCHED_TIMES * (double)best_measured_ns(evidence) + TIGHT_NS;
}

/* Returns whether narrow windows would show, throughout the run, that d exceeds the stated bound.
 */
static bool is_watched(const struct syn_clock_evidence *evidence, const struct nodes *nodes,
                       double floor_ns)
{
    const int64_t first_ns = evidence->measured[0].at_ns;
    const int64_t last_ns = evidence->measured[evidence->measured_count - 1].at_ns;
    int64_t gap_ns = 0, seen_ns = first_ns;
    for (size_t i = 0; i < nodes->count; i++) {
        if (!nodes->node[i].anchors)
            continue;
        gap_ns = syn_largest(gap_ns, nodes->node[i].at_ns - seen_ns);
        seen_ns = nodes->node[i].at_ns;
    }
    gap_ns = syn_largest(gap_ns, last_ns - seen_ns);
    return nodes->floors_known && is_near_measured(evidence, floor_ns) &&
           (double)gap_ns <= WATCHED_SHARE * (double)(last_ns - first_ns);
}

/* Returns how fast d moves from one node to the next, in ns per ns. */
static double speed(const struct node *left, const struct node *right)
{
    const double span_ns = (double)(right->at_ns - left->at_ns);
    return span_ns > 0 ? fabs(right->d_ns - left->d_ns) / span_ns : INFINITY;
}

/* Widens the bounds of each window by the movement of d between their instants. The speed of d is
 * the lower of the speeds to both neighbours, since the clock may have been set on the other
 * side. */
static void loosen(struct nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        struct node *node = &nodes->node[i];
        double slope = DRIFT_MAX;
        if (i > 0)
            slope = fmin(slope, speed(node - 1, node));
        if (i + 1 < nodes->count)
            slope = fmin(slope, speed(node, node + 1));
        const double apart_ns = (double)(node->to_ns - node->from_ns);
        node->low_ns -= (slope + UNEVEN) * apart_ns;
        node->high_ns += (slope + UNEVEN) * apart_ns;
    }
}

/* Returns the largest stated bound, in ns. A bound that grew with the drift holds anywhere if the
 * clock was set in the middle of the run; if it was set near an end, only the widest bound
 * holds. */
static double widest_stated(const struct syn_clock_evidence *evidence, const struct nodes *nodes)
{
    int64_t widest_ns = 0;
    for (size_t i = 0; i < nodes->count; i++)
        widest_ns =
            syn_largest(widest_ns, evidence->stated_ns(evidence->ctx, nodes->node[i].at_ns));
    return (double)widest_ns;
}

/* Narrows the bounds of a node by a bound on |d|, unless the two exclude each other. */
static void clip(struct node *node, double stated_ns)
{
    if (node->low_ns > stated_ns || node->high_ns < -stated_ns)
        return;
    node->low_ns = fmax(node->low_ns, -stated_ns);
    node->high_ns = fmin(node->high_ns, stated_ns);
}

/* Returns whether a middle that is off by up to doubt_ns is still nearer to d than 0 is. */
static bool is_sure(const struct node *node, double doubt_ns)
{
    return node->anchors && fabs(node->d_ns) >= 2 * doubt_ns;
}

/* Estimates d at each node, within the bounds of its window. `holds` tells that nothing contradicts
 * the stated bound. Then d is also limited by that bound; at nodes where it is not trusted, by its
 * widest value.
 *
 * The estimate is the middle of the window less the baseline. If the clock is mended only because
 * windows contradict it, its middles are used where they are sure, and 0 elsewhere. RATIONALE: 0 is
 * moved to the nearest end of the window, and any d in the window is nearer to that end than to 0.
 * So no time gets further off than before. */
static void estimate(const struct syn_clock_evidence *evidence, const struct nodes *nodes,
                     const struct baseline *line, double floor_ns,
                     const struct syn_clock_solution *found, bool holds)
{
    const bool trusted = !found->contradicted && !found->bent;
    const bool middles_say = found->bent && is_near_measured(evidence, floor_ns);
    const double widest_ns = widest_stated(evidence, nodes);
    const double floors_ns = floors_slack(line, floor_ns);
    for (size_t i = 0; i < nodes->count; i++) {
        struct node *node = &nodes->node[i];
        const int64_t stated_ns = evidence->stated_ns(evidence->ctx, node->at_ns);
        const bool has_grown = stated_ns > evidence->steady_ns(evidence->ctx, node->at_ns);
        if (!trusted && !(middles_say && node->anchors) &&
            !is_sure(node, floors_ns + slack(node, floor_ns)))
            node->d_ns = 0;
        if (holds)
            clip(node, trusted && !has_grown ? (double)stated_ns : widest_ns);
        node->d_ns = fmin(fmax(node->d_ns, node->low_ns), node->high_ns);
    }
}

/* Widens the bounds of windows in which the clock was set. d exceeded the one bound before and the
 * other one after, by an amount that only the neighbours bound. */
static void loosen_set(struct nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        struct node *node = &nodes->node[i];
        for (size_t k = i > 0 ? i - 1 : 0; node->is_set && k < nodes->count && k <= i + 1; k++) {
            node->low_ns = fmin(node->low_ns, nodes->node[k].low_ns);
            node->high_ns = fmax(node->high_ns, nodes->node[k].high_ns);
        }
    }
}

static void add_measured(const struct syn_clock_evidence *evidence, struct nodes *nodes)
{
    for (size_t i = 0; i < evidence->measured_count; i++) {
        const struct syn_clock_measured *measured = &evidence->measured[i];
        nodes->node[nodes->count++] = (struct node){.at_ns = measured->at_ns,
                                                    .from_ns = measured->at_ns,
                                                    .to_ns = measured->at_ns,
                                                    .low_ns = -(double)measured->half_width_ns,
                                                    .high_ns = (double)measured->half_width_ns,
                                                    .anchors = true};
    }
    qsort(nodes->node, nodes->count, sizeof *nodes->node, by_time);
}

/* Returns the nearest anchor from `i` in the direction of `step`, or NULL if there is none. */
static const struct node *anchor_from(const struct nodes *nodes, size_t i, int step)
{
    for (; i < nodes->count; i = i + (size_t)step) /* wraps around below 0, which ends the loop */
        if (nodes->node[i].anchors)
            return &nodes->node[i];
    return NULL;
}

/* Replaces the middle of each wide window by the line between the narrow windows on either side, as
 * far as the window allows. That line is the better estimate of d. */
static void straighten(struct nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        struct node *node = &nodes->node[i];
        const struct node *left = anchor_from(nodes, i, -1), *right = anchor_from(nodes, i, 1);
        if (node->anchors || (!left && !right))
            continue;
        double d_ns = left ? left->d_ns : right->d_ns;
        if (left && right && right->at_ns > left->at_ns)
            d_ns += (right->d_ns - left->d_ns) * (double)(node->at_ns - left->at_ns) /
                    (double)(right->at_ns - left->at_ns);
        node->d_ns = fmin(fmax(d_ns, node->low_ns), node->high_ns);
    }
}

/* ---- knots ---- */

static bool is_at_once(const struct node *node)
{
    return node->from_ns == node->to_ns;
}

/* Returns how far d may be from its estimate, in ns. */
static double reach(const struct node *node)
{
    return fmax(node->high_ns - node->d_ns, node->d_ns - node->low_ns);
}

static int add_knot(struct syn_timeline *timeline, int64_t at_ns, double d_ns, double width_ns)
{
    return syn_timeline_add(
        timeline, (struct syn_knot){at_ns, -(int64_t)llround(d_ns), (int64_t)ceil(width_ns) + 1});
}

/* Returns whether the clock was set between two nodes: d moves by more than drift and widths allow.
 */
static bool is_step(const struct node *left, const struct node *right)
{
    const double apart_ns = fabs(right->d_ns - left->d_ns);
    return apart_ns >
           STEP_NS + reach(left) + reach(right) + DRIFT_MAX * (double)(right->at_ns - left->at_ns);
}

/* Returns how much half width `node` needs for the movement of d between `left` and its right
 * neighbour; `node` is one of the two. Between two nodes d may have any value between theirs. If it
 * moves by more than their widths, the move may have happened at either end, and the clock may have
 * drifted until then. */
static double moves(const struct node *node, const struct node *left, double wander)
{
    const struct node *right = left + 1;
    const double moved_ns = fabs(right->d_ns - left->d_ns);
    if (is_at_once(node) && is_step(left, right))
        return 0;
    return moved_ns + (moved_ns > reach(left) + reach(right)
                           ? wander * fmax(0, (double)(right->from_ns - left->to_ns))
                           : 0);
}

/* Returns the largest half width that `node` needs for the movement of d to any neighbour. If the
 * clock was set while a node's bounds were taken, the bounds fit neither level. So the neighbours'
 * neighbours, which have both levels, count too. */
static double moves_to_all(const struct nodes *nodes, size_t i, double wander)
{
    const struct node *node = &nodes->node[i];
    double moves_ns = 0;
    for (size_t k = i > 1 ? i - 2 : 0; k < nodes->count && k <= i + 2; k++) {
        const size_t apart = syn_largest(i, k) - syn_least(i, k);
        if (apart == 1)
            moves_ns = fmax(moves_ns, moves(node, &nodes->node[syn_least(i, k)], wander));
        else if (apart == 2 && !is_at_once(node))
            moves_ns = fmax(moves_ns, fabs(node->d_ns - nodes->node[k].d_ns));
    }
    return moves_ns;
}

/* Returns d at an instant on the line from `node` to a neighbour. If the clock was set between
 * them, returns d of `node`. */
static double d_towards(const struct node *node, const struct node *neighbour, int64_t at_ns)
{
    const bool is_left = neighbour->at_ns < node->at_ns;
    if (neighbour->at_ns == node->at_ns ||
        (is_left ? is_step(neighbour, node) : is_step(node, neighbour)))
        return node->d_ns;
    return node->d_ns + (neighbour->d_ns - node->d_ns) * (double)(at_ns - node->at_ns) /
                            (double)(neighbour->at_ns - node->at_ns);
}

/* Adds knots at the node and at the instants of its bounds, all of the same half width. */
static int add_ends(const struct nodes *nodes, size_t i, struct syn_clock_solution *out)
{
    const struct node *node = &nodes->node[i];
    int status = SYN_OK;
    if (i > 0 && node->from_ns < node->at_ns)
        status = add_knot(&out->correction, node->from_ns, d_towards(node, node - 1, node->from_ns),
                          node->width_ns);
    SYN_STEP(status, add_knot(&out->correction, node->at_ns, node->d_ns, node->width_ns));
    if (status == SYN_OK && i + 1 < nodes->count && node->to_ns > node->at_ns)
        status = add_knot(&out->correction, node->to_ns, d_towards(node, node + 1, node->to_ns),
                          node->width_ns);
    return status;
}

/* Adds knots within the gap between two nodes, unless the stated bound is trusted. The clock may
 * have been set at any instant of the gap, so the half width covers both nodes. */
static int add_gap(struct syn_clock_solution *out, const struct node *left, bool trusted)
{
    const struct node *right = left + 1;
    const double width_ns = fmax(left->width_ns, right->width_ns) +
                            (is_step(left, right) ? fabs(right->d_ns - left->d_ns) : 0);
    int status = SYN_OK;
    if (trusted || right->from_ns - left->to_ns < 4)
        return SYN_OK;
    status = add_knot(&out->correction, left->to_ns + 1, d_towards(left, right, left->to_ns + 1),
                      width_ns);
    SYN_STEP(status, add_knot(&out->correction, right->from_ns - 1,
                              d_towards(right, left, right->from_ns - 1), width_ns));
    return status;
}

/* Adds the knots of all nodes and gaps, and counts shifts and steps. */
static int add_knots(const struct nodes *nodes, bool trusted, struct syn_clock_solution *out)
{
    int status = SYN_OK;
    for (size_t i = 0; i < nodes->count && status == SYN_OK; i++) {
        const struct node *node = &nodes->node[i];
        if (fabs(node->d_ns) > (double)out->largest_shift_ns)
            out->largest_shift_ns = (int64_t)llround(fabs(node->d_ns));
        status = add_ends(nodes, i, out);
        if (i + 1 == nodes->count)
            break;
        if (is_step(node, node + 1)) {
            const double step_ns = (node + 1)->d_ns - node->d_ns;
            out->step_count++;
            if (fabs(step_ns) > fabs((double)out->largest_step_ns))
                out->largest_step_ns =
                    (int64_t)llround(-step_ns); /* d has the opposite sign of what the clock did */
        }
        SYN_STEP(status, add_gap(out, node, trusted));
    }
    return status;
}

/* Returns the highest speed of d between nodes without a setting between them, in ns per ns. d may
 * move as fast between any two nodes. */
static double steepest(const struct nodes *nodes)
{
    double steepest = 0;
    for (size_t i = 0; i + 1 < nodes->count; i++) {
        const struct node *left = &nodes->node[i], *right = left + 1;
        const double moved_ns = fabs(right->d_ns - left->d_ns) - reach(left) - reach(right);
        if (moved_ns > 0 && !is_step(left, right))
            steepest = fmax(steepest, moved_ns / (double)(right->at_ns - left->at_ns));
    }
    return fmin(steepest, DRIFT_MAX);
}

static int64_t corrected_bound_ns(const struct syn_clock_solution *solution, int64_t at_ns)
{
    return syn_timeline_bound_ns(&solution->correction, (syn_local_time){at_ns});
}

/* Returns true unless the correction's widest bound is more than a quarter smaller than the widest
 * stated bound. */
static bool is_no_better(const struct syn_clock_evidence *evidence, const struct nodes *nodes,
                         const struct syn_clock_solution *solution)
{
    int64_t stated_ns = 0, corrected_ns = 0;
    for (size_t i = 0; i + 1 < nodes->count; i++) {
        const int64_t left_ns = nodes->node[i].at_ns, right_ns = nodes->node[i + 1].at_ns;
        const int64_t middle_ns = left_ns + (right_ns - left_ns) / 2;
        const int64_t was_ns = evidence->stated_ns(evidence->ctx, middle_ns);
        const int64_t is_ns = corrected_bound_ns(solution, middle_ns);
        stated_ns = syn_largest(was_ns, stated_ns);
        corrected_ns = syn_largest(is_ns, corrected_ns);
    }
    return corrected_ns >= stated_ns - stated_ns / 4;
}

static double correction_at(const struct syn_clock_solution *solution, int64_t at_ns)
{
    return (double)(syn_timeline_global(&solution->correction, (syn_local_time){at_ns}).ns - at_ns);
}

/* Returns whether a window contradicts the correction; with_bound: by more than the correction's
 * bound. */
static bool is_left_out(const struct syn_clock_window *window,
                        const struct syn_clock_solution *solution, bool with_bound)
{
    const int64_t low_at_ns = window->low_at_ns, high_at_ns = window->high_at_ns;
    const double low_ns = with_bound ? (double)corrected_bound_ns(solution, low_at_ns) : 0;
    const double high_ns = with_bound ? (double)corrected_bound_ns(solution, high_at_ns) : 0;
    return (window->low_ns != INT64_MIN &&
            correction_at(solution, low_at_ns) + low_ns + 1 < (double)window->low_ns) ||
           (window->high_ns != INT64_MAX &&
            correction_at(solution, high_at_ns) - high_ns - 1 > (double)window->high_ns);
}

/* Marks in `kept` the windows with both bounds that contradict the correction's line. Returns
 * whether one is new. Counts in out->left_count the windows that contradict the line by more than
 * its bound. */
static bool keep_left_out(const struct syn_clock_evidence *evidence, bool *kept,
                          struct syn_clock_solution *out)
{
    bool any = false;
    out->left_count = 0;
    for (size_t i = 0; i < evidence->window_count; i++) {
        const struct syn_clock_window *window = &evidence->window[i];
        const bool has_both = window->low_ns != INT64_MIN && window->high_ns != INT64_MAX;
        out->left_count += is_left_out(window, out, true);
        if (kept[i] || !has_both || !is_left_out(window, out, false))
            continue;
        kept[i] = true;
        any = true;
    }
    return any;
}

/* ---- the solution ---- */

/* Solves one round, with narrow windows, wide ones where none is narrow, and those in `kept`.
 *
 * Plan: select the windows; subtract the baseline from their middles; test the stated bound against
 * windows and middles; estimate d at each window; add the measurements; set half widths; add knots.
 * A correction that is no better than a stated bound that holds is dropped. */
static int solve(const struct syn_clock_evidence *evidence, const bool *kept, struct nodes *nodes,
                 struct syn_clock_solution *out)
{
    double floor_ns = INFINITY;
    for (size_t i = 0; i < evidence->window_count; i++) {
        const struct node node = node_of_window(&evidence->window[i]);
        if (is_usable(&evidence->window[i]))
            floor_ns = fmin(floor_ns, width(&node));
    }
    nodes->count = 0;
    out->contradicted = contradicts(evidence, evidence->steady_ns);
    /* Selects the windows that do not contradict themselves and are narrow. Where none is narrow
     * for a while, wide ones are used. */
    double limit_ns = TIGHT_FACTOR * floor_ns + TIGHT_NS;
    size_t count = 0;
    for (size_t i = 0; i < evidence->window_count; i++)
        count += is_narrow(&evidence->window[i], limit_ns);
    nodes->floors_known = count >= NODES_MIN;
    if (!nodes->floors_known)
        limit_ns = LOOSE_FACTOR * floor_ns + TIGHT_NS;
    for (size_t i = 0; i < evidence->window_count; i++)
        if (is_narrow(&evidence->window[i], limit_ns) ||
            (is_usable(&evidence->window[i]) && !has_narrow_near(evidence, i, limit_ns)) ||
            kept[i]) {
            nodes->node[nodes->count] = node_of_window(&evidence->window[i]);
            nodes->node[nodes->count++].anchors =
                nodes->floors_known && is_narrow(&evidence->window[i], limit_ns);
        }
    qsort(nodes->node, nodes->count, sizeof *nodes->node, by_time);
    if (nodes->count < 2)
        return SYN_OK;
    const struct baseline line = find_baseline(nodes, evidence->measured_count, floor_ns);
    for (size_t i = 0; i < nodes->count; i++)
        nodes->node[i].d_ns -=
            line.first_ns + line.slope * (double)(nodes->node[i].at_ns - line.at_ns);
    out->watched = is_watched(evidence, nodes, floor_ns);
    out->unseen_ns = syn_saturate(ceil(unseen(nodes, &line, floor_ns)));
    out->bent = is_bent(evidence, evidence->steady_ns, nodes, &line, floor_ns);
    const bool trusted = !out->contradicted && !out->bent;
    /* neither a window nor the middles contradict the stated bound */
    const bool holds = trusted || (!contradicts(evidence, evidence->stated_ns) &&
                                   !is_bent(evidence, evidence->stated_ns, nodes, &line, floor_ns));
    loosen(nodes);
    estimate(evidence, nodes, &line, floor_ns, out, holds);
    add_measured(evidence, nodes);
    loosen_set(nodes);
    straighten(nodes);
    out->correction.wander =
        trusted ? evidence->growth : fmax(evidence->steady_growth, steepest(nodes) + UNEVEN);
    for (size_t i = 0; i < nodes->count; i++)
        nodes->node[i].width_ns =
            reach(&nodes->node[i]) + moves_to_all(nodes, i, out->correction.wander);
    out->correction.wander_time_s = 1e9; /* the wander stays constant over any time */
    out->correction.slope_half_width = trusted ? 0 : UNEVEN;
    int status = add_knots(nodes, trusted, out);
    if (status == SYN_OK && trusted && is_no_better(evidence, nodes, out))
        syn_timeline_free(&out->correction);
    return status;
}

/* Solves again and again with the windows that were left out, until no new one is left out. */
static int solve_all(const struct syn_clock_evidence *evidence, bool *kept, struct nodes *nodes,
                     struct syn_clock_solution *out)
{
    for (int round = 0; round < ROUNDS; round++) {
        *out = (struct syn_clock_solution){0};
        syn_timeline_init(&out->correction);
        const int status = solve(evidence, kept, nodes, out);
        if (status != SYN_OK || out->correction.knot_count == 0 ||
            !keep_left_out(evidence, kept, out) || round + 1 == ROUNDS)
            return status;
        syn_timeline_free(&out->correction);
    }
    return SYN_OK;
}

int syn_clock_solve(const struct syn_clock_evidence *evidence, struct syn_clock_solution *out)
{
    const size_t room = evidence->window_count + evidence->measured_count + 1;
    struct nodes nodes = {.node = malloc(room * sizeof *nodes.node)};
    SYN_FREED bool *kept = calloc(evidence->window_count + 1, sizeof *kept);
    int status = SYN_ENOMEM;

    *out = (struct syn_clock_solution){0};
    syn_timeline_init(&out->correction);
    if (nodes.node && kept)
        status = solve_all(evidence, kept, &nodes, out);
    if (status != SYN_OK)
        syn_timeline_free(&out->correction);
    else if (out->correction.knot_count == 0 && out->contradicted)
        out->left_count = 1;
    free(nodes.node);
    return status;
}
