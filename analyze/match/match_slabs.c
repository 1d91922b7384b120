/* analyze/match/match_slabs.c - all slabs of a trace, on several threads, told in their order.
 *
 * A thread takes the next slab, matches it into a part of its own, and leaves it at the slab's
 * turn; whoever finds the next part there tells it. What lacks members is merged with what earlier
 * slabs left: their members are found in the next slab or the one after, as a rule. */
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
/* A decoded event in a lane, with what decoding it needs. */
#define LANE_BYTES_PER_EVENT 96

struct result {
    bool ready;
    void *part;
    struct syn_match_totals totals;
    struct syn_matcher matcher; /* holds what lacks members */
};

struct run {
    const struct syn_match *match;
    struct syn_match_totals *totals;
    struct syn_slabs slabs;
    size_t *last_slab; /* [rank_count], that has a chunk of the rank; SIZE_MAX: none */
    struct syn_matcher rest;
    struct result *result; /* [window], of slab s at s mod window */
    size_t window;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t moved;
    size_t next_slab, next_told;
    bool telling;
    int status;
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

static int tell(struct run *run, struct result *result, size_t slab)
{
    const struct syn_match *match = run->match;
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

static void drop(struct run *run, struct result *result)
{
    drop_part(run->match, result->part);
    syn_match_totals_free(&result->totals);
    syn_matcher_end(&result->matcher);
    *result = (struct result){0};
}

/* ---- matching a slab ---- */

static int match_slab(struct run *run, struct syn_lanes *lanes, size_t slab, struct result *out)
{
    const uint32_t *first = run->slabs.first + slab * run->slabs.rank_count;
    *out = (struct result){.part = begin_part(run->match)};
    int status = out->part ? 0 : SYN_ENOMEM;
    if (status == 0)
        status = syn_match_totals_begin(&out->totals, syn_trace_size(run->match->trace));
    if (status == 0)
        status = syn_matcher_begin(&out->matcher, run->match, &out->totals, out->part);
    if (status == 0)
        status = syn_lanes_seek(lanes, first, first + run->slabs.rank_count);
    return status ? status : syn_matcher_read(&out->matcher, lanes);
}

/* With the lock held; given up while a part is told. */
static void tell_ready(struct run *run)
{
    while (!run->telling && run->status == 0 && run->result[run->next_told % run->window].ready) {
        size_t slab = run->next_told;
        struct result *result = &run->result[slab % run->window];
        run->telling = true;
        pthread_mutex_unlock(&run->lock);
        int status = tell(run, result, slab);
        pthread_mutex_lock(&run->lock);
        if (status)
            run->status = status;
        drop(run, result);
        run->telling = false;
        run->next_told++;
        pthread_cond_broadcast(&run->moved);
    }
}

/* The next slab, once it is not too far ahead of those told; false when there is none. With the
 * lock held. */
static bool take_slab(struct run *run, size_t *slab)
{
    while (run->status == 0 && run->next_slab < run->slabs.count &&
           run->next_slab >= run->next_told + run->window)
        pthread_cond_wait(&run->moved, &run->lock);
    if (run->status || run->next_slab == run->slabs.count)
        return false;
    *slab = run->next_slab++;
    return true;
}

static void *work(void *argument)
{
    struct run *run = argument;
    struct syn_lanes lanes;
    size_t slab;
    int status = syn_lanes_open(run->match->trace, &lanes);
    pthread_mutex_lock(&run->lock);
    while (status == 0 && take_slab(run, &slab)) {
        struct result result;
        pthread_mutex_unlock(&run->lock);
        status = match_slab(run, &lanes, slab, &result);
        pthread_mutex_lock(&run->lock);
        result.ready = true;
        run->result[slab % run->window] = result;
        if (status == 0)
            tell_ready(run);
    }
    if (status)
        run->status = run->status ? run->status : status;
    pthread_cond_broadcast(&run->moved);
    pthread_mutex_unlock(&run->lock);
    syn_lanes_close(&lanes);
    return NULL;
}

/* ---- a whole trace ---- */

static size_t thread_count(const struct run *run)
{
    size_t chunk_count = 0, threads = syn_thread_count();
    for (int32_t r = 0; r < syn_trace_size(run->match->trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(run->match->trace, r);
        chunk_count += file ? syn_rank_chunk_count(file) : 0;
    }
    uint64_t chunk_events = chunk_count ? run->slabs.event_count / chunk_count : 0;
    uint64_t bytes = chunk_events * run->slabs.rank_count * LANE_BYTES_PER_EVENT;
    if (!run->match->sink.part_begin)
        threads = 1;
    while (threads > 1 && run->match->memory_bytes && threads * bytes > run->match->memory_bytes)
        threads--;
    return threads < run->slabs.count ? threads : run->slabs.count;
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
    size_t threads = thread_count(run);
    run->window = 2 * threads + 1;
    run->result = calloc(run->window, sizeof *run->result);
    return run->result ? 0 : SYN_ENOMEM;
}

static void clean_up(struct run *run)
{
    for (size_t i = 0; i < run->window && run->result; i++)
        drop(run, &run->result[i]);
    drop_part(run->match, run->rest.part);
    syn_matcher_end(&run->rest);
    syn_slabs_free(&run->slabs);
    free(run->last_slab);
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
    if (run.status == 0 && run.slabs.count > 0)
        syn_threads_run((run.window - 1) / 2, work, &run);
    clean_up(&run);
    return run.status;
}
