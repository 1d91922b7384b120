/* analyze/report/team_figures.h - figures of the groups of a team (match/groups_team.h): each
 * computed where the group's columns are, or in a process that has less to do. */
#ifndef SYN_TEAM_FIGURES_H
#define SYN_TEAM_FIGURES_H

#include "analyze/report/figures/figures.h"

/* The process that has a group's columns, and the one that computes its figures. */
struct syn_group_home {
    struct syn_group *group;
    int peer, computes; /* processes */
};

struct syn_team_task;
/* The groups that a process computes. */
struct syn_team_tasks {
    struct syn_team_task *task; /* [count] */
    size_t count, capacity;
};

struct syn_group_homes {
    struct syn_group_home *home; /* [count], in the order of the groups */
    size_t count;
    struct syn_team_tasks tasks; /* of process 0 */
    bool are_known, moves;       /* all said who computes what; some groups move for that */
};

/* Process 0, once all runs are read: *groups, which has those that belong to process 0, has all, in
 * the order of one process. 0, SYN_ENOMEM, SYN_EIO, SYN_ETRANSPORT; free *homes in any case. */
int syn_team_gather_groups(struct syn_team *team, const struct syn_names *names,
                           struct syn_groups *groups, struct syn_group_homes *homes);
/* Then the others are told what they compute, and which groups are light (of all groups' time, so
 * process 0 alone knows: struct syn_left_out). Groups that move do so now, and the others begin:
 * what process 0 has to do before its own figures, none of them waits for. 0, SYN_ENOMEM, SYN_EIO,
 * SYN_ETRANSPORT. */
int syn_team_share_figures(struct syn_team *team, double light_ns, struct syn_groups *groups,
                           struct syn_group_homes *homes);
/* Decides which of `size` processes computes which group: the one that has it, unless another one
 * is ready earlier, with the time in which the group gets there. Returns 0 or SYN_ENOMEM. */
int syn_team_deal(struct syn_group_homes *homes, int size);
/* Then, as syn_figures_compute_all. */
int syn_team_figures(struct syn_team *team, const struct syn_group_homes *homes,
                     struct syn_groups *groups, const struct syn_figures_plan *plan,
                     struct syn_figures *out);
void syn_group_homes_free(struct syn_group_homes *homes);
/* The others, each with its groups; some move to other processes. Not `whole`: process 0
 * does without their columns. Which groups are light is process 0's word, not the plan's. */
int syn_team_serve_figures(struct syn_team *team, struct syn_groups *groups, bool whole,
                           const struct syn_figures_plan *plan);

#endif
