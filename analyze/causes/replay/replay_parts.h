/* analyze/causes/replay/replay_parts.h - the inside of a replay: histories (what each location has
 * done), windows (since when it is compared with others), attribution (who caused whose waiting),
 * the critical path. */
#ifndef SYN_REPLAY_PARTS_H
#define SYN_REPLAY_PARTS_H

#include "analyze/causes/replay/replay.h"
#include "analyze/causes/replay/spilled.h"
#include "analyze/causes/sums/adding.h"
#include "sync/base/chains.h"

#define SYN_NO_NODE  UINT32_MAX
#define SYN_NEVER_NS INT64_MIN
/* Places of the cache of labels, as a power of two; the most where there are many labels: 10^4
 * sites one after the other have twice as many. */
#define SYN_LABEL_CACHE_BITS 8
#define SYN_LABEL_CACHE_MOST 15

/* Returns the key of a label's part. */
static inline uint32_t syn_part_key(uint32_t label, enum syn_part part)
{
    return label * SYN_PART_COUNT + (uint32_t)part;
}

/* An interval of a location's time. The intervals of a location lie end to end. */
struct syn_history_interval {
    int64_t end_ns, ns;
    uint32_t key;  /* syn_part_key */
    uint32_t node; /* of waiting: for which instance; SYN_NO_NODE: nobody knows */
};

/* When a nonblocking operation is completed. */
struct syn_replay_completion {
    int64_t wait_start_ns, end_ns;
    int64_t messages_ns, off_cpu_ns; /* of the segment before */
    uint32_t point;
    struct syn_nonblocking *nonblocking; /* NULL: an instance that never becomes complete */
    /* Facts of a message: */
    struct syn_replay_message *message;    /* NULL: no message, or one without another half */
    bool is_message, is_receive, is_ready; /* this half; what follows is known */
    int64_t due_ns, bound_ns;              /* SYN_NEVER_NS: it waits for nobody */
};

static inline struct syn_replay_completion syn_completion_of(const struct syn_replay_call *call,
                                                             const struct syn_event_kind *kind,
                                                             struct syn_nonblocking *nonblocking)
{
    return (struct syn_replay_completion){.wait_start_ns = call->wait_start_ns,
                                          .end_ns = call->end_ns,
                                          .messages_ns = call->wait_messages_ns,
                                          .off_cpu_ns = call->wait_off_cpu_ns,
                                          .point = kind->completion_point,
                                          .nonblocking = nonblocking,
                                          .due_ns = SYN_NEVER_NS};
}

/* When all members of a group were together last, as far as a location has completed it. */
struct syn_group_together {
    uint32_t group;
    int64_t together_ns;
};

/* Position of a location in the tree of paths: its path is the node's until from_ns, and its own
 * time after that. */
struct syn_path_position {
    uint32_t node; /* SYN_NO_NODE: not known */
    int64_t from_ns;
};

struct syn_history {
    struct syn_replay_call
        *call; /* queue: [first .. first + count), and behind them what is held back */
    size_t first, count, held_count, capacity;
    uint64_t passed;                       /* calls that left the queue */
    struct syn_history_interval *interval; /* oldest first, likewise a queue */
    size_t interval_first, interval_count, interval_capacity;
    struct syn_replay_completion *completion; /* by wait_start */
    size_t completion_count, completion_capacity;
    struct syn_group_together
        *completed; /* of nonblocking instances that synchronized, since the cut */
    size_t completed_count, completed_capacity;
    int64_t now_ns;     /* divided up to here */
    int64_t bin_end_ns; /* of the bin that the present was in last */
    uint32_t bin;
    uint32_t point; /* the call that was left last */
    struct syn_path_position path;
    bool entered;    /* stands at the first call of its queue */
    bool waits_turn; /* other threads of its rank have earlier calls on that one's communicator */
    bool listed;     /* to go on with */
};

/* A blocking instance whose members are arriving. */
struct syn_arriving {
    uint64_t sequence;
    uint32_t count, aside; /* members that stand at it; others that stand at a later one */
    uint32_t *location;    /* [member]; SYN_NO_NUMBER: not yet */
    uint64_t *turn;        /* [member]: the number behind that of the last call that its rank has
                              passed; NULL where no rank has several threads */
};

/* A nonblocking instance, from its first member's start until all are through. */
struct syn_nonblocking {
    struct syn_chained chained; /* first; by communicator and sequence number */
    uint64_t sequence;
    uint32_t comm, arrived_count, node;
    uint32_t held_count; /* completions that refer to it */
    bool is_settled;     /* all have started, or it is given up */
    bool is_given_up;
    int64_t last_start_ns, bound_ns;
    int64_t synchronized_ns;       /* SYN_NEVER_NS where it does not synchronize */
    struct syn_path_position path; /* until the last member started */
    int64_t *together_ns; /* [above_count of its group]: the earliest that a member knew of as it
                             started this one; behind the members */
    struct syn_started_member {
        uint32_t location; /* SYN_NO_NUMBER: not there */
        struct syn_replay_call call;
        struct syn_path_position path; /* when it started */
    } member[];
};

/* A message, from the release of its first half until both are completed. */
struct syn_replay_message {
    struct syn_chained chained;               /* first; by sequence: channel and number */
    struct syn_replay_message *next, *before; /* of those that a half of has started */
    uint64_t sequence;
    bool is_live, is_given_up; /* in that list; nobody waits in it */
    uint8_t kept;              /* halves that are not completed */
    struct syn_message_half {
        uint64_t index;    /* among its location's calls */
        uint32_t location; /* SYN_NO_NUMBER: not there */
        bool has_started;
        bool lasts; /* a send, as its kind says */
        int64_t start_ns;
        struct syn_path_position path; /* when it started */
    } half[2];                         /* send, receive */
};

/* A share of an instance's waiting, by weight. */
struct syn_weight {
    uint64_t weight;
    uint64_t off_cpu; /* of it, where it is of own time */
    uint32_t key, node;
};
struct syn_unattributed {
    int64_t waiting_ns, bound_ns, at_ns;
    size_t first;
    uint32_t count, location;
    uint32_t elsewhere;  /* the first of the parts that were waited in other bins than that of
                            at_ns; 0: none */
    uint32_t place;      /* in the sums of a window, from 1 on; 0: not in it */
    uint32_t hops_most;  /* ways that any of it was passed on */
    int64_t messages_ns; /* of it, waited in messages */
    int64_t hops_ns;     /* sum of hops over its nanoseconds */
};
/* The part of a node's waiting that was waited in one time bin. */
struct syn_unattributed_part {
    int64_t ns;
    uint32_t bin, next; /* of the same node, or unused; 0: none */
};
struct syn_attribution {
    struct syn_unattributed *node;
    size_t node_count, node_capacity;
    struct syn_weight *weight;
    size_t weight_count, weight_capacity;
    struct syn_unattributed_part *part; /* [part_count]; that at 0 is none */
    size_t part_count, part_capacity;
    uint32_t unused_part; /* the first; 0: none */
};

/* Time of one location under one label's part, on the critical path. */
struct syn_path_piece {
    int64_t ns;
    uint32_t location, key;
};
struct syn_path_node {
    uint32_t parent, count; /* [count] pieces, from `first` on */
    size_t first;
};
#define SYN_PATH_ROOT 0u
struct syn_path {
    struct syn_path_node *node; /* a tree; node 0 is the root: all before it is summed up */
    size_t node_count, node_capacity;
    struct syn_path_piece *piece;
    size_t piece_count, piece_capacity;
};

/* Times of L and the others in a window, by key; computing includes being off the processor, which
 * is also there by itself. */
struct syn_window_sums {
    int64_t *last, *others; /* [capacity] by key */
    size_t capacity;
    uint32_t *touched; /* [touched_count] keys */
    size_t touched_count;
    struct syn_window_node {
        uint32_t node;
        int64_t last, others;
    } * node; /* [node_count]: waiting for known instances */
    size_t node_count, node_capacity;
};

/* The members of an instance, in order. */
struct syn_member_call {
    const struct syn_replay_call *call;
    uint32_t location;
};

/* An instance, judged. */
struct syn_arrivals {
    const struct syn_event_kind *kind;    /* of a member */
    const struct syn_member_call *member; /* [count] */
    uint32_t count, group;
    uint32_t last;  /* member that started last: the lowest of several */
    uint32_t cause; /* whom the others wait for: the last one, or the root */
    int64_t last_start_ns, bound_ns;
    int64_t due_ns;             /* when the one waited for came */
    const int64_t *together_ns; /* of a nonblocking instance, as in syn_open; else NULL */
    bool is_clear;              /* all before it was over when its members called, as far as that
                                   is known */
    bool synchronizes, is_cut;
};

struct syn_replay {
    const struct syn_cause_plan *plan;
    struct syn_cause_tables *tables;
    struct syn_cause_sums *sums;
    struct syn_history *history;   /* [location_count] */
    struct syn_arriving *arriving; /* [comm count] */
    uint32_t *arriving_members;
    uint64_t *turns;           /* of all `arriving`; NULL: none has any */
    int64_t known_ns;          /* what starts before it has been released */
    int64_t *synchronized_ns;  /* [group_count], of the group's own blocking instances */
    bool has_completed;        /* a location has `completed` */
    struct syn_bounds *bounds; /* [rank_count] */
    struct syn_comm_bound_cell {
        bool known;
        int64_t cell, bound_ns;
    } * comm_bound;                  /* [comm count][2] */
    struct syn_chains nonblocking;   /* of struct syn_nonblocking */
    struct syn_chains messages;      /* of struct syn_replay_message */
    struct syn_replay_message *live; /* the first that a half of has started */
    struct syn_numbering
        pairs;       /* of locations of which one has waited for the other in a message */
    int64_t *met_ns; /* [pairs.count], when it did last */
    size_t met_capacity;
    size_t completion_count; /* of all histories */
    uint32_t *list;          /* [list_count] locations to go on with */
    size_t list_count;
    size_t queued_count;
    struct syn_member_call *member; /* [largest group] */
    struct syn_attribution attribution;
    int64_t due_bin_begin_ns, due_bin_end_ns; /* of the bin that somebody was due in last */
    struct syn_path path;
    struct syn_window_sums window;
    struct syn_cached_label {
        uint32_t from, to, label;
    } * label_cache; /* [1 << label_cache_bits] */
    unsigned label_cache_bits;
    struct syn_pages pages;    /* of intervals, nodes and a window's nodes */
    size_t interval_total;     /* of all histories */
    size_t interval_most;      /* that lead to forgetting what is not needed */
    size_t path_most;          /* pieces of the path's tree, likewise */
    size_t interval_warm;      /* up to which they were touched since their pages were */
    bool drains, leads_to_cut; /* nothing more comes: behind the cut that is each one's last */
};

/* ---- cuts (cuts.c) ---- */

/* The first cut among what was released: count [location_count], out, up to it and with it. 0 or
 * SYN_ENOMEM. */
int syn_cuts_find_queued(struct syn_replay *replay, size_t *count, bool *found);
/* Do all members call the same operation? */
bool syn_arrivals_agree(const struct syn_replay *replay, const struct syn_arrivals *arrivals);

/* ---- histories (history.c) ---- */

/* The first call of its queue. */
static inline const struct syn_replay_call *syn_history_head(const struct syn_history *history)
{
    return &history->call[history->first];
}

/* Divide the time before a call, and the call itself. 0 or SYN_ENOMEM. */
int syn_history_reach(struct syn_replay *replay, uint32_t location,
                      const struct syn_replay_call *call);
/* [now, until] inside a call: waiting for `node` up to due_ns, operation from there on. */
struct syn_inside {
    uint32_t point;
    int64_t due_ns, end_ns;
    uint32_t node;
};
int syn_history_pass(struct syn_replay *replay, uint32_t location, const struct syn_inside *inside);
/* Completions that begin before `before_ns`. *waits: one of them belongs to an instance that is not
 * settled. */
int syn_history_complete(struct syn_replay *replay, uint32_t location, int64_t before_ns,
                         bool *waits);
/* Adds [now, end_ns] inside the call that was left last to the intervals, and to no sum: it is
 * counted elsewhere. */
int syn_history_note_inside(struct syn_replay *replay, uint32_t location, int64_t due_ns,
                            int64_t end_ns);
/* Adds the time behind the last call, to the run's end. */
int syn_history_end(struct syn_replay *replay, uint32_t location, int64_t end_ns);
int syn_history_expect(struct syn_replay *replay, uint32_t location,
                       const struct syn_replay_completion *completion);
/* Forget what no window reaches back to. */
int syn_histories_forget(struct syn_replay *replay);
/* From when on an instance's members are compared; SYN_NEVER_NS: they were never together before.
 * What a member starts while a nonblocking instance is on its way may be late for the same reason
 * as that one: so of nonblocking ones those count that each member had completed, whatever the
 * others had done by then. */
int64_t syn_window_begin(const struct syn_replay *replay, const struct syn_arrivals *arrivals);
/* A location starts a nonblocking operation: what it knows of together. */
void syn_window_started(const struct syn_replay *replay, uint32_t location,
                        struct syn_nonblocking *nonblocking);
/* An empty cache of so many bits. 0 or SYN_ENOMEM: then it stays as it was. */
int syn_label_cache_begin(struct syn_replay *replay, unsigned bits);

/* Finds the time bin of a location's present. */
void syn_history_find_bin(const struct syn_time_bins *bins, struct syn_history *history);
/* To what a label has there. 0 or SYN_ENOMEM. */
static inline int syn_history_add(struct syn_replay *replay, uint32_t location, uint32_t label,
                                  const struct syn_bin_values *added)
{
    struct syn_history *history = &replay->history[location];
    if (__builtin_expect(history->now_ns >= history->bin_end_ns, 0))
        syn_history_find_bin(&replay->sums->bins, history);
    return syn_bin_add(replay->sums, location, label, history->bin, added);
}

/* ---- nonblocking operations (nonblocking.c) ---- */

/* A member starts one: 0 or SYN_ENOMEM. */
int syn_nonblocking_start(struct syn_replay *replay, uint32_t location,
                          const struct syn_replay_call *call);
/* Nothing refers to it any more. */
void syn_nonblocking_release(struct syn_replay *replay, struct syn_nonblocking *nonblocking);
/* Gives up pending instances that lack members for good, as far as is known; all with `all`. */
void syn_nonblocking_give_up(struct syn_replay *replay, bool all);
/* Will nothing more come of a member up to this instance? */
bool syn_replay_has_passed(const struct syn_replay *replay, uint32_t comm, uint32_t member,
                           uint64_t sequence);
int syn_nonblocking_begin(struct syn_replay *replay);
void syn_nonblocking_free(struct syn_replay *replay);
/* The one after `nonblocking`, in any order; after NULL: the first. NULL: there is no other. */
struct syn_nonblocking *syn_nonblocking_next(const struct syn_replay *replay,
                                             const struct syn_nonblocking *nonblocking);
/* A location can go on. */
void syn_replay_list(struct syn_replay *replay, uint32_t location);

/* ---- messages (messages.c) ---- */

int syn_messages_begin(struct syn_replay *replay);
void syn_messages_free(struct syn_replay *replay);
/* A call is released, the index-th of its location: the other half may ask for it. 0 or
 * SYN_ENOMEM. */
int syn_message_release(struct syn_replay *replay, uint32_t location, uint64_t index,
                        const struct syn_replay_call *call);
/* A location starts a half. 0 or SYN_ENOMEM. */
int syn_message_start(struct syn_replay *replay, uint32_t location,
                      const struct syn_replay_call *call);
/* Is it known for how long a half waits in the call that completes it, and has whoever it waits for
 * come? `is_alone`: the call completes nothing else. */
bool syn_message_is_ready(struct syn_replay *replay, uint32_t location,
                          struct syn_replay_completion *completion, bool is_alone);
/* Does a call that completes both wait for the first of them? */
bool syn_message_comes_later(const struct syn_replay_completion *completion,
                             const struct syn_replay_completion *than);
/* The call waits for this half, or for nobody: waiting below the clocks' bound is not claimed. */
void syn_message_claim(struct syn_replay_completion *completion);
/* A half is completed: it waits until inside->due_ns, if that is not over; inside->node, out. 0 or
 * SYN_ENOMEM. */
int syn_message_wait(struct syn_replay *replay, uint32_t location,
                     const struct syn_replay_completion *completion, struct syn_inside *inside);
void syn_message_complete(struct syn_replay *replay,
                          const struct syn_replay_completion *completion);
/* All are together: nobody waits any more in messages that have started. */
void syn_messages_give_up(struct syn_replay *replay);
/* Lowers needed_ns [location_count] to what messages may reach back to. */
void syn_messages_need(const struct syn_replay *replay, int64_t *needed_ns);
/* The latest that a location has completed of a group. */
int64_t syn_history_completed_ns(const struct syn_replay *replay, uint32_t location,
                                 uint32_t group);

/* ---- arrivals (arrivals.c) ---- */

/* A location has waited for another one, since begin_ns until that came. */
struct syn_pair_wait {
    uint32_t waiter, cause;
    int64_t from_ns; /* the window's begin */
    int64_t begin_ns, due_ns, bound_ns;
};
/* Divides it: a new node, the youngest. 0 or SYN_ENOMEM. */
int syn_pair_divide(struct syn_replay *replay, const struct syn_pair_wait *wait, uint32_t *node);

/* Finds who was last, and whether it synchronizes: members are in place. */
void syn_arrivals_judge(struct syn_replay *replay, struct syn_arrivals *arrivals);
/* Divides the waiting: a new node, the youngest. 0 or SYN_ENOMEM. */
int syn_arrivals_divide(struct syn_replay *replay, const struct syn_arrivals *arrivals,
                        uint32_t *node);
/* Did a member have to wait for the one that was waited for? */
static inline bool syn_had_to_wait(const struct syn_arrivals *arrivals, uint32_t m)
{
    const struct syn_replay_call *call = arrivals->member[m].call;
    return arrivals->synchronizes ||
           (call->start_ns < arrivals->due_ns && call->end_ns >= arrivals->due_ns);
}
/* How much longer than the mean of `count` others, rounded up; 0 for no longer. */
#define SYN_EXCESS_MOST (UINT64_C(1) << 50)
static inline uint64_t syn_excess_of(int64_t last, int64_t others, uint32_t count)
{
    const __int128 excess = (__int128)last * count - others;
    const uint64_t most = SYN_EXCESS_MOST;
    if (excess <= 0)
        return 0;
    if (excess > (__int128)most)
        return excess / count < (__int128)most ? (uint64_t)((excess + count - 1) / count) : most;
    return ((uint64_t)excess + count - 1) / count;
}

/* ---- attribution (attribution.c) ---- */

/* A node's waiting, divided by weights: the shares add up to it. */
struct syn_sharing {
    int64_t waiting_ns, bound_ns;
    int64_t attributed_ns, bound_attributed_ns;
    unsigned __int128 all, part; /* of the weights */
};
static inline void syn_share(struct syn_sharing *sharing, uint64_t weight, int64_t *waiting_ns,
                             int64_t *bound_ns)
{
    sharing->part += weight;
    *waiting_ns =
        syn_portion(sharing->waiting_ns, sharing->part, sharing->all) - sharing->attributed_ns;
    *bound_ns =
        syn_portion(sharing->bound_ns, sharing->part, sharing->all) - sharing->bound_attributed_ns;
    sharing->attributed_ns += *waiting_ns;
    sharing->bound_attributed_ns += *bound_ns;
}
void syn_attribution_free(struct syn_replay *replay);
/* SYN_NO_NODE: no memory. */
uint32_t syn_attribution_node(struct syn_replay *replay, uint32_t location, int64_t at_ns);
/* Always made anew: a weight that is made right before it stays in registers. 0 or SYN_ENOMEM. */
static inline __attribute__((always_inline)) int
syn_attribution_weight(struct syn_replay *replay, uint32_t node, const struct syn_weight *weight)
{
    struct syn_attribution *attribution = &replay->attribution;
    if (SYN_SPILLED_ROOM(&replay->pages, attribution->weight, attribution->weight_capacity,
                         attribution->weight_count) != SYN_OK)
        return SYN_ENOMEM;
    attribution->weight[attribution->weight_count++] = *weight;
    attribution->node[node].count++;
    return 0;
}
/* Notes that a node's waiting was waited in [from_ns, to_ns]: what lies in other bins than that of
 * the node's time. 0 or SYN_ENOMEM. */
int syn_attribution_waited(struct syn_replay *replay, uint32_t node, int64_t from_ns,
                           int64_t to_ns);
/* Attributes the waiting of all nodes, the youngest first; nobody refers to them any more. */
int syn_attribute_all(struct syn_replay *replay);
/* Attributes the waiting of nodes to which no interval, and no node with an interval, refers. The
 * others get new numbers. */
int syn_attribute_unreferenced(struct syn_replay *replay);

/* ---- the critical path (path.c) ---- */

int syn_path_begin(struct syn_path *path);
void syn_path_free(struct syn_path *path);
/* Gives the cause's path to each member that waited in the instance. In a nonblocking instance
 * (`nonblocking`, else NULL) the members take it when they complete it. 0 or SYN_ENOMEM. */
int syn_path_after_instance(struct syn_replay *replay, const struct syn_arrivals *arrivals,
                            struct syn_nonblocking *nonblocking);
/* Gives the cause's path to a location that waited for it in a message. The path was `from` when
 * the cause started its half, and goes on until due_ns. 0 or SYN_ENOMEM. */
int syn_path_after_message(struct syn_replay *replay, uint32_t location, uint32_t cause,
                           struct syn_path_position from, int64_t due_ns);
/* Gives the path of the last member to a location that waited as it completed a nonblocking
 * operation, unless its own path is younger. */
void syn_path_after_nonblocking(struct syn_replay *replay, uint32_t location,
                                const struct syn_nonblocking *nonblocking);
/* Adds the location's path up to its position to the sums, and empties the tree. */
int syn_path_sum_up(struct syn_replay *replay, uint32_t location);
/* The run has ended with this location: adds its path to the sums. */
int syn_path_finish(struct syn_replay *replay, uint32_t location);
/* Makes the tree smaller: drops unused nodes, joins chains, and adds the trunk to the sums. */
int syn_path_compact(struct syn_replay *replay);

#endif
