/* analyze/clocks/mend.c - see mend.h.
 *
 * The solver finds the times (solve.c); this file chooses their bound. A clock that is corrected,
 * or was measured once, gets the hull of the evidence (hull.c: all errors that measurements and
 * windows allow). A clock measured at both ends keeps its times; if windows show little of it, its
 * bound widens to the narrower of the hull and of what one change of drift makes. */
#include "analyze/clocks/mend.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/clocks/hull.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/methods/point.h"

/* A timeline states a wander of this many times the change of drift (sync/methods/knots.c). */
#define CHANGE_FACTOR 4

/* Returns the change of drift between begin and end of the run, in ns per ns, from the wander that
 * the timeline states; 0 if the drift stayed the same. A clock that was also measured in between
 * counts as steady: its knots follow the drift. */
static double drift_change_seen(const struct syn_timeline *timeline)
{
    const bool has_changed = timeline->knot_count == 2 && timeline->wander_time_s > 0 &&
                             timeline->wander > SYN_WANDER * 1.001;
    return has_changed ? timeline->wander / CHANGE_FACTOR : 0;
}

/* A change of drift by more than this many standard errors of the drift at begin is not by
 * chance. */
#define ERRORS_SURE 4

bool syn_clock_drift_is_wrong(const struct syn_timeline *timeline, double begin_error)
{
    const double changed = drift_change_seen(timeline);
    if (changed <= 0 || changed <= ERRORS_SURE * begin_error)
        return false;
    const struct syn_knot *first = &timeline->knots[0], *last = &timeline->knots[1];
    return changed * (double)(last->local_ns - first->local_ns) >
           (double)first->half_width_ns + (double)last->half_width_ns;
}

/* Returns the timeline with the bound that it would have if the drift had stayed the same. The
 * knots are not copied. */
static struct syn_timeline steady_timeline(const struct syn_timeline *timeline)
{
    struct syn_timeline steady = *timeline;
    if (drift_change_seen(timeline) > 0)
        steady.wander = SYN_WANDER;
    return steady;
}

/* Returns the bound of a timeline's global time, in ns. */
static int64_t bound_at(const struct syn_timeline *timeline, int64_t at_ns)
{
    return syn_timeline_bound_ns(timeline, syn_timeline_local(timeline, (syn_global_time){at_ns}));
}

static int64_t stated_ns(const void *ctx, int64_t at_ns)
{
    return bound_at(ctx, at_ns);
}

static int64_t steady_ns(const void *ctx, int64_t at_ns)
{
    const struct syn_timeline steady = steady_timeline(ctx);
    return syn_least(bound_at(&steady, at_ns), bound_at(ctx, at_ns));
}

/* Returns the knots of a clock as instants at which its error was 0, or NULL if out of memory. */
static struct syn_clock_measured *measured_of(const struct syn_timeline *timeline)
{
    struct syn_clock_measured *measured = malloc((timeline->knot_count + 1) * sizeof *measured);
    for (size_t i = 0; measured && i < timeline->knot_count; i++)
        measured[i] = (struct syn_clock_measured){
            syn_timeline_global(timeline, (syn_local_time){timeline->knots[i].local_ns}).ns,
            timeline->knots[i].half_width_ns};
    return measured;
}

/* A clock whose mean drift over a run of length T changed by D was off by at most D T, if the drift
 * changed once: the worst case is a change just after begin or just before the end. D may be off by
 * a fourth of itself and more (sync/methods/knots.c). */
#define CHANGE_DOUBT  1.5
#define UNSEEN_ERRORS 2
#define UNSEEN_SHARE  0.1

/* Adds knots whose half width allows for one change of drift, times CHANGE_DOUBT, and for a swing
 * of swung_ns. */
static int allow_for_change(const struct syn_timeline *timeline,
                            const struct syn_clock_measured *measured, double changed,
                            double swung_ns, struct syn_timeline *out)
{
    const double moved_ns =
        changed * (double)(measured[1].at_ns - measured[0].at_ns) + swung_ns / CHANGE_DOUBT;
    const int64_t width_ns =
        syn_add_ns(syn_largest(measured[0].half_width_ns, measured[1].half_width_ns),
                   syn_saturate(ceil(CHANGE_DOUBT * moved_ns)));
    const struct syn_knot knot[] = {
        {measured[0].at_ns, 0, measured[0].half_width_ns},
        {measured[0].at_ns + 1, 0, width_ns},
        {measured[1].at_ns - 1, 0, width_ns},
        {measured[1].at_ns, 0, measured[1].half_width_ns},
    };
    int status = SYN_OK;
    for (size_t i = 0; i < sizeof knot / sizeof *knot && status == SYN_OK; i++)
        status = syn_timeline_add(out, knot[i]);
    out->wander = SYN_WANDER;
    out->wander_time_s = timeline->wander_time_s;
    out->slope_half_width = timeline->slope_half_width + timeline->wander;
    return status;
}

/* A clock that does not keep its drift may change it by DRIFT_CHANGE within a run, and by
 * DRIFT_CHANGE_PER_S in a second. Both are at least twice the change in a swing of 50 us with a
 * period of 20 s. */
#define DRIFT_CHANGE       4e-5
#define DRIFT_CHANGE_PER_S 1e-5

/* Returns how far the drift can differ, in ns per ns. With measurements at both ends, it differs
 * from the line through them by half of what it can change in the run. With one end, it differs
 * from the drift there by all of that. */
static double drift_change_of(const struct syn_clock_evidence *evidence)
{
    int64_t from_ns = evidence->measured[0].at_ns;
    int64_t to_ns = evidence->measured[evidence->measured_count - 1].at_ns;
    for (size_t i = 0; i < evidence->window_count; i++) {
        const struct syn_clock_window *window = &evidence->window[i];
        if (window->low_ns == INT64_MIN || window->high_ns == INT64_MAX)
            continue;
        from_ns = syn_least(from_ns, syn_least(window->low_at_ns, window->high_at_ns));
        to_ns = syn_largest(to_ns, syn_largest(window->low_at_ns, window->high_at_ns));
    }

    const double run_s = 1e-9 * (double)(to_ns - from_ns);
    const double changing_s = evidence->measured_count > 1 ? run_s / 2 : run_s;
    return fmin(DRIFT_CHANGE, DRIFT_CHANGE_PER_S * changing_s);
}

/* Returns the highest speed of d, in ns per ns. The line that times follow may have another slope
 * than the clock had at begin. It differs by the change of drift that was seen, and by the change
 * that may have occurred unseen. (A clock that is set by 1 ms in a run of a second shows a change
 * of 1,000 ppm.) */
static double speed_of(const struct syn_clock_record *record, double drift_change)
{
    const struct syn_timeline *timeline = record->timeline;
    const double unseen =
        drift_change + ERRORS_SURE * record->begin_error + timeline->slope_half_width;
    return CHANGE_DOUBT * drift_change_seen(timeline) + fmin(unseen, 2 * SYN_SLOPE_LIMIT);
}

/* Sets *out to a correction along `line` whose bound covers all errors that the evidence allows if
 * the drift changes by no more than drift_change. The caller frees *out. */
static int cover_drift(const struct syn_clock_record *record,
                       const struct syn_clock_evidence *evidence, const struct syn_timeline *line,
                       double drift_change, struct syn_timeline *out)
{
    SYN_CLEANUP(syn_clock_hull_free) struct syn_clock_hull hull = {0};
    int status = syn_clock_hull_make(evidence, speed_of(record, drift_change), &hull);
    syn_timeline_init(out);
    SYN_STEP(status, syn_clock_hull_cover(&hull, line, out));
    return status;
}

static int cover(const struct syn_clock_record *record, const struct syn_clock_evidence *evidence,
                 const struct syn_timeline *line, struct syn_timeline *out)
{
    return cover_drift(record, evidence, line, drift_change_of(evidence), out);
}

/* Returns the largest change of drift that the measurements cannot show (sync/methods/knots.c). */
static double unseen_change(const struct syn_clock_record *record)
{
    const struct syn_timeline *timeline = record->timeline;
    if (record->begin_error <= 0)
        return 0;
    return UNSEEN_ERRORS * record->begin_error + UNSEEN_SHARE * timeline->slope_half_width;
}

/* Returns the largest half width of a correction, in ns. */
static int64_t widest_ns(const struct syn_timeline *correction)
{
    int64_t widest_ns = 0;
    for (size_t i = 0; i < correction->knot_count; i++)
        widest_ns = syn_largest(widest_ns, correction->knots[i].half_width_ns);
    return widest_ns;
}

/* Sets the bound of a clock that the collectives watch. It may have left its stated times by
 * unseen_ns, the most that the collectives do not show. */
static int allow_for_unseen(const struct syn_clock_record *record,
                            const struct syn_clock_measured *measured, int64_t unseen_ns,
                            struct syn_timeline *out)
{
    const struct syn_timeline *timeline = record->timeline;
    int status = SYN_OK;
    for (size_t i = 0; i < timeline->knot_count && status == SYN_OK; i++)
        status = syn_timeline_add(
            out, (struct syn_knot){measured[i].at_ns, 0,
                                   syn_add_ns(measured[i].half_width_ns, unseen_ns)});
    out->wander = timeline->wander;
    out->wander_time_s = timeline->wander_time_s;
    out->slope_half_width = timeline->slope_half_width;
    return status;
}

/* Replaces *kept by *other if that is narrower. Frees the wider one. */
static void replace_wider(struct syn_timeline *kept, struct syn_timeline *other)
{
    const struct syn_timeline had = *kept;
    if (widest_ns(&had) > widest_ns(other)) {
        *kept = *other;
        *other = had;
    }
    syn_timeline_free(other);
}

/* Returns how far a clock swings from the line through both ends if its drift changes as fast as it
 * may: the sagitta of a parabola, in ns. */
static double swung_ns(const struct syn_clock_measured *measured)
{
    const double run_s = 1e-9 * (double)(measured[1].at_ns - measured[0].at_ns);
    return 1e9 * DRIFT_CHANGE_PER_S * run_s * run_s / 8;
}

/* The collectives say nothing of a clock if the bound that they leave is more than OPEN_TIMES as
 * wide as that of a single change of drift. For this comparison the drift may change by as much in
 * a moment as in a long run. Ranks that always come late, or have no processor, leave as wide a
 * bound. */
#define OPEN_TIMES 40

/* Sets the bound of a clock that the collectives do not watch, or whose drift is seen to have
 * changed. The bound is at first the hull of the evidence. A bound that allows for a single change
 * of drift and a swing replaces the hull if it is narrower. So does the bound of a single change
 * alone, if the collectives watch the clock or say nothing of it. */
static int widen_by_change(const struct syn_clock_record *record,
                           const struct syn_clock_evidence *evidence,
                           struct syn_clock_solution *solution)
{
    const struct syn_clock_measured *measured = evidence->measured;
    const double changed = fmax(drift_change_seen(record->timeline), unseen_change(record));
    struct syn_timeline single, swung;
    bool takes_single = solution->watched;
    syn_timeline_init(&single);
    syn_timeline_init(&swung);
    int status = allow_for_change(record->timeline, measured, changed, 0, &single);
    SYN_STEP(status,
             allow_for_change(record->timeline, measured, changed, swung_ns(measured), &swung));
    if (status == SYN_OK && !solution->watched) {
        SYN_CLEANUP(syn_timeline_free) struct syn_timeline open = {0};
        status = cover_drift(record, evidence, NULL, DRIFT_CHANGE, &open);
        takes_single = status == SYN_OK && widest_ns(&open) / OPEN_TIMES > widest_ns(&single);
    }
    replace_wider(&solution->correction, &swung);
    if (takes_single)
        replace_wider(&solution->correction, &single);
    else
        syn_timeline_free(&single);
    return status;
}

/* Sets the bound of a clock whose course the collectives do not show. The correction moves
 * nothing. */
static int widen(const struct syn_clock_record *record, const struct syn_clock_evidence *evidence,
                 struct syn_clock_solution *solution)
{
    const struct syn_timeline *timeline = record->timeline;
    struct syn_timeline other;
    /* applies only to a clock that was measured at begin and end alone */
    if (timeline->knot_count != 2 || !(timeline->wander_time_s > 0))
        return SYN_OK;
    solution->widened = true;
    syn_timeline_free(&solution->correction);
    int status = cover(record, evidence, NULL, &solution->correction);
    if (status != SYN_OK || syn_clock_drift_is_wrong(timeline, record->begin_error))
        return status;
    if (!solution->watched || drift_change_seen(timeline) > 0)
        return widen_by_change(record, evidence, solution);
    syn_timeline_init(&other);
    status = allow_for_unseen(record, evidence->measured, solution->unseen_ns, &other);
    replace_wider(&solution->correction, &other);
    return status;
}

/* Returns the evidence on a clock. `measured` is borrowed. */
static struct syn_clock_evidence evidence_of(const struct syn_clock_record *record,
                                             const struct syn_clock_measured *measured)
{
    const struct syn_timeline *timeline = record->timeline;
    const struct syn_timeline steady = steady_timeline(timeline);
    return (struct syn_clock_evidence){
        .window = record->window,
        .window_count = record->window_count,
        .measured = measured,
        .measured_count = timeline->knot_count,
        .growth = syn_timeline_growth(timeline),
        .steady_growth = syn_timeline_growth(&steady),
        .stated_ns = stated_ns,
        .steady_ns = steady_ns,
        .ctx = timeline,
    };
}

int syn_clock_mend(const struct syn_clock_record *record, struct syn_clock_solution *out)
{
    SYN_FREED struct syn_clock_measured *measured = measured_of(record->timeline);
    const struct syn_clock_evidence evidence = evidence_of(record, measured);
    int status = measured ? syn_clock_solve(&evidence, out) : SYN_ENOMEM;
    const bool has_one = record->timeline->knot_count == 1;
    if (status == SYN_OK && (out->contradicted || out->bent || has_one)) {
        /* Keeps the line, and sets the bound to the hull of the evidence. */
        struct syn_timeline covered;
        status = cover(record, &evidence, &out->correction, &covered);
        syn_timeline_free(&out->correction);
        out->correction = covered;
    } else if (status == SYN_OK)
        status = widen(record, &evidence, out);
    return status;
}

int syn_clock_left_open(const struct syn_clock_record *record, struct syn_timeline *out)
{
    SYN_FREED struct syn_clock_measured *measured = measured_of(record->timeline);
    const struct syn_clock_evidence evidence = evidence_of(record, measured);
    syn_timeline_init(out);
    return measured ? cover(record, &evidence, NULL, out) : SYN_ENOMEM;
}
