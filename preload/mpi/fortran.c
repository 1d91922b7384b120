/* preload/mpi/fortran.c - see fortran.h. */
#include "preload/mpi/fortran.h"

struct syn_fortran syn_fortran;

static void load_in_place(const struct syn_host *host)
{
    static const char *const names[SYN_SPELLING_COUNT] = {
        "mpi_fortran_in_place_", "mpi_fortran_in_place__", "mpi_fortran_in_place",
        "MPI_FORTRAN_IN_PLACE"};
    for (size_t i = 0; i < SYN_SPELLING_COUNT; i++)
        __atomic_store_n(&syn_fortran.in_place[i], host->object(names[i]), __ATOMIC_RELAXED);
    void *const *address = host->object("MPIR_F_MPI_IN_PLACE");
    __atomic_store_n(&syn_fortran.in_place_address, address, __ATOMIC_RELAXED);
    const void *variable = host->object("MPIR_F08_MPI_IN_PLACE");
    __atomic_store_n(&syn_fortran.in_place_descriptor, variable, __ATOMIC_RELAXED);
}

static void load_ignored(const struct syn_host *host)
{
    static const char *const names[2 * SYN_SPELLING_COUNT] = {
        "mpi_fortran_status_ignore_",   "mpi_fortran_status_ignore__",
        "mpi_fortran_status_ignore",    "MPI_FORTRAN_STATUS_IGNORE",
        "mpi_fortran_statuses_ignore_", "mpi_fortran_statuses_ignore__",
        "mpi_fortran_statuses_ignore",  "MPI_FORTRAN_STATUSES_IGNORE"};
    static const char *const addresses[4] = {"MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE",
                                             "MPI_F08_STATUS_IGNORE", "MPI_F08_STATUSES_IGNORE"};
    for (size_t i = 0; i < 2 * SYN_SPELLING_COUNT; i++)
        __atomic_store_n(&syn_fortran.ignored[i], host->object(names[i]), __ATOMIC_RELAXED);
    for (size_t i = 0; i < 4; i++)
        __atomic_store_n(&syn_fortran.ignored_address[i], host->object(addresses[i]),
                         __ATOMIC_RELAXED);
}

static void load_widths(const struct syn_host *host)
{
    const bool described = host->symbol("mpi_bcast_c_f08ts_");
    __atomic_store_n(&syn_fortran.large_described, described, __ATOMIC_RELAXED);
    __atomic_store_n(&syn_fortran.names_widths, described || host->symbol("mpi_bcast_c_f08_"),
                     __ATOMIC_RELAXED);
}

bool syn_fortran_load(const struct syn_host *host)
{
    /* A library that adapts a few functions may lack the one that begins. */
#define SYN_PROBES(lower, UPPER) lower "_", lower "_f08_", lower "__", lower, UPPER,
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) \
    SYN_PROBES("mpi_" #name, "MPI_" #NAME)
    static const char *const probes[] = {SYN_PROBES("mpi_init", "MPI_INIT")
#include "trace/base/ops.def"
    };
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
        if (host->symbol(probes[i])) {
            load_in_place(host);
            load_ignored(host);
            load_widths(host);
            return true;
        }
    return false;
}
