/* analyze/clocks/clock_history.c - see clock_history.h. */
#include "analyze/clocks/clock_history.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/match/members/bounds.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"
#include "sync/methods/model.h"

/* Least number of points at begin whose line says something. */
#define BEGIN_POINTS_MIN 8
/* A larger residual comes from a damaged file. */
#define RESIDUAL_MAX_NS 1e15

/* The straight line that all values are relative to: clock minus global time. */
struct line {
    int64_t local_ns, offset_ns;
    double slope;
};

static struct line line_of(const struct syn_timeline *timeline)
{
    const struct syn_knot *first = &timeline->knots[0];
    const struct syn_knot *last = &timeline->knots[timeline->knot_count - 1];
    struct line line = {first->local_ns, first->offset_ns, timeline->slope_after};
    if (last->local_ns > first->local_ns)
        line.slope = ((double)last->offset_ns - (double)first->offset_ns) /
                     ((double)last->local_ns - (double)first->local_ns);
    return line;
}

/* Returns the distance from the line, in ns, of a clock that shows local_ns at global_ns. */
static double residual(const struct line *line, int64_t local_ns, int64_t global_ns)
{
    const double offset_ns = (double)((__int128)local_ns - global_ns - line->offset_ns);
    return offset_ns - line->slope * (double)((__int128)local_ns - line->local_ns);
}

/* ---- points ---- */

/* Returns whether measurement i compared the clock with a peer's own clock, which its timeline
 * converts. Rank 0's own clock is the global time. Against another peer, the last measurement of
 * begin and all later ones used the peer's global time instead. */
static bool is_of_the_clock(const struct syn_clock_history_source *source, size_t i)
{
    const struct syn_fitpoint *point = &source->fitpoint[i];
    const bool more = i + 1 < source->count && source->fitpoint[i + 1].stage == 0;
    return point->peer_rank == 0 || (point->stage == 0 && more);
}

static bool take_point(const struct syn_clock_history_source *source, const struct line *line,
                       size_t i, struct syn_clock_history_point *out)
{
    const struct syn_fitpoint *point = &source->fitpoint[i];
    const struct syn_timeline *peer = source->peer(source->ctx, point->peer_rank);
    if (!peer || !is_of_the_clock(source, i) || point->high_ns < point->low_ns)
        return false;
    const __int128 low_peer_ns = (__int128)point->local_ns - point->high_ns;
    const __int128 high_peer_ns = (__int128)point->local_ns - point->low_ns;
    if (low_peer_ns < INT64_MIN || high_peer_ns > INT64_MAX)
        return false;
    const int64_t low_ns = syn_timeline_global(peer, (syn_local_time){(int64_t)low_peer_ns}).ns;
    const int64_t high_ns = syn_timeline_global(peer, (syn_local_time){(int64_t)high_peer_ns}).ns;
    out->at_ns = low_ns / 2 + high_ns / 2;
    out->low_ns = residual(line, point->local_ns, high_ns);
    out->high_ns = residual(line, point->local_ns, low_ns);
    return fabs(out->low_ns) < RESIDUAL_MAX_NS && fabs(out->high_ns) < RESIDUAL_MAX_NS;
}

/* ---- drift ---- */

static double middle(const struct syn_clock_history_point *point)
{
    return (point->low_ns + point->high_ns) / 2;
}

/* Describes the drift at begin, from the first `count` points, which were measured at begin. */
static int describe_begin(const struct line *line, struct syn_clock_history *history, size_t count)
{
    SYN_FREED struct syn_point *point = calloc(count + 1, sizeof *point);
    SYN_FREED double *distance = malloc((count + 1) * sizeof *distance);
    double wander;
    struct syn_model model = {0};
    int status = point && distance ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        point[i] = (struct syn_point){.x_ns = history->point[i].at_ns,
                                      .low_ns = (int64_t)floor(history->point[i].low_ns),
                                      .high_ns = (int64_t)ceil(history->point[i].high_ns),
                                      .y_ns = (int64_t)llround(middle(&history->point[i]))};
    SYN_STEP(status, syn_model_from_points(point, (int)count, &model, &wander));
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        distance[i] =
            fabs(middle(&history->point[i]) - (double)syn_model_offset_ns(&model, point[i].x_ns));
    if (status == SYN_OK) {
        syn_sort(distance, count);
        history->residual_median_ns = (distance[(count - 1) / 2] + distance[count / 2]) / 2;
        history->begin_ppm = (line->slope + model.slope) * 1e6;
        history->begin_error_ppm = model.slope_error * 1e6;
    }
    return status;
}

/* Plan: convert the measurements to points; compute the drift over the run; compute the drift at
 * begin. */
int syn_clock_history_make(const struct syn_clock_history_source *source,
                           struct syn_clock_history *out)
{
    size_t begin_count = 0;
    *out = (struct syn_clock_history){.begin_ppm = NAN,
                                      .begin_error_ppm = NAN,
                                      .residual_median_ns = NAN,
                                      .run_ppm = NAN,
                                      .run_half_width_ppm = NAN};
    if (source->own->knot_count == 0)
        return 0;
    const struct line line = line_of(source->own);
    out->point = malloc((source->count + 1) * sizeof *out->point);
    if (!out->point)
        return SYN_ENOMEM;
    for (size_t i = 0; i < source->count; i++) {
        if (!take_point(source, &line, i, &out->point[out->point_count]))
            continue;
        out->point_count++;
        /* counts the points of begin, which come first */
        begin_count += source->fitpoint[i].stage == 0 && begin_count + 1 == out->point_count;
    }
    const struct syn_timeline *timeline = source->own;
    const struct syn_knot *first = &timeline->knots[0];
    const struct syn_knot *last = &timeline->knots[timeline->knot_count - 1];
    const double span_ns = (double)last->local_ns - (double)first->local_ns;
    if (span_ns > 0) {
        out->run_ppm = line.slope * 1e6;
        out->run_half_width_ppm =
            ((double)first->half_width_ns + (double)last->half_width_ns) / span_ns * 1e6;
    }
    return begin_count < BEGIN_POINTS_MIN ? 0 : describe_begin(&line, out, begin_count);
}

void syn_clock_history_free(struct syn_clock_history *history)
{
    free(history->point);
    history->point = NULL;
    history->point_count = 0;
}

/* ---- of a trace ---- */

static const struct syn_timeline *timeline_of(const void *ctx, int32_t rank)
{
    const struct syn_rank_file *file =
        rank >= 0 ? syn_trace_rank((struct syn_trace *)ctx, rank) : NULL;
    return file ? syn_rank_timeline(file) : NULL;
}

/* Returns a rank's measurements. `count` is 0 if there are none. */
static struct syn_clock_history_source source_of(struct syn_trace *trace, int32_t rank)
{
    const struct syn_rank_file *file = syn_trace_rank(trace, rank);
    struct syn_clock_history_source source = {.peer = timeline_of, .ctx = trace};
    if (!file || syn_rank_timeline(file)->knot_count == 0)
        return source;
    source.own = syn_rank_timeline(file);
    source.fitpoint = syn_rank_fitpoints(file, &source.count);
    return source;
}

double syn_clock_history_begin_error(struct syn_trace *trace, int32_t rank)
{
    const struct syn_clock_history_source source = source_of(trace, rank);
    SYN_CLEANUP(syn_clock_history_free) struct syn_clock_history history = {.begin_error_ppm = NAN};
    if (source.count > 0 && syn_clock_history_make(&source, &history) != SYN_OK)
        history.begin_error_ppm = NAN;
    return isfinite(history.begin_error_ppm) ? history.begin_error_ppm * 1e-6 : 0;
}

/* Adds the bands that the report's times imply for a clock, whether they are corrected or not. */
static void add_bands(const struct syn_rank_file *file, int64_t first_ns, int64_t last_ns,
                      struct syn_clock_history *history)
{
    const struct syn_timeline *own = syn_rank_timeline(file);
    const struct syn_timeline *correction = syn_rank_correction(file);
    const struct line line = line_of(own);
    for (int i = 0; i < SYN_CLOCK_HISTORY_BANDS && last_ns > first_ns; i++) {
        const int64_t at_ns = first_ns + (last_ns - first_ns) / (SYN_CLOCK_HISTORY_BANDS - 1) * i;
        const int64_t bound_ns = syn_clock_bound_ns(file, at_ns);
        const int64_t stated_ns =
            correction ? syn_timeline_local(correction, (syn_global_time){at_ns}).ns : at_ns;
        const int64_t local_ns = syn_timeline_local(own, (syn_global_time){stated_ns}).ns;
        const double centre_ns = residual(&line, local_ns, at_ns);
        if (bound_ns >= SYN_BOUND_UNKNOWN_NS)
            continue;
        history->band[history->band_count++] = (struct syn_clock_history_band){
            at_ns, centre_ns - (double)bound_ns, centre_ns + (double)bound_ns};
    }
}

int syn_clock_histories_of(struct syn_trace *trace, int64_t first_ns, int64_t last_ns,
                           struct syn_clock_history *out, size_t capacity, size_t *count)
{
    int status = 0;
    *count = 0;
    for (int32_t rank = 1; rank < syn_trace_size(trace) && *count < capacity && status == SYN_OK;
         rank++) {
        const struct syn_clock_history_source source = source_of(trace, rank);
        if (source.count == 0)
            continue;
        struct syn_clock_history *history = &out[(*count)++];
        status = syn_clock_history_make(&source, history);
        history->rank = rank;
        if (status == SYN_OK)
            add_bands(syn_trace_rank(trace, rank), first_ns, last_ns, history);
    }
    return status;
}
