/* trace/columns/tuples.h - finds events of a chunk that are alike, for columns_encode.c.
 *
 * Two events have the same tuple if they agree in operation, communicator, bytes, call site, root
 * and flags, and in whether they are extended; of a chunk whose call stacks are a column, whatever
 * their call sites are. One flag is in no tuple: that the recorder paused before an event, which
 * comes in the midst of what repeats. Their sequence numbers are expected to count up on each
 * communicator; an event that has another number is an exception.
 *
 * Messages (trace/events/message.h) agree in their tags, too, where tags are no column of their
 * own. Their numbers in order are expected to count up over all communicators. A communicator that
 * has collectives and messages is two, one for each. */
#ifndef SYN_TUPLES_H
#define SYN_TUPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/index.h"
#include "trace/base/event.h"
#include "trace/base/frame.h"

/* The values that events have in common. Half a cache line: from thousands of call sites nearly
 * every event has one of its own, and what they take drives out the program's data. */
struct syn_tuple {
    uint64_t bytes;
    uint64_t comm_stack;    /* two words as they lie in an event: comm and stack; */
    uint64_t root_op_flags; /*   root, op and flags */
    uint16_t comm;          /* index into the chunk's communicators */
    uint16_t successor;     /* the tuple that followed the last time */
    uint16_t last;          /* the last event that had it */
    uint8_t extended;       /* 1 where call_end or wait_start differ from a blocking call's; 2:
                               likewise, and completed with the extended event before it */
};
_Static_assert(sizeof(struct syn_tuple) == 32, "two are a cache line");

/* The last two words of an event, as they lie there. */
#define SYN_COMM_STACK_AT    offsetof(struct syn_event, comm)
#define SYN_ROOT_OP_FLAGS_AT offsetof(struct syn_event, root)
_Static_assert(SYN_ROOT_OP_FLAGS_AT == SYN_COMM_STACK_AT + 8 &&
                   sizeof(struct syn_event) == SYN_ROOT_OP_FLAGS_AT + 8 &&
                   offsetof(struct syn_event, bytes) == SYN_COMM_STACK_AT - 16 &&
                   offsetof(struct syn_event, sequence) == SYN_COMM_STACK_AT - 8,
               "the second half of an event is four words without times");

struct syn_comm_use {
    uint64_t comm;        /* SYN_OF_MESSAGES is added where messages are on it */
    uint16_t first_tuple; /* it is found by this alone, not by its hash */
    uint32_t *slot;
    uint64_t first_sequence;
};

#define SYN_OF_MESSAGES (UINT64_C(1) << 32)

/* An event whose number is not the one after the last: a collective's sequence number on its
 * communicator, a message's number in order. */
struct syn_exception {
    uint32_t position;
    uint64_t expected;
    uint64_t number;
};

#define SYN_TUPLES_SLOTS (2 * SYN_CHUNK_EVENTS)
/* Number of communicators below the newest one that are looked up by their numbers. */
#define SYN_NEAR_COMMS 8192
/* A stretch of events that is compared with the one before it has at most so many. */
#define SYN_REPEAT_MAX 256

/* By how much each word of an event's second half is to grow from one repetition to the next. */
typedef uint64_t syn_four_words __attribute__((vector_size(32), aligned(8)));

/* Programs loop: what has been there twice in the same order is probably going on. */
struct syn_repeat {
    uint32_t since;  /* events since the last one had its tuple the time before */
    uint32_t run;    /* so many in a row had the same `since`, and no exception */
    uint32_t length; /* of a stretch, a multiple of `since`; 0: not repeating */
    uint32_t phase;  /* where in it the next event is */
    syn_four_words growth[SYN_REPEAT_MAX];
    syn_four_words kept[SYN_REPEAT_MAX]; /* the bits that count, where tags are a column */
};

struct syn_tuples {
    uint64_t left_out; /* these bits of comm_stack are the same number in all tuples */
    bool tag_column;   /* tags are in no tuple */
    struct syn_repeat repeat;
    struct syn_tuple tuples[SYN_CHUNK_EVENTS];
    uint32_t tags[SYN_CHUNK_EVENTS];    /* of tuples of messages; else 0 */
    uint16_t slot_of[SYN_CHUNK_EVENTS]; /* of those that are in the index: where */
    uint32_t tuple_slots[SYN_TUPLES_SLOTS];
    struct syn_index tuple_index;
    size_t tuple_count, indexed_count;

    struct syn_comm_use comms[SYN_CHUNK_EVENTS];
    uint64_t next_number[SYN_CHUNK_EVENTS + 1]; /* on each of them; the last: of messages */
    uint64_t first_order;                       /* of the first message, */
    bool has_messages;                          /*   if there is any */
    uint32_t near_slots[SYN_NEAR_COMMS];        /* of those from near_first on, as the index has */
    uint32_t near_first;
    uint32_t comm_slots[SYN_TUPLES_SLOTS];
    struct syn_index comm_index;
    size_t comm_count;

    struct syn_exception exceptions[SYN_CHUNK_EVENTS];
    size_t exception_count;

    uint16_t pauses[SYN_CHUNK_EVENTS]; /* events that the recorder paused before, ascending */
    size_t pause_count;

    uint16_t index[SYN_CHUNK_EVENTS]; /* of each event: its tuple */
};

/* Begin a chunk of these events. `stack_column`: their call stacks are a column, and all tuples
 * have SYN_NO_STACK; `tag_column` likewise, and the tag 0. `tuples` is all zeros or was used for
 * another chunk. */
void syn_tuples_begin(struct syn_tuples *tuples, const struct syn_event *events, size_t event_count,
                      bool stack_column, bool tag_column);
/* Go on with events `first` to `end` - 1 of the chunk: one block after the other, from 0 on.
 * extended [end]: as a tuple's. */
void syn_tuples_find(struct syn_tuples *tuples, const struct syn_event *events,
                     const uint8_t *extended, size_t first, size_t end);

#endif
