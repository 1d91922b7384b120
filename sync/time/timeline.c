/* sync/time/timeline.c - see timeline.h. All global times and bounds of a trace come from here. */
#include "sync/time/timeline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Knots may come from a damaged file: so int64 arithmetic wraps, and doubles are clamped before
 * they become integers. */

/* Returns a - b: exact as an integer, then converted to double. */
static double difference(int64_t a, int64_t b)
{
    return a >= b ? (double)((uint64_t)a - (uint64_t)b) : -(double)((uint64_t)b - (uint64_t)a);
}

void syn_timeline_init(struct syn_timeline *timeline)
{
    memset(timeline, 0, sizeof *timeline);
}

void syn_timeline_free(struct syn_timeline *timeline)
{
    free(timeline->knots);
    syn_timeline_init(timeline);
}

int syn_timeline_copy(struct syn_timeline *to, const struct syn_timeline *from)
{
    struct syn_timeline copy = *from;

    copy.knots = NULL;
    if (from->knot_count > 0) {
        copy.knots = malloc(from->knot_count * sizeof *copy.knots);
        if (!copy.knots) {
            syn_timeline_init(to);
            return SYN_ENOMEM;
        }
        memcpy(copy.knots, from->knots, from->knot_count * sizeof *copy.knots);
    }
    *to = copy;
    return SYN_OK;
}

/* Returns the number of knots at or before `local_ns`. */
static size_t knots_until(const struct syn_timeline *timeline, int64_t local_ns)
{
    size_t low = 0, high = timeline->knot_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (timeline->knots[middle].local_ns <= local_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int syn_timeline_add(struct syn_timeline *timeline, struct syn_knot knot)
{
    const size_t at = knots_until(timeline, knot.local_ns);
    if (at > 0 && timeline->knots[at - 1].local_ns == knot.local_ns) {
        timeline->knots[at - 1] = knot;
        return SYN_OK;
    }
    if (SYN_RESERVE(timeline->knots, timeline->knot_count + 1) != SYN_OK)
        return SYN_ENOMEM;
    struct syn_knot *knots = timeline->knots;
    memmove(knots + at + 1, knots + at, (timeline->knot_count - at) * sizeof *knots);
    knots[at] = knot;
    timeline->knot_count++;
    return SYN_OK;
}

/* The line at an instant: a knot on it, and its slope. */
struct piece {
    const struct syn_knot *knot;
    double slope;
};

static double chord_slope(const struct syn_knot *left, const struct syn_knot *right)
{
    const double span_ns = difference(right->local_ns, left->local_ns);

    if (!(span_ns > 0))
        return 0;
    return difference(right->offset_ns, left->offset_ns) / span_ns;
}

/* Returns the line at an instant with `until` (0..knot_count) knots at or before it. `nearer_left`:
 * centre it on the left end. */
static struct piece piece_at(const struct syn_timeline *timeline, size_t until, int nearer_left)
{
    const struct syn_knot *knots = timeline->knots;

    if (until == 0)
        return (struct piece){&knots[0], timeline->slope_before};
    if (until == timeline->knot_count)
        return (struct piece){&knots[until - 1], timeline->slope_after};
    return (struct piece){nearer_left ? &knots[until - 1] : &knots[until],
                          chord_slope(&knots[until - 1], &knots[until])};
}

static int is_nearer_left(const struct syn_timeline *timeline, size_t until, int64_t local_ns)
{
    if (until == 0 || until == timeline->knot_count)
        return 0;
    return (uint64_t)syn_wrap_sub(local_ns, timeline->knots[until - 1].local_ns) <=
           (uint64_t)syn_wrap_sub(timeline->knots[until].local_ns, local_ns);
}

syn_global_time syn_timeline_global(const struct syn_timeline *timeline, syn_local_time local)
{
    size_t until;
    struct piece piece;
    double change_ns;
    int64_t offset_ns;

    if (timeline->knot_count == 0)
        return (syn_global_time){local.ns};
    until = knots_until(timeline, local.ns);
    piece = piece_at(timeline, until, is_nearer_left(timeline, until, local.ns));
    change_ns = piece.slope * difference(local.ns, piece.knot->local_ns);
    offset_ns = syn_wrap_add(piece.knot->offset_ns, syn_saturate(floor(change_ns + 0.5)));
    return (syn_global_time){syn_wrap_sub(local.ns, offset_ns)};
}

/* Distance from a knot within which differences are exact as int64. */
#define REACH_NS ((int64_t)1 << 62)

struct syn_piece syn_timeline_piece(const struct syn_timeline *timeline, syn_local_time local)
{
    const struct syn_knot *knots = timeline->knots;
    struct syn_piece out = {.first_ns = INT64_MIN, .last_ns = INT64_MAX};
    const size_t until = knots_until(timeline, local.ns), count = timeline->knot_count;
    const int nearer_left = count > 0 && is_nearer_left(timeline, until, local.ns);

    if (count > 0) {
        const struct piece piece = piece_at(timeline, until, nearer_left);
        out.knot_ns = piece.knot->local_ns;
        out.offset_ns = piece.knot->offset_ns;
        out.slope = piece.slope;
        if (until > 0)
            out.first_ns = knots[until - 1].local_ns;
        if (until < count)
            out.last_ns = knots[until].local_ns - 1;
    }
    if (until > 0 && until < count) { /* between knots each half is centred on its own end */
        const uint64_t span_ns =
            (uint64_t)syn_wrap_sub(knots[until].local_ns, knots[until - 1].local_ns);
        const int64_t middle_ns = syn_wrap_add(knots[until - 1].local_ns, (int64_t)(span_ns / 2));
        if (nearer_left)
            out.last_ns = middle_ns;
        else
            out.first_ns = middle_ns + 1;
    }
    /* times out of reach lie in no piece */
    if (out.knot_ns > INT64_MIN + REACH_NS)
        out.first_ns = syn_largest(out.first_ns, out.knot_ns - REACH_NS);
    if (out.knot_ns < INT64_MAX - REACH_NS)
        out.last_ns = syn_least(out.last_ns, out.knot_ns + REACH_NS);
    return out;
}

static int64_t knot_global_ns(const struct syn_knot *knot)
{
    return syn_wrap_sub(knot->local_ns, knot->offset_ns);
}

/* Returns the number of knots at or before `global_ns`. Knots ascend in global time too, since no
 * clock runs backwards against another. */
static size_t knots_until_global(const struct syn_timeline *timeline, int64_t global_ns)
{
    size_t low = 0, high = timeline->knot_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (knot_global_ns(&timeline->knots[middle]) <= global_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

syn_local_time syn_timeline_local(const struct syn_timeline *timeline, syn_global_time global)
{
    size_t until;
    struct piece piece;
    int64_t global_step_ns;
    double stretch;

    if (timeline->knot_count == 0)
        return (syn_local_time){global.ns};
    until = knots_until_global(timeline, global.ns);
    piece = piece_at(timeline, until, 1);
    global_step_ns = syn_wrap_sub(global.ns, knot_global_ns(piece.knot));
    /* global step = (1 - slope) * local step. Only the small difference of the steps is computed as
     * a double. */
    stretch = piece.slope < 1 ? piece.slope / (1 - piece.slope) : 0;
    return (syn_local_time){
        syn_wrap_add(syn_wrap_add(piece.knot->local_ns, global_step_ns),
                     syn_saturate(floor(stretch * (double)global_step_ns + 0.5)))};
}

/* Returns rho for a time of stretch_ns. */
static double rho(const struct syn_timeline *timeline, double stretch_ns)
{
    if (!(timeline->wander_time_s > 0))
        return timeline->wander;
    return timeline->wander * sqrt(1 + fabs(stretch_ns) / (timeline->wander_time_s * 1e9));
}

/* Returns the bound before the first knot or after the last; `beyond` is the knot from which T
 * counts. */
static double bound_outside(const struct syn_timeline *timeline, const struct syn_knot *end,
                            const struct syn_knot *beyond, int64_t local_ns)
{
    const double stretch_ns = difference(local_ns, beyond->local_ns);
    const double distance_ns = fabs(difference(local_ns, end->local_ns));
    const double rate = timeline->slope_half_width + rho(timeline, stretch_ns);

    return (double)end->half_width_ns + rate * distance_ns;
}

static double width_between(const struct syn_timeline *timeline, const struct syn_knot *left,
                            const struct syn_knot *right, double to_left_ns, double to_right_ns)
{
    const double left_ns = (double)left->half_width_ns, right_ns = (double)right->half_width_ns;

    if (!(timeline->wander_time_s > 0))
        return fmax(left_ns, right_ns);
    return left_ns + (right_ns - left_ns) * (to_left_ns / (to_left_ns + to_right_ns));
}

int64_t syn_timeline_bound_ns(const struct syn_timeline *timeline, syn_local_time local)
{
    const struct syn_knot *knots = timeline->knots;
    const size_t count = timeline->knot_count;
    size_t until;
    double bound_ns;

    if (count == 0)
        return 0;
    until = knots_until(timeline, local.ns);
    if (until == 0)
        bound_ns = bound_outside(timeline, &knots[0], &knots[count > 1], local.ns);
    else if (until == count)
        bound_ns =
            bound_outside(timeline, &knots[count - 1], &knots[count - 1 - (count > 1)], local.ns);
    else {
        const struct syn_knot *left = &knots[until - 1];
        int64_t local_ns = local.ns;
        const double to_left_ns = difference(local_ns, left->local_ns);
        const double to_right_ns = difference(knots[until].local_ns, local_ns);

        bound_ns = width_between(timeline, left, &knots[until], to_left_ns, to_right_ns) +
                   rho(timeline, to_left_ns + to_right_ns) * fmin(to_left_ns, to_right_ns);
    }
    return syn_saturate(ceil(bound_ns));
}

double syn_timeline_growth(const struct syn_timeline *timeline)
{
    double stretch_ns = 0;

    if (timeline->knot_count > 1)
        stretch_ns = difference(timeline->knots[timeline->knot_count - 1].local_ns,
                                timeline->knots[0].local_ns);
    return timeline->slope_half_width + rho(timeline, stretch_ns);
}

/* Returns true if removing knot `at` makes the bound nowhere larger: its half width exceeds the
 * line between its neighbours' by the wander over the longer of the two distances (older rule: over
 * half of both). */
static bool is_redundant(const struct syn_timeline *timeline, size_t at)
{
    const struct syn_knot *left = &timeline->knots[at - 1], *right = &timeline->knots[at + 1];
    const double to_left_ns = difference(timeline->knots[at].local_ns, left->local_ns);
    const double to_right_ns = difference(right->local_ns, timeline->knots[at].local_ns);
    const double span_ns = to_left_ns + to_right_ns;
    const double away_ns =
        timeline->wander_time_s > 0 ? fmax(to_left_ns, to_right_ns) : span_ns / 2;
    const double without_ns = width_between(timeline, left, right, to_left_ns, to_right_ns) +
                              rho(timeline, span_ns) * away_ns;

    return (double)timeline->knots[at].half_width_ns > without_ns;
}

void syn_timeline_drop_redundant(struct syn_timeline *timeline)
{
    while (timeline->knot_count >= 3 && is_redundant(timeline, timeline->knot_count - 2)) {
        struct syn_knot *newest = &timeline->knots[timeline->knot_count - 1];
        newest[-1] = newest[0];
        timeline->knot_count--;
    }
}

/* Gives the identity a knot at zero, to be shifted or stretched. */
static int anchor(struct syn_timeline *timeline)
{
    if (timeline->knot_count > 0)
        return SYN_OK;
    return syn_timeline_add(timeline, (struct syn_knot){0, 0, 0});
}

int syn_timeline_set_epoch(struct syn_timeline *timeline, syn_global_time epoch)
{
    const int status = anchor(timeline);

    if (status != SYN_OK)
        return status;
    for (size_t i = 0; i < timeline->knot_count; i++)
        timeline->knots[i].offset_ns = syn_wrap_add(timeline->knots[i].offset_ns, epoch.ns);
    return SYN_OK;
}

int syn_timeline_rescale(struct syn_timeline *timeline, double error)
{
    const int status = anchor(timeline);

    if (status != SYN_OK)
        return status;
    for (size_t i = 0; i < timeline->knot_count; i++) {
        struct syn_knot *knot = &timeline->knots[i];
        const double stretch_ns = floor(error * (double)knot_global_ns(knot) + 0.5);
        knot->offset_ns = syn_wrap_sub(knot->offset_ns, syn_saturate(stretch_ns));
        knot->half_width_ns = syn_saturate(ceil((double)knot->half_width_ns * (1 + fabs(error))));
    }
    /* y' = c - (1 + error)(c - y), so the slope becomes s - error (1 - s). */
    timeline->slope_before -= error * (1 - timeline->slope_before);
    timeline->slope_after -= error * (1 - timeline->slope_after);
    timeline->slope_half_width *= 1 + fabs(error);
    timeline->wander *= 1 + fabs(error);
    return SYN_OK;
}
