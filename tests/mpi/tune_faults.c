/* tests/mpi/tune_faults.c - a library in front of MPI_Bcast whose faults do not depend on the
 * machine, for `syncopate tune`. TUNE_FAULTS="SLOW WRONG END": with these values of the variable
 * that chooses the algorithm, a call takes SLOW_NS longer, gives the last byte another value, or
 * ends the program. Open MPI's rules file, if its name ends in "plant", stands above the variable
 * and is slow. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOW_NS 10000000

static int chosen(int slow)
{
    static MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    const char *file = getenv("OMPI_MCA_coll_tuned_dynamic_rules_filename");
    int value = -1, index, count;
    if (file && strlen(file) > 5 && strcmp(file + strlen(file) - 5, "plant") == 0)
        return slow;
    if (handle == MPI_T_CVAR_HANDLE_NULL &&
        (MPI_T_init_thread(MPI_THREAD_SINGLE, &count) != MPI_SUCCESS ||
         (MPI_T_cvar_get_index("coll_tuned_bcast_algorithm", &index) != MPI_SUCCESS &&
          MPI_T_cvar_get_index("MPIR_CVAR_BCAST_INTRA_ALGORITHM", &index) != MPI_SUCCESS) ||
         MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS))
        return value;
    MPI_T_cvar_read(handle, &value);
    return value;
}

/* Messages of a few bytes are the launched program's own. */
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const char *faults = getenv("TUNE_FAULTS");
    int rank, slow = -2, wrong = -2, end = -2;
    if (!faults || count != 4096 || sscanf(faults, "%d %d %d", &slow, &wrong, &end) != 3)
        return PMPI_Bcast(buffer, count, type, root, comm);
    const int value = chosen(slow);
    if (value == end)
        _Exit(3);
    if (value == slow)
        nanosleep(&(struct timespec){.tv_nsec = SLOW_NS}, NULL);
    const int status = PMPI_Bcast(buffer, count, type, root, comm);
    PMPI_Comm_rank(comm, &rank);
    if (value == wrong && rank != root)
        ((char *)buffer)[4095] ^= 1;
    return status;
}
