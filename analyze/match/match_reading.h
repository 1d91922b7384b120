/* analyze/match/match_reading.h - what one thread reads slabs with (match_read.c), and what it
 * makes of instances that have all their members (match_tell.c). */
#ifndef SYN_MATCH_READING_H
#define SYN_MATCH_READING_H

#include "match_parts.h"
#include "waiting.h"

/* What the events of one number (syn_event_columns.tuple) in a chunk say. */
struct syn_kind {
    bool known;
    bool hidden;
    bool plain; /* a blocking call: inside MPI from start to end */
    uint8_t class;
    uint32_t attributes;
    struct syn_comm_place place;
};

struct syn_kinds {
    struct syn_kind *at; /* [capacity] */
    size_t capacity;
    uint64_t load; /* of the lane's chunk that they are of */
};

/* The largest bound of a communicator's members in a cell of time (bounds.h). */
struct syn_comm_bound {
    bool known;
    int64_t cell;
    int64_t bound_ns;
};

struct syn_reading {
    const struct syn_match *match;
    struct syn_lanes lanes;
    struct syn_lane **lane_of_rank; /* [rank count] */
    struct syn_kinds *kinds;        /* [lane count] */
    struct syn_attribute_table attributes;
    struct syn_waiting_table waiting;
    struct syn_comm_bound *bound; /* [comm count][2], of a cell at cell mod 2 */
    struct syn_member *member;    /* [members of the largest communicator], of the one in hand */
    struct syn_slot *slot;        /* room for any one */
    struct syn_match_result *out; /* of the slab in hand */
};

/* All have come that will: tell of it. 0, SYN_ENOMEM or what the sink returned. */
int syn_reading_tell(struct syn_reading *reading, struct syn_waiting *waiting);
/* Those that wait still go to the result's matcher. Likewise. */
int syn_reading_leave(struct syn_reading *reading);

#endif
