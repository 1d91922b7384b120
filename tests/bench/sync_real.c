/* tests/bench/sync_real.c - every method of synchronization over real MPI messages, on clocks with
 * a known error: seconds, messages, and how wrong the global times are.
 *
 * usage: sync_real [-m METHOD[:FITPOINTSxEXCHANGES],...] [-f FITPOINTS] [-e EXCHANGES]
 *                  [-b BUDGET_S] [-r ROUNDS] [-w RUN_S] [-s SKEW] [-l LABEL]      (under mpirun)
 *
 * All ranks read one hardware clock (hosts of tests/lab are one machine), each through its own skew
 * (sync/time/clock_skew.h; default: up to 1 s and 20 ppm). The error of a global time is exact:
 * rank r's timeline at c_r(T) against rank 0's at c_0(T), for any instant T, also for one in the
 * future. So the errors 0, 5 and 10 s after syn_sync_begin (what the method alone predicts) take no
 * waiting; the error in mid-run after syn_sync_end (interpolated) does: RUN_S seconds for all
 * methods together.
 *
 * Rank 0 prints CSV, a line for each round and method; errors are those of the worst rank:
 *     label,ranks,round,method,fitpoints,exchanges,begin_s,end_s,messages,error_0s_ns,error_5s_ns,
 *     error_10s_ns,bound_0s_ns,bound_10s_ns,error_mid_ns,bound_mid_ns,barrier_skew_ns
 * where barrier_skew_ns is the line to beat: how far apart the ranks leave an MPI_Barrier, median.
 */
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sync/methods/sync.h"
#include "sync/time/clock_skew.h"

enum { TAG = 7, BARRIER_COUNT = 101, ROUNDING_NS = 4, TRIES_BEFORE_YIELD = 100, TRIALS_MAX = 32 };

static const double horizons_s[] = {0, 5, 10};

static int64_t exceeded_count; /* errors of this rank beyond their bound */

struct options {
    struct syn_sync_options sync;
    const char *methods;
    const char *skew;
    const char *label;
    int round_count;
    double run_s;
};

struct world {
    int rank;
    int size;
    struct syn_transport transport;
    struct syn_tick_source source;
    struct syn_clock_identity identity;
    struct syn_skewed_clock skewed;
    struct syn_clock clock;
    struct syn_clock_skew root_skew; /* both without jitter */
    struct syn_clock_skew own_skew;
};

/* One method, begun and to be ended. */
struct trial {
    struct syn_sync_options options;
    struct syn_sync *sync;
    struct syn_timeline first; /* as begin left it: what the method alone predicts */
    int64_t begun_ns;          /* true time when the last rank had begun */
    int64_t ended_ns;
};

static int64_t true_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t latest_ns(int64_t own_ns)
{
    int64_t latest;
    MPI_Allreduce(&own_ns, &latest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return latest;
}

static int transport_send(void *ctx, int peer_rank, const void *data, size_t bytes)
{
    (void)ctx;
    return MPI_Send(data, (int)bytes, MPI_BYTE, peer_rank, TAG, MPI_COMM_WORLD) == MPI_SUCCESS
               ? SYN_OK
               : SYN_ETRANSPORT;
}

/* As the injected library does: a blocking receive that spins would keep the sender off the core.
 */
static int transport_recv(void *ctx, int peer_rank, void *data, size_t bytes)
{
    MPI_Request request;
    int done = 0;
    (void)ctx;
    MPI_Irecv(data, (int)bytes, MPI_BYTE, peer_rank, TAG, MPI_COMM_WORLD, &request);
    for (int tries = 0; !done; tries++) {
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (!done && tries >= TRIES_BEFORE_YIELD)
            sched_yield();
    }
    return SYN_OK;
}

static void give_up(const char *what)
{
    fprintf(stderr, "sync_real: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void world_open(struct world *world, const char *skew)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world->size);
    world->transport = (struct syn_transport){
        .rank = world->rank, .size = world->size, .send = transport_send, .recv = transport_recv};
    if (syn_tick_source_init(&world->source, SYN_CLOCK_MONOTONIC_RAW, NULL, 0) < 0 ||
        syn_clock_identity_read(&world->source, &world->identity) < 0)
        give_up("no clock");
    world->skewed.inner = syn_tick_source_clock(&world->source);
    if (syn_clock_skew_parse(skew, world->rank, &world->skewed.skew) < 0 ||
        syn_clock_skew_parse(skew, 0, &world->root_skew) < 0)
        give_up("not a skew");
    world->own_skew = world->skewed.skew;
    world->own_skew.jitter_ns = world->root_skew.jitter_ns = 0;
    syn_clock_skew_identity(&world->skewed.skew, &world->identity);
    world->clock = syn_skewed_clock(&world->skewed);
}

/* Rank 0's timeline is known to all: its first knot and slopes are sent around. */
static void share_root_timeline(const struct world *world, const struct syn_timeline *own,
                                struct syn_timeline *root)
{
    uint64_t knot_count = world->rank == 0 ? own->knot_count : 0;
    MPI_Bcast(&knot_count, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    struct syn_knot *knots = calloc(knot_count + 1, sizeof *knots);
    struct syn_timeline plain = *own;
    if (!knots)
        give_up("no memory");
    if (world->rank == 0)
        memcpy(knots, own->knots, knot_count * sizeof *knots);
    MPI_Bcast(knots, (int)(knot_count * sizeof *knots), MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&plain, (int)sizeof plain, MPI_BYTE, 0, MPI_COMM_WORLD);
    *root = plain;
    root->knots = knots;
    root->knot_count = knot_count;
}

struct error {
    int64_t error_ns;
    int64_t bound_ns;
};

/* Error of the worst rank at true time `at_ns`; valid on rank 0. */
static struct error worst_error(const struct world *world, const struct syn_timeline *own,
                                int64_t at_ns)
{
    struct syn_timeline root;
    share_root_timeline(world, own, &root);
    syn_local_time local = {syn_clock_skew_apply(&world->own_skew, at_ns)};
    syn_local_time root_local = {syn_clock_skew_apply(&world->root_skew, at_ns)};
    int64_t error_ns =
        syn_timeline_global(own, local).ns - syn_timeline_global(&root, root_local).ns;
    int64_t figures_ns[2] = {llabs(error_ns), syn_timeline_bound_ns(own, local)};
    int64_t worst_ns[2] = {0};
    if (figures_ns[0] > figures_ns[1] + ROUNDING_NS) {
        exceeded_count++;
        fprintf(stderr, "sync_real: rank %d: error %lld ns exceeds its bound of %lld ns\n",
                world->rank, (long long)figures_ns[0], (long long)figures_ns[1]);
    }
    MPI_Reduce(figures_ns, worst_ns, 2, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    free(root.knots);
    return (struct error){.error_ns = worst_ns[0], .bound_ns = worst_ns[1]};
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Median over barriers of the last exit minus the first, by the true clock. */
static int64_t barrier_skew_ns(void)
{
    int64_t skews_ns[BARRIER_COUNT];
    for (int i = 0; i < BARRIER_COUNT; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        int64_t exit_ns = true_now_ns();
        skews_ns[i] = latest_ns(exit_ns) + latest_ns(-exit_ns);
    }
    qsort(skews_ns, BARRIER_COUNT, sizeof *skews_ns, ascending);
    return skews_ns[BARRIER_COUNT / 2];
}

static void trial_begin(const struct world *world, struct trial *trial)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (syn_sync_begin(&trial->options, &world->transport, &world->clock, world->identity,
                       &trial->sync) < 0)
        give_up("a method failed");
    syn_timeline_init(&trial->first);
    if (syn_timeline_copy(&trial->first, syn_sync_timeline(trial->sync)) < 0)
        give_up("no memory");
    trial->begun_ns = latest_ns(true_now_ns());
}

static void trial_end(struct trial *trial)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (syn_sync_end(trial->sync) < 0)
        give_up("a method failed");
    trial->ended_ns = latest_ns(true_now_ns());
}

static int64_t sum(int64_t own)
{
    int64_t total = 0;
    MPI_Reduce(&own, &total, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return total;
}

static void trial_report(const struct world *world, const struct options *options, int round,
                         const struct trial *trial, int64_t barrier_ns)
{
    struct error errors[3];
    for (int i = 0; i < 3; i++)
        errors[i] =
            worst_error(world, &trial->first, trial->begun_ns + (int64_t)(horizons_s[i] * 1e9));
    struct error mid = worst_error(world, syn_sync_timeline(trial->sync),
                                   trial->begun_ns + (trial->ended_ns - trial->begun_ns) / 2);
    const struct syn_sync_quality *quality = syn_sync_quality(trial->sync);
    int64_t begin_ns = latest_ns(quality->begin_ns), end_ns = latest_ns(quality->end_ns);
    int64_t message_count = sum(quality->message_count);
    if (world->rank != 0)
        return;
    printf("%s,%d,%d,%s,%d,%d,%.4f,%.4f,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld\n",
           options->label, world->size, round, syn_sync_method_name(trial->options.method),
           trial->options.fitpoint_count, trial->options.exchange_count, (double)begin_ns / 1e9,
           (double)end_ns / 1e9, (long long)message_count, (long long)errors[0].error_ns,
           (long long)errors[1].error_ns, (long long)errors[2].error_ns,
           (long long)errors[0].bound_ns, (long long)errors[2].bound_ns, (long long)mid.error_ns,
           (long long)mid.bound_ns, (long long)barrier_ns);
    fflush(stdout);
}

/* All methods begin, the run passes, all end: so they share one run, and its disturbances. */
static void round_of_trials(const struct world *world, const struct options *options, int round,
                            struct trial *trials, int trial_count)
{
    int64_t barrier_ns = barrier_skew_ns();
    for (int i = 0; i < trial_count; i++)
        trial_begin(world, &trials[(i + round) % trial_count]);
    usleep((useconds_t)(options->run_s * 1e6));
    for (int i = 0; i < trial_count; i++)
        trial_end(&trials[(i + round) % trial_count]);
    for (int i = 0; i < trial_count; i++) {
        trial_report(world, options, round, &trials[i], barrier_ns);
        syn_timeline_free(&trials[i].first);
        syn_sync_free(trials[i].sync);
    }
}

static bool parse(int argc, char **argv, struct options *options)
{
    *options = (struct options){.methods = "auto,hca,hca2,hca3,jk,skampi,netgauge",
                                .skew = "seed=12,offset_ns=1e9,drift_ppm=20",
                                .label = "",
                                .round_count = 1,
                                .run_s = 10};
    syn_sync_options_default(&options->sync);
    for (int option; (option = getopt(argc, argv, "m:f:e:b:r:w:s:l:")) != -1;)
        switch (option) {
        case 'm':
            options->methods = optarg;
            break;
        case 'f':
            options->sync.fitpoint_count = atoi(optarg);
            break;
        case 'e':
            options->sync.exchange_count = atoi(optarg);
            break;
        case 'b':
            options->sync.budget_s = atof(optarg);
            break;
        case 'r':
            options->round_count = atoi(optarg);
            break;
        case 'w':
            options->run_s = atof(optarg);
            break;
        case 's':
            options->skew = optarg;
            break;
        case 'l':
            options->label = optarg;
            break;
        default:
            return false;
        }
    return optind == argc && options->run_s >= 0 && options->run_s <= 1000;
}

/* "hca:1000x10", or "hca" with what all have. Returns whether it is that. */
static bool parse_trial(char *text, struct trial *trial)
{
    char *colon = strchr(text, ':');
    if (colon) {
        char rest;
        *colon = '\0';
        if (sscanf(colon + 1, "%dx%d%c", &trial->options.fitpoint_count,
                   &trial->options.exchange_count, &rest) != 2)
            return false;
    }
    return syn_sync_method_parse(text, &trial->options.method) >= 0;
}

/* "auto,hca3:400x10" into trials; returns how many, or -1. */
static int parse_methods(const struct options *options, struct trial trials[TRIALS_MAX])
{
    char names[512];
    char *rest = names;
    int count = 0;
    snprintf(names, sizeof names, "%s", options->methods);
    for (char *name; (name = strsep(&rest, ",")) != NULL; count++) {
        if (count == TRIALS_MAX)
            return -1;
        trials[count].options = options->sync;
        if (!parse_trial(name, &trials[count]))
            return -1;
    }
    return count;
}

int main(int argc, char **argv)
{
    struct options options;
    struct trial trials[TRIALS_MAX] = {0};
    static struct world world;
    MPI_Init(&argc, &argv);
    int trial_count = parse(argc, argv, &options) ? parse_methods(&options, trials) : -1;
    if (trial_count < 1)
        give_up("wrong usage");
    world_open(&world, options.skew);
    for (int round = 0; round < options.round_count; round++)
        round_of_trials(&world, &options, round, trials, trial_count);
    MPI_Finalize();
    return exceeded_count > 0;
}
