/* analyze/hang/hang.c - makes from the graph of waiting the lists that a report tells, and the
 * state of the run. */
#include "analyze/hang/hang.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

void syn_hang_count_from(struct syn_hang_options *options, int64_t ns)
{
    options->floor_ns = options->stand.transit_ns = options->stand.rest_ns = ns;
}

const char *syn_hang_state_name(enum syn_hang_state state)
{
    static const char *const names[] = {"stuck", "waiting", "progressing", "ended", "killed"};
    return names[state];
}

const char *syn_hang_call_name(const struct syn_hang_call *call)
{
    const char *name = call->name ? call->name : syn_op_name(call->op);
    return name ? name : "an unknown call";
}

const char *syn_hang_absent_name(const struct syn_hang_model *model,
                                 const struct syn_hang_absent *absent)
{
    static const char *const names[] = {"outside", "collective", "message", "message", "finalize"};
    const enum syn_hang_process process = model->rank[absent->rank].process;
    if (process == SYN_HANG_DIED)
        return "dead";
    if (process == SYN_HANG_ENDED)
        return "finalize";
    return names[absent->call == SIZE_MAX ? SYN_HANG_OUTSIDE : model->call[absent->call].inside];
}

/* ---- ranks that wait ---- */

/* Orders calls. Equal calls form one wait: collective calls of one instance and call site, or calls
 * of one message function at one call site. */
static int compare_calls(const struct syn_hang_call *a, const struct syn_hang_call *b)
{
    const bool is_collective = a->inside == SYN_HANG_COLLECTIVE;
    if (a->inside != b->inside || a->comm != b->comm)
        return SYN_UP(inside) ?: SYN_UP(comm);
    if (is_collective && a->sequence != b->sequence)
        return SYN_UP(sequence);
    return strcmp(syn_hang_call_name(a), syn_hang_call_name(b)) ?: SYN_UP(site);
}

static int by_place_then_rank(const void *left, const void *right)
{
    const struct syn_hang_call *a = *(const struct syn_hang_call *const *)left;
    const struct syn_hang_call *b = *(const struct syn_hang_call *const *)right;
    return compare_calls(a, b) ?: SYN_UP(rank) ?: SYN_UP(is_under_way);
}

/* Makes one wait of calls that compare equal. */
static int add_wait(const struct syn_hang_graph *graph, const struct syn_hang_call *const *call,
                    size_t count, struct syn_hang *out)
{
    struct syn_hang_wait *wait = &out->wait[out->wait_count++];
    const struct syn_hang_call *first = graph->model->call;
    *wait = (struct syn_hang_wait){.call = (size_t)(call[0] - first)};
    wait->rank = malloc(count * sizeof *wait->rank);
    if (!wait->rank)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const size_t number = (size_t)(call[i] - first);
        if (i == 0 || call[i]->rank != call[i - 1]->rank)
            wait->rank[wait->rank_count++] = call[i]->rank;
        wait->lost |= syn_hang_call_is_lost(graph, number);
        wait->waits |= graph->waits[number];
        if (call[i]->since_ns < first[wait->call].since_ns)
            wait->call = number;
    }
    wait->since_ns = first[wait->call].since_ns;
    return SYN_OK;
}

SYN_ORDER(by_need_then_since, struct syn_hang_wait, SYN_DOWN(waits) ?: SYN_UP(since_ns))

static int list_waits(const struct syn_hang_graph *graph, struct syn_hang *out)
{
    const struct syn_hang_model *model = graph->model;
    SYN_FREED const struct syn_hang_call **call = malloc((model->call_count + 1) * sizeof *call);
    int status = call ? SYN_OK : SYN_ENOMEM;
    size_t count = 0, groups = 0;
    for (size_t i = 0; status == SYN_OK && i < model->call_count; i++)
        if (syn_hang_is_open(&model->call[i]) && syn_hang_goes_on(model, model->call[i].rank))
            call[count++] = &model->call[i];
    if (count > 0)
        qsort(call, count, sizeof *call, by_place_then_rank);
    for (size_t i = 0; i < count; i++)
        groups += i == 0 || compare_calls(call[i - 1], call[i]) != 0;
    if (status == SYN_OK && !(out->wait = calloc(groups + 1, sizeof *out->wait)))
        status = SYN_ENOMEM;
    for (size_t i = 0, end; i < count && status == SYN_OK; i = end) {
        for (end = i + 1; end < count && compare_calls(call[i], call[end]) == 0;)
            end++;
        status = add_wait(graph, call + i, end - i, out);
    }
    if (status == SYN_OK && out->wait_count > 0)
        qsort(out->wait, out->wait_count, sizeof *out->wait, by_need_then_since);
    return status;
}

/* ---- ranks that are waited for ---- */

/* Returns the call that says where a rank is: a call that waits, else an open call, else the last
 * one. SIZE_MAX: the rank has none. */
static size_t telling_call(const struct syn_hang_graph *graph, int32_t rank)
{
    const struct syn_hang_model *model = graph->model;
    size_t best = SIZE_MAX;
    int best_weight = -1;
    for (size_t i = graph->first_call[rank]; i < graph->first_call[rank + 1]; i++) {
        const int weight = graph->waits[i] ? 2 : syn_hang_is_open(&model->call[i]);
        if (weight > best_weight ||
            (weight == best_weight && model->call[i].since_ns > model->call[best].since_ns)) {
            best = i;
            best_weight = weight;
        }
    }
    return best;
}

/* Counts the calls that wait for each rank directly: waiting [rank_count]. */
static int count_waiting(const struct syn_hang_graph *graph, size_t *waiting)
{
    const struct syn_hang_model *model = graph->model;
    const size_t calls = model->call_count, ranks = (size_t)model->rank_count;
    SYN_FREED size_t *weight = calloc(graph->node_count + 1, sizeof *weight);
    if (!weight)
        return SYN_ENOMEM;
    for (size_t i = 0; i < calls; i++)
        for (uint32_t e = graph->edges.first[i]; e < graph->edges.first[i + 1]; e++)
            weight[graph->edges.to[e]] += !model->call[i].is_under_way;
    /* An instance has an edge to the instance before it: its weight is passed on first. */
    for (size_t n = graph->node_count; n-- > calls + ranks;)
        for (uint32_t e = graph->edges.first[n]; e < graph->edges.first[n + 1]; e++)
            weight[graph->edges.to[e]] += weight[n];
    memcpy(waiting, weight + calls, ranks * sizeof *waiting);
    return SYN_OK;
}

SYN_ORDER(by_root_then_rank, struct syn_hang_absent, SYN_DOWN(root) ?: SYN_UP(rank))

static int list_absent(const struct syn_hang_graph *graph, struct syn_hang *out)
{
    const struct syn_hang_model *model = graph->model;
    const size_t ranks = (size_t)model->rank_count;
    SYN_FREED size_t *waiting = calloc(ranks + 1, sizeof *waiting);
    out->absent = calloc(ranks + 1, sizeof *out->absent);
    out->unknown = calloc(ranks + 1, sizeof *out->unknown);
    int status =
        waiting && out->absent && out->unknown ? count_waiting(graph, waiting) : SYN_ENOMEM;
    for (int32_t r = 0; status == SYN_OK && r < model->rank_count; r++) {
        /* Lists ranks that a call waits for directly. A rank that waits for any member also leads
         * to itself. */
        if (graph->model->rank[r].process != SYN_HANG_UNKNOWN &&
            syn_hang_rank_is_reached(graph, r) && waiting[r] > 0) {
            const struct syn_hang_rank *of = &model->rank[r];
            const size_t call = telling_call(graph, r);
            out->absent[out->absent_count++] = (struct syn_hang_absent){
                .rank = r,
                .call = call,
                .root = of->process == SYN_HANG_STOPPED || call == SIZE_MAX ||
                        !graph->waits[call] || model->call[call].inside == SYN_HANG_FINALIZE,
                .lost = graph->node[model->call_count + (size_t)r].lost,
                .waiting_count = waiting[r]};
        }
        if (model->rank[r].process == SYN_HANG_UNKNOWN)
            out->unknown[out->unknown_count++] = r;
    }
    if (out->absent_count > 0)
        qsort(out->absent, out->absent_count, sizeof *out->absent, by_root_then_rank);
    return status;
}

static bool has_lost(const struct syn_hang_graph *graph)
{
    bool lost = false;
    for (size_t i = 0; i < graph->model->call_count; i++)
        lost |= syn_hang_call_is_lost(graph, i);
    return lost;
}

/* Says whether each rank that is known and goes on is inside MPI. */
static bool all_are_inside(const struct syn_hang_graph *graph)
{
    const struct syn_hang_model *model = graph->model;
    bool inside = true;
    for (size_t i = 0; i < model->call_count; i++)
        inside &=
            syn_hang_is_open(&model->call[i]) || !syn_hang_goes_on(model, model->call[i].rank);
    for (int32_t r = 0; r < model->rank_count; r++)
        inside &= graph->first_call[r] < graph->first_call[r + 1] || !syn_hang_goes_on(model, r) ||
                  model->rank[r].process == SYN_HANG_UNKNOWN;
    return inside;
}

int syn_hang_find(const struct syn_hang_model *model, const struct syn_hang_options *options,
                  struct syn_hang *out)
{
    struct syn_hang_graph graph;
    *out = (struct syn_hang){.longest_before_ns = -1, .chance = NAN};
    int status = syn_hang_graph_make(model, &options->stand, &graph);
    if (status == SYN_OK && model->now_is_least && !has_lost(&graph) && all_are_inside(&graph)) {
        /* It is not known how long messages were under way. Make the graph as if none were. */
        struct syn_hang_stand stand = options->stand;
        stand.at_once = true;
        syn_hang_graph_free(&graph);
        status = syn_hang_graph_make(model, &stand, &graph);
        out->is_conditional = status == SYN_OK && has_lost(&graph);
    }
    SYN_STEP(status, list_waits(&graph, out));
    SYN_STEP(status, list_absent(&graph, out));
    SYN_STEP(status, syn_hang_cycle(&graph, &out->cycle, &out->cycle_count));
    syn_hang_graph_free(&graph);
    return status;
}

void syn_hang_free(struct syn_hang *hang)
{
    for (size_t i = 0; i < hang->wait_count; i++)
        free(hang->wait[i].rank);
    free(hang->wait);
    free(hang->absent);
    free(hang->cycle);
    free(hang->unknown);
    *hang = (struct syn_hang){0};
}

/* ---- the state ---- */

/* Says whether each known rank left MPI_Finalize, or the program by exit(). */
static bool all_have_ended(const struct syn_hang_model *model)
{
    bool ended = true;
    for (int32_t r = 0; r < model->rank_count; r++)
        ended &= model->rank[r].process == SYN_HANG_ENDED ||
                 model->rank[r].process == SYN_HANG_UNKNOWN ||
                 model->rank[r].ending == SYN_ENDING_EXIT;
    return ended;
}

/* `blocked`: calls that disagree keep ranks waiting. */
static enum syn_hang_state state_of(const struct syn_hang *hang, const struct syn_hang_model *model,
                                    bool blocked)
{
    bool lost = false, too_long = false;
    for (size_t i = 0; i < hang->wait_count; i++) {
        lost |= hang->wait[i].lost;
        too_long |= hang->wait[i].is_too_long;
    }
    if (lost || blocked)
        return SYN_HANG_IS_STUCK;
    if (too_long)
        return SYN_HANG_IS_WAITING;
    if (model->live)
        return SYN_HANG_IS_PROGRESSING;
    return all_have_ended(model) ? SYN_HANG_HAS_ENDED : SYN_HANG_WAS_KILLED;
}

/* Judges each wait by earlier ones at its call site. The chances of a false alarm add up over the
 * waits. */
void syn_hang_judge(struct syn_hang *hang, const struct syn_hang_model *model,
                    const struct syn_hang_options *options, bool disagree)
{
    double chance = 0;
    bool known = false;
    hang->for_ns = 0;
    hang->longest_before_ns = -1;
    for (size_t i = 0; i < hang->wait_count; i++) {
        struct syn_hang_wait *wait = &hang->wait[i];
        const int64_t lasted_ns = syn_largest(model->now_ns - wait->since_ns, 0);
        /* If the waits at a call site are exchangeable, each of n + 1 waits is equally likely to be
         * the longest. So an alarm at a wait that is longer than all n before is false once in n +
         * 1 times, and less often if the wait has to be longer by a factor. The chances of several
         * call sites add up (Boole's inequality). */
        const struct syn_hang_earlier *earlier = &wait->earlier;
        if (wait->waits) {
            if (earlier->count < SYN_HANG_FEW)
                wait->is_too_long = lasted_ns >= options->floor_ns;
            else
                wait->is_too_long =
                    lasted_ns >= options->least_ns &&
                    (double)lasted_ns > options->factor * (double)earlier->longest_ns;
        }
        if (wait->waits && wait->earlier.count >= SYN_HANG_FEW) {
            chance += 1 / (wait->earlier.n_effective + 1);
            known |= wait->is_too_long;
        }
        if (lasted_ns <= hang->for_ns || (!wait->waits && !disagree))
            continue;
        hang->for_ns = lasted_ns;
        hang->longest_before_ns = wait->earlier.count > 0 ? wait->earlier.longest_ns : -1;
    }
    hang->chance = known ? syn_least(chance, 1.0) : (double)NAN;
    const bool is_brief = hang->for_ns < options->least_ns && !model->now_is_least;
    hang->state = state_of(hang, model, disagree && hang->wait_count > 0 && !is_brief);
}
