/* tests/mpi/communicators.c - communicators of every making, and collectives on each: making and
 * freeing one are collectives themselves; identities must agree over ranks, names say how it came
 * about, numbers restart for none. Any number of ranks. */
#include "expect.h"

static struct known world, self;

/* A barrier on it, and its end: collectives `from` and later of that communicator. */
static void use_and_free_from(MPI_Comm comm, const char *name, long from)
{
    if (comm == MPI_COMM_NULL)
        return;
    struct known known = know(comm, name);
    known.sequence = from;
    EXPECT("Barrier", &known, 0, -1, 0);
    MPI_Barrier(comm);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&comm);
}

static void use_and_free(MPI_Comm comm, const char *name)
{
    use_and_free_from(comm, name, 0);
}

/* Children of MPI_COMM_WORLD are numbered in order on all its ranks, whichever ranks are in them.
 */
static void children(void)
{
    MPI_Comm comm;
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use_and_free(comm, "dup 1 of MPI_COMM_WORLD");
    EXPECT("Comm_dup_with_info", &world, 0, -1, 0);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    use_and_free(comm, "dup 2 of MPI_COMM_WORLD");
    MPI_Info no_hints;
    MPI_Info_create(&no_hints);
    EXPECT("Comm_set_info", &world, 0, -1, 0);
    MPI_Comm_set_info(MPI_COMM_WORLD, no_hints);
    MPI_Info_free(&no_hints);
    EXPECT("Comm_split", &world, 0, -1, 0);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comm);
    use_and_free(comm, "split 1 of MPI_COMM_WORLD");
    /* A rank that is in no part of it takes part in making it. */
    EXPECT("Comm_split", &world, 0, -1, 0);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
    use_and_free(comm, "split 2 of MPI_COMM_WORLD");
    EXPECT("Comm_split_type", &world, 0, -1, 0);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use_and_free(comm, "typed split 1 of MPI_COMM_WORLD");
}

static void duplicates_in_time(void)
{
    MPI_Comm comm, other;
    MPI_Request request[2];
    EXPECT("Comm_idup", &world, 0, -1, 0);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    use_and_free(comm, "dup 3 of MPI_COMM_WORLD");
    EXPECT("Comm_idup", &world, 0, -1, 0);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request[0]);
    EXPECT("Comm_idup", &world, 0, -1, 0);
    MPI_Comm_idup(MPI_COMM_WORLD, &other, &request[1]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    use_and_free(other, "dup 5 of MPI_COMM_WORLD");
    struct known known = know(comm, "dup 4 of MPI_COMM_WORLD");
    EXPECT("Comm_disconnect", &known, 0, -1, 0);
    MPI_Comm_disconnect(&comm);
#if MPI_VERSION >= 4
    EXPECT("Comm_idup_with_info", &world, 0, -1, 0);
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
#else
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
#endif
    use_and_free(comm, "dup 6 of MPI_COMM_WORLD");
}

static void of_groups(void)
{
    MPI_Group all, first;
    MPI_Comm comm;
    const int ranks[2] = {world_size > 1 ? 1 : 0, 0}, count = world_size > 1 ? 2 : 1;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, count, ranks, &first);
    EXPECT("Comm_create", &world, 0, -1, 0);
    MPI_Comm_create(MPI_COMM_WORLD, first, &comm);
    use_and_free(comm, "group 1 of MPI_COMM_WORLD");
    /* Only the members call: it is the first collective of what it makes. */
    for (int i = 1; i <= 3 && world_rank < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "group %d of MPI_COMM_WORLD", i);
        struct known known = know_group(first, name);
        EXPECT("Comm_create_group", &known, 0, -1, 0);
        MPI_Comm_create_group(MPI_COMM_WORLD, first, 7, &comm);
        use_and_free_from(comm, name, 1);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&all);
}

static void grids(void)
{
    MPI_Comm grid, part;
    int dimensions[3] = {0, 0, 0}, periods[3] = {0, 0, 0};
    char name[64], rows[96];
    MPI_Dims_create(world_size, 2, dimensions);
    EXPECT("Cart_create", &world, 0, -1, 0);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &grid);
    snprintf(name, sizeof name, "%dx%d cart 1 of MPI_COMM_WORLD", dimensions[0], dimensions[1]);
    struct known known = know(grid, name);
    EXPECT("Cart_sub", &known, 0, -1, 0);
    MPI_Cart_sub(grid, (int[]){0, 1}, &part);
    snprintf(rows, sizeof rows, "rows 1 of %s", name);
    use_and_free(part, rows);
    EXPECT("Cart_sub", &known, 0, -1, 0);
    MPI_Cart_sub(grid, (int[]){1, 0}, &part);
    snprintf(rows, sizeof rows, "columns 2 of %s", name);
    use_and_free(part, rows);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&grid);
    /* Too small for all: the others get none, and take part. */
    EXPECT("Cart_create", &world, 0, -1, 0);
    MPI_Cart_create(MPI_COMM_WORLD, 3, (int[]){1, 1, 1}, periods, 0, &grid);
    use_and_free(grid, "1x1x1 cart 2 of MPI_COMM_WORLD");
}

static void graphs(void)
{
    MPI_Comm graph;
    int index[64], edges[64];
    for (int i = 0; i < world_size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % world_size;
    }
    EXPECT("Graph_create", &world, 0, -1, 0);
    MPI_Graph_create(MPI_COMM_WORLD, world_size, index, edges, 0, &graph);
    use_and_free(graph, "graph 1 of MPI_COMM_WORLD");
    const int next = (world_rank + 1) % world_size,
              before = (world_rank + world_size - 1) % world_size, one = 1;
    EXPECT("Dist_graph_create_adjacent", &world, 0, -1, 0);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    struct known known = know(graph, "graph 2 of MPI_COMM_WORLD");
    int in = world_rank, out;
    EXPECT("Neighbor_alltoall", &known, 4, -1, 0);
    MPI_Neighbor_alltoall(&in, 1, MPI_INT, &out, 1, MPI_INT, graph);
    EXPECT("Neighbor_alltoallv", &known, 4, -1, 0);
    MPI_Neighbor_alltoallv(&in, &one, (int[]){0}, MPI_INT, &out, &one, (int[]){0}, MPI_INT, graph);
    /* A duplicate has its neighbours. */
    MPI_Comm copy;
    EXPECT("Comm_dup", &known, 0, -1, 0);
    MPI_Comm_dup(graph, &copy);
    struct known same = know(copy, "dup 1 of graph 2 of MPI_COMM_WORLD");
    EXPECT("Neighbor_alltoallv", &same, 4, -1, 0);
    MPI_Neighbor_alltoallv(&in, &one, (int[]){0}, MPI_INT, &out, &one, (int[]){0}, MPI_INT, copy);
    EXPECT("Comm_free", &same, 0, -1, 0);
    MPI_Comm_free(&copy);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&graph);
    EXPECT("Dist_graph_create", &world, 0, -1, 0);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &world_rank, &one, &next, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &graph);
    use_and_free(graph, "graph 3 of MPI_COMM_WORLD");
}

/* Rooted operations between two groups: blocks are those of the rank that has any; the root is a
 * rank of its own group; ranks beside the root take no part. */
static void rooted_between(struct known *known, MPI_Comm inter, int in_first)
{
    int in[64] = {0}, out[64] = {0};
    const int root = !in_first ? 0 : world_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    const int bytes = root == MPI_PROC_NULL ? 0 : 8, recorded = root == MPI_PROC_NULL ? -1 : 0;
    EXPECT("Bcast", known, bytes, recorded, INTERCOMM);
    MPI_Bcast(in, 2, MPI_INT, root, inter);
    EXPECT("Gather", known, bytes, recorded, INTERCOMM);
    MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, inter);
    EXPECT("Scatter", known, bytes, recorded, INTERCOMM);
    MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, inter);
    EXPECT("Reduce", known, bytes, recorded, INTERCOMM);
    MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, root, inter);
}

/* "rank 3", "ranks 0,1", "ranks 0-3" */
static void put_ranks(char *text, size_t bytes, int first, int last)
{
    if (first == last)
        snprintf(text, bytes, "rank %d", first);
    else
        snprintf(text, bytes, "ranks %d%s%d", first, last - first == 1 ? "," : "-", last);
}

static void on_two_groups(MPI_Comm half, int in_first)
{
    MPI_Comm inter, merged, copy;
    MPI_Group own;
    int in[64] = {0}, out[64] = {0};
    char first[32], second[32], name[128], child[192];
    put_ranks(first, sizeof first, 0, world_size / 2 - 1);
    put_ranks(second, sizeof second, world_size / 2, world_size - 1);
    snprintf(name, sizeof name, "intercomm of %s and %s", first, second);
    MPI_Comm_group(half, &own);
    struct known known = know_group(own, name);
    MPI_Group_free(&own);
    /* Both groups together: the first collective of what it makes. */
    EXPECT("Intercomm_create", &known, 0, -1, INTERCOMM);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, in_first ? world_size / 2 : 0, 5, &inter);
    EXPECT("Allreduce", &known, 4, -1, INTERCOMM);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, inter);
    EXPECT("Alltoall", &known, 4, -1, INTERCOMM);
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, inter);
    rooted_between(&known, inter, in_first);
    EXPECT("Comm_dup", &known, 0, -1, INTERCOMM);
    MPI_Comm_dup(inter, &copy);
    snprintf(child, sizeof child, "dup 1 of %s", name);
    struct known other = know(copy, child);
    EXPECT("Barrier", &other, 0, -1, INTERCOMM);
    MPI_Barrier(copy);
    EXPECT("Comm_free", &other, 0, -1, INTERCOMM);
    MPI_Comm_free(&copy);
    EXPECT("Intercomm_merge", &known, 0, -1, INTERCOMM);
    MPI_Intercomm_merge(inter, in_first, &merged);
    snprintf(child, sizeof child, "merge 1 of %s", name);
    use_and_free(merged, child);
    EXPECT("Comm_free", &known, 0, -1, INTERCOMM);
    MPI_Comm_free(&inter);
}

static void between_groups(void)
{
    MPI_Comm half;
    const int in_first = world_rank < world_size / 2;
    EXPECT("Comm_split", &world, 0, -1, 0);
    MPI_Comm_split(MPI_COMM_WORLD, in_first, 0, &half);
    struct known known = know(half, "split 3 of MPI_COMM_WORLD");
    if (world_size > 1)
        on_two_groups(half, in_first);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&half);
}

/* Handles are used again: a new communicator must not be taken for the old one. */
static void again_and_again(void)
{
    for (int i = 4; i < 24; i++) {
        MPI_Comm comm;
        char name[64];
        EXPECT("Comm_split", &world, 0, -1, 0);
        MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 0 ? world_rank : 0, 0, &comm);
        snprintf(name, sizeof name, "split %d of MPI_COMM_WORLD", i);
        use_and_free(comm, name);
    }
}

/* More than the table begins with, alive at once. */
static void many(void)
{
    enum { MANY = 300 };
    static MPI_Comm comms[MANY];
    for (int i = 0; i < MANY; i++) {
        EXPECT("Comm_dup", &self, 0, -1, 0);
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    }
    for (int i = 0; i < MANY; i++) {
        char name[64];
        snprintf(name, sizeof name, "dup %d of MPI_COMM_SELF", i + 1);
        use_and_free(comms[i], name);
    }
}

/* A call that MPI refuses on one rank alone is none of the communicator's collectives; numbers go
 * on alike. */
static void refused(void)
{
    MPI_Comm comm;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (world_rank == 0 && (MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm) == MPI_SUCCESS ||
                            MPI_Comm_dup(MPI_COMM_NULL, &comm) == MPI_SUCCESS))
        abort();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    EXPECT("Comm_split", &world, 0, -1, 0);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    use_and_free(comm, "split 24 of MPI_COMM_WORLD");
}

static void make_and_free(struct known *parent, const char *name, int number, int is_named)
{
    MPI_Comm comm;
    char full[128];
    EXPECT("Comm_dup", parent, 0, -1, 0);
    MPI_Comm_dup(parent->comm, &comm);
    if (is_named)
        snprintf(full, sizeof full, "unused %d", number);
    else
        snprintf(full, sizeof full, "dup %d of %s", number, name);
    if (is_named)
        MPI_Comm_set_name(comm, full);
    struct known known = know(comm, full);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&comm);
}

/* A duplicate that is freed unused must not be mistaken for the next one of the same parent, nor
 * for a duplicate of another parent that comes between: each has its own name, index and
 * members. */
static void made_and_freed(void)
{
    MPI_Comm half;
    EXPECT("Comm_split", &world, 0, -1, 0);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
    struct known part = know(half, "split 25 of MPI_COMM_WORLD");
    for (int i = 0; i < 200; i++)
        make_and_free(&world, "MPI_COMM_WORLD", 7 + i, i % 50 == 9);
    for (int i = 0; i < 6; i++) {
        make_and_free(&part, "split 25 of MPI_COMM_WORLD", i + 1, i == 4);
        make_and_free(&world, "MPI_COMM_WORLD", 207 + i, 0);
        make_and_free(&self, "MPI_COMM_SELF", 301 + 2 * i, 0);
        make_and_free(&self, "MPI_COMM_SELF", 302 + 2 * i, 0);
    }
    use_and_free_from(half, "split 25 of MPI_COMM_WORLD", part.sequence);
}

int main(int argc, char **argv)
{
    MPI_Comm named;
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    self = know(MPI_COMM_SELF, "MPI_COMM_SELF");
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    children();
    duplicates_in_time();
    of_groups();
    grids();
    graphs();
    between_groups();
    again_and_again();
    many();
    refused();
    made_and_freed();
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &named);
    MPI_Comm_set_name(named, "atmosphere");
    use_and_free(named, "atmosphere");
    end();
    return 0;
}
