/* trace/events/attributes.c - see attributes.h. */
#include "trace/events/attributes.h"

const char *syn_reduction_name(enum syn_reduction reduction)
{
    static const char *const names[SYN_REDUCTION_COUNT] = {
        "",           "MPI_MAX",     "MPI_MIN",   "MPI_SUM",
        "MPI_PROD",   "MPI_LAND",    "MPI_BAND",  "MPI_LOR",
        "MPI_BOR",    "MPI_LXOR",    "MPI_BXOR",  "MPI_MINLOC",
        "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP", "a user-defined operation"};
    return (unsigned)reduction < SYN_REDUCTION_COUNT ? names[reduction] : "";
}

const char *syn_type_class_name(enum syn_type_class class)
{
    static const char *const names[SYN_TYPE_CLASS_COUNT] = {
        "",          "integer", "floating-point",  "complex", "logical",
        "character", "byte",    "value-and-index", "derived"};
    return (unsigned)class < SYN_TYPE_CLASS_COUNT ? names[class] : "";
}
