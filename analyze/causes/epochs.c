/* analyze/causes/epochs.c - epoch by epoch: from a cut to the next.
 *
 * The calls of an epoch are put in order first, without a sum being touched, so that what does not
 * fit is left to the replay as it is. Then each instance is judged and divided as there; but of
 * each location there are only the few steps since the cut instead of a journal, the critical path
 * is summed up once it is known which way it went, and nobody has to be woken. */
#include "analyze/causes/epochs.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay_parts.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* A segment and the call at its end: computing from before_ns on, then messages, then off the
 * processor, until start_ns; waiting until due_ns, then the operation. */
struct step {
    int64_t before_ns, start_ns, due_ns, end_ns;
    int64_t messages_ns, off_cpu_ns;
    uint32_t segment, call; /* labels */
    uint32_t node;          /* of the waiting; SYN_NO_NODE */
};

/* The path of somebody up to to_ns: own time of a location since from_ns, and what led there. */
struct stage {
    uint32_t parent; /* SYN_PATH_ROOT: the cut */
    uint32_t location;
    size_t step; /* of the location, the newest then */
    int64_t from_ns, to_ns;
};

struct course {
    const struct syn_replay_call *call; /* held back */
    size_t count;                       /* of those that may be replayed */
    size_t ordered, passed;             /* of them: put in order, replayed */
    int64_t end_ns;                     /* of the one ordered last */
    bool stands, listed;                /* at the next to be ordered; on the stack */
    struct step *step;                  /* [step_count], since the cut */
    size_t step_count, step_capacity;
};

struct syn_epochs {
    struct syn_replay *replay;
    struct course *course; /* [location_count] */
    uint32_t *stack;       /* [location_count], of locations to put in order */
    struct stood {
        uint64_t sequence;
        uint32_t count; /* members that stand at it */
        uint16_t op;
    } * stood;      /* [comm count] */
    uint32_t *comm; /* [comm_count], of the instances in their order */
    size_t comm_count, comm_capacity;
    size_t epoch_end;     /* instances up to the last cut among them */
    uint32_t *call_label; /* [point_count]; SYN_NO_NUMBER: not asked for yet */
    size_t point_count, point_capacity;
    struct stage *stage; /* [stage_count]; the first is the root */
    size_t stage_count, stage_capacity;
};

/* ---- life ---- */

struct syn_epochs *syn_epochs_new(struct syn_replay *replay)
{
    const size_t locations = replay->plan->location_count;
    struct syn_epochs *epochs = calloc(1, sizeof *epochs);
    if (!epochs)
        return NULL;
    epochs->replay = replay;
    epochs->course = calloc(locations + 1, sizeof *epochs->course);
    epochs->stack = malloc((locations + 1) * sizeof *epochs->stack);
    epochs->stood = calloc(replay->plan->comms->count + 1, sizeof *epochs->stood);
    if (epochs->course && epochs->stack && epochs->stood)
        return epochs;
    syn_epochs_free(epochs);
    return NULL;
}

void syn_epochs_free(struct syn_epochs *epochs)
{
    if (!epochs)
        return;
    for (size_t i = 0; epochs->course && i < epochs->replay->plan->location_count; i++)
        free(epochs->course[i].step);
    free(epochs->course);
    free(epochs->stack);
    free(epochs->stood);
    free(epochs->comm);
    free(epochs->call_label);
    free(epochs->stage);
    free(epochs);
}

/* ---- in order ---- */

static uint32_t location_count(const struct syn_epochs *epochs)
{
    return epochs->replay->plan->location_count;
}

/* Each rank has one location: there is a communicator of all. */
static uint32_t location_of(const struct syn_epochs *epochs, const struct syn_communicator *comm,
                            uint32_t member)
{
    return epochs->replay->plan->first_location[comm->world_rank[member]];
}

static const struct syn_call_kind *kind_of(const struct syn_epochs *epochs,
                                           const struct syn_replay_call *call)
{
    return syn_call_kind_at(epochs->replay->tables, call->kind);
}

/* May it be passed in an epoch, after what its location did before? */
static bool is_plain(const struct syn_epochs *epochs, const struct course *course,
                     const struct syn_replay_call *call, const struct syn_call_kind *kind)
{
    return kind->is_blocking && kind->comm != SYN_NO_COMM &&
           epochs->replay->plan->group_of_comm[kind->comm] != SYN_NO_GROUP &&
           call->start_ns >= course->end_ns && call->end_ns >= call->start_ns;
}

/* A location comes to its next call. False: that one does not fit. */
static bool stand(struct syn_epochs *epochs, uint32_t location, uint32_t *comm)
{
    const struct course *course = &epochs->course[location];
    const struct syn_replay_call *call = &course->call[course->ordered];
    const struct syn_call_kind *kind = kind_of(epochs, call);
    if (!is_plain(epochs, course, call, kind))
        return false;
    *comm = kind->comm;
    struct stood *stood = &epochs->stood[kind->comm];
    if (stood->count++ == 0) {
        stood->sequence = call->sequence;
        stood->op = kind->op;
    }
    return stood->sequence == call->sequence && stood->op == kind->op;
}

/* When the first member left, against when the last one came. */
static int64_t overlap_ns(const struct syn_epochs *epochs, int64_t *last_start_ns)
{
    int64_t first_end_ns = INT64_MAX;
    *last_start_ns = INT64_MIN;
    for (uint32_t i = 0; i < location_count(epochs); i++) {
        const struct course *course = &epochs->course[i];
        *last_start_ns = syn_largest(course->call[course->ordered].start_ns, *last_start_ns);
        first_end_ns = syn_least(course->call[course->ordered].end_ns, first_end_ns);
    }
    return first_end_ns - *last_start_ns;
}

/* All members stand at an instance. False: whether it is a cut is a question of the clocks' bound;
 * that is left to the replay. */
static bool look_for_cut(struct syn_epochs *epochs, uint32_t comm, bool *is_cut)
{
    const struct syn_cause_plan *plan = epochs->replay->plan;
    int64_t last_start_ns;
    *is_cut = false;
    if (!plan->group[plan->group_of_comm[comm]].covers_all || plan->comms->comm[comm].size < 2)
        return true;
    const int64_t overlap = overlap_ns(epochs, &last_start_ns);
    *is_cut = overlap >= 0;
    return overlap >= 0 || overlap < -syn_meeting_bound(epochs->replay, comm, last_start_ns);
}

/* In the replay's order: labels get their numbers in the order of work. */
static size_t list(struct syn_epochs *epochs, uint32_t location, size_t stacked)
{
    if (!epochs->course[location].listed)
        epochs->stack[stacked++] = location;
    epochs->course[location].listed = true;
    return stacked;
}

/* The members go on behind it. */
static size_t leave_stood(struct syn_epochs *epochs, uint32_t comm, size_t stacked)
{
    const struct syn_communicator *of = &epochs->replay->plan->comms->comm[comm];
    for (uint32_t m = 0; m < of->size; m++) {
        const uint32_t i = location_of(epochs, of, m);
        struct course *course = &epochs->course[i];
        course->end_ns = course->call[course->ordered++].end_ns;
        course->stands = false;
        stacked = list(epochs, i, stacked);
    }
    epochs->stood[comm].count = 0;
    return stacked;
}

/* The next instance is in order; where it is a cut, so are all before it. 0 or SYN_ENOMEM. */
static int add_instance(struct syn_epochs *epochs, uint32_t comm, bool is_cut)
{
    if (SYN_ROOM(epochs->comm, epochs->comm_capacity, epochs->comm_count) != SYN_OK)
        return SYN_ENOMEM;
    epochs->comm[epochs->comm_count++] = comm;
    if (is_cut)
        epochs->epoch_end = epochs->comm_count;
    return 0;
}

/* As far as a location goes. *fits: all did so far. 0 or SYN_ENOMEM. */
static int order_location(struct syn_epochs *epochs, uint32_t location, size_t *stacked, bool *fits)
{
    struct course *course = &epochs->course[location];
    int status = 0;
    while (course->ordered < course->count && !course->stands && status == SYN_OK) {
        uint32_t comm;
        bool is_cut = false;
        course->stands = true;
        *fits = stand(epochs, location, &comm);
        if (!*fits || epochs->stood[comm].count < epochs->replay->plan->comms->comm[comm].size)
            return 0;
        *fits = look_for_cut(epochs, comm, &is_cut);
        if (!*fits)
            return 0;
        status = add_instance(epochs, comm, is_cut);
        *stacked = leave_stood(epochs, comm, *stacked);
    }
    return status;
}

static int order_calls(struct syn_epochs *epochs)
{
    size_t stacked = 0;
    bool fits = true;
    int status = 0;
    epochs->comm_count = epochs->epoch_end = 0;
    memset(epochs->stood, 0, epochs->replay->plan->comms->count * sizeof *epochs->stood);
    for (uint32_t i = 0; i < location_count(epochs); i++)
        stacked = list(epochs, i, stacked);
    while (stacked > 0 && fits && status == SYN_OK) {
        const uint32_t location = epochs->stack[--stacked];
        epochs->course[location].listed = false;
        status = order_location(epochs, location, &stacked, &fits);
    }
    return status;
}

/* ---- what a location did ---- */

/* A query over the parts of a stretch of time. */
struct asked {
    struct syn_replay *replay;
    uint32_t location;
    int64_t from_ns, to_ns;
    bool is_last;
};
typedef int on_part(const struct asked *asked, uint32_t key, uint32_t node, int64_t ns);

static inline __attribute__((always_inline)) int clip(const struct asked *asked, int64_t begin_ns,
                                                      int64_t end_ns, uint32_t key, uint32_t node,
                                                      on_part *visit)
{
    const int64_t from_ns = syn_largest(begin_ns, asked->from_ns);
    const int64_t to_ns = syn_least(end_ns, asked->to_ns);
    return to_ns > from_ns ? visit(asked, key, node, to_ns - from_ns) : 0;
}

static inline __attribute__((always_inline)) int
parts_of_step(const struct asked *asked, const struct step *step, on_part *visit)
{
    const int64_t due_ns = syn_largest(syn_least(step->due_ns, step->end_ns), step->start_ns);
    const int64_t off_ns = step->start_ns - step->off_cpu_ns, own_ns = off_ns - step->messages_ns;
    int failed = clip(asked, due_ns, step->end_ns, syn_part_key(step->call, SYN_PART_OPERATION),
                      SYN_NO_NODE, visit);
    failed |= clip(asked, step->start_ns, due_ns, syn_part_key(step->call, SYN_PART_WAITING),
                   step->node, visit);
    if (__builtin_expect(own_ns != step->start_ns, 0)) {
        failed |= clip(asked, off_ns, step->start_ns, syn_part_key(step->segment, SYN_PART_OFF_CPU),
                       SYN_NO_NODE, visit);
        failed |= clip(asked, own_ns, off_ns, syn_part_key(step->segment, SYN_PART_MESSAGES),
                       SYN_NO_NODE, visit);
    }
    return failed | clip(asked, step->before_ns, own_ns,
                         syn_part_key(step->segment, SYN_PART_COMPUTING), SYN_NO_NODE, visit);
}

/* The newest first, from the `count`-th step back. 0 or SYN_ENOMEM. */
static inline __attribute__((always_inline)) int
parts_of(const struct syn_epochs *epochs, const struct asked *asked, size_t count, on_part *visit)
{
    const struct step *step = epochs->course[asked->location].step;
    int failed = 0;
    while (count-- > 0 && step[count].end_ns > asked->from_ns)
        failed |= parts_of_step(asked, &step[count], visit);
    return failed;
}

static int into_window(const struct asked *asked, uint32_t key, uint32_t node, int64_t ns)
{
    return syn_window_add(asked->replay, &(struct syn_stretch){.key = key, .node = node}, ns,
                          asked->is_last);
}

/* As above, for a key that there is room for, and that is no time off the processor. */
static inline void add_time(struct syn_window_sums *sums, uint32_t key, int64_t ns, int64_t *sum)
{
    if (ns <= 0)
        return;
    sums->touched[sums->touched_count] = key;
    sums->touched_count += (sums->last[key] | sums->others[key]) == 0;
    syn_sum_add(&sum[key], ns);
}

/* A step that lies in the window, as nearly all do. */
static inline int add_step(const struct asked *asked, const struct step *step)
{
    struct syn_window_sums *sums = &asked->replay->window;
    int64_t *sum = asked->is_last ? sums->last : sums->others;
    const int64_t due_ns = syn_largest(syn_least(step->due_ns, step->end_ns), step->start_ns);
    if (__builtin_expect(step->off_cpu_ns > 0, 0))
        return parts_of_step(asked, step, into_window);
    add_time(sums, syn_part_key(step->call, SYN_PART_OPERATION), step->end_ns - due_ns, sum);
    if (step->node == SYN_NO_NODE)
        add_time(sums, syn_part_key(step->call, SYN_PART_WAITING), due_ns - step->start_ns, sum);
    else if (clip(asked, step->start_ns, due_ns, 0, step->node, into_window))
        return SYN_ENOMEM;
    add_time(sums, syn_part_key(step->segment, SYN_PART_MESSAGES), step->messages_ns, sum);
    add_time(sums, syn_part_key(step->segment, SYN_PART_COMPUTING),
             step->start_ns - step->messages_ns - step->before_ns, sum);
    return 0;
}

/* As syn_journal_window; to_ns is the location's present. */
static int window(struct syn_replay *replay, uint32_t location, int64_t from_ns, int64_t to_ns,
                  bool is_last)
{
    const struct asked asked = {replay, location, from_ns, to_ns, is_last};
    const struct course *course = &replay->epochs->course[location];
    int failed = syn_window_reserve(&replay->window,
                                    syn_part_key((uint32_t)replay->tables->labels.count, 0));
    for (size_t s = course->step_count; s-- > 0 && course->step[s].end_ns > from_ns && !failed;)
        failed = __builtin_expect(course->step[s].before_ns >= from_ns, 1)
                     ? add_step(&asked, &course->step[s])
                     : parts_of_step(&asked, &course->step[s], into_window);
    return failed;
}

/* ---- the critical path ---- */

static int onto_path(const struct asked *asked, uint32_t key, uint32_t node, int64_t ns)
{
    (void)node;
    struct syn_cause_cell *cell =
        syn_cause_cell_make(&asked->replay->sums, asked->location, key / SYN_PART_COUNT);
    if (!cell)
        return SYN_ENOMEM;
    syn_sum_add(&syn_cause_slot_of(cell, syn_part_slot(key % SYN_PART_COUNT))->path_ns, ns);
    return 0;
}

static int sum_up(const struct syn_epochs *epochs, const struct stage *stage)
{
    const struct asked asked = {epochs->replay, stage->location, stage->from_ns, stage->to_ns,
                                false};
    return parts_of(epochs, &asked, stage->step, onto_path);
}

/* Returns a location's path up to to_ns. */
static struct stage stage_of(const struct syn_epochs *epochs, uint32_t location, int64_t to_ns)
{
    const struct syn_track *track = &epochs->replay->track[location];
    return (struct stage){track->path.node, location, epochs->course[location].step_count,
                          track->path.from_ns, to_ns};
}

/* All paths are one from here on. */
static int meet_all(struct syn_epochs *epochs, const struct syn_meeting *meeting)
{
    struct syn_replay *replay = epochs->replay;
    const uint32_t cause = meeting->member[meeting->cause].location;
    const int64_t from_ns = syn_largest(meeting->due_ns, replay->track[cause].path.from_ns);
    const struct stage last = stage_of(epochs, cause, from_ns);
    int failed = sum_up(epochs, &last);
    for (uint32_t s = last.parent; s != SYN_PATH_ROOT; s = epochs->stage[s].parent)
        failed |= sum_up(epochs, &epochs->stage[s]);
    epochs->stage_count = 1;
    for (uint32_t i = 0; i < location_count(epochs); i++) {
        replay->track[i].path.node = SYN_PATH_ROOT;
        replay->track[i].path.from_ns = from_ns;
    }
    return failed;
}

/* Whoever had to wait goes on from where the one waited for was. */
static int meet_some(struct syn_epochs *epochs, const struct syn_meeting *meeting)
{
    struct syn_track *track = epochs->replay->track;
    struct syn_track *cause = &track[meeting->member[meeting->cause].location];
    if (meeting->due_ns > cause->path.from_ns) {
        if (SYN_ROOM(epochs->stage, epochs->stage_capacity, epochs->stage_count) != SYN_OK)
            return SYN_ENOMEM;
        epochs->stage[epochs->stage_count] =
            stage_of(epochs, meeting->member[meeting->cause].location, meeting->due_ns);
        cause->path.node = (uint32_t)epochs->stage_count++;
        cause->path.from_ns = meeting->due_ns;
    }
    for (uint32_t m = 0; m < meeting->count; m++)
        if (syn_had_to_wait(meeting, m)) {
            track[meeting->member[m].location].path.node = cause->path.node;
            track[meeting->member[m].location].path.from_ns = cause->path.from_ns;
        }
    return 0;
}

/* ---- instances ---- */

/* A location comes to a call: a step, and its segment into the sums. */
static int reach(struct syn_epochs *epochs, uint32_t location, const struct syn_replay_call *call)
{
    struct syn_replay *replay = epochs->replay;
    struct course *course = &epochs->course[location];
    struct syn_track *track = &replay->track[location];
    const uint32_t point = kind_of(epochs, call)->point;
    const int64_t segment_ns = call->start_ns - track->now_ns;
    if (SYN_ROOM(course->step, course->step_capacity, course->step_count) != SYN_OK)
        return SYN_ENOMEM;
    struct step *step = &course->step[course->step_count++];
    *step = (struct step){.before_ns = track->now_ns,
                          .start_ns = call->start_ns,
                          .due_ns = call->start_ns,
                          .end_ns = call->start_ns,
                          .node = SYN_NO_NODE};
    if (segment_ns > 0) {
        int64_t ns[3];
        step->segment = syn_replay_label(replay, track->point, point);
        if (syn_track_sum_segment(replay, location, step->segment, call, ns))
            return SYN_ENOMEM;
        step->messages_ns = ns[SYN_PART_MESSAGES];
        step->off_cpu_ns = ns[SYN_PART_OFF_CPU];
    }
    track->now_ns = call->start_ns;
    track->point = point;
    return 0;
}

/* Returns the label of the time in a call. SYN_NO_NUMBER: no memory. */
static uint32_t label_of_call(struct syn_epochs *epochs, uint32_t point)
{
    while (point >= epochs->point_count) {
        if (SYN_ROOM(epochs->call_label, epochs->point_capacity, epochs->point_count) != SYN_OK)
            return SYN_NO_NUMBER;
        epochs->call_label[epochs->point_count++] = SYN_NO_NUMBER;
    }
    if (__builtin_expect(epochs->call_label[point] == SYN_NO_NUMBER, 0))
        epochs->call_label[point] = syn_replay_label(epochs->replay, point, SYN_POINT_INSIDE);
    return epochs->call_label[point];
}

/* A member leaves: its call into the sums. */
static int leave(struct syn_epochs *epochs, const struct syn_meeting *meeting, uint32_t m,
                 uint32_t node)
{
    const struct syn_member_call *member = &meeting->member[m];
    struct course *course = &epochs->course[member->location];
    struct step *step = &course->step[course->step_count - 1];
    struct syn_track *track = &epochs->replay->track[member->location];
    step->call = label_of_call(epochs, track->point);
    if (syn_track_sum_call(epochs->replay, member->location, step->call, meeting->due_ns,
                           member->call->end_ns))
        return SYN_ENOMEM;
    step->end_ns = member->call->end_ns;
    step->due_ns = meeting->due_ns;
    if (m != meeting->cause && step->end_ns >= meeting->due_ns - meeting->bound_ns)
        step->node = node;
    track->now_ns = step->end_ns;
    course->passed++;
    return 0;
}

/* Its members come to it. */
static int gather(struct syn_epochs *epochs, uint32_t comm, struct syn_meeting *meeting)
{
    const struct syn_communicator *of = &epochs->replay->plan->comms->comm[comm];
    struct syn_member_call *member = epochs->replay->member;
    int failed = 0;
    for (uint32_t m = 0; m < of->size; m++) {
        const uint32_t location = location_of(epochs, of, m);
        const struct course *course = &epochs->course[location];
        member[m] = (struct syn_member_call){&course->call[course->passed], location};
        failed |= reach(epochs, location, member[m].call);
    }
    *meeting = (struct syn_meeting){.member = member,
                                    .count = of->size,
                                    .kind = kind_of(epochs, member[0].call),
                                    .is_clear = true, /* they are plain */
                                    .group = epochs->replay->plan->group_of_comm[comm]};
    return failed;
}

/* Nothing before it matters any more, but how its members leave it: no window begins before all
 * had come, so that nearly every step lies in a window as a whole. */
static int cut(struct syn_epochs *epochs, int64_t together_ns)
{
    for (uint32_t i = 0; i < location_count(epochs); i++) {
        struct course *course = &epochs->course[i];
        course->step[0] =
            (struct step){.before_ns = together_ns, .start_ns = together_ns, .node = SYN_NO_NODE};
        course->step_count = 1;
    }
    return syn_debts_pay_all(epochs->replay);
}

static int meet(struct syn_epochs *epochs, uint32_t comm)
{
    struct syn_replay *replay = epochs->replay;
    struct syn_meeting meeting;
    uint32_t node = SYN_NO_NODE;
    int status = gather(epochs, comm, &meeting);
    if (status != SYN_OK)
        return SYN_ENOMEM;
    syn_meeting_judge(replay, &meeting);
    status = syn_meeting_divide(replay, &meeting, &node);
    if (status == SYN_OK)
        status = meeting.is_cut ? meet_all(epochs, &meeting) : meet_some(epochs, &meeting);
    syn_meeting_note(replay, &meeting);
    if (status == SYN_OK && meeting.is_cut) {
        status = cut(epochs, meeting.last_start_ns);
        node = SYN_NO_NODE;
    }
    for (uint32_t m = 0; m < meeting.count && status == SYN_OK; m++)
        status = leave(epochs, &meeting, m, node);
    return status;
}

/* ---- all ---- */

/* Is there nothing but the cut that all stand behind? */
static bool is_ready(const struct syn_epochs *epochs)
{
    const struct syn_replay *replay = epochs->replay;
    const int64_t together_ns = replay->track[0].path.from_ns;
    for (uint32_t i = 0; i < location_count(epochs); i++) {
        const struct syn_track *track = &replay->track[i];
        if (track->path.node != SYN_PATH_ROOT || track->path.from_ns != together_ns ||
            track->now_ns < together_ns || track->count > 0 || !track->is_behind)
            return false;
    }
    return replay->opens.count == 0 && replay->completion_count == 0 && replay->queued_count == 0 &&
           replay->debts.node_count == 0;
}

static void begin_courses(struct syn_epochs *epochs, const size_t *count)
{
    for (uint32_t i = 0; i < location_count(epochs); i++) {
        struct course *course = &epochs->course[i];
        size_t held;
        course->call = syn_replay_held(epochs->replay, i, &held);
        course->count = syn_least(count[i], held);
        course->ordered = course->passed = 0;
        course->stands = course->listed = false;
        course->end_ns = epochs->replay->track[i].now_ns;
    }
}

/* The call that each stands behind, since all were together in it. */
static int begin_steps(struct syn_epochs *epochs)
{
    for (uint32_t i = 0; i < location_count(epochs); i++) {
        const struct syn_track *track = &epochs->replay->track[i];
        struct course *course = &epochs->course[i];
        course->step_count = 0;
        if (SYN_ROOM(course->step, course->step_capacity, 0) != SYN_OK)
            return SYN_ENOMEM;
        const int64_t from_ns = track->path.from_ns;
        course->step[course->step_count++] =
            (struct step){.before_ns = from_ns,
                          .start_ns = from_ns,
                          .due_ns = from_ns,
                          .end_ns = track->now_ns,
                          .call = syn_replay_label(epochs->replay, track->point, SYN_POINT_INSIDE),
                          .node = SYN_NO_NODE};
        if (course->step[0].call == SYN_NO_NUMBER)
            return SYN_ENOMEM;
    }
    epochs->stage_count = 0;
    if (SYN_ROOM(epochs->stage, epochs->stage_capacity, 0) != SYN_OK)
        return SYN_ENOMEM;
    epochs->stage[epochs->stage_count++] = (struct stage){.parent = SYN_PATH_ROOT};
    return 0;
}

static int pass_ordered(struct syn_epochs *epochs)
{
    int status = begin_steps(epochs);
    epochs->replay->epochs = epochs;
    epochs->replay->add_window = window;
    for (size_t k = 0; k < epochs->epoch_end && status == SYN_OK; k++)
        status = meet(epochs, epochs->comm[k]);
    epochs->replay->add_window = syn_journal_window;
    return status;
}

int syn_epochs_go(struct syn_epochs *epochs, size_t *count)
{
    struct syn_replay *replay = epochs->replay;
    if (!is_ready(epochs))
        return 0;
    begin_courses(epochs, count);
    int status = order_calls(epochs);
    if (status != SYN_OK || epochs->epoch_end == 0)
        return status;
    status = pass_ordered(epochs);
    for (uint32_t i = 0; i < location_count(epochs); i++) {
        syn_replay_drop(replay, i, epochs->course[i].passed);
        count[i] -= epochs->course[i].passed;
    }
    const uint32_t group = replay->plan->group_of_comm[epochs->comm[epochs->epoch_end - 1]];
    return status != SYN_OK
               ? status
               : syn_replay_stand_together(replay, group, replay->synchronized_ns[group]);
}
