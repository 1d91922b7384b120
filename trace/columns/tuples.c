/* trace/columns/tuples.c - gives a number to each combination of values of events besides times. */
#include "trace/columns/tuples.h"

#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/time/cpu.h"
#include "trace/base/records.h"
#include "trace/events/message.h"

/* Shorter stretches are compared several at a time. */
#define REPEAT_MIN 32

_Static_assert(SYN_CHUNK_EVENTS <= UINT16_MAX, "table indexes of a chunk are 16 bits");
_Static_assert(SYN_TUPLES_SLOTS <= UINT16_MAX + 1, "and so are places in the index");
_Static_assert((SYN_TUPLES_SLOTS & (SYN_TUPLES_SLOTS - 1)) == 0, "the hash is masked");

/* The bits of the stack in the word of comm and stack, all set: SYN_NO_STACK. */
static const uint64_t of_stack = (uint64_t)SYN_NO_STACK << 32;
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
                   offsetof(struct syn_event, stack) == offsetof(struct syn_event, comm) + 4,
               "the stack is in the upper half of its word");

/* SYN_EVENT_PERTURBED in the word of root, operation and flags. Events with this flag are listed
 * apart. */
static const uint64_t of_pause = (uint64_t)SYN_EVENT_PERTURBED << 48;
_Static_assert(offsetof(struct syn_event, flags) == offsetof(struct syn_event, root) + 6,
               "flags are the uppermost bits of their word");

/* The uppermost bit of the operation in the word of root, operation and flags. Messages have it
 * set. */
#define MESSAGE_BIT 47
_Static_assert(SYN_CALL_BASE == 0x8000u, "ids of messages have it, those of collectives have not");

/* The entry of next_number that counts messages. */
#define MESSAGES SYN_CHUNK_EVENTS

/* All slots of a table are cleared at once if more than one in FULL_PART was used. That takes 2 us;
 * clearing one slot takes 2 ns. */
#define FULL_PART 16

/* The newest communicator is looked for among this many events at the end of a chunk. */
#define NEWEST_EVENTS ((size_t)16)

static bool is_full(const struct syn_index *index, size_t used_count)
{
    return used_count > index->slot_count / FULL_PART;
}

/* Returns the lowest communicator that is looked up by its number.
 *
 * RATIONALE: a program that always makes and frees communicators has a new one in every other
 * event, with consecutive numbers. A lookup among all communicators reads a line of a large table
 * that is in no cache. So the newest communicators of the chunk are looked up by their numbers, and
 * SYN_NEAR_COMMS - 1 before them, which is as many as a chunk may have. */
static uint32_t near_first(const struct syn_event *events, size_t count)
{
    uint32_t newest = 0;
    for (size_t i = count - syn_least(count, NEWEST_EVENTS); i < count; i++)
        newest = syn_largest(events[i].comm, newest);
    return newest < SYN_NEAR_COMMS ? 0 : newest - (SYN_NEAR_COMMS - 1);
}

/* Both tables are large and mostly empty. Only as much of them is used as `event_count` needs. */
void syn_tuples_begin(struct syn_tuples *tuples, const struct syn_event *events, size_t event_count,
                      bool stack_column, bool tag_column)
{
    tuples->left_out = stack_column ? of_stack : 0;
    tuples->tag_column = tag_column;
    tuples->has_messages = false;
    size_t slot_count = SYN_TUPLES_SLOTS;
    while (slot_count / 4 >= event_count)
        slot_count /= 2;
    /* After a chunk with few tuples only the used slots of the tables are cleared. */
    const bool tuples_full = is_full(&tuples->tuple_index, tuples->indexed_count);
    const bool comms_full = is_full(&tuples->comm_index, tuples->comm_count);
    if (tuples_full)
        syn_index_clear(&tuples->tuple_index);
    for (size_t i = 0; i < tuples->indexed_count && !tuples_full; i++)
        tuples->tuple_slots[tuples->slot_of[i]] = 0;
    if (comms_full) {
        syn_index_clear(&tuples->comm_index);
        memset(tuples->near_slots, 0, sizeof tuples->near_slots);
    }
    for (size_t i = 0; i < tuples->comm_count && !comms_full; i++)
        *tuples->comms[i].slot = 0;
    tuples->tuple_index = (struct syn_index){tuples->tuple_slots, slot_count};
    tuples->comm_index = (struct syn_index){tuples->comm_slots, slot_count};
    tuples->near_first = near_first(events, event_count);
    tuples->tuple_count = tuples->indexed_count = 0;
    tuples->comm_count = 0;
    tuples->exception_count = 0;
    tuples->pause_count = 0;
    tuples->repeat.since = tuples->repeat.run = tuples->repeat.length = 0;
}

static bool is_comm(const void *owner, uint32_t number, const void *comm)
{
    return ((const struct syn_tuples *)owner)->comms[number].comm == *(const uint64_t *)comm;
}

static inline bool is_message(const struct syn_tuple *tuple)
{
    return tuple->root_op_flags >> MESSAGE_BIT & 1;
}

/* Adds a communicator. `event` is the first event on it, and its tuple will be the next one. */
static uint16_t add_comm(struct syn_tuples *tuples, const struct syn_event *event, uint64_t comm,
                         uint32_t *slot)
{
    const uint16_t index = (uint16_t)tuples->comm_count++;
    const bool of_messages = comm != event->comm;
    tuples->comms[index] =
        (struct syn_comm_use){.comm = comm,
                              .first_tuple = (uint16_t)tuples->tuple_count,
                              .slot = slot,
                              .first_sequence = of_messages ? 0 : event->sequence};
    tuples->next_number[index] = event->sequence;
    if (of_messages && !tuples->has_messages) {
        tuples->has_messages = true;
        tuples->first_order = tuples->next_number[MESSAGES] = syn_message_order(event->sequence);
    }
    *slot = index + 1u;
    return index;
}

static inline bool same_tuple(const struct syn_tuple *a, const struct syn_tuple *b)
{
    return ((a->bytes ^ b->bytes) | (a->comm_stack ^ b->comm_stack) |
            (a->root_op_flags ^ b->root_op_flags) | (uint64_t)(a->extended ^ b->extended)) == 0;
}

/* Returns the tag in the tuple of an event. */
static inline uint32_t tag_of(const struct syn_tuples *tuples, const struct syn_event *event)
{
    return event->op < SYN_CALL_BASE || tuples->tag_column ? 0 : (uint32_t)event->sequence;
}

/* A tuple to look for. */
struct wanted {
    struct syn_tuple tuple;
    uint32_t tag;
};

static bool is_tuple(const void *owner, uint32_t number, const void *wanted)
{
    const struct syn_tuples *tuples = owner;
    const struct wanted *like = wanted;
    return same_tuple(&tuples->tuples[number], &like->tuple) && tuples->tags[number] == like->tag;
}

static uint16_t add_tuple(struct syn_tuples *tuples, const struct wanted *wanted, uint16_t comm,
                          size_t position)
{
    const uint16_t index = (uint16_t)tuples->tuple_count++;
    struct syn_tuple *entry = &tuples->tuples[index];
    *entry = wanted->tuple;
    tuples->tags[index] = wanted->tag;
    entry->comm = comm;
    /* An event that comes rarely has a tuple of its own, and the events around it go on as before:
     * so the tuple before is expected next. */
    entry->successor = position ? tuples->index[position - 1] : index;
    entry->last = (uint16_t)position;
    return index;
}

/* Finds a tuple that is not the first one of its communicator, or adds it. */
static uint16_t search_indexed(struct syn_tuples *tuples, const struct wanted *wanted,
                               uint16_t comm, size_t position)
{
    const struct syn_tuple *tuple = &wanted->tuple;
    const uint64_t extended_tag = tuple->extended | (uint64_t)wanted->tag << 8;
    const uint64_t hash =
        syn_hash_add(syn_hash_add(syn_hash_add(extended_tag, tuple->bytes), tuple->root_op_flags),
                     tuple->comm_stack);
    uint32_t *slot = syn_index_slot(&tuples->tuple_index, hash, is_tuple, tuples, wanted);
    if (*slot)
        return (uint16_t)(*slot - 1);
    const uint16_t index = add_tuple(tuples, wanted, comm, position);
    tuples->slot_of[tuples->indexed_count++] = (uint16_t)(slot - tuples->tuple_slots);
    *slot = index + 1u;
    return index;
}

/* Finds a tuple or adds it. RATIONALE: a communicator that is made and freed without use has one
 * tuple. It is found through the communicator, which saves a lookup in the large table. */
static uint16_t search_tuple(struct syn_tuples *tuples, const struct syn_tuple *tuple,
                             const struct syn_event *event, size_t position)
{
    const struct wanted wanted = {*tuple, tag_of(tuples, event)};
    const uint64_t comm_use = event->comm | (is_message(tuple) ? SYN_OF_MESSAGES : 0);
    const uint64_t near = comm_use - tuples->near_first;
    uint32_t *slot = near < SYN_NEAR_COMMS
                         ? &tuples->near_slots[near]
                         : syn_index_slot(&tuples->comm_index, syn_hash_word(comm_use), is_comm,
                                          tuples, &comm_use);
    if (!*slot)
        return add_tuple(tuples, &wanted, add_comm(tuples, event, comm_use, slot), position);
    const uint16_t comm = (uint16_t)(*slot - 1), first = tuples->comms[comm].first_tuple;
    return is_tuple(tuples, first, &wanted) ? first
                                            : search_indexed(tuples, &wanted, comm, position);
}

/* Returns the event's tuple. The tuple that followed the last time is tried first, without
 * hashing. */
static inline uint16_t tuple_index(struct syn_tuples *tuples, const struct syn_event *event,
                                   uint8_t extended, size_t position)
{
    struct syn_tuple tuple = {.bytes = event->bytes, .extended = extended};
    memcpy(&tuple.comm_stack, (const char *)event + SYN_COMM_STACK_AT, 8);
    tuple.comm_stack |= tuples->left_out;
    memcpy(&tuple.root_op_flags, (const char *)event + SYN_ROOT_OP_FLAGS_AT, 8);
    tuple.root_op_flags &= ~of_pause;
    if (position == 0)
        return search_tuple(tuples, &tuple, event, position);
    uint16_t before = tuples->index[position - 1], guess = tuples->tuples[before].successor;
    if (__builtin_expect(same_tuple(&tuples->tuples[guess], &tuple), 1) &&
        (!is_message(&tuple) || tuples->tags[guess] == tag_of(tuples, event)))
        return guess;
    uint16_t index = search_tuple(tuples, &tuple, event, position);
    tuples->tuples[before].successor = index;
    return index;
}

static inline uint64_t *counter_of(struct syn_tuples *tuples, const struct syn_tuple *tuple)
{
    return &tuples->next_number[is_message(tuple) ? MESSAGES : tuple->comm];
}

static inline uint64_t number_of(const struct syn_tuple *tuple, uint64_t sequence)
{
    return is_message(tuple) ? syn_message_order(sequence) : sequence;
}

/* Takes note of the number of an event with tuple `index`. Returns true if it was the expected
 * number. */
static inline bool note_sequence(struct syn_tuples *tuples, uint16_t index, size_t position,
                                 uint64_t sequence)
{
    const struct syn_tuple *tuple = &tuples->tuples[index];
    const uint64_t number = number_of(tuple, sequence);
    uint64_t *next = counter_of(tuples, tuple), expected = *next;
    *next = number + 1;
    if (__builtin_expect(number == expected, 1))
        return true;
    tuples->exceptions[tuples->exception_count++] =
        (struct syn_exception){(uint32_t)position, expected, number};
    return false;
}

static void note_pauses(struct syn_tuples *tuples, const struct syn_event *events, size_t first,
                        size_t end)
{
    for (size_t i = first; i < end; i++)
        if (events[i].flags & SYN_EVENT_PERTURBED)
            tuples->pauses[tuples->pause_count++] = (uint16_t)i;
}

/* Prepares for a repetition: the stretch of `length` events before `position` came like the stretch
 * before it. If the next stretch is like it again, only its numbers differ. They are larger by the
 * number of events of the stretch that count together (on the same communicator, or as
 * messages). */
static void begin_repeat(struct syn_tuples *tuples, size_t position, uint32_t length)
{
    struct syn_repeat *repeat = &tuples->repeat;
    const uint16_t *index = tuples->index + position - length;
    uint64_t before[SYN_REPEAT_MAX];
    for (uint32_t i = 0; i < length; i++)
        before[i] = *counter_of(tuples, &tuples->tuples[index[i]]);
    for (uint32_t i = 0; i < length; i++)
        ++*counter_of(tuples, &tuples->tuples[index[i]]);
    for (uint32_t i = 0; i < length; i++) {
        const struct syn_tuple *tuple = &tuples->tuples[index[i]];
        const unsigned shift = is_message(tuple) ? SYN_MESSAGE_ORDER_SHIFT : 0;
        const uint64_t grown = (*counter_of(tuples, tuple) - before[i]) << shift;
        const uint64_t counts = tuples->tag_column ? UINT64_MAX << shift : UINT64_MAX;
        repeat->growth[i] = (syn_four_words){0, grown, 0, 0};
        repeat->kept[i] = (syn_four_words){UINT64_MAX, counts, ~tuples->left_out, ~of_pause};
    }
    for (uint32_t i = 0; i < length; i++)
        *counter_of(tuples, &tuples->tuples[index[i]]) = before[i];
    repeat->length = length;
    repeat->phase = 0;
}

/* Returns true if each of `count` events, compared with the event `length` before it, has grown as
 * expected in all values of a tuple. *any_pause: true if the recorder stopped before one of the
 * events. */
static inline __attribute__((always_inline)) bool repeats(const struct syn_event *events,
                                                          size_t length, size_t count,
                                                          const struct syn_repeat *repeat,
                                                          bool same_kept, bool *any_pause)
{
    const syn_four_words *growth = repeat->growth + repeat->phase;
    const syn_four_words *kept = repeat->kept + repeat->phase;
    const syn_four_words first = kept[0];
    syn_four_words differ = {0, 0, 0, 0}, all = {0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const syn_four_words counts = same_kept ? first : kept[i];
        syn_four_words now, before;
        memcpy(&now, &events[i].bytes, sizeof now);
        memcpy(&before, &(events + i - length)->bytes, sizeof before);
        differ |= ((now & counts) - (before & counts)) ^ growth[i];
        all |= now;
    }
    *any_pause = (all[3] & of_pause) != 0;
    return (differ[0] | differ[1] | differ[2] | differ[3]) == 0;
}

SYN_TARGET_AVX2 static bool repeats_avx2(const struct syn_event *events, size_t length,
                                         size_t count, const struct syn_repeat *repeat,
                                         bool same_kept, bool *any_pause)
{
    return same_kept ? repeats(events, length, count, repeat, true, any_pause)
                     : repeats(events, length, count, repeat, false, any_pause);
}

static bool repeats_any(const struct syn_event *events, size_t length, size_t count,
                        const struct syn_repeat *repeat, bool same_kept, bool *any_pause)
{
    return same_kept ? repeats(events, length, count, repeat, true, any_pause)
                     : repeats(events, length, count, repeat, false, any_pause);
}

/* Compares stretch by stretch as long as they repeat. Returns the place at which the repetition
 * ends, or `end`. */
static size_t follow_repeat(struct syn_tuples *tuples, const struct syn_event *events,
                            const uint8_t *extended, size_t position, size_t end)
{
    const bool avx2 = syn_cpu() >= SYN_CPU_AVX2, same_kept = !tuples->tag_column;
    struct syn_repeat *repeat = &tuples->repeat;
    const size_t length = repeat->length;
    bool any_pause;
    while (position < end) {
        size_t count = length - repeat->phase;
        count = count < end - position ? count : end - position;
        bool same =
            avx2 ? repeats_avx2(events + position, length, count, repeat, same_kept, &any_pause)
                 : repeats_any(events + position, length, count, repeat, same_kept, &any_pause);
        if (!same || memcmp(extended + position, extended + position - length, count) != 0) {
            /* Bring the state of single events up to date. It was not updated during the
             * repetition. */
            for (size_t i = position - repeat->length; i < position; i++) {
                struct syn_tuple *tuple = &tuples->tuples[tuples->index[i]];
                tuple->last = (uint16_t)i;
                *counter_of(tuples, tuple) = number_of(tuple, events[i].sequence) + 1;
            }
            repeat->length = 0;
            repeat->run = 0;
            return position;
        }
        if (any_pause)
            note_pauses(tuples, events, position, position + count);
        memcpy(tuples->index + position, tuples->index + position - length,
               count * sizeof *tuples->index);
        position += count;
        repeat->phase += (uint32_t)count;
        repeat->phase = repeat->phase == length ? 0 : repeat->phase;
    }
    return end;
}

void syn_tuples_find(struct syn_tuples *tuples, const struct syn_event *events,
                     const uint8_t *extended, size_t first, size_t end)
{
    struct syn_repeat *repeat = &tuples->repeat;
    for (size_t i = first; i < end;) {
        if (repeat->length > 0) {
            i = follow_repeat(tuples, events, extended, i, end);
            continue;
        }
        uint16_t index = tuple_index(tuples, &events[i], extended[i], i);
        uint32_t since = (uint32_t)i - tuples->tuples[index].last;
        bool expected = note_sequence(tuples, index, i, events[i].sequence);
        tuples->tuples[index].last = (uint16_t)i;
        tuples->index[i] = index;
        /* since is 0 for a new tuple */
        repeat->run = expected && since > 0 && since == repeat->since ? repeat->run + 1 : 0;
        repeat->since = since;
        note_pauses(tuples, events, i, i + 1);
        i++;
        if (repeat->run < REPEAT_MIN || repeat->run < repeat->since ||
            repeat->since > SYN_REPEAT_MAX)
            continue;
        uint32_t length = repeat->since;
        while (length < REPEAT_MIN)
            length += repeat->since;
        if (repeat->run >= length)
            begin_repeat(tuples, i, length);
    }
}
