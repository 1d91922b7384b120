/* A small MPI program: `record_program [STATUS]` prints one line and ends with that status;
 * `record_program killed` is killed before MPI_Finalize; `record_program read` prints the first
 * line of its input as well; in `record_program early` rank 0 is in MPI_Finalize while the others
 * go on for half a second. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../mpi/resting.h"

static void go_on_without_first(int rank)
{
    MPI_Comm others;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &others);
    for (int i = 0; i < 50 && others != MPI_COMM_NULL; i++) {
        usleep(10000);
        MPI_Barrier(others);
    }
}

static void print_input(void)
{
    char line[100] = "";
    printf("input %s\n", fgets(line, sizeof line, stdin) ? strtok(line, "\n") : "none");
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum;
#ifdef INIT_THREAD
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#else
    MPI_Init(&argc, &argv);
#endif
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    if (argc > 1 && strcmp(argv[1], "early") == 0)
        go_on_without_first(rank);
    if (rank == 0 && argc > 1 && strcmp(argv[1], "read") == 0)
        print_input();
    if (argc > 1 && strcmp(argv[1], "killed") == 0)
        raise(SIGKILL);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
