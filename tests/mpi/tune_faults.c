/* tests/mpi/tune_faults.c - a library in front of MPI_Bcast whose faults do not depend on the
 * machine, for `syncopate tune`. TUNE_FAULTS="SLOW WRONG END COLD": with these values of the
 * variable that chooses the algorithm, a call takes SLOW_NS longer, gives the last byte another
 * value, ends the program, or takes COLD_NS longer if it is among the first COLD_CALLS after a gap:
 * so does an algorithm whose buffers must first come into the caches. Open MPI's rules file, if its
 * name ends in "plant", stands above the variable and is slow. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOW_NS    10000000
#define COLD_NS    200000
#define COLD_CALLS 70
#define GAP_NS     1000000

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

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Messages of a few bytes are the launched program's own. */
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const char *faults = getenv("TUNE_FAULTS");
    static double last_ns;
    static int calls;
    int rank, slow = -2, wrong = -2, end = -2, cold = -2;
    if (!faults || count != 4096 || sscanf(faults, "%d %d %d %d", &slow, &wrong, &end, &cold) != 4)
        return PMPI_Bcast(buffer, count, type, root, comm);
    const int value = chosen(slow);
    if (value == end)
        _Exit(3);
    calls = now_ns() - last_ns > GAP_NS ? 0 : calls + 1;
    if (value == slow)
        nanosleep(&(struct timespec){.tv_nsec = SLOW_NS}, NULL);
    if (value == cold && calls < COLD_CALLS)
        nanosleep(&(struct timespec){.tv_nsec = COLD_NS}, NULL);
    const int status = PMPI_Bcast(buffer, count, type, root, comm);
    PMPI_Comm_rank(comm, &rank);
    if (value == wrong && rank != root)
        ((char *)buffer)[4095] ^= 1;
    last_ns = now_ns();
    return status;
}
