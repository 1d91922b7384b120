/* tests/mpi/sessions.c - a program of MPI Sessions that never calls MPI_Init. Prints its sum; the
 * MPIs before version 4 have no sessions, and exit status 77. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int in = 1, sum = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("%d\n", sum);
    MPI_Comm_free(&comm);
    return MPI_Session_finalize(&session) != MPI_SUCCESS;
#else
    return 77;
#endif
}
