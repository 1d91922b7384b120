/* tests/mpi/handlers.c - error handlers of the program: each object's is printed as MPI tells it,
 * then a call with a negative count is made on those that the argument names, in its order: d, s,
 * i, w: a duplicate and a part of MPI_COMM_WORLD, an intercommunicator, MPI_COMM_WORLD. Before that
 * MPI_COMM_WORLD gets a handler that returns (r), or none does: the first such call ends the
 * program then. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static const char *name_of(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL ? "fatal"
           : handler == MPI_ERRORS_RETURN  ? "returns"
                                           : "the program's";
}

static void show(const char *what, MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    printf("%d %s: %s\n", rank, what, name_of(handler));
}

static void show_others(void)
{
    static int memory[4];
    MPI_Errhandler handler;
    MPI_Win window;
    MPI_File file;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Win_get_errhandler(window, &handler);
    printf("%d window: %s\n", rank, name_of(handler));
    MPI_Win_free(&window);
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_get_errhandler(file, &handler);
    printf("%d file: %s\n", rank, name_of(handler));
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int size, ints[4] = {0};
    MPI_Comm dup, part, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 11, &inter);
    MPI_Barrier(dup);
    MPI_Barrier(part);
    MPI_Barrier(inter);
    show("MPI_COMM_WORLD", MPI_COMM_WORLD);
    show("MPI_COMM_SELF", MPI_COMM_SELF);
    show("duplicate", dup);
    show("part", part);
    show("intercommunicator", inter);
    show_others();
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const char *at = argv[1]; *at && rank == 0; at++) {
        if (*at == 'r')
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        else {
            const int failed = MPI_Bcast(ints, -4, MPI_INT, *at == 'i' ? MPI_PROC_NULL : 0,
                                         *at == 'd'   ? dup
                                         : *at == 's' ? part
                                         : *at == 'i' ? inter
                                                      : MPI_COMM_WORLD);
            printf("%d %c: %s\n", rank, *at, failed ? "refused" : "done");
            fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
