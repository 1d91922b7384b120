/* tests/mpi/agree.c - the collectives of user-level failure mitigation, where nothing failed:
 * agreeing, and making a communicator of those that are left. Any number of ranks. */
#include "expect.h"

/* Not every mpi.h has them, nor does every MPI: agreeing.c stands in. */
int MPIX_Comm_agree(MPI_Comm comm, int *flag);
int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *made);

static struct known world;
static int wrong;

static void agree(MPI_Comm comm, struct known *known)
{
    int flag = world_rank == 0 ? 5 : 4;
    EXPECT("MPIX_Comm_agree", known, 0, -1, 0);
    wrong |= MPIX_Comm_agree(comm, &flag) != MPI_SUCCESS;
    wrong |= flag != (world_size == 1 ? 5 : 4);
}

static void agree_in_time(MPI_Comm comm, struct known *known)
{
    int flag = 3;
    MPI_Request request;
    EXPECT("MPIX_Comm_iagree", known, 0, -1, 0);
    wrong |= MPIX_Comm_iagree(comm, &flag, &request) != MPI_SUCCESS;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong |= flag != 3;
}

/* The first collective of the new communicator is its making, whatever it is made of. */
static void shrink(MPI_Comm comm, const char *name)
{
    MPI_Comm made;
    wrong |= MPIX_Comm_shrink(comm, &made) != MPI_SUCCESS;
    struct known known = know(made, name);
    EXPECT("MPIX_Comm_shrink", &known, 0, -1, 0);
    EXPECT("Barrier", &known, 0, -1, 0);
    MPI_Barrier(made);
    agree(made, &known);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&made);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    agree(MPI_COMM_WORLD, &world);
    agree_in_time(MPI_COMM_WORLD, &world);
    shrink(MPI_COMM_WORLD, "shrunk 1 of MPI_COMM_WORLD");
    shrink(MPI_COMM_WORLD, "shrunk 2 of MPI_COMM_WORLD");
    end();
    return wrong;
}
