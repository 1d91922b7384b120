/* analyze/hang/earlier.c - the calls before, read from the events of one rank. */
#include "analyze/hang/earlier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/series/longrun.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/event.h"

/* The dependence of the last ones stands for that of all. */
#define SERIES_MAX 4096
/* Fewer tell no dependence: they count as one. */
#define SERIES_LEAST 8

struct series {
    const struct syn_look *look;
    const struct syn_hang_call *call;
    uint32_t comm; /* index into syn_comms */
    uint64_t count;
    int64_t longest_ns;
    double *last; /* [SERIES_MAX], of call i at i mod so many */
};

/* A nonblocking call waits in the call that completes it, wherever that is. */
static void add_chunk(struct series *series, const struct syn_event_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct syn_hang_call *call = series->call;

        if (columns->op[i] != call->op || columns->flags[i] & SYN_EVENT_NO_COMPLETION ||
            series->look->comms->place[call->rank][columns->comm[i]].comm != series->comm ||
            syn_rank_names_site(series->look->rank_names->rank[call->rank], columns->stack[i]) !=
                call->site)
            continue;
        const int64_t lasted_ns =
            syn_largest(columns->end_ns[i] - columns->wait_start_ns[i], INT64_C(0));
        series->last[series->count++ % SERIES_MAX] = (double)lasted_ns;
        series->longest_ns = syn_largest(series->longest_ns, lasted_ns);
    }
}

static int read_series(struct series *series)
{
    struct syn_rank_file *file = syn_trace_rank(series->look->trace, series->call->rank);
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status == SYN_ENOMEM ? status : SYN_OK;
    while ((status = syn_cursor_next(cursor, &columns)) == SYN_OK || status == SYN_EDAMAGED)
        if (status == SYN_OK)
            add_chunk(series, &columns);
    syn_cursor_close(cursor);
    return status == SYN_ENOMEM ? status : SYN_OK;
}

/* As many independent ones as the last ones are, in their share. */
static double effective_of(const struct series *series)
{
    const size_t n = (size_t)syn_least(series->count, (uint64_t)SERIES_MAX);
    double effective = 1, *sorted = n >= SERIES_LEAST ? malloc(n * sizeof *sorted) : NULL;
    if (sorted) {
        memcpy(sorted, series->last, n * sizeof *sorted);
        syn_sort(sorted, n);
        const double found =
            syn_effective(n, syn_interval_tau_of_sorted(series->last, sorted, n).width);
        effective = isfinite(found) ? found : 1;
    }
    free(sorted);
    return effective * (double)series->count / (double)syn_largest(n, (size_t)1);
}

static int find_one(const struct syn_look *look, const struct syn_looked *looked,
                    struct syn_hang_wait *wait)
{
    struct series series = {.look = look, .call = &looked->model.call[wait->call]};
    if (series.call->inside != SYN_HANG_COLLECTIVE)
        return SYN_OK;
    series.comm = looked->comm[series.call->comm];
    series.last = malloc(SERIES_MAX * sizeof *series.last);
    const int status = series.last ? read_series(&series) : SYN_ENOMEM;
    if (status == SYN_OK && series.count > 0)
        wait->earlier =
            (struct syn_hang_earlier){series.count, effective_of(&series), series.longest_ns};
    free(series.last);
    return status;
}

/* The longest waits say enough if very many places wait. */
#define WAITS_MAX 64

int syn_hang_find_earlier(const struct syn_look *look, const struct syn_looked *looked,
                          struct syn_hang *hang)
{
    int status = SYN_OK;
    for (size_t i = 0; i < syn_least(hang->wait_count, (size_t)WAITS_MAX) && status == SYN_OK; i++)
        status = find_one(look, looked, &hang->wait[i]);
    return status;
}
