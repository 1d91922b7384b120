/* tests/mpi/finalize_calls.c - collectives in the delete callbacks of attributes, while
 * MPI_Finalize runs: of MPI_COMM_SELF's two, the later set comes first; and with $LATE of
 * MPI_COMM_WORLD's, where MPI still takes calls then. Prints the number of the latter by rank 0.
 * Any number of ranks. */
#include "expect.h"

static struct known world, inner;
static MPI_Comm kept, last = MPI_COMM_NULL;
static int late_count;

static int reduce(MPI_Comm comm, int key, void *value, void *extra)
{
    int in = world_rank, sum;
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    EXPECT("Allreduce", &inner, 4, -1, 0);
    MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, kept);
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_SUCCESS;
}

static int free_kept(MPI_Comm comm, int key, void *value, void *extra)
{
    MPI_Comm dup;
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    EXPECT("Comm_dup", &inner, 0, -1, 0);
    MPI_Comm_dup(kept, &dup);
    struct known known = know(dup, "dup 1 of dup 1 of MPI_COMM_WORLD");
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&dup);
    EXPECT("Comm_free", &inner, 0, -1, 0);
    MPI_Comm_free(&kept);
    if (expected)
        fclose(expected);
    expected = NULL;
    return MPI_SUCCESS;
}

static int call_late(MPI_Comm comm, int key, void *value, void *extra)
{
    int finalized = 1;
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    MPI_Finalized(&finalized);
    if (finalized || last == MPI_COMM_NULL)
        return MPI_SUCCESS;
    MPI_Barrier(last);
    MPI_Barrier(last);
    late_count = 2;
    return MPI_SUCCESS;
}

static void attach(MPI_Comm comm, MPI_Comm_delete_attr_function *callback)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, callback, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    inner = know(kept, "dup 1 of MPI_COMM_WORLD");
    if (getenv("LATE"))
        MPI_Comm_dup(MPI_COMM_SELF, &last);
    attach(MPI_COMM_SELF, free_kept);
    attach(MPI_COMM_SELF, reduce);
    attach(MPI_COMM_WORLD, call_late);
    MPI_Finalize();
    if (world_rank == 0)
        printf("%d\n", late_count);
    return 0;
}
