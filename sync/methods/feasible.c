/* sync/methods/feasible.c - see feasible.h. */
#include "sync/methods/feasible.h"

#include <math.h>

#define PPB 1e-9

/* a y + b slope <= c: a bound, as a half-plane. */
struct half_plane {
    double a, b, c;
};

static double excess(const struct half_plane *plane, const struct syn_corner *corner)
{
    return plane->a * corner->y_ns + plane->b * corner->slope_ppb - plane->c;
}

static struct syn_corner crossing(const struct syn_corner *in, double in_excess,
                                  const struct syn_corner *out, double out_excess)
{
    const double share = in_excess / (in_excess - out_excess);

    return (struct syn_corner){in->y_ns + share * (out->y_ns - in->y_ns),
                               in->slope_ppb + share * (out->slope_ppb - in->slope_ppb)};
}

/* Cuts the polygon by the half-plane (Sutherland-Hodgman). Returns false, and leaves *set, if
 * nothing is left. */
static bool cut_off(struct syn_feasible *set, const struct half_plane *plane)
{
    struct syn_feasible kept = *set;

    kept.count = 0;
    for (int i = 0; i < set->count; i++) {
        const struct syn_corner *here = &set->corner[i], *next = &set->corner[(i + 1) % set->count];
        const double here_excess = excess(plane, here), next_excess = excess(plane, next);
        if (kept.count + 2 > SYN_FEASIBLE_CORNERS)
            return true;
        if (here_excess <= 0)
            kept.corner[kept.count++] = *here;
        if ((here_excess < 0 && next_excess > 0) || (here_excess > 0 && next_excess < 0))
            kept.corner[kept.count++] = crossing(here, here_excess, next, next_excess);
    }
    if (kept.count == 0)
        return false;
    *set = kept;
    return true;
}

/* Cuts by both bounds of a point. */
static bool cut_by_point(struct syn_feasible *set, const struct syn_point *point)
{
    const double distance_ns = (double)(point->x_ns - set->x_ns);
    const double loose_ns = set->wander * fabs(distance_ns), b = distance_ns * PPB;
    const struct half_plane above = {1, b, (double)(point->high_ns - set->y_ns) + loose_ns};
    const struct half_plane below = {-1, -b, -(double)(point->low_ns - set->y_ns) + loose_ns};

    return cut_off(set, &above) && cut_off(set, &below);
}

static bool fit(const struct syn_point *points, int count, double wander, struct syn_feasible *out)
{
    const struct syn_point *best = points;

    for (int i = 1; i < count; i++)
        if (points[i].high_ns - points[i].low_ns < best->high_ns - best->low_ns)
            best = &points[i];
    const double half_ns = (double)(best->high_ns - best->low_ns) / 2;
    const double steepest = SYN_SLOPE_LIMIT / PPB;

    *out = (struct syn_feasible){
        .x_ns = best->x_ns,
        .y_ns = best->low_ns + (best->high_ns - best->low_ns) / 2,
        .wander = wander,
        .count = 4,
        /* + 1: the middle is rounded to a nanosecond */
        .corner = {{-half_ns - 1, -steepest},
                   {half_ns + 1, -steepest},
                   {half_ns + 1, steepest},
                   {-half_ns - 1, steepest}},
    };
    for (int i = 0; i < count; i++)
        if (!cut_by_point(out, &points[i]))
            return false;
    return true;
}

void syn_feasible_lines(const struct syn_point *points, int count, struct syn_feasible *out)
{
    double wander = SYN_WANDER;

    while (!fit(points, count, wander, out) && wander < 1)
        wander *= 4;
}

static struct syn_range everything(void)
{
    return (struct syn_range){INFINITY, -INFINITY};
}

static void widen(struct syn_range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

struct syn_range syn_feasible_offset(const struct syn_feasible *set, int64_t x_ns)
{
    const double distance_ns = (double)(x_ns - set->x_ns);
    const double loose_ns = set->wander * fabs(distance_ns);
    struct syn_range range = everything();

    for (int i = 0; i < set->count; i++)
        widen(&range, set->corner[i].y_ns + set->corner[i].slope_ppb * PPB * distance_ns);
    return (struct syn_range){range.low - loose_ns, range.high + loose_ns};
}

struct syn_range syn_feasible_slope(const struct syn_feasible *set)
{
    struct syn_range range = everything();

    for (int i = 0; i < set->count; i++)
        widen(&range, set->corner[i].slope_ppb * PPB);
    return range;
}

struct syn_range syn_feasible_cut(const struct syn_feasible *set, double slope)
{
    const double slope_ppb = slope / PPB;
    struct syn_range range = everything();

    for (int i = 0; i < set->count; i++) {
        const struct syn_corner *here = &set->corner[i], *next = &set->corner[(i + 1) % set->count];
        const double before = slope_ppb - here->slope_ppb, after = next->slope_ppb - slope_ppb;
        if (before == 0)
            widen(&range, here->y_ns);
        else if (before * after > 0)
            widen(&range, here->y_ns + before / (before + after) * (next->y_ns - here->y_ns));
    }
    return range.low <= range.high ? range : syn_feasible_offset(set, set->x_ns);
}
