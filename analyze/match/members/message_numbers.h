/* analyze/match/members/message_numbers.h - the numbers by which the two halves of a message meet.
 *
 * A channel is (communicator, source, destination, tag). MPI lets the k-th send of a channel meet
 * its k-th receive, in the order in which they were posted. A message is therefore (channel, k),
 * whatever slice or thread reads its halves. One pass over the ranks' files counts k before any
 * slice is read: events are written when they complete, and one that was posted early may come
 * late. The pass keeps no more than where a chunk does not count on by one. */
#ifndef SYN_MESSAGE_NUMBERS_H
#define SYN_MESSAGE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/comms.h"
#include "trace/read/reader.h"

/* Ranks are those of MPI_COMM_WORLD. */
struct syn_channel {
    uint32_t comm; /* index into syn_comms.comm */
    int32_t source, destination;
    int32_t tag;
    bool partitioned; /* such messages meet one another only */
    bool ambiguous;   /* several threads of a rank send on it, or receive: they have no order */
    uint32_t sent_count, received_count; /* halves with a number */
};

/* The channel and number of an event. Both halves of a channel's message k are there, if it is not
 * one of those below: those of a message without the other half have SYN_CHANNEL_UNMATCHED. */
struct syn_message_mark {
    uint32_t channel; /* below syn_message_numbers.channel_count, or one of those below */
    uint32_t k;       /* SYN_CHANNEL_UNMATCHED: SYN_NO_NUMBER if the other half may be there */
};
#define SYN_NO_NUMBER         UINT32_MAX
#define SYN_NO_CHANNEL        UINT32_MAX       /* the event is no message */
#define SYN_CHANNEL_AMBIGUOUS (UINT32_MAX - 1) /* a message, on a channel that is ambiguous */
#define SYN_CHANNEL_UNMATCHED (UINT32_MAX - 2) /* its other half is not there, or nobody knows */
#define SYN_CHANNEL_CANCELLED (UINT32_MAX - 3) /* it was cancelled, or its send failed */
#define SYN_CHANNEL_LIMIT     (UINT32_MAX - 4) /* channels have smaller numbers */

/* How the messages of a run were recorded: the weakest of its ranks. */
enum syn_messages_recorded { SYN_MESSAGES_OFF, SYN_MESSAGES_SUMS, SYN_MESSAGES_EVENTS };

/* Counts of halves: sends and receives. */
struct syn_channel_counts {
    uint64_t matched_count; /* messages, each of two halves */
    uint64_t ambiguous_count, unmatched_count, cancelled_count;
    uint64_t missing_count; /* messages of which a thread's numbers tell, without an event */
};

/* Members of intercommunicators' groups, by communicator and rank. */
struct syn_peers {
    struct syn_remote *remote; /* [count] */
    size_t count, capacity;
};

struct syn_message_numbers {
    enum syn_messages_recorded recorded;
    bool any;                    /* there are events of messages */
    struct syn_channel *channel; /* [channel_count] */
    size_t channel_count;
    struct syn_rank_numbers *rank; /* [rank_count] */
    int32_t rank_count;
    struct syn_channel_counts counts;
    struct syn_peers peers;
};

/* Reads all chunks that have messages, by several threads. Damaged chunks are skipped: the trace
 * lists them. A trace without such events is not read. Returns 0, SYN_ENOMEM or SYN_EIO; free it in
 * any case. */
int syn_message_numbers_make(const struct syn_trace *trace, const struct syn_comms *comms,
                             struct syn_message_numbers *out);
void syn_message_numbers_free(struct syn_message_numbers *numbers);

/* A reader of one rank's chunks: the numbers of its events, in the file's order. */
struct syn_message_reader;
/* Borrows `numbers`. NULL: no memory. */
struct syn_message_reader *syn_message_reader_new(const struct syn_message_numbers *numbers,
                                                  int32_t rank);
void syn_message_reader_free(struct syn_message_reader *reader); /* NULL is fine */
/* The next event is the first of this chunk of the rank's file. */
void syn_message_reader_seek(struct syn_message_reader *reader, size_t chunk);
/* The marks of the next `count` events, which are those of `columns` from `first` on. Each event of
 * a chunk has to be asked for once, in order. */
void syn_message_reader_next(struct syn_message_reader *reader,
                             const struct syn_event_columns *columns, size_t first, size_t count,
                             struct syn_message_mark *mark);

#endif
