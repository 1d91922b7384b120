/* trace/columns/tuples.h - finds events of a chunk with equal values, for columns_encode.c.
 *
 * Two events have the same tuple if they agree in operation, communicator, bytes, call site, root
 * and flags, and in whether they are extended. Call sites are ignored if call stacks are a column
 * of their own. One flag is in no tuple, because it interrupts repetitions: that the recorder
 * stopped before an event. Sequence numbers are expected to count up on each communicator. An event
 * with another number is an exception.
 *
 * Messages (trace/events/message.h) of one tuple agree in their tags, too, unless tags are a column
 * of their own. Their numbers in order are expected to count up over all communicators. A
 * communicator with both collectives and messages has two entries. */
#ifndef SYN_TUPLES_H
#define SYN_TUPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/index.h"
#include "trace/base/event.h"
#include "trace/base/frame.h"

/* The values that events have in common. Half a cache line: with thousands of call sites nearly
 * every event has a tuple of its own, and these tuples evict the program's data from the cache. */
struct syn_tuple {
    uint64_t bytes;
    uint64_t comm_stack;    /* two words as in an event: comm and stack; */
    uint64_t root_op_flags; /* root, op and flags */
    uint16_t comm;          /* index into the chunk's communicators */
    uint16_t successor;     /* the tuple that followed this one the last time */
    uint16_t last;          /* the last event with this tuple */
    uint8_t extended; /* 1: call_end or wait_start differ from a blocking call's; 2: they differ,
                         and the extended event before was completed by the same call */
};
_Static_assert(sizeof(struct syn_tuple) == 32, "two are a cache line");

/* Offsets of the last two words of an event. */
#define SYN_COMM_STACK_AT    offsetof(struct syn_event, comm)
#define SYN_ROOT_OP_FLAGS_AT offsetof(struct syn_event, root)
_Static_assert(SYN_ROOT_OP_FLAGS_AT == SYN_COMM_STACK_AT + 8 &&
                   sizeof(struct syn_event) == SYN_ROOT_OP_FLAGS_AT + 8 &&
                   offsetof(struct syn_event, bytes) == SYN_COMM_STACK_AT - 16 &&
                   offsetof(struct syn_event, sequence) == SYN_COMM_STACK_AT - 8,
               "the second half of an event is four words without times");

struct syn_comm_use {
    uint64_t comm;        /* with SYN_OF_MESSAGES if this entry is for messages */
    uint16_t first_tuple; /* this tuple is found by the communicator alone, not by its hash */
    uint32_t *slot;
    uint64_t first_sequence;
};

#define SYN_OF_MESSAGES (UINT64_C(1) << 32)

/* An event whose number does not follow the last one: a collective's sequence number on its
 * communicator, or a message's number in order. */
struct syn_exception {
    uint32_t position;
    uint64_t expected;
    uint64_t number;
};

#define SYN_TUPLES_SLOTS (2 * SYN_CHUNK_EVENTS)
/* Number of communicators, up to the newest one, that are looked up by their numbers. */
#define SYN_NEAR_COMMS 8192
/* Largest number of events in a stretch that is compared with the stretch before it. */
#define SYN_REPEAT_MAX 256

/* The expected growth of each word of an event's second half from one repetition to the next. */
typedef uint64_t syn_four_words __attribute__((vector_size(32), aligned(8)));

/* Detects loops of the program: a sequence of tuples that came twice probably comes again. */
struct syn_repeat {
    uint32_t since;  /* distance from the last event to the one before it with the same tuple */
    uint32_t run;    /* number of last events in a row with the same `since` and no exception */
    uint32_t length; /* of a stretch, a multiple of `since`; 0: no repetition */
    uint32_t phase;  /* the place of the next event in the stretch */
    syn_four_words growth[SYN_REPEAT_MAX];
    syn_four_words
        kept[SYN_REPEAT_MAX]; /* mask of the bits that are compared, if tags are a column */
};

struct syn_tuples {
    uint64_t left_out; /* these bits of comm_stack are set in all tuples */
    bool tag_column;   /* tags are not in tuples */
    struct syn_repeat repeat;
    struct syn_tuple tuples[SYN_CHUNK_EVENTS];
    uint32_t tags[SYN_CHUNK_EVENTS];    /* tags of tuples of messages; else 0 */
    uint16_t slot_of[SYN_CHUNK_EVENTS]; /* place in the index, for tuples that are in it */
    uint32_t tuple_slots[SYN_TUPLES_SLOTS];
    struct syn_index tuple_index;
    size_t tuple_count, indexed_count;

    struct syn_comm_use comms[SYN_CHUNK_EVENTS];
    uint64_t next_number[SYN_CHUNK_EVENTS +
                         1]; /* next number on each communicator; the last entry: of messages */
    uint64_t first_order;    /* number in order of the first message, */
    bool has_messages;       /* if there are any */
    uint32_t near_slots[SYN_NEAR_COMMS]; /* slots of communicators from near_first on, like those of
                                            the index */
    uint32_t near_first;
    uint32_t comm_slots[SYN_TUPLES_SLOTS];
    struct syn_index comm_index;
    size_t comm_count;

    struct syn_exception exceptions[SYN_CHUNK_EVENTS];
    size_t exception_count;

    uint16_t pauses[SYN_CHUNK_EVENTS]; /* events before which the recorder stopped, ascending */
    size_t pause_count;

    uint16_t index[SYN_CHUNK_EVENTS]; /* the tuple of each event */
};

/* Begins a chunk of these events. `stack_column`: call stacks are a column, and all tuples have
 * SYN_NO_STACK. `tag_column`: tags are a column, and all tuples have tag 0. `tuples` is all zeros
 * or was used for another chunk. */
void syn_tuples_begin(struct syn_tuples *tuples, const struct syn_event *events, size_t event_count,
                      bool stack_column, bool tag_column);
/* Finds the tuples of events `first` to `end` - 1 of the chunk. Blocks of events are passed in
 * order, from 0 on. extended [end]: as in struct syn_tuple. */
void syn_tuples_find(struct syn_tuples *tuples, const struct syn_event *events,
                     const uint8_t *extended, size_t first, size_t end);

#endif
