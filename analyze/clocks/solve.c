/* analyze/clocks/solve.c - see solve.h. */
#include "analyze/clocks/solve.h"

#include <math.h>
#include <stdlib.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"

/* A window is the sum of what the quickest ways there and back took in it. Under the same way there
 * and back these have floors that are the same throughout a run, so that a window which is little
 * wider than the narrowest one is near both of them, and its middle is off by half of the rest at
 * most. Windows within this are where the line is drawn: */
#define TIGHT_FACTOR 1.5
#define LOOSE_FACTOR 3
#define TIGHT_NS     200
/* if so many are. Where fewer are, none may be near its floors, and their middles say nothing. */
#define NODES_MIN 8
/* A wide one counts where none of so many on either side is narrow. */
#define NEAR 2
/* Floors do move with where ranks run: by so much of the narrowest window, and so much at least. */
#define FLOOR_SHARE 0.25
#define FLOOR_NS    50
/* A clock has left its line if at least this many windows show it. */
#define BENT_COUNT 3
/* A clock that was set: by so much at once, beyond any drift. */
#define STEP_NS 2000
/* Two clocks drift apart by 200 ppm at most; a line that a step has bent may by as much again. */
#define DRIFT_MAX 4e-4
/* Windows that a correction left out are taken into the next one, so often at most. */
#define ROUNDS 8
/* By how much a clock that is known not to run evenly may leave a line, at least. */
#define UNEVEN 5e-6

/* A window or a measurement, at one instant. */
struct node {
    int64_t at_ns;
    double low_ns, high_ns; /* of d */
    double d_ns;            /* the estimate; first: the middle */
    int64_t from_ns, to_ns; /* what bounds it from below and from above */
    double width_ns;        /* of the correction there */
    bool is_set;            /* its bounds contradict each other: the clock was set between them */
    bool anchors; /* it was measured, or is narrow: d is known better than by its neighbours */
};

struct nodes {
    struct node *node;
    size_t count;
    bool floors_known; /* so many windows are narrow that the narrowest is near its floors */
};

static struct node node_of_window(const struct syn_clock_window *window)
{
    /* the other way round: the clock was set in it */
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

static int by_time(const void *left, const void *right)
{
    const struct node *a = left, *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

/* ---- which windows say something ---- */

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

/* Is there a narrow one among this one and its neighbours? */
static bool has_narrow_near(const struct syn_clock_evidence *evidence, size_t i, double limit_ns)
{
    for (size_t k = i < NEAR ? 0 : i - NEAR; k < evidence->window_count && k <= i + NEAR; k++)
        if (is_narrow(&evidence->window[k], limit_ns))
            return true;
    return false;
}

/* A bound on |d|, of which windows may say that it cannot be. */
typedef int64_t (*bound_of)(const void *ctx, int64_t at_ns);

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

/* By how much a window's middle may be off, other than all middles are. */
static double slack(const struct node *node, double floor_ns)
{
    return (width(node) - floor_ns) / 2;
}

/* The line that the middles of windows follow while d is 0. It is not 0, as the way there and the
 * way back differ. It goes through the narrowest window near the first measurement and the one near
 * the last. */
struct baseline {
    double first_ns, slope, slack_ns;
    int64_t at_ns;
};

/* The narrowest of some nodes from one end of the run. */
static const struct node *narrowest_of(const struct node *node, size_t count)
{
    const struct node *best = node;
    for (size_t i = 1; i < count; i++)
        if (width(&node[i]) < width(best))
            best = &node[i];
    return best;
}

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

/* By how much middles may be off other than by their windows' width. */
static double floors_slack(const struct baseline *line, double floor_ns)
{
    return FLOOR_SHARE * floor_ns + FLOOR_NS + line->slack_ns;
}

/* Do middles say, by more than they may be off, that d leaves such a bound? */
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

/* By how much d may leave what is stated without being seen to be bent. */
static double unseen(const struct nodes *nodes, const struct baseline *line, double floor_ns)
{
    double slack_ns = 0;
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->node[i].anchors)
            slack_ns = fmax(slack_ns, slack(&nodes->node[i], floor_ns));
    return floors_slack(line, floor_ns) + slack_ns;
}

/* Is some window narrow in every so much of the run, and not just as narrow as the others: within
 * so many times what was measured at best? */
#define WATCHED_SHARE 0.25
#define WATCHED_TIMES 10

static int64_t best_measured_ns(const struct syn_clock_evidence *evidence)
{
    int64_t best_ns = INT64_MAX;
    for (size_t i = 0; i < evidence->measured_count; i++)
        best_ns = syn_least(best_ns, evidence->measured[i].half_width_ns);
    return best_ns;
}

/* A floor that is far above what was measured is none: all windows are wide. */
static bool is_near_measured(const struct syn_clock_evidence *evidence, double floor_ns)
{
    return floor_ns <= WATCHED_TIMES * (double)best_measured_ns(evidence) + TIGHT_NS;
}

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

/* How fast d moves from one node to the next. */
static double speed(const struct node *left, const struct node *right)
{
    const double span_ns = (double)(right->at_ns - left->at_ns);
    return span_ns > 0 ? fabs(right->d_ns - left->d_ns) / span_ns : INFINITY;
}

/* The bounds of a window lie apart in time: within it d moves as towards its neighbours; towards
 * the nearer in speed, as the clock may have been set on the other side. */
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

static void clip(struct node *node, double stated_ns)
{
    if (node->low_ns > stated_ns || node->high_ns < -stated_ns)
        return;
    node->low_ns = fmax(node->low_ns, -stated_ns);
    node->high_ns = fmin(node->high_ns, stated_ns);
}

/* Is the middle of a window nearer to d than 0 is, wherever d may be within so much of it? */
static bool is_sure(const struct node *node, double doubt_ns)
{
    return node->anchors && fabs(node->d_ns) >= 2 * doubt_ns;
}

/* d at each node, within what the window allows, and what is stated: where that is trusted, and at
 * its widest where it holds. That is the middle without what it is for nothing. Of a clock that is
 * mended because windows contradict it, without middles that say so, it is the middle only where
 * that is sure, and else 0. A d within the window is nearer to what is brought to the window than
 * to 0, so that times are never further off than they were. */
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

/* d was above the one bound and then below the other, or the other way round: how far, only the
 * neighbours say. */
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

/* The nearest anchor from `i` in the direction of `step`; NULL: there is none. */
static const struct node *anchor_from(const struct nodes *nodes, size_t i, int step)
{
    for (; i < nodes->count; i = i + (size_t)step) /* below 0 it wraps, and ends */
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

static double reach(const struct node *node)
{
    return fmax(node->high_ns - node->d_ns, node->d_ns - node->low_ns);
}

static int add_knot(struct syn_timeline *timeline, int64_t at_ns, double d_ns, double width_ns)
{
    return syn_timeline_add(
        timeline, (struct syn_knot){at_ns, -(int64_t)llround(d_ns), (int64_t)ceil(width_ns) + 1});
}

static bool is_step(const struct node *left, const struct node *right)
{
    const double apart_ns = fabs(right->d_ns - left->d_ns);
    return apart_ns >
           STEP_NS + reach(left) + reach(right) + DRIFT_MAX * (double)(right->at_ns - left->at_ns);
}

/* To or from the neighbour on the left of this one or on its right. Between two nodes d may be
 * anything between theirs, so each takes what it moves to its neighbours on its width; where it
 * moves by more than they leave open it may have done so at either end, and have drifted until
 * then. */
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

/* A clock that was set within what a node rests on makes its bounds those of neither level: its
 * neighbours' neighbours have both. */
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

/* On the line to a neighbour; where the clock was set between them, what it is here. */
static double d_towards(const struct node *node, const struct node *neighbour, int64_t at_ns)
{
    const bool is_left = neighbour->at_ns < node->at_ns;
    if (neighbour->at_ns == node->at_ns ||
        (is_left ? is_step(neighbour, node) : is_step(node, neighbour)))
        return node->d_ns;
    return node->d_ns + (neighbour->d_ns - node->d_ns) * (double)(at_ns - node->at_ns) /
                            (double)(neighbour->at_ns - node->at_ns);
}

/* Over all that it rests on a node is as wide. */
static int add_ends(const struct nodes *nodes, size_t i, struct syn_clock_solution *out)
{
    const struct node *node = &nodes->node[i];
    int status = SYN_OK;
    if (i > 0 && node->from_ns < node->at_ns)
        status = add_knot(&out->correction, node->from_ns, d_towards(node, node - 1, node->from_ns),
                          node->width_ns);
    if (status == SYN_OK)
        status = add_knot(&out->correction, node->at_ns, node->d_ns, node->width_ns);
    if (status == SYN_OK && i + 1 < nodes->count && node->to_ns > node->at_ns)
        status = add_knot(&out->correction, node->to_ns, d_towards(node, node + 1, node->to_ns),
                          node->width_ns);
    return status;
}

/* Between what two nodes rest on: a clock that was set, or may have been, was so at any instant of
 * it, from what is true of the left to what is true of the right. */
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
    if (status == SYN_OK)
        status = add_knot(&out->correction, right->from_ns - 1,
                          d_towards(right, left, right->from_ns - 1), width_ns);
    return status;
}

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
                    (int64_t)llround(-step_ns); /* d is minus what the clock did */
        }
        if (status == SYN_OK)
            status = add_gap(out, node, trusted);
    }
    return status;
}

/* How fast d is seen to move where the clock was not set: what it may do between two nodes, too. */
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

/* Is less known by the correction than is stated? Where it is widest. */
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

/* Does the correction, or all that it may be off by, contradict a window? */
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

/* Windows that contradict the correction's line and have both bounds are to be kept. Returns
 * whether there is a new one. */
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

/* ---- all of it ---- */

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
    /* The windows that are no contradiction by themselves, and narrow; where there are none for a
     * while, those that there are. */
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
    /* neither a window nor the middles of some say otherwise */
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
    out->correction.wander_time_s = 1e9; /* that is what it is, over any time */
    out->correction.slope_half_width = trusted ? 0 : UNEVEN;
    int status = add_knots(nodes, trusted, out);
    if (status == SYN_OK && trusted && is_no_better(evidence, nodes, out))
        syn_timeline_free(&out->correction);
    return status;
}

/* Until no window is left out that could have been taken. */
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
    bool *kept = calloc(evidence->window_count + 1, sizeof *kept);
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
    free(kept);
    return status;
}
