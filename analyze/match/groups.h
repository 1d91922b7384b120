/* analyze/match/groups.h - instances gathered into groups: all that agree in the chosen keys.
 *
 * A group keeps columns, one number an instance, in the order in which instances became complete;
 * what is computed from them is the business of report/figures.h. Memory: 6 numbers an instance and
 * one for every member of it. */
#ifndef SYN_GROUPS_H
#define SYN_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "match.h"

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
    SYN_KEY_COUNT
};
#define SYN_BY(key) (1u << (key))
#define SYN_BY_DEFAULT \
    (SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_SITE) | SYN_BY(SYN_KEY_COMM) | SYN_BY(SYN_KEY_BYTES))

/* "op,site,comm" to a set. Returns 0, or SYN_EINVAL for an empty list or a name that is none. */
int syn_keys_parse(const char *list, unsigned *by);
const char *syn_key_name(enum syn_key key);

struct syn_column {
    int64_t *value; /* [count] */
    size_t count, capacity;
};

/* A property that the instances of a group may or may not share. */
struct syn_common {
    uint64_t value;
    bool known, mixed;
};

/* One rank's part in a group. */
struct syn_group_rank {
    int32_t rank;               /* in MPI_COMM_WORLD */
    struct syn_column local_ns; /* end - start, one for each instance that the rank was in */
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

struct syn_group {
    uint64_t key[SYN_KEY_COUNT]; /* UINT64_MAX where not a key */
    /* shared by all instances or not, whether key or not */
    struct syn_common op, site, comm, comm_size, bytes, root;
    bool site_differs;
    uint64_t instance_count; /* in the columns */
    uint64_t incomplete_count;
    uint64_t left_out_count; /* complete, but not in the columns: their start was late */
    uint64_t perturbed_count, failed_count, late_start_count,
        not_completed_count;    /* instances so flagged */
    struct syn_column start_ns; /* first start; for ordering */
    struct syn_column bound_ns;
    struct syn_column completion_ns, spread_ns,
        exit_skew_ns; /* empty for groups of a rank or node */
    struct syn_column local_max_ns;
    struct syn_column
        wait_ns; /* of a rank or node: the last start - its own last start; else empty */
    struct syn_group_rank *rank; /* [rank_count], in order of first appearance */
    size_t rank_count;
    bool same_members; /* all instances have the same members: the columns of the ranks are rows of
                          one table */
    struct syn_group_run *run; /* [run_count] */
    size_t run_count;
    struct syn_layout *layout; /* [layout_count]; how members of a communicator lie in `rank` */
    size_t layout_count;
};

struct syn_groups {
    unsigned by;
    bool keep_late; /* instances with a late start are part of the figures; set after init */
    struct syn_group **group; /* [count], in order of first appearance */
    size_t count, capacity;
    size_t *bucket; /* [bucket_count], index + 1; 0: empty */
    size_t bucket_count;
};

/* The run that instances come from: set before each match. */
struct syn_groups_run {
    uint32_t run;
    const uint32_t *node; /* [rank count], name number of each rank's node */
};

void syn_groups_init(struct syn_groups *groups, unsigned by);
void syn_groups_free(struct syn_groups *groups);
/* Return 0 or SYN_ENOMEM. */
int syn_groups_add(struct syn_groups *groups, const struct syn_groups_run *run,
                   const struct syn_instance *instance);
int syn_groups_add_incomplete(struct syn_groups *groups, const struct syn_groups_run *run,
                              const struct syn_instance *instance);
/* A rank's or a node's part of instances: it has no completion, spread, operation and exit skew. */
bool syn_group_is_part(const struct syn_group *group);

#endif
