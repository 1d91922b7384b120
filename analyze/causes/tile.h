/* analyze/causes/tile.h - the inside of swift.h: layers of calls that are replayed at once. */
#ifndef SYN_CAUSE_TILE_H
#define SYN_CAUSE_TILE_H

#include "analyze/causes/replay_parts.h"
#include "analyze/causes/splits.h"
#include "analyze/causes/staged.h"
#include "analyze/causes/swift.h"
#include "sync/base/integers.h"

#define SYN_TILE_INSTANCES 1024

/* Parts of a location's time since the layer before. */
enum syn_since {
    SYN_SINCE_COMPUTING = SYN_PART_COMPUTING,
    SYN_SINCE_MESSAGES = SYN_PART_MESSAGES,
    SYN_SINCE_OFF_CPU = SYN_PART_OFF_CPU,
    SYN_SINCE_OPERATION,
    SYN_SINCE_COUNT
};

struct syn_tile_instance {
    int64_t together_ns; /* all had come */
    int64_t bound_ns;    /* of the clocks */
    /* Sums over the waiting members: how many, for how long, and their times since the layer
     * before. */
    int64_t waiter_count, debt_ns;
    int64_t computing_ns, operation_ns, messages_ns, off_cpu_ns;
    int64_t others_passed_ns, last_passed_ns; /* waiting for it, in the window in hand */
    int64_t first_end_ns;
    uint64_t plain, sequence; /* of each member's call */
    uint32_t last;            /* location */
    uint32_t node;            /* of the debt; where it is no cut */
    uint64_t spare[2];
};
_Static_assert((sizeof(struct syn_tile_instance) & (sizeof(struct syn_tile_instance) - 1)) == 0,
               "found by a shift");

/* Times between a layer and the one before. */
struct syn_tile_sums {
    int64_t computing_ns, messages_ns, off_cpu_ns, operation_ns;
};

/* Labels that all locations have cells of, by what they are. Points have small numbers, and follow
 * one another in loops: so there is room for a call and for a segment of each. */
struct syn_known_label {
    uint32_t from, to, label;
};
struct syn_known_labels {
    struct syn_known_label *at; /* [2 * count]; owned */
    size_t count;               /* a power of two */
};

/* Layers from 1 on; 0 is the cut that all stand behind, of which is set what others refer to. */
struct syn_tile {
    uint32_t block;
    int64_t waited_ns;                             /* by all */
    bool is_even;                                  /* each layer is one instance */
    bool has_many_cells;                           /* there are, of all labels together */
    uint32_t point[SYN_TILE + 1];                  /* the same for all of a layer */
    uint32_t call[SYN_TILE + 1];                   /* its label, */
    uint32_t segment[SYN_TILE + 1];                /*   and that of the time before it */
    const struct syn_split *split[SYN_TILE + 1];   /* from 1 on */
    size_t since[SYN_TILE + 1];                    /* members are compared since that layer */
    struct syn_tile_instance *first[SYN_TILE + 2]; /* of a layer */
    struct syn_tile_instance *row[SYN_TILE + 1];   /* of a location, by layer */
    struct syn_tile_instance instance[SYN_TILE_INSTANCES];
    /* The window in hand: by layer; and the instances that somebody waited in, in the order in
     * which they were found [passed_count]. */
    struct syn_tile_sums of_others[SYN_TILE + 1], of_last[SYN_TILE + 1];
    struct syn_tile_instance *passed[SYN_TILE_INSTANCES];
    size_t passed_count;
    struct syn_row_run run;       /* in hand */
    uint32_t label[2 * SYN_TILE]; /* [label_count], different */
    uint32_t times[2 * SYN_TILE]; /* that each location has it: */
    uint8_t layer[2 * SYN_TILE];  /*   in these layers, one label's behind the other's */
    bool is_call[2 * SYN_TILE];
    size_t label_count;
    uint32_t *place; /* [place_count], by label; SYN_NO_NUMBER but while they are given; owned */
    size_t place_count;
    struct syn_known_labels known;
    struct syn_staged staged;
    struct syn_splits splits;
    uint32_t *comm; /* [location_count], room; owned */
};

/* Returns a number of the values that an instance's members have in common. */
static inline uint64_t syn_plain_of(uint32_t comm, uint32_t point)
{
    return (uint64_t)comm << 32 | point;
}
static inline uint32_t syn_plain_comm(uint64_t plain)
{
    return (uint32_t)(plain >> 32);
}
static inline uint32_t syn_plain_point(uint64_t plain)
{
    return (uint32_t)plain;
}

/* Returns the number of a label's cell, for a label of the tile, whose cells are made. Nearly
 * always those of all locations follow one another, so that no other number is looked up. */
static inline uint32_t syn_tile_number(const struct syn_swift *swift, uint32_t location,
                                       uint32_t label)
{
    const uint32_t first = swift->tile->staged.first[label];
    return __builtin_expect(first != SYN_NO_NUMBER, 1)
               ? first + location
               : swift->replay->sums.number[location][label];
}

/* Returns the instance of a layer in which a location is. */
static inline struct syn_tile_instance *syn_tile_at(const struct syn_tile *tile, size_t k,
                                                    uint32_t location)
{
    return tile->first[k] + (k > 0 ? tile->split[k]->part[location] : 0);
}

/* Divides a location's time between the layer before and the k-th one. */
static inline void syn_swift_divide(const struct syn_swift *swift, uint32_t location, size_t k,
                                    int64_t *ns)
{
    const struct syn_lane *lane = &swift->lane[location];
    const size_t at = lane->first + k - 1;
    const int64_t before_ns = k > 1 ? lane->end_ns[at - 1] : swift->replay->track[location].now_ns;
    const int64_t segment_ns = lane->start_ns[at] - before_ns;
    ns[SYN_SINCE_MESSAGES] = ns[SYN_SINCE_OFF_CPU] = 0;
    if (__builtin_expect(lane->messages_ns != NULL, 0)) {
        const int64_t off_cpu_ns = syn_largest(lane->off_cpu_ns[at], 0);
        ns[SYN_SINCE_MESSAGES] = syn_least(syn_largest(lane->messages_ns[at], 0), segment_ns);
        ns[SYN_SINCE_OFF_CPU] = syn_least(off_cpu_ns, segment_ns - ns[SYN_SINCE_MESSAGES]);
    }
    ns[SYN_SINCE_COMPUTING] = segment_ns - ns[SYN_SINCE_MESSAGES] - ns[SYN_SINCE_OFF_CPU];
    ns[SYN_SINCE_OPERATION] = before_ns - syn_tile_at(swift->tile, k - 1, location)->together_ns;
}
/* Finds the labels of the layers up to the `count`-th, makes their cells, and notes in which layers
 * each comes. 0 or SYN_ENOMEM. */
int syn_tile_find_labels(struct syn_swift *swift, size_t count);
/* Divides the waiting in a layer, and moves the critical path up to it. 0 or SYN_ENOMEM. */
int syn_swift_pass_layer(struct syn_swift *swift, size_t k);
/* It is passed next, and soon those behind it, up to the `count`-th. */
void syn_swift_fetch_layer(const struct syn_swift *swift, size_t k, size_t count);

#endif
