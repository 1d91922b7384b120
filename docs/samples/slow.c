/* slow.c - the tutorial's programs: each is slow for one reason, which its name says.
 *
 *     mpicc -g -O1 -o slow slow.c && mpirun -n 4 ./slow uneven
 *
 * uneven    rank 1 has a fifth more to compute in solve
 * wandering in each step another rank has half as much again to compute
 * pausing   rank 2 stops for 20 ms in every hundredth step
 * relay     rank 3 computes longer, but rank 0 waits for its message and comes last
 * chatty    nothing but small collectives */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define STEPS 400

static int rank, size;
static volatile double sink;

/* A millisecond or so for work = 1. */
static void compute(double work)
{
    for (long i = 0; i < (long)(work * 400000); i++)
        sink += 1.0 / (double)(i + 1);
}

static void synchronize(void)
{
    double mine = rank, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void assemble(double work)
{
    compute(work);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void solve(double work)
{
    compute(work);
    synchronize();
}

static void uneven(int step)
{
    (void)step;
    assemble(0.3);
    solve(rank == 1 ? 1.2 : 1.0);
}

static void wandering(int step)
{
    assemble(0.3);
    solve(rank == step * 7 / 3 % size ? 1.5 : 1.0);
}

static void pausing(int step)
{
    const struct timespec pause = {0, 20000000};
    assemble(0.3);
    if (rank == 2 && step % 100 == 50)
        nanosleep(&pause, NULL);
    solve(1.0);
}

static void exchange(void)
{
    double halo = rank;
    if (rank == 3)
        MPI_Send(&halo, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Recv(&halo, 1, MPI_DOUBLE, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void relay(int step)
{
    (void)step;
    assemble(0.3);
    compute(rank == 3 ? 1.3 : 1.0);
    exchange();
    synchronize();
}

static void chatty(int step)
{
    (void)step;
    compute(0.01);
    for (int i = 0; i < 8; i++)
        synchronize();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*step)(int);
    } kinds[] = {{"uneven", uneven},
                 {"wandering", wandering},
                 {"pausing", pausing},
                 {"relay", relay},
                 {"chatty", chatty}};
    void (*step)(int) = uneven;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            step = kinds[i].step;
    for (int i = 0; i < STEPS; i++)
        step(i);
    MPI_Finalize();
    return 0;
}
