/* tests/mpi/communicators.c - communicators of every making, and collectives on each: identities
 * must agree over ranks, names say how it came about, numbers restart for none. Any number of
 * ranks. */
#include "expect.h"

static void use(MPI_Comm comm, const char *name)
{
    if (comm == MPI_COMM_NULL)
        return;
    struct known known = know(comm, name);
    EXPECT("Barrier", &known, 0, -1, 0);
    MPI_Barrier(comm);
}

static void use_and_free(MPI_Comm comm, const char *name)
{
    if (comm == MPI_COMM_NULL)
        return;
    use(comm, name);
    MPI_Comm_free(&comm);
}

/* Children of MPI_COMM_WORLD are numbered in order on all its ranks, whichever ranks are in them.
 */
static void children(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use_and_free(comm, "dup of MPI_COMM_WORLD #1");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    use_and_free(comm, "dup of MPI_COMM_WORLD #2");
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comm);
    use_and_free(comm, "split of MPI_COMM_WORLD #3");
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
    use_and_free(comm, "split of MPI_COMM_WORLD #4");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use_and_free(comm, "split by type of MPI_COMM_WORLD #5");
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_and_free(comm, "dup of MPI_COMM_WORLD #6");
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&comm);
}

static void of_groups(void)
{
    MPI_Group world, first;
    MPI_Comm comm;
    const int ranks[2] = {world_size > 1 ? 1 : 0, 0}, count = world_size > 1 ? 2 : 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &first);
    MPI_Comm_create(MPI_COMM_WORLD, first, &comm);
    use_and_free(comm, "group of MPI_COMM_WORLD #8");
    /* Only the members call: not counted among the children. */
    for (int i = 1; i <= 3 && world_rank < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "group of MPI_COMM_WORLD #%d", i);
        MPI_Comm_create_group(MPI_COMM_WORLD, first, 7, &comm);
        use_and_free(comm, name);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&world);
}

static void topologies(void)
{
    MPI_Comm grid, row, graph;
    int dimensions[2] = {0, 0}, periods[2] = {0, 0};
    MPI_Dims_create(world_size, 2, dimensions);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &grid);
    use(grid, "cart of MPI_COMM_WORLD #9");
    MPI_Cart_sub(grid, (int[]){0, 1}, &row);
    use_and_free(row, "sub-grid of cart of MPI_COMM_WORLD #9 #1");
    MPI_Comm_free(&grid);
    int index[64], edges[64];
    for (int i = 0; i < world_size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % world_size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, world_size, index, edges, 0, &graph);
    use_and_free(graph, "graph of MPI_COMM_WORLD #10");
    const int next = (world_rank + 1) % world_size,
              before = (world_rank + world_size - 1) % world_size, one = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    struct known known = know(graph, "graph of MPI_COMM_WORLD #11");
    int in = world_rank, out;
    EXPECT("Neighbor_alltoall", &known, 4, -1, 0);
    MPI_Neighbor_alltoall(&in, 1, MPI_INT, &out, 1, MPI_INT, graph);
    EXPECT("Neighbor_alltoallv", &known, 4, -1, 0);
    MPI_Neighbor_alltoallv(&in, &one, (int[]){0}, MPI_INT, &out, &one, (int[]){0}, MPI_INT, graph);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &world_rank, &one, &next, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &graph);
    use_and_free(graph, "graph of MPI_COMM_WORLD #12");
}

/* Rooted operations between two groups: blocks are those of the rank that has any; the root is a
 * rank of its own group; ranks beside the root take no part. */
static void rooted_between(struct known *known, int in_first)
{
    int in[64] = {0}, out[64] = {0};
    const int root = !in_first ? 0 : world_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    const int bytes = root == MPI_PROC_NULL ? 0 : 8, recorded = root == MPI_PROC_NULL ? -1 : 0;
    EXPECT("Bcast", known, bytes, recorded, INTERCOMM);
    MPI_Bcast(in, 2, MPI_INT, root, known->comm);
    EXPECT("Gather", known, bytes, recorded, INTERCOMM);
    MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, known->comm);
    EXPECT("Scatter", known, bytes, recorded, INTERCOMM);
    MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, known->comm);
    EXPECT("Reduce", known, bytes, recorded, INTERCOMM);
    MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, root, known->comm);
}

static void between_groups(void)
{
    MPI_Comm half, inter, merged, copy;
    const int in_first = world_rank < world_size / 2;
    int in[64] = {0}, out[64] = {0};
    MPI_Comm_split(MPI_COMM_WORLD, in_first, 0, &half);
    if (world_size > 1) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, in_first ? world_size / 2 : 0, 5, &inter);
        struct known known = know(inter, "intercommunicator #1");
        EXPECT("Allreduce", &known, 4, -1, INTERCOMM);
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, inter);
        EXPECT("Alltoall", &known, 4, -1, INTERCOMM);
        MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, inter);
        rooted_between(&known, in_first);
        MPI_Comm_dup(inter, &copy);
        struct known other = know(copy, "dup of intercommunicator #1 #1");
        EXPECT("Barrier", &other, 0, -1, INTERCOMM);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
        MPI_Intercomm_merge(inter, in_first, &merged);
        use_and_free(merged, "merge of intercommunicator #1 #2");
        MPI_Comm_free(&inter);
    }
    MPI_Comm_free(&half);
}

/* Handles are used again: a new communicator must not be taken for the old one. */
static void again_and_again(void)
{
    for (int i = 14; i < 34; i++) {
        MPI_Comm comm;
        char name[64];
        MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 0 ? world_rank : 0, 0, &comm);
        snprintf(name, sizeof name, "split of MPI_COMM_WORLD #%d", i);
        use_and_free(comm, name);
    }
}

/* More than the table begins with, alive at once. */
static void many(void)
{
    enum { MANY = 300 };
    static MPI_Comm comms[MANY];
    for (int i = 0; i < MANY; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    for (int i = 0; i < MANY; i++) {
        char name[64];
        snprintf(name, sizeof name, "dup of MPI_COMM_SELF #%d", i + 1);
        use(comms[i], name);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&comms[i]);
}

int main(int argc, char **argv)
{
    MPI_Comm named;
    begin(&argc, &argv);
    use(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    children();
    of_groups();
    topologies();
    between_groups();
    again_and_again();
    many();
    MPI_Comm_dup(MPI_COMM_WORLD, &named);
    MPI_Comm_set_name(named, "atmosphere");
    use(named, "atmosphere");
    end();
    return 0;
}
