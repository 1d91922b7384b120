/* tests/mpi/callbacks.c - communicators that are freed in the callbacks of attributes, as libraries
 * do that keep a duplicate of their user's: MPI calls those from within another call. Any number of
 * ranks. */
#include "expect.h"

static struct known world, inner;
static MPI_Comm kept;

static int free_kept(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    EXPECT("Comm_free", &inner, 0, -1, 0);
    return MPI_Comm_free(&kept);
}

/* The inner call lies within the outer one, and is behind it in the order of starts. */
static void in_a_free(int key)
{
    MPI_Comm outer;
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &outer);
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    struct known known = know(outer, "dup 1 of MPI_COMM_WORLD");
    inner = know(kept, "dup 2 of MPI_COMM_WORLD");
    MPI_Comm_set_attr(outer, key, NULL);
    EXPECT("Comm_free", &known, 0, -1, 0);
    MPI_Comm_free(&outer);
}

/* Not from within a call that is recorded. */
static void in_a_deletion(int key)
{
    EXPECT("Comm_dup", &world, 0, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    inner = know(kept, "dup 3 of MPI_COMM_WORLD");
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
}

int main(int argc, char **argv)
{
    int key;
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_kept, &key, NULL);
    in_a_free(key);
    in_a_deletion(key);
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free_keyval(&key);
    end();
    return 0;
}
