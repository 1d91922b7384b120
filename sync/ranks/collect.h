/* sync/ranks/collect.h - collective communication for the methods, over the transport's send and
 * recv: wide trees rooted at rank 0, any number of ranks.
 *
 * Every message has one sender and one receiver that are in step whether or not the transport
 * buffers, so nothing here can deadlock under rendezvous. */
#ifndef SYN_COLLECT_H
#define SYN_COLLECT_H

#include <stddef.h>

#include "sync/ranks/transport.h"

/* How many ranks a rank of the tree serves at most on a level. Where ranks share processors a hop
 * takes as long as the next one is not scheduled, and a message next to nothing: few levels count.
 */
#define SYN_COLLECT_RADIX 64

/* Every rank's `item` [item_bytes] arrives in `all` [size * item_bytes] on rank 0, by rank.
 * `all` must have room on every rank (subtrees pass through it). p - 1 messages on
 * ceil(log64 p) levels. */
int syn_collect_gather(const struct syn_transport *transport, const void *item, size_t item_bytes,
                       void *all);
/* Rank 0's `data` [bytes] arrives on every rank. p - 1 messages on ceil(log64 p) levels. */
int syn_collect_broadcast(const struct syn_transport *transport, void *data, size_t bytes);
/* The reverse of gather: element r of rank 0's `all` arrives in `item` of rank r. `all` is
 * overwritten elsewhere. */
int syn_collect_scatter(const struct syn_transport *transport, void *all, size_t item_bytes,
                        void *item);
/* Largest item, in bytes. */
#define SYN_COLLECT_REDUCED_MAX 128
/* Merges two ranks' items. The order and the pairs must not matter. */
typedef void syn_collect_merge(void *into, const void *from);
/* On rank 0 `item` [item_bytes] becomes what merge() makes of all ranks' items; elsewhere it is
 * overwritten. p - 1 messages on ceil(log64 p) levels, each of one item. */
int syn_collect_reduce(const struct syn_transport *transport, void *item, size_t item_bytes,
                       syn_collect_merge *merge);
/* *value becomes the smallest of all ranks' values, on every rank. 2 (p - 1) messages. */
int syn_collect_min(const struct syn_transport *transport, int *value);

#endif
