/* tests/mpi/causes.c - programs that are late for a reason that is known: causes MODE [TRUTH].
 *
 * Each rank writes what it did into the file TRUTH.RANK, by a clock that all processes of the
 * machine share: a line a collective call, "communicator from to enter leave wait messages late
 * busy". `from` and `to` are the lines of the calls before and after what it did in between (0:
 * there was none before); `messages` and `late`: how long of that it was in messages, and what was
 * put in; `busy`: the processor time of what was put in. A nonblocking operation has one line: it
 * enters where it starts, leaves where the call returns that completes it, and `wait` is where that
 * one was entered. A line a thread has what the kernel counted: "= ready busy elapsed displaced",
 * how long it had no processor and could have run (-1: not known), its processor time, of what
 * time, and how often it was switched out against its will. tests/mpi/causes.py reads them.
 *
 * Most of it passes asleep, so that ranks without a processor of their own do not disturb one
 * another. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

/* ---- what was done, by a clock that nothing preloaded can change ---- */

#define LINES_MOST 1024

struct line {
    const char *comm;
    int from, to;
    int64_t enter_ns, leave_ns, wait_ns, messages_ns, late_ns, busy_ns;
};

static struct line written[2][LINES_MOST]; /* of each thread */
static struct kernel {
    int64_t ready_ns, busy_ns, at_ns;
    long displaced;
} begun[2], ended[2];
static __thread struct {
    struct line *line;
    int count, at;
    int64_t messages_ns, late_ns, busy_ns;
} self;

static int64_t now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The processor time of this thread. */
static int64_t busy_so_far(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct kernel ask_kernel(void)
{
    long long ran_ns, ready_ns;
    struct rusage usage = {0};
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file || fscanf(file, "%lld %lld", &ran_ns, &ready_ns) != 2)
        ready_ns = -1;
    if (file)
        fclose(file);
    getrusage(RUSAGE_THREAD, &usage);
    return (struct kernel){ready_ns, busy_so_far(), now(), usage.ru_nivcsw};
}

/* The thread begins; it writes into written[number]. */
static void begin(int number)
{
    self.line = written[number];
    self.count = 0;
    begun[number] = ask_kernel();
}

static void enter(const char *comm, int at)
{
    if (!self.line)
        begin(0);
    self.line[self.count] =
        (struct line){comm, self.at, at, now(), 0, 0, self.messages_ns, self.late_ns, self.busy_ns};
}

/* The call returned; it was of the line `at`. */
static void leave(int at)
{
    self.line[self.count++].leave_ns = now();
    self.messages_ns = self.late_ns = self.busy_ns = 0;
    self.at = at;
}

/* The statement is a collective call on the communicator of that name; both stand in one line. */
#define CALL(comm, statement)  \
    do {                       \
        enter(comm, __LINE__); \
        (statement);           \
        leave(__LINE__);       \
    } while (0)
#define MESSAGE(statement)                  \
    do {                                    \
        const int64_t before = now();       \
        (statement);                        \
        self.messages_ns += now() - before; \
    } while (0)

static void write_truth(const char *path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", path, rank);
    FILE *file = fopen(name, "w");
    if (ended[0].at_ns == 0)
        ended[0] = ask_kernel();
    for (int thread = 0; file && thread < 2; thread++) {
        const struct kernel *first = &begun[thread], *last = &ended[thread];
        if (last->at_ns != 0)
            fprintf(file, "= %lld %lld %lld %ld\n",
                    last->ready_ns < 0 ? -1LL : (long long)(last->ready_ns - first->ready_ns),
                    (long long)(last->busy_ns - first->busy_ns),
                    (long long)(last->at_ns - first->at_ns), last->displaced - first->displaced);
        for (struct line *line = written[thread]; line->comm; line++)
            fprintf(file, "%s %d %d %lld %lld %lld %lld %lld %lld\n", line->comm, line->from,
                    line->to, (long long)line->enter_ns, (long long)line->leave_ns,
                    (long long)line->wait_ns, (long long)line->messages_ns,
                    (long long)line->late_ns, (long long)line->busy_ns);
    }
    if (!file || fclose(file)) {
        perror(name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* ---- ways for time to pass ---- */

static void pass(double ms)
{
    const long ns = (long)(ms * 1e6);
    const struct timespec time = {ns / 1000000000, ns % 1000000000};
    nanosleep(&time, NULL);
}

static void work(double amount)
{
    double x = amount;
    for (int64_t i = 0; i < (int64_t)(amount * 1e6); i++)
        x = x * 0.999999 + 1e-5;
    __asm__ volatile("" : : "g"(x)); /* it is needed, as far as the compiler knows */
}

/* Each page is new to the process. */
static void fault(double amount)
{
    const size_t bytes = (size_t)(amount * 1e6);
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; memory != MAP_FAILED && i < bytes; i += 4096)
        memory[i] = 1;
    if (memory != MAP_FAILED)
        munmap(memory, bytes);
}

/* Makes the rank late, and adds the time to late_ns, its processor time to busy_ns. */
static void be_late(void (*by)(double), double amount)
{
    if (amount <= 0)
        return;
    const int64_t before = now(), busy = busy_so_far();
    by(amount);
    self.late_ns += now() - before;
    self.busy_ns += busy_so_far() - busy;
}

/* ---- rounds of two functions, a collective call behind each ---- */

/* The work of a rank in each function, and the extra work in a round. */
struct rounds {
    void (*by)(double);
    double each;
    double (*excess)(int round, bool second);
    int count;
    bool is_robbed; /* what makes it late is not done by itself */
};

static double none(int round, bool second)
{
    (void)round, (void)second;
    return 0;
}

static double steady(int round, bool second)
{
    (void)round;
    return rank == 1 && second ? 30 : 0;
}

/* Rank 3 comes last nearly always, by little; rank 1 makes the others wait. */
static double rare(int round, bool second)
{
    if (rank == 3)
        return 0.5;
    return rank == 1 && second && round % 25 == 20 ? 150 : 0;
}

static double moving(int round, bool second)
{
    return second && (round * 7 + round / 5) % size == rank ? 30 : 0;
}

static double growing(int round, bool second)
{
    return rank == 2 && !second ? 0.6 * round : 0;
}

/* Rank 1 is late by twice as much as rank 2, by turns. */
static double two(int round, bool second)
{
    if (round % 2 == 0)
        return rank == 1 && !second ? 60 : 0;
    return rank == 2 && second ? 30 : 0;
}

/* At the run's begin only. */
static double first(int round, bool second)
{
    return rank == 2 && second && round < 8 ? 150 : 0;
}

/* A fifth more in one of the functions. */
static double fifth(int round, bool second)
{
    (void)round;
    return rank == 1 && second ? 1 : 0;
}

/* 16 MB. */
static double pages(int round, bool second)
{
    (void)round;
    return rank == 2 && second ? 16 : 0;
}

/* The work of all ranks. A rank that lacks the processor meanwhile is late by that. */
static void do_each(const struct rounds *rounds)
{
    const int64_t before = now(), busy = busy_so_far();
    rounds->by(rounds->each);
    if (rounds->is_robbed)
        self.late_ns += now() - before - (busy_so_far() - busy);
}

static void two_functions(const struct rounds *rounds, void (*late_by)(double))
{
    double mine = 1, sum;
    for (int round = 0; round < rounds->count; round++) {
        do_each(rounds);
        be_late(late_by, rounds->excess(round, false));
        CALL("world", MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        do_each(rounds);
        be_late(late_by, rounds->excess(round, true));
        CALL("world", MPI_Barrier(MPI_COMM_WORLD));
    }
}

static void asleep(const struct rounds *rounds)
{
    two_functions(rounds, pass);
}

static void at_work(const struct rounds *rounds)
{
    two_functions(rounds, work);
}

static void faulting(const struct rounds *rounds)
{
    two_functions(rounds, fault);
}

/* Each rank on a processor of its own, as far as there are enough; on that of rank 1 somebody else
 * takes half of it, until this process ends. */
static void crowded(const struct rounds *rounds)
{
    cpu_set_t may, one;
    int count = 0;
    const pid_t us = getpid();
    sched_getaffinity(0, sizeof may, &may);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may) && count++ == rank % CPU_COUNT(&may))
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    if (rank == 1 && fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (alarm(60); getppid() == us;)
            work(1);
        _exit(0);
    }
    two_functions(rounds, work);
}

/* ---- others ---- */

/* Rank 0 makes rank 1 late, and that one all others: 0 is to be named, and not who passes it on. */
static void chain(const struct rounds *rounds)
{
    MPI_Comm pair, rest;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0 ? 0 : MPI_UNDEFINED, rank, &rest);
    for (int round = 0; round < rounds->count; round++) {
        CALL("world", MPI_Barrier(MPI_COMM_WORLD));
        be_late(pass, rank == 0 ? 30 : 0);
        if (rank < 2)
            CALL("pair", MPI_Barrier(pair));
        if (rank > 0)
            CALL("rest", MPI_Barrier(rest));
    }
}

/* Rank 1 waits for a message that rank 2 sends late. */
static void message(const struct rounds *rounds)
{
    double data = 1;
    for (int round = 0; round < rounds->count; round++) {
        pass(rank == 2 ? 30 : 1);
        if (rank == 2)
            MESSAGE(MPI_Send(&data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD));
        if (rank == 1) {
            const int64_t before = now();
            MESSAGE(MPI_Recv(&data, 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            self.late_ns += now() - before;
            pass(0.2); /* behind rank 2, by more than what two clocks in a call are apart */
        }
        CALL("world", MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* The start of a nonblocking operation comes late on rank 2. */
static void nonblocking(const struct rounds *rounds)
{
    double mine = 1, sum;
    for (int round = 0; round < rounds->count; round++) {
        MPI_Request request;
        int at;
        pass(1);
        be_late(pass, rank == 2 ? 30 : 0);
        enter("world", at = __LINE__ + 1);
        MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        pass(0.5);
        self.line[self.count].wait_ns = now();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        leave(-at);
        CALL("world", MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* Two threads with a communicator each: the second one of rank 3 comes late. */
struct task {
    const struct rounds *rounds;
    MPI_Comm comm;
    bool second;
};

static void *run_thread(void *argument)
{
    const struct task *task = argument;
    begin(task->second);
    for (int round = 0; round < task->rounds->count; round++) {
        pass(1);
        be_late(pass, rank == 3 && task->second ? 30 : 0);
        if (task->second)
            CALL("second", MPI_Barrier(task->comm));
        else
            CALL("first", MPI_Barrier(task->comm));
    }
    ended[task->second] = ask_kernel();
    return NULL;
}

static void threads(const struct rounds *rounds)
{
    struct task task[2] = {{rounds, MPI_COMM_NULL, false}, {rounds, MPI_COMM_NULL, true}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &task[i].comm);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run_thread, &task[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

static const struct {
    const char *name;
    void (*run)(const struct rounds *);
    struct rounds rounds;
} modes[] = {
    {"equal", asleep, {pass, 6, none, 60, false}},
    {"steady", asleep, {pass, 1, steady, 60, false}},
    {"rare", asleep, {pass, 1, rare, 200, false}},
    {"moving", asleep, {pass, 1, moving, 60, false}},
    {"growing", asleep, {pass, 1, growing, 80, false}},
    {"two", asleep, {pass, 1, two, 50, false}},
    {"first", asleep, {pass, 1, first, 120, false}},
    {"work", at_work, {work, 5, fifth, 60, false}},
    {"faults", faulting, {work, 1, pages, 60, false}},
    {"crowded", crowded, {work, 3, none, 50, true}},
    {"chain", chain, {NULL, 0, NULL, 50, false}},
    {"message", message, {NULL, 0, NULL, 50, false}},
    {"nonblocking", nonblocking, {NULL, 0, NULL, 50, false}},
    {"threads", threads, {NULL, 0, NULL, 50, false}},
};

int main(int argc, char **argv)
{
    int provided;
    prctl(PR_SET_TIMERSLACK, 1UL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (argc < 2 || strcmp(argv[1], modes[i].name) != 0)
            continue;
        CALL("world", MPI_Barrier(MPI_COMM_WORLD));
        modes[i].run(&modes[i].rounds);
    }
    if (argc > 2)
        write_truth(argv[2]);
    MPI_Finalize();
    return 0;
}
