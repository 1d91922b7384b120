/* analyze/match/team.h - several processes that share the work of one report.
 *
 * All read the same trace. Each matches a share of its slices; what it found goes to process 0,
 * which puts it together in the slices' order, and so comes to what it would have come to alone.
 * Structures travel by their tables of members (sync/base/fields.h). Who the processes are
 * and how they exchange bytes is the business of whoever starts them (analyze/team/ does so with
 * MPI). */
#ifndef SYN_TEAM_H
#define SYN_TEAM_H

#include <stdbool.h>

#include "analyze/match/names.h"
#include "sync/base/bytes.h"
#include "sync/transport.h"

/* What the numbers of another process's table of names are here. */
struct syn_name_map {
    uint32_t *id; /* [count] */
    size_t count;
};

struct syn_team {
    struct syn_transport link; /* its functions are called by one thread at a time */
    bool begun;                /* something was exchanged: the others wait for more */
    size_t names_sent;         /* of the own table */
    struct syn_name_map *map;  /* [size], of the others' tables; at process 0 */
};

/* Put `link` in beforehand. 0 or SYN_ENOMEM; end it in any case. */
int syn_team_begin(struct syn_team *team);
void syn_team_end(struct syn_team *team);
/* Is it somebody else who puts together? False for NULL. */
bool syn_team_helps(const struct syn_team *team);
/* A message of any length. Receiving replaces what is there. 0, SYN_ETRANSPORT, SYN_ENOMEM. */
int syn_team_send(struct syn_team *team, int peer, const struct syn_bytes *message);
int syn_team_receive(struct syn_team *team, int peer, struct syn_bytes *message);

/* The names that have been added since the last time, to process 0; and there. 0, SYN_ENOMEM,
 * SYN_ETRANSPORT. */
int syn_team_put_names(struct syn_team *team, const struct syn_names *names, struct syn_bytes *out);
int syn_team_take_names(struct syn_team *team, int peer, struct syn_names *names,
                        struct syn_take *take);
/* All names of a table for a process that has none of them, and the numbers that they have there:
 * *map of {0}, freed by the caller in any case. 0, SYN_ENOMEM, SYN_ETRANSPORT. */
int syn_names_put(const struct syn_names *names, struct syn_bytes *out);
int syn_names_take(struct syn_take *take, struct syn_names *names, struct syn_name_map *map);
/* A name's number here; what is none stays what it is. With no map (NULL) every number does. */
uint64_t syn_name_mapped(const struct syn_name_map *map, uint64_t number);

#endif
