/* tests/unit/sync/sim_net.h - simulated ranks: coroutines with a virtual time of their own, a
 * network with known delays, clocks with a known error. Minutes of drift cost nothing.
 *
 *     struct sim_net *net = sim_net_new(&(struct sim_options){.ranks = 8, .drift_ppm = 20});
 *     sim_net_run(net, body, argument);         // body(net, rank, argument) on every rank
 *     sim_net_pass(net, 10e9);                  // ten seconds go by
 *     error = global - sim_net_true_ns(net);    // exact
 *     sim_net_free(net);
 *
 * Ranks meet in messages only, received from a named sender in order: each rank can run ahead until
 * it waits for a message, and time stays causal. Everything is drawn from `seed`. */
#ifndef SIM_NET_H
#define SIM_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/ranks/transport.h"
#include "sync/time/clock.h"
#include "sync/time/identity.h"

struct sim_options {
    int ranks;
    unsigned seed;
    /* Clocks. Rank 0's too, all uniform in +- these. */
    double offset_ns;
    double drift_ppm;
    double wander_ns;         /* amplitude of a sine with a period and a phase of the rank's own, */
    double wander_period_s;   /*   0.5 to 1.5 times this */
    double clock_jitter_ns;   /* a read is late by up to this */
    double warm_ppm;          /* all but those of rank 0's host change their drift by this, */
    double warm_at_s, warm_s; /*   evenly from here on over so long */
    int ranks_per_host;       /* ranks of one host share all of the above; 0 or 1: nobody shares */
    bool lying_identity;      /* all ranks claim to share a clock */
    /* Network. 0: 2 us, or 200 ns within a host. */
    double latency_ns;
    double byte_ns;   /* a sender is busy for so long with each byte */
    double jitter_ns; /* mean of an exponential delay on top */
    double asymmetry; /* towards higher ranks a message takes (1 + this) times the latency */
    double spike_probability; /* of a message late by ... */
    double spike_ns;
    bool rendezvous; /* a send returns when the message has been received */
    /* One rank that stands still. */
    int stalled_rank;
    double stall_start_ns;
    double stall_ns;
    /* Ranks that share processors with others: each runs for preempt_run_ns on average, then stands
     * still for preempt_wait_ns; after a sleep it begins with a turn of its own. 0: never. */
    double preempt_run_ns;
    double preempt_wait_ns;
    /* Times at which ranks share one processor and have to hand it over for every message: each
     * stretch of slow_period_ns is one with this probability, and then messages are late by
     * slow_ns, half of it at least. */
    double slow_share;
    double slow_period_ns;
    double slow_ns;
    /* Ways that stop being alike: in each stretch of lean_period_ns messages of one of the two
     * directions are late by the same time, evenly from 0 to this; both drawn anew for each. */
    double lean_ns;
    double lean_period_ns;
    /* Message number fail_at (1 the first) that fail_rank receives, and those that follow, are lost
     * with an error. */
    int fail_rank;
    int fail_at;    /* 0: never */
    int fail_count; /* how many */
};

struct sim_net;

struct sim_net *sim_net_new(const struct sim_options *options);
void sim_net_free(struct sim_net *net);

/* Run `body` on every rank until all have returned. False: deadlock (all wait for one another). */
bool sim_net_run(struct sim_net *net, void (*body)(struct sim_net *net, int rank, void *argument),
                 void *argument);
/* Bring all ranks to the latest one's time, and let `duration_ns` pass. */
void sim_net_pass(struct sim_net *net, double duration_ns);

/* The next message that `rank` receives is lost. */
void sim_net_lose_next(struct sim_net *net, int rank);

/* For a rank's body. */
struct syn_transport sim_net_transport(struct sim_net *net, int rank);
struct syn_clock sim_net_clock(struct sim_net *net, int rank);
struct syn_clock_identity sim_net_identity(const struct sim_net *net, int rank);

/* True time: that of the latest rank. */
double sim_net_now_ns(const struct sim_net *net);
double sim_net_rank_now_ns(const struct sim_net *net, int rank);
/* Returns the time of the rank's clock at a true time, no jitter. */
int64_t sim_net_clock_at(const struct sim_net *net, int rank, double true_ns);
/* By how much the global time of `local` is off: rank 0's clock is the truth. */
int64_t sim_net_error_ns(const struct sim_net *net, int rank, double true_ns,
                         const struct syn_timeline *timeline);
/* Return what the rank has sent. */
int64_t sim_net_message_count(const struct sim_net *net, int rank);
int64_t sim_net_byte_count(const struct sim_net *net, int rank);

#endif
