/* analyze/report/figures/late_kinds.h - the kinds of a run's instances, for the test of which rank
 * came last.
 *
 * A kind is a call that a program repeats: one operation at one site, on one set of ranks, with one
 * size, root and phase. The sites of a loop follow one another, so neighbours in the run are of
 * different kinds. Consecutive instances of one kind depend on each other, neighbours in the run
 * need not. */
#ifndef SYN_LATE_KINDS_H
#define SYN_LATE_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/match/groups/groups.h"
#include "analyze/match/match.h"
#include "sync/base/index.h"

struct syn_late_kind {
    uint64_t key[SYN_KEY_COUNT]; /* as a group's key, except: SYN_KEY_RANK has the lowest member's
                                    world rank, which distinguishes communicators of one family;
                                    node and run are SYN_NO_KEY; the stack is 0 */
    uint64_t instance_count;
    double factor; /* how many dependent instances say as much as one independent instance about
                      which rank comes last */
};

struct syn_late_kinds {       /* begins as {0} */
    struct syn_late_kind *at; /* [count] */
    size_t count, capacity;
    struct syn_index index;
    struct syn_late_memo *memo; /* [memo_count], indexed by signature_place */
    size_t memo_count;
};

/* Returns the number of an instance's kind. UINT32_MAX: memory ran out. */
uint32_t syn_late_kind_of(struct syn_late_kinds *kinds, const struct syn_instance *instance);
/* Returns the number of the kind with this key. UINT32_MAX: memory ran out. */
uint32_t syn_late_kind_find(struct syn_late_kinds *kinds, const uint64_t *key);
void syn_late_kinds_free(struct syn_late_kinds *kinds);

#endif
