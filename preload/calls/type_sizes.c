/* preload/calls/type_sizes.c - see type_sizes.h. */
#include "preload/calls/type_sizes.h"

#include <stdbool.h>

#include "preload/mpi/pmpi.h"
#include "sync/base/integers.h"

/* Under the standard ABI MPI is always asked: the mpi.h here has no more of it than is needed. */
static bool is_predefined(MPI_Datatype type)
{
#ifdef SYN_MPI_IS_ABI
    (void)type;
    return false;
#else
    int integer_count, address_count, type_count, combiner;
    return syn_pmpi.Type_get_envelope(type, &integer_count, &address_count, &type_count,
                                      &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
#endif
}

int64_t syn_type_size_asked(MPI_Datatype type, struct syn_sized_type *known)
{
    int size = 0;
    syn_pmpi.Type_size(type, &size);
    if (known->type != type)
        *known = (struct syn_sized_type){type, is_predefined(type) && size >= 0 ? size : -1};
    if (__builtin_expect(size >= 0, 1))
        return size;
    MPI_Count large = 0; /* 2 GiB and more: MPI_UNDEFINED */
    syn_pmpi.Type_size_x(type, &large);
    return syn_largest(large, 0);
}
