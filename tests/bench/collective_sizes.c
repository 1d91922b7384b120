/* tests/bench/collective_sizes.c - collectives of every size, many times: something to compare.
 * usage: collective_sizes ROUNDS MAX_BYTES OPERATION...
 * In each round every operation runs once with 1, 2, 4, ... MAX_BYTES bytes a rank, in an order
 * that is drawn anew for each round (the same on all ranks), so that a machine that drifts favours
 * no size (002 section 5.1: randomize what can be).
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES_MAX 512

static char *sent, *received;
static int rank_count;

static void barrier(int bytes)
{
    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(int bytes)
{
    MPI_Bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void reduce(int bytes)
{
    MPI_Reduce(sent, received, bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
}
static void allreduce(int bytes)
{
    MPI_Allreduce(sent, received, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}
static void scan(int bytes)
{
    MPI_Scan(sent, received, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}
static void gather(int bytes)
{
    MPI_Gather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void scatter(int bytes)
{
    MPI_Scatter(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void allgather(int bytes)
{
    MPI_Allgather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(int bytes)
{
    MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static const struct operation {
    const char *name;
    void (*call)(int bytes);
} operations[] = {{"barrier", barrier},     {"bcast", bcast},         {"reduce", reduce},
                  {"allreduce", allreduce}, {"scan", scan},           {"gather", gather},
                  {"scatter", scatter},     {"allgather", allgather}, {"alltoall", alltoall}};

struct one_case {
    const struct operation *operation;
    int bytes;
};

static const struct operation *find(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

static size_t add_cases(struct one_case *cases, size_t count, const struct operation *operation,
                        long max_bytes)
{
    for (long bytes = 1; bytes <= max_bytes && count < CASES_MAX; bytes *= 2) {
        cases[count++] = (struct one_case){operation, (int)bytes};
        if (operation->call == barrier)
            break;
    }
    return count;
}

static void shuffle(struct one_case *cases, size_t count, uint64_t *state)
{
    for (size_t i = count; i > 1; i--) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t j = (size_t)((*state >> 33) % i);
        struct one_case kept = cases[i - 1];
        cases[i - 1] = cases[j];
        cases[j] = kept;
    }
}

int main(int argc, char **argv)
{
    struct one_case cases[CASES_MAX];
    size_t count = 0;
    uint64_t state = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    const long rounds = argc > 1 ? atol(argv[1]) : 0, max_bytes = argc > 2 ? atol(argv[2]) : 0;
    for (int i = 3; i < argc; i++) {
        const struct operation *operation = find(argv[i]);
        if (operation)
            count = add_cases(cases, count, operation, max_bytes);
    }
    sent = calloc((size_t)rank_count, (size_t)max_bytes + 1);
    received = calloc((size_t)rank_count, (size_t)max_bytes + 1);
    if (rounds < 1 || count == 0 || !sent || !received) {
        fprintf(stderr, "usage: collective_sizes ROUNDS MAX_BYTES OPERATION...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (long round = 0; round < rounds; round++) {
        shuffle(cases, count, &state);
        for (size_t i = 0; i < count; i++)
            cases[i].operation->call(cases[i].bytes);
    }
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
