/* analyze/match/groups_parts.h - what gathering instances and absorbing parts share. */
#ifndef SYN_GROUPS_PARTS_H
#define SYN_GROUPS_PARTS_H

#include "groups.h"

/* The group of a key [SYN_KEY_COUNT], made where there is none. NULL: no memory. */
struct syn_group *syn_groups_find(struct syn_groups *groups, const uint64_t *key);
/* The place of a rank of MPI_COMM_WORLD in group->rank, made where there is none. `hint`: where it
 * most likely is; `known_count`: it can only be among the first so many. UINT32_MAX: no memory. */
uint32_t syn_group_place_of_rank(struct syn_group *group, int32_t rank, uint32_t hint,
                                 size_t known_count);
/* What comes now is of that run. Returns 0 or SYN_ENOMEM. */
int syn_group_note_run(struct syn_group *group, uint32_t run);

#endif
