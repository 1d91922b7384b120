/* analyze/messages/message_pass.h - the messages of a run: how long ranks waited in them and for
 * whom, how long the transfer took, by call site and between which ranks.
 *
 * A part takes the batches of a slice, in any thread. Parts are absorbed in the order of the
 * slices. docs/methods-messages.md says how waiting and transfer are defined. */
#ifndef SYN_MESSAGE_PASS_H
#define SYN_MESSAGE_PASS_H

#include <pthread.h>
#include <stdatomic.h>

#include "analyze/match/match.h"
#include "analyze/match/members/bounds.h"
#include "analyze/messages/pairing.h"
#include "analyze/messages/table.h"

/* Sums of a rank's halves. */
struct syn_message_times {
    _Atomic uint64_t late_sender_ns, late_receiver_ns,
        transfer_ns; /* inside the calls: their sum */
};

/* Sums of the receives of a channel; of sends that nobody received nothing. */
struct syn_channel_sums {
    _Atomic uint64_t count, bytes, waiting_ns; /* of both sides */
};

struct syn_message_sums {
    uint64_t count, bytes;                    /* of messages received */
    uint64_t unmatched, ambiguous, cancelled; /* halves */
    int64_t late_sender_ns, late_receiver_ns, transfer_ns;
};

/* Messages from one rank to another, on all channels. */
struct syn_message_pair {
    int32_t source, destination; /* of MPI_COMM_WORLD */
    uint64_t count, bytes, waiting_ns;
};

/* Clock bounds of the ranks, of one thread at a time. */
struct syn_message_pass_bounds {
    struct syn_message_pass_bounds *next;
    struct syn_bounds of[]; /* [rank_count] */
};

struct syn_message_pass {
    const struct syn_trace *trace;
    const struct syn_message_numbers *numbers;
    struct syn_store *store; /* of the columns; NULL: they stay in memory */
    struct syn_pairing between;
    struct syn_message_table table;
    /* Once ended: */
    struct syn_message_sums sums;
    struct syn_message_pair *pair; /* [pair_count], by source and destination */
    size_t pair_count;
    enum syn_messages_recorded recorded;
    struct syn_channel_counts counts;
    /* Until then: */
    struct syn_message_times *rank;         /* [rank_count] */
    struct syn_channel_sums *channel;       /* [channel_count] */
    pthread_mutex_t lock;                   /* of: */
    struct syn_message_pass_bounds *bounds; /* not in use */
};

struct syn_message_pass_part {
    struct syn_message_pass *of;
    struct syn_pairing pairing;
    size_t kept_count; /* calls that had met and were not over */
    struct syn_message_table table;
};

/* `trace` and `numbers` are borrowed until syn_message_pass_end, `store` until
 * syn_message_pass_free. 0 or SYN_ENOMEM; free it in any case. */
int syn_message_pass_begin(struct syn_message_pass *messages, const struct syn_trace *trace,
                           const struct syn_message_numbers *numbers, struct syn_store *store);
/* All parts are absorbed. 0, SYN_ENOMEM or SYN_EIO. */
int syn_message_pass_end(struct syn_message_pass *messages);
void syn_message_pass_free(struct syn_message_pass *messages);

/* {0}, then begun; of a run without messages it stays empty. */
void syn_message_pass_part_begin(struct syn_message_pass_part *part,
                                 struct syn_message_pass *messages);
/* For the sink of a match (match.h). */
uint32_t syn_message_pass_part_kind(struct syn_message_pass_part *part,
                                    const struct syn_attributes *attributes,
                                    const struct syn_comm_place *place);
int syn_message_pass_part_add(struct syn_message_pass_part *part,
                              const struct syn_match_batch *batch);
/* The slice is read: settles what needs no other slice. 0 or SYN_ENOMEM. */
int syn_message_pass_part_settle(struct syn_message_pass_part *part);
/* 0, SYN_ENOMEM or SYN_EIO. */
int syn_message_pass_absorb(struct syn_message_pass *messages, struct syn_message_pass_part *part);
void syn_message_pass_part_free(struct syn_message_pass_part *part);

#endif
