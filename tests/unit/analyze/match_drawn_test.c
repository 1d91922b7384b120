/* Matching, held against the definitions: drawn traces of all that may come, and for each instance
 * what a look at all its members at once says. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/match.h"
#include "made_trace.h"
#include "trace/base/ops.h"

#define RANKS 5
#define COMMS 3 /* of all, of ranks 0, 2, 4, of 1, 3 */

struct call {
    bool there;
    struct syn_event event;
};

struct drawn {
    struct made_trace made;
    uint64_t random;
    unsigned without; /* ranks whose files are lost */
    size_t instance_count;
    struct call (*call)[RANKS]; /* [COMMS * instance_count], by world rank */
    uint64_t duplicate_count, event_count[RANKS];
    double inside_ns[RANKS], waiting_ns;
};

static uint64_t draw(struct drawn *drawn, uint64_t below)
{
    uint64_t x = drawn->random += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) % below;
}

static struct call *calls_of(const struct drawn *drawn, int comm, uint64_t sequence)
{
    return drawn->call[(size_t)comm * drawn->instance_count + sequence];
}

static bool is_member(int comm, int rank)
{
    return comm == 0 || rank % 2 == (comm == 1 ? 0 : 1);
}

static void make_comms(struct drawn *drawn)
{
    static const int32_t members[2][3] = {{0, 2, 4}, {1, 3, -1}};
    for (int rank = 0; rank < RANKS; rank++)
        made_comm(&drawn->made, rank,
                  (struct syn_comm_record){.index = 1,
                                           .id = 70 + (uint64_t)rank % 2,
                                           .size = rank % 2 ? 2 : 3,
                                           .rank = rank / 2,
                                           .name = rank % 2 ? "odd" : "even",
                                           .world_ranks = members[rank % 2]});
}

static void write_call(struct drawn *drawn, int rank, struct syn_event event)
{
    made_raw(&drawn->made, rank, event);
    if (drawn->without & 1u << rank)
        return;
    drawn->event_count[rank]++;
    drawn->inside_ns[rank] += (double)(event.end_ticks - event.start_ticks);
    if (event.op >= SYN_OP_FORM_STRIDE)
        drawn->inside_ns[rank] -= (double)(event.wait_start_ticks - event.call_end_ticks);
}

/* Now and then: a pause, an error, a request that nobody waited for, another size, another phase.
 */
static void make_call(struct drawn *drawn, int comm, uint64_t sequence, int rank, int64_t now_ns,
                      struct syn_event event)
{
    int64_t end_ns = now_ns + 500 + (int64_t)draw(drawn, 20);
    event.start_ticks = event.wait_start_ticks = now_ns + (int64_t)draw(drawn, 6) * 50;
    event.end_ticks = event.call_end_ticks = end_ns;
    event.comm = comm > 0;
    event.sequence = sequence;
    event.stack = SYN_NO_STACK;
    if (event.op >= SYN_OP_FORM_STRIDE) {
        event.call_end_ticks = event.start_ticks + 20;
        event.wait_start_ticks = event.start_ticks + 20 + (int64_t)draw(drawn, 200);
        if (draw(drawn, 10) == 0) {
            event.flags |= SYN_EVENT_NO_COMPLETION;
            event.end_ticks = event.wait_start_ticks = event.call_end_ticks;
        }
    }
    event.flags |= draw(drawn, 50) == 0 ? SYN_EVENT_PERTURBED : 0;
    event.bytes += draw(drawn, 9) == 0 ? draw(drawn, 100) : 0;
    if (draw(drawn, 500) == 0 && event.op < SYN_OP_FORM_STRIDE) /* this one disagrees */
        event.op = SYN_OP_BLOCKING(REDUCE);
    write_call(drawn, rank, event);
    if (!(drawn->without & 1u << rank))
        calls_of(drawn, comm, sequence)[rank] = (struct call){true, event};
    if (draw(drawn, 1000) == 0) { /* a second time */
        event.start_ticks += 3;
        event.wait_start_ticks += event.op < SYN_OP_FORM_STRIDE ? 3 : 0;
        write_call(drawn, rank, event);
        drawn->duplicate_count += !(drawn->without & 1u << rank);
    }
}

static void make_instance(struct drawn *drawn, int comm, uint64_t sequence, int64_t now_ns)
{
    static const uint16_t ops[] = {
        SYN_OP_BLOCKING(ALLREDUCE), SYN_OP_BLOCKING(BCAST), SYN_OP_BLOCKING(ALLGATHERV),
        SYN_OP_BLOCKING(ALLREDUCE) + SYN_OP_FORM_STRIDE, SYN_OP_BLOCKING(BARRIER)};
    struct syn_event event = {.op = ops[draw(drawn, 5)],
                              .bytes = UINT64_C(8) << draw(drawn, 3),
                              .root = (int32_t)draw(drawn, 2),
                              .flags = (uint16_t)(draw(drawn, 3) << SYN_EVENT_PHASE_SHIFT)};
    for (int rank = 0; rank < RANKS; rank++)
        if (is_member(comm, rank) && draw(drawn, 2000) != 0) /* else it has none */
            make_call(drawn, comm, sequence, rank, now_ns, event);
}

static struct drawn *draw_trace(uint64_t seed, unsigned without, size_t instance_count)
{
    struct drawn *drawn = calloc(1, sizeof *drawn);
    uint64_t sequence[COMMS] = {0};
    *drawn = (struct drawn){.random = seed, .without = without, .instance_count = instance_count};
    drawn->call = calloc(COMMS * instance_count, sizeof *drawn->call);
    made_begin_bounded(&drawn->made, RANKS, 40, 1e-8);
    make_comms(drawn);
    for (uint64_t i = 0; i < instance_count; i++) {
        int comm = draw(drawn, 3) ? 0 : 1 + (int)draw(drawn, 2);
        make_instance(drawn, comm, sequence[comm]++, (int64_t)i * 700);
    }
    return drawn;
}

/* ---- what follows ---- */

static struct syn_member member_of(const struct syn_event *event)
{
    struct syn_member member = {.start_ns = event->start_ticks, .end_ns = event->end_ticks};
    bool blocking = event->op < SYN_OP_FORM_STRIDE;
    member.call_end_ns = blocking ? event->start_ticks : event->call_end_ticks;
    member.wait_start_ns = blocking ? event->start_ticks : event->wait_start_ticks;
    return member;
}

static const struct syn_event *event_of(const struct drawn *drawn,
                                        const struct syn_instance *instance, uint32_t m)
{
    uint32_t rank = instance->comm->world_rank[m];
    int comm = instance->comm->id == 1 ? 0 : (int)(instance->comm->id - 69);
    const struct call *call = &calls_of(drawn, comm, instance->sequence)[rank];
    cr_assert(call->there);
    return &call->event;
}

static void expect_attributes(const struct drawn *drawn, const struct syn_instance *instance)
{
    const struct syn_event *first = event_of(drawn, instance, 0);
    double sum = 0;
    uint16_t flags = 0;
    for (uint32_t m = 0; m < instance->comm->size; m++) {
        const struct syn_event *event = event_of(drawn, instance, m);
        cr_assert_eq(event->op, instance->op);
        flags |= SYN_EVENT_FLAGS(event->flags);
        sum += (double)event->bytes;
    }
    cr_assert_eq(instance->flags, flags);
    cr_assert_eq(instance->root, first->root);
    bool variable = instance->op == SYN_OP_BLOCKING(ALLGATHERV);
    cr_assert_eq(instance->bytes,
                 variable ? syn_bytes_bin(sum / instance->comm->size) : first->bytes);
    cr_assert(!instance->site_differs && !instance->op_differs);
}

static void expect_extremes(const struct syn_instance *instance)
{
    const struct syn_member *member = instance->member;
    int64_t second_ns = INT64_MIN;
    double others_ns = 0;
    for (uint32_t m = 0; m < instance->comm->size; m++) {
        cr_assert(instance->first_start_ns <= member[m].start_ns &&
                  member[m].start_ns <= instance->last_start_ns);
        cr_assert(instance->first_end_ns <= member[m].end_ns &&
                  member[m].end_ns <= instance->last_end_ns);
        cr_assert(m >= instance->last_starter || member[m].start_ns < instance->last_start_ns);
        cr_assert(m >= instance->first_ender || member[m].end_ns > instance->first_end_ns);
        if (m == instance->last_starter)
            continue;
        second_ns = member[m].start_ns > second_ns ? member[m].start_ns : second_ns;
        others_ns += (double)member[m].waiting_ns;
    }
    cr_assert_eq(member[instance->last_starter].start_ns, instance->last_start_ns);
    cr_assert_eq(member[instance->first_ender].end_ns, instance->first_end_ns);
    cr_assert_eq(instance->lead_ns, instance->last_start_ns - second_ns);
    cr_assert_eq(instance->others_waiting_ns, others_ns);
}

struct seen {
    struct drawn *drawn;
    uint64_t count, incomplete_count, member_count;
};

static int see(void *ctx, const struct syn_instance *instance)
{
    struct seen *seen = ctx;
    expect_attributes(seen->drawn, instance);
    for (uint32_t m = 0; m < instance->comm->size; m++) {
        struct syn_member expected = member_of(event_of(seen->drawn, instance, m));
        const struct syn_member *member = &instance->member[m];
        cr_assert_eq(member->start_ns, expected.start_ns);
        cr_assert_eq(member->call_end_ns, expected.call_end_ns);
        cr_assert_eq(member->wait_start_ns, expected.wait_start_ns);
        cr_assert_eq(member->end_ns, expected.end_ns);
        cr_assert_eq(member->inside_ns, syn_member_inside_ns(&expected));
        cr_assert_eq(member->waiting_ns, syn_member_waiting_ns(&expected, instance->last_start_ns));
    }
    expect_extremes(instance);
    cr_assert_geq(instance->bound_ns, 80);
    seen->count++;
    return 0;
}

static int see_incomplete(void *ctx, const struct syn_instance *instance)
{
    struct seen *seen = ctx;
    cr_assert_null(instance->member);
    seen->incomplete_count++;
    seen->member_count += instance->arrived_count;
    return 0;
}

/* How many instances there should be, and of those that are not complete how many members. */
static void count_drawn(const struct drawn *drawn, struct seen *out)
{
    for (int comm = 0; comm < COMMS; comm++) {
        for (size_t sequence = 0; sequence < drawn->instance_count; sequence++) {
            uint64_t there = 0, wanted = 0;
            bool agree = true;
            const struct syn_event *first = NULL;
            for (int rank = 0; rank < RANKS; rank++) {
                const struct call *call = &calls_of(drawn, comm, sequence)[rank];
                wanted += is_member(comm, rank);
                there += call->there;
                first = first || !call->there ? first : &call->event;
                agree = agree && (!call->there || call->event.op == first->op);
            }
            out->count += there == wanted && agree;
            out->incomplete_count += there > 0 && (there < wanted || !agree);
            out->member_count += there == wanted && agree ? 0 : there;
        }
    }
}

static void expect_match(struct drawn *drawn)
{
    struct syn_trace *trace = made_open(&drawn->made, drawn->without);
    struct syn_names names = {0};
    struct syn_comms comms;
    struct syn_match_totals totals;
    struct seen seen = {.drawn = drawn}, expected = {0};
    cr_assert_eq(syn_comms_open(trace, &names, &comms), 0);
    struct syn_match match = {
        .trace = trace,
        .names = &names,
        .comms = &comms,
        .sink = {.instance = see, .incomplete = see_incomplete, .ctx = &seen}};
    cr_assert_eq(syn_match_run(&match, &totals), 0);
    count_drawn(drawn, &expected);
    cr_expect_eq(seen.count, expected.count);
    cr_expect_eq(totals.instance_count, seen.count);
    /* A second event that came after its instance was told waits in vain. */
    const uint64_t in_vain = drawn->duplicate_count - totals.duplicate_count;
    cr_expect_geq(seen.incomplete_count, expected.incomplete_count);
    cr_expect_leq(seen.incomplete_count, expected.incomplete_count + in_vain);
    cr_expect_eq(seen.member_count, expected.member_count + in_vain);
    for (int rank = 0; rank < RANKS; rank++) {
        cr_expect_eq(totals.rank[rank].event_count, drawn->event_count[rank]);
        cr_expect_eq(totals.rank[rank].inside_ns, drawn->inside_ns[rank]);
        cr_expect_eq(totals.rank[rank].class_ns[SYN_CLASS_DATA], drawn->inside_ns[rank]);
    }
    syn_match_totals_free(&totals);
    syn_comms_close(&comms);
    syn_names_free(&names);
    made_end(&drawn->made, trace);
    free(drawn->call);
    free(drawn);
}

Test(match_drawn, instances_are_what_their_members_say)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        expect_match(draw_trace(seed, 0, 2000));
}

Test(match_drawn, without_a_rank_its_communicators_have_none)
{
    expect_match(draw_trace(9, 1u << 0, 2000));
    expect_match(draw_trace(10, 1u << 3, 2000));
}

/* More than 2^18 events. */
Test(match_drawn, members_meet_across_slices)
{
    expect_match(draw_trace(3, 0, 70000));
}
