/* tests/mpi/spawn.c - a program that starts three more of itself, works with them, and starts them
 * once again; what each process must have recorded is said as it goes (expect.h). Its exit status
 * is 3 where this MPI cannot start processes. usage: spawn [TIMES]. */
#include "expect.h"

static struct known world;

/* "{0,1}" of this world, at a communicator that has others as well. */
static struct known know_here(const char *name)
{
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    struct known known = know_group(group, name);
    MPI_Group_free(&group);
    return known;
}

/* Collectives of both sides with each other, and of all as one. */
static void together(MPI_Comm *inter, struct known *known, const char *name, int is_child)
{
    char merged_name[256];
    MPI_Comm merged;
    int in = 1, sum = 0, size;
    EXPECT("Barrier", known, 0, -1, INTERCOMM);
    MPI_Barrier(*inter);
    EXPECT("Intercomm_merge", known, 0, -1, INTERCOMM);
    MPI_Intercomm_merge(*inter, is_child, &merged);
    MPI_Comm_size(merged, &size);
    snprintf(merged_name, sizeof merged_name, "merge 1 of %s", name);
    /* The ranks of the other world are not known: -1. Those who started come first. */
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
    MPI_Comm_disconnect(inter);
}

static int start_others(const char *program, int time)
{
    MPI_Comm inter;
    char name[64];
    int errors[3];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int failed = MPI_Comm_spawn(program, MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                      &inter, errors) != MPI_SUCCESS;
    EXPECT("Comm_spawn", &world, 0, -1, failed ? FAILED : 0);
    if (failed)
        return 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    snprintf(name, sizeof name, "spawn %d of MPI_COMM_WORLD", time);
    struct known known = know_here(name);
    together(&inter, &known, name, 0);
    return 1;
}

/* The children's expectations go elsewhere: DIRECTORY.spawned, which the first time only has. */
static void expect_elsewhere(void)
{
    char directory[4096];
    if (!getenv("EXPECTED"))
        return;
    snprintf(directory, sizeof directory, "%s.spawned", getenv("EXPECTED"));
    setenv("EXPECTED", directory, 1);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int can = 1;
    const int times = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    const int is_child = parent != MPI_COMM_NULL; /* it starts nobody: it would never end */
    if (is_child)
        expect_elsewhere();
    begin_initialized();
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_child) {
        struct known known = know_here("MPI_COMM_PARENT");
        together(&parent, &known, "MPI_COMM_PARENT", 1);
    }
    for (int time = 1; !is_child && can && time <= times; time++)
        can = start_others(argv[0], time);
    end();
    return can ? 0 : 3;
}
