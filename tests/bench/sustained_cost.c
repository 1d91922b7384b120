/* tests/bench/sustained_cost.c - the cost of a call in a long run: of all calls, not only of most.
 * usage: sustained_cost barrier|allreduce|iallreduce|comm|sites|paths|apart|asleep CALLS [world
 * [THREADS]]; on MPI_COMM_SELF (or `self`), where the call does next to nothing, or on
 * MPI_COMM_WORLD; by each of THREADS threads on a communicator of its own. `sites`: from 10,000
 * call sites, `paths`: on 1,000 ways to one, each of which was there before; on MPI_COMM_SELF.
 * `apart`: an allreduce after 2 ms of work on memory each time, `asleep`: after a sleep of 2 ms.
 * Prints rank 0's "CALLS MEAN MEDIAN P99.9 P99.99 LONGEST" in nanoseconds, the time of calls beyond
 * 20 us each, in nanoseconds a call, and the mean of processor time (of calls apart: the mean), all
 * of its first thread.
 *
 *        sustained_cost again FILE...: prints "again COUNT P99.9 P99.99 FIRST LONGEST" of the
 * shortest time that each call took in any of several runs, which left their times there
 * (SYNCOPATE_BENCH_TIMES=FILE): the first call is MPI's own first, too; the longest is of all calls
 * after it.
 *
 * Each call is timed from the return of the call before to its own return, so that nothing a
 * recorder does lies outside: all variants read the counter once more. Durations are counted in
 * classes of 1 ns up to 64 us, and of 1 us above. The classes' pages are touched before the first
 * call: no memory is taken meanwhile. A machine that does other things, too, makes some call wait,
 * each time another one; a recorder that stops by count of calls stops at the same one each time.
 * So the shortest time of several runs, call by call, contains the recorder's stops, and not the
 * machine's; and processor time excludes time in which others had the processor. */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call_sites.h"
#include "sync/time/cpu.h"

#define FINE_COUNT   65536
#define COARSE_COUNT 65536 /* the last one: and longer */
#define LONG_STOP_NS 20000

struct counts {
    uint64_t fine[FINE_COUNT];
    uint64_t coarse[COARSE_COUNT];
    uint64_t calls;
    double sum_ns, long_ns, longest_ns, cpu_ns;
    uint32_t *each_ns; /* [calls], or NULL */
};

/* The work of one thread. */
struct job {
    struct counts *counts;
    long calls;
    MPI_Comm comm;
    void (*call)(struct counts *counts, long calls, MPI_Comm comm);
};

static double ns_a_tick;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* For a tenth of a second. */
static void find_rate(void)
{
    const double begin = seconds();
    const int64_t ticks = syn_cpu_counter();
    double now;
    do
        now = seconds();
    while (now - begin < 0.1);
    ns_a_tick = (now - begin) * 1e9 / (double)(syn_cpu_counter() - ticks);
}

static void count_one(struct counts *counts, double ns)
{
    const uint64_t coarse = (uint64_t)(ns / 1000);
    if (ns < FINE_COUNT)
        counts->fine[(uint64_t)ns]++;
    else
        counts->coarse[coarse < COARSE_COUNT ? coarse : COARSE_COUNT - 1]++;
    if (counts->each_ns)
        counts->each_ns[counts->calls] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
    counts->calls++;
    counts->sum_ns += ns;
    counts->long_ns += ns > LONG_STOP_NS ? ns - LONG_STOP_NS : 0;
    counts->longest_ns = ns > counts->longest_ns ? ns : counts->longest_ns;
}

static __attribute__((noinline)) void call_barrier(struct counts *counts, long calls, MPI_Comm comm)
{
    int64_t before = syn_cpu_counter();
    for (long i = 0; i < calls; i++) {
        MPI_Barrier(comm);
        const int64_t now = syn_cpu_counter();
        count_one(counts, (double)(now - before) * ns_a_tick);
        before = syn_cpu_counter();
    }
}

static __attribute__((noinline)) void call_allreduce(struct counts *counts, long calls,
                                                     MPI_Comm comm)
{
    double in = 1, out = 0;
    int64_t before = syn_cpu_counter();
    for (long i = 0; i < calls; i++) {
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
        const int64_t now = syn_cpu_counter();
        count_one(counts, (double)(now - before) * ns_a_tick);
        before = syn_cpu_counter();
    }
}

/* Works for 2 ms between two calls, as a program does. Its data replace the recorder's in the
 * caches. */
static void work_2_ms(void)
{
    static unsigned char memory[32 << 20];
    static size_t at;
    for (const double end = seconds() + 0.002; seconds() < end;)
        for (int i = 0; i < 1000; i++, at = (at + 4160) % sizeof memory)
            memory[at]++;
}

static void sleep_2_ms(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* Processor time is that of the calls alone, which asking for it would change. */
static inline __attribute__((always_inline)) void call_rarely(struct counts *counts, long calls,
                                                              MPI_Comm comm, void (*pause)(void))
{
    double in = 1, out = 0;
    for (long i = 0; i < calls; i++) {
        pause();
        const int64_t before = syn_cpu_counter();
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
        count_one(counts, (double)(syn_cpu_counter() - before) * ns_a_tick);
    }
    counts->cpu_ns = counts->sum_ns - cpu_seconds() * 1e9;
}

static __attribute__((noinline)) void call_apart(struct counts *counts, long calls, MPI_Comm comm)
{
    call_rarely(counts, calls, comm, work_2_ms);
}

static __attribute__((noinline)) void call_asleep(struct counts *counts, long calls, MPI_Comm comm)
{
    call_rarely(counts, calls, comm, sleep_2_ms);
}

/* A nonblocking one and its completion. */
static __attribute__((noinline)) void call_iallreduce(struct counts *counts, long calls,
                                                      MPI_Comm comm)
{
    double in = 1, out = 0;
    MPI_Request request;
    int64_t before = syn_cpu_counter();
    for (long i = 0; i < calls; i++) {
        MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        const int64_t now = syn_cpu_counter();
        count_one(counts, (double)(now - before) * ns_a_tick);
        before = syn_cpu_counter();
    }
}

/* Calls that learn their stacks come first, and do not count. */
static inline __attribute__((always_inline)) void
call_places(struct counts *counts, long calls, void (*call)(int), unsigned place_count)
{
    unsigned place = 0;
    int64_t before = syn_cpu_counter();
    for (long i = -(long)place_count; i < calls; i++) {
        if (i == 0)
            counts->cpu_ns = -cpu_seconds() * 1e9;
        call((int)place);
        place = next_place(place, place_count);
        const int64_t now = syn_cpu_counter();
        if (i >= 0)
            count_one(counts, (double)(now - before) * ns_a_tick);
        before = syn_cpu_counter();
    }
}

static __attribute__((noinline)) void call_sites(struct counts *counts, long calls, MPI_Comm comm)
{
    (void)comm;
    call_places(counts, calls, from_site, CALL_SITES);
}

static __attribute__((noinline)) void call_paths(struct counts *counts, long calls, MPI_Comm comm)
{
    (void)comm;
    call_places(counts, calls, by_path, CALL_SITES / 10);
}

/* Making and freeing a communicator. */
static __attribute__((noinline)) void call_comm(struct counts *counts, long calls, MPI_Comm comm)
{
    MPI_Comm made;
    int64_t before = syn_cpu_counter();
    for (long i = 0; i < calls; i++) {
        MPI_Comm_dup(comm, &made);
        MPI_Comm_free(&made);
        const int64_t now = syn_cpu_counter();
        count_one(counts, (double)(now - before) * ns_a_tick);
        before = syn_cpu_counter();
    }
}

static const struct {
    const char *name;
    void (*call)(struct counts *counts, long calls, MPI_Comm comm);
} kinds[] = {
    {"barrier", call_barrier}, {"allreduce", call_allreduce}, {"iallreduce", call_iallreduce},
    {"comm", call_comm},       {"sites", call_sites},         {"paths", call_paths},
    {"apart", call_apart},     {"asleep", call_asleep},       {NULL, NULL}};

static double quantile(const struct counts *counts, double share)
{
    const uint64_t wanted = (uint64_t)((double)counts->calls * share);
    uint64_t below = 0;
    for (long i = 0; i < FINE_COUNT; i++)
        if ((below += counts->fine[i]) > wanted)
            return (double)i;
    for (long i = 0; i < COARSE_COUNT; i++)
        if ((below += counts->coarse[i]) > wanted)
            return (double)i * 1000;
    return counts->longest_ns;
}

static void *work(void *argument)
{
    struct job *job = argument;
    job->counts->cpu_ns = -cpu_seconds() * 1e9;
    job->call(job->counts, job->calls, job->comm);
    job->counts->cpu_ns += cpu_seconds() * 1e9;
    return NULL;
}

/* One job a thread, the first one in this. */
static void work_all(struct job *jobs, int count)
{
    pthread_t threads[64];
    for (int i = 1; i < count; i++)
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    work(&jobs[0]);
    for (int i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
}

static struct counts *new_counts(long calls, int keep)
{
    struct counts *counts = malloc(sizeof *counts);
    uint32_t *each = keep ? malloc((size_t)calls * sizeof *each) : NULL;
    if (!counts || (keep && !each))
        exit(2);
    memset(counts, 0, sizeof *counts);
    if (each)
        memset(each, 1, (size_t)calls * sizeof *each);
    counts->each_ns = each;
    return counts;
}

static void save(const struct counts *counts, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(counts->each_ns, sizeof(uint32_t), counts->calls, file) != counts->calls ||
        fclose(file))
        exit(2);
}

/* The shortest of several runs, call by call. */
static int again(int count, char **paths)
{
    struct counts *counts = new_counts(0, 0);
    FILE *files[64];
    uint32_t ns, shortest, first = 0;
    bool is_first = true;
    for (int i = 0; i < count; i++)
        if (i >= 64 || !(files[i] = fopen(paths[i], "r")))
            return 2;
    for (bool more = true; more;) {
        shortest = UINT32_MAX;
        for (int i = 0; i < count && more; i++) {
            more = fread(&ns, sizeof ns, 1, files[i]) == 1;
            shortest = ns < shortest ? ns : shortest;
        }
        if (more && !is_first)
            count_one(counts, shortest);
        else if (more)
            first = shortest;
        is_first = false;
    }
    printf("again %lu %.0f %.0f %u %.0f\n", (unsigned long)counts->calls, quantile(counts, 0.999),
           quantile(counts, 0.9999), first, counts->longest_ns);
    return 0;
}

int main(int argc, char **argv)
{
    const char *times = getenv("SYNCOPATE_BENCH_TIMES");
    struct job jobs[64];
    int rank, provided;
    if (argc > 2 && strcmp(argv[1], "again") == 0)
        return again(argc - 2, argv + 2);
    const int threads = argc > 4 ? atoi(argv[4]) : 1;
    const long calls = argc > 2 ? atol(argv[2]) : 0;
    int kind = 0;
    while (kinds[kind].name && argc > 1 && strcmp(argv[1], kinds[kind].name) != 0)
        kind++;
    if (!kinds[kind].name || calls < 1 || threads < 1 || threads > 64)
        return 2;
    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const MPI_Comm comm =
        argc > 3 && strcmp(argv[3], "world") == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF;
    for (int i = 0; i < threads; i++) {
        jobs[i] = (struct job){.counts = new_counts(calls, i == 0 && times),
                               .calls = calls,
                               .comm = comm,
                               .call = kinds[kind].call};
        if (threads > 1)
            MPI_Comm_dup(comm, &jobs[i].comm);
    }
    find_rate();
    MPI_Barrier(MPI_COMM_WORLD);
    work_all(jobs, threads);
    const struct counts *counts = jobs[0].counts;
    if (rank == 0)
        printf("sustained %ld %.2f %.0f %.0f %.0f %.0f %.3f %.2f\n", calls,
               counts->sum_ns / (double)calls, quantile(counts, 0.5), quantile(counts, 0.999),
               quantile(counts, 0.9999), counts->longest_ns, counts->long_ns / (double)calls,
               counts->cpu_ns / (double)calls);
    if (rank == 0 && times)
        save(counts, times);
    MPI_Finalize();
    return 0;
}
