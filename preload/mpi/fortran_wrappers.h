/* preload/mpi/fortran_wrappers.h - macros for the wrappers of the functions that Fortran programs
 * call.
 *
 * A wrapper calls the next function of its name with every pointer unchanged. If that function
 * calls MPI's C function, the guard keeps the call from being recorded twice. MPI has the same
 * function under several names, in these families:
 *   f      mpif.h and `use mpi`: mpi_x_ and other spellings; in every MPI all are one function
 *   f08    mpi_f08: mpi_x_f08_; ierror may be absent (NULL)
 *   ts     mpi_f08 with buffers as descriptors: mpi_x_f08ts_
 * An MPI whose functions for large counts have names of their own has two more (MPI 4.1, section
 * 19.2; Open MPI 6). They call PMPI_X_c:
 *   large  mpi_f08: mpi_x_c_f08ts_ or mpi_x_c_f08_
 *   fts    `use mpi` with descriptors: mpi_x_fts_ */
#ifndef SYN_FORTRAN_WRAPPERS_H
#define SYN_FORTRAN_WRAPPERS_H

#include <stddef.h>

#include "preload/entry/backend.h"
#include "trace/base/ops.h"

/* Names of one function in family f, the likeliest first. */
#define SYN_SPELLINGS(lower, UPPER)         \
    {                                       \
        lower "_", lower, lower "__", UPPER \
    }

/* Use these in a function with `host`, `wrappers` and the count `used`. SYN_FORTRAN_ADD adds the
 * wrapper wrap_MEMBER, which calls next_MEMBER, under the names `...`. SYN_FORTRAN_ADD_BOTH adds
 * the wrappers of the families f and f08. */
#define SYN_FORTRAN_ADD(member, ...)                                                        \
    {                                                                                       \
        static const char *const names[] = __VA_ARGS__;                                     \
        used += syn_fortran_add(host, wrappers + used, names, sizeof names / sizeof *names, \
                                &next_##member, (void (*)(void))wrap_##member);             \
    }
#define SYN_FORTRAN_ADD_BOTH(name, NAME)                                 \
    SYN_FORTRAN_ADD(f_##name, SYN_SPELLINGS("mpi_" #name, "MPI_" #NAME)) \
    SYN_FORTRAN_ADD(f08_##name, {"mpi_" #name "_f08_"})

/* Largest numbers of wrappers. Each row of collectives has four functions: blocking, nonblocking,
 * persistent, and persistent with the prefix MPIX. */
#define SYN_FORTRAN_COLLECTIVE_WRAPPERS (SYN_ROW_COUNT * (4 * 6 + 3 * 3))
#define SYN_FORTRAN_OTHER_WRAPPERS      (40 * 5)
#define SYN_FORTRAN_LIFECYCLE_WRAPPERS  (4 * 5)
/* Each function of SYN_OTHER... has nine names. */
#define SYN_FORTRAN_OTHER_COLLECTIVE_WRAPPERS (80 * 9)

/* Adds the wrappers of the families large and fts. */
#define SYN_FORTRAN_ADD_WIDE(name, lower)                               \
    SYN_FORTRAN_ADD(large_##name, {lower "_c_f08ts_", lower "_c_f08_"}) \
    SYN_FORTRAN_ADD(fts_##name, {lower "_fts_"})

/* Replaces an absent ierror by a local variable, so that the wrapper gets the result. */
#define SYN_NEED_RESULT(ierror) \
    MPI_Fint own_ierror = 0;    \
    if (!(ierror))              \
    (ierror) = &own_ierror

/* Fills wrappers [count] with the names of one function; a name that this MPI lacks becomes NULL.
 * All names lead to `function`. Sets *next to MPI's function with the first name that exists.
 * Returns `count`. */
size_t syn_fortran_add(const struct syn_host *host, struct syn_wrapper *wrappers,
                       const char *const *names, size_t count, void *next, void (*function)(void));

/* Fill `wrappers`; a wrapper whose function this MPI lacks gets the name NULL. Return the number of
 * wrappers, at most the numbers above. */
size_t syn_fortran_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_other_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_others_add(const struct syn_host *host, struct syn_wrapper *wrappers);
/* Add the functions for large counts that have names of their own. Call these last, and only if
 * syn_fortran.names_widths: the places of the other wrappers must not depend on it. */
size_t syn_fortran_wide_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_wide_others_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
