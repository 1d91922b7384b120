/* analyze/causes/replay/path.c - the critical path, found forward.
 *
 * The path backward from any location's present is: its own time back to where it last had to
 * wait, and from there the path of the one that it waited for. So each location refers to a node of
 * a tree (the path up to there), and has its own time since. What all present paths have in common
 * is a trunk, and final: it is summed up at once. At an instance that all wait in, that is
 * everything before. Source: Boehme et al., Scalable Critical-Path Based Performance Analysis,
 * IPDPS 2012 (there backward, over a trace that is kept). */
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

static int sum_up(struct syn_replay *replay, const struct syn_path_piece *piece)
{
    struct syn_cause_cell *cell =
        syn_cause_cell_make(replay->sums, piece->location, piece->key / SYN_PART_COUNT);
    if (!cell)
        return SYN_ENOMEM;
    syn_sum_add(&syn_cause_slot_of(cell, syn_part_slot(piece->key % SYN_PART_COUNT))->path_ns,
                piece->ns);
    return 0;
}

/* A location's own time from from_ns, from where on its path is its own, until to_ns: final, or
 * pieces of a node. */
static int own_time(struct syn_replay *replay, uint32_t location, int64_t from_ns, int64_t to_ns,
                    bool is_final)
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

/* SYN_NO_NODE: no memory. */
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

/* A node for the location's path up to `to_ns`, which is its own from `from_ns` on and that of
 * `parent` before. SYN_NO_NODE: no memory. */
static uint32_t node_of(struct syn_replay *replay, uint32_t location,
                        const struct syn_path_stand *from, int64_t to_ns)
{
    struct syn_path *path = &replay->path;
    struct syn_path_node node = {.parent = from->node, .first = path->piece_count};
    if (own_time(replay, location, from->from_ns, to_ns, false))
        return SYN_NO_NODE;
    node.count = (uint32_t)(path->piece_count - node.first);
    return add_node(path, &node);
}

/* All paths are one from here on. */
static int meet_all(struct syn_replay *replay, const struct syn_arrivals *arrivals)
{
    const uint32_t cause = arrivals->member[arrivals->cause].location;
    struct syn_history *history = &replay->history[cause];
    const struct syn_path_stand root = {SYN_PATH_ROOT,
                                        syn_largest(arrivals->due_ns, history->path.from_ns)};
    int status = own_time(replay, cause, history->path.from_ns, root.from_ns, true);
    if (status == SYN_OK)
        status = syn_path_flush(replay, cause);
    for (uint32_t m = 0; m < arrivals->count; m++)
        replay->history[arrivals->member[m].location].path = root;
    return status;
}

/* The path of the one waited for, up to when it came. 0 or SYN_ENOMEM. */
static int reach_due(struct syn_replay *replay, uint32_t cause, int64_t due_ns,
                     struct syn_path_stand *stand)
{
    struct syn_history *history = &replay->history[cause];
    const struct syn_path_stand before = *stand;
    if (due_ns <= before.from_ns)
        return 0;
    *stand = (struct syn_path_stand){node_of(replay, cause, &before, due_ns), due_ns};
    if (stand->node == SYN_NO_NODE)
        return SYN_ENOMEM;
    if (history->path.node == before.node && history->path.from_ns == before.from_ns)
        history->path = *stand;
    return 0;
}

int syn_path_meet(struct syn_replay *replay, const struct syn_arrivals *arrivals,
                  struct syn_nonblocking *nonblocking)
{
    if (arrivals->is_cut)
        return meet_all(replay, arrivals);
    struct syn_path_stand stand = replay->history[arrivals->member[arrivals->cause].location].path;
    if (nonblocking)
        stand = nonblocking->member[arrivals->cause].path;
    if (reach_due(replay, arrivals->member[arrivals->cause].location, arrivals->due_ns, &stand))
        return SYN_ENOMEM;
    if (nonblocking)
        nonblocking->path = stand;
    for (uint32_t m = 0; m < arrivals->count && !nonblocking; m++)
        if (syn_had_to_wait(arrivals, m))
            replay->history[arrivals->member[m].location].path = stand;
    return 0;
}

int syn_path_wait(struct syn_replay *replay, uint32_t location, uint32_t cause,
                  struct syn_path_stand from, int64_t due_ns)
{
    if (reach_due(replay, cause, due_ns, &from))
        return SYN_ENOMEM;
    replay->history[location].path = from;
    return 0;
}

void syn_path_complete(struct syn_replay *replay, uint32_t location,
                       const struct syn_nonblocking *nonblocking)
{
    struct syn_history *history = &replay->history[location];
    if (nonblocking->path.node != SYN_NO_NODE && nonblocking->path.from_ns > history->path.from_ns)
        history->path = nonblocking->path;
}

int syn_path_flush(struct syn_replay *replay, uint32_t location)
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

int syn_path_end(struct syn_replay *replay, uint32_t location)
{
    struct syn_history *history = &replay->history[location];
    int status = own_time(replay, location, history->path.from_ns, INT64_MAX, true);
    if (status == SYN_OK)
        status = syn_path_flush(replay, location);
    history->path = (struct syn_path_stand){SYN_PATH_ROOT, history->now_ns};
    return status;
}

/* ---- forgetting ---- */

/* Use of a node, for forgetting. */
struct use {
    uint32_t count;      /* children that are used */
    bool has_arrived_at; /* by a location, or by an operation that is yet to be completed */
    uint32_t number;     /* in the new tree; SYN_NO_NODE: not in it */
};

/* Does one child alone lead on from it? */
static bool leads_on(const struct use *use)
{
    return use->count == 1 && !use->has_arrived_at;
}

static void each_stand(struct syn_replay *replay, struct use *use,
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

static void mark(struct use *use, uint32_t *node)
{
    use[*node].has_arrived_at = true;
}

static void renumber(struct use *use, uint32_t *node)
{
    *node = use[*node].number;
}

static void count_uses(struct syn_replay *replay, struct use *use)
{
    const struct syn_path *path = &replay->path;
    each_stand(replay, use, mark);
    for (size_t n = path->node_count; n-- > 1;) {
        use[n].number = SYN_NO_NODE;
        use[path->node[n].parent].count += use[n].count > 0 || use[n].has_arrived_at;
    }
}

/* Takes the trunk into the root: a path that alone leaves the root is final up to where it
 * divides. */
static int take_trunk(struct syn_replay *replay, struct use *use)
{
    struct syn_path *path = &replay->path;
    uint32_t top = SYN_PATH_ROOT;
    for (uint32_t n = 1; n < path->node_count && leads_on(&use[top]); n++) {
        if (path->node[n].parent != top || (use[n].count == 0 && !use[n].has_arrived_at))
            continue;
        for (uint32_t i = 0; i < path->node[n].count; i++)
            if (sum_up(replay, &path->piece[path->node[n].first + i]))
                return SYN_ENOMEM;
        use[n].number = SYN_PATH_ROOT;
        top = n;
    }
    use[SYN_PATH_ROOT].number = SYN_PATH_ROOT;
    return 0;
}

static int by_place(const void *left, const void *right)
{
    const struct syn_path_piece *a = left, *b = right;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Pieces of one place become one. Returns how many are left. */
static size_t join_pieces(struct syn_path_piece *piece, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(piece, count, sizeof *piece, by_place);
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && by_place(&piece[kept - 1], &piece[i]) == 0)
            syn_sum_add(&piece[kept - 1].ns, piece[i].ns);
        else
            piece[kept++] = piece[i];
    return kept;
}

/* A node, and what leads to it alone, as one node of another tree. */
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
    } while (status == SYN_OK && use[n].number == SYN_NO_NODE);
    to->piece_count =
        joined.first + join_pieces(to->piece + joined.first, to->piece_count - joined.first);
    joined.count = (uint32_t)(to->piece_count - joined.first);
    joined.parent = use[n].number;
    use[end].number = status != SYN_OK ? SYN_NO_NODE : add_node(to, &joined);
    return use[end].number == SYN_NO_NODE ? SYN_ENOMEM : 0;
}

static int copy_tree(struct syn_path *path, struct use *use)
{
    struct syn_path to;
    int status = syn_path_begin(&to);
    for (uint32_t n = 1; n < path->node_count && status == SYN_OK; n++)
        if (use[n].number == SYN_NO_NODE && (use[n].has_arrived_at || use[n].count > 1))
            status = copy_chain(path, use, n, &to);
    if (status != SYN_OK) {
        syn_path_free(&to);
        return status;
    }
    syn_path_free(path);
    *path = to;
    return 0;
}

int syn_path_forget(struct syn_replay *replay)
{
    struct use *use = calloc(replay->path.node_count, sizeof *use);
    if (!use)
        return SYN_ENOMEM;
    count_uses(replay, use);
    int status = take_trunk(replay, use);
    if (status == SYN_OK)
        status = copy_tree(&replay->path, use);
    if (status == SYN_OK)
        each_stand(replay, use, renumber);
    free(use);
    return status;
}
