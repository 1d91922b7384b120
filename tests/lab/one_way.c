/* tests/lab/one_way.c - the latency of lab.sh's network: how long a message takes from each rank to
 * each other one, one way. All hosts read one hardware clock, so no round trip is halved.
 *
 * usage: one_way [MESSAGES]      (under mpirun; 101 messages a pair)
 * Rank 0 prints, by rank and by pair:
 *     rank RANK HOST_NAME MONOTONIC_SHIFT_S BOOT_ID
 *     way FROM TO MIN_US MEDIAN_US */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 64, MESSAGE_LIMIT = 100000 };

struct identity {
    char host[NAME_BYTES];
    char boot_id[NAME_BYTES];
    int64_t shift_ns; /* CLOCK_MONOTONIC against CLOCK_REALTIME */
};

static int64_t read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The one clock of the kernel that a time namespace does not shift. */
static int64_t true_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

static struct identity identify(void)
{
    struct identity own = {.shift_ns = read_ns(CLOCK_MONOTONIC) - true_ns()};
    gethostname(own.host, sizeof own.host - 1);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || fscanf(file, "%63s", own.boot_id) != 1)
        strcpy(own.boot_id, "?");
    if (file)
        fclose(file);
    return own;
}

static void print_identities(int rank, int size)
{
    struct identity own = identify();
    struct identity *all = calloc((size_t)size, sizeof *all);
    MPI_Gather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++)
        printf("rank %d %s %.0f %s\n", r, all[r].host,
               (double)(all[r].shift_ns - own.shift_ns) / 1e9, all[r].boot_id);
    free(all);
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Answer each stamp by how long it was under way. */
static void receive_stamps(int from, int count)
{
    for (int i = 0; i < count; i++) {
        int64_t stamp_ns;
        MPI_Recv(&stamp_ns, 1, MPI_INT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int64_t way_ns = true_ns() - stamp_ns;
        MPI_Send(&way_ns, 1, MPI_INT64_T, from, 0, MPI_COMM_WORLD);
    }
}

static void send_stamps(int to, int count, int64_t *ways_ns)
{
    for (int i = 0; i < count; i++) {
        int64_t stamp_ns = true_ns();
        MPI_Send(&stamp_ns, 1, MPI_INT64_T, to, 0, MPI_COMM_WORLD);
        MPI_Recv(&ways_ns[i], 1, MPI_INT64_T, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    qsort(ways_ns, (size_t)count, sizeof *ways_ns, ascending);
}

/* Minimum and median arrive on rank 0, which prints them. */
static void report_way(int rank, int from, int to, const int64_t *ways_ns, int count)
{
    int64_t figures_ns[2] = {ways_ns[0], ways_ns[count / 2]};
    if (rank == from && rank != 0)
        MPI_Send(figures_ns, 2, MPI_INT64_T, 0, 1, MPI_COMM_WORLD);
    if (rank == 0 && from != 0)
        MPI_Recv(figures_ns, 2, MPI_INT64_T, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("way %d %d %.1f %.1f\n", from, to, (double)figures_ns[0] / 1e3,
               (double)figures_ns[1] / 1e3);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int count = argc > 1 ? atoi(argv[1]) : 101;
    if (count < 1 || count > MESSAGE_LIMIT)
        MPI_Abort(MPI_COMM_WORLD, 2);
    print_identities(rank, size);
    int64_t *ways_ns = calloc((size_t)count, sizeof *ways_ns);
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++) {
            if (from == to)
                continue;
            if (rank == from)
                send_stamps(to, count, ways_ns);
            else if (rank == to)
                receive_stamps(from, count);
            report_way(rank, from, to, ways_ns, count);
        }
    free(ways_ns);
    MPI_Finalize();
    return 0;
}
