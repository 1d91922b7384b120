/* tests/unit/analyze/clock_simulate.c - see clock_simulate.h. */
#include "clock_simulate.h"

#include <math.h>
#include <stdlib.h>

#include "stats_simulate.h"
#include "sync/base/integers.h"
#include "sync/methods/session.h"

#define WINDOWS_MAX 2048
#define BEGIN_NS    5e8 /* that begin takes to learn a drift */

/* A clock's offset against true time, which rank 0's clock shows. */
struct clock {
    double drift, step_ns, step_at_ns, warm, warm_at_ns, warm_ns, sine_ns, period_ns, phase;
    double early_ns; /* the rank comes so much later than the first on the mean */
};

static double offset_at(const struct clock *clock, double t_ns)
{
    const double warmed_ns = fmin(fmax(t_ns - clock->warm_at_ns, 0), clock->warm_ns);
    const double warm_after_ns = fmax(t_ns - clock->warm_at_ns - clock->warm_ns, 0);
    const double rate = clock->warm_ns > 0 ? clock->warm / clock->warm_ns : 0;
    return clock->drift * t_ns + (t_ns >= clock->step_at_ns ? clock->step_ns : 0) +
           rate * warmed_ns * warmed_ns / 2 + clock->warm * warm_after_ns +
           clock->sine_ns * sin(6.283185307179586 * t_ns / clock->period_ns + clock->phase);
}

static double between(struct syn_random *random, double low, double high)
{
    return low + (high - low) * syn_random_unit(random);
}

static double log_between(struct syn_random *random, double low, double high)
{
    return low * pow(high / low, syn_random_unit(random));
}

static struct clock draw_clock(struct syn_random *random, const struct clock_setting *s,
                               double run_ns)
{
    const double sign = syn_random_unit(random) < 0.5 ? -1 : 1;
    const double at_ns = between(random, 0.02, 0.98) * run_ns;
    struct clock clock = {.drift = between(random, -2e-5, 2e-5),
                          .step_at_ns = at_ns,
                          .warm_at_ns = at_ns,
                          .period_ns = 2e10,
                          .phase = between(random, 0, 6.283185307179586)};
    clock.sine_ns = s->fault == CLOCK_SWINGS_50_US ? 50000 : 0;
    clock.step_ns = sign * (s->fault == CLOCK_STEP_1_MS    ? 1e6
                            : s->fault == CLOCK_STEP_20_US ? 20000
                                                           : 0);
    clock.warm = sign * (s->fault == CLOCK_WARMS_1_PPM   ? 1e-6
                         : s->fault == CLOCK_WARMS_5_PPM ? 5e-6
                                                         : 0);
    clock.warm_ns = clock.warm != 0 ? run_ns / 3 : 0;
    return clock;
}

/* An exponential delay, which is a time slice in a share of cases. */
static double delay_ns(struct syn_random *random, const struct clock_setting *s, double quick_ns)
{
    const double mean_ns = syn_random_unit(random) < s->slow ? s->slice_ns : quick_ns;
    return -mean_ns * log(syn_random_unit(random));
}

/* The quickest of 100 ping-pongs, of which begin and end go on until one is about as quick as it
 * may be; seldom none is. */
static double half_trip_ns(struct syn_random *random, const struct clock_setting *s)
{
    const double quick_ns = s->way_ns * between(random, 1.02, 1.4);
    return syn_random_unit(random) < s->slow / 10 ? quick_ns + delay_ns(random, s, s->slice_ns) / 2
                                                  : quick_ns;
}

static struct syn_knot knot_at(struct syn_random *random, const struct clock_setting *s,
                               const struct clock *clock, double t_ns)
{
    const double width_ns = half_trip_ns(random, s), offset_ns = offset_at(clock, t_ns);
    const double error_ns = width_ns * between(random, -0.5, 0.5);
    return (struct syn_knot){llround(t_ns + offset_ns), llround(offset_ns + error_ns),
                             (int64_t)ceil(width_ns) + 1};
}

/* Measures at begin and end, and makes a timeline as the recorder does. */
static void measure(struct syn_random *random, const struct clock_setting *s,
                    const struct clock *clock, double run_ns, struct syn_sync *sync)
{
    const struct syn_knot first = knot_at(random, s, clock, 0);
    const double error = log_between(random, 0.02, 0.3) * s->way_ns / BEGIN_NS *
                         (1 + 20 * s->slow * syn_random_unit(random));
    const double drift = (offset_at(clock, 0) - offset_at(clock, -BEGIN_NS)) / BEGIN_NS;
    const struct syn_model model = {.x_ns = first.local_ns,
                                    .y_ns = first.offset_ns,
                                    .half_width_ns = first.half_width_ns,
                                    .slope = drift + error * simulate_normal(random),
                                    .slope_half_width = 4 * s->way_ns / BEGIN_NS + 4 * error,
                                    .slope_error = error};
    *sync = (struct syn_sync){.slope_error = error};
    syn_set_model(sync, &model);
    if (s->ended)
        syn_add_knot(sync, knot_at(random, s, clock, run_ns));
}

static double said_ns(const struct syn_timeline *timeline, const struct clock *clock, double t_ns)
{
    const syn_local_time local = {llround(t_ns + offset_at(clock, t_ns))};
    return (double)syn_timeline_global(timeline, local).ns;
}

struct windows {
    struct syn_clock_window window[WINDOWS_MAX];
    size_t count;
};

static void add_call(struct windows *windows, double run_ns, const double *start_ns,
                     const double *end_ns)
{
    const size_t last = windows->count - 1;
    struct syn_clock_window *w = &windows->window[syn_least(
        (size_t)(fmax(start_ns[1], 0) / run_ns * (double)windows->count), last)];
    const int64_t high_ns = (int64_t)ceil(end_ns[0] - start_ns[1]);
    const int64_t low_ns = (int64_t)floor(start_ns[0] - end_ns[1]);
    if (high_ns < w->high_ns) {
        w->high_ns = high_ns;
        w->high_at_ns = (int64_t)start_ns[1];
    }
    w = &windows->window[syn_least((size_t)(fmax(end_ns[1], 0) / run_ns * (double)windows->count),
                                   last)];
    if (low_ns > w->low_ns) {
        w->low_ns = low_ns;
        w->low_at_ns = (int64_t)end_ns[1];
    }
}

/* All hosts' collectives. */
struct clock_run {
    const struct clock_setting *setting;
    double run_ns;
    size_t calls;
    struct clock clock[8];
    struct syn_sync sync[8];
    struct windows windows[8];
    double there_ns[8], back_ns[8]; /* quickest ways to and from rank 0 */
};

static void call(struct syn_random *random, struct clock_run *run, double t_ns)
{
    const struct clock_setting *s = run->setting;
    double come_ns[8], left_ns[8], last_ns = 0;
    for (int r = 0; r < s->hosts; r++) {
        come_ns[r] = t_ns + run->clock[r].early_ns + delay_ns(random, s, s->way_ns);
        last_ns = fmax(last_ns, come_ns[r] + (r == 0 ? 0 : run->back_ns[r]) +
                                    delay_ns(random, s, s->way_ns / 4));
    }
    for (int r = 0; r < s->hosts; r++)
        left_ns[r] = last_ns + (r == 0 ? 0 : run->there_ns[r]) + delay_ns(random, s, s->way_ns / 4);
    for (int r = 1; r < s->hosts; r++) {
        const struct syn_timeline *timeline = &run->sync[r].timeline;
        const double start_ns[] = {come_ns[0], said_ns(timeline, &run->clock[r], come_ns[r])};
        const double end_ns[] = {left_ns[0], said_ns(timeline, &run->clock[r], left_ns[r])};
        add_call(&run->windows[r], run->run_ns, start_ns, end_ns);
    }
}

struct clock_run *clock_run_make(struct syn_random *random, const struct clock_setting *setting)
{
    struct clock_run *run = calloc(1, sizeof *run);
    if (!run)
        abort();
    run->setting = setting;
    run->run_ns = setting->brief ? between(random, 1e9, 3e9) : between(random, 6e9, 3e10);
    run->calls = (size_t)log_between(random, 50, 20000);
    const size_t windows = syn_least(syn_largest(run->calls / 32, (size_t)32), (size_t)WINDOWS_MAX);

    for (int r = 0; r < run->setting->hosts; r++) {
        run->clock[r] =
            r == 0 ? (struct clock){.period_ns = 1} : draw_clock(random, setting, run->run_ns);
        run->clock[r].early_ns = setting->uneven ? log_between(random, 1e3, 5e6) : 0;
        run->windows[r].count = windows;
        for (size_t i = 0; i < windows; i++)
            run->windows[r].window[i] =
                (struct syn_clock_window){.low_ns = INT64_MIN, .high_ns = INT64_MAX};
        run->there_ns[r] = run->setting->way_ns * between(random, 1, 1.5);
        run->back_ns[r] = run->setting->way_ns * between(random, 1, 1.5);
        if (r > 0)
            measure(random, setting, &run->clock[r], run->run_ns, &run->sync[r]);
    }
    for (size_t i = 0; i < run->calls; i++)
        call(random, run, ((double)i + syn_random_unit(random)) / (double)run->calls * run->run_ns);
    return run;
}

void clock_run_free(struct clock_run *run)
{
    for (int r = 1; r < run->setting->hosts; r++)
        syn_timeline_free(&run->sync[r].timeline);
    free(run);
}

static double error_of(const struct syn_timeline *correction, int64_t stated_ns, double t_ns)
{
    return fabs((double)syn_timeline_global(correction, (syn_local_time){stated_ns}).ns - t_ns);
}

static bool is_outside(const struct syn_timeline *correction, int64_t stated_ns, double t_ns,
                       int64_t *bound_ns)
{
    *bound_ns = syn_timeline_bound_ns(correction, (syn_local_time){stated_ns});
    return error_of(correction, stated_ns, t_ns) > (double)*bound_ns + 4;
}

/* One time of a host, as its timeline has it, as it is mended and as it is left open. */
static void judge_at(const struct clock_run *run, int host, double t_ns,
                     const struct syn_timeline *mended, const struct syn_timeline *open,
                     struct clock_judged *out)
{
    const struct syn_timeline *timeline = &run->sync[host].timeline;
    const syn_local_time local = {llround(t_ns + offset_at(&run->clock[host], t_ns))};
    const int64_t stated_ns = syn_timeline_global(timeline, local).ns;
    int64_t bound_ns, open_ns;
    const bool was_outside = is_outside(timeline, local.ns, t_ns, &bound_ns);
    out->measured_ns += (double)bound_ns / CLOCK_TIMES;
    out->outside_measured += was_outside;
    if (mended->knot_count > 0)
        out->outside += is_outside(mended, stated_ns, t_ns, &bound_ns);
    else
        out->outside += was_outside;
    const double error_ns = error_of(timeline, local.ns, t_ns);
    const double used_ns = mended->knot_count > 0 ? error_of(mended, stated_ns, t_ns) : error_ns;
    out->error_ns += error_ns / CLOCK_TIMES;
    out->used_error_ns += used_ns / CLOCK_TIMES;
    out->further += used_ns > error_ns + 100;
    out->bound_ns += (double)bound_ns / CLOCK_TIMES;
    out->outside_open += is_outside(open, stated_ns, t_ns, &open_ns);
    out->open_ns += (double)open_ns / CLOCK_TIMES;
}

struct clock_judged clock_run_judge(const struct clock_run *run, int host)
{
    const struct syn_clock_record record = {&run->sync[host].timeline, run->windows[host].window,
                                            run->windows[host].count, run->sync[host].slope_error};
    struct clock_judged judged = {0};
    struct syn_clock_solution solution;
    struct syn_timeline open;
    if (syn_clock_mend(&record, &solution) != 0 || syn_clock_left_open(&record, &open) != 0)
        abort();
    for (int i = 0; i < CLOCK_TIMES; i++)
        judge_at(run, host, (i + 0.5) / CLOCK_TIMES * run->run_ns, &solution.correction, &open,
                 &judged);
    judged.mended = solution.contradicted || solution.bent;
    judged.widened = solution.widened;
    syn_timeline_free(&solution.correction);
    syn_timeline_free(&open);
    return judged;
}
