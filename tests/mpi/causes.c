/* tests/mpi/causes.c - programs that are late for a reason that is known: causes MODE.
 *
 * Everything takes its time asleep, so that ranks without a processor of their own do not disturb
 * one another. Each round has two functions, and a collective call behind each. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int rank, size;

static void pass(double ms)
{
    const long ns = (long)(ms * 1e6);
    const struct timespec time = {ns / 1000000000, ns % 1000000000};
    nanosleep(&time, NULL);
}

/* ---- what makes whom late: the milliseconds that a rank takes longer ---- */

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

/* Of rank 1 twice as much as of rank 2, by turns. */
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

static void rounds(int count, double (*excess)(int round, bool second))
{
    double mine = 1, sum;
    for (int round = 0; round < count; round++) {
        pass(1 + excess(round, false));
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        pass(1 + excess(round, true));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Rank 0 makes rank 1 late, and that one all others: 0 is to be named, and not who passes it on. */
static void chain(int count)
{
    MPI_Comm pair, rest;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0 ? 0 : MPI_UNDEFINED, rank, &rest);
    for (int round = 0; round < count; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        pass(rank == 0 ? 30 : 1);
        if (rank < 2)
            MPI_Barrier(pair);
        pass(0.5);
        if (rank > 0)
            MPI_Barrier(rest);
    }
}

/* Rank 1 waits for a message that rank 2 sends late, and does some more then. */
static void message(int count)
{
    double data = 1;
    for (int round = 0; round < count; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        pass(rank == 2 ? 30 : 1);
        if (rank == 2)
            MPI_Send(&data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Recv(&data, 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            pass(5);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* The start of a nonblocking operation comes late on rank 2. */
static void nonblocking(int count)
{
    double mine = 1, sum;
    for (int round = 0; round < count; round++) {
        MPI_Request request;
        pass(rank == 2 ? 30 : 1);
        MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        pass(0.5);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*excess)(int round, bool second);
        void (*run)(int count);
        int count;
    } modes[] = {
        {"steady", steady, NULL, 60},
        {"rare", rare, NULL, 200},
        {"moving", moving, NULL, 60},
        {"growing", growing, NULL, 80},
        {"two", two, NULL, 50},
        {"first", first, NULL, 150},
        {"chain", NULL, chain, 50},
        {"message", NULL, message, 50},
        {"nonblocking", NULL, nonblocking, 50},
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (argc < 2 || strcmp(argv[1], modes[i].name) != 0)
            continue;
        MPI_Barrier(MPI_COMM_WORLD);
        if (modes[i].run)
            modes[i].run(modes[i].count);
        else
            rounds(modes[i].count, modes[i].excess);
    }
    MPI_Finalize();
    return 0;
}
