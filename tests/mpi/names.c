/* tests/mpi/names.c - a communicator, a file and a window of a communicator with names that mean
 * something in every format they are shown in. The file lies in the directory of
 * SYNCOPATE_TEST_FILE. Two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME "a\"b\\c,<i>&'\x01\x1b[31m\xff\xc3\xa9"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_File file;
    MPI_Win window;
    char path[4096];
    int memory = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, NAME);
    MPI_Barrier(comm);
    snprintf(path, sizeof path, "%s.d/<b>\"&'.dat",
             getenv("SYNCOPATE_TEST_FILE") ? getenv("SYNCOPATE_TEST_FILE") : "names");
    if (MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) ==
        MPI_SUCCESS) {
        MPI_File_sync(file);
        MPI_File_close(&file);
    }
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, comm, &window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
