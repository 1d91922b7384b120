/* preload/mpi/fortran_wrappers.h - the wrappers of what Fortran programs call.
 *
 * Three families. Each wrapper records and then calls the next function of its name with every
 * pointer untouched; what that one calls in C is then within the guard and does not count again.
 *   f    mpif.h and `use mpi`: mpi_x_ and its other spellings, all one function in every MPI
 *   f08  mpi_f08: mpi_x_f08_, where ierror may be absent (NULL)
 *   ts   mpi_f08 with buffers as descriptors: mpi_x_f08ts_
 * and two more where the MPI names functions for large counts by themselves (MPI 4.1, section 19.2;
 * Open MPI 6), which then calls PMPI_X_c from them: large  mpi_f08: mpi_x_c_f08ts_, or mpi_x_c_f08_
 *   fts    `use mpi` with descriptors: mpi_x_fts_ */
#ifndef SYN_FORTRAN_WRAPPERS_H
#define SYN_FORTRAN_WRAPPERS_H

#include <stddef.h>

#include "preload/entry/backend.h"
#include "trace/base/ops.h"

/* Names of one function in family f, in the order of their likelihood. */
#define SYN_SPELLINGS(lower, UPPER)         \
    {                                       \
        lower "_", lower, lower "__", UPPER \
    }

/* In a function with `host`, `wrappers` and the count `used`: wrap_MEMBER, of which next_MEMBER is
 * the next, under the names `...`; and the wrappers of a function in both families that are told
 * apart by their names alone. */
#define SYN_FORTRAN_ADD(member, ...)                                                        \
    {                                                                                       \
        static const char *const names[] = __VA_ARGS__;                                     \
        used += syn_fortran_add(host, wrappers + used, names, sizeof names / sizeof *names, \
                                &next_##member, (void (*)(void))wrap_##member);             \
    }
#define SYN_FORTRAN_ADD_BOTH(name, NAME)                                 \
    SYN_FORTRAN_ADD(f_##name, SYN_SPELLINGS("mpi_" #name, "MPI_" #NAME)) \
    SYN_FORTRAN_ADD(f08_##name, {"mpi_" #name "_f08_"})

/* For each row: blocking, nonblocking, persistent, and persistent with the prefix MPIX. */
#define SYN_FORTRAN_COLLECTIVE_WRAPPERS (SYN_ROW_COUNT * (4 * 6 + 3 * 3))
#define SYN_FORTRAN_OTHER_WRAPPERS      (40 * 5)
#define SYN_FORTRAN_LIFECYCLE_WRAPPERS  (4 * 5)
/* For each function of SYN_OTHER..: nine names. */
#define SYN_FORTRAN_OTHER_COLLECTIVE_WRAPPERS (80 * 9)

/* The two families of large counts' names. */
#define SYN_FORTRAN_ADD_WIDE(name, lower)                               \
    SYN_FORTRAN_ADD(large_##name, {lower "_c_f08ts_", lower "_c_f08_"}) \
    SYN_FORTRAN_ADD(fts_##name, {lower "_fts_"})

/* An absent ierror is replaced by one of ours, so that the result is known. */
#define SYN_NEED_RESULT(ierror) \
    MPI_Fint own_ierror = 0;    \
    if (!(ierror))              \
    (ierror) = &own_ierror

/* Put the names of one function that this MPI has at wrappers [count], the others as NULL; all lead
 * to `function`, and *next to what the first of them is. Returns `count`. */
size_t syn_fortran_add(const struct syn_host *host, struct syn_wrapper *wrappers,
                       const char *const *names, size_t count, void *next, void (*function)(void));

/* Put them at wrappers, those that this MPI lacks with the name NULL. Return how many: not more
 * than the numbers above. */
size_t syn_fortran_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_other_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_others_add(const struct syn_host *host, struct syn_wrapper *wrappers);
/* Add the names of functions for large counts, if syn_fortran.names_widths. They come after all
 * others, whose places must not depend on them. */
size_t syn_fortran_wide_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_wide_others_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
