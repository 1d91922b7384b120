/* tests/bench/sync_plane.c - offset against duration of the synchronization (Hunold & Carpen-Amarie
 * 2015, Fig. 6, 7 and 8), recomputed on a simulated network, where the truth is known and a minute
 * costs nothing.
 *
 * bench_sync_plane [RANKS [RUNS [RANKS_PER_HOST]]] > plane.csv      (64, 10, 1)
 * One line per method, parameters and run: how long it took, messages sent, and the largest error
 * of any rank at once, after 5, 10, 20 s by its own prediction, mid-run once measured again at 20
 * s, and the largest stated bound then. The baseline is the exit skew of a dissemination barrier.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_sync.h"

struct parameters {
    enum syn_sync_method method;
    int fitpoint_count;
    int exchange_count;
    double budget_s;
};

static const struct parameters plane[] = {
    {SYN_SYNC_SKAMPI, 2, 1, 0},    {SYN_SYNC_NETGAUGE, 2, 1, 0},  {SYN_SYNC_JK, 10, 10, 0},
    {SYN_SYNC_JK, 100, 10, 0},     {SYN_SYNC_JK, 300, 10, 0},     {SYN_SYNC_JK, 1000, 10, 0},
    {SYN_SYNC_HCA, 10, 10, 0},     {SYN_SYNC_HCA, 100, 10, 0},    {SYN_SYNC_HCA, 1000, 10, 0},
    {SYN_SYNC_HCA, 1000, 100, 0},  {SYN_SYNC_HCA2, 10, 10, 0},    {SYN_SYNC_HCA2, 100, 10, 0},
    {SYN_SYNC_HCA2, 1000, 10, 0},  {SYN_SYNC_HCA2, 1000, 100, 0}, {SYN_SYNC_HCA3, 10, 10, 0},
    {SYN_SYNC_HCA3, 100, 10, 0},   {SYN_SYNC_HCA3, 1000, 10, 0},  {SYN_SYNC_HCA3, 1000, 100, 0},
    {SYN_SYNC_AUTO, 20, 10, 0.05}, {SYN_SYNC_AUTO, 50, 10, 0.2},  {SYN_SYNC_AUTO, 100, 10, 0.5},
    {SYN_SYNC_AUTO, 200, 10, 2},
};

/* InfiniBand by its figures: 1.5 us one way, some of it jitter, few late messages. */
static struct sim_options network(int ranks, int ranks_per_host, unsigned seed)
{
    return (struct sim_options){.ranks = ranks,
                                .seed = seed,
                                .offset_ns = 1e9,
                                .drift_ppm = 20,
                                .wander_ns = 10,
                                .wander_period_s = 20,
                                .clock_jitter_ns = 10,
                                .ranks_per_host = ranks_per_host,
                                .latency_ns = 1500,
                                .jitter_ns = 200,
                                .asymmetry = 0.05,
                                .spike_probability = 0.001,
                                .spike_ns = 50000};
}

static void dissemination_barrier(struct sim_net *net, int rank, void *exits)
{
    const struct syn_transport transport = sim_net_transport(net, rank);
    char token = 0;

    for (int step = 1; step < transport.size; step *= 2) {
        transport.send(transport.ctx, (rank + step) % transport.size, &token, 1);
        transport.recv(transport.ctx, (rank + transport.size - step) % transport.size, &token, 1);
    }
    ((double *)exits)[rank] = sim_net_rank_now_ns(net, rank);
}

static double barrier_exit_skew_ns(struct sim_net *net, int ranks)
{
    double *exits = calloc((size_t)ranks, sizeof *exits), first = INFINITY, last = 0;

    sim_net_run(net, dissemination_barrier, exits);
    for (int rank = 0; rank < ranks; rank++) {
        first = fmin(first, exits[rank]);
        last = fmax(last, exits[rank]);
    }
    free(exits);
    return last - first;
}

static void print_run(const struct parameters *at, const struct sim_options *net_options, int run)
{
    struct syn_sync_options options = sim_sync_options(at->method);
    struct sim_net *net = sim_net_new(net_options);
    struct sim_coverage coverage = {0};
    struct sim_sync sync;
    int64_t messages = 0;

    options.fitpoint_count = at->fitpoint_count;
    options.exchange_count = at->exchange_count;
    options.budget_s = at->budget_s;
    sim_sync_begin(&sync, net, &options);
    const double t0 = sim_net_now_ns(net);
    for (int rank = 0; rank < net_options->ranks; rank++)
        messages += sim_net_message_count(net, rank);
    printf("%s,%d,%d,%g,%d,%d,%.6f,%ld", syn_sync_method_name(at->method), at->fitpoint_count,
           at->exchange_count, at->budget_s, net_options->ranks, run, sync.begin_ns / 1e9,
           (long)messages);
    for (int s = 0; s <= 20; s = s == 0 ? 5 : 2 * s)
        printf(",%ld", (long)sim_sync_worst_ns(&sync, t0 + s * 1e9, true));
    sim_net_pass(net, 20e9);
    sim_sync_end(&sync);
    sim_sync_cover(&sync, t0, t0 + 20e9, 20, false, &coverage);
    printf(",%ld,%ld,%ld\n", (long)sim_sync_worst_ns(&sync, t0 + 10e9, false),
           (long)coverage.worst_bound_ns, (long)coverage.outside_count);
    sim_sync_free(&sync);
    sim_net_free(net);
}

static int argument(int argc, char **argv, int index, int fallback)
{
    const int value = argc > index ? atoi(argv[index]) : fallback;

    if (value >= 1)
        return value;
    fprintf(stderr, "usage: %s [RANKS [RUNS [RANKS_PER_HOST]]]\n", argv[0]);
    exit(2);
}

int main(int argc, char **argv)
{
    const int ranks = argument(argc, argv, 1, 64), runs = argument(argc, argv, 2, 10);
    const int ranks_per_host = argument(argc, argv, 3, 1);

    printf(
        "method,fitpoints,exchanges,budget_s,ranks,run,duration_s,messages,error_0s_ns,error_5s_ns,"
        "error_10s_ns,error_20s_ns,error_midrun_ns,bound_ns,outside_bound\n");
    for (int run = 0; run < runs; run++) {
        const struct sim_options net_options = network(ranks, ranks_per_host, (unsigned)run + 1);
        struct sim_net *net = sim_net_new(&net_options);
        sim_net_pass(net, 0);
        const double skew_ns = barrier_exit_skew_ns(net, ranks);
        sim_net_free(net);
        printf("barrier,,,,%d,%d,,,%.0f,%.0f,%.0f,%.0f,%.0f,,\n", ranks, run, skew_ns, skew_ns,
               skew_ns, skew_ns, skew_ns);
        for (size_t i = 0; i < sizeof plane / sizeof plane[0]; i++)
            print_run(&plane[i], &net_options, run);
        fflush(stdout);
    }
    return 0;
}
