/* analyze/match/match_slabs.c - all slabs of a trace, on several threads, told in their order.
 *
 * A thread takes the next slab, matches it into a part of its own, and leaves it at the slab's
 * turn; whoever finds the next part there tells it. What lacks members is merged with what earlier
 * slabs left: their members are found in the next slab or the one after, as a rule.
 *
 * In a team slab s is matched by process s mod size. The turns of process 0 are all slabs, and for
 * the others' it waits for what they send; the turns of the others are their own slabs, and what
 * they tell goes to process 0. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"
#include "../threads.h"
#include "match_parts.h"

/* What has waited for members through so many slabs no longer holds back what came after it. */
#define PATIENCE_SLABS 4
/* Only when that many wait is it worth asking which of them can still become complete. */
#define PENDING_MANY 65536

struct run {
    const struct syn_match *match;
    struct syn_match_totals *totals;
    struct syn_slabs slabs;
    size_t *last_slab; /* [rank_count], that has a chunk of the rank; SIZE_MAX: none */
    struct syn_matcher rest;
    struct syn_match_result *result; /* [window], of turn t at t mod window */
    size_t window;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t moved;
    size_t next_turn, next_told, turn_count;
    bool telling;
    int status;
    size_t turn_first, turn_step; /* slab of turn t: turn_first + t * turn_step */
    pthread_mutex_t link;         /* of the team's */
};

static void *begin_part(const struct syn_match *match)
{
    return match->sink.part_begin ? match->sink.part_begin(match->sink.ctx) : match->sink.ctx;
}

static int end_part(const struct syn_match *match, void *part, int64_t horizon_ns)
{
    return match->sink.part_end ? match->sink.part_end(match->sink.ctx, part, horizon_ns) : 0;
}

static void drop_part(const struct syn_match *match, void *part)
{
    if (part && match->sink.part_drop)
        match->sink.part_drop(match->sink.ctx, part);
}

/* ---- totals ---- */

static void add_rank_totals(struct syn_rank_totals *into, const struct syn_rank_totals *from)
{
    if (from->event_count == 0)
        return;
    if (into->event_count == 0 || from->first_ns < into->first_ns)
        into->first_ns = from->first_ns;
    if (into->event_count == 0 || from->last_ns > into->last_ns)
        into->last_ns = from->last_ns;
    into->event_count += from->event_count;
    into->inside_ns += from->inside_ns;
    for (unsigned class = 0; class < SYN_CLASS_COUNT; class ++)
        into->class_ns[class] += from->class_ns[class];
    if (from->thread_count > into->thread_count)
        into->thread_count = from->thread_count;
}

static void add_totals(struct syn_match_totals *into, const struct syn_match_totals *from)
{
    for (int32_t r = 0; r < into->rank_count; r++)
        add_rank_totals(&into->rank[r], &from->rank[r]);
    into->event_count += from->event_count;
    into->instance_count += from->instance_count;
    into->incomplete_count += from->incomplete_count;
    into->op_differs_count += from->op_differs_count;
    into->unplaced_count += from->unplaced_count;
    into->implausible_count += from->implausible_count;
    into->duplicate_count += from->duplicate_count;
    if (from->pending_peak > into->pending_peak)
        into->pending_peak = from->pending_peak;
}

/* ---- telling the parts in their order ---- */

/* Does it lack a member of whose rank nothing more comes? */
static bool is_hopeless(const struct run *run, const struct syn_slot *slot, size_t slab)
{
    const struct syn_comm *comm = slot->instance.comm;
    if (comm->known_count != comm->size)
        return false;
    for (uint32_t m = 0; m < comm->size; m++) {
        size_t last = run->last_slab[comm->world_rank[m]];
        if (slot->member[m].start_ns == SYN_UNARRIVED && (last == SIZE_MAX || last <= slab))
            return true;
    }
    return false;
}

/* The ones that lack members for good, once reading is over or they are many. */
static int give_up(struct run *run, size_t slab)
{
    bool last = slab + 1 >= run->slabs.count;
    size_t count;
    if (!last && run->rest.pending_count < PENDING_MANY)
        return 0;
    struct syn_slot **pending = syn_matcher_pending(&run->rest, &count);
    int status = pending ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < count && status == 0; i++)
        if (last || is_hopeless(run, pending[i], slab))
            status = syn_matcher_give_up(&run->rest, pending[i]);
    free(pending);
    return status;
}

/* Nothing that is yet to come starts before, but for members that come very late. */
static int64_t horizon_after(const struct run *run, size_t slab)
{
    if (slab + 1 >= run->slabs.count)
        return INT64_MAX;
    int64_t horizon_ns = run->slabs.begin_ns[slab + 1];
    for (size_t i = 0; i < run->rest.bucket_count; i++)
        for (const struct syn_slot *slot = run->rest.bucket[i]; slot; slot = slot->next)
            if (slot->slab + PATIENCE_SLABS > slab && slot->instance.first_start_ns < horizon_ns)
                horizon_ns = slot->instance.first_start_ns;
    return horizon_ns;
}

static int merge_rest(struct run *run, struct syn_matcher *from, size_t slab)
{
    size_t count;
    struct syn_slot **pending = syn_matcher_pending(from, &count);
    int status = pending ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < count && status == 0; i++)
        status = syn_matcher_merge(&run->rest, pending[i], (uint32_t)slab);
    free(pending);
    syn_matcher_end(from);
    return status ? status : give_up(run, slab);
}

static int tell(struct run *run, struct syn_match_result *result, size_t slab)
{
    const struct syn_match *match = run->match;
    if (syn_team_helps(match->team))
        return syn_match_send(match, slab, result);
    add_totals(run->totals, &result->totals);
    syn_match_totals_free(&result->totals);
    int status = end_part(match, result->part, INT64_MIN);
    result->part = NULL;
    if (status == 0 && !(run->rest.part = begin_part(match)))
        status = SYN_ENOMEM;
    if (status == 0)
        status = merge_rest(run, &result->matcher, slab);
    if (status == 0) {
        status = end_part(match, run->rest.part, horizon_after(run, slab));
        run->rest.part = NULL;
    }
    if (status == 0 && match->sink.progress)
        match->sink.progress(match->sink.ctx, run->totals->event_count, run->slabs.event_count);
    return status;
}

/* ---- matching a slab ---- */

int syn_match_result_begin(const struct syn_match *match, struct syn_match_result *out)
{
    *out = (struct syn_match_result){.part = begin_part(match)};
    int status = out->part ? 0 : SYN_ENOMEM;
    if (status == 0)
        status = syn_match_totals_begin(&out->totals, syn_trace_size(match->trace));
    return status ? status : syn_matcher_begin(&out->matcher, match, &out->totals, out->part);
}

void syn_match_result_drop(const struct syn_match *match, struct syn_match_result *result)
{
    drop_part(match, result->part);
    syn_match_totals_free(&result->totals);
    syn_matcher_end(&result->matcher);
    *result = (struct syn_match_result){0};
}

/* The matcher refers to the totals beside it. */
static void move_result(struct syn_match_result *to, const struct syn_match_result *from)
{
    *to = *from;
    to->matcher.totals = &to->totals;
}

static int match_slab(struct run *run, struct syn_reading *reading, size_t slab,
                      struct syn_match_result *out)
{
    const uint32_t *first = run->slabs.first + slab * run->slabs.rank_count;
    int status = syn_match_result_begin(run->match, out);
    return status ? status : syn_reading_slab(reading, first, first + run->slabs.rank_count, out);
}

/* What slab *slab gave. Of several slabs of a peer that are waited for, whoever comes first gets
 * the first: then *slab is that one. */
static int obtain(struct run *run, struct syn_reading *reading, size_t *slab,
                  struct syn_match_result *out)
{
    const struct syn_team *team = run->match->team;
    int peer = team ? (int)(*slab % (size_t)team->link.size) : 0;
    if (!team || peer == team->link.rank)
        return match_slab(run, reading, *slab, out);
    pthread_mutex_lock(&run->link);
    int status = syn_match_receive(run->match, peer, slab, out);
    pthread_mutex_unlock(&run->link);
    return status;
}

static size_t slab_of(const struct run *run, size_t turn)
{
    return run->turn_first + turn * run->turn_step;
}

/* With the lock held; given up while a part is told. */
static void tell_ready(struct run *run)
{
    while (!run->telling && run->status == 0 && run->result[run->next_told % run->window].ready) {
        struct syn_match_result *result = &run->result[run->next_told % run->window];
        run->telling = true;
        pthread_mutex_unlock(&run->lock);
        int status = tell(run, result, slab_of(run, run->next_told));
        pthread_mutex_lock(&run->lock);
        if (status)
            run->status = status;
        syn_match_result_drop(run->match, result);
        run->telling = false;
        run->next_told++;
        pthread_cond_broadcast(&run->moved);
    }
}

/* The slab of the next turn, once that is not too far ahead of those told; false when there is
 * none. With the lock held. */
static bool take_turn(struct run *run, size_t *slab)
{
    while (run->status == 0 && run->next_turn < run->turn_count &&
           run->next_turn >= run->next_told + run->window)
        pthread_cond_wait(&run->moved, &run->lock);
    if (run->status || run->next_turn == run->turn_count)
        return false;
    *slab = slab_of(run, run->next_turn++);
    return true;
}

static void *work(void *argument)
{
    struct run *run = argument;
    struct syn_reading *reading;
    size_t slab;
    int status = syn_reading_begin(run->match, &reading);
    pthread_mutex_lock(&run->lock);
    while (status == 0 && take_turn(run, &slab)) {
        struct syn_match_result result;
        size_t taken = slab;
        pthread_mutex_unlock(&run->lock);
        status = obtain(run, reading, &slab, &result);
        pthread_mutex_lock(&run->lock);
        size_t turn = (status ? taken : slab) / run->turn_step;
        result.ready = true;
        move_result(&run->result[turn % run->window], &result);
        if (status == 0)
            tell_ready(run);
    }
    if (status)
        run->status = run->status ? run->status : status;
    pthread_cond_broadcast(&run->moved);
    pthread_mutex_unlock(&run->lock);
    syn_reading_end(reading);
    return NULL;
}

/* ---- a whole trace ---- */

static size_t thread_count(const struct run *run)
{
    size_t threads = syn_thread_count();
    uint64_t bytes = syn_lanes_plan(run->match->trace, run->match->memory_bytes).bytes;
    if (!run->match->sink.part_begin)
        threads = 1;
    while (threads > 1 && run->match->memory_bytes && threads * bytes > run->match->memory_bytes)
        threads--;
    return threads < run->turn_count ? threads : run->turn_count;
}

static void deal_turns(struct run *run)
{
    bool helps = syn_team_helps(run->match->team);
    run->turn_first = helps ? (size_t)run->match->team->link.rank : 0;
    run->turn_step = helps ? (size_t)run->match->team->link.size : 1;
    if (run->turn_first < run->slabs.count)
        run->turn_count =
            (run->slabs.count - run->turn_first + run->turn_step - 1) / run->turn_step;
}

static int prepare(struct run *run)
{
    int32_t rank_count = syn_trace_size(run->match->trace);
    int status = syn_match_totals_begin(run->totals, rank_count);
    if (status == 0)
        status = syn_slabs_cut(run->match->trace, &run->slabs);
    if (status == 0)
        status = syn_matcher_begin(&run->rest, run->match, run->totals, NULL);
    run->last_slab = malloc(((size_t)rank_count + 1) * sizeof *run->last_slab);
    if (status || !run->last_slab)
        return status ? status : SYN_ENOMEM;
    for (size_t r = 0; r < (size_t)rank_count; r++) {
        run->last_slab[r] = SIZE_MAX;
        for (size_t s = 0; s < run->slabs.count; s++)
            if (run->slabs.first[(s + 1) * run->slabs.rank_count + r] >
                run->slabs.first[s * run->slabs.rank_count + r])
                run->last_slab[r] = s;
    }
    deal_turns(run);
    size_t threads = thread_count(run);
    run->window = 2 * threads + 1;
    run->result = calloc(run->window, sizeof *run->result);
    return run->result ? 0 : SYN_ENOMEM;
}

static void clean_up(struct run *run)
{
    for (size_t i = 0; i < run->window && run->result; i++)
        syn_match_result_drop(run->match, &run->result[i]);
    drop_part(run->match, run->rest.part);
    syn_matcher_end(&run->rest);
    syn_slabs_free(&run->slabs);
    free(run->last_slab);
    free(run->result);
    pthread_mutex_destroy(&run->lock);
    pthread_mutex_destroy(&run->link);
    pthread_cond_destroy(&run->moved);
}

/* The damage that the others met, once all is told. */
static int share_faults(const struct syn_match *match)
{
    int status = 0;
    if (syn_team_helps(match->team))
        return syn_match_send_faults(match);
    for (int peer = 1; match->team && peer < match->team->link.size && status == 0; peer++)
        status = syn_match_receive_faults(match, peer);
    return status;
}

int syn_match_run(const struct syn_match *match, struct syn_match_totals *totals)
{
    struct run run = {.match = match, .totals = totals};
    pthread_mutex_init(&run.lock, NULL);
    pthread_mutex_init(&run.link, NULL);
    pthread_cond_init(&run.moved, NULL);
    run.status = prepare(&run);
    if (run.status == 0 && run.turn_count > 0)
        syn_threads_run((run.window - 1) / 2, work, &run);
    if (run.status == 0)
        run.status = share_faults(match);
    clean_up(&run);
    return run.status;
}
