/* tests/mpi/wrong_arguments.c - calls that MPI refuses, under an error handler that returns: the
 * program prints the classes of the errors that it sees, which are the same with and without a
 * profiler, and what follows is counted right. */
#include <mpi.h>
#include <stdio.h>

static int ints[64], other[64];

static void show(const char *what, int error)
{
    int class;
    MPI_Error_class(error, &class);
    printf("%s %d\n", what, class);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, freed;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &type); /* never committed */
    show("type null", MPI_Bcast(ints, 1, MPI_DATATYPE_NULL, 0, comm));
    show("type not committed", MPI_Bcast(ints, 1, type, 0, comm));
    show("negative count", MPI_Bcast(ints, -1, MPI_INT, 0, comm));
    show("root too large", MPI_Bcast(ints, 1, MPI_INT, 4711, comm));
    show("communicator null", MPI_Barrier(MPI_COMM_NULL));
    show("operation null", MPI_Allreduce(ints, other, 1, MPI_INT, MPI_OP_NULL, comm));
    show("null communicator split", MPI_Comm_split(MPI_COMM_NULL, 0, 0, &freed));
    show("negative colour", MPI_Comm_split(comm, -5, 0, &freed));
    show("good barrier", MPI_Barrier(comm));
    show("good allreduce", MPI_Allreduce(ints, other, 1, MPI_INT, MPI_SUM, comm));
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
