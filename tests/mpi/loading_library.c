/* tests/mpi/loading_library.c - the libraries that loading.c opens: one each, by what is defined.
 *   OWN      functions of its own with names that Fortran's MPI has; OWN is added to what they give
 *   ASKS     asks by references, in code and data, which functions there are
 *   SERIAL   an MPI for serial programs: one process, and no profiling
 *   FOREIGN  an MPI of an unknown ABI whose profiling functions end the program
 *   PART     one function of such an MPI
 *   LAYER    a tool over an MPI by another name (NAMED); it gives the number of calls
 *   BEGINS   a tool that also stands for functions of PMPI; it gives the number of their calls
 *   CHOOSES  has IFUNCs that choose by whether there is a function
 *   BINDS    calls such an IFUNC of another library
 *   LACKS    calls a function that no MPI has
 *   PROFILES calls a profiling function
 *   STANDS   defines a function of MPI itself, and calls the real one
 *   FORTRAN  calls as Fortran does
 *   ADAPTS   adapts one function to Fortran
 *   WRITTEN  a tool written in Fortran; it gives the number of its calls
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

#elif defined PART
int MPI_Barrier(void *comm);
int MPI_Barrier(void *comm)
{
    return comm == 0;
}

#elif defined NAMED
extern const int named;
const int named;

#elif defined LAYER
typedef void *argument; /* each is passed in a register */
typedef int function(argument, argument, argument, argument, argument, argument);
function MPI_Allreduce, PMPI_Allreduce;
static int calls;
int MPI_Allreduce(argument a, argument b, argument c, argument d, argument e, argument f)
{
    calls++;
    return PMPI_Allreduce(a, b, c, d, e, f);
}
int work(int number);
int work(int number)
{
    return number + calls;
}

#elif defined BEGINS
#include <mpi.h>
static int calls;
int work(int number);
int MPI_Barrier(MPI_Comm comm)
{
    return PMPI_Barrier(comm);
}
int PMPI_Init(int *argc, char ***argv)
{
    calls++;
    return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &calls);
}
int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    calls++;
    return MPI_Comm_size(comm, size);
}
int work(int number)
{
    return number + calls;
}

#elif defined CHOOSES
/* No MPI has both. */
extern int MPIX_Comm_iagree(int) __attribute__((weak)),
    MPIX_Barrier_init(int) __attribute__((weak));
static int with(int number)
{
    return MPIX_Comm_iagree(number);
}
static int without(int number)
{
    return number + 1;
}
typedef int function(int number);
__attribute__((used)) static function *choose(void)
{
    return MPIX_Comm_iagree && MPIX_Barrier_init ? with : without;
}
static function chosen __attribute__((ifunc("choose")));
extern function chosen_for_all __attribute__((ifunc("choose")));
function work;
int work(int number)
{
    return chosen(number) + chosen_for_all(number);
}

#elif defined BINDS
int chosen_for_all(int number), work(int number);
static int (*const volatile address)(int) = chosen_for_all;
int work(int number)
{
    return chosen_for_all(number) + address(number);
}

#elif defined LACKS
int MPIX_Comm_iagree(int number), work(int number);
int work(int number)
{
    return number == 5 ? 6 : MPIX_Comm_iagree(number);
}

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

#elif defined PROFILES
#include <mpi.h>
int work(int number);
int work(int number)
{
    return number + (PMPI_Wtime() < 0);
}

#elif defined FORTRAN
#include <mpi.h>
void mpi_barrier_(MPI_Fint *comm, MPI_Fint *error);
int work(int number);
int work(int number)
{
    MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD), error = MPI_SUCCESS;
    for (int i = 0; i < number && error == MPI_SUCCESS; i++)
        mpi_barrier_(&world, &error);
    return error;
}

#elif defined ADAPTS
#include <mpi.h>
void mpi_barrier_(MPI_Fint *comm, MPI_Fint *error);
void mpi_barrier_(MPI_Fint *comm, MPI_Fint *error)
{
    *error = PMPI_Barrier(PMPI_Comm_f2c(*comm));
}

#elif defined WRITTEN
static int calls;
void mpi_barrier_(int *comm, int *error), pmpi_barrier_(int *comm, int *error);
int work(int number);
void mpi_barrier_(int *comm, int *error)
{
    calls++;
    pmpi_barrier_(comm, error);
}
int work(int number)
{
    return number + calls;
}

#else
#include <mpi.h>
int work(int number);
#ifdef STANDS
static int stood;
int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    stood++;
    return PMPI_Allreduce(send, receive, count, type, op, comm);
}
#else
#define stood 0
#endif
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
    return sum + 10 * stood;
}
#endif
