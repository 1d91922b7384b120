/* tests/mpi/connect.c - two groups of processes that meet by MPI_Comm_accept and MPI_Comm_connect,
 * with the records that this must give (expect.h).
 * usage: connect [accept|connect PORTFILE]
 *   without arguments   the first half of MPI_COMM_WORLD meets the other half; two ranks at least
 *   with                one of two programs, each with a world of its own; the one that accepts
 *                       writes the name of the port into PORTFILE, for which the other waits
 * Exit status 3 where this MPI cannot. */
#include "expect.h"

#include <unistd.h>

static struct known world;

/* By rank 0; 0 on all where this MPI has none. */
static int open_port(char *port)
{
    int can = 1;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (world_rank == 0)
        can = MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS;
    EXPECT("Bcast", &world, 4, 0, 0);
    MPI_Bcast(&can, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return can;
}

static void write_port(const char *path, const char *port)
{
    char part[4096];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "w");
    if (!file || fputs(port, file) < 0 || fclose(file) || rename(part, path))
        abort();
}

static void read_port(const char *path, char *port)
{
    FILE *file;
    while (!(file = fopen(path, "r")))
        usleep(10000);
    if (!fgets(port, MPI_MAX_PORT_NAME, file))
        abort();
    fclose(file);
}

/* Collectives of both sides with each other. */
static void together(MPI_Comm inter, struct known *known, const char *name, int is_late)
{
    MPI_Comm merged;
    char merged_name[320];
    int in = 1, sum = 0, size;
    EXPECT("Barrier", known, 0, -1, INTERCOMM);
    MPI_Barrier(inter);
    EXPECT("Intercomm_merge", known, 0, -1, INTERCOMM);
    MPI_Intercomm_merge(inter, is_late, &merged);
    MPI_Comm_size(merged, &size);
    snprintf(merged_name, sizeof merged_name, "merge 1 of %s", name);
    struct known all = know(merged, merged_name);
    for (int i = 0; i < 3; i++) {
        EXPECT("Allreduce", &all, 4, -1, 0);
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, merged);
    }
    if (sum != size)
        abort();
    EXPECT("Comm_free", &all, 0, -1, 0);
    MPI_Comm_free(&merged);
    EXPECT("Comm_disconnect", known, 0, -1, INTERCOMM);
    MPI_Comm_disconnect(&inter);
}

/* Twice, over one port. `of`: what a connection's name says it is of. */
static void meet(MPI_Comm own, struct known *known, const char *of, const char *port, int accepts)
{
    MPI_Group group;
    MPI_Comm_group(own, &group);
    for (int time = 1; time <= 2; time++) {
        MPI_Comm inter;
        char name[192];
        EXPECT(accepts ? "Comm_accept" : "Comm_connect", known, 0, -1, 0);
        if (accepts)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, own, &inter);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, own, &inter);
        if (time == 1 && own != MPI_COMM_WORLD)
            snprintf(name, sizeof name, "connection of %s", of);
        else
            snprintf(name, sizeof name, "connection %d of %s", time, of);
        struct known other = know_group(group, name);
        together(inter, &other, name, !accepts);
    }
    MPI_Group_free(&group);
}

/* "rank 3", "ranks 0,1", "ranks 0-3" */
static int put_ranks(char *text, size_t bytes, int first, int last)
{
    if (first == last)
        return snprintf(text, bytes, "rank %d", first);
    return snprintf(text, bytes, "ranks %d%s%d", first, last - first == 1 ? "," : "-", last);
}

static int of_one_world(void)
{
    MPI_Comm half;
    char port[MPI_MAX_PORT_NAME], both[128];
    int used;
    const int accepts = world_rank < world_size / 2, leader = world_size / 2;
    if (!open_port(port))
        return 0;
    EXPECT("Comm_split", &world, 0, -1, 0);
    MPI_Comm_split(MPI_COMM_WORLD, accepts, 0, &half);
    struct known known = know(half, "split 1 of MPI_COMM_WORLD");
    if (world_rank == 0) {
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, leader, 1, MPI_COMM_WORLD);
    } else if (world_rank == leader) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    used = put_ranks(both, sizeof both, 0, leader - 1);
    used += snprintf(both + used, sizeof both - (size_t)used, " and ");
    put_ranks(both + used, sizeof both - (size_t)used, leader, world_size - 1);
    meet(half, &known, both, port, accepts);
    if (world_rank == 0)
        MPI_Close_port(port);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&half);
    return 1;
}

static int of_two_worlds(int accepts, const char *path)
{
    char port[MPI_MAX_PORT_NAME];
    if (accepts && !open_port(port))
        return 0;
    if (world_rank == 0 && accepts) {
        write_port(path, port);
    } else if (world_rank == 0) {
        read_port(path, port);
    }
    meet(MPI_COMM_WORLD, &world, "MPI_COMM_WORLD", port, accepts);
    if (world_rank == 0 && accepts)
        MPI_Close_port(port);
    return 1;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    const int can =
        argc > 2 ? of_two_worlds(strcmp(argv[1], "accept") == 0, argv[2]) : of_one_world();
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    end();
    return can ? 0 : 3;
}
