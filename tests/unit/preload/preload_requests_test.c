/* The table of requests: which event a handle stands for, also where an MPI gives one handle to
 * several at once, which no MPI here does (requests.h). Compiled for the standard ABI. */
#include <criterion/criterion.h>

#include "preload/calls/message_events.h"
#include "preload/calls/requests.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/fortran.h"
#include "preload/recorder/open_messages.h"
#include "preload/recorder/slots.h"

/* ---- what the table needs of the rest: nothing is recorded here ---- */

__thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
struct syn_tick_source syn_ticks;
uint32_t syn_control;
bool syn_messages_on, syn_message_events;
struct syn_pmpi syn_pmpi;
struct syn_mpi syn_mpi;
struct syn_fortran syn_fortran;

bool syn_slots_prepare(void)
{
    return false;
}

struct syn_event *syn_slots_take(void)
{
    return NULL;
}

void syn_slot_fill(struct syn_event *slot, const struct syn_event *event, uint32_t thread)
{
    (void)slot, (void)event, (void)thread;
}

void syn_slot_clear(struct syn_event *slot)
{
    (void)slot;
}

void syn_comm_pin(struct syn_comm *comm)
{
    (void)comm;
}

void syn_comm_unpin(struct syn_comm *comm)
{
    (void)comm;
}

void syn_call_pass(const struct syn_call *call, struct syn_comm *comm, uint16_t op)
{
    (void)call, (void)comm, (void)op;
}

void syn_event_complete(struct syn_thread *self, struct syn_event *event, int64_t wait_start_ticks,
                        int64_t end_ticks)
{
    (void)self, (void)event, (void)wait_start_ticks, (void)end_ticks;
}

void syn_messages_note(struct syn_thread *self, int64_t ticks, int64_t wait_ticks)
{
    (void)self, (void)ticks, (void)wait_ticks;
}

int64_t syn_messages_take(struct syn_thread *self)
{
    (void)self;
    return 0;
}

void syn_note_add(struct syn_thread *self, const struct syn_event *note)
{
    (void)self, (void)note;
}

void syn_message_moved(uintptr_t key, MPI_Request request)
{
    (void)key, (void)request;
}

bool syn_message_started(struct syn_thread *self, MPI_Request request, uint32_t stack,
                         int64_t start_ticks, int64_t end_ticks)
{
    (void)self, (void)request, (void)stack, (void)start_ticks, (void)end_ticks;
    return false;
}

bool syn_recorder_running(void)
{
    return true;
}

uint32_t syn_stack_index(struct syn_stack_cache *cache, uintptr_t frame, uintptr_t caller)
{
    (void)cache, (void)frame, (void)caller;
    return SYN_NO_STACK;
}

uint32_t syn_message_stack_walked(struct syn_thread *self, uintptr_t frame, uintptr_t caller,
                                  struct syn_message_site *site)
{
    (void)self, (void)frame, (void)caller, (void)site;
    return SYN_NO_STACK;
}

bool syn_guard_is_void(struct syn_thread *self, uintptr_t frame)
{
    (void)self, (void)frame;
    return false;
}

struct syn_thread *syn_enter_below(struct syn_thread *self, uintptr_t frame)
{
    (void)self, (void)frame;
    return NULL;
}

struct syn_thread *syn_thread_start(void)
{
    return NULL;
}

/* ---- the table ---- */

static int object[3]; /* whose addresses are handles */

static MPI_Request handle(int number)
{
    return (MPI_Request)(void *)&object[number];
}

static void add(const struct syn_thread *self, MPI_Request request, uint64_t sequence)
{
    const struct syn_event event = {.sequence = sequence};
    syn_request_add(self, request, &event);
}

static uint64_t taken_by(const struct syn_thread *self, MPI_Request request)
{
    struct syn_event event = {.sequence = UINT64_MAX};
    const bool found = syn_request_take(self, request, &event);
    cr_expect_eq(found, event.sequence != UINT64_MAX);
    return event.sequence;
}

/* Wait for two collectives as a thread does, with its open line. */
static void wait_for(struct syn_thread *self, struct syn_open_line *line, uint16_t call)
{
    struct syn_completion completion;
    MPI_Request requests[] = {handle(2), handle(0), handle(1)};
    *line = (struct syn_open_line){.end_ticks = 0};
    self->line = line;
    syn_self = self;
    cr_assert(syn_completion_begin(&completion, (struct syn_completing){.call = call, .frame = 1},
                                   3, requests, MPI_STATUSES_IGNORE, false));
    cr_expect_eq(line->start_ticks, call ? completion.start_ticks : 0);
    if (call) {
        cr_expect_eq(line->call, call);
        cr_expect_eq(line->of_op, 7);
        cr_expect_eq(line->sequence, 30);
        cr_expect_eq(line->comm, 5);
        cr_expect_lt(line->end_ticks, line->start_ticks);
    }
    completion.end_ticks = completion.start_ticks + 1;
    syn_completion_end(&completion);
    cr_expect_eq(line->end_ticks, call ? completion.end_ticks : 0);
}

static bool is_active(MPI_Request request)
{
    static const struct syn_thread self;
    struct syn_awaited awaited;
    return syn_request_is_active(&self, request, &awaited);
}

Test(requests, what_was_started_first_completes_first)
{
    static struct syn_thread self;
    for (uint64_t i = 0; i < 4; i++)
        add(&self, handle(0), i);
    add(&self, handle(1), 9);
    for (uint64_t i = 0; i < 4; i++)
        cr_expect_eq(taken_by(&self, handle(0)), i);
    cr_expect_not(is_active(handle(0)));
    cr_expect_not(syn_requests_none());
    cr_expect_eq(taken_by(&self, handle(1)), 9);
    cr_expect(syn_requests_none());
}

Test(requests, a_wait_says_for_which_collective)
{
    static struct syn_thread self;
    struct syn_open_line line;
    const struct syn_event first = {.sequence = 30, .comm = 5, .op = 7}, second = {.op = 8};
    syn_ticks = (struct syn_tick_source){.kind = SYN_CLOCK_MONOTONIC};
    syn_request_add(&self, handle(0), &first);
    syn_request_add(&self, handle(1), &second);
    wait_for(&self, &line, SYN_CALL_Waitall);
    wait_for(&self, &line, 0); /* MPI_Testall */
}

Test(requests, a_thread_completes_its_own_before_that_of_another)
{
    static struct syn_thread one = {.life = 1}, other = {.life = 2};
    add(&one, handle(0), 1);
    add(&other, handle(0), 2);
    add(&other, handle(0), 3);
    struct syn_awaited awaited;
    cr_expect(syn_request_is_active(&other, handle(0), &awaited));
    cr_expect_eq(awaited.sequence, 2);
    cr_expect_eq(taken_by(&other, handle(0)), 2);
    cr_expect_eq(taken_by(&other, handle(0)), 3);
    cr_expect_eq(taken_by(&other, handle(0)), 1);
    cr_expect(syn_requests_none());
}

Test(requests, nothing_is_known_of_other_handles)
{
    static struct syn_thread self;
    add(&self, handle(0), 1);
    cr_expect_not(is_active(handle(2)));
    cr_expect_eq(taken_by(&self, handle(2)), UINT64_MAX);
    cr_expect_eq(taken_by(&self, handle(0)), 1);
}

/* ---- messages under way ---- */

static struct syn_event message(uint64_t sequence)
{
    return (struct syn_event){.sequence = sequence,
                              .flags = SYN_EVENT_WRITTEN | SYN_EVENT_NO_COMPLETION};
}

static struct syn_event *complete(uintptr_t key)
{
    if (!syn_open_messages_begin())
        return NULL;
    struct syn_event *event = syn_open_message_complete(
        key, &(struct syn_completed){.wait_start_ticks = 5, .end_ticks = 7});
    syn_open_messages_end();
    return event;
}

Test(messages, thousands_complete_in_any_order)
{
    enum { COUNT = 5000 };
    static struct syn_event events[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        events[i] = message(i);
        syn_open_message_add(64 * (i + 1), &events[i], false);
    }
    cr_expect_eq(syn_open_message_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const size_t at = i * 1237 % COUNT;
        cr_assert_eq(complete(64 * (at + 1)), &events[at]);
        cr_expect_null(complete(64 * (at + 1)));
        cr_expect_eq(events[at].flags, SYN_EVENT_WRITTEN);
        cr_expect_eq(events[at].end_ticks, 7);
    }
    cr_expect(syn_open_messages_none());
}

Test(messages, a_request_may_be_of_two_and_a_persistent_one_lasts)
{
    struct syn_event sent = message(1), taken = message(2), like = {.root = 9}, found;
    syn_open_message_set_template(8, &like);
    cr_expect_null(complete(8));
    for (int i = 0; i < 2; i++) {
        cr_assert(syn_open_message_get_template(8, false, &found));
        cr_expect_eq(found.root, 9);
        syn_open_message_add(8, &sent, false);
        syn_open_message_add(8, &taken, true);
        cr_assert_eq(complete(8), &sent);
        cr_expect_eq(taken.end_ticks, 7);
    }
    syn_open_message_freed(8);
    cr_expect(syn_open_messages_none());
}

Test(messages, a_status_is_needed_while_a_peer_or_a_fate_is_open)
{
    struct syn_event sent = message(1), wild = message(2), like = {.root = 9};
    wild.bytes = (uint64_t)(SYN_MESSAGE_RECEIVE | SYN_MESSAGE_UNKNOWN) << SYN_ATTRIBUTES_SHIFT;
    syn_open_message_add(8, &sent, false);
    cr_expect_not(syn_open_messages_need_status());
    syn_open_message_add(8, &wild, true);
    syn_open_message_may_be_cancelled(8);
    cr_expect(syn_open_messages_need_status());
    complete(8);
    cr_expect_not(syn_open_messages_need_status());
    syn_open_message_add(8, &sent, false);
    syn_open_message_may_be_cancelled(8);
    cr_expect(syn_open_messages_need_status());
    syn_open_message_freed(8);
    cr_expect_not(syn_open_messages_need_status());
    syn_open_message_add(8, &wild, false);
    syn_open_message_set_template(8, &like);
    cr_expect_not(syn_open_messages_need_status());
}

Test(messages, a_status_of_an_exchange_says_nothing)
{
    const MPI_Status status = {.MPI_SOURCE = 3, .MPI_TAG = 1};
    const struct syn_completed how = {.end_ticks = 7, .status = &status};
    struct syn_event taken = message(5);
    taken.op = SYN_CALL_Isendrecv;
    taken.bytes = 12 | (uint64_t)SYN_MESSAGE_RECEIVE << SYN_ATTRIBUTES_SHIFT;
    taken.root = 2;
    syn_open_message_add(8, &taken, false);
    cr_assert(syn_open_messages_begin());
    cr_assert_eq(syn_open_message_complete(8, &how), &taken);
    syn_open_messages_end();
    cr_expect_eq(taken.end_ticks, 7);
    cr_expect(taken.root == 2 && syn_message_tag(taken.sequence) == 5);
    cr_expect_eq(taken.bytes & SYN_PAYLOAD_BYTES_MASK, 12);
}

Test(messages, what_is_open_moves_with_its_block)
{
    struct syn_event first[4], next[4] = {0};
    for (uint64_t i = 0; i < 4; i++)
        first[i] = message(i);
    for (size_t i = 4; i-- > 1;)
        syn_open_message_add(8 * i, &first[i], false);
    cr_assert_eq(complete(8 * 2), &first[2]);
    cr_assert_eq(syn_open_messages_take(first, first + 4, 100), 2);
    cr_expect(!syn_is_note(&first[0]) && !syn_is_note(&first[1]));
    cr_expect_eq(first[1].sequence, 2, "the complete event moves up");
    cr_expect(syn_is_note(&first[2]) && syn_is_note(&first[3]));
    cr_assert_eq(syn_open_messages_put(next), 2);
    cr_expect_eq(next[0].sequence, 1);
    cr_expect_eq(next[1].sequence, 3);
    cr_expect_eq(complete(8), &next[0]);
    cr_expect_eq(complete(8 * 3), &next[1]);
    cr_expect_eq(next[1].end_ticks, 7);
}

Test(messages, an_event_behind_a_note_does_not_move_up)
{
    struct syn_event first[4], next[4] = {0};
    for (uint64_t i = 0; i < 4; i++)
        first[i] = message(i);
    first[2].op = SYN_NOTE_MESSAGES;
    syn_open_message_add(8, &first[1], false);
    cr_assert_eq(syn_open_messages_take(first, first + 4, 100), 1);
    cr_expect(syn_is_note(&first[1]) && first[2].sequence == 2 && first[3].sequence == 3);
    cr_assert_eq(syn_open_messages_put(next), 1);
    cr_expect_eq(complete(8), &next[0]);
}

Test(messages, an_open_event_comes_back_behind_those_that_moved_up)
{
    struct syn_event first[4];
    for (uint64_t i = 0; i < 4; i++)
        first[i] = message(i);
    first[3].op = SYN_NOTE_SAMPLE;
    syn_open_message_add(8, &first[1], false);
    cr_assert_eq(syn_open_messages_take(first, first + 4, 100), 1);
    cr_expect(first[1].sequence == 2 && syn_is_note(&first[2]));
    cr_assert_eq(syn_open_messages_put(NULL), 1);
    cr_expect(!syn_is_note(&first[2]) && first[2].sequence == 1);
    cr_expect_eq(complete(8), &first[2]);
}
