/* analyze/causes/swift.h - the same as a replay, for what most programs do most of the time: one
 * blocking instance of all locations after the other, each a cut. */
#ifndef SYN_CAUSE_SWIFT_H
#define SYN_CAUSE_SWIFT_H

#include "analyze/causes/lanes.h"

/* Instances that are replayed at once. */
#define SYN_TILE 128

struct syn_swift {
    struct syn_replay *replay;
    uint32_t comm;
    struct syn_lane *lane; /* [location_count], owned */
    uint32_t *point;       /* [kind_count], of plain kinds; SYN_NO_NUMBER: others; owned */
    size_t kind_count;
    struct syn_tile *tile; /* owned */
    uint8_t *prepared;     /* [prepared_count], by label: all locations have cells; owned */
    size_t prepared_count;
};

/* 0 or SYN_ENOMEM; free in any case. */
int syn_swift_begin(struct syn_swift *swift, struct syn_replay *replay, uint32_t comm);
void syn_swift_free(struct syn_swift *swift);
/* Kinds may have come since: before their numbers are used. 0 or SYN_ENOMEM. */
int syn_swift_learn(struct syn_swift *swift);
/* How many instances all lanes have. */
size_t syn_swift_common(const struct syn_swift *swift);
/* Nothing is kept by the replay but that all stand behind an instance: those from here on may be
 * replayed swiftly. */
bool syn_swift_is_ready(const struct syn_swift *swift);
/* Replay as many as all lanes have one after the other, each a cut that all members call at one
 * point; they leave the lanes. Before anything else is done with the replay it has to be told by
 * syn_swift_stand where all stand. *done: how many; *together_ns: when all had come to the last of
 * them. 0 or SYN_ENOMEM. */
int syn_swift_go(struct syn_swift *swift, size_t *done, int64_t *together_ns);
int syn_swift_stand(struct syn_swift *swift);
/* The first instance in the lanes that is a cut: its number behind the first one, and when all had
 * come. False: there is none. */
bool syn_swift_find_cut(const struct syn_swift *swift, size_t *at, int64_t *synchronized_ns);

#endif
