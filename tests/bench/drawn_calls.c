/* tests/bench/drawn_calls.c - a schedule is drawn first, the same for all ranks but for the order
 * of neighbours and for when requests are completed. Then the ranks go through it, each as far as
 * it does not have to wait for others. */
#include "drawn_calls.h"

#include <stdbool.h>
#include <stdlib.h>

#include "trace/base/ops.h"

#define OPEN_MOST 6 /* requests of a rank on their way; one more is completed first */

/* A collective call of all ranks of one color. */
struct instance {
    int64_t start_ns[DRAWN_RANKS_MOST];
    int64_t operation_ns;
    uint32_t arrived_count, size;
    int first; /* rank */
};

/* One call of the schedule: its colors' instances. */
struct step {
    struct instance instance[2]; /* by color */
    uint64_t sequence;
    uint32_t comm, stack;
    uint16_t op;
    bool is_blocking;
};

enum kind { START, COMPLETE };

struct action {
    enum kind kind;
    bool entered;
    uint32_t count, step[OPEN_MOST + 1]; /* COMPLETE: these; START: one */
    int64_t work_ns, messages_ns, extra_ns;
    int64_t entered_ns;
};

struct rank {
    struct action *action; /* [count] */
    size_t count, at;
    uint32_t open[OPEN_MOST + 1], open_count;
    int64_t now_ns;
    struct syn_event *event; /* [steps], by step; op 0: not there */
    int64_t *messages_ns, *wait_messages_ns;
    uint32_t *order, ordered_count; /* steps as they were called */
};

struct drawn {
    const struct drawn_plan *plan;
    uint64_t random;
    struct step *step;
    struct rank rank[DRAWN_RANKS_MOST];
};

static uint64_t draw(struct drawn *drawn, uint64_t below)
{
    uint64_t x = drawn->random += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) % below;
}

int drawn_color(uint32_t comm, int rank, int rank_count)
{
    if (comm == 1)
        return rank % 2;
    if (comm == 2)
        return rank >= rank_count / 2;
    return comm == 4 && rank + 1 == rank_count ? -1 : 0;
}

/* ---- the schedule ---- */

static void draw_step(struct drawn *drawn, struct step *step, uint64_t *sequence)
{
    static const enum syn_op_row rows[] = {SYN_ROW_ALLREDUCE, SYN_ROW_BARRIER, SYN_ROW_ALLGATHER,
                                           SYN_ROW_ALLREDUCE, SYN_ROW_BCAST,   SYN_ROW_REDUCE};
    const struct drawn_plan *plan = drawn->plan;
    const int size = plan->rank_count;
    step->comm = (uint32_t)draw(drawn, DRAWN_COMMS);
    step->sequence = sequence[step->comm]++;
    step->is_blocking = (double)draw(drawn, 1000) < 1000 * plan->blocking_share;
    const uint32_t row = (uint32_t)draw(drawn, DRAWN_STACKS / 2);
    step->stack = 2 * row + step->is_blocking;
    step->op = syn_op_id(rows[row], step->is_blocking ? SYN_FORM_BLOCKING : SYN_FORM_NONBLOCKING);
    for (int color = 0; color < 2; color++) {
        struct instance *instance = &step->instance[color];
        *instance =
            (struct instance){.first = -1,
                              .operation_ns = (int64_t)(plan->median_ns / 2) +
                                              (int64_t)draw(drawn, (uint64_t)plan->median_ns + 1)};
        for (int r = 0; r < size; r++) {
            if (drawn_color(step->comm, r, size) != color)
                continue;
            instance->first = instance->first < 0 ? r : instance->first;
            instance->size++;
        }
    }
}

static struct action *add_action(struct drawn *drawn, int r, enum kind kind)
{
    struct rank *rank = &drawn->rank[r];
    struct action *action = &rank->action[rank->count++];
    *action = (struct action){.kind = kind,
                              .work_ns = 300 + (int64_t)draw(drawn, 3000),
                              .extra_ns = 50 + (int64_t)draw(drawn, 300)};
    if (draw(drawn, 6) == 0)
        action->work_ns += (int64_t)draw(drawn, 20000);
    if (drawn->plan->messages_ns > 0 && draw(drawn, 3) == 0)
        action->messages_ns = (int64_t)draw(drawn, (uint64_t)drawn->plan->messages_ns);
    return action;
}

/* Some of a rank's requests, or all, by one call. */
static void add_completion(struct drawn *drawn, int r, bool all)
{
    struct rank *rank = &drawn->rank[r];
    if (rank->open_count == 0)
        return;
    struct action *action = add_action(drawn, r, COMPLETE);
    const bool some = !all && draw(drawn, 2) == 0;
    uint32_t left = 0;
    for (uint32_t i = 0; i < rank->open_count; i++) {
        const bool taken =
            !some || (i + 1 == rank->open_count && action->count == 0) || draw(drawn, 2) == 0;
        if (taken)
            action->step[action->count++] = rank->open[i];
        else
            rank->open[left++] = rank->open[i];
    }
    rank->open_count = left;
}

static void add_start(struct drawn *drawn, int r, uint32_t step)
{
    struct rank *rank = &drawn->rank[r];
    if (drawn_color(drawn->step[step].comm, r, drawn->plan->rank_count) < 0)
        return;
    add_action(drawn, r, START)->step[0] = step;
    if (!drawn->step[step].is_blocking && draw(drawn, 40) > 0) /* else it is never completed */
        rank->open[rank->open_count++] = step;
}

/* Two neighbours on different communicators, begun in either order where one of them returns at
 * once; then nothing is completed in between. */
static void add_pair(struct drawn *drawn, int r, uint32_t step)
{
    const struct step *first = &drawn->step[step], *second = first + 1;
    const bool may_turn =
        first->comm != second->comm && !(first->is_blocking && second->is_blocking);
    const uint32_t turned = may_turn && draw(drawn, 4) == 0;
    add_start(drawn, r, step + turned);
    add_start(drawn, r, step + 1 - turned);
    if (drawn->rank[r].open_count + 2 > OPEN_MOST)
        add_completion(drawn, r, true);
    else if (draw(drawn, 3) > 0)
        add_completion(drawn, r, false);
}

static void draw_schedule(struct drawn *drawn)
{
    const uint32_t count = (uint32_t)drawn->plan->calls;
    uint64_t sequence[DRAWN_COMMS] = {0};
    for (uint32_t i = 0; i < count; i++)
        draw_step(drawn, &drawn->step[i], sequence);
    for (int r = 0; r < drawn->plan->rank_count; r++) {
        for (uint32_t i = 0; i + 1 < count; i += 2)
            add_pair(drawn, r, i);
        add_completion(drawn, r, true);
    }
}

/* ---- the run ---- */

static struct instance *instance_of(struct drawn *drawn, uint32_t step, int r)
{
    const int color = drawn_color(drawn->step[step].comm, r, drawn->plan->rank_count);
    return &drawn->step[step].instance[color];
}

/* When a member can leave it: it waits for all, for the root, or (not the root) for nobody. */
static int64_t done_ns(struct drawn *drawn, uint32_t step, int r)
{
    const struct instance *instance = instance_of(drawn, step, r);
    const unsigned row = drawn->step[step].op % SYN_OP_FORM_STRIDE;
    int64_t due_ns = instance->start_ns[r];
    for (int other = 0; other < drawn->plan->rank_count; other++) {
        const bool waits = row == SYN_ROW_BCAST    ? other == instance->first
                           : row == SYN_ROW_REDUCE ? r == instance->first
                                                   : true;
        if (waits && instance->start_ns[other] > due_ns)
            due_ns = instance->start_ns[other];
    }
    return due_ns + instance->operation_ns;
}

static bool have_arrived(struct drawn *drawn, int r, const struct action *action)
{
    for (uint32_t i = 0; i < action->count; i++) {
        const struct instance *instance = instance_of(drawn, action->step[i], r);
        if (instance->arrived_count < instance->size)
            return false;
    }
    return true;
}

static void enter(struct drawn *drawn, int r, struct action *action)
{
    struct rank *rank = &drawn->rank[r];
    action->entered = true;
    action->entered_ns = rank->now_ns += action->work_ns + action->messages_ns;
    if (action->kind == COMPLETE)
        return;
    const struct step *step = &drawn->step[action->step[0]];
    struct instance *instance = instance_of(drawn, action->step[0], r);
    const unsigned row = step->op % SYN_OP_FORM_STRIDE;
    instance->start_ns[r] = rank->now_ns;
    instance->arrived_count++;
    rank->order[rank->ordered_count++] = action->step[0];
    rank->messages_ns[action->step[0]] = action->messages_ns;
    rank->event[action->step[0]] =
        (struct syn_event){.start_ticks = rank->now_ns,
                           .bytes = row == SYN_ROW_BARRIER ? 0 : 8,
                           .sequence = step->sequence,
                           .comm = step->comm,
                           .stack = step->stack,
                           .root = row == SYN_ROW_BCAST || row == SYN_ROW_REDUCE ? 0 : -1,
                           .op = step->op};
}

static void leave_start(struct drawn *drawn, int r, const struct action *action)
{
    struct rank *rank = &drawn->rank[r];
    struct syn_event *event = &rank->event[action->step[0]];
    if (drawn->step[action->step[0]].is_blocking)
        rank->now_ns = done_ns(drawn, action->step[0], r);
    rank->now_ns += action->extra_ns;
    event->end_ticks = event->call_end_ticks = event->wait_start_ticks = rank->now_ns;
    if (drawn->step[action->step[0]].is_blocking)
        event->wait_start_ticks = event->start_ticks;
    else
        event->flags = SYN_EVENT_NO_COMPLETION; /* so far */
}

static void leave_completion(struct drawn *drawn, int r, const struct action *action)
{
    struct rank *rank = &drawn->rank[r];
    for (uint32_t i = 0; i < action->count; i++) {
        const int64_t ns = done_ns(drawn, action->step[i], r);
        rank->now_ns = ns > rank->now_ns ? ns : rank->now_ns;
    }
    rank->now_ns += action->extra_ns;
    for (uint32_t i = 0; i < action->count; i++) {
        struct syn_event *event = &rank->event[action->step[i]];
        event->flags = 0;
        event->wait_start_ticks = action->entered_ns;
        event->end_ticks = rank->now_ns;
        rank->wait_messages_ns[action->step[i]] = action->messages_ns;
    }
}

/* As far as it goes. Returns whether it went on. */
static bool go_on(struct drawn *drawn, int r)
{
    struct rank *rank = &drawn->rank[r];
    const size_t before = rank->at;
    for (; rank->at < rank->count; rank->at++) {
        struct action *action = &rank->action[rank->at];
        if (!action->entered)
            enter(drawn, r, action);
        action->count +=
            action->kind == START && drawn->step[action->step[0]].is_blocking && action->count == 0;
        if (!have_arrived(drawn, r, action))
            break;
        if (action->kind == START)
            leave_start(drawn, r, action);
        else
            leave_completion(drawn, r, action);
    }
    return rank->at > before;
}

static int64_t run(struct drawn *drawn)
{
    int64_t end_ns = 0;
    for (int r = 0; r < drawn->plan->rank_count; r++)
        drawn->rank[r].now_ns = 1000000;
    for (bool moved = true; moved;) {
        moved = false;
        for (int r = 0; r < drawn->plan->rank_count; r++)
            moved |= go_on(drawn, r);
    }
    for (int r = 0; r < drawn->plan->rank_count; r++)
        end_ns = drawn->rank[r].now_ns > end_ns ? drawn->rank[r].now_ns : end_ns;
    return end_ns;
}

/* ---- life ---- */

static bool begin(struct drawn *drawn)
{
    const size_t count = drawn->plan->calls;
    drawn->step = calloc(count + 1, sizeof *drawn->step);
    bool made = drawn->step != NULL;
    for (int r = 0; r < drawn->plan->rank_count; r++) {
        struct rank *rank = &drawn->rank[r];
        rank->action = calloc(2 * count + 2, sizeof *rank->action);
        rank->event = calloc(count + 1, sizeof *rank->event);
        rank->messages_ns = calloc(2 * (count + 1), sizeof *rank->messages_ns);
        rank->wait_messages_ns = rank->messages_ns + count + 1;
        rank->order = calloc(count + 1, sizeof *rank->order);
        made &= rank->action && rank->event && rank->messages_ns && rank->order;
    }
    return made;
}

static void end(struct drawn *drawn)
{
    for (int r = 0; r < drawn->plan->rank_count; r++) {
        free(drawn->rank[r].action);
        free(drawn->rank[r].event);
        free(drawn->rank[r].messages_ns);
        free(drawn->rank[r].order);
    }
    free(drawn->step);
}

int64_t drawn_calls(const struct drawn_plan *plan, drawn_write *write, void *context)
{
    struct drawn drawn = {.plan = plan, .random = plan->seed};
    int64_t end_ns = -1;
    if (begin(&drawn)) {
        draw_schedule(&drawn);
        end_ns = run(&drawn);
    }
    for (int r = 0; end_ns >= 0 && r < plan->rank_count; r++)
        for (uint32_t i = 0; i < drawn.rank[r].ordered_count; i++) {
            const uint32_t step = drawn.rank[r].order[i];
            write(context, r, &drawn.rank[r].event[step], drawn.rank[r].messages_ns[step],
                  drawn.rank[r].wait_messages_ns[step]);
        }
    end(&drawn);
    return end_ns;
}
