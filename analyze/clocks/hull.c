/* analyze/clocks/hull.c - see hull.h. */
#include "analyze/clocks/hull.h"

#include <math.h>
#include <stdlib.h>

#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

static const struct syn_clock_range nothing = {.low_ns = INFINITY, .high_ns = -INFINITY};

static void add_point(struct syn_clock_hull *hull, int64_t at_ns, double low_ns, double high_ns)
{
    hull->point[hull->count++] = (struct syn_clock_hull_point){
        .at_ns = at_ns, .constraint = {low_ns, high_ns}, .before_set = nothing};
}

SYN_ORDER(by_time, struct syn_clock_hull_point, SYN_UP(at_ns))

static struct syn_clock_range grown(struct syn_clock_range range, double by_ns)
{
    return (struct syn_clock_range){range.low_ns - by_ns, range.high_ns + by_ns};
}

/* Returns the union of two ranges. If one range lacks an end, the union has the other range's. */
static struct syn_clock_range wider(struct syn_clock_range a, struct syn_clock_range b)
{
    return (struct syn_clock_range){isinf(a.low_ns)   ? b.low_ns
                                    : isinf(b.low_ns) ? a.low_ns
                                                      : fmin(a.low_ns, b.low_ns),
                                    isinf(a.high_ns)   ? b.high_ns
                                    : isinf(b.high_ns) ? a.high_ns
                                                       : fmax(a.high_ns, b.high_ns)};
}

/* Returns `known` narrowed by a constraint. If the two exclude each other, the clock was set
 * between them: `known` is added to before_set, and the constraint alone is returned. */
static struct syn_clock_range meet(struct syn_clock_range known, struct syn_clock_hull_point *at)
{
    const struct syn_clock_range *met = &at->constraint;
    if (known.high_ns < met->low_ns || known.low_ns > met->high_ns) {
        at->before_set = wider(at->before_set, known);
        return *met;
    }
    return (struct syn_clock_range){fmax(known.low_ns, met->low_ns),
                                    fmin(known.high_ns, met->high_ns)};
}

/* Plan: make points of windows and measurements, in order of time; find the ranges from the left,
 * then from the right; widen the ranges around instants at which the clock was set. */
int syn_clock_hull_make(const struct syn_clock_evidence *evidence, double speed,
                        struct syn_clock_hull *out)
{
    const size_t room = 2 * evidence->window_count + evidence->measured_count + 1;
    *out = (struct syn_clock_hull){.point = malloc(room * sizeof *out->point), .speed = speed};
    if (!out->point)
        return SYN_ENOMEM;
    for (size_t i = 0; i < evidence->window_count; i++) {
        const struct syn_clock_window *window = &evidence->window[i];
        if (window->low_ns != INT64_MIN)
            add_point(out, window->low_at_ns, (double)window->low_ns, INFINITY);
        if (window->high_ns != INT64_MAX)
            add_point(out, window->high_at_ns, -INFINITY, (double)window->high_ns);
    }
    for (size_t i = 0; i < evidence->measured_count; i++) {
        const double width_ns = (double)evidence->measured[i].half_width_ns;
        add_point(out, evidence->measured[i].at_ns, -width_ns, width_ns);
    }
    qsort(out->point, out->count, sizeof *out->point, by_time);
    struct syn_clock_range known = {-INFINITY, INFINITY};
    for (size_t i = 0; i < out->count; i++) {
        struct syn_clock_hull_point *at = &out->point[i];
        const double apart_ns = i > 0 ? (double)(at->at_ns - at[-1].at_ns) : 0;
        known = at->left = meet(grown(known, out->speed * apart_ns), at);
    }
    known = (struct syn_clock_range){-INFINITY, INFINITY};
    for (size_t i = out->count; i-- > 0;) {
        struct syn_clock_hull_point *at = &out->point[i];
        const double apart_ns = i + 1 < out->count ? (double)(at[1].at_ns - at->at_ns) : 0;
        known = at->right = meet(grown(known, out->speed * apart_ns), at);
    }
    for (size_t i = 0; i < out->count; i++)
        if (out->point[i].before_set.low_ns <= out->point[i].before_set.high_ns) {
            /* A clock that was set back shows some times twice. So constraints on the one level lie
             * among the times of the other level. At points within the size of the step, d is
             * allowed on both levels. */
            struct syn_clock_hull_point *point = out->point;
            const struct syn_clock_range both =
                wider(point[i].before_set, wider(point[i].left, point[i].right));
            const double step_ns = both.high_ns - both.low_ns;
            size_t from = i, to = i;
            while (from > 0 && (double)(point[i].at_ns - point[from].at_ns) <= step_ns)
                from--;
            while (to + 1 < out->count && (double)(point[to].at_ns - point[i].at_ns) <= step_ns)
                to++;
            for (size_t k = from; k <= to; k++) {
                if (k < to)
                    point[k].left = wider(point[k].left, both);
                if (k > from)
                    point[k].right = wider(point[k].right, both);
            }
        }
    return SYN_OK;
}

void syn_clock_hull_free(struct syn_clock_hull *hull)
{
    free(hull->point);
    *hull = (struct syn_clock_hull){0};
}

/* Sets the ranges of d just before point i (`before`) and just after point i - 1 (`after`). Between
 * the two points the range lies on or within the lines that join their ends. */
static void between(const struct syn_clock_hull *hull, size_t i, struct syn_clock_range *after,
                    struct syn_clock_range *before)
{
    const struct syn_clock_hull_point *left = &hull->point[i - 1], *right = &hull->point[i];
    const double moved_ns = hull->speed * (double)(right->at_ns - left->at_ns);
    *after = wider(left->left, grown(right->right, moved_ns));
    *before = wider(grown(left->left, moved_ns), right->right);
}

static int add_knot(struct syn_timeline *out, const struct syn_timeline *line, int64_t at_ns,
                    struct syn_clock_range range)
{
    const double d_ns =
        line ? (double)(syn_timeline_global(line, (syn_local_time){at_ns}).ns - at_ns) : 0;
    const double width_ns = fmax(range.high_ns - d_ns, d_ns - range.low_ns);
    return syn_timeline_add(out, (struct syn_knot){at_ns, -syn_saturate(floor(d_ns + 0.5)),
                                                   syn_saturate(ceil(width_ns) + 1)});
}

/* Adds a knot at each point, and at each knot of `line` between two points. The half width covers
 * the hull there. */
int syn_clock_hull_cover(const struct syn_clock_hull *hull, const struct syn_timeline *line,
                         struct syn_timeline *out)
{
    size_t next = 0;
    struct syn_clock_range behind = nothing;
    int status = SYN_OK;

    syn_timeline_init(out);
    for (size_t i = 1; i < hull->count && status == SYN_OK; i++) {
        struct syn_clock_range after, before;
        if (hull->point[i].at_ns == hull->point[i - 1].at_ns)
            continue;
        between(hull, i, &after, &before);
        const struct syn_clock_range first = {fmin(behind.low_ns, after.low_ns),
                                              fmax(behind.high_ns, after.high_ns)};
        status = add_knot(out, line, hull->point[i - 1].at_ns, first);
        if (status == SYN_OK) {
            /* Adds the line's own knots between the two points. */
            const int64_t from_ns = hull->point[i - 1].at_ns, to_ns = hull->point[i].at_ns;
            for (; line && next < line->knot_count && line->knots[next].local_ns < to_ns; ++next) {
                const int64_t at_ns = line->knots[next].local_ns;
                const double share = (double)(at_ns - from_ns) / (double)(to_ns - from_ns);
                if (at_ns <= from_ns || status != SYN_OK)
                    continue;
                status = add_knot(out, line, at_ns,
                                  (struct syn_clock_range){
                                      after.low_ns + share * (before.low_ns - after.low_ns),
                                      after.high_ns + share * (before.high_ns - after.high_ns)});
            }
        }
        behind = before;
    }
    if (status == SYN_OK && hull->count > 1)
        status = add_knot(out, line, hull->point[hull->count - 1].at_ns, behind);
    out->wander_time_s = 1e9; /* the wander stays constant over any time */
    out->slope_half_width = hull->speed;
    return status;
}
