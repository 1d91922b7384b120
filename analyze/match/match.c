/* analyze/match/match.c - matches all slices of a trace on several threads, and delivers their
 * results in order.
 *
 * A thread takes the next slice and matches it into a partial result. It stores the result, and
 * delivers all results that are next in order to the sink. An instance may have members in several
 * slices, usually in two consecutive ones. So each slice leaves its pending instances, which are
 * joined with those of the slices before. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/instance.h"
#include "analyze/match/match_internal.h"
#include "analyze/match/members/streams.h"
#include "analyze/threads.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Number of slices during which a pending instance delays the watermark, in a trace of many slices.
 */
#define LATENESS_SLICES 4
/* Number of pending instances from which on each slice looks for those that stay incomplete. */
#define PENDING_MANY 65536

struct run {
    const struct syn_match *match;
    struct syn_match_totals *totals;
    struct syn_slices slices;
    struct syn_trace_names names; /* shared by all threads */
    size_t *last_slice; /* [rank_count], the last slice with a chunk of the rank; SIZE_MAX: none */
    struct syn_pending_table between; /* instances pending between slices */
    size_t forget_at; /* number of attributes in `between` beyond which unused ones are removed */
    struct syn_instance_maker maker;
    void *partial; /* partial result of instances that were pending between slices; else NULL */
    struct syn_slice_result *result; /* [window], that of slice s at index s mod window */
    size_t window, thread_count;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t progressed;
    size_t next, next_delivered; /* the next slices to be matched and to be delivered */
    bool is_delivering;          /* a thread delivers a result */
    int status;
};

/* ---- instances that are pending between slices ---- */

/* Returns whether the instance lacks a member of a rank that has no later slice. */
static bool stays_incomplete(const struct run *run, const struct syn_pending *pending, size_t slice)
{
    const struct syn_communicator *comm = &run->match->comms->comm[pending->comm];
    for (uint32_t m = 0; m < pending->capacity && !pending->by_arrival; m++) {
        size_t last = run->last_slice[comm->world_rank[m]];
        if (pending->attributes[m] == SYN_NO_ATTRIBUTES && (last == SIZE_MAX || last <= slice))
            return true;
    }
    return false;
}

static int emit_pending(struct run *run, struct syn_pending *pending)
{
    int status = syn_emit_instance(&run->maker, pending, &run->between.attributes, run->partial,
                                   run->totals);
    syn_pending_remove(&run->between, pending);
    return status;
}

/* Emits the pending instances that stay incomplete: after the last slice all of them. Before that
 * it looks for them only if very many instances are pending. */
static int emit_incomplete(struct run *run, size_t slice)
{
    const bool last = slice + 1 >= run->slices.count;
    const size_t count = run->between.chains.count;
    if (!last && count < PENDING_MANY)
        return 0;
    SYN_FREED struct syn_pending **pending = syn_pending_sorted(&run->between);
    int status = pending ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        if (last || stays_incomplete(run, pending[i], slice))
            status = emit_pending(run, pending[i]);
    return status;
}

/* Returns the watermark after a slice: no later instance starts before it, unless it was pending
 * for more than LATENESS_SLICES. */
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

/* Removes attributes that no pending instance has, once there are many. */
static int forget_attributes(struct run *run)
{
    if (run->between.attributes.count <= run->forget_at)
        return 0;
    int status = syn_pending_forget(&run->between);
    run->forget_at = SYN_ATTRIBUTES_MANY + 2 * run->between.attributes.count;
    return status;
}

/* Joins the instances that a slice left with those of the slices before, and emits those that are
 * complete now. */
static int join_leftovers(struct run *run, struct syn_leftovers *left, size_t slice)
{
    struct syn_pending *joined;
    int status = forget_attributes(run);
    for (size_t i = 0; i < left->count && status == SYN_OK; i++) {
        left->pending[i]->slice = (uint32_t)slice;
        status = syn_pending_join(&run->between, left, i, &joined, &run->totals->duplicate_count);
        if (status == SYN_OK && syn_pending_is_over(joined))
            status = emit_pending(run, joined);
    }
    if (run->between.count_most > run->totals->pending_peak)
        run->totals->pending_peak = run->between.count_most;
    return status != SYN_OK ? status : emit_incomplete(run, slice);
}

/* ---- delivering results ---- */

/* Delivers all results that are next in order, unless another thread does. The caller holds the
 * lock; it is released during each delivery.
 *
 * Plan of a delivery: add the result's totals; end its partial result; begin another partial
 * result, of the instances that were pending until this slice; end that, with the watermark; report
 * progress. */
static void deliver_ready(struct run *run)
{
    while (!run->is_delivering && run->status == SYN_OK &&
           run->result[run->next_delivered % run->window].ready) {
        struct syn_slice_result *result = &run->result[run->next_delivered % run->window];
        run->is_delivering = true;
        pthread_mutex_unlock(&run->lock);
        const struct syn_match *match = run->match;
        syn_match_totals_add(run->totals, &result->totals);
        syn_match_totals_free(&result->totals);
        int status = syn_partial_end(match, result->partial, INT64_MIN);
        result->partial = NULL;
        if (status == SYN_OK && !(run->partial = syn_partial_begin(match)))
            status = SYN_ENOMEM;
        SYN_STEP(status, join_leftovers(run, &result->left, run->next_delivered));
        if (status == SYN_OK) {
            status =
                syn_partial_end(match, run->partial, watermark_after(run, run->next_delivered));
            run->partial = NULL;
        }
        if (status == SYN_OK && match->sink.progress)
            match->sink.progress(match->sink.ctx, run->totals->event_count,
                                 run->slices.event_count);
        pthread_mutex_lock(&run->lock);
        if (status != SYN_OK)
            run->status = status;
        syn_slice_result_drop(run->match, result);
        run->is_delivering = false;
        run->next_delivered++;
        pthread_cond_broadcast(&run->progressed);
    }
}

/* ---- matching slices, on each thread ---- */

static int match_slice(struct run *run, struct syn_slice_reader *reader, size_t slice,
                       struct syn_slice_result *out)
{
    const uint32_t *first = run->slices.first + slice * run->slices.rank_count;
    int status = syn_slice_result_begin(run->match, out);
    return status != SYN_OK ? status
                            : syn_slice_read(reader, first, first + run->slices.rank_count, out);
}

/* Takes the next slice, once its result has a place in the window. Returns false if there is no
 * slice, or after an error. The caller holds the lock. */
static bool next_slice(struct run *run, size_t *slice)
{
    while (run->status == SYN_OK && run->next < run->slices.count &&
           run->next >= run->next_delivered + run->window)
        pthread_cond_wait(&run->progressed, &run->lock);
    *slice = run->next;
    if (run->status != SYN_OK || run->next == run->slices.count)
        return false;
    run->next++;
    return true;
}

static void *work(void *argument)
{
    struct run *run = argument;
    struct syn_slice_reader *reader;
    int status = syn_slice_reader_begin(run->match, &run->names, &reader);
    pthread_mutex_lock(&run->lock);
    size_t slice;
    while (status == SYN_OK && next_slice(run, &slice)) {
        struct syn_slice_result result;
        pthread_mutex_unlock(&run->lock);
        status = match_slice(run, reader, slice, &result);
        pthread_mutex_lock(&run->lock);
        result.ready = true;
        run->result[slice % run->window] = result;
        if (status == SYN_OK)
            deliver_ready(run);
        pthread_cond_broadcast(&run->progressed);
    }
    run->status = run->status != SYN_OK ? run->status : status;
    pthread_cond_broadcast(&run->progressed);
    pthread_mutex_unlock(&run->lock);
    syn_slice_reader_end(reader);
    return NULL;
}

/* ---- a whole trace ---- */

/* Returns the number of threads whose readers fit into memory, one at least. */
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

/* Plan: cut the trace into slices; open what the threads share; find each rank's last slice; choose
 * the number of threads, and twice as many results to wait for their delivery. */
static int prepare(struct run *run)
{
    /* RATIONALE: a sink without partial results gets instances in
     * the order of slices, so the cut must not depend on threads or memory. */
    const struct syn_match *match = run->match;
    const bool any = match->sink.partial_begin != NULL;
    const struct syn_slice_wish wish = (struct syn_slice_wish){
        .events = match->slice_events,
        .enough = syn_slices_enough(any ? syn_thread_count() : SYN_SLICES_FEW),
        .memory_bytes = any ? match->memory_bytes : 0};
    int32_t rank_count = syn_trace_size(run->match->trace);
    int status = syn_match_totals_begin(run->totals, rank_count);
    SYN_STEP(status, syn_slices_cut(run->match->trace, &wish, &run->slices));
    run->totals->slice_count = run->slices.count;
    SYN_STEP(status, syn_trace_names_open(run->match->trace, run->match->symbols, run->match->names,
                                          &run->names));
    SYN_STEP(status, syn_pending_begin(&run->between, run->match->comms));
    SYN_STEP(status, syn_instance_maker_begin(&run->maker, run->match));
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

int syn_match_run(const struct syn_match *match, struct syn_match_totals *totals)
{
    struct run run = {.match = match, .totals = totals};
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.progressed, NULL);
    run.status = prepare(&run);
    if (run.status == SYN_OK && run.slices.count > 0)
        syn_threads_run(run.thread_count, work, &run);
    for (size_t i = 0; i < run.window && run.result; i++)
        syn_slice_result_drop(run.match, &run.result[i]);
    syn_partial_drop(run.match, run.partial);
    syn_pending_free(&run.between);
    syn_instance_maker_end(&run.maker);
    syn_slices_free(&run.slices);
    syn_trace_names_close(&run.names);
    free(run.last_slice);
    free(run.result);
    pthread_mutex_destroy(&run.lock);
    pthread_cond_destroy(&run.progressed);
    return run.status;
}
