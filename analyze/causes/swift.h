/* analyze/causes/swift.h - a faster replay of what most programs do most of the time: blocking
 * calls that all locations make one after the other, each on MPI_COMM_WORLD or on its own part of a
 * split. */
#ifndef SYN_CAUSE_SWIFT_H
#define SYN_CAUSE_SWIFT_H

#include "analyze/causes/lanes.h"
#include "analyze/causes/rows.h"

struct syn_swift {
    struct syn_replay *replay;
    uint32_t comm;         /* the cuts' */
    struct syn_lane *lane; /* [location_count], owned */
    uint32_t behind;       /* the lane that had too few calls when that was last asked */
    uint64_t *plain;       /* [kind_count], what all members of an instance have in common;
                              SYN_NOT_PLAIN: not for lanes; owned */
    size_t kind_count, kind_capacity;
    struct syn_tile *tile; /* owned */
};
#define SYN_NOT_PLAIN UINT64_MAX

/* 0 or SYN_ENOMEM; free in any case. */
int syn_swift_begin(struct syn_swift *swift, struct syn_replay *replay, uint32_t comm);
void syn_swift_free(struct syn_swift *swift);
/* Kinds may have come since: before their numbers are used. 0 or SYN_ENOMEM. */
int syn_swift_learn(struct syn_swift *swift);
static inline bool syn_swift_is_plain(const struct syn_swift *swift, uint32_t kind)
{
    return kind < swift->kind_count && swift->plain[kind] != SYN_NOT_PLAIN;
}
/* How many of a batch's events from i on are plain. */
size_t syn_swift_match(const struct syn_swift *swift, const struct syn_match_batch *batch,
                       size_t i);
/* Has each lane so many calls? To be asked often: the lane that is behind is looked at first, so
 * that an answer does not take as long as there are ranks. */
bool syn_swift_has(struct syn_swift *swift, size_t count);
/* Nothing is kept by the replay but that all stand behind an instance: those from here on may be
 * replayed swiftly. */
bool syn_swift_is_ready(const struct syn_swift *swift);
/* Replay as far as all lanes have calls that agree, up to the last cut among them; they leave the
 * lanes. Before anything else is done with the replay it has to be told by syn_swift_stand where
 * all stand. *done: of how many calls of each; *together_ns: when all had come to the last of
 * them; *stuck: what follows does not agree, whatever comes behind it. 0 or SYN_ENOMEM. */
struct syn_swift_went {
    size_t done;
    int64_t together_ns;
    bool stuck;
};
int syn_swift_go(struct syn_swift *swift, struct syn_swift_went *went);
int syn_swift_stand(struct syn_swift *swift);
/* The first instance in the lanes that is a cut: up to and with it so many of each lane
 * [location_count], and when all had come. False: there is none. */
bool syn_swift_find_cut(const struct syn_swift *swift, size_t *count, int64_t *synchronized_ns);

#endif
