#include "collect.h"

#include <stdint.h>
#include <string.h>

/* In a binomial tree the children of rank r are r + 1, r + 2, r + 4, ... as long as the step stays
 * below r's lowest set bit; the subtree of r + step is the `step` ranks from there on. */
static int is_child_step(int rank, int step)
{
    return (rank & step) == 0;
}

static size_t subtree_count(const struct syn_transport *transport, int rank, int step)
{
    const int left = transport->size - rank;

    return (size_t)(left < step ? left : step);
}

int syn_collect_gather(const struct syn_transport *transport, const void *item, size_t item_bytes,
                       void *all)
{
    const int rank = transport->rank;
    char *items = all;

    memcpy(items + (size_t)rank * item_bytes, item, item_bytes);
    for (int step = 1; step < transport->size; step *= 2) {
        const int peer = is_child_step(rank, step) ? rank + step : rank - step;
        int status;

        if (peer >= transport->size)
            continue;
        if (peer < rank)
            return transport->send(transport->ctx, peer, items + (size_t)rank * item_bytes,
                                   subtree_count(transport, rank, step) * item_bytes);
        status = transport->recv(transport->ctx, peer, items + (size_t)peer * item_bytes,
                                 subtree_count(transport, peer, step) * item_bytes);
        if (status < 0)
            return status;
    }
    return 0;
}

/* The smallest power of two that is not below the number of ranks. */
static int tree_span(const struct syn_transport *transport)
{
    int span = 1;

    while (span < transport->size)
        span *= 2;
    return span;
}

/* Downwards: receive once, from the rank without the lowest set bit, then serve the smaller steps.
 * Sends are widest first, so that every subtree can start as early as possible. */
static int descend(const struct syn_transport *transport, char *items, size_t item_bytes, int split)
{
    const int rank = transport->rank;
    int step = tree_span(transport);
    int status = 0;

    if (rank != 0) {
        step = rank & -rank;
        status = transport->recv(
            transport->ctx, rank - step, items + (split ? (size_t)rank * item_bytes : 0),
            split ? subtree_count(transport, rank, step) * item_bytes : item_bytes);
    }
    while (status >= 0 && (step /= 2) > 0) {
        const int peer = rank + step;
        if (peer < transport->size)
            status = transport->send(
                transport->ctx, peer, items + (split ? (size_t)peer * item_bytes : 0),
                split ? subtree_count(transport, peer, step) * item_bytes : item_bytes);
    }
    return status;
}

int syn_collect_broadcast(const struct syn_transport *transport, void *data, size_t bytes)
{
    return descend(transport, data, bytes, 0);
}

int syn_collect_scatter(const struct syn_transport *transport, void *all, size_t item_bytes,
                        void *item)
{
    const int status = descend(transport, all, item_bytes, 1);

    if (status >= 0)
        memcpy(item, (char *)all + (size_t)transport->rank * item_bytes, item_bytes);
    return status;
}

static int min_upwards(const struct syn_transport *transport, int *value)
{
    const int rank = transport->rank;

    for (int step = 1; step < transport->size; step *= 2) {
        const int peer = is_child_step(rank, step) ? rank + step : rank - step;
        int other = *value, status;
        if (peer < rank)
            return transport->send(transport->ctx, peer, value, sizeof *value);
        if (peer >= transport->size)
            continue;
        status = transport->recv(transport->ctx, peer, &other, sizeof other);
        if (status < 0)
            return status;
        if (other < *value)
            *value = other;
    }
    return 0;
}

int syn_collect_min(const struct syn_transport *transport, int *value)
{
    const int own = *value;
    int step = tree_span(transport);
    int status = min_upwards(transport, value);

    if (transport->rank != 0 && status >= 0) {
        step = transport->rank & -transport->rank;
        status = transport->recv(transport->ctx, transport->rank - step, value, sizeof *value);
    }
    /* The result cannot be above the own value; if it reads so, it was lost, and those below must
     * not be told otherwise. */
    if (own < *value)
        *value = own;
    while (status >= 0 && (step /= 2) > 0)
        if (transport->rank + step < transport->size)
            status = transport->send(transport->ctx, transport->rank + step, value, sizeof *value);
    return status;
}
