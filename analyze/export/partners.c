/* analyze/export/partners.c - finds the instance of a row. */
#include "analyze/export/export.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/match/match.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

struct gathering {
    struct syn_partners *partners;
    const struct syn_comms *comms;
};

static int take_instance(void *ctx, const struct syn_instance *instance)
{
    const struct gathering *gathering = ctx;
    struct syn_partners_of *of =
        &gathering->partners->comm[instance->comm - gathering->comms->comm];
    if (SYN_ROOM(of->instance, of->capacity, of->count) != SYN_OK)
        return SYN_ENOMEM;
    of->instance[of->count++] = (struct syn_partners_instance){
        .sequence = instance->sequence,
        .first_start_ns = instance->first_start_ns,
        .last_start_ns = instance->last_start_ns,
        .last_end_ns = instance->last_end_ns,
        .bound_ns = instance->bound_ns,
        .last_rank = (int32_t)instance->comm->world_rank[instance->last_starter]};
    return 0;
}

SYN_ORDER(by_sequence, struct syn_partners_instance, SYN_UP(sequence))

int syn_partners_make(struct syn_trace *trace, const struct syn_comms *comms,
                      struct syn_names *names, struct syn_partners *out)
{
    struct gathering gathering = {out, comms};
    struct syn_match_totals totals;
    const struct syn_match match = {
        .trace = trace,
        .names = names,
        .comms = comms,
        .sink = {.instance = take_instance, .ctx = &gathering},
    };
    out->comm = calloc(comms->count + 1, sizeof *out->comm);
    out->comm_count = comms->count;
    if (!out->comm)
        return SYN_ENOMEM;
    int status = syn_match_run(&match, &totals);
    out->has_threads = calloc((size_t)totals.rank_count + 1, sizeof *out->has_threads);
    for (int32_t r = 0; out->has_threads && r < totals.rank_count; r++)
        out->has_threads[r] = totals.rank[r].thread_count > 1;
    if (!out->has_threads)
        status = SYN_ENOMEM;
    syn_match_totals_free(&totals);
    for (size_t i = 0; i < comms->count; i++)
        if (out->comm[i].count)
            qsort(out->comm[i].instance, out->comm[i].count, sizeof *out->comm[i].instance,
                  by_sequence);
    return status;
}

void syn_partners_free(struct syn_partners *partners)
{
    for (size_t i = 0; partners->comm && i < partners->comm_count; i++)
        free(partners->comm[i].instance);
    free(partners->comm);
    free(partners->has_threads);
    memset(partners, 0, sizeof *partners);
}

const struct syn_partners_instance *syn_partners_find(const struct syn_partners *partners,
                                                      uint32_t comm, uint64_t sequence)
{
    const struct syn_partners_instance key = {.sequence = sequence};
    if (comm == SYN_NO_COMM || comm >= partners->comm_count || partners->comm[comm].count == 0)
        return NULL;
    const struct syn_partners_of *of = &partners->comm[comm];
    return bsearch(&key, of->instance, of->count, sizeof *of->instance, by_sequence);
}
