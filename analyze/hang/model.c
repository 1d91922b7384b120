/* analyze/hang/model.c - see model.h. Arrays grow as calls and communicators are added. */
#include "analyze/hang/model.h"

#include <stdlib.h>

#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define CENTURY_NS INT64_C(3155760000000000000)

int syn_hang_model_begin(struct syn_hang_model *model, int32_t rank_count)
{
    *model = (struct syn_hang_model){.rank_count = rank_count};
    model->rank = calloc((size_t)rank_count + 1, sizeof *model->rank);
    return model->rank ? SYN_OK : SYN_ENOMEM;
}

int syn_hang_model_comm(struct syn_hang_model *model, const struct syn_hang_comm *comm)
{
    uint64_t *begun = calloc((size_t)comm->size + 1, sizeof *begun);
    if (!begun || SYN_ROOM(model->comm, model->comm_capacity, model->comm_count) != SYN_OK) {
        free(begun);
        return SYN_ENOMEM;
    }
    for (uint32_t m = 0; m < comm->size; m++)
        if (model->rank[comm->world_rank[m]].process == SYN_HANG_UNKNOWN)
            begun[m] = SYN_HANG_ALL_BEGUN;
    model->comm[model->comm_count] = *comm;
    model->comm[model->comm_count++].begun = begun;
    return SYN_OK;
}

int syn_hang_model_call(struct syn_hang_model *model, const struct syn_hang_call *call)
{
    if (SYN_ROOM(model->call, model->call_capacity, model->call_count) != SYN_OK)
        return SYN_ENOMEM;
    model->call[model->call_count++] = *call;
    return SYN_OK;
}

uint32_t syn_hang_member(const struct syn_hang_comm *comm, uint32_t rank)
{
    uint32_t low = 0, high = comm->size;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (comm->world_rank[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < comm->size && comm->world_rank[low] == rank ? low : SYN_HANG_NO_MEMBER;
}

SYN_ORDER(by_rank_then_thread, struct syn_hang_call, SYN_UP(rank) ?: SYN_UP(thread))

void syn_hang_model_settle(struct syn_hang_model *model)
{
    const int64_t first_ns = syn_add_ns(model->now_ns, -CENTURY_NS);
    const int64_t last_ns = syn_add_ns(model->now_ns, CENTURY_NS);
    for (size_t i = 0; i < model->call_count; i++)
        model->call[i].since_ns =
            syn_least(syn_largest(model->call[i].since_ns, first_ns), last_ns);
    if (model->call_count > 0)
        qsort(model->call, model->call_count, sizeof *model->call, by_rank_then_thread);
}

void syn_hang_model_free(struct syn_hang_model *model)
{
    for (size_t i = 0; i < model->comm_count; i++)
        free(model->comm[i].begun);
    free(model->rank);
    free(model->comm);
    free(model->call);
    *model = (struct syn_hang_model){0};
}
