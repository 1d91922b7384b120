/* A program with an MPI library linked into itself, as far as one can tell from outside: by the
 * name of what it calls, or, stripped, by the texts of such a library. */
#include <stdio.h>
#include <stdlib.h>

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    *provided = required;
    if (getenv("PMI_RANK") && *provided > 3)
        puts("MPI_COMM_WORLD");
    return 0;
}

int main(int argc, char **argv)
{
    int provided;
    return PMPI_Init_thread(&argc, &argv, 0, &provided);
}
