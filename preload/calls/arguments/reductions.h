/* preload/calls/arguments/reductions.h - the kind of a reduction operation, from its handle. MPI is
 * not called, so an invalid handle does no harm: it counts as an operation of the program. */
#ifndef SYN_REDUCTIONS_H
#define SYN_REDUCTIONS_H

#include <stdint.h>

#include <mpi.h>

#include "preload/mpi/pmpi.h"
#include "trace/events/attributes.h"

#if defined SYN_MPI_IS_ABI
/* In the standard ABI a predefined handle is a number. */
static inline enum syn_reduction syn_reduction_of_number(uintptr_t number)
{
    static const uint8_t kinds[] = {[0x21] = SYN_REDUCTION_SUM,     [0x22] = SYN_REDUCTION_MIN,
                                    [0x23] = SYN_REDUCTION_MAX,     [0x24] = SYN_REDUCTION_PROD,
                                    [0x28] = SYN_REDUCTION_BAND,    [0x29] = SYN_REDUCTION_BOR,
                                    [0x2a] = SYN_REDUCTION_BXOR,    [0x30] = SYN_REDUCTION_LAND,
                                    [0x31] = SYN_REDUCTION_LOR,     [0x32] = SYN_REDUCTION_LXOR,
                                    [0x38] = SYN_REDUCTION_MINLOC,  [0x39] = SYN_REDUCTION_MAXLOC,
                                    [0x3c] = SYN_REDUCTION_REPLACE, [0x3d] = SYN_REDUCTION_NO_OP};
    return number < sizeof kinds ? (enum syn_reduction)kinds[number] : SYN_REDUCTION_OWN;
}
#else
/* MPICH numbers the predefined operations like enum syn_reduction. So does Open MPI in Fortran,
 * except that MINLOC and MAXLOC are exchanged. */
static inline enum syn_reduction syn_reduction_numbered(unsigned number)
{
    return number <= SYN_REDUCTION_NO_OP ? (enum syn_reduction)number : SYN_REDUCTION_OWN;
}
#endif

#ifdef OPEN_MPI
/* Searches the predefined operations of the library. */
enum syn_reduction syn_reduction_among(MPI_Op op);
#endif

static inline enum syn_reduction syn_reduction_of(MPI_Op op)
{
#if defined SYN_MPI_IS_ABI
    return syn_reduction_of_number((uintptr_t)op);
#elif defined OPEN_MPI
    return op == syn_mpi.reductions[0].op ? syn_mpi.reductions[0].kind : syn_reduction_among(op);
#else
    return syn_reduction_numbered((unsigned)op - 0x58000000u);
#endif
}

static inline enum syn_reduction syn_reduction_of_fortran(MPI_Fint op)
{
#if defined SYN_MPI_IS_ABI
    return syn_reduction_of_number((uintptr_t)op);
#elif defined OPEN_MPI
    const enum syn_reduction kind = syn_reduction_numbered((unsigned)op);
    return kind == SYN_REDUCTION_MINLOC   ? SYN_REDUCTION_MAXLOC
           : kind == SYN_REDUCTION_MAXLOC ? SYN_REDUCTION_MINLOC
                                          : kind;
#else
    return syn_reduction_of(op);
#endif
}

#endif
