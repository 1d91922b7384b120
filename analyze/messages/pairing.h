/* analyze/messages/pairing.h - brings the two halves of a message together, and finds out when a
 * call that completes halves is over.
 *
 * Each slice has a pairing, in which most halves meet their other halves. A call is over when all
 * its halves have met theirs and its location has posted a later half. A call that is over is
 * settled and removed, so few halves are kept. The first call of a location in a slice is an
 * exception, because it may have halves in the slice before. In the order of the slices, all calls
 * that are not settled go to the pairing between slices. */
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
    struct syn_half_times times; /* never completed: wait_ns = end_ns = call_end_ns */
    int64_t call_end_ns;
    int64_t other_start_ns; /* valid once is_met */
    uint64_t bytes;         /* of the message; is_posted: of the posted buffer until is_met */
    uint32_t channel, k;    /* as in struct syn_message_mark */
    uint32_t row;           /* in the table of messages */
    int32_t other_rank;     /* valid once is_met */
    uint32_t call;          /* number in the pairing that has the half */
    uint32_t next_of_call, next_of_chain; /* half numbers; SYN_NO_HALF: the last */
    bool receives : 1, is_posted : 1, is_completed : 1, is_met : 1;
    bool lasts : 1; /* syn_send_lasts */
};

/* A call that completes halves. A blocking call also starts its half. */
struct syn_completing_call {
    int64_t wait_ns;
    uint32_t location;
    uint32_t first, count; /* first half, number of halves */
    uint32_t unmet_count;
    bool is_used, is_listed; /* is in `met` of the pairing */
    uint32_t next_of_chain;
};

struct syn_posting_thread {
    int32_t rank;
    uint32_t thread;
    bool has_calls;
    int64_t earliest_ns; /* start of its first call that completes halves, if has_calls */
    int64_t posted_ns;   /* latest start of its halves; INT64_MIN: none yet */
    uint32_t newest;     /* the call that got its newest half; it may be removed already */
};

struct syn_pairing {
    struct syn_half *half; /* [half_count], some of them unused */
    size_t half_count, half_capacity;
    uint32_t *unused; /* [unused_count] numbers of unused halves */
    size_t unused_count, unused_capacity;
    struct syn_completing_call *call;
    size_t call_count, call_capacity;
    uint32_t free_call; /* first unused call; the list goes on by next_of_chain */
    struct syn_posting_thread *location;
    size_t location_count, location_capacity;
    struct syn_index locations;
    uint32_t *met; /* [met_count] calls whose halves had all met theirs when they were listed */
    size_t met_count, met_capacity;
    uint32_t *half_head, *call_head; /* hash chains: [half_heads], [call_heads] */
    size_t half_heads, call_heads;   /* powers of two */
    size_t used_halves, used_calls;
};

/* Returns the number of the location in this pairing, a new one if needed. Returns SYN_NO_HALF if
 * out of memory. */
uint32_t syn_pairing_location(struct syn_pairing *pairing, int32_t rank, uint32_t thread);
/* Adds a half, and lets it meet its other half if that is there. Sets *number to its number.
 * Returns 0 or SYN_ENOMEM. */
int syn_pairing_add(struct syn_pairing *pairing, uint32_t location, const struct syn_half *half,
                    uint32_t *number);
/* Prefetches what adding later halves will need. mark [count] has the marks of the next halves. */
void syn_pairing_fetch(const struct syn_pairing *pairing, const struct syn_message_mark *mark,
                       size_t count);
/* Returns whether all halves of a call have met theirs and no half can join the call any more. */
static inline bool syn_call_is_over(const struct syn_pairing *pairing,
                                    const struct syn_completing_call *call)
{
    return call->is_used && call->unmet_count == 0 &&
           call->wait_ns < pairing->location[call->location].posted_ns;
}
/* Removes a settled call and its halves. */
void syn_pairing_remove(struct syn_pairing *pairing, uint32_t call);
void syn_pairing_free(struct syn_pairing *pairing);

/* Returns whether the half can meet another half. */
static inline bool syn_half_meets(const struct syn_half *half)
{
    return half->channel < SYN_CHANNEL_LIMIT;
}

#endif
