/* sync/ranks/collect.h - collective operations over the transport's send and recv, for any number
 * of ranks: wide trees with rank 0 as the root.
 *
 * For each message, sender and receiver call at the same step, so that nothing deadlocks even if
 * the transport does not buffer. */
#ifndef SYN_COLLECT_H
#define SYN_COLLECT_H

#include <stddef.h>

#include "sync/ranks/transport.h"

/* Largest number of children of a rank on one level. RATIONALE: if ranks share processors, a hop
 * takes until the receiver is scheduled, and the message itself takes next to nothing; so few
 * levels matter. */
#define SYN_COLLECT_RADIX 64

/* Gather: every rank's `item` [item_bytes] arrives in `all` [size * item_bytes] on rank 0, by rank.
 * All ranks need `all`, since subtrees pass through it. p - 1 messages on ceil(log64 p) levels. */
int syn_collect_gather(const struct syn_transport *transport, const void *item, size_t item_bytes,
                       void *all);
/* Broadcast rank 0's `data` [bytes]. p - 1 messages on ceil(log64 p) levels. */
int syn_collect_broadcast(const struct syn_transport *transport, void *data, size_t bytes);
/* Scatter: element r of rank 0's `all` arrives in `item` of rank r. Other ranks' `all` is
 * overwritten. */
int syn_collect_scatter(const struct syn_transport *transport, void *all, size_t item_bytes,
                        void *item);
/* Largest item of syn_collect_reduce, in bytes. */
#define SYN_COLLECT_REDUCED_MAX 128
/* Merges *from into *into. Must be associative and commutative. */
typedef void syn_collect_merge(void *into, const void *from);
/* Reduce: rank 0's `item` [item_bytes] becomes the merged items of all ranks; other ranks' items
 * are overwritten. p - 1 messages on ceil(log64 p) levels, each of one item. */
int syn_collect_reduce(const struct syn_transport *transport, void *item, size_t item_bytes,
                       syn_collect_merge *merge);
/* On every rank, *value becomes the smallest value of all ranks. 2 (p - 1) messages. */
int syn_collect_min(const struct syn_transport *transport, int *value);

#endif
