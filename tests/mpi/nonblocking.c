/* tests/mpi/nonblocking.c - every way in which a nonblocking or persistent collective ends, among
 * requests that are none. For expected.sh, on any number of ranks. */
#include "expect.h"

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define Allreduce_init MPIX_Allreduce_init
#define Barrier_init   MPIX_Barrier_init
#define Bcast_init     MPIX_Bcast_init
#else
#define Allreduce_init MPI_Allreduce_init
#define Barrier_init   MPI_Barrier_init
#define Bcast_init     MPI_Bcast_init
#endif

#define NO_COMPLETION 1
#define FREED         64

static struct known world;

static int sum_of_ranks(void)
{
    return world_size * (world_size - 1) / 2;
}

static void must(int truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "rank %d: %s\n", world_rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static MPI_Request start(int *sum)
{
    MPI_Request request;
    *sum = -1;
    EXPECT("Iallreduce", &world, sizeof *sum, -1, 0);
    MPI_Iallreduce(&world_rank, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    return request;
}

/* A message to oneself, so that the arrays hold requests of other kinds too. */
static MPI_Request message(int *received)
{
    MPI_Request request;
    MPI_Irecv(received, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
    MPI_Send(&world_rank, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
    return request;
}

static void wait_and_test_one(void)
{
    int sum, flag = 0;
    MPI_Request request = start(&sum);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    must(sum == sum_of_ranks() && request == MPI_REQUEST_NULL, "Wait");
    request = start(&sum);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    must(sum == sum_of_ranks(), "Test");
}

static void wait_and_test_all(void)
{
    int sums[40], received, flag = 0;
    MPI_Request requests[42];
    for (int i = 0; i < 40; i++)
        requests[i] = start(&sums[i]);
    requests[40] = message(&received);
    requests[41] = MPI_REQUEST_NULL;
    MPI_Waitall(42, requests, MPI_STATUSES_IGNORE);
    must(sums[39] == sum_of_ranks() && received == world_rank, "Waitall");
    for (int i = 0; i < 3; i++)
        requests[i] = start(&sums[i]);
    while (!flag)
        MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    must(sums[2] == sum_of_ranks(), "Testall");
}

static void wait_and_test_any(void)
{
    int sums[2], received, index, flag, left = 3;
    MPI_Request requests[3] = {message(&received), start(&sums[0]), start(&sums[1])};
    for (int i = 0; i < 3; i++)
        MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    must(sums[1] == sum_of_ranks() && received == world_rank, "Waitany");
    requests[0] = start(&sums[0]);
    requests[1] = message(&received);
    requests[2] = start(&sums[1]);
    while (left > 0) {
        MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
        left -= flag && index != MPI_UNDEFINED;
    }
    must(sums[0] == sum_of_ranks(), "Testany");
}

static void wait_and_test_some(void)
{
    int sums[3], count, indices[3], left = 3;
    MPI_Request requests[3];
    for (int i = 0; i < 3; i++)
        requests[i] = start(&sums[i]);
    while (left > 0) {
        MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
        left -= count;
    }
    for (int i = 0; i < 3; i++)
        requests[i] = start(&sums[i]);
    for (left = 3; left > 0; left -= count)
        MPI_Testsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
    must(sums[2] == sum_of_ranks(), "Testsome");
}

/* Each start is a record; a start of two at once gives both. */
static void persistent(void)
{
    int sum;
    MPI_Request requests[2];
    Allreduce_init(&world_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[0]);
    for (int i = 0; i < 3; i++) {
        EXPECT("Allreduce_init", &world, sizeof sum, -1, 0);
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        must(sum == sum_of_ranks(), "Start");
    }
    Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    EXPECT("Allreduce_init", &world, sizeof sum, -1, 0);
    EXPECT("Barrier_init", &world, 0, -1, 0);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

enum { REQUEST_COUNT = 5 };

/* A persistent one; with Open MPI two more and a message. (MPICH 4.0.2 takes a persistent
 * collective that is inactive for one that is complete: Waitany returns it for ever.) */
struct mixture {
    MPI_Request requests[REQUEST_COUNT];
    int sum, value, received;
};

#ifdef OPEN_MPI
enum { STARTED_COUNT = 4 };
#define TESTALL MPI_Testall

static void prepare_more(struct mixture *mixture)
{
    Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &mixture->requests[2]);
    Bcast_init(&mixture->value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
               &mixture->requests[4]);
}

static void start_more(struct mixture *mixture)
{
    mixture->value = world_rank == 0 ? 77 : -1;
    EXPECT("Barrier_init", &world, 0, -1, 0);
    MPI_Start(&mixture->requests[2]);
    EXPECT("Bcast_init", &world, sizeof(int), 0, 0);
    MPI_Start(&mixture->requests[4]);
    mixture->requests[3] = message(&mixture->received);
}
#else
enum { STARTED_COUNT = 1 };

/* MPICH 4.0.2's own fails for persistent collectives. */
static void TESTALL(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    MPI_Waitall(count, requests, statuses);
    *flag = 1;
}

static void prepare_more(struct mixture *mixture)
{
    mixture->value = 77;
    mixture->received = world_rank;
}

static void start_more(struct mixture *mixture)
{
    (void)mixture;
}
#endif

static void prepare(struct mixture *mixture)
{
    for (int i = 0; i < REQUEST_COUNT; i++)
        mixture->requests[i] = MPI_REQUEST_NULL;
    Allreduce_init(&world_rank, &mixture->sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &mixture->requests[1]);
    prepare_more(mixture);
}

static void start_mixture(struct mixture *mixture)
{
    mixture->sum = -1;
    EXPECT("Allreduce_init", &world, sizeof(int), -1, 0);
    MPI_Start(&mixture->requests[1]);
    start_more(mixture);
}

static void must_be_done(const struct mixture *mixture, const char *what)
{
    must(mixture->sum == sum_of_ranks() && mixture->value == 77 &&
             mixture->received == world_rank && mixture->requests[3] == MPI_REQUEST_NULL &&
             mixture->requests[1] != MPI_REQUEST_NULL,
         what);
}

/* Handles of persistent requests stay: only the indices show which ones a call completes. */
static void persistent_by_index(void)
{
    struct mixture mixture;
    MPI_Request *requests = mixture.requests;
    int index, flag, count, indices[REQUEST_COUNT], left;
    prepare(&mixture);
    start_mixture(&mixture);
    for (left = STARTED_COUNT; left > 0; left--)
        MPI_Waitany(REQUEST_COUNT, requests, &index, MPI_STATUS_IGNORE);
    must_be_done(&mixture, "persistent Waitany");
    start_mixture(&mixture);
    for (left = STARTED_COUNT; left > 0; left -= count)
        MPI_Waitsome(REQUEST_COUNT, requests, &count, indices, MPI_STATUSES_IGNORE);
    must_be_done(&mixture, "persistent Waitsome");
    start_mixture(&mixture);
    for (left = STARTED_COUNT; left > 0; left -= flag && index != MPI_UNDEFINED)
        MPI_Testany(REQUEST_COUNT, requests, &index, &flag, MPI_STATUS_IGNORE);
    must_be_done(&mixture, "persistent Testany");
    start_mixture(&mixture);
    for (left = STARTED_COUNT; left > 0; left -= count)
        MPI_Testsome(REQUEST_COUNT, requests, &count, indices, MPI_STATUSES_IGNORE);
    must_be_done(&mixture, "persistent Testsome");
    start_mixture(&mixture);
    for (flag = 0; !flag;)
        TESTALL(REQUEST_COUNT, requests, &flag, MPI_STATUSES_IGNORE);
    must_be_done(&mixture, "persistent Testall");
    start_mixture(&mixture);
    for (int i = 0; i < REQUEST_COUNT; i++)
        for (flag = 0; !flag;)
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    must_be_done(&mixture, "persistent Test");
    for (int i = 0; i < REQUEST_COUNT; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
}

/* Alone it is complete when it returns, whatever becomes of the request. */
static int flags_of(int flags)
{
    return world_size == 1 ? 0 : flags;
}

/* MPI forbids it for a collective. Where it refuses, the request can still be waited for; Open MPI
 * frees one that is complete. */
static void freed(void)
{
    MPI_Request request;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    const int refused = MPI_Request_free(&request) != MPI_SUCCESS;
    EXPECT("Ibarrier", &world, 0, -1, refused ? 0 : flags_of(FREED | NO_COMPLETION));
    if (refused)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* A message whose request may have the handle of a collective that is complete. */
static void handles_used_again(void)
{
    int sum, received;
    for (int i = 0; i < 10; i++) {
        MPI_Request request = start(&sum);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        request = message(&received);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Erroneous, and yet in programs: MPI_Finalize comes first. A blocking call in between has it
 * progress. */
static void never_completed(void)
{
    static MPI_Request request;
    EXPECT("Ibarrier", &world, 0, -1, flags_of(NO_COMPLETION));
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    wait_and_test_one();
    wait_and_test_all();
    wait_and_test_any();
    wait_and_test_some();
    persistent();
    persistent_by_index();
    freed();
    handles_used_again();
    never_completed();
    end();
    return 0;
}
