/* analyze/match/slice_result.c - the result of a time slice: the sink's partial result, totals and
 * leftovers. The thread that matches the slice makes it, and the thread that delivers it frees
 * it. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/match_internal.h"
#include "sync/base/status.h"

/* ---- partial results; ctx if the sink has none ---- */

void *syn_partial_begin(const struct syn_match *match)
{
    return match->sink.partial_begin ? match->sink.partial_begin(match->sink.ctx) : match->sink.ctx;
}

int syn_partial_end(const struct syn_match *match, void *partial, int64_t watermark_ns)
{
    return match->sink.partial_end ? match->sink.partial_end(match->sink.ctx, partial, watermark_ns)
                                   : 0;
}

void syn_partial_drop(const struct syn_match *match, void *partial)
{
    if (partial && match->sink.partial_drop)
        match->sink.partial_drop(match->sink.ctx, partial);
}

/* ---- totals ---- */

int syn_match_totals_begin(struct syn_match_totals *totals, int32_t rank_count)
{
    *totals = (struct syn_match_totals){.rank_count = rank_count};
    totals->rank = calloc((size_t)rank_count + 1, sizeof *totals->rank);
    return totals->rank ? 0 : SYN_ENOMEM;
}

void syn_match_totals_free(struct syn_match_totals *totals)
{
    free(totals->rank);
    memset(totals, 0, sizeof *totals);
}

static void add_rank_totals(struct syn_rank_totals *into, const struct syn_rank_totals *from)
{
    if (from->event_count == 0)
        return;
    if (into->event_count == 0 || from->first_ns < into->first_ns)
        into->first_ns = from->first_ns;
    if (into->event_count == 0 || from->last_ns > into->last_ns)
        into->last_ns = from->last_ns;
    into->event_count += from->event_count;
    into->inside_ns += from->inside_ns;
    for (unsigned class = 0; class < SYN_CLASS_COUNT; class ++)
        into->class_ns[class] += from->class_ns[class];
    if (from->thread_count > into->thread_count)
        into->thread_count = from->thread_count;
}

void syn_match_totals_add(struct syn_match_totals *into, const struct syn_match_totals *from)
{
    for (int32_t r = 0; r < into->rank_count; r++)
        add_rank_totals(&into->rank[r], &from->rank[r]);
    into->event_count += from->event_count;
    into->instance_count += from->instance_count;
    into->incomplete_count += from->incomplete_count;
    into->op_differs_count += from->op_differs_count;
    into->unplaced_count += from->unplaced_count;
    into->implausible_count += from->implausible_count;
    into->duplicate_count += from->duplicate_count;
    if (from->pending_peak > into->pending_peak)
        into->pending_peak = from->pending_peak;
}

/* ---- results ---- */

int syn_slice_result_begin(const struct syn_match *match, struct syn_slice_result *out)
{
    *out = (struct syn_slice_result){.partial = syn_partial_begin(match)};
    return out->partial ? syn_match_totals_begin(&out->totals, syn_trace_size(match->trace))
                        : SYN_ENOMEM;
}

void syn_slice_result_drop(const struct syn_match *match, struct syn_slice_result *result)
{
    syn_partial_drop(match, result->partial);
    syn_match_totals_free(&result->totals);
    syn_leftovers_free(&result->left);
    *result = (struct syn_slice_result){0};
}
