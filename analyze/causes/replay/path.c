/* analyze/causes/replay/path.c - computes the critical path in one pass forward.
 *
 * Each location has a path: the critical path, if the run ended with this location now. The path is
 * the location's own time since it last had to wait. Before that it is the path of the location
 * that it waited for (the cause). So paths form a tree. A node holds pieces of time, and a location
 * has a position: a node, and the time since which the path is its own.
 *
 * All paths share the nodes between the root and the first fork (the trunk). The trunk is final:
 * its pieces are added to the sums, and its nodes are dropped. A cut joins all paths, so that all
 * before it is final. Source: Boehme et al., Scalable Critical-Path Based Performance Analysis,
 * IPDPS 2012 (which goes backward, over a stored trace). */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

int syn_path_begin(struct syn_path *path)
{
    *path = (struct syn_path){.node_capacity = 64};
    path->node = calloc(path->node_capacity, sizeof *path->node);
    path->node_count = 1;
    return path->node ? 0 : SYN_ENOMEM;
}

void syn_path_free(struct syn_path *path)
{
    free(path->node);
    free(path->piece);
    *path = (struct syn_path){0};
}

static int add_piece(struct syn_path *path, const struct syn_path_piece *piece)
{
    if (SYN_ROOM(path->piece, path->piece_capacity, path->piece_count) != SYN_OK)
        return SYN_ENOMEM;
    path->piece[path->piece_count++] = *piece;
    return 0;
}

/* Adds a final piece to the sums. Returns 0 or SYN_ENOMEM. */
static int sum_up(struct syn_replay *replay, const struct syn_path_piece *piece)
{
    struct syn_cause_cell *cell =
        syn_cause_cell_make(replay->sums, piece->location, syn_key_label(piece->key));
    if (!cell)
        return SYN_ENOMEM;
    syn_sum_add(
        &syn_category_sums_of(cell, syn_category_index(syn_key_category(piece->key)))->path_ns,
        piece->ns);
    return 0;
}

/* Adds the intervals of a location between from_ns and to_ns to the sums if they are final, else as
 * pieces of the next node. Returns 0 or SYN_ENOMEM. */
static int add_own_time(struct syn_replay *replay, uint32_t location, int64_t from_ns,
                        int64_t to_ns, bool is_final)
{
    const struct syn_history *history = &replay->history[location];
    const struct syn_history_interval *first = history->interval + history->interval_first;
    int status = 0;
    for (size_t i = history->interval_count;
         i-- > 0 && first[i].end_ns > from_ns && status == SYN_OK;) {
        const int64_t begin_ns = syn_largest(first[i].end_ns - first[i].ns, from_ns);
        const int64_t end_ns = syn_least(first[i].end_ns, to_ns);
        const struct syn_path_piece piece = {end_ns - begin_ns, location, first[i].key};
        if (piece.ns > 0)
            status = is_final ? sum_up(replay, &piece) : add_piece(&replay->path, &piece);
    }
    return status;
}

/* Adds a node. Returns its number, or SYN_NO_NODE if out of memory. */
static uint32_t add_node(struct syn_path *path, const struct syn_path_node *node)
{
    if (path->node_count == path->node_capacity) {
        size_t capacity = 2 * path->node_capacity;
        struct syn_path_node *grown = realloc(path->node, capacity * sizeof *grown);
        if (!grown || capacity >= SYN_NO_NODE) {
            path->node = grown ? grown : path->node;
            return SYN_NO_NODE;
        }
        path->node = grown;
        path->node_capacity = capacity;
    }
    path->node[path->node_count] = *node;
    return (uint32_t)path->node_count++;
}

/* Adds a node for a location's own time from its position to to_ns. Returns its number, or
 * SYN_NO_NODE if out of memory. */
static uint32_t add_path(struct syn_replay *replay, uint32_t location,
                         const struct syn_path_position *from, int64_t to_ns)
{
    struct syn_path *path = &replay->path;
    struct syn_path_node node = {.parent = from->node, .first = path->piece_count};
    if (add_own_time(replay, location, from->from_ns, to_ns, false))
        return SYN_NO_NODE;
    node.count = (uint32_t)(path->piece_count - node.first);
    return add_node(path, &node);
}

/* Extends *position, an earlier position of the cause, to due_ns. If the cause still has that
 * position, it gets the new one too. Returns 0 or SYN_ENOMEM. */
static int extend_path(struct syn_replay *replay, uint32_t cause, int64_t due_ns,
                       struct syn_path_position *position)
{
    struct syn_history *history = &replay->history[cause];
    const struct syn_path_position before = *position;
    if (due_ns <= before.from_ns)
        return 0;
    *position = (struct syn_path_position){add_path(replay, cause, &before, due_ns), due_ns};
    if (position->node == SYN_NO_NODE)
        return SYN_ENOMEM;
    if (history->path.node == before.node && history->path.from_ns == before.from_ns)
        history->path = *position;
    return 0;
}

int syn_path_after_instance(struct syn_replay *replay, const struct syn_arrivals *arrivals,
                            struct syn_path_position *position)
{
    const uint32_t cause = arrivals->member[arrivals->cause].location;
    const int64_t from_ns = position->from_ns;
    if (!arrivals->is_cut)
        return extend_path(replay, cause, arrivals->due_ns, position);
    *position = (struct syn_path_position){SYN_PATH_ROOT, syn_largest(arrivals->due_ns, from_ns)};
    const int status = add_own_time(replay, cause, from_ns, position->from_ns, true);
    return status == SYN_OK ? syn_path_sum_up(replay, cause) : status;
}

int syn_path_after_message(struct syn_replay *replay, uint32_t location, uint32_t cause,
                           struct syn_path_position from, int64_t due_ns)
{
    if (extend_path(replay, cause, due_ns, &from))
        return SYN_ENOMEM;
    replay->history[location].path = from;
    return 0;
}

void syn_path_after_nonblocking(struct syn_replay *replay, uint32_t location,
                                const struct syn_nonblocking *nonblocking)
{
    struct syn_history *history = &replay->history[location];
    if (nonblocking->path.node != SYN_NO_NODE && nonblocking->path.from_ns > history->path.from_ns)
        history->path = nonblocking->path;
}

int syn_path_sum_up(struct syn_replay *replay, uint32_t location)
{
    struct syn_path *path = &replay->path;
    int status = 0;
    for (uint32_t n = replay->history[location].path.node; n != SYN_PATH_ROOT && status == SYN_OK;
         n = path->node[n].parent)
        for (uint32_t i = 0; i < path->node[n].count && status == SYN_OK; i++)
            status = sum_up(replay, &path->piece[path->node[n].first + i]);
    path->node_count = 1;
    path->piece_count = 0;
    return status;
}

int syn_path_finish(struct syn_replay *replay, uint32_t location)
{
    struct syn_history *history = &replay->history[location];
    int status = add_own_time(replay, location, history->path.from_ns, INT64_MAX, true);
    if (status == SYN_OK)
        status = syn_path_sum_up(replay, location);
    history->path = (struct syn_path_position){SYN_PATH_ROOT, history->now_ns};
    return status;
}

/* ---- compacting the tree ---- */

/* The use of a node. A node is needed if it is a position, or if one of its children is needed. */
struct use {
    uint32_t used_children;
    bool is_position;  /* of a location, or of an operation or message that is not complete */
    uint32_t new_node; /* number in the compacted tree; SYN_NO_NODE: none yet */
};

/* Returns whether the node is in the middle of a chain without forks. */
static bool is_chain_link(const struct use *use)
{
    return use->used_children == 1 && !use->is_position;
}

/* Calls `visit` for the node of each position: those of locations, of settled nonblocking
 * operations, of the members of other nonblocking operations at their starts, and of both halves of
 * messages. */
static void visit_positions(struct syn_replay *replay, struct use *use,
                            void (*visit)(struct use *use, uint32_t *node))
{
    for (uint32_t i = 0; i < replay->plan->location_count; i++)
        visit(use, &replay->history[i].path.node);
    for (struct syn_nonblocking *nonblocking = NULL;
         (nonblocking = syn_nonblocking_next(replay, nonblocking));) {
        if (nonblocking->path.node != SYN_NO_NODE)
            visit(use, &nonblocking->path.node);
        for (uint32_t m = 0;
             !nonblocking->is_settled && m < replay->plan->comms->comm[nonblocking->comm].size; m++)
            if (nonblocking->member[m].location != SYN_NO_NUMBER)
                visit(use, &nonblocking->member[m].path.node);
    }
    for (struct syn_replay_message *message = replay->live; message; message = message->next)
        for (int h = 0; h < 2; h++)
            if (message->half[h].has_started)
                visit(use, &message->half[h].path.node);
}

static void mark_position(struct use *use, uint32_t *node)
{
    use[*node].is_position = true;
}

static void renumber(struct use *use, uint32_t *node)
{
    *node = use[*node].new_node;
}

/* RATIONALE: a child has a larger number than its parent, so children are counted first. */
static void count_children(struct syn_replay *replay, struct use *use)
{
    const struct syn_path *path = &replay->path;
    visit_positions(replay, use, mark_position);
    for (size_t n = path->node_count; n-- > 1;) {
        use[n].new_node = SYN_NO_NODE;
        use[path->node[n].parent].used_children += use[n].used_children > 0 || use[n].is_position;
    }
}

/* Adds the trunk to the sums: the chain from the root to the first fork or position. Its nodes
 * become the root. Returns 0 or SYN_ENOMEM. */
static int sum_up_trunk(struct syn_replay *replay, struct use *use)
{
    struct syn_path *path = &replay->path;
    uint32_t top = SYN_PATH_ROOT;
    for (uint32_t n = 1; n < path->node_count && is_chain_link(&use[top]); n++) {
        if (path->node[n].parent != top || (use[n].used_children == 0 && !use[n].is_position))
            continue;
        for (uint32_t i = 0; i < path->node[n].count; i++)
            if (sum_up(replay, &path->piece[path->node[n].first + i]))
                return SYN_ENOMEM;
        use[n].new_node = SYN_PATH_ROOT;
        top = n;
    }
    use[SYN_PATH_ROOT].new_node = SYN_PATH_ROOT;
    return 0;
}

static int by_location_and_key(const void *left, const void *right)
{
    const struct syn_path_piece *a = left, *b = right;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Joins pieces of the same location and key. Returns how many remain. */
static size_t join_pieces(struct syn_path_piece *piece, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(piece, count, sizeof *piece, by_location_and_key);
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && by_location_and_key(&piece[kept - 1], &piece[i]) == 0)
            syn_sum_add(&piece[kept - 1].ns, piece[i].ns);
        else
            piece[kept++] = piece[i];
    return kept;
}

/* Copies the chain that ends with node `end` to one node of another tree. The chain begins below
 * the nearest ancestor that has been copied. */
static int copy_chain(const struct syn_path *path, struct use *use, uint32_t end,
                      struct syn_path *to)
{
    struct syn_path_node joined = {.first = to->piece_count};
    uint32_t n = end;
    int status = 0;
    do {
        for (uint32_t i = 0; i < path->node[n].count && status == SYN_OK; i++)
            status = add_piece(to, &path->piece[path->node[n].first + i]);
        n = path->node[n].parent;
    } while (status == SYN_OK && use[n].new_node == SYN_NO_NODE);
    to->piece_count =
        joined.first + join_pieces(to->piece + joined.first, to->piece_count - joined.first);
    joined.count = (uint32_t)(to->piece_count - joined.first);
    joined.parent = use[n].new_node;
    use[end].new_node = status != SYN_OK ? SYN_NO_NODE : add_node(to, &joined);
    return use[end].new_node == SYN_NO_NODE ? SYN_ENOMEM : 0;
}

/* Replaces the tree by a copy that has only its positions and forks. */
static int copy_tree(struct syn_path *path, struct use *use)
{
    struct syn_path to;
    int status = syn_path_begin(&to);
    for (uint32_t n = 1; n < path->node_count && status == SYN_OK; n++)
        if (use[n].new_node == SYN_NO_NODE && (use[n].is_position || use[n].used_children > 1))
            status = copy_chain(path, use, n, &to);
    if (status != SYN_OK) {
        syn_path_free(&to);
        return status;
    }
    syn_path_free(path);
    *path = to;
    return 0;
}

int syn_path_compact(struct syn_replay *replay)
{
    struct use *use = calloc(replay->path.node_count, sizeof *use);
    if (!use)
        return SYN_ENOMEM;
    count_children(replay, use);
    int status = sum_up_trunk(replay, use);
    if (status == SYN_OK)
        status = copy_tree(&replay->path, use);
    if (status == SYN_OK)
        visit_positions(replay, use, renumber);
    free(use);
    return status;
}
