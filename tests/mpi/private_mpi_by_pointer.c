/* tests/mpi/private_mpi_by_pointer.c - a program that loads MPI's library privately and looks a
 * function of ours up by name: nobody who calls can tell which MPI is meant, only what is loaded.
 * usage: private_mpi_by_pointer LIBRARY */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2 || !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))
        return 2;
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_DEFAULT, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "MPI_Finalize");
    if (!init || !finalize) {
        printf("no MPI in the global scope\n");
        return 3;
    }
    return init(&argc, &argv) || finalize();
}
