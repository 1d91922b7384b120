/* analyze/report/figures/late_kinds.h - the kinds of a run's instances, for the question of who
 * came last.
 *
 * A kind is a call that a program repeats: one operation at one site, on one set of ranks, with one
 * size, root and phase. Sites follow one another in a loop, so the instances of one kind depend on
 * each other where neighbours in the run do not. */
#ifndef SYN_LATE_KINDS_H
#define SYN_LATE_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/match/groups/groups.h"
#include "analyze/match/match.h"
#include "sync/base/index.h"

struct syn_late_kind {
    uint64_t key[SYN_KEY_COUNT]; /* as a group's; of SYN_KEY_RANK the lowest member's world rank,
                                    which tells communicators of one family apart; SYN_NO_KEY of
                                    node and run, 0 of the stack */
    uint64_t instance_count;
    double factor; /* so many of its instances say as much as one of who came last */
};

struct syn_late_kinds {       /* {0}: none */
    struct syn_late_kind *at; /* [count] */
    size_t count, capacity;
    struct syn_index index;
    struct syn_late_memo *memo; /* [memo_count], by signature_place */
    size_t memo_count;
};

/* The number of an instance's kind. UINT32_MAX: no memory. */
uint32_t syn_late_kind_of(struct syn_late_kinds *kinds, const struct syn_instance *instance);
/* The number of the kind with this key. UINT32_MAX: no memory. */
uint32_t syn_late_kind_find(struct syn_late_kinds *kinds, const uint64_t *key);
void syn_late_kinds_free(struct syn_late_kinds *kinds);

#endif
