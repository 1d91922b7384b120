/* tests/bench/team_work.c - what a process of a report by several processes did: processor time and
 * bytes, counted between it and the MPI (PMPI), for team_work.sh.
 *
 * Preloaded. At the end each process appends a line to the file that TEAM_WORK names:
 * rank, seconds of the processor, bytes sent, bytes received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long long sent_bytes, received_bytes;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sent_bytes += (unsigned long long)count; /* all is sent as MPI_BYTE */
    return PMPI_Isend(data, count, type, peer, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    received_bytes += (unsigned long long)count;
    return PMPI_Irecv(data, count, type, peer, tag, comm, request);
}

int MPI_Finalize(void)
{
    struct timespec used;
    const char *path = getenv("TEAM_WORK");
    FILE *file = path ? fopen(path, "a") : NULL;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    if (file) {
        fprintf(file, "%d %.3f %llu %llu\n", rank,
                (double)used.tv_sec + 1e-9 * (double)used.tv_nsec, sent_bytes, received_bytes);
        fclose(file);
    }
    return PMPI_Finalize();
}
