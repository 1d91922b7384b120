/* tests/mpi/unseen_frees.c - communicators that are freed, used or not, in calls that are recorded
 * and in calls that are not; MPI gives their handles to others. Any number of ranks.
 * usage: unseen_frees [COUNT [leave]]: with COUNT so many are made and freed unused, first; then it
 * leaves without another word.
 *
 * Prints how many communicators had an attribute of the profiler's when they were freed: unused
 * ones, and used ones. Both MPIs number their keys, so the profiler's are those before our own. */
#include "expect.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct known world;

static MPI_Comm made(int number, struct known *known)
{
    MPI_Comm comm;
    char name[64];
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    snprintf(name, sizeof name, "dup %d of MPI_COMM_WORLD", number);
    *known = know(comm, name);
    return comm;
}

static int own_key, with_attribute[2];

static void look_at_attribute(MPI_Comm comm, int is_used)
{
    enum { FEW = 4 };
    int has = 0;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int key = own_key - FEW; key < own_key; key++) {
        void *value;
        int flag = 0;
        has |= PMPI_Comm_get_attr(comm, key, &value, &flag) == MPI_SUCCESS && flag;
    }
    with_attribute[is_used] += has;
}

static void unused(int number)
{
    struct known known;
    MPI_Comm comm = made(number, &known);
    look_at_attribute(comm, 0);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&comm);
}

/* The first one of its kind, which the next ones would be compared with in the file. */
static void renamed(int number)
{
    struct known known;
    MPI_Comm comm = made(number, &known);
    known = know(comm, "renamed");
    EXPECT("Barrier", &known, 0, -1, 0);
    MPI_Barrier(comm);
    look_at_attribute(comm, 1);
    MPI_Comm_set_name(comm, "renamed");
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&comm);
}

/* Without a word to the profiler, but for what MPI tells it of a communicator that was used. */
static void freed_unseen(int number)
{
    struct known known;
    MPI_Comm comm = made(number, &known);
    EXPECT("Barrier", &known, 0, -1, 0);
    MPI_Barrier(comm);
    look_at_attribute(comm, 1);
    PMPI_Comm_free(&comm);
}

/* Made by a call that is not wrapped, with a handle that was another's. */
static void made_unseen(void)
{
    MPI_Comm comm;
    int size;
    char name[64];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (size == 1)
        snprintf(name, sizeof name, "communicator of rank 0");
    else
        snprintf(name, sizeof name,
                 size == 2 ? "communicator of ranks 0,1" : "communicator of ranks 0-%d", size - 1);
    struct known known = know(comm, name);
    EXPECT("Barrier", &known, 0, -1, 0);
    MPI_Barrier(comm);
    PMPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int number = 0;
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &own_key, NULL);
    renamed(++number);
    for (const int count = argc > 1 ? atoi(argv[1]) : 3; number < count;)
        unused(++number);
    if (argc > 2)
        _exit(0);
    freed_unseen(++number);
    made_unseen();
    unused(++number);
    freed_unseen(++number);
    unused(++number);
    printf("%d unused, %d used\n", with_attribute[0], with_attribute[1]);
    end();
    return 0;
}
