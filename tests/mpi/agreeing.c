/* tests/mpi/agreeing.c - the collectives of user-level failure mitigation for an MPI that lacks
 * them, where nothing fails. A library. */
#include <mpi.h>

int MPIX_Comm_agree(MPI_Comm comm, int *flag);
int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *made);

int MPIX_Comm_agree(MPI_Comm comm, int *flag)
{
    return PMPI_Allreduce(MPI_IN_PLACE, flag, 1, MPI_INT, MPI_BAND, comm);
}

int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request)
{
    return PMPI_Iallreduce(MPI_IN_PLACE, flag, 1, MPI_INT, MPI_BAND, comm, request);
}

int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *made)
{
    return PMPI_Comm_dup(comm, made);
}
