/* sync/methods/session.h - the inside of a struct syn_sync, and the pieces that the methods are
 * made of. Private to sync/. */
#ifndef SYN_SESSION_H
#define SYN_SESSION_H

#include <stdint.h>

#include "sync/methods/group.h"
#include "sync/methods/link.h"
#include "sync/methods/model.h"
#include "sync/methods/sync.h"
#include "sync/ranks/tree.h"

/* Ping-pongs of one offset, and of one round trip: N_PINGPONGS of Hunold & Carpen-Amarie 2015,
 * Algorithms 7 and 17. */
#define SYN_PINGPONG_COUNT 100
/* Netgauge pings until SYN_PINGPONG_COUNT in a row bring no shorter round trip; on a link that
 * keeps getting better that would not end. */
#define SYN_NETGAUGE_LIMIT 10000
#define SYN_WARMUP_COUNT   10
/* A measurement that met no quiet moment goes on: so many ping-pongs more at a time, after a pause
 * in which whoever needs the processor can have it, until they are as quick as they were at their
 * best or time is up. */
#define SYN_RETRY_COUNT    10
#define SYN_RETRY_LIMIT    200
#define SYN_RETRY_PAUSE_NS 1000000
#define SYN_EXCHANGE_LIMIT (SYN_PINGPONG_COUNT + SYN_RETRY_LIMIT * SYN_RETRY_COUNT)
/* All that this may take, of all whom one rank serves: at begin and end, and in between. */
#define SYN_RETRY_END_NS     500000000
#define SYN_RETRY_BETWEEN_NS 20000000

/* How a method makes its model at begin, and how all of it is measured again. Methods are rows of
 * the table in sync.c. Errors are left in the link. */
struct syn_method {
    const char *name;
    enum syn_tree_kind tree; /* whom a rank's offset is measured against; for the quality record */
    void (*begin)(struct syn_sync *sync);
    void (*measure)(struct syn_sync *sync);
};

struct syn_sync {
    struct syn_sync_options options;
    struct syn_clock_identity identity;
    const struct syn_sync_known *known; /* during begin; NULL: nothing is known */
    const struct syn_method *method;
    struct syn_link link;
    struct syn_timeline timeline;
    struct syn_sync_quality quality;
    struct syn_fitpoint *fitpoints; /* [fitpoint_count], of fitpoint_capacity */
    size_t fitpoint_count;
    size_t fitpoint_capacity;
    struct syn_exchange *exchanges; /* scratch: max(exchange_count, SYN_EXCHANGE_LIMIT) */
    int64_t best_rtt_ns;            /* of all exchanges with the peer that was pinged last, and */
    int best_rtt_peer;              /*   who that is; 0: there was none */
    int64_t measure_start_ns;       /* of the measurement under way; */
    int served_count, serve_limit;  /*   whom this rank has served in it, and of how many at most */
    struct syn_model learned; /* AUTO, in begin: what the turns say of the offset to rank 0, */
    bool has_learned;         /*   where they do */
    double slope_error; /* AUTO: of the slope learned in begin (struct syn_model); 0 unknown */
    struct syn_point *points;       /* scratch: fitpoint_count + 1 */
    struct syn_clock_groups groups; /* AUTO only */
    enum syn_tree_kind
        offset_tree; /* AUTO: how the leaders' offsets are measured; the root's choice */
    int32_t stage;   /* that of the fitpoints being taken */
};

/* --- ping-pong (pingpong.c): one rank pings, the other echoes; equal counts on both sides --- */

/* `out` [count]: what the pinging side learns. */
void syn_ping(struct syn_link *link, int peer, int count, struct syn_exchange *out);
/* As syn_ping, but the message says the best round trip so far, so that the echo can tell how good
 * these were. */
void syn_ping_telling(struct syn_link *link, int peer, int count, int64_t best_rtt_ns,
                      struct syn_exchange *out);
/* Stamps with the own clock, or with the global clock of `stamps` where it is not NULL. */
void syn_echo(struct syn_link *link, int peer, int count, const struct syn_timeline *stamps);
/* As syn_echo, to a peer that tells: is one of the round trips, as seen from here, about as quick
 * as the best that the peer knows? */
bool syn_echo_judging(struct syn_link *link, int peer, int count,
                      const struct syn_timeline *stamps);
/* Echo, and learn from it: the peer's stamp lies between our *previous* reply and its arrival
 * (slip 1). `out` [count - 1]. */
void syn_echo_learning(struct syn_link *link, int peer, int count, struct syn_exchange *out);
/* Netgauge's: until the round trip no longer gets shorter. Returns the tightest exchange. */
struct syn_exchange syn_ping_until_settled(struct syn_link *link, int peer);
void syn_echo_until_settled(struct syn_link *link, int peer);

/* --- learning from one peer (learn.c): learn_* on the client and serve_* on its reference --- */

/* jk and hca: a line by least squares through medians, as Hunold & Carpen-Amarie 2015, Algorithm 4;
 * its own intercept. */
struct syn_model syn_learn_line(struct syn_sync *sync, int peer);
void syn_serve_line(struct syn_sync *sync, int peer, const struct syn_timeline *stamps);
/* The reference in the round trip of Hunold & Carpen-Amarie 2015, Algorithm 17. */
void syn_serve_rtt(struct syn_sync *sync, int peer);
/* Hunold & Carpen-Amarie 2015, Algorithm 4, Compute_And_Set_Intercept: a line of known slope
 * through SKaMPI's offset. */
void syn_learn_intercept(struct syn_sync *sync, int peer, struct syn_model *model);
void syn_serve_intercept(struct syn_sync *sync, int peer, const struct syn_timeline *stamps);
/* Keep a raw measurement for the trace. */
void syn_keep_point(struct syn_sync *sync, int peer, const struct syn_point *point);
void syn_keep_points(struct syn_sync *sync, int peer, const struct syn_point *points, int count);

/* --- the timeline of this rank (knots.c) --- */

/* Make `model` the timeline. */
void syn_set_model(struct syn_sync *sync, const struct syn_model *model);
/* Add one measured offset; the outer slopes follow the newest chords once these are known better
 * than what was learned, and the wander what the chords show of it. */
void syn_add_knot(struct syn_sync *sync, struct syn_knot knot);
/* Keep a measured offset, and make it a knot: its own bounds and the peer's added up. */
void syn_add_point(struct syn_sync *sync, int peer, const struct syn_point *point,
                   int64_t peer_bound_ns);
/* Take note of a round trip with the peer that offsets are measured against. */
void syn_note_rtt(struct syn_sync *sync, int peer, int64_t rtt_ns);
/* Everyone, along a tree over the whole transport (`ranks` NULL) or over `count` given ranks. */
void syn_measure_tree(struct syn_sync *sync, enum syn_tree_kind kind,
                      const struct syn_rank_set *ranks, int index, int count);

/* --- the methods --- */
void syn_none(struct syn_sync *sync);
void syn_linear_measure(struct syn_sync *sync);   /* measure of the methods in O(p) */
void syn_top_down_measure(struct syn_sync *sync); /* ... in O(log p) */
void syn_skampi(struct syn_sync *sync);           /* begin and measure are one */
void syn_netgauge_begin(struct syn_sync *sync);
void syn_jk_begin(struct syn_sync *sync);
void syn_hca_begin(struct syn_sync *sync);
void syn_hca2_begin(struct syn_sync *sync);
void syn_hca3_begin(struct syn_sync *sync);
void syn_auto_begin(struct syn_sync *sync);
void syn_auto_measure(struct syn_sync *sync);

#endif
