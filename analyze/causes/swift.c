/* analyze/causes/swift.c - the same as a replay, for what most programs do most of the time: one
 * blocking instance of all locations after the other, each a cut.
 *
 * Between two such instances each location has one operation and one segment, so that there is
 * nothing to keep: no journal, no debts, no tree of paths. The sums are those that the replay would
 * make. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay_parts.h"
#include "sync/status.h"

/* What a location did since all were together, by the parts that its window can have. */
struct since {
    int64_t ns[4]; /* computing, messages, off_cpu; operation */
};
#define OPERATION 3

/* An instance in hand. */
struct swift {
    struct syn_replay *replay;
    uint32_t comm, group;
    int64_t together_ns;    /* when all had come to the one before */
    uint32_t segment, call; /* labels: of the segments before it, and of the instance before it */
    struct since last, others;
    uint32_t waiter_count;
    bool has_parts; /* somebody's segment is not all computing */
    int64_t debt_ns, bound_ns;
};

static const struct syn_call *next_call(const struct syn_track *track)
{
    return &track->call[track->first + track->count];
}

/* Is the next call of all locations the same instance, and a cut, with the same labels? */
static bool is_next(struct swift *swift, struct syn_meeting *meeting)
{
    const struct syn_replay *replay = swift->replay;
    const struct syn_call *first = next_call(&replay->track[0]);
    const struct syn_call_kind *kind = syn_call_kind_at(replay->tables, first->kind);
    int64_t first_end_ns = INT64_MAX, last_start_ns = INT64_MIN;
    const uint32_t point = replay->track[0].point;
    if (kind->comm != swift->comm || !kind->is_blocking)
        return false;
    for (uint32_t i = 0; i < meeting->count; i++) {
        const struct syn_track *track = &replay->track[i];
        const struct syn_call *call = next_call(track);
        const struct syn_call_kind *of = syn_call_kind_at(replay->tables, call->kind);
        if (of->comm != swift->comm || call->sequence != first->sequence || of->op != kind->op ||
            of->point != kind->point || track->point != point || call->start_ns < track->now_ns)
            return false;
        if (call->start_ns > last_start_ns) {
            last_start_ns = call->start_ns;
            meeting->last = i;
        }
        first_end_ns = call->end_ns < first_end_ns ? call->end_ns : first_end_ns;
    }
    meeting->kind = kind;
    meeting->last_start_ns = last_start_ns;
    return first_end_ns >= last_start_ns;
}

static int find_labels(struct swift *swift, const struct syn_meeting *meeting)
{
    const uint32_t point = swift->replay->track[0].point;
    swift->call = syn_replay_label(swift->replay, point, SYN_POINT_INSIDE);
    swift->segment = syn_replay_label(swift->replay, point, meeting->kind->point);
    return swift->call == SYN_NO_NUMBER || swift->segment == SYN_NO_NUMBER ? SYN_ENOMEM : 0;
}

static int64_t within(int64_t ns, int64_t most)
{
    return ns < 0 ? 0 : ns < most ? ns : most;
}

/* A segment that is not all computing. */
static void take_parts(const struct syn_call *call, int64_t segment_ns, struct since *since)
{
    since->ns[SYN_PART_MESSAGES] = within(call->messages_ns, segment_ns);
    since->ns[SYN_PART_OFF_CPU] =
        within(call->off_cpu_ns, segment_ns - since->ns[SYN_PART_MESSAGES]);
    since->ns[SYN_PART_COMPUTING] =
        segment_ns - since->ns[SYN_PART_MESSAGES] - since->ns[SYN_PART_OFF_CPU];
}

/* The segment before a call, into the sums; and what the location did in the window. */
static int pass_segment(struct swift *swift, uint32_t location, const struct syn_call *call,
                        struct since *since)
{
    const struct syn_track *track = &swift->replay->track[location];
    const int64_t segment_ns = call->start_ns - track->now_ns;
    *since = (struct since){{segment_ns, 0, 0, track->now_ns - swift->together_ns}};
    if (segment_ns == 0)
        return 0;
    struct syn_cause_block *block = syn_track_block(swift->replay, location, swift->segment);
    if (!block)
        return SYN_ENOMEM;
    block->count++;
    if (__builtin_expect((call->messages_ns | call->off_cpu_ns) != 0, 0)) {
        take_parts(call, segment_ns, since);
        swift->has_parts = true;
        syn_sum_add(&block->ns[SYN_PART_MESSAGES], since->ns[SYN_PART_MESSAGES]);
        syn_sum_add(&block->ns[SYN_PART_OFF_CPU], since->ns[SYN_PART_OFF_CPU]);
    }
    syn_sum_add(&block->ns[SYN_PART_COMPUTING], since->ns[SYN_PART_COMPUTING]);
    return 0;
}

static int pass_call(struct swift *swift, uint32_t location, const struct syn_call *call,
                     int64_t last_start_ns, uint32_t label)
{
    struct syn_track *track = &swift->replay->track[location];
    track->now_ns = call->start_ns;
    struct syn_cause_block *block = syn_track_block(swift->replay, location, label);
    if (!block)
        return SYN_ENOMEM;
    block->count++;
    syn_sum_add(&block->ns[syn_part_slot(SYN_PART_WAITING)], last_start_ns - call->start_ns);
    syn_sum_add(&block->ns[syn_part_slot(SYN_PART_OPERATION)], call->end_ns - last_start_ns);
    track->now_ns = call->end_ns;
    return 0;
}

/* A member's waiting: it is owed to the last one's excess, or unknown. */
static void take_waiting(struct swift *swift, int64_t waiting_ns, int64_t bound_ns,
                         const struct since *since)
{
    struct syn_cause_sums *sums = &swift->replay->sums;
    syn_sum_add(&sums->waiting_ns, waiting_ns);
    if (waiting_ns <= bound_ns) {
        syn_sum_add(&sums->unknown_ns[SYN_UNKNOWN_CLOCK], waiting_ns);
        return;
    }
    swift->waiter_count++;
    syn_sum_add(&swift->debt_ns, waiting_ns);
    syn_sum_add(&swift->bound_ns, bound_ns);
    syn_sum_add(&swift->others.ns[SYN_PART_COMPUTING], since->ns[SYN_PART_COMPUTING]);
    syn_sum_add(&swift->others.ns[OPERATION], since->ns[OPERATION]);
    if (__builtin_expect(!swift->has_parts, 1))
        return;
    syn_sum_add(&swift->others.ns[SYN_PART_MESSAGES], since->ns[SYN_PART_MESSAGES]);
    syn_sum_add(&swift->others.ns[SYN_PART_OFF_CPU], since->ns[SYN_PART_OFF_CPU]);
}

static int pass_members(struct swift *swift, const struct syn_meeting *meeting, uint32_t label)
{
    int status = 0;
    for (uint32_t i = 0; i < meeting->count && status == 0; i++) {
        const struct syn_call *call = next_call(&swift->replay->track[i]);
        struct since since;
        status = pass_segment(swift, i, call, &since);
        if (i == meeting->last)
            swift->last = since;
        else
            take_waiting(swift, meeting->last_start_ns - call->start_ns, meeting->bound_ns, &since);
        if (status == 0)
            status = pass_call(swift, i, call, meeting->last_start_ns, label);
    }
    return status;
}

static uint32_t key_of(const struct swift *swift, int part)
{
    return part == OPERATION ? syn_part_key(swift->call, SYN_PART_OPERATION)
                             : syn_part_key(swift->segment, (enum syn_part)part);
}

/* The critical path to here is the last one's time since all were together. */
static int pass_path(struct swift *swift, uint32_t last)
{
    struct syn_cause_sums *sums = &swift->replay->sums;
    struct syn_cause_cell *segment = syn_cause_cell_make(sums, last, swift->segment);
    struct syn_cause_cell *call = segment ? syn_cause_cell_make(sums, last, swift->call) : NULL;
    if (!call)
        return SYN_ENOMEM;
    segment = &sums->cell[last][swift->segment]; /* cells move where there is a new one */
    for (int part = 0; part < 3; part++)
        syn_sum_add(&segment->path_ns[part], swift->last.ns[part]);
    syn_sum_add(&call->path_ns[syn_part_slot(SYN_PART_OPERATION)], swift->last.ns[OPERATION]);
    return 0;
}

static int divide(struct swift *swift, const struct syn_meeting *meeting)
{
    struct syn_replay *replay = swift->replay;
    uint32_t node = syn_debts_node(&replay->debts, meeting->last, meeting->last_start_ns);
    int status = node == SYN_NO_NODE ? SYN_ENOMEM : 0;
    const bool call_first = swift->call < swift->segment;
    for (int i = 0; i < 4 && status == 0; i++) {
        const int part = call_first ? (i + OPERATION) % 4 : i;
        const struct syn_weight weight = {
            syn_excess_of(swift->last.ns[part], swift->others.ns[part], swift->waiter_count),
            key_of(swift, part), SYN_NO_NODE};
        if (weight.weight > 0)
            status = syn_debts_weight(&replay->debts, node, &weight);
    }
    if (status)
        return status;
    replay->debts.node[node].debt_ns = swift->debt_ns;
    replay->debts.node[node].bound_ns = swift->bound_ns;
    return syn_debts_pay_all(replay);
}

static int pass_instance(struct swift *swift, const struct syn_meeting *meeting)
{
    struct syn_replay *replay = swift->replay;
    const uint32_t label = syn_replay_label(replay, meeting->kind->point, SYN_POINT_INSIDE);
    swift->last = swift->others = (struct since){{0}};
    swift->waiter_count = 0;
    swift->has_parts = false;
    swift->debt_ns = swift->bound_ns = 0;
    int status = label == SYN_NO_NUMBER ? SYN_ENOMEM : find_labels(swift, meeting);
    if (status == 0)
        status = pass_members(swift, meeting, label);
    if (status == 0)
        status = pass_path(swift, meeting->last);
    if (status == 0 && swift->waiter_count > 0)
        status = divide(swift, meeting);
    for (uint32_t i = 0; i < meeting->count; i++) {
        replay->track[i].point = meeting->kind->point;
        replay->track[i].first++;
        replay->track[i].held_count--;
    }
    replay->sums.instance_count++;
    swift->together_ns = meeting->last_start_ns;
    return status;
}

/* Nothing is kept but that all stand behind an instance. */
static bool is_ready(const struct syn_replay *replay, uint32_t group, int64_t *together_ns)
{
    *together_ns = replay->synchronized_ns[group];
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        const struct syn_track *track = &replay->track[i];
        if (track->path_node != SYN_PATH_ROOT || track->path_from_ns != *together_ns ||
            track->now_ns < *together_ns || track->count > 0 || !track->is_behind)
            return false;
    }
    return replay->plan->location_count > 1 && *together_ns != SYN_NEVER_NS &&
           replay->open_count == 0 && replay->completion_count == 0 && replay->queued_count == 0;
}

int syn_replay_swiftly(struct syn_replay *replay, uint32_t comm, size_t *count)
{
    const uint32_t locations = replay->plan->location_count;
    struct swift swift = {
        .replay = replay, .comm = comm, .group = replay->plan->group_of_comm[comm]};
    struct syn_meeting meeting = {.count = locations, .group = swift.group};
    size_t least = SIZE_MAX, done = 0;
    int status = 0;
    for (uint32_t i = 0; i < locations; i++)
        least = count[i] < least ? count[i] : least;
    if (!is_ready(replay, swift.group, &swift.together_ns))
        return 0;
    while (done < least && status == 0 && is_next(&swift, &meeting)) {
        meeting.bound_ns = syn_meeting_bound(replay, comm, meeting.last_start_ns);
        status = pass_instance(&swift, &meeting);
        done++;
    }
    for (uint32_t i = 0; i < locations; i++)
        count[i] -= done;
    return status || done == 0 ? status
                               : syn_replay_stand_together(replay, swift.group, swift.together_ns);
}
