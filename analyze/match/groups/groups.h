/* analyze/match/groups/groups.h - instances gathered into groups: all that agree in the chosen
 * keys.
 *
 * A group keeps columns, one number an instance, run by run in the order of their first start; what
 * is computed from them is the business of report/figures.h. Six numbers an instance and one for
 * every member of it, packed, in memory up to the store's budget (column.h).
 *
 * Instances are gathered in parts, by several threads, each into groups of its own without a store;
 * syn_groups_absorb adds a part's to those of the whole. How a trace was cut into parts does not
 * show: instances that start at the same time have an order of their own, and so have groups. */
#ifndef SYN_GROUPS_H
#define SYN_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/columns/column.h"
#include "analyze/match/match.h"
#include "sync/base/index.h"

/* The keys of --by. */
enum syn_key {
    SYN_KEY_OP,
    SYN_KEY_SITE,
    SYN_KEY_COMM,
    SYN_KEY_BYTES,
    SYN_KEY_ROOT,
    SYN_KEY_RANK,
    SYN_KEY_NODE,
    SYN_KEY_RUN,
    SYN_KEY_PHASE,
    SYN_KEY_STACK, /* with SYN_KEY_SITE: sites are call paths */
    SYN_KEY_COUNT
};
#define SYN_NO_RUN  UINT32_MAX
#define SYN_NO_KEY  UINT64_MAX /* the value of what is no key */
#define SYN_BY(key) (1u << (key))
#define SYN_BY_DEFAULT \
    (SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_SITE) | SYN_BY(SYN_KEY_COMM) | SYN_BY(SYN_KEY_BYTES))

/* "op,site,comm" to a set. Returns 0, or SYN_EINVAL for an empty list or a name that is none. */
int syn_keys_parse(const char *list, unsigned *by);
const char *syn_key_name(enum syn_key key);

/* A property that the instances of a group may or may not share. */
struct syn_common {
    uint64_t value;
    bool known, mixed;
};

/* Overlap of nonblocking operations, in all of these together. From the last rank's start on (until
 * then it is waiting) until it has completed it a rank is in MPI, or not: that hides the operation,
 * as far as it still went on. */
struct syn_group_overlap {
    double between_ns; /* from the return of the starting calls to the completing calls */
    double hidden_ns;  /* of that, after the last rank had started */
    double exposed_ns; /* inside MPI after the last rank had started */
};

/* One rank's part in a group. */
struct syn_group_rank {
    int32_t rank;               /* in MPI_COMM_WORLD */
    struct syn_column local_ns; /* end - start, one for each instance that the rank was in; in the
                                   order of the group's columns where same_members */
    double midrank_sum;         /* of its end - start among all ranks', instance by instance */
    uint64_t last_count;        /* instances into which it came last (ties: the lowest member) */
    uint64_t last_sure_count;   /* of those, by more than the clock's bound */
    double wait_ns;             /* sum of last start - own start */
    double inside_ns;           /* time inside MPI */
    double waiting_ns;          /* of that, before the last had arrived */
    double caused_ns;           /* waiting_ns of the others where this rank came last */
};

struct syn_group_run {
    uint32_t run;
    size_t first; /* its instances lie in the columns from here on, up to the next run's */
};

/* The columns that have one number an instance. */
enum syn_group_column {
    SYN_GROUP_START, /* first start; the order of the others */
    SYN_GROUP_BOUND,
    SYN_GROUP_COMPLETION, /* these three are empty for groups of a rank or node */
    SYN_GROUP_SPREAD,
    SYN_GROUP_EXIT_SKEW,
    SYN_GROUP_LOCAL_MAX,
    SYN_GROUP_WAIT, /* of a rank or node: the last start - its own last start; else empty */
    SYN_GROUP_COLUMNS
};

struct syn_group {
    uint64_t key[SYN_KEY_COUNT]; /* UINT64_MAX where not a key */
    /* shared by all instances or not, whether key or not */
    struct syn_common op, site, comm, comm_size, bytes, root, phase;
    struct syn_common member_count; /* of the communicator's ranks, those that record */
    bool site_differs;
    uint64_t instance_count; /* in the columns */
    uint64_t incomplete_count;
    uint64_t left_out_count; /* complete, but not in the columns: their start was late, or the
                                profiler paused */
    uint64_t perturbed_count, failed_count, late_start_count,
        not_completed_count; /* instances so flagged */
    union {
        struct syn_column column[SYN_GROUP_COLUMNS];
        struct {
            struct syn_column start_ns, bound_ns, completion_ns, spread_ns, exit_skew_ns,
                local_max_ns, wait_ns;
        };
    };
    struct syn_column held[SYN_GROUP_COLUMNS]; /* not in the columns yet: an earlier instance may
                                                  still come */
    struct syn_column *held_rank; /* [held_rank_count], by place in `rank`: the same of local_ns;
                                  none where nothing is held */
    size_t held_rank_count;
    const struct syn_store *store; /* of the columns' blocks; that of the groups */
    bool out_of_order; /* one did, later than was waited for: the columns are not in order */
    double tie_sum;    /* over the instances, of t^3 - t over ties between the ranks' end - start */
    struct syn_group_rank *rank; /* [rank_count], in order of first appearance */
    size_t rank_count, rank_capacity;
    struct syn_group_overlap overlap; /* 0 of blocking ones */
    bool same_members; /* all instances have the same members: the ranks' midranks are of one table
                        */
    struct syn_group_run *run; /* [run_count] */
    size_t run_count;
    struct syn_member_map
        *member_map; /* [member_map_count]; how members of a communicator lie in `rank` */
    size_t member_map_count;
    uint32_t first_run;     /* that it was met in first; SYN_NO_RUN: none yet, as in a part */
    int64_t first_start_ns; /* of its instances there, of those too that are in no column; in a
                               part, of these alone */
    uint64_t noted_serial;  /* the properties that were noted last are those of this signature */
};

struct syn_groups {
    unsigned by;
    bool keep_all; /* also instances with a late start or touched by a pause of the profiler are
                      part of the figures; set after init */
    struct syn_store *store; /* of the columns, owned; NULL in a part */
    struct syn_group *
        *group; /* [count], in the order that they were met in, until syn_groups_sort */
    size_t count, capacity;
    struct syn_index index;
    size_t next;  /* behind the group that was looked for last: parts have them in the same order */
    int64_t *row; /* [row_capacity], scratch: the ranks' times of an instance; */
    double *row_number, *row_rank; /*   the same as numbers, their midranks: behind it */
    uint64_t *row_item;            /*   [2 row_capacity], room for finding these: likewise */
    size_t *row_order;
    size_t row_capacity;
    struct syn_groups_cache *cache; /* [cache_capacity], by signature_place */
    size_t cache_capacity;
};

/* The groups of a signature's instances (match.h). */
struct syn_groups_cache {
    uint64_t serial;
    struct syn_group *group;
    const uint32_t *place; /* [members], in group->rank */
};

/* The run that instances come from: set before each match. */
struct syn_groups_run {
    uint32_t run;
    const uint32_t *node; /* [rank count], name number of each rank's node */
};

void syn_groups_init(struct syn_groups *groups, unsigned by);
/* Full blocks of the columns go to a store from now on: up to budget_bytes in memory. Before the
 * first instance. Returns 0 or SYN_ENOMEM. */
int syn_groups_bound_memory(struct syn_groups *groups, size_t budget_bytes);
/* Columns to the store's file until their blocks take no more than that: others need the memory.
 * Returns 0 or SYN_EIO. */
int syn_groups_make_way(struct syn_groups *groups, size_t most_bytes);
void syn_groups_free(struct syn_groups *groups);
/* A part of a run, absorbed: another one of the same run from now on, without instances. Its groups
 * stay, with their memory: most slices have the same ones. */
void syn_groups_empty(struct syn_groups *groups);
/* Take over what a part has; what starts at or after watermark_ns is held back, because the next
 * part may have instances between. INT64_MAX for the last part of a run. `run` is theirs. Returns
 * 0, SYN_ENOMEM, or SYN_EIO of the store. */
int syn_groups_absorb(struct syn_groups *groups, struct syn_groups *part, uint32_t run,
                      int64_t watermark_ns);
/* Sorts groups, once nothing is held back: one met in an earlier run comes first, then one that
 * began earlier there, then one that is less key by key, names as texts. The order depends neither
 * on slices nor on who met whom. 0 or SYN_ENOMEM. */
int syn_groups_sort(struct syn_groups *groups, const struct syn_names *names);
/* The place in `group` of the one with this key [SYN_KEY_COUNT]; SIZE_MAX: none. */
size_t syn_groups_place(const struct syn_groups *groups, const uint64_t *key);
/* Return 0 or SYN_ENOMEM. */
int syn_groups_add(struct syn_groups *groups, const struct syn_groups_run *run,
                   const struct syn_instance *instance);
int syn_groups_add_incomplete(struct syn_groups *groups, const struct syn_groups_run *run,
                              const struct syn_instance *instance);
/* A rank's or a node's part of instances: it has no completion, spread, operation and exit skew. */
bool syn_group_is_part(const struct syn_group *group);

#endif
