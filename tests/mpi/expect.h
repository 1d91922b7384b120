/* tests/mpi/expect.h - a program that says before each call of MPI what record it must give.
 *
 *     EXPECT(op, communicator, bytes, root, flags);
 *     MPI_Op(...);
 *
 * The lines go to the file RANK in the directory that the variable EXPECTED names, in dump_trace's
 * form; without the variable nowhere. */
#ifndef EXPECT_H
#define EXPECT_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILED    2
#define IN_PLACE  4
#define INTERCOMM 32

static int world_rank, world_size;
static FILE *expected;

/* How the trace will call a communicator, and how many collectives it has had. */
struct known {
    MPI_Comm comm;
    char label[512];
    long sequence;
};

/* Label what has `group` by the name it must have and its world ranks. */
static __attribute__((unused)) struct known know_group(MPI_Group group, const char *name)
{
    struct known known = {.comm = MPI_COMM_NULL};
    MPI_Group world;
    int size, ranks[64], world_ranks[64];
    MPI_Group_size(group, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    MPI_Group_translate_ranks(group, size, ranks, world, world_ranks);
    int used = snprintf(known.label, sizeof known.label, "%s", name);
    for (int i = 0; i < size; i++)
        used += snprintf(known.label + used, sizeof known.label - (size_t)used, "%s%d",
                         i ? "," : "{", world_ranks[i] == MPI_UNDEFINED ? -1 : world_ranks[i]);
    snprintf(known.label + used, sizeof known.label - (size_t)used, "}");
    MPI_Group_free(&world);
    return known;
}

static __attribute__((unused)) struct known know(MPI_Comm comm, const char *name)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    struct known known = know_group(group, name);
    known.comm = comm;
    MPI_Group_free(&group);
    return known;
}

static __attribute__((unused)) void expect(int thread, const char *op, struct known *on, long bytes,
                                           int root, int flags)
{
    const char *prefix = strncmp(op, "MPIX_", 5) == 0 ? "" : "MPI_";
    if (expected)
        fprintf(expected, "%d %d %s%s %s %ld %ld %d %d\n", world_rank, thread, prefix, op,
                on->label, on->sequence, bytes, root, flags);
    on->sequence++;
}

#define EXPECT(op, on, bytes, root, flags) expect(0, op, on, (long)(bytes), root, flags)

/* Call this once world_rank is known. */
static void open_expected(void)
{
    const char *directory = getenv("EXPECTED");
    char path[4096];
    if (!directory)
        return;
    snprintf(path, sizeof path, "%s/%d", directory, world_rank);
    expected = fopen(path, "w");
}

static __attribute__((unused)) void begin_initialized(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    open_expected();
}

static __attribute__((unused)) void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    begin_initialized();
}

static __attribute__((unused)) void end(void)
{
    if (expected)
        fclose(expected);
    MPI_Finalize();
}

#endif
