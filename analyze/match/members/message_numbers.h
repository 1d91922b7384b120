/* analyze/match/members/message_numbers.h - numbers that match the send and the receive of a
 * message.
 *
 * A channel is (communicator, source, destination, tag). In MPI the k-th send on a channel matches
 * its k-th receive, in the order in which they were posted. So (channel, k) identifies a message,
 * whichever slice or thread reads its halves. One pass over the ranks' files counts k before slices
 * are read: events are written when they complete, so a message that was posted early may be
 * written late. The pass keeps only the places at which a chunk does not count on by one. */
#ifndef SYN_MESSAGE_NUMBERS_H
#define SYN_MESSAGE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/comms.h"
#include "trace/read/reader.h"

/* A channel. Its ranks are ranks in MPI_COMM_WORLD. */
struct syn_channel {
    uint32_t comm; /* index into syn_comms.comm */
    int32_t source, destination;
    int32_t tag;
    bool partitioned; /* its messages match partitioned ones only */
    bool ambiguous;   /* several threads of a rank send or receive on it: no order */
    uint32_t sent_count, received_count; /* numbered sends and receives */
};

/* The channel and the number of an event. If both halves of a message are in the trace, both have
 * the same mark. Else `channel` is one of the constants below. */
struct syn_message_mark {
    uint32_t channel; /* below syn_message_numbers.channel_count, or a constant below */
    uint32_t k; /* of SYN_CHANNEL_UNMATCHED: SYN_NO_NUMBER if the other half may be in the trace */
};
#define SYN_NO_NUMBER         UINT32_MAX
#define SYN_NO_CHANNEL        UINT32_MAX       /* the event is no message */
#define SYN_CHANNEL_AMBIGUOUS (UINT32_MAX - 1) /* a message on an ambiguous channel */
#define SYN_CHANNEL_UNMATCHED \
    (UINT32_MAX - 2) /* a message whose other half is missing or not known */
#define SYN_CHANNEL_CANCELLED \
    (UINT32_MAX - 3)                       /* a message that was cancelled, or whose send failed */
#define SYN_CHANNEL_LIMIT (UINT32_MAX - 4) /* numbers of channels are smaller */

/* How the messages of a run were recorded: the least that any rank recorded. */
enum syn_messages_recorded { SYN_MESSAGES_OFF, SYN_MESSAGES_SUMS, SYN_MESSAGES_EVENTS };

/* Counts of halves (sends and receives), except where a member says messages. */
struct syn_channel_counts {
    uint64_t matched_count; /* messages whose two halves are in the trace */
    uint64_t ambiguous_count, unmatched_count, cancelled_count;
    uint64_t missing_count; /* messages that a thread numbered, but that have no event */
};

/* Members of the groups of intercommunicators, by communicator and rank. */
struct syn_peers {
    struct syn_remote *remote; /* [count] */
    size_t count, capacity;
};

struct syn_message_numbers {
    enum syn_messages_recorded recorded;
    bool any;                    /* the trace has events of messages */
    struct syn_channel *channel; /* [channel_count] */
    size_t channel_count;
    struct syn_rank_numbers *rank; /* [rank_count] */
    int32_t rank_count;
    struct syn_channel_counts counts;
    struct syn_peers peers;
};

/* Reads all chunks, on several threads. Damaged chunks are skipped, and the trace lists them. A
 * trace whose messages are not recorded as events is not read. Returns 0, SYN_ENOMEM or SYN_EIO.
 * The caller frees `out` in any case. */
int syn_message_numbers_make(const struct syn_trace *trace, const struct syn_comms *comms,
                             struct syn_message_numbers *out);
void syn_message_numbers_free(struct syn_message_numbers *numbers);

/* Numbers the events of one rank, in the order of its file. */
struct syn_message_reader;
/* Returns a reader that borrows `numbers`. NULL: no memory. */
struct syn_message_reader *syn_message_reader_new(const struct syn_message_numbers *numbers,
                                                  int32_t rank);
void syn_message_reader_free(struct syn_message_reader *reader); /* `reader` may be NULL */
/* Moves to the first event of a chunk of the rank's file. */
void syn_message_reader_seek(struct syn_message_reader *reader, size_t chunk);
/* Writes the marks of the next `count` events, which are at `first` in `columns`. The caller asks
 * for each event of a chunk once, in order. */
void syn_message_reader_next(struct syn_message_reader *reader,
                             const struct syn_event_columns *columns, size_t first, size_t count,
                             struct syn_message_mark *mark);

#endif
