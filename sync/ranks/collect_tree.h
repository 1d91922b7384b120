/* sync/ranks/collect_tree.h - the tree of collect.h: parents and children. Private to sync/.
 *
 * A subtree is a range of ranks that begins with its root. Children, by number, and their subtrees
 * ascend. */
#ifndef SYN_COLLECT_TREE_H
#define SYN_COLLECT_TREE_H

#include <stddef.h>

#include "sync/ranks/transport.h"

/* A child and the size of its subtree. */
struct syn_collect_child {
    int rank; /* -1: there is no child of this number */
    size_t subtree_count;
};

/* Returns a limit of child numbers; some below it may not exist. */
int syn_collect_child_limit(const struct syn_transport *transport);
/* Returns child `number` (0 .. limit - 1), nearest first. */
struct syn_collect_child syn_collect_child(const struct syn_transport *transport, int number);
/* Returns the parent of a rank other than 0, and the size of the rank's own subtree. */
int syn_collect_parent(const struct syn_transport *transport, size_t *subtree_count);

#endif
