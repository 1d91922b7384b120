/* analyze/match/members/team.h - several processes that share the work of one report.
 *
 * All read the same trace. Each matches a share of its slices. What it found of the run goes to
 * process 0, and what it found of a group to the process that the group belongs to (groups_team.h):
 * each puts together in the slices' order, and so comes to what one process alone would come to.
 * Structures travel by their tables of members (sync/base/fields.h). Who the processes are
 * and how they exchange bytes is the business of whoever starts them (analyze/team/ does so with
 * MPI). */
#ifndef SYN_TEAM_H
#define SYN_TEAM_H

#include <stdbool.h>

#include "analyze/match/members/names.h"
#include "sync/base/bytes.h"
#include "sync/ranks/transport.h"

/* This process's numbers of another process's table of names. */
struct syn_name_map {
    uint32_t *id; /* [count] */
    size_t count;
};

struct syn_team {
    struct syn_transport link; /* its functions are called by one thread at a time */
    bool begun;                /* something was exchanged: the others wait for more */
    size_t *names_sent;        /* [size], of the own table to each of the others */
    struct syn_name_map *map;  /* [size], of the others' tables; of the own: every number is */
    int *bucket_owner;         /* of groups (groups_team.h), NULL before any were exchanged */
};

/* Put `link` in beforehand. 0 or SYN_ENOMEM; end it in any case. */
int syn_team_begin(struct syn_team *team);
void syn_team_end(struct syn_team *team);
/* Is it somebody else who puts together? False for NULL. */
bool syn_team_helps(const struct syn_team *team);
/* A message of any length. Receiving replaces what is there. 0, SYN_ETRANSPORT, SYN_ENOMEM. */
int syn_team_send(struct syn_team *team, int peer, const struct syn_bytes *message);
int syn_team_receive(struct syn_team *team, int peer, struct syn_bytes *message);

/* Each process meets each other one once in `size` steps, in pairs: whom this one meets in a step
 * (itself: nobody). Both send and receive: *in is what the other one has in its `out`. 0,
 * SYN_ETRANSPORT, SYN_ENOMEM. */
int syn_team_partner(const struct syn_team *team, int step);
int syn_team_swap(struct syn_team *team, int peer, const struct syn_bytes *out,
                  struct syn_bytes *in);

/* The names that have been added since the last time, to another process; and there. 0, SYN_ENOMEM,
 * SYN_ETRANSPORT. */
int syn_team_put_names(struct syn_team *team, int peer, const struct syn_names *names,
                       struct syn_bytes *out);
int syn_team_take_names(struct syn_team *team, int peer, struct syn_names *names,
                        struct syn_take *take);
/* A name's number here; what is none stays what it is. With no map (NULL) every number does. */
uint64_t syn_name_mapped(const struct syn_name_map *map, uint64_t number);

#endif
