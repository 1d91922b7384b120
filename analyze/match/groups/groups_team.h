/* analyze/match/groups/groups_team.h - the groups of a team: each belongs to one process.
 *
 * A process keeps what the parts that it has matched say of groups, as bytes, in buckets by what
 * the group is. Once all slices of a run are read, the buckets are dealt to owners, the largest
 * first (for all runs as for the first one), and exchanged in rounds of a few slices. An owner
 * absorbs its buckets in the slices' order: its groups are those that one process alone would have.
 */
#ifndef SYN_GROUPS_TEAM_H
#define SYN_GROUPS_TEAM_H

#include "analyze/match/groups/groups.h"

struct syn_outbox_part;

/* Groups kept for their owners. */
struct syn_outbox {
    struct syn_team *team;
    struct syn_names *names;
    size_t budget_bytes;          /* beyond it goes to a temporary file */
    struct syn_outbox_part *part; /* [count], in the order of their turns */
    size_t count, capacity;
    size_t bucket_count;               /* the same in all processes */
    uint64_t memory_bytes, file_bytes; /* of parts there */
    int file;                          /* -1: none */
};

/* Begins the outbox of one run. */
void syn_outbox_begin(struct syn_outbox *outbox, struct syn_team *team, struct syn_names *names,
                      size_t budget_bytes);
void syn_outbox_end(struct syn_outbox *outbox);
/* The groups of a part, absorbed in its turn with this watermark (syn_groups_absorb). Turns ascend.
 * 0, SYN_ENOMEM, SYN_EIO. */
int syn_outbox_add(struct syn_outbox *outbox, struct syn_groups *part, uint64_t turn,
                   int64_t watermark_ns);
/* All processes: the groups of turns 0 .. turn_count - 1 that belong to this process into *into,
 * sorted (syn_groups_sort). `run` is theirs. 0, SYN_ENOMEM, SYN_EIO,
 * SYN_ETRANSPORT. */
int syn_outbox_exchange(struct syn_outbox *outbox, uint64_t turn_count, struct syn_groups *into,
                        uint32_t run);
/* Deals the buckets to `size` processes, *owner: [bucket_count]. `bytes`: of each bucket, of all
 * processes. Process 0, which has more to do besides, gets less. 0 or SYN_ENOMEM. */
int syn_outbox_deal(const uint64_t *bytes, size_t bucket_count, int size, int *owner);

#endif
