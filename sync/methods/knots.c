/* sync/methods/knots.c - makes the knots of a timeline from measurements (session.h). */
#include <math.h>

#include "sync/base/integers.h"
#include "sync/methods/session.h"

static void add_knot(struct syn_sync *sync, struct syn_knot knot)
{
    syn_link_fail(&sync->link, syn_timeline_add(&sync->timeline, knot));
}

void syn_set_model(struct syn_sync *sync, const struct syn_model *model)
{
    sync->timeline.slope_before = sync->timeline.slope_after = model->slope;
    sync->timeline.slope_half_width = model->slope_half_width;
    sync->timeline.wander = SYN_WANDER;
    sync->timeline.wander_time_s = SYN_WANDER_TIME_S;
    add_knot(sync, (struct syn_knot){model->x_ns, model->y_ns, model->half_width_ns});
}

/* The drift has changed if the slope learned at begin and the next chord differ by more than ERRORS
 * standard errors of that slope plus CHORD_SHARE of the chord's half width. The bound then
 * grows. */
#define ERRORS      2
#define CHORD_SHARE 0.1
/* Allowance for a drift whose mean over the run has changed by D. The clock may have kept its old
 * drift for four fifths of the run and have left the chord four times as fast afterwards. */
#define CHANGE_FACTOR 4

void syn_add_knot(struct syn_sync *sync, struct syn_knot knot)
{
    struct syn_timeline *timeline = &sync->timeline;

    add_knot(sync, knot);
    if (timeline->knot_count < 2)
        return;
    const struct syn_knot *right = &timeline->knots[timeline->knot_count - 1], *left = right - 1;
    const double span_ns = (double)(right->local_ns - left->local_ns);

    /* The chord between the two newest knots: its slope, and half its width. */
    const double slope = (double)(right->offset_ns - left->offset_ns) / span_ns;
    const double half_width =
        ((double)right->half_width_ns + (double)left->half_width_ns) / span_ns;
    /* How fast the clock leaves a straight line, beyond the errors of measurement. */
    const double changed = fabs(slope - timeline->slope_after);
    const double doubt = ERRORS * sync->slope_error + CHORD_SHARE * half_width + SYN_WANDER;
    const bool has_changed = timeline->knot_count == 2 && sync->slope_error > 0 && changed > doubt;
    const double wander = has_changed ? CHANGE_FACTOR * changed
                                      : fmax(0, changed - half_width - timeline->slope_half_width);

    timeline->wander = fmax(timeline->wander, wander);
    if (half_width >= timeline->slope_half_width)
        return;
    timeline->slope_after = slope;
    if (timeline->knot_count == 2) { /* later chords tell nothing of the time before */
        timeline->slope_before = slope;
        timeline->slope_half_width = half_width;
    }
}

/* Narrows the knot by the bounds learned in the turns of begin. The truth lies within both bounds;
 * the narrower one gives the estimate. */
static void narrow_by_learned(const struct syn_sync *sync, struct syn_knot *knot)
{
    const struct syn_model *learned = &sync->learned;
    const int64_t y_ns = syn_model_offset_ns(learned, knot->local_ns);
    const int64_t width_ns = syn_model_bound_ns(learned, knot->local_ns);
    const double apart_ns = (double)(y_ns - knot->offset_ns);
    const double low_ns = fmax(-(double)knot->half_width_ns, apart_ns - (double)width_ns);
    const double high_ns = fmin((double)knot->half_width_ns, apart_ns + (double)width_ns);
    double best_ns = knot->half_width_ns <= width_ns ? 0 : apart_ns;

    if (low_ns > high_ns) /* the clock moved more than the bounds allow */
        return;
    best_ns = fmin(fmax(best_ns, low_ns), high_ns);
    knot->offset_ns = syn_add_ns(knot->offset_ns, syn_saturate(best_ns));
    knot->half_width_ns = syn_saturate(ceil(fmax(high_ns - best_ns, best_ns - low_ns)));
}

void syn_add_point(struct syn_sync *sync, int peer, const struct syn_point *point,
                   int64_t peer_bound_ns)
{
    struct syn_knot knot = {point->x_ns, point->y_ns,
                            syn_add_ns(point->high_ns - point->y_ns, peer_bound_ns)};

    if (sync->link.status != SYN_OK) /* data that did not arrive must not become a knot */
        return;
    syn_keep_point(sync, peer, point);
    if (sync->has_learned)
        narrow_by_learned(sync, &knot);
    syn_add_knot(sync, knot);
}

/* Returns the bound of this reference's own global time, which ranks that learn from it add to
 * theirs. */
static int64_t own_bound_ns(const struct syn_sync *sync)
{
    const syn_local_time now = {syn_link_now_ns(&sync->link)};

    return syn_timeline_bound_ns(&sync->timeline, now);
}

/* Message of the reference after each batch of ping-pongs. */
struct batch_reply {
    int64_t bound_ns; /* bound of its own global time */
    int64_t again;    /* enum again */
};

/* Decision after a batch. */
enum again {
    ENOUGH,
    AGAIN,
    AGAIN_GOOD
}; /* AGAIN_GOOD: some were quick, so continue without a pause */

void syn_note_rtt(struct syn_sync *sync, int peer, int64_t rtt_ns)
{
    if (sync->best_rtt_peer != peer || sync->best_rtt_ns <= 0 || rtt_ns < sync->best_rtt_ns)
        sync->best_rtt_ns = rtt_ns;
    sync->best_rtt_peer = peer;
}

static void pause_before_retry(const struct syn_sync *sync)
{
    syn_link_sleep_until(&sync->link, syn_link_now_ns(&sync->link) + SYN_RETRY_PAUSE_NS);
}

/* Returns the size of the next batch: a few exchanges first; once some were quick, the rest of the
 * measurement; else a few again. RATIONALE: if ranks share a processor, each exchange takes a time
 * slice, and a full measurement would take all the time there is. Both sides compute the same
 * number. */
static int batch_of(int count, bool good)
{
    return count > 0 && good && count < SYN_PINGPONG_COUNT ? SYN_PINGPONG_COUNT - count
                                                           : SYN_RETRY_COUNT;
}

static bool has_room(int count)
{
    return count + SYN_PINGPONG_COUNT <= SYN_EXCHANGE_LIMIT;
}

/* Pings until the reference says that it is enough. Returns the number of exchanges. */
static int ping_in_batches(struct syn_sync *sync, int peer, int64_t *peer_bound_ns)
{
    /* The reference judges its echoes by the shortest known round trip. A new peer may be twice as
     * far away as the last one; before the very first, nothing is known. */
    const int64_t best_ns = sync->best_rtt_ns <= 0        ? INT64_MAX / 4
                            : sync->best_rtt_peer == peer ? sync->best_rtt_ns
                                                          : 2 * sync->best_rtt_ns;
    int count = 0;
    struct batch_reply reply = {0};

    do {
        const int batch = batch_of(count, reply.again == AGAIN_GOOD);
        if (reply.again == AGAIN)
            pause_before_retry(sync);
        syn_link_watch(&sync->link);
        syn_ping_with_best(&sync->link, peer, batch, best_ns, sync->exchanges + count);
        syn_link_move_if_disturbed(&sync->link);
        count += batch;
        syn_link_recv(&sync->link, peer, &reply, sizeof reply);
        if (sync->link.status != SYN_OK) /* lost: assume the most likely answer */
            reply.again = count < SYN_PINGPONG_COUNT ? AGAIN_GOOD : ENOUGH;
        *peer_bound_ns = syn_largest(*peer_bound_ns, reply.bound_ns);
    } while (reply.again != ENOUGH && has_room(count));
    int64_t shortest_ns = INT64_MAX;
    for (int i = 0; i < count; i++)
        shortest_ns =
            syn_least(sync->exchanges[i].recv_ns - sync->exchanges[i].send_ns, shortest_ns);
    syn_note_rtt(sync, peer, shortest_ns);
    return count;
}

static void serve_measure(struct syn_sync *sync, int peer)
{
    /* This reference may ask for more until then. Its time is divided among the ranks that it
     * serves; time that one does not need is left for the next. */
    const int64_t all_ns = sync->stage > 0 ? SYN_RETRY_BETWEEN_NS : SYN_RETRY_END_NS;

    sync->served_count++;
    const int64_t until_ns =
        sync->measure_start_ns + all_ns / sync->serve_limit * sync->served_count;
    struct batch_reply reply = {0};
    int count = 0;

    do {
        const int batch = batch_of(count, reply.again == AGAIN_GOOD);
        reply.bound_ns = own_bound_ns(sync);
        if (reply.again == AGAIN)
            pause_before_retry(sync);
        const bool good = syn_echo_judging(&sync->link, peer, batch, &sync->timeline);
        count += batch;
        /* The bound changes in one direction during the echo, so the worse end covers it. */
        reply.bound_ns = syn_largest(reply.bound_ns, own_bound_ns(sync));
        if (sync->link.status != SYN_OK || !has_room(count))
            reply.again = ENOUGH;
        else if (good)
            reply.again = count < SYN_PINGPONG_COUNT ? AGAIN_GOOD : ENOUGH;
        else
            reply.again = syn_link_now_ns(&sync->link) < until_ns ? AGAIN : ENOUGH;
        syn_link_send(&sync->link, peer, &reply, sizeof reply);
    } while (reply.again != ENOUGH);
}

void syn_measure_tree(struct syn_sync *sync, enum syn_tree_kind kind,
                      const struct syn_rank_set *ranks, int index, int count)
{
    struct syn_tree tree = syn_tree_start(kind, index, count);

    sync->measure_start_ns = syn_link_now_ns(&sync->link);
    sync->serve_limit = syn_tree_round_count(kind, count);
    sync->served_count = 0;
    for (struct syn_tree_step step; syn_tree_next(&tree, &step);) {
        const int peer = ranks ? syn_rank_set_at(ranks, step.peer) : step.peer;
        if (step.serve) {
            serve_measure(sync, peer);
            continue;
        }
        /* Measure the offset to the peer's *global* clock and add a knot. */
        const double slope = sync->timeline.slope_after;
        const double rate = sync->timeline.slope_half_width + sync->timeline.wander;
        int64_t peer_bound_ns = 0;
        const int exchange_count = ping_in_batches(sync, peer, &peer_bound_ns);
        const struct syn_point point =
            syn_point_from_bounds(sync->exchanges, exchange_count, slope, rate);

        syn_add_point(sync, peer, &point, peer_bound_ns);
    }
}
