/* tests/bench/startup_exchange_scale.c - the cost of the beginning and the end of a run with very
 * many ranks: the recorder's own messages, over simulated ranks in virtual time (docs/size.md).
 *
 *     startup_exchange_scale RANKS RANKS_PER_HOST [turns]
 *
 * Prints a line for each step and one for the sum: messages and bytes that all ranks send; messages
 * and bytes that rank 0, and the busiest of the others, send and receive; virtual milliseconds.
 * Messages are counted as transport_pmpi.c cuts them. A message takes 2 us between hosts and 0.2 us
 * within one, its sender 0.1 us and 0.1 ns for each byte, its receiver 0.1 us. With `turns` ranks
 * are dealt to hosts in turns, else in blocks. With `turns` only the startup exchange is simulated,
 * since simulated clocks belong to blocks. The trace's files are not included: a rank of a host
 * sends the host's first rank two words and receives two (preload/run/node_output.c). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/base/say.h"
#include "preload/clocks/startup_exchange.h"
#include "preload/facts/factors.h"
#include "preload/facts/topology.h"
#include "preload/run/agree.h"
#include "sync/base/integers.h"
#include "sync/ranks/collect.h"
#include "tests/unit/sync/sim_net.h"

#define PART_BYTES 2048 /* as transport_pmpi.c */

struct counts {
    int64_t messages, bytes;
};

struct rank {
    struct counts sent, work; /* work: sent and received */
    struct syn_transport below;
    struct syn_clock_groups groups;
    struct syn_sync *sync;
};

struct bench {
    int size, per_host;
    bool turns;
    struct rank *ranks;         /* [size] */
    struct counts *before_work; /* [size] at the beginning of the step */
    struct counts before_sent;
};

/* ---- what a recorded process has around it ---- */

void syn_say(enum syn_cause cause, const char *format, ...)
{
    (void)cause;
    (void)format;
}

/* As many bytes as a host of 64 cores tells; the topology is of no size by itself. */
void syn_factors_of_host(int (*emit)(void *ctx, const char *key, const char *value), void *ctx)
{
    char value[41];
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < 30; i++)
        emit(ctx, "host.a_factor", value);
}

void syn_machine_read(struct syn_machine *out)
{
    memset(out, 0, sizeof *out);
}

size_t syn_machine_bytes(const struct syn_machine *machine)
{
    (void)machine;
    return 1024;
}

void syn_topology_collect(const struct syn_machine *machine,
                          int (*emit)(void *ctx, const char *key, const char *value), void *ctx)
{
    (void)machine;
    (void)emit;
    (void)ctx;
}

/* ---- messages, counted ---- */

static void count(struct counts *counts, size_t bytes)
{
    counts->messages++;
    counts->bytes += (int64_t)bytes;
}

static int counted_send(void *ctx, int peer, const void *data, size_t bytes)
{
    struct rank *rank = ctx;
    const char *at = data;
    do {
        const size_t part = bytes < PART_BYTES ? bytes : PART_BYTES;
        count(&rank->sent, part);
        count(&rank->work, part);
        rank->below.send(rank->below.ctx, peer, at, part);
        at += part;
        bytes -= part;
    } while (bytes > 0);
    return 0;
}

static int counted_recv(void *ctx, int peer, void *data, size_t bytes)
{
    struct rank *rank = ctx;
    char *at = data;
    do {
        const size_t part = bytes < PART_BYTES ? bytes : PART_BYTES;
        count(&rank->work, part);
        rank->below.recv(rank->below.ctx, peer, at, part);
        at += part;
        bytes -= part;
    } while (bytes > 0);
    return 0;
}

static struct syn_transport transport_of(struct bench *bench, struct sim_net *net, int number)
{
    struct rank *rank = &bench->ranks[number];
    rank->below = sim_net_transport(net, number);
    return (struct syn_transport){number, bench->size, counted_send, counted_recv, rank};
}

/* ---- the steps ---- */

static void make_proposal(struct syn_startup_proposal *proposal, void *ctx)
{
    (void)ctx;
    syn_options_read(&proposal->options);
    snprintf(proposal->top_directory, sizeof proposal->top_directory,
             "/scratch/project/user/run-1234567/syncopate-trace");
    snprintf(proposal->options.directory, sizeof proposal->options.directory, "%s",
             proposal->top_directory);
}

static void check(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "startup_exchange_scale: %s: %d\n", what, status);
    exit(1);
}

static void open_body(struct sim_net *net, int number, void *argument)
{
    struct bench *bench = argument;
    const struct syn_transport transport = transport_of(bench, net, number);
    const int host_count = (bench->size + bench->per_host - 1) / bench->per_host;
    const int host = bench->turns ? number % host_count : number / bench->per_host;
    const struct syn_introduction self = {
        .node_key = 7000 + (uint64_t)host,
        .offer = {.machine = 1000 + (uint64_t)host, .multiplier = 1 << 30}};
    struct syn_startup *startup = malloc(sizeof *startup);
    if (!startup)
        check(SYN_ENOMEM, "memory");
    check(syn_startup_exchange(&transport, &self, make_proposal, NULL, startup), "opening");
    bench->ranks[number].groups = startup->groups;
    startup->groups = (struct syn_clock_groups){0};
    syn_startup_free(startup);
    free(startup);
}

static struct syn_run run_of(struct bench *bench, struct sim_net *net, int number)
{
    return (struct syn_run){
        .rank = number, .size = bench->size, .transport = transport_of(bench, net, number)};
}

static void agree_body(struct sim_net *net, int number, void *argument)
{
    const struct syn_run run = run_of(argument, net, number);
    check(syn_run_agree(&run, 0, ""), "agreement");
}

static void clock_body(struct sim_net *net, int number, void *argument)
{
    struct bench *bench = argument;
    const struct syn_transport transport = transport_of(bench, net, number);
    const struct syn_clock clock = sim_net_clock(net, number);
    struct rank *rank = &bench->ranks[number];
    const struct syn_sync_known known = {.groups = &rank->groups};
    struct syn_sync_options options;
    int64_t epoch = 0;
    syn_sync_options_default(&options);
    check(syn_sync_begin_known(&options, &transport, &clock, &known, &rank->sync), "clock");
    check(syn_collect_broadcast(&transport, &epoch, sizeof epoch), "epoch");
}

static void clock_end_body(struct sim_net *net, int number, void *argument)
{
    struct bench *bench = argument;
    const struct syn_transport transport = transport_of(bench, net, number);
    double error = 0;
    check(syn_sync_end(bench->ranks[number].sync), "clock");
    check(syn_collect_broadcast(&transport, &error, sizeof error), "rate");
}

static void outcome_body(struct sim_net *net, int number, void *argument)
{
    const struct syn_run run = run_of(argument, net, number);
    const struct syn_outcome own = {.rank = number, .event_count = 10, .written_count = 1};
    if (syn_run_exchange(&run, own).event_count != 10 * (uint64_t)run.size)
        check(-1, "outcome");
}

/* ---- the table ---- */

static void print_line(const char *step, const struct bench *bench, struct counts sent,
                       const struct counts *before, double ms)
{
    struct counts most = {0}, root = {0};
    for (int number = 0; number < bench->size; number++) {
        const struct counts *work = &bench->ranks[number].work;
        const struct counts own = {work->messages - before[number].messages,
                                   work->bytes - before[number].bytes};
        if (number == 0)
            root = own;
        else
            most = (struct counts){syn_largest(most.messages, own.messages),
                                   syn_largest(most.bytes, own.bytes)};
    }
    printf("%d,%d,%s,%s,%lld,%lld,%lld,%lld,%lld,%lld,%.2f\n", bench->size, bench->per_host,
           bench->turns ? "turns" : "blocks", step, (long long)sent.messages, (long long)sent.bytes,
           (long long)root.messages, (long long)root.bytes, (long long)most.messages,
           (long long)most.bytes, ms);
    fflush(stdout);
}

static struct counts sent_by_all(const struct bench *bench)
{
    struct counts sum = {0};
    for (int number = 0; number < bench->size; number++) {
        sum.messages += bench->ranks[number].sent.messages;
        sum.bytes += bench->ranks[number].sent.bytes;
    }
    return sum;
}

static void step(struct bench *bench, struct sim_net *net, const char *name,
                 void (*body)(struct sim_net *net, int rank, void *argument))
{
    const struct counts before_sent = sent_by_all(bench);
    for (int number = 0; number < bench->size; number++)
        bench->before_work[number] = bench->ranks[number].work;
    sim_net_pass(net, 0); /* all begin at once */
    const double start_ns = sim_net_now_ns(net);
    if (!sim_net_run(net, body, bench))
        check(-1, name);
    struct counts sent = sent_by_all(bench);
    sent.messages -= before_sent.messages;
    sent.bytes -= before_sent.bytes;
    print_line(name, bench, sent, bench->before_work, (sim_net_now_ns(net) - start_ns) / 1e6);
}

int main(int argc, char **argv)
{
    struct bench bench = {.size = argc > 2 ? atoi(argv[1]) : 0,
                          .per_host = argc > 2 ? atoi(argv[2]) : 0,
                          .turns = argc > 3 && strcmp(argv[3], "turns") == 0};
    if (bench.size < 1 || bench.per_host < 1) {
        fprintf(stderr, "usage: startup_exchange_scale RANKS RANKS_PER_HOST [turns]\n");
        return 2;
    }
    bench.ranks = calloc((size_t)bench.size, sizeof *bench.ranks);
    bench.before_work = calloc((size_t)bench.size, sizeof *bench.before_work);
    struct sim_net *net = sim_net_new(&(struct sim_options){.ranks = bench.size,
                                                            .seed = 1,
                                                            .drift_ppm = 20,
                                                            .offset_ns = 1e9,
                                                            .byte_ns = 0.1,
                                                            .jitter_ns = 200,
                                                            .ranks_per_host = bench.per_host});
    if (!bench.ranks || !bench.before_work)
        check(SYN_ENOMEM, "memory");
    puts("ranks,per_host,dealt,step,messages,bytes,root_messages,root_bytes,most_messages,"
         "most_bytes,virtual_ms");
    step(&bench, net, "opening", open_body);
    if (!bench.turns) {
        step(&bench, net, "agreement", agree_body);
        step(&bench, net, "clocks", clock_body);
        step(&bench, net, "agreement", agree_body);
        step(&bench, net, "clocks at the end", clock_end_body);
        step(&bench, net, "outcome", outcome_body);
    }
    for (int number = 0; number < bench.size; number++) {
        syn_sync_free(bench.ranks[number].sync);
        syn_groups_free(&bench.ranks[number].groups);
    }
    sim_net_free(net);
    free(bench.ranks);
    free(bench.before_work);
    return 0;
}
