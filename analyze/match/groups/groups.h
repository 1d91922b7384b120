/* analyze/match/groups/groups.h - gathers instances into groups. The instances of a group agree in
 * all keys of --by.
 *
 * A group has columns (column.h). A column has one number for each instance, run by run, in the
 * order of first starts. Each rank of the group has a column, too. report/figures.h computes
 * figures from them.
 *
 * Each slice of a trace is gathered into groups of its own (a partial result), which have no store.
 * syn_groups_absorb adds them to the groups of the whole report. The result does not depend on the
 * slices: instances with the same start have a defined order, and so have groups. */
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
    SYN_KEY_STACK, /* only with SYN_KEY_SITE: call sites are call paths */
    SYN_KEY_COUNT
};
#define SYN_NO_RUN  UINT32_MAX
#define SYN_NO_KEY  UINT64_MAX /* value of a key that is not in --by */
#define SYN_BY(key) (1u << (key))
#define SYN_BY_DEFAULT \
    (SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_SITE) | SYN_BY(SYN_KEY_COMM) | SYN_BY(SYN_KEY_BYTES))

/* Parses a list such as "op,site,comm" into a set of SYN_BY(key). Returns 0, or SYN_EINVAL for an
 * empty list or an unknown name. */
int syn_keys_parse(const char *list, unsigned *by);
const char *syn_key_name(enum syn_key key);

/* A property that the instances of a group may or may not share. */
struct syn_common {
    uint64_t value;
    bool known, mixed;
};

/* Overlap of nonblocking operations, summed over all of them. Until the last rank starts, a rank
 * waits. After that it is either inside MPI (exposed), or computes while the operation goes on
 * (hidden). */
struct syn_group_overlap {
    double between_ns; /* between the return of the initiating call and the completing call */
    double hidden_ns;  /* part of between_ns after the last rank has started */
    double exposed_ns; /* time inside MPI after the last rank has started */
};

/* Sums and column of one rank in a group. */
struct syn_group_rank {
    int32_t rank;               /* in MPI_COMM_WORLD */
    struct syn_column local_ns; /* end - start, for each instance that the rank was in; in the order
                                   of the group's columns if same_members */
    double midrank_sum;         /* sum of its midranks by end - start, one for each instance */
    uint64_t last_count;        /* instances in which it arrived last (the lowest of several) */
    uint64_t last_sure_count;   /* part of last_count: by more than the clock bound */
    double wait_ns;             /* sum of last start - own start */
    double inside_ns;           /* time inside MPI */
    double waiting_ns;          /* part of inside_ns before the last rank arrived */
    double caused_ns;           /* waiting_ns of the others where this rank arrived last */
};

struct syn_group_run {
    uint32_t run;
    size_t first; /* index in the columns of the run's first instance */
};

/* The columns with one number for each instance. */
enum syn_group_column {
    SYN_GROUP_START, /* first start, which orders the columns */
    SYN_GROUP_BOUND,
    SYN_GROUP_COMPLETION, /* empty for groups of a rank or node, like the two below */
    SYN_GROUP_SPREAD,
    SYN_GROUP_EXIT_SKEW,
    SYN_GROUP_LOCAL_MAX,
    SYN_GROUP_WAIT, /* of a rank or node: the last start - its own last start; else empty */
    SYN_GROUP_COLUMNS
};

struct syn_group {
    uint64_t key[SYN_KEY_COUNT]; /* SYN_NO_KEY: not a key */
    /* values that all instances may share, whether key or not */
    struct syn_common op, site, comm, comm_size, bytes, root, phase;
    struct syn_common member_count; /* members of the communicator that record */
    bool site_differs;
    uint64_t instance_count; /* in the columns */
    uint64_t incomplete_count;
    uint64_t left_out_count; /* complete, but not in the columns: the start was late, or the
                                profiler paused */
    uint64_t perturbed_count, failed_count, late_start_count,
        not_completed_count; /* instances with such flags */
    union {
        struct syn_column column[SYN_GROUP_COLUMNS];
        struct {
            struct syn_column start_ns, bound_ns, completion_ns, spread_ns, exit_skew_ns,
                local_max_ns, wait_ns;
        };
    };
    /* Rows of instances that are not in the columns yet, as an earlier instance may still come. */
    struct syn_column deferred[SYN_GROUP_COLUMNS];
    struct syn_column *deferred_rank; /* [deferred_rank_count], of rank[i].local_ns */
    size_t deferred_rank_count;
    const struct syn_store *store; /* of the columns' blocks: that of all groups */
    bool out_of_order;             /* an instance came too late, so the columns are not in order */
    double tie_sum;                /* sum of t^3 - t over ties between the ranks' end - start */
    struct syn_group_rank *rank;   /* [rank_count], in order of first appearance */
    size_t rank_count, rank_capacity;
    struct syn_group_overlap overlap; /* 0 if all are blocking */
    bool same_members;                /* all instances have the same ranks as members */
    struct syn_group_run *run;        /* [run_count] */
    size_t run_count;
    struct syn_member_map *member_map; /* [member_map_count], from members to indices of `rank` */
    size_t member_map_count;
    uint32_t first_run; /* first run with instances of the group; SYN_NO_RUN: in a partial result */
    int64_t first_start_ns; /* of its instances in first_run, or in the slice; instances that are in
                               no column count, too */
    uint64_t noted_serial;  /* of the last signature whose common values were noted */
};

struct syn_groups {
    unsigned by;
    bool keep_all; /* instances that started late, or in which the profiler paused, are in the
                      columns, too; set after init */
    struct syn_store *store;  /* of the columns, owned; NULL in a partial result */
    struct syn_group **group; /* [count], in order of appearance until syn_groups_sort */
    size_t count, capacity;
    struct syn_index index;
    size_t next; /* index after the last group found: slices have groups in similar orders */
    /* Memory for the ranks' times of one instance. Four of the arrays are one allocation. */
    int64_t *row;       /* [row_capacity] times */
    double *row_number; /* [row_capacity] times as doubles */
    double *row_rank;   /* [row_capacity] midranks */
    uint64_t *row_item; /* [2 row_capacity], for the computation of midranks */
    size_t *row_order;
    size_t row_capacity;
    struct syn_groups_cache *cache; /* [cache_capacity], by signature_place */
    size_t cache_capacity;
};

/* The group of the instances of a signature (match.h). */
struct syn_groups_cache {
    uint64_t serial;
    struct syn_group *group;
    const uint32_t *place; /* [members], in group->rank */
};

/* The run that instances come from. It is set before each match. */
struct syn_groups_run {
    uint32_t run;
    const uint32_t *node; /* [rank count], name number of each rank's node */
};

void syn_groups_init(struct syn_groups *groups, unsigned by);
/* Gives the groups a store, before the first instance: blocks of columns take up to budget_bytes of
 * memory. Returns 0 or SYN_ENOMEM. */
int syn_groups_bound_memory(struct syn_groups *groups, size_t budget_bytes);
/* Moves columns to the store's file until their blocks take at most most_bytes of memory. Returns 0
 * or SYN_EIO. */
int syn_groups_spill(struct syn_groups *groups, size_t most_bytes);
void syn_groups_free(struct syn_groups *groups);
/* Empties a partial result that was absorbed, for another slice of the run. Its groups stay, with
 * their memory, as most slices have the same groups. */
void syn_groups_empty(struct syn_groups *groups);
/* Adds the instances of a partial result of run `run`. Instances that start at or after
 * watermark_ns are deferred, as the next slice may have earlier ones. INT64_MAX: it is the run's
 * last slice. Returns 0, SYN_ENOMEM, or SYN_EIO of the store. */
int syn_groups_absorb(struct syn_groups *groups, struct syn_groups *partial, uint32_t run,
                      int64_t watermark_ns);
/* Sorts groups, once nothing is deferred: by first run, then by first start, then by keys (names as
 * texts). The order does not depend on slices. Returns 0 or SYN_ENOMEM. */
int syn_groups_sort(struct syn_groups *groups, const struct syn_names *names);
/* Returns the index of the group with this key [SYN_KEY_COUNT]; SIZE_MAX: there is none. */
size_t syn_groups_index_of(const struct syn_groups *groups, const uint64_t *key);
/* Add an instance. Return 0 or SYN_ENOMEM. */
int syn_groups_add(struct syn_groups *groups, const struct syn_groups_run *run,
                   const struct syn_instance *instance);
int syn_groups_add_incomplete(struct syn_groups *groups, const struct syn_groups_run *run,
                              const struct syn_instance *instance);
/* Returns whether the group is of a rank or a node. Such a group has no completion, spread,
 * operation time and exit skew. */
bool syn_group_is_part(const struct syn_group *group);

#endif
