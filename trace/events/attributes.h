/* trace/events/attributes.h - 16 bits that describe the elements of a collective on data: the kind
 * of reduction, and class and size of the datatype that `bytes` counts. The analysis compares them
 * among the members of an instance.
 *
 *     bits 0..3    reduction, enum syn_reduction
 *     bits 4..7    class of the type, enum syn_type_class
 *     bits 8..15   bytes of an element; 255: 255 and more
 *
 * All 0: unknown, or the call has no elements. In an event they are the upper 16 bits of `bytes`,
 * whose lower 48 bits hold the payload. */
#ifndef SYN_ATTRIBUTES_H
#define SYN_ATTRIBUTES_H

#include <stdint.h>

enum syn_reduction {
    SYN_REDUCTION_NONE,
    SYN_REDUCTION_MAX,
    SYN_REDUCTION_MIN,
    SYN_REDUCTION_SUM,
    SYN_REDUCTION_PROD,
    SYN_REDUCTION_LAND,
    SYN_REDUCTION_BAND,
    SYN_REDUCTION_LOR,
    SYN_REDUCTION_BOR,
    SYN_REDUCTION_LXOR,
    SYN_REDUCTION_BXOR,
    SYN_REDUCTION_MINLOC,
    SYN_REDUCTION_MAXLOC,
    SYN_REDUCTION_REPLACE,
    SYN_REDUCTION_NO_OP,
    SYN_REDUCTION_OWN, /* made by MPI_Op_create */
    SYN_REDUCTION_COUNT
};

enum syn_type_class {
    SYN_TYPE_NONE,
    SYN_TYPE_INTEGER, /* of C or Fortran, signed or not; also characters that reductions accept */
    SYN_TYPE_FLOAT,
    SYN_TYPE_COMPLEX,
    SYN_TYPE_LOGICAL,
    SYN_TYPE_CHARACTER,
    SYN_TYPE_BYTE,    /* MPI_BYTE, MPI_PACKED */
    SYN_TYPE_PAIR,    /* a value and an index, for MPI_MINLOC and MPI_MAXLOC */
    SYN_TYPE_DERIVED, /* made by the program */
    SYN_TYPE_CLASS_COUNT
};

#define SYN_ATTRIBUTES_SHIFT   48
#define SYN_PAYLOAD_BYTES_MASK ((UINT64_C(1) << SYN_ATTRIBUTES_SHIFT) - 1)
#define SYN_ELEMENT_BYTES_MAX  255u

static inline uint16_t syn_attributes(enum syn_reduction reduction, enum syn_type_class class,
                                      uint64_t element_bytes)
{
    const unsigned bytes =
        element_bytes < SYN_ELEMENT_BYTES_MAX ? (unsigned)element_bytes : SYN_ELEMENT_BYTES_MAX;
    return (uint16_t)((unsigned)reduction | (unsigned)class << 4 | bytes << 8);
}

static inline enum syn_reduction syn_attributes_reduction(uint16_t attributes)
{
    return (enum syn_reduction)(attributes & 15u);
}

static inline enum syn_type_class syn_attributes_class(uint16_t attributes)
{
    return (enum syn_type_class)(attributes >> 4 & 15u);
}

/* Returns "MPI_SUM", "a user-defined operation", ...; "" for SYN_REDUCTION_NONE. */
const char *syn_reduction_name(enum syn_reduction reduction);
/* Returns "integer", "floating-point", ...; "" for SYN_TYPE_NONE. */
const char *syn_type_class_name(enum syn_type_class class);

#endif
