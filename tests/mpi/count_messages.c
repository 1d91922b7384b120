/* tests/mpi/count_messages.c - an independent count of the calls that are messages, and of the time
 * in them: the judge of "each counted once, with its time".
 *
 * A library for LD_PRELOAD beside count_pmpi.c, for programs without nonblocking collectives: every
 * wait and test is a message's here. It knows no MPI's header, so that one file serves C and
 * Fortran: all arguments are words. It shares nothing with the profiler.
 *
 * Output: $COUNT_MESSAGES_OUTPUT/rank-R, written at exit: "calls nanoseconds one-sided-calls
 * delay": the last is how long the main thread was ready to run and had no processor, in ns, by the
 * kernel. Only the outermost call of a thread counts. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static atomic_ullong call_count, one_sided_count, sum_ns;

static unsigned long long delay_ns(void)
{
    unsigned long long delay = 0;
    FILE *file = fopen("/proc/self/schedstat", "r");
    if (file && fscanf(file, "%*u %llu", &delay) != 1)
        delay = 0;
    if (file)
        fclose(file);
    return delay;
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *directory = getenv("COUNT_MESSAGES_OUTPUT");
    const char *rank =
        getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    char path[4096];
    if (!directory || !rank)
        return;
    snprintf(path, sizeof path, "%s/rank-%s", directory, rank);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "%llu %llu %llu %llu\n", (unsigned long long)call_count,
            (unsigned long long)sum_ns, (unsigned long long)one_sided_count, delay_ns());
    fclose(file);
}

static unsigned long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

static void *next_of(const char *symbol)
{
    void *next = dlsym(RTLD_NEXT, symbol);
    if (!next) {
        fprintf(stderr, "count_messages: nothing behind %s\n", symbol);
        abort();
    }
    return next;
}

/* MPI_Put, mpi_win_lock_ and the like. */
static int is_one_sided(const char *symbol)
{
    static const char *const begins[] = {"Put",  "Get",  "Accumulate",  "Fetch_and_op",
                                         "Rput", "Rget", "Raccumulate", "Compare_and_swap",
                                         "Win_"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncasecmp(symbol + 4, begins[i], strlen(begins[i])) == 0)
            return 1;
    return 0;
}

static __thread int depth;

typedef intptr_t word;
#define TAKE_1 word a1
#define TAKE_2 word a1, word a2
#define TAKE_3 word a1, word a2, word a3
#define TAKE_4 word a1, word a2, word a3, word a4
#define TAKE_5 word a1, word a2, word a3, word a4, word a5
#define TAKE_6 word a1, word a2, word a3, word a4, word a5, word a6
#define TAKE_7 word a1, word a2, word a3, word a4, word a5, word a6, word a7
#define TAKE_8 word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8
#define TAKE_9 word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9
#define TAKE_10 \
    word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9, word a10
#define TAKE_11                                                                                \
    word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9, word a10, \
        word a11
#define TAKE_12                                                                                \
    word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9, word a10, \
        word a11, word a12
#define TAKE_13                                                                                \
    word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9, word a10, \
        word a11, word a12, word a13
#define TAKE_14                                                                                \
    word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9, word a10, \
        word a11, word a12, word a13, word a14
#define GIVE_1  a1
#define GIVE_2  a1, a2
#define GIVE_3  a1, a2, a3
#define GIVE_4  a1, a2, a3, a4
#define GIVE_5  a1, a2, a3, a4, a5
#define GIVE_6  a1, a2, a3, a4, a5, a6
#define GIVE_7  a1, a2, a3, a4, a5, a6, a7
#define GIVE_8  a1, a2, a3, a4, a5, a6, a7, a8
#define GIVE_9  a1, a2, a3, a4, a5, a6, a7, a8, a9
#define GIVE_10 a1, a2, a3, a4, a5, a6, a7, a8, a9, a10
#define GIVE_11 a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11
#define GIVE_12 a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12
#define GIVE_13 a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13
#define GIVE_14 a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14

#define MESSAGE(symbol, n)                                             \
    word symbol(TAKE_##n);                                             \
    word symbol(TAKE_##n)                                              \
    {                                                                  \
        static word (*next)(TAKE_##n);                                 \
        if (!next)                                                     \
            next = (word(*)(TAKE_##n))(uintptr_t)next_of(#symbol);     \
        const unsigned long long start = depth++ == 0 ? now_ns() : 0;  \
        const word result = next(GIVE_##n);                            \
        if (--depth == 0) {                                            \
            atomic_fetch_add(&sum_ns, now_ns() - start);               \
            atomic_fetch_add(&call_count, 1);                          \
            atomic_fetch_add(&one_sided_count, is_one_sided(#symbol)); \
        }                                                              \
        return result;                                                 \
    }
/* The name in C and that in Fortran; parameters in C and in Fortran. */
#define MESSAGES(Name, name, n, more) \
    MESSAGE(MPI_##Name, n)            \
    MESSAGE(mpi_##name##_, more)      \
    MESSAGE(mpi_##name##_f08_, more)  \
    MESSAGE(mpi_##name##_f08ts_, more)

MESSAGES(Send, send, 6, 7)
MESSAGE(MPI_Send_c, 6)
MESSAGES(Bsend, bsend, 6, 7)
MESSAGE(MPI_Bsend_c, 6)
MESSAGES(Ssend, ssend, 6, 7)
MESSAGE(MPI_Ssend_c, 6)
MESSAGES(Rsend, rsend, 6, 7)
MESSAGE(MPI_Rsend_c, 6)
MESSAGES(Recv, recv, 7, 8)
MESSAGE(MPI_Recv_c, 7)
MESSAGES(Isend, isend, 7, 8)
MESSAGE(MPI_Isend_c, 7)
MESSAGES(Ibsend, ibsend, 7, 8)
MESSAGE(MPI_Ibsend_c, 7)
MESSAGES(Issend, issend, 7, 8)
MESSAGE(MPI_Issend_c, 7)
MESSAGES(Irsend, irsend, 7, 8)
MESSAGE(MPI_Irsend_c, 7)
MESSAGES(Irecv, irecv, 7, 8)
MESSAGE(MPI_Irecv_c, 7)
MESSAGES(Sendrecv, sendrecv, 12, 13)
MESSAGE(MPI_Sendrecv_c, 12)
MESSAGES(Sendrecv_replace, sendrecv_replace, 9, 10)
MESSAGE(MPI_Sendrecv_replace_c, 9)
MESSAGES(Isendrecv, isendrecv, 12, 13)
MESSAGE(MPI_Isendrecv_c, 12)
MESSAGES(Isendrecv_replace, isendrecv_replace, 9, 10)
MESSAGE(MPI_Isendrecv_replace_c, 9)
MESSAGES(Buffer_detach, buffer_detach, 2, 3)
MESSAGE(MPI_Buffer_detach_c, 2)
MESSAGES(Probe, probe, 4, 5)
MESSAGES(Iprobe, iprobe, 5, 6)
MESSAGES(Mprobe, mprobe, 5, 6)
MESSAGES(Improbe, improbe, 6, 7)
MESSAGES(Mrecv, mrecv, 5, 6)
MESSAGE(MPI_Mrecv_c, 5)
MESSAGES(Imrecv, imrecv, 5, 6)
MESSAGE(MPI_Imrecv_c, 5)
MESSAGES(Request_get_status, request_get_status, 3, 4)
MESSAGES(Pready, pready, 2, 3)
MESSAGES(Pready_range, pready_range, 3, 4)
MESSAGES(Pready_list, pready_list, 3, 4)
MESSAGES(Parrived, parrived, 3, 4)
MESSAGES(Put, put, 8, 9)
MESSAGE(MPI_Put_c, 8)
MESSAGES(Get, get, 8, 9)
MESSAGE(MPI_Get_c, 8)
MESSAGES(Accumulate, accumulate, 9, 10)
MESSAGE(MPI_Accumulate_c, 9)
MESSAGES(Get_accumulate, get_accumulate, 12, 13)
MESSAGE(MPI_Get_accumulate_c, 12)
MESSAGES(Fetch_and_op, fetch_and_op, 7, 8)
MESSAGES(Compare_and_swap, compare_and_swap, 7, 8)
MESSAGES(Rput, rput, 9, 10)
MESSAGE(MPI_Rput_c, 9)
MESSAGES(Rget, rget, 9, 10)
MESSAGE(MPI_Rget_c, 9)
MESSAGES(Raccumulate, raccumulate, 10, 11)
MESSAGE(MPI_Raccumulate_c, 10)
MESSAGES(Rget_accumulate, rget_accumulate, 13, 14)
MESSAGE(MPI_Rget_accumulate_c, 13)
MESSAGES(Win_lock, win_lock, 4, 5)
MESSAGES(Win_lock_all, win_lock_all, 2, 3)
MESSAGES(Win_unlock, win_unlock, 2, 3)
MESSAGES(Win_unlock_all, win_unlock_all, 1, 2)
MESSAGES(Win_flush, win_flush, 2, 3)
MESSAGES(Win_flush_all, win_flush_all, 1, 2)
MESSAGES(Win_flush_local, win_flush_local, 2, 3)
MESSAGES(Win_flush_local_all, win_flush_local_all, 1, 2)
MESSAGES(Win_sync, win_sync, 1, 2)
MESSAGES(Win_post, win_post, 3, 4)
MESSAGES(Win_start, win_start, 3, 4)
MESSAGES(Win_complete, win_complete, 1, 2)
MESSAGES(Win_wait, win_wait, 1, 2)
MESSAGES(Win_test, win_test, 2, 3)
MESSAGES(Wait, wait, 2, 3)
MESSAGES(Waitall, waitall, 3, 4)
MESSAGES(Waitany, waitany, 4, 5)
MESSAGES(Waitsome, waitsome, 5, 6)
MESSAGES(Test, test, 3, 4)
MESSAGES(Testall, testall, 4, 5)
MESSAGES(Testany, testany, 5, 6)
MESSAGES(Testsome, testsome, 5, 6)
MESSAGES(Start, start, 1, 2)
MESSAGES(Startall, startall, 2, 3)
