/* tests/mpi/late_free.c - communicators that are freed while MPI still holds them: a collective is
 * pending on one, persistent messages are made on another, a persistent collective on a third. What
 * is made afterwards is recorded as itself. For expected.sh, on two ranks and more. */
#include "expect.h"

#include <unistd.h>

#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define Barrier_init MPIX_Barrier_init
#else
#define Barrier_init MPI_Barrier_init
#endif

#define ROUNDS 3

static struct known world;
static int dup_count;

static struct known duplicate(void)
{
    MPI_Comm made;
    char name[64];
    snprintf(name, sizeof name, "dup %d of MPI_COMM_WORLD", ++dup_count);
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    return know(made, name);
}

static void give_up(struct known *comm)
{
    EXPECT("Comm_free", comm, 0, -1, 0);
    MPI_Comm_free(&comm->comm);
}

/* New ones, some of which may get what belonged to that which is on its way out. */
static void make(struct known made[2])
{
    for (int i = 0; i < 2; i++)
        made[i] = duplicate();
}

static void use(struct known made[2])
{
    for (int i = 0; i < 2; i++) {
        EXPECT("Barrier", &made[i], 0, -1, 0);
        MPI_Barrier(made[i].comm);
    }
    for (int i = 0; i < 2; i++)
        give_up(&made[i]);
}

#ifdef OPEN_MPI
/* Open MPI 4.1's libnbc goes on with a communicator that is gone, and crashes by itself. */
static void with_collective_pending(void)
{
}
#else
static void with_collective_pending(void)
{
    int sum;
    MPI_Request request;
    struct known made[2], freed = duplicate();
    if (world_rank == world_size - 1)
        usleep(30000); /* the others cannot have completed it */
    EXPECT("Iallreduce", &freed, sizeof sum, -1, 0);
    MPI_Iallreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, freed.comm, &request);
    give_up(&freed);
    make(made);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(made);
}
#endif

static void with_persistent_messages(void)
{
    int sent = 1, received;
    MPI_Request requests[2];
    struct known made[2], freed = duplicate();
    MPI_Send_init(&sent, 1, MPI_INT, world_rank, 1, freed.comm, &requests[0]);
    MPI_Recv_init(&received, 1, MPI_INT, world_rank, 1, freed.comm, &requests[1]);
    give_up(&freed);
    make(made);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    use(made);
}

static void with_persistent_collective(void)
{
    MPI_Request request;
    struct known made[2], freed = duplicate();
    Barrier_init(freed.comm, MPI_INFO_NULL, &request);
    give_up(&freed);
    make(made);
    for (int i = 0; i < 2; i++) {
        EXPECT("Barrier_init", &freed, 0, -1, 0);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    use(made);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    for (int round = 0; round < ROUNDS; round++) {
        with_collective_pending();
        with_persistent_messages();
        with_persistent_collective();
    }
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    end();
    return 0;
}
