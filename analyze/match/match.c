/* analyze/match/match.c - all slices of a trace, on several threads, told in their order.
 *
 * A thread takes the next slice, matches it into a partial result of its own, and leaves it there;
 * whoever finds the next one tells it. What lacks members is joined with what
 * earlier slices left: their members are found in the next slice or the one after, as a rule.
 */
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
    struct syn_slice_result *result; /* [window], of slice s at s mod window */
    size_t window, thread_count;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t moved;
    size_t next, next_told; /* slice to be matched, and to be told */
    bool telling;
    int status;
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
    int status = syn_emit_instance(&run->maker, pending, &run->between.attributes, run->partial,
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

/* With the lock held; given up while a result is told. */
static void tell_ready(struct run *run)
{
    while (!run->telling && run->status == SYN_OK &&
           run->result[run->next_told % run->window].ready) {
        struct syn_slice_result *result = &run->result[run->next_told % run->window];
        run->telling = true;
        pthread_mutex_unlock(&run->lock);
        int status = tell(run, result, run->next_told);
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

/* The next slice, once that is not too far ahead of those told; false when there is none. With the
 * lock held. */
static bool take_slice(struct run *run, size_t *slice)
{
    while (run->status == SYN_OK && run->next < run->slices.count &&
           run->next >= run->next_told + run->window)
        pthread_cond_wait(&run->moved, &run->lock);
    *slice = run->next;
    if (run->status != SYN_OK || run->next == run->slices.count)
        return false;
    run->next++;
    return true;
}

/* With the lock held, but while a slice is matched. */
static void take_slices(struct run *run, struct syn_slice_reader *reader)
{
    size_t slice;
    int status = SYN_OK;
    while (status == SYN_OK && take_slice(run, &slice)) {
        struct syn_slice_result result;
        pthread_mutex_unlock(&run->lock);
        status = match_slice(run, reader, slice, &result);
        pthread_mutex_lock(&run->lock);
        result.ready = true;
        run->result[slice % run->window] = result;
        if (status == SYN_OK)
            tell_ready(run);
        pthread_cond_broadcast(&run->moved);
    }
    run->status = run->status != SYN_OK ? run->status : status;
}

static void *work(void *argument)
{
    struct run *run = argument;
    struct syn_slice_reader *reader;
    const int status = syn_slice_reader_begin(run->match, &run->names, &reader);
    pthread_mutex_lock(&run->lock);
    run->status = run->status != SYN_OK ? run->status : status;
    take_slices(run, reader);
    pthread_cond_broadcast(&run->moved);
    pthread_mutex_unlock(&run->lock);
    syn_slice_reader_end(reader);
    return NULL;
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
    return syn_least(threads, run->slices.count);
}

/* A sink without partial results is told instances as the slices have them: these must not depend
 * on threads or memory. */
static struct syn_slice_wish slice_wish(const struct syn_match *match)
{
    const bool any = match->sink.partial_begin != NULL;
    return (struct syn_slice_wish){.events = match->slice_events,
                                   .enough =
                                       syn_slices_enough(any ? syn_thread_count() : SYN_SLICES_FEW),
                                   .memory_bytes = any ? match->memory_bytes : 0};
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
    run->thread_count = thread_count(run);
    run->window = 2 * run->thread_count + 1;
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
    free(run->result);
    pthread_mutex_destroy(&run->lock);
    pthread_cond_destroy(&run->moved);
}

int syn_match_run(const struct syn_match *match, struct syn_match_totals *totals)
{
    struct run run = {.match = match, .totals = totals};
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.moved, NULL);
    run.status = prepare(&run);
    if (run.status == SYN_OK && run.slices.count > 0)
        syn_threads_run(run.thread_count, work, &run);
    clean_up(&run);
    return run.status;
}
