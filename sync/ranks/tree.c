/* sync/ranks/tree.c - see tree.h. */
#include "sync/ranks/tree.h"

static int floor_log2(int value)
{
    return 31 - __builtin_clz((unsigned)value);
}

struct syn_tree syn_tree_start(enum syn_tree_kind kind, int rank, int size)
{
    return (struct syn_tree){
        .kind = kind, .rank = rank, .size = size, .level_count = floor_log2(size)};
}

/* Sets the step of `rank` in round k of the binomial tree over the ranks below 2^R. Returns false
 * if it has none. */
static bool binomial_step(int rank, int round, struct syn_tree_step *step)
{
    const int span = 1 << round, half = span / 2;

    if (rank % half != 0)
        return false;
    *step = rank % span == 0 ? (struct syn_tree_step){rank + half, round, true}
                             : (struct syn_tree_step){rank - half, round, false};
    return true;
}

static bool extra_step(const struct syn_tree *tree, struct syn_tree_step *step)
{
    const int base = 1 << tree->level_count;

    if (tree->rank >= base)
        *step = (struct syn_tree_step){tree->rank - base, 0, false};
    else
        *step = (struct syn_tree_step){tree->rank + base, 0, true};
    return tree->rank >= base || tree->rank + base < tree->size;
}

bool syn_tree_next(struct syn_tree *tree, struct syn_tree_step *step)
{
    if (tree->kind == SYN_TREE_LINEAR) {
        const int turn = tree->rank == 0 ? ++tree->position : tree->rank;

        if (turn >= tree->size || (tree->rank != 0 && tree->position++ > 0))
            return false;
        *step = (struct syn_tree_step){tree->rank == 0 ? turn : 0, turn, tree->rank == 0};
        return true;
    }
    while (tree->position < tree->level_count) {
        const int turn = tree->position++;
        const int round = tree->kind == SYN_TREE_BOTTOM_UP ? turn + 1 : tree->level_count - turn;
        if (tree->rank < 1 << tree->level_count && binomial_step(tree->rank, round, step))
            return true;
    }
    return tree->position++ == tree->level_count && extra_step(tree, step);
}

int syn_tree_parent(enum syn_tree_kind kind, int rank, int size)
{
    const int base = 1 << floor_log2(size);

    if (rank == 0)
        return -1;
    if (kind == SYN_TREE_LINEAR)
        return 0;
    return rank >= base ? rank - base : rank & (rank - 1);
}

int syn_tree_round_count(enum syn_tree_kind kind, int size)
{
    const int levels = floor_log2(size);

    if (kind == SYN_TREE_LINEAR)
        return size - 1;
    return size > 1 << levels ? levels + 1 : levels;
}
