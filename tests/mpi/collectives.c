/* tests/mpi/collectives.c - every collective, each with its arguments varied, and the record it
 * must give. Compiled for each form (blocking; -DNONBLOCKING: started and waited for; -DPERSISTENT:
 * prepared, started, waited for) and for each width (-DLARGE: MPI_Count and MPI_Aint). */
#include "expect.h"
#include "forms.h"

enum { N = 3 };

static int p, me;
static struct known world;
/* A block of three ints with holes: size 12, extent 20. */
static MPI_Datatype holey;

static int ints[4096], other[4096];
static count_type counts[64];
static displacement_type displacements[64], byte_displacements[64];
static MPI_Datatype types[64];

/* Rank i's part has i + 1 elements. */
static int uneven(void)
{
    int sum = 0;
    for (int i = 0; i < p; i++) {
        counts[i] = i + 1;
        displacements[i] = sum;
        byte_displacements[i] = sum * (displacement_type)sizeof(int);
        types[i] = MPI_INT;
        sum += counts[i];
    }
    return sum;
}

static void one_to_all(int root)
{
    EXPECT("Bcast", &world, N * 4, root, 0);
    MPI_Bcast(ints, N, MPI_INT, root, world.comm);
    EXPECT("Bcast", &world, 0, root, 0);
    MPI_Bcast(NULL, 0, MPI_INT, root, world.comm);
    EXPECT("Bcast", &world, 24, root, 0);
    MPI_Bcast(ints, 2, holey, root, world.comm);
}

/* Arguments that only the root needs mean nothing on other ranks, and may be nonsense. */
static void gather(int root)
{
    const int is_root = me == root;
    EXPECT("Gather", &world, N * 4, root, 0);
    MPI_Gather(ints, N, MPI_INT, other, N, is_root ? MPI_INT : MPI_DATATYPE_NULL, root, world.comm);
    EXPECT("Gather", &world, N * 4, root, is_root ? IN_PLACE : 0);
    MPI_Gather(is_root ? MPI_IN_PLACE : ints, is_root ? -7 : N,
               is_root ? MPI_DATATYPE_NULL : MPI_INT, is_root ? other : NULL, is_root ? N : -1,
               is_root ? MPI_INT : MPI_DATATYPE_NULL, root, world.comm);
    EXPECT("Gather", &world, 12, root, 0);
    MPI_Gather(ints, 1, holey, other, 3, MPI_INT, root, world.comm);
    uneven();
    EXPECT("Gatherv", &world, (me + 1) * 4, root, 0);
    MPI_Gatherv(ints, me + 1, MPI_INT, is_root ? other : NULL, is_root ? counts : NULL,
                is_root ? displacements : NULL, is_root ? MPI_INT : MPI_DATATYPE_NULL, root,
                world.comm);
    EXPECT("Gatherv", &world, (me + 1) * 4, root, is_root ? IN_PLACE : 0);
    MPI_Gatherv(is_root ? MPI_IN_PLACE : ints, me + 1, MPI_INT, other, counts, displacements,
                MPI_INT, root, world.comm);
}

static void scatter(int root)
{
    const int is_root = me == root;
    EXPECT("Scatter", &world, N * 4, root, 0);
    MPI_Scatter(is_root ? ints : NULL, is_root ? N : -5, is_root ? MPI_INT : MPI_DATATYPE_NULL,
                other, N, MPI_INT, root, world.comm);
    EXPECT("Scatter", &world, N * 4, root, is_root ? IN_PLACE : 0);
    MPI_Scatter(ints, N, MPI_INT, is_root ? MPI_IN_PLACE : other, N, MPI_INT, root, world.comm);
    EXPECT("Scatter", &world, 0, root, 0);
    MPI_Scatter(ints, 0, MPI_INT, other, 0, MPI_INT, root, world.comm);
    uneven();
    EXPECT("Scatterv", &world, (me + 1) * 4, root, 0);
    MPI_Scatterv(is_root ? ints : NULL, is_root ? counts : NULL, is_root ? displacements : NULL,
                 is_root ? MPI_INT : MPI_DATATYPE_NULL, other, me + 1, MPI_INT, root, world.comm);
    EXPECT("Scatterv", &world, (me + 1) * 4, root, is_root ? IN_PLACE : 0);
    MPI_Scatterv(ints, counts, displacements, MPI_INT, is_root ? MPI_IN_PLACE : other, me + 1,
                 MPI_INT, root, world.comm);
}

static void reduce(int root)
{
    double in[N] = {1, 2, 3}, out[N];
    EXPECT("Reduce", &world, N * 8, root, 0);
    MPI_Reduce(in, out, N, MPI_DOUBLE, MPI_SUM, root, world.comm);
    EXPECT("Reduce", &world, N * 8, root, me == root ? IN_PLACE : 0);
    MPI_Reduce(me == root ? MPI_IN_PLACE : in, me == root ? out : NULL, N, MPI_DOUBLE, MPI_SUM,
               root, world.comm);
    EXPECT("Reduce", &world, 0, root, 0);
    MPI_Reduce(in, out, 0, MPI_DOUBLE, MPI_SUM, root, world.comm);
}

static void all_to_all(void)
{
    EXPECT("Allgather", &world, N * 4, -1, 0);
    MPI_Allgather(ints, N, MPI_INT, other, N, MPI_INT, world.comm);
    EXPECT("Allgather", &world, N * 4, -1, IN_PLACE);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, N, MPI_INT, world.comm);
    EXPECT("Alltoall", &world, N * 4, -1, 0);
    MPI_Alltoall(ints, N, MPI_INT, other, N, MPI_INT, world.comm);
    EXPECT("Alltoall", &world, N * 4, -1, IN_PLACE);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, N, MPI_INT, world.comm);
    uneven();
    EXPECT("Allgatherv", &world, (me + 1) * 4, -1, 0);
    MPI_Allgatherv(ints, me + 1, MPI_INT, other, counts, displacements, MPI_INT, world.comm);
    EXPECT("Allgatherv", &world, (me + 1) * 4, -1, IN_PLACE);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, counts, displacements, MPI_INT,
                   world.comm);
}

/* Each rank sends rank i the same number of elements as it gets from it: a symmetric matrix. */
static void all_to_all_uneven(void)
{
    int sum = 0;
    uneven();
    for (int i = 0; i < p; i++) {
        counts[i] = me + i;
        displacements[i] = sum;
        byte_displacements[i] = sum * (displacement_type)sizeof(int);
        sum += counts[i];
    }
    EXPECT("Alltoallv", &world, sum * 4 / p, -1, 0);
    MPI_Alltoallv(ints, counts, displacements, MPI_INT, other, counts, displacements, MPI_INT,
                  world.comm);
    EXPECT("Alltoallv", &world, sum * 4 / p, -1, IN_PLACE);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, other, counts, displacements,
                  MPI_INT, world.comm);
    EXPECT("Alltoallw", &world, sum * 4 / p, -1, 0);
    MPI_Alltoallw(ints, counts, byte_displacements, types, other, counts, byte_displacements, types,
                  world.comm);
    EXPECT("Alltoallw", &world, sum * 4 / p, -1, IN_PLACE);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, other, counts, byte_displacements, types,
                  world.comm);
}

static void reduce_to_all(void)
{
    long in[64 * N], out[64 * N];
    memset(in, 0, sizeof in);
    EXPECT("Allreduce", &world, N * (long)sizeof(long), -1, 0);
    MPI_Allreduce(in, out, N, MPI_LONG, MPI_MAX, world.comm);
    EXPECT("Allreduce", &world, N * (long)sizeof(long), -1, IN_PLACE);
    MPI_Allreduce(MPI_IN_PLACE, out, N, MPI_LONG, MPI_MAX, world.comm);
    EXPECT("Scan", &world, N * (long)sizeof(long), -1, 0);
    MPI_Scan(in, out, N, MPI_LONG, MPI_SUM, world.comm);
    EXPECT("Scan", &world, N * (long)sizeof(long), -1, IN_PLACE);
    MPI_Scan(MPI_IN_PLACE, out, N, MPI_LONG, MPI_SUM, world.comm);
    EXPECT("Exscan", &world, N * (long)sizeof(long), -1, 0);
    MPI_Exscan(in, out, N, MPI_LONG, MPI_SUM, world.comm);
    EXPECT("Reduce_scatter_block", &world, p * N * (long)sizeof(long), -1, 0);
    MPI_Reduce_scatter_block(in, out, N, MPI_LONG, MPI_SUM, world.comm);
    EXPECT("Reduce_scatter_block", &world, p * N * (long)sizeof(long), -1, IN_PLACE);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, in, N, MPI_LONG, MPI_SUM, world.comm);
    const int sum = uneven();
    EXPECT("Reduce_scatter", &world, sum * 4, -1, 0);
    MPI_Reduce_scatter(ints, other, counts, MPI_INT, MPI_SUM, world.comm);
    EXPECT("Reduce_scatter", &world, sum * 4, -1, IN_PLACE);
    MPI_Reduce_scatter(MPI_IN_PLACE, ints, counts, MPI_INT, MPI_SUM, world.comm);
}

/* A ring: one neighbour on either side, out and in. */
static void neighbors(void)
{
    MPI_Comm ring;
    EXPECT("Cart_create", &world, 0, -1, 0);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &(int){1}, 0, &ring);
    char name[64];
    snprintf(name, sizeof name, "%d cart 1 of MPI_COMM_WORLD", p);
    struct known cart = know(ring, name);
    /* 2 elements to the left, 4 to the right; so 4 come from the left. On a ring of two both
     * neighbours are one. */
    const count_type *out = p > 2 ? (count_type[]){2, 4} : (count_type[]){3, 3},
                     *in = p > 2 ? (count_type[]){4, 2} : (count_type[]){3, 3};
    const displacement_type at[2] = {0, 8};
    MPI_Aint at_bytes[2] = {0, 32};
    EXPECT("Neighbor_allgather", &cart, N * 4, -1, 0);
    MPI_Neighbor_allgather(ints, N, MPI_INT, other, N, MPI_INT, ring);
    EXPECT("Neighbor_alltoall", &cart, N * 4, -1, 0);
    MPI_Neighbor_alltoall(ints, N, MPI_INT, other, N, MPI_INT, ring);
    EXPECT("Neighbor_allgatherv", &cart, 2 * 4, -1, 0);
    MPI_Neighbor_allgatherv(ints, 2, MPI_INT, other, (count_type[]){2, 2}, at, MPI_INT, ring);
    EXPECT("Neighbor_alltoallv", &cart, 3 * 4, -1, 0);
    MPI_Neighbor_alltoallv(ints, out, at, MPI_INT, other, in, at, MPI_INT, ring);
    EXPECT("Neighbor_alltoallw", &cart, 3 * 4, -1, 0);
    MPI_Neighbor_alltoallw(ints, out, at_bytes, (MPI_Datatype[]){MPI_INT, MPI_INT}, other, in,
                           at_bytes, (MPI_Datatype[]){MPI_INT, MPI_INT}, ring);
    EXPECT("Comm_free", &cart, 0, -1, 0);
    MPI_Comm_free(&ring);
}

/* ---- types with holes, and nothing at all ---- */

/* Adds nothing: it is the payload that counts. */
static void keep(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

/* `n` elements of 12 bytes each, 0 and 2. */
static void rooted_of(int n, int root)
{
    for (int i = 0; i < p; i++) {
        counts[i] = n;
        displacements[i] = n * i;
    }
    EXPECT("Bcast", &world, 12 * n, root, 0);
    MPI_Bcast(ints, n, holey, root, world.comm);
    EXPECT("Gather", &world, 12 * n, root, 0);
    MPI_Gather(ints, n, holey, other, n, holey, root, world.comm);
    EXPECT("Gather", &world, 12 * n, root, me == root ? IN_PLACE : 0);
    MPI_Gather(me == root ? MPI_IN_PLACE : ints, n, holey, other, n, holey, root, world.comm);
    EXPECT("Gatherv", &world, 12 * n, root, 0);
    MPI_Gatherv(ints, n, holey, other, counts, displacements, holey, root, world.comm);
    EXPECT("Gatherv", &world, 12 * n, root, me == root ? IN_PLACE : 0);
    MPI_Gatherv(me == root ? MPI_IN_PLACE : ints, n, holey, other, counts, displacements, holey,
                root, world.comm);
    EXPECT("Scatter", &world, 12 * n, root, 0);
    MPI_Scatter(ints, n, holey, other, n, holey, root, world.comm);
    EXPECT("Scatter", &world, 12 * n, root, me == root ? IN_PLACE : 0);
    MPI_Scatter(ints, n, holey, me == root ? MPI_IN_PLACE : other, n, holey, root, world.comm);
    EXPECT("Scatterv", &world, 12 * n, root, 0);
    MPI_Scatterv(ints, counts, displacements, holey, other, n, holey, root, world.comm);
    EXPECT("Scatterv", &world, 12 * n, root, me == root ? IN_PLACE : 0);
    MPI_Scatterv(ints, counts, displacements, holey, me == root ? MPI_IN_PLACE : other, n, holey,
                 root, world.comm);
}

static void exchanged_of(int n)
{
    MPI_Datatype kinds[64];
    for (int i = 0; i < p; i++)
        kinds[i] = holey;
    EXPECT("Allgather", &world, 12 * n, -1, 0);
    MPI_Allgather(ints, n, holey, other, n, holey, world.comm);
    EXPECT("Allgather", &world, 12 * n, -1, IN_PLACE);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, n, holey, world.comm);
    EXPECT("Allgatherv", &world, 12 * n, -1, 0);
    MPI_Allgatherv(ints, n, holey, other, counts, displacements, holey, world.comm);
    EXPECT("Allgatherv", &world, 12 * n, -1, IN_PLACE);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, counts, displacements, holey,
                   world.comm);
    EXPECT("Alltoall", &world, 12 * n, -1, 0);
    MPI_Alltoall(ints, n, holey, other, n, holey, world.comm);
    EXPECT("Alltoall", &world, 12 * n, -1, IN_PLACE);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, n, holey, world.comm);
    EXPECT("Alltoallv", &world, 12 * n, -1, 0);
    MPI_Alltoallv(ints, counts, displacements, holey, other, counts, displacements, holey,
                  world.comm);
    for (int i = 0; i < p; i++)
        byte_displacements[i] = 20 * n * i;
    EXPECT("Alltoallw", &world, 12 * n, -1, 0);
    MPI_Alltoallw(ints, counts, byte_displacements, kinds, other, counts, byte_displacements, kinds,
                  world.comm);
}

static void reduced_of(int n, int root)
{
    MPI_Op keeping;
    MPI_Op_create(keep, 1, &keeping);
    for (int i = 0; i < p; i++)
        counts[i] = n;
    EXPECT("Reduce", &world, 12 * n, root, 0);
    MPI_Reduce(ints, other, n, holey, keeping, root, world.comm);
    EXPECT("Reduce", &world, 12 * n, root, me == root ? IN_PLACE : 0);
    MPI_Reduce(me == root ? MPI_IN_PLACE : ints, other, n, holey, keeping, root, world.comm);
    EXPECT("Allreduce", &world, 12 * n, -1, 0);
    MPI_Allreduce(ints, other, n, holey, keeping, world.comm);
    EXPECT("Allreduce", &world, 12 * n, -1, IN_PLACE);
    MPI_Allreduce(MPI_IN_PLACE, other, n, holey, keeping, world.comm);
    EXPECT("Scan", &world, 12 * n, -1, 0);
    MPI_Scan(ints, other, n, holey, keeping, world.comm);
    EXPECT("Exscan", &world, 12 * n, -1, 0);
    MPI_Exscan(ints, other, n, holey, keeping, world.comm);
    EXPECT("Exscan", &world, 12 * n, -1, IN_PLACE);
    MPI_Exscan(MPI_IN_PLACE, other, n, holey, keeping, world.comm);
    EXPECT("Reduce_scatter_block", &world, 12 * n * p, -1, 0);
    MPI_Reduce_scatter_block(ints, other, n, holey, keeping, world.comm);
    EXPECT("Reduce_scatter", &world, 12 * n * p, -1, 0);
    MPI_Reduce_scatter(ints, other, counts, holey, keeping, world.comm);
    MPI_Op_free(&keeping);
}

static void neighbors_of(int n)
{
    MPI_Comm ring;
    char name[64];
    EXPECT("Cart_create", &world, 0, -1, 0);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &(int){1}, 0, &ring);
    snprintf(name, sizeof name, "%d cart %d of MPI_COMM_WORLD", p, n ? 2 : 3);
    struct known cart = know(ring, name);
    const count_type each[2] = {n, n};
    const displacement_type at[2] = {0, n};
    const MPI_Aint at_bytes[2] = {0, 20 * n};
    const MPI_Datatype kinds[2] = {holey, holey};
    EXPECT("Neighbor_allgather", &cart, 12 * n, -1, 0);
    MPI_Neighbor_allgather(ints, n, holey, other, n, holey, ring);
    EXPECT("Neighbor_allgatherv", &cart, 12 * n, -1, 0);
    MPI_Neighbor_allgatherv(ints, n, holey, other, each, at, holey, ring);
    EXPECT("Neighbor_alltoall", &cart, 12 * n, -1, 0);
    MPI_Neighbor_alltoall(ints, n, holey, other, n, holey, ring);
    EXPECT("Neighbor_alltoallv", &cart, 12 * n, -1, 0);
    MPI_Neighbor_alltoallv(ints, each, at, holey, other, each, at, holey, ring);
    EXPECT("Neighbor_alltoallw", &cart, 12 * n, -1, 0);
    MPI_Neighbor_alltoallw(ints, each, at_bytes, kinds, other, each, at_bytes, kinds, ring);
    EXPECT("Comm_free", &cart, 0, -1, 0);
    MPI_Comm_free(&ring);
}

static void typed_and_empty(void)
{
    for (int n = 2; n >= 0; n -= 2) {
        rooted_of(n, p - 1);
        exchanged_of(n);
        reduced_of(n, p - 1);
        neighbors_of(n);
    }
}

/* Buffers whose addresses are in their type. */
static void at_the_bottom(void)
{
    int sent[2] = {me, me + 7};
    MPI_Aint at;
    MPI_Datatype absolute;
    MPI_Get_address(sent, &at);
    MPI_Type_create_hindexed(1, (const int[]){2}, &at, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    EXPECT("Bcast", &world, 8, p - 1, 0);
    MPI_Bcast(MPI_BOTTOM, 1, absolute, p - 1, MPI_COMM_WORLD);
    EXPECT("Allgather", &world, 8, -1, 0);
    MPI_Allgather(MPI_BOTTOM, 1, absolute, other, 2, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < p; r++)
        if (other[2 * r] != p - 1 || other[2 * r + 1] != p + 6)
            printf("rank %d: wrong result at MPI_BOTTOM\n", me);
    MPI_Type_free(&absolute);
}

/* A type that is freed leaves its handle to another one, which is of another size. */
static void types_come_and_go(void)
{
    static int room[64];
    for (int length = 1; length <= 24; length++) {
        MPI_Datatype row;
        MPI_Type_vector(length, 1, 1, MPI_INT, &row);
        MPI_Type_commit(&row);
        for (int time = 0; time < 2; time++) {
            EXPECT("Bcast", &world, 8 * length, 0, 0);
            MPI_Bcast(room, 2, row, 0, MPI_COMM_WORLD);
        }
        MPI_Type_free(&row);
    }
}

/* More of them than are remembered, by turns. */
static void predefined_types(void)
{
    static char room[1024];
    const MPI_Datatype types[] = {MPI_CHAR,
                                  MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_CHAR,
                                  MPI_BYTE,
                                  MPI_SHORT,
                                  MPI_INT,
                                  MPI_LONG,
                                  MPI_LONG_LONG,
                                  MPI_UNSIGNED,
                                  MPI_UNSIGNED_LONG,
                                  MPI_UNSIGNED_LONG_LONG,
                                  MPI_FLOAT,
                                  MPI_DOUBLE,
                                  MPI_INT8_T,
                                  MPI_UINT8_T,
                                  MPI_INT32_T,
                                  MPI_INT64_T,
                                  MPI_UINT64_T,
                                  MPI_AINT,
                                  MPI_OFFSET,
                                  MPI_COUNT};
    for (int time = 0; time < 3; time++)
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            int bytes;
            PMPI_Type_size(types[i], &bytes);
            EXPECT("Bcast", &world, 3 * bytes, 0, 0);
            MPI_Bcast(room, 3, types[i], 0, MPI_COMM_WORLD);
        }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    p = world_size;
    me = world_rank;
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    MPI_Type_vector(3, 1, 2, MPI_INT, &holey);
    MPI_Type_commit(&holey);
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int root = 0; root<p; root += p> 1 ? p - 1 : 1) {
        one_to_all(root);
        gather(root);
        scatter(root);
        reduce(root);
    }
    all_to_all();
    all_to_all_uneven();
    reduce_to_all();
    neighbors();
    typed_and_empty();
    at_the_bottom();
    types_come_and_go();
    predefined_types();
    struct known self = know(MPI_COMM_SELF, "MPI_COMM_SELF");
    EXPECT("Allreduce", &self, 4, -1, 0);
    MPI_Allreduce(ints, other, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    EXPECT("Barrier", &self, 0, -1, 0);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Type_free(&holey);
    end();
    return 0;
}
