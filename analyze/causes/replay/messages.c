/* analyze/causes/replay/messages.c - messages: instances of two members of which only one waits.
 *
 * A table finds the other half of a message by channel and number. A half that is released leaves
 * its times in the table, so the other half knows how long it waits before it is replayed. The
 * waiting is divided once the awaited location has started its half, as for a collective. The
 * window begins when the two locations were together last: in a collective that synchronized them,
 * or in a message in which one waited for the other. No message waits across a cut, because all
 * operations begun before a cut are over there. */
#include <stdlib.h>

#include "analyze/causes/replay/replay_parts.h"
#include "analyze/messages/waiting.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define LISTS_LEAST 64

struct pair {
    uint32_t low, high; /* locations */
};

int syn_messages_begin(struct syn_replay *replay)
{
    syn_numbering_begin(&replay->pairs, sizeof(struct pair));
    return syn_chains_begin(&replay->messages, LISTS_LEAST);
}

void syn_messages_free(struct syn_replay *replay)
{
    struct syn_chained *next =
        replay->messages.head ? syn_chains_next(&replay->messages, NULL) : NULL;
    for (struct syn_chained *message; (message = next) != NULL; free(message))
        next = syn_chains_next(&replay->messages, message);
    while ((next = replay->unused_messages) != NULL) {
        replay->unused_messages = next->next;
        free(next);
    }
    syn_chains_free(&replay->messages);
    syn_numbering_free(&replay->pairs);
    free(replay->met_ns);
}

/* ---- the table ---- */

/* Returns a hash. Consecutive messages of a channel have consecutive ones. */
static uint64_t hash_of(uint64_t sequence)
{
    return syn_hash_word(sequence >> 32) + sequence;
}

static struct syn_replay_message *find(const struct syn_replay *replay, uint64_t sequence)
{
    struct syn_chained *at = syn_chains_first(&replay->messages, hash_of(sequence));
    while (at && ((struct syn_replay_message *)at)->sequence != sequence)
        at = at->next;
    return (struct syn_replay_message *)at;
}

static uint32_t channel_of(uint64_t sequence)
{
    return (uint32_t)(sequence >> 32);
}

/* Returns a half as the sums of messages have it. */
static struct syn_half sums_half(const struct syn_replay *replay,
                                 const struct syn_message_half *half)
{
    return (struct syn_half){half->bytes, half->row, replay->plan->location[half->location].rank,
                             half->is_posted};
}

/* Returns the clock bound of the difference between the start of the call that completes a half and
 * the start of the other half. */
static int64_t bound_of(struct syn_replay *replay, const struct syn_message_half *half,
                        const struct syn_message_half *other)
{
    const struct syn_cause_location *of = replay->plan->location;
    return syn_message_bound_ns(&replay->bounds[of[half->location].rank], half->wait_start_ns,
                                &replay->bounds[of[other->location].rank], other->start_ns);
}

/* Returns the message of that channel and number, a new one if needed. Returns NULL if out of
 * memory. */
static struct syn_replay_message *find_or_add(struct syn_replay *replay, uint64_t sequence)
{
    struct syn_chained *unused = replay->unused_messages;
    struct syn_replay_message *message = find(replay, sequence);
    if (message)
        return message;
    if (unused)
        replay->unused_messages = unused->next;
    message = unused ? (struct syn_replay_message *)unused : malloc(sizeof *message);
    if (!message)
        return NULL;
    *message = (struct syn_replay_message){
        .sequence = sequence,
        .kept = 2,
        .half = {{.location = SYN_NO_NUMBER}, {.location = SYN_NO_NUMBER}}};
    if (syn_chains_add(&replay->messages, &message->chained, hash_of(sequence)) == SYN_OK)
        return message;
    free(message);
    return NULL;
}

int syn_message_release(struct syn_replay *replay, uint32_t location, uint64_t index,
                        struct syn_replay_call *call)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    const uint64_t sequence = call->sequence;
    const struct syn_message_half half = {.index = index,
                                          .start_ns = call->start_ns,
                                          .wait_start_ns = call->wait_start_ns,
                                          .bytes = call->bytes,
                                          .location = location,
                                          .row = kind->row,
                                          .lasts = (kind->message & SYN_KIND_LASTS) != 0,
                                          .is_posted = (kind->message & SYN_KIND_POSTED) != 0};
    const struct syn_half own = sums_half(replay, &half);
    if (replay->message_sums)
        syn_message_add_half(replay->message_sums, &own, channel_of(sequence),
                             call->call_end_ns - call->start_ns);
    call->message = NULL;
    if (channel_of(sequence) >= SYN_CHANNEL_LIMIT)
        return 0;
    struct syn_replay_message *message = find_or_add(replay, sequence);
    if (!message)
        return SYN_ENOMEM;
    struct syn_message_half *place = &message->half[(kind->message & SYN_KIND_RECEIVE) != 0];
    if (place->location != SYN_NO_NUMBER) { /* a damaged trace has the half twice */
        if (replay->message_sums)
            syn_message_add_unmet(replay->message_sums, &own);
        return 0;
    }
    call->message = message;
    *place = half;
    if (message->half[0].location != SYN_NO_NUMBER && message->half[1].location != SYN_NO_NUMBER)
        syn_replay_list(replay, message->half[location == message->half[0].location].location);
    return 0;
}

static void make_live(struct syn_replay *replay, struct syn_replay_message *message)
{
    if (message->is_live || message->is_given_up)
        return;
    message->is_live = true;
    message->before = NULL;
    message->next = replay->live;
    if (replay->live)
        replay->live->before = message;
    replay->live = message;
}

static void make_dead(struct syn_replay *replay, struct syn_replay_message *message)
{
    if (!message->is_live)
        return;
    message->is_live = false;
    *(message->before ? &message->before->next : &replay->live) = message->next;
    if (message->next)
        message->next->before = message->before;
}

void syn_messages_give_up(struct syn_replay *replay)
{
    while (replay->live) {
        replay->live->is_given_up = true;
        make_dead(replay, replay->live);
    }
}

/* Adds a message, of which both halves are over, to the sums of messages. */
static void sum_message(struct syn_replay *replay, const struct syn_replay_message *message)
{
    struct syn_half half[2];
    int64_t bound_ns[2];
    for (int h = 0; h < 2; h++) {
        const struct syn_message_half *own = &message->half[h], *other = &message->half[!h];
        half[h] = sums_half(replay, own);
        bound_ns[h] = bound_of(replay, own, other);
    }
    syn_message_add_met(replay->message_sums, half, channel_of(message->sequence), bound_ns);
}

/* Notes that one half is over. Frees the message after both halves. */
static void drop(struct syn_replay *replay, struct syn_replay_message *message)
{
    if (--message->kept > 0)
        return;
    if (replay->message_sums)
        sum_message(replay, message);
    make_dead(replay, message);
    syn_chains_remove(&replay->messages, &message->chained);
    message->chained.next = replay->unused_messages;
    replay->unused_messages = &message->chained;
}

int syn_message_start(struct syn_replay *replay, uint32_t location,
                      const struct syn_replay_call *call)
{
    const struct syn_event_kind *kind = syn_event_kind_at(replay->tables, call->kind);
    struct syn_replay_message *message = call->message;
    struct syn_replay_completion completion = syn_completion_of(call, kind, NULL);
    completion.is_message = true;
    completion.is_receive = (kind->message & SYN_KIND_RECEIVE) != 0;
    completion.message = message;
    if (message) {
        struct syn_message_half *half = &message->half[completion.is_receive];
        const uint32_t other = message->half[!completion.is_receive].location;
        half->has_started = true;
        half->path = replay->history[location].path;
        make_live(replay, message);
        if (other != SYN_NO_NUMBER)
            syn_replay_list(replay, other);
    }
    if (kind->is_completed)
        return syn_history_expect(replay, location, &completion);
    if (message)
        drop(replay, message);
    return 0;
}

/* ---- waiting ---- */

static int64_t waiting_of(const struct syn_replay_completion *completion)
{
    return syn_due_waiting_ns(completion->wait_start_ns, completion->due_ns, completion->bound_ns);
}

bool syn_message_is_ready(struct syn_replay *replay, struct syn_replay_completion *completion,
                          bool is_alone)
{
    const struct syn_replay_message *message = completion->message;
    const struct syn_message_half *other = &message->half[!completion->is_receive];
    const bool never =
        message->is_given_up || (!completion->is_receive && !is_alone && !message->half[0].lasts);
    completion->is_ready = true;
    /* the other half must be among the released calls of its location */
    if (never || other->location == SYN_NO_NUMBER ||
        other->index >=
            replay->history[other->location].passed + replay->history[other->location].count)
        return completion->is_ready = never || replay->drains;
    completion->due_ns = completion->is_receive
                             ? syn_receive_due_ns(completion->end_ns, other->start_ns)
                             : syn_send_due_ns(completion->end_ns, is_alone, message->half[0].lasts,
                                               other->start_ns);
    if (completion->due_ns > completion->wait_start_ns)
        completion->bound_ns = bound_of(replay, &message->half[completion->is_receive], other);
    return completion->is_ready = other->has_started || waiting_of(completion) == 0;
}

bool syn_message_comes_later(const struct syn_replay_completion *completion,
                             const struct syn_replay_completion *than)
{
    if (!completion->message || !than->message)
        return !than->message;
    const struct syn_due_half half = {completion->due_ns, completion->message->sequence,
                                      completion->is_receive};
    const struct syn_due_half other = {than->due_ns, than->message->sequence, than->is_receive};
    return syn_half_comes_later(&half, &other);
}

void syn_message_claim(struct syn_replay_completion *completion)
{
    if (waiting_of(completion) == 0)
        completion->due_ns = SYN_NEVER_NS;
}

int syn_message_sum_half(struct syn_replay *replay, const struct syn_replay_completion *completion)
{
    return replay->message_sums && completion->message
               ? syn_message_add_transfer(replay->message_sums, completion->row,
                                          completion->end_ns - completion->wait_start_ns -
                                              waiting_of(completion))
               : 0;
}

int syn_message_sum_call(struct syn_replay *replay, uint32_t location,
                         const struct syn_replay_completion *completion)
{
    const struct syn_cause_location *of = replay->plan->location;
    const struct syn_replay_message *message = completion->message;
    struct syn_completing_call call = {.rank = of[location].rank,
                                       .row = completion->row,
                                       .inside_ns = completion->end_ns - completion->wait_start_ns,
                                       .waiting_ns = waiting_of(completion),
                                       .receives = completion->is_receive};
    if (call.waiting_ns > 0) {
        call.channel = channel_of(message->sequence);
        call.late = of[message->half[!completion->is_receive].location].rank;
    }
    return replay->message_sums ? syn_message_add_call(replay->message_sums, &call) : 0;
}

static int note_met(struct syn_replay *replay, uint32_t a, uint32_t b, int64_t ns)
{
    const struct pair pair = {syn_least(a, b), syn_largest(a, b)};
    const size_t had = replay->pairs.count;
    if (SYN_ROOM(replay->met_ns, replay->met_capacity, had) != SYN_OK)
        return SYN_ENOMEM;
    const uint32_t number = syn_numbering_of(&replay->pairs, &pair);
    if (number == SYN_NO_NUMBER)
        return SYN_ENOMEM;
    replay->met_ns[number] = number == had ? ns : syn_largest(ns, replay->met_ns[number]);
    return 0;
}

/* Returns when two locations were together last in instances of a group, or SYN_NEVER_NS. */
static int64_t together_ns(const struct syn_replay *replay, uint32_t a, uint32_t b, uint32_t group)
{
    int64_t ns = SYN_NEVER_NS;
    if (replay->has_completed)
        ns = syn_least(syn_history_completed_ns(replay, a, group),
                       syn_history_completed_ns(replay, b, group));
    return syn_largest(replay->synchronized_ns[group], ns);
}

/* Returns when two locations were together last, from which on they are compared; SYN_NEVER_NS:
 * they never were. */
static int64_t pair_begin(const struct syn_replay *replay, uint32_t a, uint32_t b)
{
    const struct syn_cause_plan *plan = replay->plan;
    const int32_t of_a = plan->location[a].rank, of_b = plan->location[b].rank;
    const uint32_t *group_a = plan->rank_group + plan->first_group[of_a];
    const uint32_t *group_b = plan->rank_group + plan->first_group[of_b];
    const uint32_t *end_a = plan->rank_group + plan->first_group[of_a + 1];
    const uint32_t *end_b = plan->rank_group + plan->first_group[of_b + 1];
    const struct pair pair = {syn_least(a, b), syn_largest(a, b)};
    const uint32_t number = syn_numbering_find(&replay->pairs, &pair);
    int64_t begin_ns = number == SYN_NO_NUMBER ? SYN_NEVER_NS : replay->met_ns[number];
    while (group_a < end_a && group_b < end_b) {
        if (*group_a == *group_b)
            begin_ns = syn_largest(together_ns(replay, a, b, *group_a), begin_ns);
        const uint32_t at_a = *group_a, at_b = *group_b;
        group_a += at_a <= at_b;
        group_b += at_b <= at_a;
    }
    return begin_ns;
}

int syn_message_wait(struct syn_replay *replay, uint32_t location,
                     const struct syn_replay_completion *completion, struct syn_inside *inside)
{
    const struct syn_message_half *other = &completion->message->half[!completion->is_receive];
    struct syn_pair_wait wait = {.waiter = location,
                                 .cause = other->location,
                                 .begin_ns = replay->history[location].now_ns,
                                 .due_ns = syn_least(completion->due_ns, inside->end_ns),
                                 .bound_ns = completion->bound_ns};
    if (completion->due_ns == SYN_NEVER_NS || completion->message->is_given_up ||
        wait.due_ns <= wait.begin_ns || !other->has_started) {
        inside->due_ns = SYN_NEVER_NS;
        return 0;
    }
    const int64_t ns = wait.due_ns - wait.begin_ns;
    int status = 0;
    wait.from_ns = pair_begin(replay, wait.waiter, wait.cause);
    syn_sum_add(&replay->sums->waiting_ns, ns);
    syn_sum_add(&replay->sums->messages_ns[completion->is_receive], ns);
    if (wait.from_ns == SYN_NEVER_NS)
        syn_sum_add(&replay->sums->unknown_ns[SYN_UNKNOWN_BEGIN], ns);
    else
        status = syn_pair_divide(replay, &wait, &inside->node);
    if (status == SYN_OK)
        status = syn_path_after_message(replay, location, wait.cause, other->path, wait.due_ns);
    return status != SYN_OK ? status : note_met(replay, wait.waiter, wait.cause, wait.due_ns);
}

void syn_message_complete(struct syn_replay *replay, const struct syn_replay_completion *completion)
{
    drop(replay, completion->message);
}

/* ---- messages of which a half is missing ---- */

int syn_messages_take(struct syn_replay *replay, struct syn_replay *from)
{
    const struct syn_chained *at = NULL;
    while ((at = syn_chains_next(&from->messages, at)) != NULL) {
        const struct syn_replay_message *message = (const struct syn_replay_message *)at;
        struct syn_replay_message *known = find_or_add(replay, message->sequence);
        if (!known)
            return SYN_ENOMEM;
        known->is_given_up = true;
        for (int h = 0; h < 2; h++)
            if (message->half[h].location != SYN_NO_NUMBER &&
                known->half[h].location == SYN_NO_NUMBER) {
                known->half[h] = message->half[h];
                drop(replay, known);
            }
    }
    return 0;
}

void syn_messages_end(struct syn_replay *replay)
{
    const struct syn_chained *at = NULL;
    while (replay->message_sums && (at = syn_chains_next(&replay->messages, at)) != NULL)
        for (int h = 0; h < 2; h++) {
            const struct syn_message_half *half = &((const struct syn_replay_message *)at)->half[h];
            if (half->location == SYN_NO_NUMBER)
                continue;
            const struct syn_half own = sums_half(replay, half);
            syn_message_add_unmet(replay->message_sums, &own);
        }
}

/* ---- times that windows may reach back to ---- */

static void lower(int64_t *needed_ns, int64_t ns)
{
    *needed_ns = syn_least(*needed_ns, ns);
}

void syn_messages_need(const struct syn_replay *replay, int64_t *needed_ns)
{
    for (uint32_t p = 0; p < replay->pairs.count; p++) {
        const struct pair *pair = syn_numbering_at(&replay->pairs, p);
        const int64_t begin_ns = pair_begin(replay, pair->low, pair->high);
        lower(&needed_ns[pair->low], begin_ns);
        lower(&needed_ns[pair->high], begin_ns);
    }
    for (const struct syn_replay_message *message = replay->live; message; message = message->next)
        for (int h = 0; h < 2; h++) {
            const struct syn_message_half *half = &message->half[h];
            const uint32_t other = message->half[!h].location;
            if (!half->has_started)
                continue;
            lower(&needed_ns[half->location], syn_least(half->path.from_ns, half->start_ns));
            if (other != SYN_NO_NUMBER)
                lower(&needed_ns[other], half->start_ns);
        }
}
