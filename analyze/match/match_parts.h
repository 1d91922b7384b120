/* analyze/match/match_parts.h - the inside of a match: one slab (match_read.c, match_tell.c), what
 * slabs left (match.c), and all of them (match_slabs.c). */
#ifndef SYN_MATCH_PARTS_H
#define SYN_MATCH_PARTS_H

#include "lanes.h"
#include "match.h"

#define SYN_UNARRIVED INT64_MIN

/* Are there members enough that instances of it can be complete? */
static inline bool syn_comm_can_complete(const struct syn_comm *comm)
{
    return comm->known_count == comm->size;
}

/* An instance that waits for members that are not in the slabs of those it has. */
struct syn_slot {
    struct syn_instance instance;
    struct syn_slot *next; /* in its bucket, or in its communicator's list of free ones */
    uint32_t comm;
    uint32_t slab;           /* in which its first member came */
    uint32_t representative; /* the lowest member read so far: its attributes are the instance's */
    int64_t start_bound_ns, end_bound_ns;
    double bytes_sum;
    struct syn_member member[]; /* [comm size]; none where the communicator cannot be complete */
};

struct syn_slot_block { /* slots are taken from blocks, which live as long as the matcher */
    struct syn_slot_block *next;
    size_t used, capacity;
    char data[];
};

struct syn_matcher {
    const struct syn_match *match;
    struct syn_match_totals *totals;
    void *part;               /* whom to tell */
    struct syn_slot **bucket; /* [bucket_count], a power of two */
    size_t bucket_count;
    size_t pending_count;
    struct syn_slot **free_slots; /* [comm count] */
    struct syn_slot_block *blocks;
};

/* What a slab gave. */
struct syn_match_result {
    bool ready;
    void *part;
    struct syn_match_totals totals;
    struct syn_matcher matcher; /* holds what lacks members */
};

/* End it in any case. 0 or SYN_ENOMEM. */
int syn_matcher_begin(struct syn_matcher *matcher, const struct syn_match *match,
                      struct syn_match_totals *totals, void *part);
void syn_matcher_end(struct syn_matcher *matcher);
/* Those that wait, by communicator and sequence number; the array [*count] is the caller's. NULL:
 * no memory. */
struct syn_slot **syn_matcher_pending(const struct syn_matcher *matcher, size_t *count);
/* One that waits is incomplete for good. */
int syn_matcher_give_up(struct syn_matcher *matcher, struct syn_slot *slot);
/* Members that a slab left of an instance, together with those already here. */
int syn_matcher_merge(struct syn_matcher *matcher, const struct syn_slot *from, uint32_t slab);
/* Tell of one that was never among those that wait. */
int syn_matcher_tell_incomplete(struct syn_matcher *matcher, struct syn_slot *slot);
size_t syn_slot_bytes(const struct syn_comm *comm);
/* No member yet. `slot` has syn_slot_bytes of the communicator. */
void syn_slot_begin(struct syn_slot *slot, const struct syn_comms *comms, uint32_t number,
                    uint64_t sequence);

/* What one thread reads slabs with, one after the other. */
struct syn_reading;
/* 0, SYN_ENOMEM or SYN_EIO; then *out is NULL. */
int syn_reading_begin(const struct syn_match *match, struct syn_reading **out);
void syn_reading_end(struct syn_reading *reading);
/* All that the chunks [rank] first .. end - 1 have: instances are told to the result's part, its
 * totals counted, and what lacks members left with its matcher. 0, SYN_ENOMEM, SYN_EIO or what the
 * sink returned. */
int syn_reading_slab(struct syn_reading *reading, const uint32_t *first, const uint32_t *end,
                     struct syn_match_result *out);

/* An empty one. 0 or SYN_ENOMEM; drop it in any case. */
int syn_match_result_begin(const struct syn_match *match, struct syn_match_result *out);
void syn_match_result_drop(const struct syn_match *match, struct syn_match_result *result);

/* To process 0, and the next one of a peer there, with the slab that it is of; drop it in any case.
 * 0, SYN_ENOMEM, SYN_ETRANSPORT or what the sink returned. */
int syn_match_send(const struct syn_match *match, size_t slab,
                   const struct syn_match_result *result);
int syn_match_receive(const struct syn_match *match, int peer, size_t *slab,
                      struct syn_match_result *result);
/* After the last slab: which chunks were found damaged, so that process 0 lists them too. */
int syn_match_send_faults(const struct syn_match *match);
int syn_match_receive_faults(const struct syn_match *match, int peer);

int syn_match_totals_begin(struct syn_match_totals *totals, int32_t rank_count);

/* Which chunks of each rank make up each slab. */
struct syn_slabs {
    size_t count;
    size_t rank_count;
    uint32_t *first;   /* [count + 1][rank_count]: chunk of the rank's file */
    int64_t *begin_ns; /* [count + 1]: nothing in this slab or a later one starts before */
    uint64_t *events;  /* [count] */
    uint64_t event_count;
};
/* Returns 0 or SYN_ENOMEM; free in any case. */
int syn_slabs_cut(const struct syn_trace *trace, struct syn_slabs *out);
void syn_slabs_free(struct syn_slabs *slabs);

#endif
