/* tests/bench/team_work.c - the work of each process of a report by several processes: processor
 * time and bytes, counted between it and the MPI (PMPI), for team_work.sh.
 *
 * Preloaded. At the end each process appends a line to the file that TEAM_WORK names: rank,
 * processor time in seconds, bytes sent, bytes received, seconds of the processor time spent
 * waiting for messages or copying them, and those of MPI_Init_thread. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long long sent_bytes, received_bytes;
static double begun_s, waiting_s, init_s;

static double used_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    const int status = PMPI_Init_thread(argc, argv, wanted, provided);
    init_s = used_s();
    return status;
}

/* One message at a time: whoever has begun one waits for it. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sent_bytes += (unsigned long long)count; /* all is sent as MPI_BYTE */
    begun_s = used_s();
    return PMPI_Isend(data, count, type, peer, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    received_bytes += (unsigned long long)count;
    begun_s = used_s();
    return PMPI_Irecv(data, count, type, peer, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    const int failed = PMPI_Test(request, done, status);
    if (*done)
        waiting_s += used_s() - begun_s;
    return failed;
}

int MPI_Finalize(void)
{
    const char *path = getenv("TEAM_WORK");
    FILE *file = path ? fopen(path, "a") : NULL;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (file) {
        fprintf(file, "%d %.3f %llu %llu %.3f %.3f\n", rank, used_s(), sent_bytes, received_bytes,
                waiting_s, init_s);
        fclose(file);
    }
    return PMPI_Finalize();
}
