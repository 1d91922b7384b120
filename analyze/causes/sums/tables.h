/* analyze/causes/sums/tables.h - numbers of calls and segments. All threads of a run use the same
 * tables. Names are numbered as in the report. */
#ifndef SYN_CAUSE_TABLES_H
#define SYN_CAUSE_TABLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/sums/numbering.h"
#include "analyze/causes/sums/plan.h"
#include "analyze/match/members/attributes.h"

/* The place of a recorded call: one end of a segment. Members that are not among the tables' keys
 * are SYN_NO_NAME or 0. */
struct syn_cause_point {
    uint64_t bytes;         /* SYN_BYTES_DIFFER: each rank has its own size */
    uint32_t site, phase;   /* name numbers */
    uint32_t comm;          /* name number of the communicator's family (comms.h) */
    int32_t root;           /* as in events */
    uint32_t op;            /* as in events */
    uint32_t is_completion; /* this is the call that completes a nonblocking operation begun at the
                               site */
};
#define SYN_BYTES_DIFFER UINT64_MAX
_Static_assert(sizeof(struct syn_cause_point) == 32, "points are compared as bytes: no padding");
/* The point before the first recorded call and behind the last one. */
#define SYN_POINT_OUTSIDE 0u

/* Facts that all events of a kind have in common, on any rank: so there are few. */
struct syn_event_kind {
    uint32_t comm; /* index into syn_comms.comm; SYN_NO_COMM: not known, or a message */
    uint32_t point, completion_point;
    int32_t root; /* member number; -1: no root, or not known */
    uint32_t row; /* of a message: its number in `rows` */
    uint16_t op;
    uint8_t is_blocking;
    uint8_t is_completed; /* the rank completed it: its completing call was recorded */
    uint8_t message;      /* SYN_KIND_... bits; 0: no message */
    uint8_t spare[3];     /* zero */
};

#define SYN_KIND_MESSAGE 1u
#define SYN_KIND_RECEIVE 2u
#define SYN_KIND_LASTS   4u /* result of syn_send_lasts */
#define SYN_KIND_POSTED  8u /* the size is that of the posted buffer */

/* A segment, or the time inside a call. */
struct syn_label {
    uint32_t from, to; /* points; `to` SYN_POINT_INSIDE: the time inside the call at `from` */
};
#define SYN_POINT_INSIDE UINT32_MAX
static inline bool syn_label_is_call(const struct syn_label *label)
{
    return label->to == SYN_POINT_INSIDE;
}

/* Tables of points, kinds, labels and rows of messages. With keys (SYN_BY, match/groups.h) points
 * differ by these keys alone, and segments by the call that they lead to, because there may be as
 * many sizes as calls. Without keys, points differ by call site, phase and operation, and segments
 * have two ends. */
struct syn_cause_tables {
    unsigned keys;
    pthread_mutex_t lock; /* protects adding to the numberings */
    struct syn_numbering points, kinds, labels;
    struct syn_numbering rows; /* keys of the rows of messages (messages/table.h) */
};

/* Begins the tables. Returns 0 or SYN_ENOMEM. The caller frees *tables in either case. */
int syn_cause_tables_begin(struct syn_cause_tables *tables, unsigned keys);
void syn_cause_tables_free(struct syn_cause_tables *tables);

static inline const struct syn_cause_point *syn_point_at(const struct syn_cause_tables *tables,
                                                         uint32_t point)
{
    return syn_numbering_at(&tables->points, point);
}
static inline const struct syn_event_kind *syn_event_kind_at(const struct syn_cause_tables *tables,
                                                             uint32_t kind)
{
    return syn_numbering_at(&tables->kinds, kind);
}
static inline const struct syn_label *syn_label_at(const struct syn_cause_tables *tables,
                                                   uint32_t label)
{
    return syn_numbering_at(&tables->labels, label);
}
/* Returns the number of a label, a new one if needed. Any thread may call this. Returns
 * SYN_NO_NUMBER if out of memory. */
uint32_t syn_label_of(struct syn_cause_tables *tables, uint32_t from, uint32_t to);
/* Returns the number of a kind of events, a new one if needed. Any thread may call this. Returns
 * SYN_NO_NUMBER if out of memory. */
uint32_t syn_event_kind_of(struct syn_cause_tables *tables, const struct syn_cause_plan *plan,
                           const struct syn_attributes *attributes,
                           const struct syn_comm_place *place);

/* Compares two labels by the texts of their points. The call at a point comes before the segments
 * from there. Unlike the numbers, this order does not depend on the order of reading. */
int syn_label_compare(const struct syn_cause_tables *tables, const struct syn_names *names,
                      uint32_t a, uint32_t b);
/* Numbers points and labels in that order. Kinds are dropped, and nothing can be looked up any
 * more. Sets label [labels.count] to the new number of each label. Returns 0 or SYN_ENOMEM; on
 * error the tables can only be freed. */
int syn_cause_tables_order(struct syn_cause_tables *tables, const struct syn_names *names,
                           uint32_t *label);

#endif
