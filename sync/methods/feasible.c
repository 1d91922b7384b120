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
        if ((here_excess < 0 && next_excess > 0) || (here_excess > 0 && next_excess < 0)) {
            const double share = here_excess / (here_excess - next_excess);
            kept.corner[kept.count++] =
                (struct syn_corner){here->y_ns + share * (next->y_ns - here->y_ns),
                                    here->slope_ppb + share * (next->slope_ppb - here->slope_ppb)};
        }
    }
    if (kept.count == 0)
        return false;
    *set = kept;
    return true;
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
    for (int i = 0; i < count; i++) {
        /* Cut by both bounds of the point. */
        const double distance_ns = (double)(points[i].x_ns - out->x_ns);
        const double loose_ns = wander * fabs(distance_ns), b = distance_ns * PPB;
        const struct half_plane above = {1, b, (double)(points[i].high_ns - out->y_ns) + loose_ns};
        const struct half_plane below = {-1, -b,
                                         -(double)(points[i].low_ns - out->y_ns) + loose_ns};
        if (!cut_off(out, &above) || !cut_off(out, &below))
            return false;
    }
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
