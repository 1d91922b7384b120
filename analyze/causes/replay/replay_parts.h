/* analyze/causes/replay/replay_parts.h - internals of a replay: histories (the time of each
 * location), windows (the time over which locations are compared), attribution (the causes of
 * waiting), and the critical path. */
#ifndef SYN_REPLAY_PARTS_H
#define SYN_REPLAY_PARTS_H

#include "analyze/causes/replay/replay.h"
#include "analyze/causes/sums/adding.h"
#include "analyze/match/columns/spilled.h"
#include "sync/base/chains.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"

#define SYN_NO_NODE  UINT32_MAX
#define SYN_NEVER_NS INT64_MIN
/* Size of the label cache, as a power of two. The larger size is used if there are many labels:
 * 10^4 call sites in sequence have twice as many labels. */
#define SYN_LABEL_CACHE_BITS 8
#define SYN_LABEL_CACHE_MOST 15

/* An interval of a location's time. Each interval begins where the previous one ends. */
struct syn_history_interval {
    int64_t end_ns, ns;
    uint32_t key;  /* syn_category_key */
    uint32_t node; /* of waiting: the node of its instance; SYN_NO_NODE: not known */
};

/* The completion of a nonblocking operation or of a message's half. */
struct syn_replay_completion {
    int64_t wait_start_ns, end_ns;
    int64_t messages_ns, off_cpu_ns; /* in the segment before the completing call */
    uint32_t point;
    uint32_t row;                        /* of a message: as in its kind */
    struct syn_nonblocking *nonblocking; /* NULL: a message, or never complete */
    /* For a message: */
    struct syn_replay_message *message;    /* NULL: no message, or one without its other half */
    bool is_message, is_receive, is_ready; /* of this half; is_ready: what follows is known */
    int64_t due_ns, bound_ns;              /* SYN_NEVER_NS: it does not wait */
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
                                          .row = kind->row,
                                          .nonblocking = nonblocking,
                                          .due_ns = SYN_NEVER_NS};
}

/* When all members of a group were together last, in the nonblocking instances that a location has
 * completed. */
struct syn_group_together {
    uint32_t group;
    int64_t together_ns;
};

/* Position of a location in the tree of paths. Its path is the node's path until from_ns, and its
 * own time after that. */
struct syn_path_position {
    uint32_t node; /* SYN_NO_NODE: not known */
    int64_t from_ns;
};

/* RATIONALE: with very many locations, nothing of a location is in the cache when its turn comes.
 * The first two cache lines have what every call needs. */
struct syn_history {
    _Alignas(SYN_LINE_BYTES) struct syn_replay_call *call; /* queue: [first .. first + count); then
                                                              those held back */
    size_t first, count, held_count, capacity;
    uint64_t passed;                       /* number of calls that have left the queue */
    struct syn_history_interval *interval; /* queue, oldest first */
    size_t interval_first, interval_count, interval_capacity;
    int64_t now_ns;     /* its time is divided up to here */
    int64_t bin_end_ns; /* end of the time bin that now_ns was in last */
    uint32_t bin;
    uint32_t point; /* the call that it left last */
    struct syn_path_position path;
    bool entered;    /* has arrived at the first call of its queue */
    bool waits_turn; /* other threads of its rank have earlier calls on the communicator of its
                        first call */
    bool listed;     /* is in the list of locations that can go on */
    struct syn_replay_completion *completion; /* ordered by wait_start_ns */
    size_t completion_count, completion_capacity;
    struct syn_group_together *completed; /* nonblocking instances since the last cut */
    size_t completed_count, completed_capacity;
};

/* A member of an instance. Members are stored in their order. RATIONALE: with very many members, a
 * loop over their calls waits for memory; so the start and the end are here, too. */
struct syn_member_call {
    int64_t start_ns, end_ns;
    const struct syn_replay_call *call; /* NULL: a blocking call, which has no other times */
    uint32_t location, kind;
};
static inline struct syn_member_call syn_member_call(const struct syn_replay_call *call,
                                                     uint32_t location)
{
    return (struct syn_member_call){call->start_ns, call->end_ns, call, location, call->kind};
}

/* A blocking instance at which members are arriving. */
struct syn_arriving {
    uint64_t sequence;
    uint32_t count, aside; /* members that stand at it; locations that are at a later instance */
    bool is_clear; /* all earlier calls of the members that stand at it are known to be over */
    struct syn_member_call *member; /* [comm size]; location SYN_NO_NUMBER: has not arrived */
    uint64_t *turn; /* [member] sequence number of the next call of the member's rank: one more than
                       that of the last it has passed; NULL if no rank has several threads */
};

/* A nonblocking instance, from the start of its first member until all members have completed
 * it. */
struct syn_nonblocking {
    struct syn_chained chained; /* must be first; hashed by communicator and sequence number */
    uint64_t sequence;
    uint32_t comm, arrived_count, node;
    uint32_t held_count; /* number of completions that refer to it */
    bool is_settled;     /* all members have started it, or it is given up */
    bool is_given_up;
    int64_t last_start_ns, bound_ns;
    int64_t synchronized_ns;       /* SYN_NEVER_NS: it does not synchronize */
    struct syn_path_position path; /* path up to the start of the awaited member */
    int64_t *together_ns; /* [above_count of its group] earliest time, over the members, at which
                             each knew the group to be together when it started this operation;
                             stored behind `member` */
    struct syn_started_member {
        uint32_t location; /* SYN_NO_NUMBER: has not started */
        struct syn_replay_call call;
        struct syn_path_position path; /* path at its start */
    } member[];
};

/* A message, from the release of its first half until both halves are completed. */
struct syn_replay_message {
    struct syn_chained chained; /* must be first; hashed by sequence: channel and number */
    struct syn_replay_message *next, *before; /* links of the list of live messages */
    uint64_t sequence;
    bool is_live, is_given_up; /* is_live: in the list of messages of which a half has started;
                                  is_given_up: no location waits in it */
    uint8_t kept;              /* number of halves that are not completed */
    struct syn_message_half {
        uint64_t index; /* index among its location's calls */
        int64_t start_ns, wait_start_ns;
        uint64_t bytes;
        struct syn_path_position path; /* path at its start */
        uint32_t location;             /* SYN_NO_NUMBER: not released */
        uint32_t row;                  /* this and `lasts`: as in its kind */
        bool has_started, lasts;
        bool is_posted; /* bytes are those of the posted buffer */
    } half[2];          /* 0 send, 1 receive */
};

/* A share of an instance's waiting. Shares are in proportion to `weight`. */
struct syn_weight {
    uint64_t weight;
    uint64_t off_cpu; /* part of the weight off the processor, if the key is own time */
    uint32_t key, node;
};
struct syn_unattributed {
    int64_t waiting_ns, bound_ns, at_ns;
    size_t first;
    uint32_t count, location;
    uint32_t elsewhere;  /* first of the parts that were waited in other bins than that of at_ns; 0:
                            none */
    uint32_t place;      /* place in the sums of a window, from 1 on; 0: not in it */
    uint32_t hops_most;  /* most times that any of it was passed on */
    int64_t messages_ns; /* part of it that was waited in messages */
    int64_t hops_ns;     /* sum over its nanoseconds of the times that each was passed on */
};
/* The part of a node's waiting that was spent in one time bin. */
struct syn_unattributed_part {
    int64_t ns;
    uint32_t bin, next; /* next part of the same node, or next unused one; 0: none */
};
struct syn_attribution {
    struct syn_unattributed *node;
    size_t node_count, node_capacity;
    struct syn_weight *weight;
    size_t weight_count, weight_capacity;
    struct syn_unattributed_part *part; /* [part_count]; element 0 is not used */
    size_t part_count, part_capacity;
    uint32_t unused_part; /* first unused part; 0: none */
};

/* Time of one category of a label on one location, on the critical path. */
struct syn_path_piece {
    int64_t ns;
    uint32_t location, key;
};
struct syn_path_node {
    uint32_t parent, count; /* `count` pieces, from index `first` on */
    size_t first;
};
#define SYN_PATH_ROOT 0u
struct syn_path {
    struct syn_path_node *node; /* a tree; node 0 is the root: the path up to it is in the sums */
    size_t node_count, node_capacity;
    struct syn_path_piece *piece;
    size_t piece_count, piece_capacity;
};

/* Times in a window, by key, of the location that was waited for (last) and of the others. The time
 * of computing includes the time off the processor, which also has a key of its own. */
struct syn_window_sums {
    int64_t *last, *others; /* [capacity], by key */
    size_t capacity;
    uint32_t *touched; /* [touched_count] keys that are not 0 */
    size_t touched_count;
    struct syn_window_node {
        uint32_t node;
        int64_t last, others;
    } * node; /* [node_count] waiting in known instances */
    size_t node_count, node_capacity;
};

/* An instance and its evaluation. */
struct syn_arrivals {
    const struct syn_event_kind *kind;    /* of a member; all members call the same operation */
    const struct syn_member_call *member; /* [count] */
    uint32_t count, group;
    uint32_t last;  /* the member that started last; of several, the lowest */
    uint32_t cause; /* the member that the others wait for: the last one, or the root */
    int64_t last_start_ns, bound_ns;
    int64_t due_ns;             /* when that member started */
    const int64_t *together_ns; /* as in struct syn_nonblocking; blocking: NULL */
    bool is_clear;              /* all earlier calls of its members are known to be over */
    bool synchronizes, is_cut;
};

struct syn_replay {
    const struct syn_cause_plan *plan;
    struct syn_cause_tables *tables;
    struct syn_cause_sums *sums;
    struct syn_message_part *message_sums; /* NULL: messages are not summed up */
    struct syn_history *history;           /* [location_count] */
    struct syn_arriving *arriving;         /* [comm count] */
    struct syn_member_call *arriving_members;
    uint64_t *turns;           /* turns of all `arriving`; NULL if no communicator has turns */
    int64_t known_ns;          /* all calls that start before this have been released */
    int64_t *synchronized_ns;  /* [group_count], last time that the group was together in its own
                                  blocking instances */
    bool has_completed;        /* a location has an entry in `completed` */
    struct syn_bounds *bounds; /* [rank_count] */
    struct syn_comm_bound_cell {
        bool known;
        int64_t cell, bound_ns;
    } * comm_bound;                      /* [comm count][2] cache of communicators' clock bounds */
    struct syn_chains nonblocking;       /* table of struct syn_nonblocking */
    struct syn_chains messages;          /* table of struct syn_replay_message */
    struct syn_chained *unused_messages; /* list of messages that can be used again */
    struct syn_replay_message *live;     /* first message of which a half has started */
    struct syn_numbering pairs; /* of locations: one has waited for the other in a message */
    int64_t *met_ns;            /* [pairs.count], when that was last */
    size_t met_capacity;
    size_t completion_count; /* over all histories */
    uint32_t *list;          /* [list_count] locations that can go on */
    size_t list_count;
    size_t queued_count;
    struct syn_member_call *member; /* [largest group] of the instance being passed */
    struct syn_attribution attribution;
    int64_t due_bin_begin_ns, due_bin_end_ns; /* the bin in which a location was due last */
    struct syn_path path;
    struct syn_window_sums window;
    struct syn_cached_label {
        uint32_t from, to, label;
    } * label_cache; /* [1 << label_cache_bits] */
    unsigned label_cache_bits;
    struct syn_pages pages;    /* of intervals, nodes and a window's nodes */
    size_t interval_total;     /* over all histories */
    size_t interval_most;      /* number of intervals above which unneeded ones are dropped */
    size_t path_most;          /* number of pieces above which the tree of paths is compacted */
    size_t interval_warm;      /* number of intervals above which the pages are cooled */
    bool drains, leads_to_cut; /* drains: no more calls will come; leads_to_cut: the last call of
                                  each location is in a cut */
};

/* ---- cuts (cuts.c) ---- */

/* Finds the first cut among the released calls. Sets count [location_count] to the number of calls
 * up to the cut, including it. Returns 0 or SYN_ENOMEM. */
int syn_cuts_find_queued(struct syn_replay *replay, size_t *count, bool *found);
/* Returns whether all members call the same operation. */
bool syn_arrivals_agree(const struct syn_replay *replay, const struct syn_arrivals *arrivals);

/* ---- histories (history.c) ---- */

/* Returns the first call of its queue. */
static inline const struct syn_replay_call *syn_history_head(const struct syn_history *history)
{
    return &history->call[history->first];
}

/* Prefetches what the next call of a location needs. Loops over locations ask for a history some
 * turns ahead, and later, when it has come, for what it points to. */
enum { SYN_HISTORY_AHEAD = 16, SYN_CALL_AHEAD = 8 };
static inline void syn_history_fetch(const struct syn_replay *replay, uint32_t location)
{
    syn_fetch(&replay->history[location], 2 * SYN_LINE_BYTES);
}
static inline void syn_history_fetch_intervals(const struct syn_replay *replay, uint32_t location)
{
    const struct syn_history *history = &replay->history[location];
    const size_t newest = syn_least(history->interval_count, 4);
    syn_fetch(history->interval + history->interval_first + history->interval_count - newest,
              (newest + 2) * sizeof *history->interval);
}
static inline void syn_history_fetch_calls(const struct syn_replay *replay, uint32_t location,
                                           size_t count)
{
    const struct syn_history *history = &replay->history[location];
    syn_fetch(syn_history_head(history), count * sizeof *history->call);
}

/* Adds the segment before a call to the location's history. Returns 0 or SYN_ENOMEM. */
int syn_history_reach(struct syn_replay *replay, uint32_t location,
                      const struct syn_replay_call *call);
/* Adds the time inside a call, from now_ns to end_ns: waiting for `node` until due_ns, and
 * operation after that. Returns 0 or SYN_ENOMEM. */
struct syn_inside {
    uint32_t point;
    int64_t due_ns, end_ns;
    uint32_t node;
};
int syn_history_pass(struct syn_replay *replay, uint32_t location, const struct syn_inside *inside);
/* Adds completions whose calls begin at or before before_ns. Stops and sets *waits if a completion
 * belongs to an instance that is not settled, or to a message whose waiting is not known yet. */
int syn_history_complete(struct syn_replay *replay, uint32_t location, int64_t before_ns,
                         bool *waits);
/* Adds the time inside the call that was left last, up to end_ns, to the intervals but not to the
 * sums. The replay that passes the call counts it. */
int syn_history_note_inside(struct syn_replay *replay, uint32_t location, int64_t due_ns,
                            int64_t end_ns);
/* Adds the time behind the last call, up to the run's end. */
int syn_history_end(struct syn_replay *replay, uint32_t location, int64_t end_ns);
int syn_history_expect(struct syn_replay *replay, uint32_t location,
                       const struct syn_replay_completion *completion);
/* Drops intervals that no window can reach back to. */
int syn_histories_forget(struct syn_replay *replay);
/* Returns the time from which an instance's members are compared, or SYN_NEVER_NS if they were
 * never together before. RATIONALE: an operation that is started while a nonblocking instance is
 * pending may be late for the same reason as that one. So nonblocking instances count only if each
 * member has completed them, whatever other locations had done by then. */
int64_t syn_window_begin(const struct syn_replay *replay, const struct syn_arrivals *arrivals);
/* Notes when a location knows the groups to have been together, as it starts a nonblocking
 * operation. */
void syn_window_started(const struct syn_replay *replay, uint32_t location,
                        struct syn_nonblocking *nonblocking);
/* Begins an empty cache of 2^bits labels. Returns 0 or SYN_ENOMEM; on error the old cache
 * remains. */
int syn_label_cache_begin(struct syn_replay *replay, unsigned bits);

/* Finds the time bin of a location's now_ns. */
void syn_history_find_bin(const struct syn_time_bins *bins, struct syn_history *history);
/* Adds to the values of a label in the location's current bin. Returns 0 or SYN_ENOMEM. */
static inline int syn_history_add(struct syn_replay *replay, uint32_t location, uint32_t label,
                                  const struct syn_bin_values *added)
{
    struct syn_history *history = &replay->history[location];
    if (__builtin_expect(history->now_ns >= history->bin_end_ns, 0))
        syn_history_find_bin(&replay->sums->bins, history);
    return syn_bin_add(replay->sums, location, label, history->bin, added);
}

/* ---- nonblocking operations (nonblocking.c) ---- */

/* Notes that a member starts a nonblocking operation. Returns 0 or SYN_ENOMEM. */
int syn_nonblocking_start(struct syn_replay *replay, uint32_t location,
                          const struct syn_replay_call *call);
/* Frees a nonblocking instance to which no completion refers any more, if it is settled. */
void syn_nonblocking_release(struct syn_replay *replay, struct syn_nonblocking *nonblocking);
/* Gives up pending instances that are known to lack a member for good; with `all`, all pending
 * instances. */
void syn_nonblocking_give_up(struct syn_replay *replay, bool all);
/* Returns whether a member has passed this sequence number for certain. */
bool syn_replay_has_passed(const struct syn_replay *replay, uint32_t comm, uint32_t member,
                           uint64_t sequence);
int syn_nonblocking_begin(struct syn_replay *replay);
void syn_nonblocking_free(struct syn_replay *replay);
/* Returns the instance after `nonblocking`, in any order; after NULL the first. Returns NULL if
 * there is no other. */
struct syn_nonblocking *syn_nonblocking_next(const struct syn_replay *replay,
                                             const struct syn_nonblocking *nonblocking);
/* Notes that a location can go on. */
void syn_replay_list(struct syn_replay *replay, uint32_t location);

/* ---- messages (messages.c) ---- */

int syn_messages_begin(struct syn_replay *replay);
void syn_messages_free(struct syn_replay *replay);
/* Notes that a call, the index-th of its location, is released, so that the other half knows of it.
 * Sets call->message. Returns 0 or SYN_ENOMEM. */
int syn_message_release(struct syn_replay *replay, uint32_t location, uint64_t index,
                        struct syn_replay_call *call);
/* Notes that a location starts a half. Returns 0 or SYN_ENOMEM. */
int syn_message_start(struct syn_replay *replay, uint32_t location,
                      const struct syn_replay_call *call);
/* Returns whether it is known how long a half waits in its completing call, and the awaited
 * location has started its half. `is_alone`: the call completes nothing else. */
bool syn_message_is_ready(struct syn_replay *replay, struct syn_replay_completion *completion,
                          bool is_alone);
/* Returns whether a call that completes both halves waits for the first. If neither has another
 * half, returns true. */
bool syn_message_comes_later(const struct syn_replay_completion *completion,
                             const struct syn_replay_completion *than);
/* Decides whether the call waits for this half. Waiting that does not exceed the clock bound counts
 * as none. */
void syn_message_claim(struct syn_replay_completion *completion);
/* Adds the transfer of a half that is completed to the sums of messages. Returns 0 or SYN_ENOMEM.
 */
int syn_message_sum_half(struct syn_replay *replay, const struct syn_replay_completion *completion);
/* Adds a call that completes messages to the sums of messages. `completion` has the call's end, and
 * the half that it waits for. Returns 0 or SYN_ENOMEM. */
int syn_message_sum_call(struct syn_replay *replay, uint32_t location,
                         const struct syn_replay_completion *completion);
/* Notes the waiting of a half that is completed: until inside->due_ns, or none. Sets inside->node
 * to the waiting's node. Returns 0 or SYN_ENOMEM. */
int syn_message_wait(struct syn_replay *replay, uint32_t location,
                     const struct syn_replay_completion *completion, struct syn_inside *inside);
void syn_message_complete(struct syn_replay *replay,
                          const struct syn_replay_completion *completion);
/* Gives up all messages that have started, at a cut. No location waits in them any more. */
void syn_messages_give_up(struct syn_replay *replay);
/* Counts the halves whose other halves have not come, after the last call. */
void syn_messages_end(struct syn_replay *replay);
/* Lowers needed_ns [location_count] to the times that messages may reach back to. */
void syn_messages_need(const struct syn_replay *replay, int64_t *needed_ns);
/* Returns the last time that a group was together in the nonblocking instances that a location has
 * completed, or SYN_NEVER_NS. */
int64_t syn_history_completed_ns(const struct syn_replay *replay, uint32_t location,
                                 uint32_t group);

/* ---- arrivals (arrivals.c) ---- */

/* The waiting of one location for another, from begin_ns to due_ns. */
struct syn_pair_wait {
    uint32_t waiter, cause;
    int64_t from_ns; /* begin of the window */
    int64_t begin_ns, due_ns, bound_ns;
};
/* Divides such waiting among its causes. Sets *node to a new node, which is the youngest. Returns 0
 * or SYN_ENOMEM. */
int syn_pair_divide(struct syn_replay *replay, const struct syn_pair_wait *wait, uint32_t *node);

/* Finds the member that was last, and whether the instance synchronizes. The members are set. */
void syn_arrivals_judge(struct syn_replay *replay, struct syn_arrivals *arrivals);
/* Divides the waiting of an instance among its causes. Sets *node to a new node, which is the
 * youngest. Returns 0 or SYN_ENOMEM. */
int syn_arrivals_divide(struct syn_replay *replay, const struct syn_arrivals *arrivals,
                        uint32_t *node);
/* Returns whether a member had to wait for the awaited member. */
static inline bool syn_had_to_wait(const struct syn_arrivals *arrivals, uint32_t m)
{
    const struct syn_member_call *member = &arrivals->member[m];
    return arrivals->synchronizes ||
           (member->start_ns < arrivals->due_ns && member->end_ns >= arrivals->due_ns);
}
/* Returns how much `last` exceeds the mean of `count` others, rounded up; 0 if it does not. */
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

/* The division of a node's waiting by weights. The shares add up exactly. */
struct syn_sharing {
    int64_t waiting_ns, bound_ns;
    int64_t attributed_ns, bound_attributed_ns;
    unsigned __int128 all, part; /* sums of weights: all, and those that have their share */
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
/* Adds a node. Returns its number, or SYN_NO_NODE if out of memory. */
uint32_t syn_attribution_node(struct syn_replay *replay, uint32_t location, int64_t at_ns);
/* Adds a weight to the youngest node. Inlined, so that a weight made just before stays in
 * registers. Returns 0 or SYN_ENOMEM. */
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
/* Notes that a node's waiting was spent in [from_ns, to_ns]. Stores the parts in other bins than
 * that of the node's time. Returns 0 or SYN_ENOMEM. */
int syn_attribution_waited(struct syn_replay *replay, uint32_t node, int64_t from_ns,
                           int64_t to_ns);
/* Attributes the waiting of all nodes, the youngest first. Nothing may refer to the nodes any
 * more. */
int syn_attribute_all(struct syn_replay *replay);
/* Attributes the waiting of nodes to which no interval refers, neither directly nor by a node with
 * such an interval. The other nodes are renumbered. */
int syn_attribute_unreferenced(struct syn_replay *replay);

/* ---- the critical path (path.c) ---- */

int syn_path_begin(struct syn_path *path);
void syn_path_free(struct syn_path *path);
/* Extends *position, that of the awaited member at its start, to when it was due: the path of each
 * member that waited for it. All members of a cut waited, so the path up to there is final; it is
 * added to the sums. Returns 0 or SYN_ENOMEM. */
int syn_path_after_instance(struct syn_replay *replay, const struct syn_arrivals *arrivals,
                            struct syn_path_position *position);
/* Gives the cause's path to a location that waited for it in a message. `from` is the cause's path
 * at the start of its half; the path goes on until due_ns. Returns 0 or SYN_ENOMEM. */
int syn_path_after_message(struct syn_replay *replay, uint32_t location, uint32_t cause,
                           struct syn_path_position from, int64_t due_ns);
/* Gives the path of a nonblocking instance to a location that waited when it completed the
 * operation, unless its own path is younger. */
void syn_path_after_nonblocking(struct syn_replay *replay, uint32_t location,
                                const struct syn_nonblocking *nonblocking);
/* Adds the location's path up to its position to the sums, and empties the tree. */
int syn_path_sum_up(struct syn_replay *replay, uint32_t location);
/* Ends the path at this location, where the run ends, and adds it to the sums. */
int syn_path_finish(struct syn_replay *replay, uint32_t location);
/* Makes the tree smaller: drops unused nodes, joins chains, and adds the trunk to the sums. */
int syn_path_compact(struct syn_replay *replay);

#endif
