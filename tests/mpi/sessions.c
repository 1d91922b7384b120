/* tests/mpi/sessions.c - programs of MPI Sessions, with the records that they must give (expect.h).
 * usage: sessions alone|reversed|parts|init
 *   alone     never calls MPI_Init; recorded from its first communicator of all processes on
 *   reversed  the same, and that communicator has the processes in reversed order
 *   parts     makes communicators of single processes only
 *   init      calls MPI_Init and MPI_Finalize too, after that first communicator
 * Any number of ranks; for MPIs from version 4 on. */
#include "expect.h"
#include "resting.h"

static MPI_Session session;
static MPI_Group everyone; /* mpi://WORLD */

static void open_session(void)
{
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &everyone);
    MPI_Group_rank(everyone, &world_rank);
    MPI_Group_size(everyone, &world_size);
    open_expected();
}

/* Numbers first, first + step, ... of a process set. */
static MPI_Group every(int first, int step)
{
    MPI_Group group;
    int last = step > 0 ? world_size - 1 : 0;
    MPI_Group_range_incl(everyone, 1, (int[][3]){{first, last, step}}, &group);
    return group;
}

static MPI_Comm from_group(MPI_Group group, const char *tag)
{
    MPI_Comm comm;
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    return comm;
}

/* "rank 3", "ranks 0,2", "ranks 0-3", "ranks 0,2,4" */
static void put_ranks(char *text, int first, int step)
{
    const int stop = step > 0 ? world_size : -1;
    int used = 0, count = 0;
    for (int i = first; step > 0 ? i < stop : i > stop; i += step, count++)
        used += sprintf(text + used, "%s%d", count ? "," : "ranks ", i);
    if (count == 1)
        sprintf(text, "rank %d", first);
    else if (count > 2 && step == 1)
        sprintf(text, "ranks %d-%d", first, first + count - 1);
}

/* A label is a name and the members. */
static struct known known_as(MPI_Group group, const char *name)
{
    struct known known = {.comm = MPI_COMM_NULL};
    int size, ranks[64], members[64];
    MPI_Group_size(group, &size);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    MPI_Group_translate_ranks(group, size, ranks, everyone, members);
    int used = snprintf(known.label, sizeof known.label, "%s", name);
    for (int i = 0; i < size; i++)
        used += sprintf(known.label + used, "%s%d", i ? "," : "{", members[i]);
    strcat(known.label, "}");
    return known;
}

static void sum_on(MPI_Comm comm, struct known *known, int wanted, int flags)
{
    int in = 1, sum = 0;
    EXPECT("Allreduce", known, 4, -1, flags);
    MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != wanted)
        abort();
}

static void free_it(MPI_Comm *comm, struct known *known, int flags)
{
    EXPECT("Comm_free", known, 0, -1, flags);
    MPI_Comm_free(comm);
}

/* Every other process, twice under one tag, the second time from a session of its own. */
static void of_halves(void)
{
    const int side = world_rank % 2;
    char ranks[128], name[192];
    MPI_Group half = every(side, 2);
    put_ranks(ranks, side, 2);
    for (int i = 1; i <= 2; i++) {
        MPI_Session own;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
        snprintf(name, sizeof name, i == 1 ? "group half of %s" : "group 2 half of %s", ranks);
        struct known known = known_as(half, name);
        EXPECT("Comm_create_from_group", &known, 0, -1, 0);
        MPI_Comm comm = from_group(half, "half");
        sum_on(comm, &known, (world_size + 1 - side) / 2, 0);
        free_it(&comm, &known, 0);
        MPI_Session_finalize(&own);
    }
    MPI_Group_free(&half);
}

static void between_halves(void)
{
    const int side = world_rank % 2;
    char even[128], odd[128], name[320];
    MPI_Comm comm;
    if (world_size < 2)
        return;
    MPI_Group half = every(side, 2), other = every(1 - side, 2);
    put_ranks(even, 0, 2);
    put_ranks(odd, 1, 2);
    snprintf(name, sizeof name, "intercomm a/b of %s and %s", even, odd);
    struct known known = known_as(half, name);
    EXPECT("Intercomm_create_from_groups", &known, 0, -1, INTERCOMM);
    MPI_Intercomm_create_from_groups(half, 0, other, 0, "a/b", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &comm);
    sum_on(comm, &known, (world_size + side) / 2, INTERCOMM);
    free_it(&comm, &known, INTERCOMM);
    MPI_Group_free(&half);
    MPI_Group_free(&other);
}

/* The call that makes the first communicator of all is where recording begins. */
static void on_all(int is_reversed, int is_init)
{
    char ranks[128], name[192], child[256];
    MPI_Group group = is_reversed ? every(world_size - 1, -1) : every(0, 1);
    put_ranks(ranks, is_reversed ? world_size - 1 : 0, is_reversed ? -1 : 1);
    snprintf(name, sizeof name, "group org.all of %s", ranks);
    struct known known = known_as(group, name);
    MPI_Comm comm = from_group(group, "org.all"), copy;
    sum_on(comm, &known, world_size, 0);
    if (is_init)
        MPI_Init(NULL, NULL);
    EXPECT("Comm_dup", &known, 0, -1, 0);
    MPI_Comm_dup(comm, &copy);
    snprintf(child, sizeof child, "dup 1 of %s", name);
    struct known same = known_as(group, child);
    sum_on(copy, &same, world_size, 0);
    free_it(&copy, &same, 0);
    of_halves();
    between_halves();
    free_it(&comm, &known, 0);
    MPI_Group_free(&group);
}

/* MPI_COMM_WORLD, when it comes; MPI_Finalize is the end although the session is still open. */
static void on_world(void)
{
    struct known world = known_as(everyone, "MPI_COMM_WORLD");
    sum_on(MPI_COMM_WORLD, &world, world_size, 0);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "alone";
    open_session();
    if (strcmp(mode, "parts") == 0) {
        MPI_Group own;
        MPI_Group_incl(everyone, 1, &world_rank, &own);
        MPI_Comm comm = from_group(own, "own");
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
        MPI_Group_free(&own);
    } else {
        on_all(strcmp(mode, "reversed") == 0, strcmp(mode, "init") == 0);
    }
    if (strcmp(mode, "init") == 0)
        on_world();
    MPI_Group_free(&everyone);
    if (expected)
        fclose(expected);
    if (world_rank == 0) /* lines of several may come mixed */
        printf("done\n");
    return MPI_Session_finalize(&session) != MPI_SUCCESS;
}
