/* analyze/messages/message_pass.h - the sums of a run's messages: how long ranks waited in them and
 * for which rank, and how long the transfers took, by call site and by pair of ranks.
 *
 * The replay of causes finds which halves meet and how long each call waits. It adds them to a
 * part, which one thread uses at a time. Parts are absorbed in any order.
 * docs/methods-messages.md defines waiting and transfer. */
#ifndef SYN_MESSAGE_PASS_H
#define SYN_MESSAGE_PASS_H

#include <stdatomic.h>

#include "analyze/match/members/comms.h"
#include "analyze/match/members/message_numbers.h"
#include "analyze/messages/table.h"

/* Sums of one rank's halves. The three add up to the time inside the calls. */
struct syn_message_times {
    _Atomic uint64_t late_sender_ns, late_receiver_ns, transfer_ns;
};

/* Sums of a channel. Count and bytes are those of its messages whose halves met. */
struct syn_channel_sums {
    _Atomic uint64_t count, bytes, late_sender_ns, late_receiver_ns;
};

struct syn_message_sums {
    uint64_t count, bytes;                    /* of messages received */
    uint64_t unmatched, ambiguous, cancelled; /* numbers of halves */
    int64_t late_sender_ns, late_receiver_ns, transfer_ns;
};

/* Messages from one rank to another, on all channels. */
struct syn_message_pair {
    int32_t source, destination; /* ranks of MPI_COMM_WORLD */
    uint64_t count, bytes;
    int64_t late_sender_ns, late_receiver_ns;
};

struct syn_message_pass {
    const struct syn_message_numbers *numbers;
    struct syn_store *store; /* stores the columns; NULL: they stay in memory */
    struct syn_message_table table;
    /* Set by syn_message_pass_end: */
    struct syn_message_sums sums;
    struct syn_message_pair *pair; /* [pair_count], ordered by source and destination */
    size_t pair_count;
    enum syn_messages_recorded recorded;
    struct syn_channel_counts counts;
    /* Used until then: */
    struct syn_message_times *rank;   /* [rank_count] */
    struct syn_channel_sums *channel; /* [channel_count] */
};

struct syn_message_part {
    struct syn_message_pass *of; /* NULL: nothing is added */
    struct syn_message_table table;
};

/* Begins the messages of a run. `numbers` is borrowed until syn_message_pass_end, `store` until
 * syn_message_pass_free. Returns 0 or SYN_ENOMEM. The caller frees *messages in either case. */
int syn_message_pass_begin(struct syn_message_pass *messages,
                           const struct syn_message_numbers *numbers, struct syn_store *store);
/* Adds a part to its run, and empties it. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_message_pass_absorb(struct syn_message_part *part);
/* Sums up, after all parts are absorbed. Returns 0 or SYN_ENOMEM. */
int syn_message_pass_end(struct syn_message_pass *messages);
void syn_message_pass_free(struct syn_message_pass *messages);

/* Makes room for the row of events with these attributes, and notes their ranks. Returns 0 or
 * SYN_ENOMEM. */
int syn_message_add_kind(struct syn_message_part *part, uint32_t row,
                         const struct syn_attributes *attributes,
                         const struct syn_comm_place *place);

/* A half of a message. */
struct syn_half {
    uint64_t bytes;
    uint32_t row;
    int32_t rank;   /* in MPI_COMM_WORLD */
    bool is_posted; /* the bytes are those of the posted buffer */
};

/* Counts a half. `channel` is that of its mark; it took starting_ns to start it, beside the call
 * that completes it. Its bytes are counted later if the other half is in the trace. */
void syn_message_add_half(struct syn_message_part *part, const struct syn_half *half,
                          uint32_t channel, int64_t starting_ns);
/* Adds a message, of which half[0] is the send. bound_ns has the clock bounds of both halves. */
void syn_message_add_met(struct syn_message_part *part, const struct syn_half half[2],
                         uint32_t channel, const int64_t bound_ns[2]);
/* Counts a half whose other half did not come, though its mark says that it is in the trace. */
void syn_message_add_unmet(struct syn_message_part *part, const struct syn_half *half);
/* Adds the transfer of a half that was completed. Returns 0 or SYN_ENOMEM. */
int syn_message_add_transfer(struct syn_message_part *part, uint32_t row, int64_t ns);

/* A call that completes halves. All of its time is that of one half. */
struct syn_completing_call {
    int32_t rank;
    uint32_t row; /* of the half that it waited for, or that was posted last */
    int64_t inside_ns, waiting_ns;
    /* If waiting_ns > 0: */
    bool receives;
    uint32_t channel;
    int32_t late; /* rank */
};
/* Adds the call's time. Returns 0 or SYN_ENOMEM. */
int syn_message_add_call(struct syn_message_part *part, const struct syn_completing_call *call);

#endif
