/* sync/ranks/collect.c - see collect.h. */
#include "sync/ranks/collect.h"

#include <stdint.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/ranks/collect_tree.h"

/* The tree. With radix R = SYN_COLLECT_RADIX, a rank's parent is the rank with its lowest nonzero
 * digit in base R set to zero. The children of r are r + j s, for j = 1 .. R - 1 and all powers s
 * of R below that digit's place. The subtree of r + j s is the s ranks from there on. */

int syn_collect_child_limit(const struct syn_transport *transport)
{
    int limit = 0;

    for (int64_t place = 1; place < transport->size; place *= SYN_COLLECT_RADIX) {
        if (transport->rank % (place * SYN_COLLECT_RADIX) != 0)
            return limit;
        limit += SYN_COLLECT_RADIX - 1;
    }
    return limit;
}

struct syn_collect_child syn_collect_child(const struct syn_transport *transport, int number)
{
    int64_t place = 1;
    int64_t peer, left;

    for (; number >= SYN_COLLECT_RADIX - 1; number -= SYN_COLLECT_RADIX - 1)
        place *= SYN_COLLECT_RADIX;
    peer = transport->rank + (number + 1) * place;
    left = transport->size - peer;
    if (left <= 0)
        return (struct syn_collect_child){-1, 0};
    return (struct syn_collect_child){(int)peer, (size_t)(syn_least(left, place))};
}

int syn_collect_parent(const struct syn_transport *transport, size_t *subtree_count)
{
    const int rank = transport->rank;
    const int64_t left = transport->size - rank;
    int64_t place = 1;

    while (rank % (place * SYN_COLLECT_RADIX) == 0)
        place *= SYN_COLLECT_RADIX;
    *subtree_count = (size_t)(syn_least(left, place));
    return rank - (int)(rank / place % SYN_COLLECT_RADIX * place);
}

int syn_collect_gather(const struct syn_transport *transport, const void *item, size_t item_bytes,
                       void *all)
{
    const int rank = transport->rank, limit = syn_collect_child_limit(transport);
    char *items = all;
    size_t subtree_count;

    memcpy(items + (size_t)rank * item_bytes, item, item_bytes);
    for (int number = 0; number < limit; number++) {
        const struct syn_collect_child child = syn_collect_child(transport, number);
        int status;
        if (child.rank < 0)
            continue;
        status =
            transport->recv(transport->ctx, child.rank, items + (size_t)child.rank * item_bytes,
                            child.subtree_count * item_bytes);
        if (status != SYN_OK)
            return status;
    }
    if (rank == 0)
        return 0;
    const int parent = syn_collect_parent(transport, &subtree_count);
    return transport->send(transport->ctx, parent, items + (size_t)rank * item_bytes,
                           subtree_count * item_bytes);
}

/* Receives once, then sends to the children, the farthest first: their subtrees are the largest.
 * `split`: each subtree gets its own items. */
static int descend(const struct syn_transport *transport, char *items, size_t item_bytes, int split)
{
    const int rank = transport->rank;
    size_t subtree_count;
    int status = 0;

    if (rank != 0) {
        const int parent = syn_collect_parent(transport, &subtree_count);
        status =
            transport->recv(transport->ctx, parent, items + (split ? (size_t)rank * item_bytes : 0),
                            split ? subtree_count * item_bytes : item_bytes);
    }
    for (int number = syn_collect_child_limit(transport) - 1; status >= 0 && number >= 0;
         number--) {
        const struct syn_collect_child child = syn_collect_child(transport, number);
        if (child.rank >= 0)
            status = transport->send(transport->ctx, child.rank,
                                     items + (split ? (size_t)child.rank * item_bytes : 0),
                                     split ? child.subtree_count * item_bytes : item_bytes);
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

int syn_collect_reduce(const struct syn_transport *transport, void *item, size_t item_bytes,
                       syn_collect_merge *merge)
{
    const int limit = syn_collect_child_limit(transport);
    _Alignas(max_align_t) char other[SYN_COLLECT_REDUCED_MAX];
    size_t subtree_count;

    if (item_bytes > sizeof other)
        return SYN_EINVAL;
    for (int number = 0; number < limit; number++) {
        const struct syn_collect_child child = syn_collect_child(transport, number);
        int status;
        if (child.rank < 0)
            continue;
        status = transport->recv(transport->ctx, child.rank, other, item_bytes);
        if (status != SYN_OK)
            return status;
        merge(item, other);
    }
    return transport->rank == 0
               ? 0
               : transport->send(transport->ctx, syn_collect_parent(transport, &subtree_count),
                                 item, item_bytes);
}

static void merge_least(void *into, const void *from)
{
    int *least = into;
    const int *other = from;

    if (*other < *least)
        *least = *other;
}

int syn_collect_min(const struct syn_transport *transport, int *value)
{
    const int own = *value;
    size_t subtree_count;
    int status = syn_collect_reduce(transport, value, sizeof *value, merge_least);

    if (transport->rank != 0 && status >= 0)
        status = transport->recv(transport->ctx, syn_collect_parent(transport, &subtree_count),
                                 value, sizeof *value);
    /* The result is never above the own value. If it is, a message was lost: children must not get
     * it. */
    if (own < *value)
        *value = own;
    for (int number = syn_collect_child_limit(transport) - 1; status >= 0 && number >= 0;
         number--) {
        const struct syn_collect_child child = syn_collect_child(transport, number);
        if (child.rank >= 0)
            status = transport->send(transport->ctx, child.rank, value, sizeof *value);
    }
    return status;
}
