/* preload/mpi/fortran.h - reads arguments of Fortran programs: handles, MPI_IN_PLACE, ignored
 * statuses. The recorder needs them for events only. MPI's function gets every pointer unchanged.
 * */
#ifndef SYN_FORTRAN_H
#define SYN_FORTRAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/entry/backend.h"
#include "preload/mpi/pmpi.h"

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "counts of Fortran are read as C's");

/* Compilers spell the name of a common block in so many ways. */
#define SYN_SPELLING_COUNT 4

/* Addresses that Fortran programs pass for MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE.
 * NULL: this MPI has no such object. */
struct syn_fortran {
    const void *in_place[SYN_SPELLING_COUNT]; /* Open MPI: the common block */
    void *const *in_place_address;   /* MPICH, mpif.h: the variable in which MPI_Init stores it */
    const void *in_place_descriptor; /* MPICH, mpi_f08: the C variable */
    const void *ignored[2 * SYN_SPELLING_COUNT]; /* Open MPI: the common blocks */
    void *const *ignored_address[4];             /* MPICH: the variables that contain them */
    bool names_widths;    /* this MPI has mpi_x_c_f08_ or mpi_x_c_f08ts_, for large counts */
    bool large_described; /* it has mpi_x_c_f08ts_: buffers are descriptors */
};

extern struct syn_fortran syn_fortran;

/* Fills syn_fortran. Returns false if no Fortran library of the MPI is loaded. Idempotent. */
bool syn_fortran_load(const struct syn_host *host);

/* Convert a handle of Fortran to a handle of C. With the standard ABI the functions for this may be
 * missing if no Fortran library is loaded. Then the result is NULL, which is no handle. */
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
/* In MPICH a handle is the same number in all languages. */
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

/* In every MPI a file handle of C is a pointer. */
static inline MPI_File syn_file_f2c(MPI_Fint handle)
{
    return syn_pmpi.File_f2c(handle);
}
#endif
#undef SYN_F2C

/* Returns true if the argument is MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. */
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

/* Returns a buffer argument as C has it: the address, or MPI_IN_PLACE. */
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

/* Like syn_fortran_buffer, for an array descriptor. Its first member is the address, in the
 * descriptors of TS 29113 and of gfortran. */
static inline const void *syn_descriptor_buffer(const void *descriptor)
{
    if (!descriptor)
        return NULL;
    const void *address = *(void *const *)descriptor;
    return address && address == syn_fortran.in_place_descriptor ? MPI_IN_PLACE
                                                                 : syn_fortran_buffer(address);
}

/* Like syn_fortran_buffer, for a function with large counts. */
static inline const void *syn_large_buffer(const void *buffer)
{
    return syn_fortran.large_described ? syn_descriptor_buffer(buffer) : syn_fortran_buffer(buffer);
}

#endif
