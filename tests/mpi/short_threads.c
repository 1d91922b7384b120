/* tests/mpi/short_threads.c - threads that end: how many calls they make, and what stays of them.
 * usage: short_threads THREADS [kill]. Prints the number of calls, and complains where memory has
 * grown by more than 10 MB, or there are many more mappings, or where short threads take more
 * memory than that while they live, after threads that took much. With `kill` the process kills
 * itself instead of MPI_Finalize. One process. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POOL 48

/* A block of the recorder has room for 6,000 events. */
#define MANY_CALLS 8000

static long made;      /* atomic */
static long living_kb; /* resident, while all threads of call_together live */
static MPI_Request started[POOL];
static pthread_key_t key;
static pthread_barrier_t together;

static void call(void)
{
    MPI_Barrier(MPI_COMM_SELF);
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
}

static void *call_once(void *argument)
{
    call();
    return argument;
}

static long resident_kb(void)
{
    long kb = 0;
    char line[512];
    FILE *file = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kb = atol(line + 6);
    fclose(file);
    return kb;
}

/* As many at a time as the pool has. */
static void *call_together(void *argument)
{
    call();
    if (pthread_barrier_wait(&together) == PTHREAD_BARRIER_SERIAL_THREAD)
        living_kb = resident_kb();
    pthread_barrier_wait(&together);
    call();
    return argument;
}

/* More than a block of events. */
static void *call_often(void *argument)
{
    pthread_barrier_wait(&together);
    for (int i = 0; i < MANY_CALLS; i++)
        call();
    pthread_barrier_wait(&together);
    return argument;
}

/* Completed by another thread, when this one has ended. */
static void *start_one(void *argument)
{
    MPI_Ibarrier(MPI_COMM_SELF, &started[(long)argument]);
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    return argument;
}

static void *wait_for_ever(void *argument)
{
    call();
    for (;;)
        pause();
    return argument;
}

/* The destructor of the thread's own data runs after the recorder's, or before it. */
static void call_at_end(void *data)
{
    (void)data;
    call();
}

static void *call_and_end(void *argument)
{
    pthread_setspecific(key, &key);
    call();
    return argument;
}

static void run(void *(*body)(void *), int count)
{
    pthread_t thread[POOL];
    const long made_before = made;
    for (long i = 0; i < count; i++)
        if (pthread_create(&thread[i], NULL, body, (void *)i))
            abort();
    while (body == wait_for_ever && __atomic_load_n(&made, __ATOMIC_RELAXED) < made_before + count)
        usleep(1000);
    for (int i = 0; i < count; i++) {
        if (body == wait_for_ever)
            pthread_cancel(thread[i]);
        pthread_join(thread[i], NULL);
    }
}

static long mapping_count(void)
{
    long count = 0;
    char line[512];
    FILE *file = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, file))
        count++;
    fclose(file);
    return count;
}

static void run_all(int count)
{
    for (int i = 0; i < count; i++)
        run(call_once, 1);
    for (int i = 0; i < 8; i++)
        run(call_together, POOL);
    run(start_one, POOL);
    run(call_once, POOL);
    MPI_Waitall(POOL, started, MPI_STATUSES_IGNORE);
    run(wait_for_ever, 8);
    run(call_and_end, 8);
}

static void run_after_long(void)
{
    run(call_often, POOL);
    const long resident = resident_kb();
    run(call_together, POOL);
    if (living_kb > resident + 10240)
        printf("memory: %ld kB, and of short threads %ld\n", resident, living_kb);
}

int main(int argc, char **argv)
{
    int provided;
    const int count = atoi(argv[1]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_key_create(&key, call_at_end);
    pthread_barrier_init(&together, NULL, POOL);
    run_all(1);
    const long mappings = mapping_count(), resident = resident_kb();
    run_all(count);
    if (mapping_count() > mappings + 100)
        printf("mappings: %ld, then %ld\n", mappings, mapping_count());
    if (resident_kb() > resident + 10240)
        printf("memory: %ld kB, then %ld\n", resident, resident_kb());
    run_after_long();
    printf("%ld calls\n", made);
    fflush(stdout);
    if (argc > 2)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
