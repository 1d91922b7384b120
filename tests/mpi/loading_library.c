/* tests/mpi/loading_library.c - the libraries that loading.c opens: one each, by what is defined.
 *   OWN      functions of its own with names that Fortran's MPI has; OWN is added to what they give
 *   ASKS     asks by references, in code and data, which functions there are
 *   SERIAL   an MPI for serial programs: one process, and no profiling
 *   FOREIGN  an MPI of an unknown ABI whose profiling functions end the program
 *   USES     calls the MPI that it is linked with (SERIAL or FOREIGN), which is not the real one
 *   (none)   calls the real one; IDLE: is linked with it alone */
#if defined OWN
int mpi_barrier(int number), mpi_bcast(int number);
int mpi_barrier(int number)
{
    return 2 * number + OWN;
}
int mpi_bcast(int number)
{
    return number + OWN;
}
extern int (*const entries[])(int);
int (*const entries[])(int) = {mpi_barrier, mpi_bcast};

#elif defined ASKS
#define ASKED(X)   \
    X(MPI_Barrier) \
    X(MPI_Session_init) X(MPIX_Comm_agree) X(MPI_Bcast_c) X(mpi_barrier) X(mpi_barrier_)
#define DECLARE(name) extern int name(void) __attribute__((weak));
#define ADDRESS(name) (void *)name,
ASKED(DECLARE)
static void *const volatile table[] = {ASKED(ADDRESS)};
int work(int number);
int work(int number)
{
    void *const here[] = {ASKED(ADDRESS)};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        number = 4 * number + 2 * (table[i] != 0) + (here[i] != 0);
    return number;
}

#elif defined SERIAL
int MPI_Init(int *argc, char ***argv), MPI_Barrier(int comm), MPI_Finalize(void);
int MPI_Init(int *argc, char ***argv)
{
    return argc || argv ? 1 : 100;
}
int MPI_Barrier(int comm)
{
    return comm;
}
int MPI_Finalize(void)
{
    return 1000;
}

#elif defined FOREIGN
#include <stdlib.h>
#define BOTH(Name, PARAMETERS, RESULT, OWN_RESULT) \
    int MPI_##Name PARAMETERS;                     \
    int PMPI_##Name PARAMETERS;                    \
    int MPI_##Name PARAMETERS                      \
    {                                              \
        return RESULT;                             \
    }                                              \
    int PMPI_##Name PARAMETERS                     \
    {                                              \
        return OWN_RESULT;                         \
    }
#define NEVER (abort(), 1)
BOTH(Init, (int *argc, char ***argv), argc || argv ? 1 : 200, argc || argv ? NEVER : NEVER)
BOTH(Barrier, (int comm), comm, comm + NEVER)
BOTH(Finalize, (void), 2000, NEVER)
BOTH(Comm_rank, (int comm, int *rank), *rank = comm, *rank = comm + NEVER)
BOTH(Comm_size, (int comm, int *size), *size = comm, *size = comm + NEVER)
/* MPI allows these at any time. */
BOTH(Initialized, (int *flag), *flag = 0, *flag = 0)
BOTH(Get_library_version, (char *text, int *length), *length = text[0] = 0, *length = text[0] = 0)

#elif defined USES
int MPI_Init(int *argc, char ***argv), MPI_Barrier(int comm), MPI_Finalize(void);
int work(int number);
int work(int number)
{
    int sum = MPI_Init(0, 0);
    for (int i = 0; i < number; i++)
        sum += MPI_Barrier(i);
    return sum + MPI_Finalize();
}

#else
#include <mpi.h>
int work(int number);
int work(int number)
{
    int one = 1, sum = 0, started = 0;
#ifdef IDLE
    number = 0;
    started = 1;
#else
    MPI_Initialized(&started);
#endif
    if (!started)
        MPI_Init(0, 0);
    for (int i = 0; i < number; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!started)
        MPI_Finalize();
    return sum;
}
#endif
