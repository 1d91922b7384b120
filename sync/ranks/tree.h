/* sync/ranks/tree.h - trees over ranks: which rank learns from which, in which round.
 *
 *     struct syn_tree tree = syn_tree_start(SYN_TREE_TOP_DOWN, rank, size);
 *     for (struct syn_tree_step step; syn_tree_next(&tree, &step);)
 *         step.serve ? serve(step.peer) : learn_from(step.peer);
 *
 * With R = floor(log2 size), the ranks below 2^R form a binomial tree; each other rank learns from
 * the rank 2^R below it. Every rank but 0 learns exactly once. */
#ifndef SYN_TREE_H
#define SYN_TREE_H

#include <stdbool.h>

enum syn_tree_kind {
    SYN_TREE_LINEAR, /* rank 0 serves 1, 2, ... size - 1 */
    /* rounds 1..R, nearest pairs first: Hunold & Carpen-Amarie 2015, Algorithms 3 and 11 */
    SYN_TREE_BOTTOM_UP,
    SYN_TREE_TOP_DOWN /* rounds R..1: a rank learns before it serves (HCA3) */
};

struct syn_tree {
    enum syn_tree_kind kind;
    int rank;
    int size;
    int level_count; /* R */
    int position;
};

struct syn_tree_step {
    int peer;
    int round; /* k: peers are 2^(k-1) apart; 0: a rank from 2^R on is involved; linear tree: the
                  turn */
    bool serve;
};

struct syn_tree syn_tree_start(enum syn_tree_kind kind, int rank, int size);
/* Sets *step to the rank's next step. Returns false at the end. */
bool syn_tree_next(struct syn_tree *tree, struct syn_tree_step *step);
/* Returns the rank that `rank` learns from; -1 for rank 0. */
int syn_tree_parent(enum syn_tree_kind kind, int rank, int size);
/* Returns the number of consecutive rounds: size - 1 (linear) or ceil(log2 size). */
int syn_tree_round_count(enum syn_tree_kind kind, int size);

#endif
