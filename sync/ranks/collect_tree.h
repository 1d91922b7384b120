/* sync/ranks/collect_tree.h - the tree of collect.h: who hears whom. Private to sync/.
 *
 * A rank's subtree is the ranks from it on; its children, by number, and their subtrees ascend. */
#ifndef SYN_COLLECT_TREE_H
#define SYN_COLLECT_TREE_H

#include <stddef.h>

#include "sync/ranks/transport.h"

/* A child, and of how many ranks its subtree consists. */
struct syn_collect_child {
    int rank; /* -1: there is none of this number */
    size_t subtree_count;
};

/* How many numbers of children a rank has to go through. */
int syn_collect_child_limit(const struct syn_transport *transport);
/* Number 0 .. limit - 1: the nearest first. */
struct syn_collect_child syn_collect_child(const struct syn_transport *transport, int number);
/* Returns the parent of a rank other than 0, and the number of ranks in its subtree. */
int syn_collect_parent(const struct syn_transport *transport, size_t *subtree_count);

#endif
