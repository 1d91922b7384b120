/* tests/mpi/kill.c - calls collectives until it is killed (or for $CALLS of them, then
 * MPI_Finalize), and says in a page of its own file how many have returned: the truth that a trace
 * is held to. Before every second call it sends itself a message. usage: kill TRUTH_DIRECTORY
 * [THREADS]; TRUTH_DIRECTORY/RANK is an array of uint64_t: the process id, a counter for each
 * thread, of each the calls that were begun behind a message, of each the time in messages, and of
 * each that in messages which took less than SHORT_NS. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 8
/* No thread loses its processor and has it again in so short a time. */
#define SHORT_NS 20000

struct truth {
    volatile uint64_t pid;
    volatile uint64_t count[THREADS_MAX];
    volatile uint64_t messaged[THREADS_MAX];
    volatile uint64_t messages_ns[THREADS_MAX];
    volatile uint64_t short_ns[THREADS_MAX];
};

static struct truth *truth;
static uint64_t limit = UINT64_MAX;

static struct truth *open_truth(const char *directory, int rank)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", directory, rank);
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || ftruncate(file, sizeof *truth))
        return NULL;
    void *page = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return page == MAP_FAILED ? NULL : page;
}

/* Ever new call stacks, some of them. */
static __attribute__((noinline)) int deep(int depth, MPI_Comm comm)
{
    if (depth > 0)
        return deep(depth - 1, comm) + (depth > 1000);
    return MPI_Barrier(comm);
}

static __attribute__((noinline)) void call(uint64_t n, MPI_Comm comm, volatile uint64_t *count)
{
    double in = 1, out;
    if (n % 3 == 0)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
    else if (n % 257 == 0)
        deep((int)(n / 257 % 40), comm);
    else
        MPI_Barrier(comm);
    ++*count;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void send_message(MPI_Comm self, int thread)
{
    double in = 1, out;
    const uint64_t before = now_ns();
    MPI_Sendrecv(&in, 1, MPI_DOUBLE, 0, 0, &out, 1, MPI_DOUBLE, 0, 0, self, MPI_STATUS_IGNORE);
    const uint64_t took_ns = now_ns() - before;
    truth->messages_ns[thread] += took_ns;
    if (took_ns < SHORT_NS)
        truth->short_ns[thread] += took_ns;
    truth->messaged[thread]++;
}

static void *run(void *argument)
{
    const int thread = (int)(intptr_t)argument;
    volatile uint64_t *count = &truth->count[thread];
    MPI_Comm own, sub;
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    for (uint64_t n = 1; *count < limit; n++) {
        if (n % 2 == 0)
            send_message(own, thread);
        call(n, own, count);
        if (n % 1000 == 0) {
            MPI_Comm_dup(own, &sub);
            call(1, sub, count);
            MPI_Comm_free(&sub);
        }
        if (n % 512 == 0 && thread == 0)
            MPI_Pcontrol((int)(2 + n / 512 % 300)); /* a new phase, for a while */
        if (n % 4096 == 0 && thread == 0)
            call(0, MPI_COMM_WORLD, count);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided;
    pthread_t threads[THREADS_MAX];
    const int thread_count = argc > 2 ? atoi(argv[2]) : 1;
    if (getenv("CALLS"))
        limit = strtoull(getenv("CALLS"), NULL, 10);
    if (argc < 2 || thread_count < 1 || thread_count > THREADS_MAX)
        return 2;
    MPI_Init_thread(&argc, &argv, thread_count > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    truth = open_truth(argv[1], rank);
    if (!truth || (thread_count > 1 && provided != MPI_THREAD_MULTIPLE))
        return 2;
    truth->pid = (uint64_t)getpid();
    for (int i = 1; i < thread_count; i++)
        pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
    run(NULL);
    for (int i = 1; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
