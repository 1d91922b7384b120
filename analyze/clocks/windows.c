/* analyze/clocks/windows.c - see windows.h. */
#include "analyze/clocks/windows.h"

#include <stdlib.h>

#include "sync/base/status.h"

int syn_clock_windows_begin(struct syn_clock_windows *windows, const struct syn_clock_plan *plan)
{
    const size_t clock_count = (size_t)plan->clock_count;
    const size_t count = (clock_count - 1) * plan->window_count;
    *windows = (struct syn_clock_windows){
        .plan = plan,
        .window = malloc((count + 1) * sizeof *windows->window),
        .start_ns = malloc(clock_count * sizeof *windows->start_ns),
        .end_ns = malloc(clock_count * sizeof *windows->end_ns),
    };
    if (!windows->window || !windows->start_ns || !windows->end_ns)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        windows->window[i] = (struct syn_clock_window){.low_ns = INT64_MIN, .high_ns = INT64_MAX};
    return SYN_OK;
}

void syn_clock_windows_free(struct syn_clock_windows *windows)
{
    free(windows->window);
    free(windows->start_ns);
    free(windows->end_ns);
    *windows = (struct syn_clock_windows){0};
}

static struct syn_clock_window *window_at(struct syn_clock_windows *windows, int32_t clock,
                                          int64_t at_ns)
{
    const struct syn_clock_plan *plan = windows->plan;
    const double share =
        (double)(at_ns - plan->first_ns) / ((double)(plan->last_ns - plan->first_ns) + 1);
    size_t i = share > 0 ? (size_t)(share * (double)plan->window_count) : 0;
    if (i >= plan->window_count)
        i = plan->window_count - 1;
    return &windows->window[(size_t)(clock - 1) * plan->window_count + i];
}

/* Raises the lower bound. Of equal bounds the one with the earliest instant is kept, so the result
 * does not depend on the order. */
static void raise_low(struct syn_clock_window *window, int64_t at_ns, int64_t low_ns)
{
    if (low_ns < window->low_ns || (low_ns == window->low_ns && at_ns >= window->low_at_ns))
        return;
    window->low_ns = low_ns;
    window->low_at_ns = at_ns;
}

static void cut_high(struct syn_clock_window *window, int64_t at_ns, int64_t high_ns)
{
    if (high_ns > window->high_ns || (high_ns == window->high_ns && at_ns >= window->high_at_ns))
        return;
    window->high_ns = high_ns;
    window->high_at_ns = at_ns;
}

/* Finds the last start and the first end of each clock's ranks. Returns false if no rank of the
 * first clock is a member. */
static bool take_ends(struct syn_clock_windows *windows, const struct syn_instance *instance)
{
    const struct syn_clock_plan *plan = windows->plan;
    for (int32_t c = 0; c < plan->clock_count; c++) {
        windows->start_ns[c] = INT64_MIN;
        windows->end_ns[c] = INT64_MAX;
    }
    for (uint32_t m = 0; m < instance->comm->size; m++) {
        const uint32_t rank = instance->comm->world_rank[m];
        const int32_t clock = rank < (uint32_t)plan->rank_count ? plan->clock_of_rank[rank] : -1;
        if (clock < 0)
            continue;
        if (instance->member[m].start_ns > windows->start_ns[clock])
            windows->start_ns[clock] = instance->member[m].start_ns;
        if (instance->member[m].end_ns < windows->end_ns[clock])
            windows->end_ns[clock] = instance->member[m].end_ns;
    }
    return windows->start_ns[0] != INT64_MIN;
}

void syn_clock_windows_add(struct syn_clock_windows *windows, const struct syn_instance *instance)
{
    syn_causality_add(&windows->causality, instance);
    if (!syn_causality_holds(instance) || !take_ends(windows, instance))
        return;
    for (int32_t c = 1; c < windows->plan->clock_count; c++) {
        if (windows->start_ns[c] == INT64_MIN)
            continue;
        /* start + d <= the first clock's end; end + d >= the first clock's start */
        cut_high(window_at(windows, c, windows->start_ns[c]), windows->start_ns[c],
                 windows->end_ns[0] - windows->start_ns[c]);
        raise_low(window_at(windows, c, windows->end_ns[c]), windows->end_ns[c],
                  windows->start_ns[0] - windows->end_ns[c]);
    }
}

void syn_clock_windows_absorb(struct syn_clock_windows *into, const struct syn_clock_windows *from)
{
    const size_t count = (size_t)(into->plan->clock_count - 1) * into->plan->window_count;
    for (size_t i = 0; i < count; i++) {
        raise_low(&into->window[i], from->window[i].low_at_ns, from->window[i].low_ns);
        cut_high(&into->window[i], from->window[i].high_at_ns, from->window[i].high_ns);
    }
    syn_causality_absorb(&into->causality, &from->causality);
}
