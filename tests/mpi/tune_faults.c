/* tests/mpi/tune_faults.c - a library in front of MPI_Bcast whose faults do not depend on the
 * machine, for `syncopate tune`. TUNE_FAULTS="SLOW WRONG END COLD": with these values of the
 * variable that chooses the algorithm, a call takes SLOW_NS longer, gives the last byte another
 * value, ends the program, or takes COLD_NS longer if it is among the first COLD_CALLS after a gap:
 * so does an algorithm whose buffers must first come into the caches. Open MPI's rules file, if its
 * name ends in "plant", stands above the variable and is slow.
 *
 * TUNE_LINKS="LINEAR BINOMIAL": a message of 1024 bytes holds its sender for a time, as on slow
 * links. With these values the root sends to all, or a binomial tree does; else a slower chain.
 * Together the tree is faster. Where an inner rank is late, its children wait for it in the tree
 * alone. Ranks sleep, so they need no processors of their own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOW_NS    10000000
#define COLD_NS    200000
#define COLD_CALLS 70
#define GAP_NS     1000000
#define LINEAR_NS  740000
#define TREE_NS    1000000
#define CHAIN_NS   2500000
#define LINK_BYTES 1024

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

static void sleep_ns(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* A message to or from a rank that is counted from the root. */
struct link {
    char *buffer;
    MPI_Comm comm;
    int root, size;
};

static void pass(const struct link *link, int to, long ns)
{
    if (to >= link->size)
        return;
    sleep_ns(ns);
    PMPI_Send(link->buffer, LINK_BYTES, MPI_BYTE, (to + link->root) % link->size, 1, link->comm);
}

static void take(const struct link *link, int from)
{
    const int rank = (from + link->root) % link->size;
    for (int is_there = 0; !is_there;
         PMPI_Iprobe(rank, 1, link->comm, &is_there, MPI_STATUS_IGNORE))
        sleep_ns(50000);
    PMPI_Recv(link->buffer, LINK_BYTES, MPI_BYTE, rank, 1, link->comm, MPI_STATUS_IGNORE);
}

static int over_links(char *buffer, int root, MPI_Comm comm, const char *values)
{
    struct link link = {.buffer = buffer, .comm = comm, .root = root};
    const int value = chosen(-2);
    int rank, linear = -2, tree = -2, bit = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &link.size);
    sscanf(values, "%d %d", &linear, &tree);
    rank = (rank - root + link.size) % link.size;
    if (value == linear) {
        for (int to = 1; to < link.size && rank == 0; to++)
            pass(&link, to, LINEAR_NS);
        if (rank > 0)
            take(&link, 0);
    } else if (value == tree) {
        while (bit < link.size && !(rank & bit))
            bit *= 2;
        if (rank > 0)
            take(&link, rank - bit);
        while (bit /= 2)
            pass(&link, rank + bit, TREE_NS);
    } else {
        if (rank > 0)
            take(&link, rank - 1);
        pass(&link, rank + 1, CHAIN_NS);
    }
    return MPI_SUCCESS;
}

/* Messages of a few bytes are the launched program's own. */
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const char *faults = getenv("TUNE_FAULTS"), *links = getenv("TUNE_LINKS");
    static double last_ns;
    static int calls;
    int rank, slow = -2, wrong = -2, end = -2, cold = -2;
    if (links && count == LINK_BYTES)
        return over_links(buffer, root, comm, links);
    if (!faults || count != 4096 || sscanf(faults, "%d %d %d %d", &slow, &wrong, &end, &cold) != 4)
        return PMPI_Bcast(buffer, count, type, root, comm);
    const int value = chosen(slow);
    if (value == end)
        _Exit(3);
    calls = now_ns() - last_ns > GAP_NS ? 0 : calls + 1;
    if (value == slow)
        sleep_ns(SLOW_NS);
    if (value == cold && calls < COLD_CALLS)
        sleep_ns(COLD_NS);
    const int status = PMPI_Bcast(buffer, count, type, root, comm);
    PMPI_Comm_rank(comm, &rank);
    if (value == wrong && rank != root)
        ((char *)buffer)[4095] ^= 1;
    last_ns = now_ns();
    return status;
}
