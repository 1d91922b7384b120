/* analyze/messages/message_pass.h - the messages of a run: how long ranks waited in them and for
 * which rank, and how long the transfers took, by call site and by pair of ranks.
 *
 * A part takes the batches of a slice, in any thread. Parts are absorbed in the order of the
 * slices. docs/methods-messages.md defines waiting and transfer. */
#ifndef SYN_MESSAGE_PASS_H
#define SYN_MESSAGE_PASS_H

#include <pthread.h>
#include <stdatomic.h>

#include "analyze/match/match.h"
#include "analyze/match/members/bounds.h"
#include "analyze/messages/pairing.h"
#include "analyze/messages/table.h"

/* Sums of one rank's halves. The three add up to the time inside the calls. */
struct syn_message_times {
    _Atomic uint64_t late_sender_ns, late_receiver_ns, transfer_ns;
};

/* Sums of a channel. Count and bytes are those of its receives that met their sends. */
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

/* Clock bounds of all ranks. One thread uses them at a time. */
struct syn_message_pass_bounds {
    struct syn_message_pass_bounds *next;
    struct syn_bounds of[]; /* [rank_count] */
};

struct syn_message_pass {
    const struct syn_trace *trace;
    const struct syn_message_numbers *numbers;
    struct syn_store *store; /* stores the columns; NULL: they stay in memory */
    struct syn_pairing between;
    struct syn_message_table table;
    /* Set by syn_message_pass_end: */
    struct syn_message_sums sums;
    struct syn_message_pair *pair; /* [pair_count], ordered by source and destination */
    size_t pair_count;
    enum syn_messages_recorded recorded;
    struct syn_channel_counts counts;
    /* Used until then: */
    struct syn_message_times *rank;         /* [rank_count] */
    struct syn_channel_sums *channel;       /* [channel_count] */
    pthread_mutex_t lock;                   /* protects `bounds` */
    struct syn_message_pass_bounds *bounds; /* list of those not in use */
};

struct syn_message_pass_part {
    struct syn_message_pass *of;
    struct syn_pairing pairing;
    size_t kept_count; /* calls that the last settling left in pairing.met */
    struct syn_message_table table;
};

/* Begins the messages of a run. `trace` and `numbers` are borrowed until syn_message_pass_end,
 * `store` until syn_message_pass_free. Returns 0 or SYN_ENOMEM. The caller frees *messages in
 * either case. */
int syn_message_pass_begin(struct syn_message_pass *messages, const struct syn_trace *trace,
                           const struct syn_message_numbers *numbers, struct syn_store *store);
/* Settles the remaining calls and sums up, after all parts are absorbed. Returns 0, SYN_ENOMEM or
 * SYN_EIO. */
int syn_message_pass_end(struct syn_message_pass *messages);
void syn_message_pass_free(struct syn_message_pass *messages);

/* Begins a part, which is {0} before. In a run without messages it stays empty. */
void syn_message_pass_part_begin(struct syn_message_pass_part *part,
                                 struct syn_message_pass *messages);
/* Callbacks of the sink of a match (match.h). */
uint32_t syn_message_pass_part_kind(struct syn_message_pass_part *part,
                                    const struct syn_attributes *attributes,
                                    const struct syn_comm_place *place);
int syn_message_pass_part_add(struct syn_message_pass_part *part,
                              const struct syn_match_batch *batch);
/* Settles calls that need no other slice, after the slice is read. Returns 0 or SYN_ENOMEM. */
int syn_message_pass_part_settle(struct syn_message_pass_part *part);
/* Takes up the next part in the order of the slices. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_message_pass_absorb(struct syn_message_pass *messages, struct syn_message_pass_part *part);
void syn_message_pass_part_free(struct syn_message_pass_part *part);

#endif
