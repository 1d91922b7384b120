/* analyze/messages/pairing.h - halves of messages meet, and calls that complete halves come to
 * their end.
 *
 * A slice has one pairing, and its halves find their other halves in it. A call is over when all
 * its halves have met theirs and the location has posted a message behind it. It is settled then,
 * so that few halves are kept, but for the first call of a location in a slice: that may have
 * halves in the slice before. What is not settled goes, in the order of the slices, to the pairing
 * between slices. */
#ifndef SYN_PAIRING_H
#define SYN_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/message_numbers.h"
#include "analyze/messages/waiting.h"
#include "sync/base/index.h"

#define SYN_NO_HALF UINT32_MAX

struct syn_half {
    struct syn_half_times
        times; /* of one that was never completed: wait and end are its call's end */
    int64_t call_end_ns;
    int64_t other_start_ns, other_end_ns; /* of the other half, once it is met */
    uint64_t bytes, other_bytes;
    uint32_t channel, k; /* struct syn_message_mark */
    uint32_t row;        /* of the table of messages */
    int32_t rank, other_rank;
    uint32_t thread;
    bool receives, is_posted /* bytes are what was posted */, is_completed, is_met;
    bool lasts;                           /* syn_send_lasts */
    uint32_t call;                        /* of the pairing that it is in */
    uint32_t next_of_call, next_of_chain; /* numbers of halves */
};

/* A call that completes halves, or starts and completes one. */
struct syn_completing_call {
    int64_t wait_ns;
    uint32_t location;
    uint32_t first, count; /* halves */
    uint32_t unmet_count;
    bool is_used, is_listed; /* among those that are met */
    uint32_t next_of_chain;
};

struct syn_posting_thread {
    int32_t rank;
    uint32_t thread;
    bool has_calls;
    int64_t earliest_ns; /* start of its first call that completes halves */
    int64_t posted_ns;   /* when it posted the last of its halves; INT64_MIN: none yet */
};

struct syn_pairing {
    struct syn_half *half; /* [half_count], some of them free */
    size_t half_count, half_capacity;
    uint32_t free_half; /* first of a list by next_of_call */
    struct syn_completing_call *call;
    size_t call_count, call_capacity;
    uint32_t free_call; /* first of a list by next_of_chain */
    struct syn_posting_thread *location;
    size_t location_count, location_capacity;
    struct syn_index locations;
    uint32_t *met; /* [met_count] calls whose halves had all met theirs */
    size_t met_count, met_capacity;
    uint32_t *half_head, *call_head; /* chains by hash: [half_heads], [call_heads] */
    size_t half_heads, call_heads;   /* powers of two */
    size_t used_halves, used_calls;
};

/* Number of the location in this pairing. SYN_NO_HALF: no memory. */
uint32_t syn_pairing_location(struct syn_pairing *pairing, int32_t rank, uint32_t thread);
/* *number: the half's; it may meet its other half now. 0 or SYN_ENOMEM. */
int syn_pairing_add(struct syn_pairing *pairing, uint32_t location, const struct syn_half *half,
                    uint32_t *number);
/* Have all halves of a call met theirs, and will no half come any more? */
static inline bool syn_call_is_over(const struct syn_pairing *pairing,
                                    const struct syn_completing_call *call)
{
    return call->is_used && call->unmet_count == 0 &&
           call->wait_ns < pairing->location[call->location].posted_ns;
}
/* Takes a settled call and its halves out. */
void syn_pairing_remove(struct syn_pairing *pairing, uint32_t call);
void syn_pairing_free(struct syn_pairing *pairing);

/* Is this half one that meets another? */
static inline bool syn_half_meets(const struct syn_half *half)
{
    return half->channel < SYN_CHANNEL_LIMIT;
}

#endif
