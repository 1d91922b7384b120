/* analyze/match/match.c - all slices of a trace, on several threads, told in their order.
 *
 * A thread takes the next slice, matches it into a partial result of its own, and leaves it at the
 * slice's turn; whoever finds the next one there tells it. What lacks members is joined with what
 * earlier slices left: their members are found in the next slice or the one after, as a rule.
 *
 * In a team slices are dealt to the processes by rounds; process 0, which takes in what all found
 * of the run, sits out more of them the more processes there are. The turns of process 0 are all
 * slices, and for the others' it waits for what they send; the turns of the others are their own
 * slices, and what they tell goes to process 0. A thread more does nothing but that, and is asleep
 * as a rule: else a process would not begin a slice before process 0 has the one before, which has
 * to match one of its own first, and all would be as slow as the slowest of them in each round. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/instance.h"
#include "analyze/match/match_internal.h"
#include "analyze/match/members/streams.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Number of slices after which a pending instance no longer holds back later ones, in a trace with
 * many. */
#define LATENESS_SLICES 4
/* A process takes in this many slices in the time that it matches one, at least. */
#define TAKE_IN_SHARE 64
/* Only when that many are pending is it worth asking which of them can still become complete. */
#define PENDING_MANY 65536

struct run {
    const struct syn_match *match;
    struct syn_match_totals *totals;
    struct syn_slices slices;
    struct syn_trace_names names; /* of all threads */
    size_t *last_slice;           /* [rank_count], that has a chunk of the rank; SIZE_MAX: none */
    struct syn_pending_table between; /* pending between slices */
    size_t forget_at; /* attributes of it: then those that are no longer named are forgotten */
    struct syn_instance_maker maker;
    void *partial; /* of what was pending between slices; NULL when none is being told */
    struct syn_slice_result *result; /* [window], of turn t at t mod window */
    size_t window;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t moved;
    size_t next_turn[2]; /* of slices matched elsewhere, and of those matched here */
    size_t next_told, turn_count;
    bool exchanges; /* a thread does nothing else */
    bool telling;
    int status;
    int *owner;           /* [slices.count], process that matches the slice */
    size_t *turn;         /* [turn_count], its slice */
    size_t thread_count;  /* that match */
    pthread_mutex_t link; /* of the team's */
};

/* ---- telling the partial results in their order ---- */

/* Does it lack a member of whose rank nothing more comes? */
static bool is_hopeless(const struct run *run, const struct syn_pending *pending, size_t slice)
{
    const struct syn_communicator *comm = &run->match->comms->comm[pending->comm];
    for (uint32_t m = 0; m < pending->capacity && !pending->by_arrival; m++) {
        size_t last = run->last_slice[comm->world_rank[m]];
        if (pending->attributes[m] == SYN_NO_ATTRIBUTES && (last == SIZE_MAX || last <= slice))
            return true;
    }
    return false;
}

static int tell_pending(struct run *run, struct syn_pending *pending)
{
    int status = syn_tell_instance(&run->maker, pending, &run->between.attributes, run->partial,
                                   run->totals);
    syn_pending_remove(&run->between, pending);
    return status;
}

/* The ones that lack members for good, once reading is over or they are many. */
static int give_up(struct run *run, size_t slice)
{
    const bool last = slice + 1 >= run->slices.count;
    const size_t count = run->between.chains.count;
    if (!last && count < PENDING_MANY)
        return 0;
    struct syn_pending **pending = syn_pending_sorted(&run->between);
    int status = pending ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        if (last || is_hopeless(run, pending[i], slice))
            status = tell_pending(run, pending[i]);
    free(pending);
    return status;
}

/* Nothing that is yet to come starts before, but for members that come very late. */
static int64_t watermark_after(const struct run *run, size_t slice)
{
    if (slice + 1 >= run->slices.count)
        return INT64_MAX;
    const bool few = run->slices.count <= SYN_SLICES_FEW + 1;
    int64_t watermark_ns = run->slices.begin_ns[slice + 1];
    for (const struct syn_pending *pending = NULL;
         (pending = syn_pending_next(&run->between, pending));)
        if (few || pending->slice + LATENESS_SLICES > slice)
            watermark_ns = syn_least(watermark_ns, pending->first_start_ns);
    return watermark_ns;
}

static int forget_attributes(struct run *run)
{
    if (run->between.attributes.count <= run->forget_at)
        return 0;
    int status = syn_pending_forget(&run->between);
    run->forget_at = SYN_ATTRIBUTES_MANY + 2 * run->between.attributes.count;
    return status;
}

/* Joins a slice's leftovers with those of the slices before it. */
static int join_leftovers(struct run *run, struct syn_leftovers *left, size_t slice)
{
    struct syn_pending *joined;
    int status = forget_attributes(run);
    for (size_t i = 0; i < left->count && status == SYN_OK; i++) {
        left->pending[i]->slice = (uint32_t)slice;
        status = syn_pending_join(&run->between, left, i, &joined, &run->totals->duplicate_count);
        if (status == SYN_OK && syn_pending_is_over(joined))
            status = tell_pending(run, joined);
    }
    if (run->between.count_most > run->totals->pending_peak)
        run->totals->pending_peak = run->between.count_most;
    return status != SYN_OK ? status : give_up(run, slice);
}

static int tell(struct run *run, struct syn_slice_result *result, size_t slice)
{
    const struct syn_match *match = run->match;
    if (syn_team_helps(match->team))
        return syn_match_send(match, slice, result);
    syn_match_totals_add(run->totals, &result->totals);
    syn_match_totals_free(&result->totals);
    int status = syn_partial_end(match, result->partial, INT64_MIN);
    result->partial = NULL;
    if (status == SYN_OK && !(run->partial = syn_partial_begin(match)))
        status = SYN_ENOMEM;
    if (status == SYN_OK)
        status = join_leftovers(run, &result->left, slice);
    if (status == SYN_OK) {
        status = syn_partial_end(match, run->partial, watermark_after(run, slice));
        run->partial = NULL;
    }
    if (status == SYN_OK && match->sink.progress)
        match->sink.progress(match->sink.ctx, run->totals->event_count, run->slices.event_count);
    return status;
}

/* ---- matching a slice ---- */

static int match_slice(struct run *run, struct syn_slice_reader *reader, size_t slice,
                       struct syn_slice_result *out)
{
    const uint32_t *first = run->slices.first + slice * run->slices.rank_count;
    int status = syn_slice_result_begin(run->match, out);
    return status != SYN_OK ? status
                            : syn_slice_read(reader, first, first + run->slices.rank_count, out);
}

/* Obtains the result of slice *slice. If several threads wait for slices of a peer, the first of
 * them gets the first: then *slice is that one. */
static int obtain(struct run *run, struct syn_slice_reader *reader, size_t *slice,
                  struct syn_slice_result *out)
{
    const struct syn_team *team = run->match->team;
    const int peer = run->owner[*slice];
    if (!team || peer == team->link.rank)
        return match_slice(run, reader, *slice, out);
    pthread_mutex_lock(&run->link);
    int status = syn_match_receive(run->match, peer, slice, out);
    pthread_mutex_unlock(&run->link);
    return status;
}

/* With the lock held; given up while a result is told. */
static void tell_ready(struct run *run)
{
    while (!run->telling && run->status == SYN_OK &&
           run->result[run->next_told % run->window].ready) {
        struct syn_slice_result *result = &run->result[run->next_told % run->window];
        run->telling = true;
        pthread_mutex_unlock(&run->lock);
        int status = tell(run, result, run->turn[run->next_told]);
        pthread_mutex_lock(&run->lock);
        if (status != SYN_OK)
            run->status = status;
        syn_slice_result_drop(run->match, result);
        run->telling = false;
        run->next_told++;
        pthread_cond_broadcast(&run->moved);
    }
}

/* ---- threads ---- */

static bool is_ours(const struct run *run, size_t turn)
{
    const struct syn_team *team = run->match->team;
    return !team || run->owner[run->turn[turn]] == team->link.rank;
}

/* The first from `turn` on that is matched here, or elsewhere; turn_count: there is none. */
static size_t find_turn(const struct run *run, size_t turn, bool ours)
{
    while (turn < run->turn_count && is_ours(run, turn) != ours)
        turn++;
    return turn;
}

/* A thread that matches leaves what others matched to the one that exchanges, if there is one; that
 * one matches nothing. With the lock held. */
static size_t next_turn(const struct run *run, bool exchanges)
{
    if (exchanges)
        return run->next_turn[false];
    if (run->exchanges)
        return run->next_turn[true];
    return syn_least(run->next_turn[false], run->next_turn[true]);
}

/* The next turn, once that is not too far ahead of those told; false when there is
 * none. With the lock held. */
static bool take_turn(struct run *run, bool exchanges, size_t *turn)
{
    while (run->status == SYN_OK && next_turn(run, exchanges) < run->turn_count &&
           next_turn(run, exchanges) >= run->next_told + run->window)
        pthread_cond_wait(&run->moved, &run->lock);
    *turn = next_turn(run, exchanges);
    if (run->status || *turn == run->turn_count)
        return false;
    const bool ours = is_ours(run, *turn);
    run->next_turn[ours] = find_turn(run, *turn + 1, ours);
    return true;
}

/* Is telling left to the thread that exchanges? Process 0 sends nothing. With the lock held. */
static bool tells_apart(const struct run *run)
{
    return run->exchanges && syn_team_helps(run->match->team);
}

static void take_turns(struct run *run, struct syn_slice_reader *reader, bool exchanges)
{
    size_t turn;
    int status = SYN_OK;
    while (status == SYN_OK && take_turn(run, exchanges, &turn)) {
        struct syn_slice_result result;
        size_t slice = run->turn[turn];
        pthread_mutex_unlock(&run->lock);
        status = obtain(run, reader, &slice, &result);
        pthread_mutex_lock(&run->lock);
        if (status == SYN_OK && slice != run->turn[turn])
            turn = slice; /* in process 0, whose turns are all slices */
        result.ready = true;
        run->result[turn % run->window] = result;
        if (status == SYN_OK && !tells_apart(run))
            tell_ready(run);
        pthread_cond_broadcast(&run->moved);
    }
    run->status = run->status != SYN_OK ? run->status : status;
}

/* Emits ready results until all are emitted. With the lock held. */
static void tell_all(struct run *run)
{
    while (run->status == SYN_OK && run->next_told < run->turn_count) {
        tell_ready(run);
        if (run->status == SYN_OK && run->next_told < run->turn_count)
            pthread_cond_wait(&run->moved, &run->lock);
    }
}

static void *exchange(void *argument)
{
    struct run *run = argument;
    pthread_mutex_lock(&run->lock);
    if (syn_team_helps(run->match->team))
        tell_all(run);
    else
        take_turns(run, NULL, true);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

static void *work(void *argument)
{
    struct run *run = argument;
    struct syn_slice_reader *reader;
    const int status = syn_slice_reader_begin(run->match, &run->names, &reader);
    pthread_mutex_lock(&run->lock);
    run->status = run->status != SYN_OK ? run->status : status;
    take_turns(run, reader, false);
    pthread_cond_broadcast(&run->moved);
    pthread_mutex_unlock(&run->lock);
    syn_slice_reader_end(reader);
    return NULL;
}

/* Runs the threads. Without one to exchange, the matching ones do that, too. */
static void run_threads(struct run *run)
{
    const struct syn_team *team = run->match->team;
    pthread_t exchanger;
    pthread_mutex_lock(&run->lock);
    run->exchanges =
        team && team->link.size > 1 && pthread_create(&exchanger, NULL, exchange, run) == 0;
    pthread_mutex_unlock(&run->lock);
    syn_threads_run(run->thread_count, work, run);
    if (run->exchanges)
        pthread_join(exchanger, NULL);
}

/* ---- a whole trace ---- */

static size_t thread_count(const struct run *run)
{
    size_t threads = syn_thread_count();
    uint64_t bytes = syn_streams_plan(run->match->trace, run->match->memory_bytes).bytes;
    if (!run->match->sink.partial_begin)
        threads = 1;
    while (threads > 1 && run->match->memory_bytes && threads * bytes > run->match->memory_bytes)
        threads--;
    return syn_least(threads, run->turn_count);
}

/* Does process 0 match a slice in this round? Taking in what another process says of one is less
 * than a 64th of the work of matching it: it sits out so many rounds as make up for that. */
static bool leader_matches(size_t round, int size)
{
    const size_t share = (size_t)syn_least(size, TAKE_IN_SHARE);
    return size < 2 || (round + 1) * share / TAKE_IN_SHARE == round * share / TAKE_IN_SHARE;
}

/* By rounds, and whose turns are which slices. 0 or SYN_ENOMEM. */
static int deal_turns(struct run *run)
{
    const struct syn_team *team = run->match->team;
    const int size = team ? team->link.size : 1;
    size_t round = 0;
    run->owner = malloc((run->slices.count + 1) * sizeof *run->owner);
    run->turn = malloc((run->slices.count + 1) * sizeof *run->turn);
    if (!run->owner || !run->turn)
        return SYN_ENOMEM;
    for (size_t s = 0, peer = 0; s < run->slices.count; s++) {
        if (peer == 0 && !leader_matches(round, size))
            peer++;
        run->owner[s] = (int)peer;
        if (!syn_team_helps(team) || (int)peer == team->link.rank)
            run->turn[run->turn_count++] = s;
        peer = peer + 1 < (size_t)size ? peer + 1 : 0;
        round += peer == 0;
    }
    return 0;
}

/* A sink without partial results is told instances as the slices have them: these must not depend
 * on threads or memory. Nor on the memory of one of several processes. */
static struct syn_slice_wish slice_wish(const struct syn_match *match)
{
    const bool any = match->sink.partial_begin != NULL, alone = !match->team;
    return (struct syn_slice_wish){.events = match->slice_events,
                                   .enough =
                                       syn_slices_enough(any ? syn_thread_count() : SYN_SLICES_FEW,
                                                         alone ? 1 : match->team->link.size),
                                   .memory_bytes = any && alone ? match->memory_bytes : 0};
}

static int prepare(struct run *run)
{
    const struct syn_slice_wish wish = slice_wish(run->match);
    int32_t rank_count = syn_trace_size(run->match->trace);
    int status = syn_match_totals_begin(run->totals, rank_count);
    if (status == SYN_OK)
        status = syn_slices_cut(run->match->trace, &wish, &run->slices);
    run->totals->slice_count = run->slices.count;
    if (status == SYN_OK)
        status = syn_trace_names_open(run->match->trace, run->match->symbols, run->match->names,
                                      &run->names);
    if (status == SYN_OK)
        status = syn_pending_begin(&run->between, run->match->comms);
    if (status == SYN_OK)
        status = syn_instance_maker_begin(&run->maker, run->match);
    run->forget_at = SYN_ATTRIBUTES_MANY;
    run->last_slice = malloc(((size_t)rank_count + 1) * sizeof *run->last_slice);
    if (status != SYN_OK || !run->last_slice)
        return status != SYN_OK ? status : SYN_ENOMEM;
    for (size_t r = 0; r < (size_t)rank_count; r++) {
        run->last_slice[r] = SIZE_MAX;
        for (size_t s = 0; s < run->slices.count; s++)
            if (run->slices.first[(s + 1) * run->slices.rank_count + r] >
                run->slices.first[s * run->slices.rank_count + r])
                run->last_slice[r] = s;
    }
    if (deal_turns(run))
        return SYN_ENOMEM;
    run->next_turn[false] = find_turn(run, 0, false);
    run->next_turn[true] = find_turn(run, 0, true);
    run->thread_count = thread_count(run);
    run->window = 2 * run->thread_count + 1;
    if (run->match->team && !syn_team_helps(run->match->team))
        run->window += 2 * (size_t)run->match->team->link.size; /* two rounds of the others */
    run->result = calloc(run->window, sizeof *run->result);
    return run->result ? 0 : SYN_ENOMEM;
}

static void clean_up(struct run *run)
{
    for (size_t i = 0; i < run->window && run->result; i++)
        syn_slice_result_drop(run->match, &run->result[i]);
    syn_partial_drop(run->match, run->partial);
    syn_pending_free(&run->between);
    syn_instance_maker_end(&run->maker);
    syn_slices_free(&run->slices);
    syn_trace_names_close(&run->names);
    free(run->last_slice);
    free(run->owner);
    free(run->turn);
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
    for (int peer = 1; match->team && peer < match->team->link.size && status == SYN_OK; peer++)
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
    if (run.status == SYN_OK && run.turn_count > 0)
        run_threads(&run);
    if (run.status == SYN_OK)
        run.status = share_faults(match);
    clean_up(&run);
    return run.status;
}
