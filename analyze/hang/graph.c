/* analyze/hang/graph.c - makes the graph of waiting: instances, edges, lost nodes, a circle.
 *
 * Nodes are numbered by kind, in this order:
 *
 *     calls | ranks | instances (ANY) | instances (ALL) | communicators, MPI_COMM_WORLD (all
 * members)
 *
 * An instance has two nodes, for the two ways of waiting for its absent members. A barrier needs
 * all of them: the call is lost if any one of them is lost (ANY). A call that depends on sizes may
 * need only some: it is lost if all of them are lost (ALL).
 *
 * A member that has not begun instance #4 has not begun #5 either. So only the first instance that
 * a member is absent from has an edge to its rank, and each instance has an edge to the instance
 * before it. The number of edges grows with the members, not with their square.
 *
 *     begun: rank 1 up to #3, rank 2 up to #4        #5 --> #4 --> rank 1
 *                                                     |
 *                                                     +---> rank 2 */
#include "analyze/hang/graph.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/ops.h"

#define NO_INSTANCE UINT32_MAX

/* Edges, in any order, while the graph is made. */
struct drafts {
    struct draft {
        uint32_t from, to;
    } * at; /* [count] */
    size_t count, capacity;
    bool failed;
};

/* ---- numbers of nodes ---- */

static uint32_t rank_node(const struct syn_hang_graph *graph, uint32_t rank)
{
    return (uint32_t)graph->model->call_count + rank;
}

static uint32_t any_node(const struct syn_hang_graph *graph, size_t instance)
{
    return rank_node(graph, (uint32_t)graph->model->rank_count) + (uint32_t)instance;
}

static uint32_t all_node(const struct syn_hang_graph *graph, size_t instance)
{
    return any_node(graph, graph->instance_count) + (uint32_t)instance;
}

static uint32_t everybody_node(const struct syn_hang_graph *graph, uint32_t comm)
{
    const size_t place = comm == SYN_HANG_NO_COMM ? graph->model->comm_count : comm;
    return all_node(graph, graph->instance_count) + (uint32_t)place;
}

static void add_edge(struct drafts *drafts, uint32_t from, uint32_t to)
{
    if (drafts->failed || SYN_ROOM(drafts->at, drafts->capacity, drafts->count) != SYN_OK)
        drafts->failed = true;
    else
        drafts->at[drafts->count++] = (struct draft){from, to};
}

/* ---- instances ---- */

SYN_ORDER(by_instance, struct syn_hang_instance, SYN_UP(comm) ?: SYN_UP(sequence))

static size_t find_instance(const struct syn_hang_graph *graph, uint32_t comm, uint64_t sequence)
{
    const struct syn_hang_instance key = {.comm = comm, .sequence = sequence};
    const struct syn_hang_instance *found =
        bsearch(&key, graph->instance, graph->instance_count, sizeof key, by_instance);
    return found ? (size_t)(found - graph->instance) : NO_INSTANCE;
}

/* Makes the key of a call's instance. Returns false if the call is inside no instance. */
static bool instance_key(const struct syn_hang_call *call, struct syn_hang_instance *key)
{
    *key = (struct syn_hang_instance){.comm = SYN_HANG_NO_COMM, .call_count = 1};
    if (call->inside == SYN_HANG_COLLECTIVE) {
        key->comm = call->comm;
        key->sequence = call->sequence;
    }
    return call->inside == SYN_HANG_FINALIZE ||
           (call->inside == SYN_HANG_COLLECTIVE && call->comm != SYN_HANG_NO_COMM);
}

/* Lists each instance once, with the number of its calls. MPI_Finalize is always listed, and sorts
 * last. */
static int make_instances(struct syn_hang_graph *graph)
{
    const struct syn_hang_model *model = graph->model;
    size_t count = 0, kept = 0;
    graph->instance = malloc((model->call_count + 1) * sizeof *graph->instance);
    graph->instance_of = malloc((model->call_count + 1) * sizeof *graph->instance_of);
    if (!graph->instance || !graph->instance_of)
        return SYN_ENOMEM;
    for (size_t i = 0; i < model->call_count; i++)
        count += instance_key(&model->call[i], &graph->instance[count]);
    graph->instance[count++] = (struct syn_hang_instance){.comm = SYN_HANG_NO_COMM};
    qsort(graph->instance, count, sizeof *graph->instance, by_instance);
    for (size_t i = 1; i < count; i++) {
        if (by_instance(&graph->instance[kept], &graph->instance[i]) == 0)
            graph->instance[kept].call_count += graph->instance[i].call_count;
        else
            graph->instance[++kept] = graph->instance[i];
    }
    graph->instance_count = kept + 1;
    for (size_t i = 0; i < model->call_count; i++) {
        struct syn_hang_instance key;
        graph->instance_of[i] = instance_key(&model->call[i], &key)
                                    ? (uint32_t)find_instance(graph, key.comm, key.sequence)
                                    : NO_INSTANCE;
    }
    return SYN_OK;
}

/* Says whether the member has not begun the instance. */
static bool is_absent(const struct syn_hang_graph *graph, size_t instance, uint32_t member)
{
    const struct syn_hang_instance *of = &graph->instance[instance];
    return graph->model->comm[of->comm].begun[member] <= of->sequence;
}

/* Adds the edges of the instances first .. end - 1, all of one communicator: an edge to each absent
 * member, from the first instance that it has not begun, and an edge from each instance to the one
 * before it. */
static void add_absent(struct syn_hang_graph *graph, size_t first, size_t end,
                       struct drafts *drafts)
{
    const struct syn_hang_comm *comm = &graph->model->comm[graph->instance[first].comm];
    for (uint32_t m = 0; m < comm->size; m++) {
        size_t low = first, high = end;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (is_absent(graph, middle, m))
                high = middle;
            else
                low = middle + 1;
        }
        if (low == end)
            continue;
        graph->instance[low].absent_count++;
        add_edge(drafts, any_node(graph, low), rank_node(graph, comm->world_rank[m]));
        add_edge(drafts, all_node(graph, low), rank_node(graph, comm->world_rank[m]));
    }
    for (size_t i = first + 1; i < end; i++) {
        if (graph->instance[i - 1].absent_count == 0)
            continue;
        graph->instance[i].absent_count += graph->instance[i - 1].absent_count;
        add_edge(drafts, any_node(graph, i), any_node(graph, i - 1));
        add_edge(drafts, all_node(graph, i), all_node(graph, i - 1));
    }
}

static bool is_in_finalize(const struct syn_hang_graph *graph, int32_t rank)
{
    for (size_t i = graph->first_call[rank]; i < graph->first_call[rank + 1]; i++)
        if (graph->model->call[i].inside == SYN_HANG_FINALIZE)
            return true;
    return false;
}

/* Says whether the rank enters no further call. */
static bool is_gone(const struct syn_hang_graph *graph, int32_t rank)
{
    return !syn_hang_goes_on(graph->model, rank) || is_in_finalize(graph, rank);
}

/* ---- ranks that a call waits for ---- */

/* Members that a call certainly waits for while they are absent. */
enum demand {
    DEMAND_ALL,  /* each member */
    DEMAND_ROOT, /* the root; the root itself waits for no member */
    DEMAND_NONE  /* none for certain: sizes and algorithms decide, and the call may return by itself
                  */
};

static enum demand demand_of(const struct syn_hang_model *model, const struct syn_hang_call *call)
{
    const struct syn_hang_comm *comm = &model->comm[call->comm];
    const bool is_root = call->root == call->rank;
    const bool has_root =
        call->root >= 0 && syn_hang_member(comm, (uint32_t)call->root) != SYN_HANG_NO_MEMBER;
    const uint16_t row = call->op % SYN_OP_FORM_STRIDE;
    if (comm->intercomm)
        return DEMAND_NONE;
    switch (row) {
    case SYN_ROW_BCAST:
    case SYN_ROW_SCATTER:
    case SYN_ROW_SCATTERV:
        return has_root && !is_root ? DEMAND_ROOT : DEMAND_NONE;
    case SYN_ROW_REDUCE:
    case SYN_ROW_GATHER:
    case SYN_ROW_GATHERV:
        return is_root ? DEMAND_ALL : DEMAND_NONE;
    case SYN_ROW_COMM_FREE:
    case SYN_ROW_COMM_SET_INFO:
        return DEMAND_NONE;
    default:
        return (syn_op_flags(call->op) & SYN_OPF_SYNCHRONIZING) ||
                       syn_op_class(call->op, NULL) == SYN_CLASS_COMM
                   ? DEMAND_ALL
                   : DEMAND_NONE;
    }
}

/* Says whether `receive` matches `send`. */
static bool is_match(const struct syn_hang_call *send, const struct syn_hang_call *receive)
{
    return receive->inside == SYN_HANG_MESSAGE && !receive->is_under_way && !send->is_under_way &&
           (receive->from.rank == send->rank || receive->from.rank == SYN_HANG_ANYBODY) &&
           (receive->comm == send->comm || receive->comm == SYN_HANG_NO_COMM ||
            send->comm == SYN_HANG_NO_COMM) &&
           (send->to.tag == receive->from.tag || send->to.tag == SYN_HANG_ANY_TAG ||
            receive->from.tag == SYN_HANG_ANY_TAG);
}

/* Bits of a call whose message is matched: both ends have been called, and neither waits for the
 * other to be called. */
enum { MATCHED_TO = 1, MATCHED_FROM = 2 };

/* Adds the edge from a call inside an instance to the absent members. Returns as add_call. */
static bool add_instance_call(struct syn_hang_graph *graph, size_t i, struct drafts *drafts)
{
    const struct syn_hang_call *call = &graph->model->call[i];
    const uint32_t k = graph->instance_of[i];
    const enum demand demand =
        call->inside == SYN_HANG_FINALIZE ? DEMAND_ALL : demand_of(graph->model, call);
    if (graph->instance[k].absent_count == 0)
        return true;
    if (demand == DEMAND_ROOT) {
        const struct syn_hang_comm *comm = &graph->model->comm[call->comm];
        const uint32_t root = syn_hang_member(comm, (uint32_t)call->root);
        const bool absent = is_absent(graph, k, root);
        add_edge(drafts, (uint32_t)i,
                 absent ? rank_node(graph, (uint32_t)call->root) : all_node(graph, k));
        return !absent;
    }
    add_edge(drafts, (uint32_t)i, demand == DEMAND_ALL ? any_node(graph, k) : all_node(graph, k));
    return demand == DEMAND_NONE;
}

/* Adds the edges of the i-th call. Returns whether the call may return by itself. */
static bool add_call(struct syn_hang_graph *graph, size_t i, uint8_t matched, struct drafts *drafts)
{
    const struct syn_hang_call *call = &graph->model->call[i];
    const size_t before = drafts->count;
    bool may_return = true;
    if (call->inside == SYN_HANG_SOMEBODY) {
        add_edge(drafts, (uint32_t)i, everybody_node(graph, call->comm));
    } else if (call->inside == SYN_HANG_MESSAGE) {
        if (call->to.rank >= 0 && !(matched & MATCHED_TO))
            add_edge(drafts, (uint32_t)i, rank_node(graph, (uint32_t)call->to.rank));
        if (call->from.rank >= 0 && !(matched & MATCHED_FROM))
            add_edge(drafts, (uint32_t)i, rank_node(graph, (uint32_t)call->from.rank));
        if (call->from.rank == SYN_HANG_ANYBODY && !(matched & MATCHED_FROM))
            add_edge(drafts, (uint32_t)i, everybody_node(graph, call->comm));
    } else if (graph->instance_of[i] != NO_INSTANCE) {
        may_return = add_instance_call(graph, i, drafts);
    }
    graph->waits[i] = drafts->count > before && !call->is_under_way;
    return may_return;
}

/* Adds the edges to all members of a communicator, if a call waits for any of its members. */
static int add_everybody(const struct syn_hang_graph *graph, struct drafts *drafts)
{
    const struct syn_hang_model *model = graph->model;
    SYN_FREED bool *needed = calloc(model->comm_count + 1, sizeof *needed);
    if (!needed)
        return SYN_ENOMEM;
    for (size_t i = 0; i < model->call_count; i++) {
        const struct syn_hang_call *call = &model->call[i];
        const size_t comm = call->comm == SYN_HANG_NO_COMM ? model->comm_count : call->comm;
        needed[comm] |= call->inside == SYN_HANG_SOMEBODY ||
                        (call->inside == SYN_HANG_MESSAGE && call->from.rank == SYN_HANG_ANYBODY);
    }
    for (uint32_t c = 0; c < model->comm_count; c++)
        for (uint32_t m = 0; needed[c] && m < model->comm[c].size; m++)
            add_edge(drafts, everybody_node(graph, c),
                     rank_node(graph, model->comm[c].world_rank[m]));
    for (int32_t r = 0; needed[model->comm_count] && r < model->rank_count; r++)
        add_edge(drafts, everybody_node(graph, SYN_HANG_NO_COMM), rank_node(graph, (uint32_t)r));
    return SYN_OK;
}

/* ---- edges in order, and what is lost ---- */

/* Sorts edges by the nodes that they come from; `backwards`: by those that they lead to. Returns 0
 * or SYN_ENOMEM; the caller frees both arrays in any case. */
static int sort_edges(const struct drafts *drafts, size_t node_count, bool backwards,
                      struct syn_hang_edges *out)
{
    out->first = calloc(node_count + 2, sizeof *out->first);
    out->to = malloc((drafts->count + 1) * sizeof *out->to);
    if (!out->first || !out->to || drafts->failed)
        return SYN_ENOMEM;
    for (size_t i = 0; i < drafts->count; i++)
        out->first[(backwards ? drafts->at[i].to : drafts->at[i].from) + 2]++;
    for (size_t n = 0; n < node_count; n++)
        out->first[n + 2] += out->first[n + 1];
    for (size_t i = 0; i < drafts->count; i++) {
        const struct draft *at = &drafts->at[i];
        out->to[out->first[(backwards ? at->to : at->from) + 1]++] = backwards ? at->from : at->to;
    }
    return SYN_OK;
}

/* Says whether the node is a call whose message is under way: its peer need not come. */
static bool is_under_way(const struct syn_hang_graph *graph, uint32_t node)
{
    return node < graph->model->call_count && graph->model->call[node].is_under_way;
}

static bool is_certain(const struct syn_hang_graph *graph, uint32_t node)
{
    const size_t rank = node - graph->model->call_count;
    return node >= graph->model->call_count && rank < (size_t)graph->model->rank_count &&
           is_gone(graph, (int32_t)rank);
}

/* Returns the latest time of a node and of the nodes that it leads to. */
static int64_t latest_behind(const struct syn_hang_graph *graph, size_t node, const int64_t *stood)
{
    int64_t latest = stood[node];
    for (uint32_t e = graph->edges.first[node]; e < graph->edges.first[node + 1]; e++)
        latest = syn_largest(latest, stood[graph->edges.to[e]]);
    return latest;
}

/* Clears may_return of the calls that have stood for long enough. A call that waits for a message
 * of a named rank is cleared at once if the graph's rule says so. */
static int end_returns(const struct syn_hang_graph *graph, bool *may_return)
{
    const struct syn_hang_model *model = graph->model;
    const size_t calls = model->call_count;
    /* The time since which all ranks behind a node have been where they are. For a call, not before
     * its own start. */
    SYN_FREED int64_t *stood = malloc((graph->node_count + 1) * sizeof *stood);
    for (size_t i = 0; stood && i < graph->node_count; i++)
        stood[i] = i < calls ? model->call[i].since_ns : INT64_MIN;
    for (size_t i = 0; stood && i < calls; i++) {
        int64_t *rank = &stood[rank_node(graph, (uint32_t)model->call[i].rank)];
        *rank = syn_largest(*rank, model->call[i].since_ns);
    }
    /* Ranks are set already. Instances lead to ranks and to the instance before; calls come
     * last. */
    for (size_t n = any_node(graph, 0); stood && n < graph->node_count; n++)
        stood[n] = latest_behind(graph, n, stood);
    for (size_t i = 0; stood && i < calls; i++)
        stood[i] = latest_behind(graph, i, stood);
    for (size_t i = 0; stood && i < calls; i++) {
        const struct syn_hang_call *call = &model->call[i];
        const bool is_named = call->inside == SYN_HANG_MESSAGE && !call->is_under_way &&
                              call->from.rank != SYN_HANG_ANYBODY;
        const int64_t needed_ns = is_named ? graph->rule.transit_ns : graph->rule.rest_ns;
        may_return[i] &= !(is_named && graph->rule.at_once) && model->now_ns - stood[i] < needed_ns;
    }
    return stood ? SYN_OK : SYN_ENOMEM;
}

/* Says whether the node, taken by itself, can be lost. may_return [call_count]: the call may return
 * by itself. */
static bool may_be_lost(const struct syn_hang_graph *graph, uint32_t node, const bool *may_return)
{
    const struct syn_hang_model *model = graph->model;
    if (node < model->call_count)
        return (graph->waits[node] || model->call[node].is_under_way) && !may_return[node];
    if (node < any_node(graph, 0)) {
        const int32_t rank = (int32_t)(node - model->call_count);
        return model->rank[rank].process == SYN_HANG_RUNS || is_gone(graph, rank);
    }
    return true;
}

/* Says whether a node has a reason to be lost. An instance that needs all members needs one lost
 * node, all others need all nodes that they lead to. RATIONALE: one half of an exchange
 * (MPI_Sendrecv) may be complete, and it is not known which. */
static bool has_reason(const struct syn_hang_graph *graph, uint32_t node)
{
    const uint32_t count = graph->edges.first[node + 1] - graph->edges.first[node];
    const bool needs_one = node >= any_node(graph, 0) && node < all_node(graph, 0);
    const uint32_t needed = needs_one || count == 0 ? 1 : count;
    return graph->node[node].lost_count >= needed || is_certain(graph, node);
}

/* Removes nodes that have no reason to be lost, until all remaining nodes have one. `in`: edges by
 * the nodes that they lead to. `heap` [node_count] is working memory. */
static void sift(struct syn_hang_graph *graph, const bool *may_return,
                 const struct syn_hang_edges *in, uint32_t *heap)
{
    size_t count = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        graph->node[n].lost = true;
        graph->node[n].lost_count = graph->edges.first[n + 1] - graph->edges.first[n];
    }
    for (uint32_t n = 0; n < graph->node_count; n++)
        if (!may_be_lost(graph, n, may_return) || !has_reason(graph, n)) {
            graph->node[n].lost = false;
            heap[count++] = n;
        }
    while (count > 0) {
        const uint32_t found = heap[--count];
        for (uint32_t e = in->first[found]; e < in->first[found + 1]; e++) {
            struct syn_hang_node *node = &graph->node[in->to[e]];
            node->lost_count--;
            if (node->lost && !has_reason(graph, in->to[e])) {
                node->lost = false;
                heap[count++] = in->to[e];
            }
        }
    }
}

/* ---- nodes that are reached ---- */

/* Marks the nodes that `node` leads to, and puts new ones on the heap. */
static void reach(struct syn_hang_graph *graph, uint32_t node, uint32_t *heap, size_t *count)
{
    for (uint32_t e = graph->edges.first[node]; e < graph->edges.first[node + 1]; e++) {
        const uint32_t next = graph->edges.to[e];
        if (!graph->node[next].reached)
            heap[(*count)++] = next;
        graph->node[next].reached = true;
    }
}

/* Marks all nodes that a call which waits leads to. MPI_Finalize waits for all ranks that still
 * work, so it counts only if no other call waits. A rank that is gone waits for no other. */
static void reach_all(struct syn_hang_graph *graph, uint32_t *heap)
{
    const struct syn_hang_model *model = graph->model;
    size_t count = 0;
    for (int turn = 0; turn < 2 && count == 0; turn++)
        for (uint32_t i = 0; i < model->call_count; i++)
            if (graph->waits[i] && (turn == 1 || model->call[i].inside != SYN_HANG_FINALIZE))
                reach(graph, i, heap, &count);
    while (count > 0) {
        const uint32_t node = heap[--count];
        if (!is_certain(graph, node) && !is_under_way(graph, node))
            reach(graph, node, heap, &count);
    }
}

/* Plan: find the calls that may return; find the lost nodes; mark the nodes that calls which wait
 * lead to. */
static int solve(struct syn_hang_graph *graph, const struct drafts *drafts, bool *may_return)
{
    SYN_FREED uint32_t *heap = malloc((graph->node_count + 1) * sizeof *heap);
    struct syn_hang_edges in = {0};
    int status = heap ? sort_edges(drafts, graph->node_count, false, &graph->edges) : SYN_ENOMEM;
    SYN_STEP(status, sort_edges(drafts, graph->node_count, true, &in));
    SYN_STEP(status, end_returns(graph, may_return));
    if (status == SYN_OK) {
        sift(graph, may_return, &in, heap);
        reach_all(graph, heap);
    }
    free(in.first);
    free(in.to);
    return status;
}

/* ---- making a graph ---- */

static int add_calls(struct syn_hang_graph *graph, bool *may_return, struct drafts *drafts)
{
    const struct syn_hang_model *model = graph->model;
    SYN_FREED uint8_t *matched = calloc(model->call_count + 1, sizeof *matched);
    if (!matched)
        return SYN_ENOMEM;
    for (size_t i = 0; i < model->call_count; i++) {
        const struct syn_hang_call *send = &model->call[i];
        if (send->inside != SYN_HANG_MESSAGE || send->to.rank < 0)
            continue;
        for (size_t j = graph->first_call[send->to.rank]; j < graph->first_call[send->to.rank + 1];
             j++)
            if (is_match(send, &model->call[j])) {
                matched[i] |= MATCHED_TO;
                matched[j] |= MATCHED_FROM;
            }
    }
    for (size_t i = 0; i < model->call_count; i++) {
        if (syn_hang_goes_on(model, model->call[i].rank))
            may_return[i] = add_call(graph, i, matched[i], drafts);
        add_edge(drafts, rank_node(graph, (uint32_t)model->call[i].rank), (uint32_t)i);
    }
    return add_everybody(graph, drafts);
}

/* Plan: list the instances; draft the edges of instances and of calls; solve. */
int syn_hang_graph_make(const struct syn_hang_model *model, const struct syn_hang_stand *rule,
                        struct syn_hang_graph *out)
{
    struct drafts drafts = {0};
    SYN_FREED bool *may_return = calloc(model->call_count + 1, sizeof *may_return);
    *out = (struct syn_hang_graph){.model = model, .rule = *rule};
    out->waits = calloc(model->call_count + 1, sizeof *out->waits);
    out->first_call = calloc((size_t)model->rank_count + 1, sizeof *out->first_call);
    int status = may_return && out->waits && out->first_call ? make_instances(out) : SYN_ENOMEM;
    if (status == SYN_OK) {
        out->node_count = (size_t)everybody_node(out, SYN_HANG_NO_COMM) + 1;
        out->node = calloc(out->node_count + 1, sizeof *out->node);
        for (size_t i = 0, r = 0; r <= (size_t)model->rank_count; r++) {
            while (i < model->call_count && (size_t)model->call[i].rank < r)
                i++;
            out->first_call[r] = i;
        }
        const size_t last = out->instance_count - 1;
        for (size_t first = 0, end; first < last; first = end) {
            for (end = first + 1; end < last;)
                if (out->instance[end].comm == out->instance[first].comm)
                    end++;
                else
                    break;
            add_absent(out, first, end, &drafts);
        }
        /* Add an edge to each rank that has not entered MPI_Finalize, if another rank is inside
         * it. */
        struct syn_hang_instance *finalize = &out->instance[last];
        for (int32_t r = 0; r < out->model->rank_count && finalize->call_count > 0; r++) {
            const enum syn_hang_process process = out->model->rank[r].process;
            if (process == SYN_HANG_UNKNOWN || process == SYN_HANG_ENDED || is_in_finalize(out, r))
                continue;
            finalize->absent_count++;
            add_edge(&drafts, any_node(out, last), rank_node(out, (uint32_t)r));
        }
        status = out->node ? add_calls(out, may_return, &drafts) : SYN_ENOMEM;
    }
    SYN_STEP(status, solve(out, &drafts, may_return));
    free(drafts.at);
    return status;
}

void syn_hang_graph_free(struct syn_hang_graph *graph)
{
    free(graph->instance);
    free(graph->instance_of);
    free(graph->waits);
    free(graph->first_call);
    free(graph->node);
    free(graph->edges.first);
    free(graph->edges.to);
    *graph = (struct syn_hang_graph){0};
}

/* ---- a circle ---- */

/* Says whether the node may be part of a circle. */
static bool can_turn(const struct syn_hang_graph *graph, uint32_t node)
{
    return graph->node[node].lost && !is_certain(graph, node) && !is_under_way(graph, node);
}

/* Returns a node from which a path leads back to itself, by depth-first search; UINT32_MAX: there
 * is none. colour, edge and stack [node_count] are working memory. */
static uint32_t find_turn(const struct syn_hang_graph *graph, uint8_t *colour, uint32_t *edge,
                          uint32_t *stack)
{
    enum { NEW, OPEN, DONE };
    for (uint32_t start = 0; start < graph->node_count; start++) {
        size_t depth = 0;
        if (colour[start] != NEW || !can_turn(graph, start))
            continue;
        stack[depth++] = start;
        colour[start] = OPEN;
        edge[start] = graph->edges.first[start];
        while (depth > 0) {
            const uint32_t node = stack[depth - 1];
            if (edge[node] == graph->edges.first[node + 1]) {
                colour[node] = DONE;
                depth--;
                continue;
            }
            const uint32_t next = graph->edges.to[edge[node]++];
            if (colour[next] == OPEN)
                return next;
            if (colour[next] == NEW && can_turn(graph, next)) {
                colour[next] = OPEN;
                edge[next] = graph->edges.first[next];
                stack[depth++] = next;
            }
        }
    }
    return UINT32_MAX;
}

/* Says whether a path from the rank `start` leads back to it only because it waits for any member,
 * which it is itself. */
static bool is_own_wish(const struct syn_hang_graph *graph, uint32_t start, uint32_t node,
                        const uint32_t *parent, uint32_t next)
{
    const struct syn_hang_model *model = graph->model;
    return next == start && node >= everybody_node(graph, 0) && parent[node] < model->call_count &&
           rank_node(graph, (uint32_t)model->call[parent[node]].rank) == start;
}

/* Finds the shortest path from `start` back to it: parent [node_count] of each node on the path.
 * Returns false if there is none. */
static bool find_way_back(const struct syn_hang_graph *graph, uint32_t start, uint32_t *parent,
                          uint32_t *queue)
{
    size_t head = 0, tail = 0;
    memset(parent, 0xFF, graph->node_count * sizeof *parent);
    queue[tail++] = start;
    while (head < tail) {
        const uint32_t node = queue[head++];
        for (uint32_t e = graph->edges.first[node]; e < graph->edges.first[node + 1]; e++) {
            const uint32_t next = graph->edges.to[e];
            if (parent[next] != UINT32_MAX || !can_turn(graph, next) ||
                is_own_wish(graph, start, node, parent, next))
                continue;
            parent[next] = node;
            if (next == start)
                return true;
            queue[tail++] = next;
        }
    }
    return false;
}

/* Lists the ranks on the path, from the lowest on. */
static int list_ranks(const struct syn_hang_graph *graph, uint32_t start, const uint32_t *parent,
                      int32_t **rank, size_t *count)
{
    const uint32_t base = rank_node(graph, 0), end = any_node(graph, 0);
    size_t length = 0, lowest = 0, at = 0;
    uint32_t node = start;
    do {
        node = parent[node];
        length += node >= base && node < end;
    } while (node != start);
    SYN_FREED int32_t *backwards = malloc((length + 1) * sizeof *backwards);
    *rank = malloc((length + 1) * sizeof **rank);
    if (!backwards || !*rank)
        return SYN_ENOMEM;
    do {
        node = parent[node];
        if (node < base || node >= end)
            continue;
        backwards[at] = (int32_t)(node - base);
        lowest = backwards[at] < backwards[lowest] ? at : lowest;
        at++;
    } while (node != start);
    for (size_t i = 0; i < length; i++)
        (*rank)[i] = backwards[(lowest + length - i) % length];
    *count = length;
    return SYN_OK;
}

int syn_hang_cycle(const struct syn_hang_graph *graph, int32_t **rank, size_t *count)
{
    SYN_FREED uint8_t *colour = calloc(graph->node_count + 1, sizeof *colour);
    SYN_FREED uint32_t *parent = malloc((graph->node_count + 1) * sizeof *parent);
    SYN_FREED uint32_t *room = malloc((graph->node_count + 1) * sizeof *room);
    int status = colour && parent && room ? SYN_OK : SYN_ENOMEM;
    *rank = NULL;
    *count = 0;
    if (status == SYN_OK) {
        uint32_t start = find_turn(graph, colour, parent, room);
        if (start != UINT32_MAX && find_way_back(graph, start, parent, room)) {
            /* Go on from a rank on the path. */
            uint32_t node = start;
            while (node < rank_node(graph, 0) || node >= any_node(graph, 0))
                node = parent[node];
            start = node;
        }
        if (start != UINT32_MAX && find_way_back(graph, start, parent, room))
            status = list_ranks(graph, start, parent, rank, count);
    }
    return status;
}
