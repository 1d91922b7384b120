/* preload/mpi/fortran.h - reading what a Fortran program passes: handles, and buffers that stand
 * for MPI_IN_PLACE. For the payload only: the call itself gets every pointer as it came. */
#ifndef SYN_FORTRAN_H
#define SYN_FORTRAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/entry/backend.h"
#include "preload/mpi/pmpi.h"

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "counts of Fortran are read as C's");

#define SYN_SPELLING_COUNT 4

/* How the two MPIs tell a Fortran program's MPI_IN_PLACE. */
struct syn_fortran {
    const void *in_place[SYN_SPELLING_COUNT]; /* Open MPI: the address of a common block */
    void *const *in_place_address;            /* MPICH, mpif.h: where MPI_Init noted the address */
    const void *in_place_descriptor;          /* MPICH, mpi_f08: the address of a C variable */
    const void *ignored[2 * SYN_SPELLING_COUNT]; /* Open MPI: addresses of statuses ignored */
    void *const *ignored_address[4];             /* MPICH: where they are noted */
    bool names_widths;    /* it has mpi_x_c_f08_ or mpi_x_c_f08ts_, for large counts */
    bool large_described; /* the latter */
};

extern struct syn_fortran syn_fortran;

/* Whether the program's MPI offers Fortran at all, as far as it is loaded. Idempotent. */
bool syn_fortran_load(const struct syn_host *host);

/* A handle of Fortran's as C's. The standard ABI's functions for it may be missing where no Fortran
 * is; what is asked for then is no handle of anything. */
#if defined SYN_MPI_IS_ABI
#define SYN_F2C(name, convert, Type)                               \
    static inline Type syn_##name##_f2c(MPI_Fint handle)           \
    {                                                              \
        return syn_pmpi.convert ? syn_pmpi.convert(handle) : NULL; \
    }
SYN_F2C(comm, Comm_fromint, MPI_Comm)
SYN_F2C(type, Type_fromint, MPI_Datatype)
SYN_F2C(request, Request_fromint, MPI_Request)
SYN_F2C(window, Win_fromint, MPI_Win)
SYN_F2C(file, File_fromint, MPI_File)
#else
#ifdef OPEN_MPI
#define SYN_F2C(name, convert, Type)                     \
    static inline Type syn_##name##_f2c(MPI_Fint handle) \
    {                                                    \
        return syn_pmpi.convert(handle);                 \
    }
#else
/* A handle is one number in all languages. */
#define SYN_F2C(name, convert, Type)                     \
    static inline Type syn_##name##_f2c(MPI_Fint handle) \
    {                                                    \
        return handle;                                   \
    }
#endif
SYN_F2C(comm, Comm_f2c, MPI_Comm)
SYN_F2C(type, Type_f2c, MPI_Datatype)
SYN_F2C(request, Request_f2c, MPI_Request)
SYN_F2C(window, Win_f2c, MPI_Win)

/* A pointer in C for every MPI. */
static inline MPI_File syn_file_f2c(MPI_Fint handle)
{
    return syn_pmpi.File_f2c(handle);
}
#endif
#undef SYN_F2C

/* Is it what stands for a status, or statuses, that the program ignores? */
static inline bool syn_fortran_ignores(const void *mpi_status)
{
    if (!mpi_status)
        return true;
    for (size_t i = 0; i < 2 * SYN_SPELLING_COUNT; i++)
        if (mpi_status == syn_fortran.ignored[i])
            return true;
    for (size_t i = 0; i < 4; i++)
        if (syn_fortran.ignored_address[i] && mpi_status == *syn_fortran.ignored_address[i])
            return true;
    return false;
}

static inline const void *syn_fortran_buffer(const void *buffer)
{
    if (!buffer)
        return NULL;
    for (size_t i = 0; i < SYN_SPELLING_COUNT; i++)
        if (buffer == syn_fortran.in_place[i])
            return MPI_IN_PLACE;
    if (syn_fortran.in_place_address && buffer == *syn_fortran.in_place_address)
        return MPI_IN_PLACE;
    return buffer;
}

/* The first member of a descriptor is the address, in TS 29113's and in gfortran's own. */
static inline const void *syn_descriptor_buffer(const void *descriptor)
{
    if (!descriptor)
        return NULL;
    const void *address = *(void *const *)descriptor;
    return address && address == syn_fortran.in_place_descriptor ? MPI_IN_PLACE
                                                                 : syn_fortran_buffer(address);
}

static inline const void *syn_large_buffer(const void *buffer)
{
    return syn_fortran.large_described ? syn_descriptor_buffer(buffer) : syn_fortran_buffer(buffer);
}

#endif
