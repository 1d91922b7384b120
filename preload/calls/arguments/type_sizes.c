/* preload/calls/arguments/type_sizes.c - see type_sizes.h. */
#include "preload/calls/arguments/type_sizes.h"

#include <stdbool.h>
#include <string.h>

#include "preload/calls/arguments/reductions.h"
#include "preload/mpi/pmpi.h"
#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "trace/events/attributes.h"

static bool is_predefined(MPI_Datatype type)
{
#ifdef SYN_MPI_IS_ABI
    return (uintptr_t)type < 0x1000; /* handles of predefined objects are small numbers */
#else
    int integer_count, address_count, type_count, combiner;
    return syn_pmpi.Type_get_envelope(type, &integer_count, &address_count, &type_count,
                                      &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
#endif
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Returns true for a pair of a value and an index: MPI_DOUBLE_INT, MPI_2INT. MPI_LONG_LONG_INT is
 * an integer. */
static bool is_pair(const char *name)
{
    static const char *const pairs[] = {"FLOAT_INT", "DOUBLE_INT",      "LONG_INT",
                                        "SHORT_INT", "LONG_DOUBLE_INT", NULL};
    return name[0] == '2' || is_one_of(name, pairs);
}

enum syn_type_class syn_type_class_named(const char *name)
{
    static const char *const characters[] = {"CHAR", "CHARACTER", "WCHAR", NULL};
    static const char *const bytes[] = {"BYTE", "PACKED", NULL};
    static const char *const floats[] = {"FLOAT", "DOUBLE", "REAL", "LONG_DOUBLE", NULL};
    static const char *const integers[] = {"INT",  "SHORT", "LONG",   "UNSIGNED", "SIGNED",
                                           "UINT", "AINT",  "OFFSET", "COUNT",    NULL};
    if (!has_prefix(name, "MPI_"))
        return SYN_TYPE_NONE;
    name += strlen("MPI_");
    if (is_pair(name))
        return SYN_TYPE_PAIR;
    if (is_one_of(name, characters))
        return SYN_TYPE_CHARACTER;
    if (is_one_of(name, bytes))
        return SYN_TYPE_BYTE;
    if (strstr(name, "COMPLEX"))
        return SYN_TYPE_COMPLEX;
    if (strstr(name, "LOGICAL") || strstr(name, "BOOL"))
        return SYN_TYPE_LOGICAL;
    for (const char *const *prefix = floats; *prefix; prefix++)
        if (has_prefix(name, *prefix))
            return SYN_TYPE_FLOAT;
    for (const char *const *prefix = integers; *prefix; prefix++)
        if (has_prefix(name, *prefix))
            return SYN_TYPE_INTEGER;
    return SYN_TYPE_NONE;
}

/* If the program gave a predefined type another name, its class is unknown. */
static enum syn_type_class class_of(MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (!is_predefined(type))
        return SYN_TYPE_DERIVED;
    if (!syn_pmpi.Type_get_name)
        return SYN_TYPE_NONE;
    return syn_pmpi.Type_get_name(type, name, &length) == MPI_SUCCESS ? syn_type_class_named(name)
                                                                      : SYN_TYPE_NONE;
}

/* Stores the type in the table. The size of a derived type is not kept (type_sizes.h). */
static void remember(MPI_Datatype type, int64_t size, struct syn_sized_type *known)
{
    const enum syn_type_class class = class_of(type);
    const bool lasts = class != SYN_TYPE_DERIVED && size >= 0 && size <= INT16_MAX;
    *known = (struct syn_sized_type){
        .type = type,
        .bytes = lasts ? (int16_t)size : -1,
        .attributes = syn_attributes(SYN_REDUCTION_NONE, class, (uint64_t)syn_largest(size, 0)),
    };
}

int64_t syn_type_size_asked(MPI_Datatype type, struct syn_sized_type *known)
{
    int size = 0;
    MPI_Count large = 0;
    syn_pmpi.Type_size(type, &size);
    if (__builtin_expect(size < 0, 0)) /* 2 GiB and more: MPI_UNDEFINED */
        syn_pmpi.Type_size_x(type, &large);
    const int64_t bytes = size >= 0 ? size : syn_largest((int64_t)large, 0);
    if (known->type != type)
        remember(type, bytes, known);
    else
        known->attributes = syn_attributes(
            SYN_REDUCTION_NONE, syn_attributes_class(known->attributes), (uint64_t)bytes);
    return bytes;
}

void syn_types_learn_common(struct syn_thread *self)
{
    for (int i = SYN_COMMON_TYPES; i-- > 0;)
        if (syn_mpi.common_types[i])
            syn_type_size(syn_mpi.common_types[i]);
    memcpy(syn_first_types, self->sized_types, sizeof syn_first_types);
}

#if !defined OPEN_MPI && !defined SYN_MPI_IS_ABI
/* Checks what syn_reduction_of relies on. */
#define SAME_NUMBER(name)                                                                \
    _Static_assert((unsigned)MPI_##name - 0x58000000u == (unsigned)SYN_REDUCTION_##name, \
                   "MPI_" #name);
SAME_NUMBER(MAX)
SAME_NUMBER(MIN)
SAME_NUMBER(SUM)
SAME_NUMBER(PROD)
SAME_NUMBER(LAND)
SAME_NUMBER(BAND)
SAME_NUMBER(LOR)
SAME_NUMBER(BOR)
SAME_NUMBER(LXOR)
SAME_NUMBER(BXOR)
SAME_NUMBER(MINLOC)
SAME_NUMBER(MAXLOC)
SAME_NUMBER(REPLACE)
SAME_NUMBER(NO_OP)
#endif

#ifdef OPEN_MPI
SYN_HOT enum syn_reduction syn_reduction_among(MPI_Op op)
{
    for (int i = 0; i < SYN_REDUCTIONS_KNOWN; i++)
        if (op == syn_mpi.reductions[i].op)
            return syn_mpi.reductions[i].kind;
    return SYN_REDUCTION_OWN;
}
#endif
