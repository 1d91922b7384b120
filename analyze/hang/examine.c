/* analyze/hang/examine.c - see examine.h. */
#include "analyze/hang/examine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/hang/hang.h"
#include "analyze/hang/look.h"
#include "analyze/stats/series/longrun.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/event.h"

/* ---- how long earlier waits were, from the events of one rank ---- */

/* The last values stand for the dependence of all. */
#define SERIES_MAX 4096
/* Fewer values show no dependence: they count as one independent value. */
#define SERIES_LEAST 8

struct series {
    const struct syn_look *look;
    const struct syn_hang_call *call;
    uint32_t comm; /* index into syn_comms */
    uint64_t count;
    int64_t longest_ns;
    double *last; /* [SERIES_MAX]: call i is at i % SERIES_MAX */
};

static int read_series(struct series *series)
{
    struct syn_rank_file *file = syn_trace_rank(series->look->trace, series->call->rank);
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status == SYN_ENOMEM ? status : SYN_OK;
    while ((status = syn_cursor_next(cursor, &columns)) == SYN_OK || status == SYN_EDAMAGED)
        if (status == SYN_OK) {
            /* A nonblocking call waits in the call that completes it. The call site is that of its
             * start. */
            for (size_t i = 0; i < columns.count; i++) {
                const struct syn_hang_call *call = series->call;

                if (columns.op[i] != call->op || columns.flags[i] & SYN_EVENT_NO_COMPLETION ||
                    series->look->comms->place[call->rank][columns.comm[i]].comm != series->comm ||
                    syn_rank_names_site(series->look->rank_names.rank[call->rank],
                                        columns.stack[i]) != call->site)
                    continue;
                const int64_t lasted_ns =
                    syn_largest(columns.end_ns[i] - columns.wait_start_ns[i], INT64_C(0));
                series->last[series->count++ % SERIES_MAX] = (double)lasted_ns;
                series->longest_ns = syn_largest(series->longest_ns, lasted_ns);
            }
        }
    syn_cursor_close(cursor);
    return status == SYN_ENOMEM ? status : SYN_OK;
}

/* Returns the number of independent calls that say as much as all of them, extrapolated from the
 * last ones. */
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

/* Fills in `earlier` of a wait: calls of the same operation at the same call site on the same
 * communicator, of the rank that has waited longest. Earlier messages are not compared. */
static int find_earlier(const struct syn_look *look, const struct syn_looked *looked,
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

/* More waits than these, the longest ones, are not compared with earlier ones. */
#define WAITS_MAX 64

int syn_examine_begin(struct syn_examination *examination, const struct syn_look *look)
{
    *examination = (struct syn_examination){
        .look = *look,
        .unended = look->before || look->goes_on || syn_is_unended(look->trace),
        .hang = {.state = SYN_HANG_HAS_ENDED, .longest_before_ns = -1, .chance = NAN},
    };
    int status = syn_trace_names_open(look->trace, look->symbols, look->names,
                                      &examination->look.rank_names);
    SYN_STEP(status, syn_disagreements_begin(&examination->disagreements, look->comms));
    if (status == SYN_OK && examination->unended && !look->goes_on)
        status = syn_look_add_open(&examination->look, &examination->disagreements);
    return status;
}

int syn_examine_end(struct syn_examination *examination, const struct syn_hang_options *options)
{
    struct syn_hang *hang = &examination->hang;
    const struct syn_look *look = &examination->look;
    int status = syn_disagreements_settle(&examination->disagreements);
    SYN_STEP(status,
             syn_mismatches_make(look, &examination->disagreements, &examination->mismatches));
    if (status == SYN_OK && examination->unended && !look->goes_on) {
        const struct syn_hang_model *model = &examination->looked.model;
        status = syn_hang_look(look, &examination->looked);
        SYN_STEP(status, syn_hang_find(model, options, hang));
        for (size_t i = 0; i < syn_least(hang->wait_count, (size_t)WAITS_MAX) && status == SYN_OK;
             i++)
            status = find_earlier(look, &examination->looked, &hang->wait[i]);
        if (status == SYN_OK)
            syn_hang_judge(hang, model, options,
                           syn_disagreements_block(&examination->disagreements));
        /* Ranks that left by exit() have no open calls, and need none. */
        examination->exited = status == SYN_OK && !examination->looked.has_open_calls &&
                              hang->state == SYN_HANG_HAS_ENDED && hang->unknown_count == 0;
        examination->unended = !examination->exited;
    }
    examination->has_hang = examination->unended && examination->looked.has_open_calls;
    syn_disagreements_end(&examination->disagreements);
    syn_trace_names_close(&examination->look.rank_names);
    return status;
}

int syn_examine(struct syn_examination *examination, const struct syn_look *look,
                const struct syn_hang_options *options, bool match)
{
    int status = syn_examine_begin(examination, look);
    if (status == SYN_OK && match) {
        SYN_CLEANUP(syn_match_totals_free) struct syn_match_totals totals = {0};
        const struct syn_match request = {
            .trace = look->trace,
            .symbols = look->symbols,
            .names = look->names,
            .comms = look->comms,
            .disagreements = &examination->disagreements,
            .sink = {.ctx = examination},
        };
        status = syn_match_run(&request, &totals);
    }
    return status != SYN_OK ? status : syn_examine_end(examination, options);
}

void syn_examine_free(struct syn_examination *examination)
{
    syn_hang_free(&examination->hang);
    syn_looked_free(&examination->looked);
    syn_mismatches_free(&examination->mismatches);
    syn_disagreements_end(&examination->disagreements);
    syn_trace_names_close(&examination->look.rank_names);
    memset(examination, 0, sizeof *examination);
}

int syn_sight_begin(struct syn_sight *sight, struct syn_trace *trace, struct syn_trace *before,
                    struct syn_symbols *symbols, const struct syn_hang_options *options, bool match)
{
    *sight = (struct syn_sight){.symbols = symbols, .owns_symbols = !symbols};
    int status = symbols ? SYN_OK : syn_symbols_open(&sight->symbols);
    if (status == SYN_OK && !symbols)
        status = syn_symbols_take(sight->symbols, trace);
    SYN_STEP(status, syn_comms_open(trace, &sight->names, &sight->comms));
    const struct syn_look look = {.trace = trace,
                                  .before = before,
                                  .comms = &sight->comms,
                                  .names = &sight->names,
                                  .symbols = sight->symbols};
    return status == SYN_OK ? syn_examine(&sight->examination, &look, options, match) : status;
}

void syn_sight_end(struct syn_sight *sight)
{
    syn_examine_free(&sight->examination);
    syn_comms_close(&sight->comms);
    syn_names_free(&sight->names);
    if (sight->owns_symbols)
        syn_symbols_close(sight->symbols);
}

bool syn_examine_accuses(const struct syn_examination *examination)
{
    const enum syn_hang_state state = examination->hang.state;
    return examination->mismatches.count > 0 ||
           (examination->has_hang && (state == SYN_HANG_IS_STUCK || state == SYN_HANG_IS_WAITING));
}
