/* analyze/report/figures/changes.c - finds steps and trends in the runs of groups. */
#include "analyze/report/figures/changes.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/stats/series/waves.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* A series in stretches of `size` values. The median of a stretch stands for the stretch. */
struct stretches {
    double *value, *held; /* [count], [size] */
    size_t count, size, held_count;
};

static int read_stretches(const struct syn_series *series, size_t first, struct stretches *to)
{
    int64_t value[SYN_BLOCK_VALUES];
    for (size_t i = first, count; i < series->count; i += count) {
        size_t block = SYN_BLOCK_VALUES - (series->first + i) % SYN_BLOCK_VALUES;
        count = series->count - i < block ? series->count - i : block;
        int status = syn_series_read(series, i, count, value);
        if (status != SYN_OK)
            return status;
        for (size_t j = 0; j < count; j++) {
            to->held[to->held_count++] = (double)value[j];
            if (to->held_count < to->size)
                continue;
            if (to->size > 1)
                syn_sort(to->held, to->size);
            to->value[to->count++] = syn_quantile_sorted(to->held, to->size, 0.5);
            to->held_count = 0;
        }
    }
    return 0;
}

int syn_run_change_find(const struct syn_series *series, const struct syn_column *start_ns,
                        size_t first, struct syn_run_change *out)
{
    size_t count = series->count - first;
    size_t size = count / SYN_CHANGE_VALUES + (count % SYN_CHANGE_VALUES > 0);
    struct stretches of = {.size = size ? size : 1};
    *out = (struct syn_run_change){.first = first, .size = of.size, .p_adjusted = NAN};
    of.value = malloc((count / of.size + 1) * sizeof *of.value);
    of.held = malloc(of.size * sizeof *of.held);
    int status = of.value && of.held ? read_stretches(series, first, &of) : SYN_ENOMEM;
    SYN_STEP(status, syn_change_find(of.value, of.count, &out->found));
    if (status == SYN_OK && out->found.at != 0)
        status = syn_column_read(start_ns, series->store, series->first + syn_run_change_at(out), 1,
                                 &out->at_ns);
    free(of.value);
    free(of.held);
    return status;
}

size_t syn_run_change_at(const struct syn_run_change *change)
{
    return change->first + change->found.at * change->size;
}

size_t syn_run_change_span(const struct syn_run_change *change, size_t instance_count)
{
    return (instance_count - change->first) / change->size * change->size;
}

double syn_run_change_per_1000(const struct syn_run_change *change, size_t instance_count)
{
    double span = (double)syn_run_change_span(change, instance_count);
    return pow(change->found.end / change->found.begin, 1000 / span);
}

bool syn_run_change_is_claimed(const struct syn_run_change *change)
{
    return change->p_adjusted < SYN_CHANGE_ALPHA && change->found.waves >= SYN_WAVES_CHANGE;
}

bool syn_run_change_is_unclear(const struct syn_run_change *change)
{
    return change->p_adjusted < SYN_CHANGE_ALPHA && !(change->found.waves >= SYN_WAVES_CHANGE);
}
