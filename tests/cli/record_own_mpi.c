/* A program with an MPI library linked into itself, as far as one can tell from outside. */
int PMPI_Init(int *argc, char ***argv);

int PMPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int main(int argc, char **argv)
{
    return PMPI_Init(&argc, &argv);
}
