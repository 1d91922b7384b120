/* sync/methods/session.h - members of struct syn_sync, and functions that the methods share.
 * Private to sync/. */
#ifndef SYN_SESSION_H
#define SYN_SESSION_H

#include <stdint.h>

#include "sync/methods/group.h"
#include "sync/methods/link.h"
#include "sync/methods/model.h"
#include "sync/methods/sync.h"
#include "sync/ranks/tree.h"

/* Ping-pongs for one offset, and for one round trip: N_PINGPONGS of Hunold & Carpen-Amarie 2015,
 * Algorithms 7 and 17. */
#define SYN_PINGPONG_COUNT 100
/* Netgauge pings until SYN_PINGPONG_COUNT in a row bring no shorter round trip. This limit ends it
 * on a link that keeps getting faster. */
#define SYN_NETGAUGE_LIMIT 10000
#define SYN_WARMUP_COUNT   10
/* A measurement that was disturbed continues with SYN_RETRY_COUNT ping-pongs at a time, after a
 * pause in which other processes can run, until round trips are as short as the best known ones, or
 * time is up. */
#define SYN_RETRY_COUNT    10
#define SYN_RETRY_LIMIT    200
#define SYN_RETRY_PAUSE_NS 1000000
#define SYN_EXCHANGE_LIMIT (SYN_PINGPONG_COUNT + SYN_RETRY_LIMIT * SYN_RETRY_COUNT)
/* Time limit of a reference for all ranks that it serves: at begin and end, and in between. */
#define SYN_RETRY_END_NS     500000000
#define SYN_RETRY_BETWEEN_NS 20000000

/* A method: how it makes the model at begin, and how it measures again. The table is in sync.c.
 * Errors are left in the link. */
struct syn_method {
    const char *name;
    enum syn_tree_kind tree; /* tree of references; for the quality record */
    void (*begin)(struct syn_sync *sync);
    void (*measure)(struct syn_sync *sync);
};

struct syn_sync {
    struct syn_sync_options options;
    struct syn_clock_identity identity;
    const struct syn_sync_known *known; /* during begin; or NULL */
    const struct syn_method *method;
    struct syn_link link;
    struct syn_timeline timeline;
    struct syn_sync_quality quality;
    struct syn_fitpoint *fitpoints; /* [fitpoint_count] */
    size_t fitpoint_count;
    size_t fitpoint_capacity;
    struct syn_exchange *exchanges; /* scratch: max(exchange_count, SYN_EXCHANGE_LIMIT) */
    int64_t best_rtt_ns;            /* shortest round trip with the peer that was pinged last */
    int best_rtt_peer;              /* that peer; 0: none */
    int64_t measure_start_ns;       /* start of the current measurement */
    int served_count, serve_limit;  /* ranks served in it, and their largest number */
    struct syn_model learned;       /* AUTO, in begin: model against rank 0 from the turns */
    bool has_learned;               /* `learned` is valid */
    double slope_error;       /* AUTO: standard error of the slope learned in begin; 0: unknown */
    struct syn_point *points; /* scratch: fitpoint_count + 1 */
    struct syn_clock_groups groups; /* AUTO only */
    enum syn_tree_kind offset_tree; /* AUTO: how leaders' offsets are measured; chosen by rank 0 */
    int32_t stage;                  /* stage of the fitpoints being taken */
};

/* --- ping-pong (pingpong.c): one rank pings, the other echoes; both with the same count --- */

/* Ping `count` times; the exchanges go to `out` [count]. */
void syn_ping(struct syn_link *link, int peer, int count, struct syn_exchange *out);
/* Like syn_ping; each message has the best round trip so far, so that the peer can judge the new
 * ones. */
void syn_ping_with_best(struct syn_link *link, int peer, int count, int64_t best_rtt_ns,
                        struct syn_exchange *out);
/* Answer pings with the own clock, or with the global clock of `stamps` unless that is NULL. */
void syn_echo(struct syn_link *link, int peer, int count, const struct syn_timeline *stamps);
/* Like syn_echo, for syn_ping_with_best. Returns true if the shortest round trip, seen from here,
 * is about as short as the best one of the peer. */
bool syn_echo_judging(struct syn_link *link, int peer, int count,
                      const struct syn_timeline *stamps);
/* Echo and learn: the peer's stamp lies between our previous reply and its arrival (slip 1). The
 * exchanges go to `out` [count - 1]. */
void syn_echo_learning(struct syn_link *link, int peer, int count, struct syn_exchange *out);
/* Netgauge: ping until round trips get no shorter. Returns the tightest exchange. */
struct syn_exchange syn_ping_until_settled(struct syn_link *link, int peer);
void syn_echo_until_settled(struct syn_link *link, int peer);

/* --- learning from a peer (learn.c): learn on the client, serve on its reference --- */

/* jk and hca: a least-squares line through median points, with its own intercept. Source: Hunold &
 * Carpen-Amarie 2015, Algorithm 4. */
struct syn_model syn_learn_line(struct syn_sync *sync, int peer);
void syn_serve_line(struct syn_sync *sync, int peer, const struct syn_timeline *stamps);
/* The reference's side of measuring a round trip: Hunold & Carpen-Amarie 2015, Algorithm 17. */
void syn_serve_rtt(struct syn_sync *sync, int peer);
/* Move a line of known slope to an offset measured by SKaMPI's bounds: Hunold & Carpen-Amarie 2015,
 * Algorithm 4, Compute_And_Set_Intercept. */
void syn_learn_intercept(struct syn_sync *sync, int peer, struct syn_model *model);
void syn_serve_intercept(struct syn_sync *sync, int peer, const struct syn_timeline *stamps);
/* Keep raw measurements for the trace. */
void syn_keep_point(struct syn_sync *sync, int peer, const struct syn_point *point);
void syn_keep_points(struct syn_sync *sync, int peer, const struct syn_point *points, int count);

/* --- the timeline of this rank (knots.c) --- */

/* Set the timeline to `model`. */
void syn_set_model(struct syn_sync *sync, const struct syn_model *model);
/* Add a measured offset. The outer slopes follow the newest chord once that is known better than
 * the learned slope; the wander grows if the chord shows more. */
void syn_add_knot(struct syn_sync *sync, struct syn_knot knot);
/* Keep a measured offset and add it as a knot; its half width includes the peer's bound. */
void syn_add_point(struct syn_sync *sync, int peer, const struct syn_point *point,
                   int64_t peer_bound_ns);
/* Remember a round trip with the current peer. */
void syn_note_rtt(struct syn_sync *sync, int peer, int64_t rtt_ns);
/* Measure along a tree over the whole transport (`ranks` NULL), or over `count` ranks of
 * `ranks`. */
void syn_measure_tree(struct syn_sync *sync, enum syn_tree_kind kind,
                      const struct syn_rank_set *ranks, int index, int count);

/* --- the methods --- */
void syn_none(struct syn_sync *sync);
void syn_linear_measure(struct syn_sync *sync);   /* measure(), with O(p) rounds */
void syn_top_down_measure(struct syn_sync *sync); /* measure(), with O(log p) rounds */
void syn_skampi(struct syn_sync *sync);           /* both begin and measure */
void syn_netgauge_begin(struct syn_sync *sync);
void syn_jk_begin(struct syn_sync *sync);
void syn_hca_begin(struct syn_sync *sync);
void syn_hca2_begin(struct syn_sync *sync);
void syn_hca3_begin(struct syn_sync *sync);
void syn_auto_begin(struct syn_sync *sync);
void syn_auto_measure(struct syn_sync *sync);

#endif
