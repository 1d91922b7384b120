/* Attributes by which the members of an instance are compared: the class of a type by MPI's name
 * for it, the kind of a reduction by its handle. Compiled for the standard ABI. */
#include <criterion/criterion.h>

#include <string.h>

#include "preload/calls/arguments/payload.h"

__thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
struct syn_sized_type syn_first_types[SYN_SIZED_TYPES];
struct syn_mpi syn_mpi;
struct syn_pmpi syn_pmpi;
struct syn_fortran syn_fortran;

static int asked_count;

static int size_of(MPI_Datatype type, int *size)
{
    asked_count++;
    *size = type == MPI_INT ? 4 : type == MPI_DOUBLE ? 8 : 300;
    return MPI_SUCCESS;
}

static int name_of(MPI_Datatype type, char *name, int *length)
{
    strcpy(name, type == MPI_INT ? "MPI_INT" : "MPI_DOUBLE");
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

static void begin(void)
{
    static struct syn_thread self;
    memset(&self, 0, sizeof self);
    syn_self = &self;
    syn_pmpi.Type_size = size_of;
    syn_pmpi.Type_get_name = name_of;
    asked_count = 0;
}

TestSuite(attributes, .init = begin);

Test(attributes, classes_by_name)
{
    static const struct {
        const char *name;
        enum syn_type_class class;
    } types[] = {
        {"MPI_INT", SYN_TYPE_INTEGER},
        {"MPI_UNSIGNED_CHAR", SYN_TYPE_INTEGER},
        {"MPI_LONG_LONG_INT", SYN_TYPE_INTEGER},
        {"MPI_UINT16_T", SYN_TYPE_INTEGER},
        {"MPI_INTEGER8", SYN_TYPE_INTEGER},
        {"MPI_AINT", SYN_TYPE_INTEGER},
        {"MPI_LONG_DOUBLE", SYN_TYPE_FLOAT},
        {"MPI_DOUBLE_PRECISION", SYN_TYPE_FLOAT},
        {"MPI_REAL4", SYN_TYPE_FLOAT},
        {"MPI_C_FLOAT_COMPLEX", SYN_TYPE_COMPLEX},
        {"MPI_DOUBLE_COMPLEX", SYN_TYPE_COMPLEX},
        {"MPI_LOGICAL4", SYN_TYPE_LOGICAL},
        {"MPI_CXX_BOOL", SYN_TYPE_LOGICAL},
        {"MPI_CHAR", SYN_TYPE_CHARACTER},
        {"MPI_CHARACTER", SYN_TYPE_CHARACTER},
        {"MPI_PACKED", SYN_TYPE_BYTE},
        {"MPI_DOUBLE_INT", SYN_TYPE_PAIR},
        {"MPI_2DOUBLE_PRECISION", SYN_TYPE_PAIR},
        {"grid cell", SYN_TYPE_NONE},
        {"MPI_", SYN_TYPE_NONE},
        {"", SYN_TYPE_NONE},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        cr_assert_eq(syn_type_class_named(types[i].name), types[i].class, "%s", types[i].name);
}

Test(attributes, reductions_by_handle)
{
    cr_assert_eq(syn_reduction_of(MPI_SUM), SYN_REDUCTION_SUM);
    cr_assert_eq(syn_reduction_of(MPI_LXOR), SYN_REDUCTION_LXOR);
    cr_assert_eq(syn_reduction_of(MPI_NO_OP), SYN_REDUCTION_NO_OP);
    cr_assert_eq(syn_reduction_of(MPI_OP_NULL), SYN_REDUCTION_NONE);
    cr_assert_eq(syn_reduction_of((MPI_Op)(void *)&asked_count), SYN_REDUCTION_OWN);
    cr_assert_eq(syn_reduction_of_fortran(0x21), SYN_REDUCTION_SUM);
}

static struct syn_payload_value reduce(MPI_Datatype type, int count, bool before)
{
    static struct syn_comm comm = {.size = 4};
    const struct syn_transfer transfer = {
        .send_count = count, .send_type = type, .root = -1, .reduction = SYN_REDUCTION_MAX};
    const struct syn_payload_value known =
        syn_payload_before(SYN_PAYLOAD_BUFFER, SYN_OPF_REDUCES, &transfer, &comm);
    return before ? known
                  : syn_payload_after(known, SYN_PAYLOAD_BUFFER, SYN_OPF_REDUCES, &transfer, &comm);
}

/* MPI is asked behind a call that it accepted, never before one. */
Test(attributes, before_the_call_only_what_the_thread_knows)
{
    const uint64_t attributes = syn_attributes(SYN_REDUCTION_MAX, SYN_TYPE_FLOAT, 8);
    const uint64_t expected = 24 | attributes << SYN_ATTRIBUTES_SHIFT;
    cr_assert_eq(reduce(MPI_DOUBLE, 3, true).bytes, SYN_OPEN_NO_BYTES);
    cr_assert_eq(asked_count, 0);
    cr_assert_eq(reduce(MPI_DOUBLE, 3, false).bytes, expected);
    cr_assert_eq(reduce(MPI_DOUBLE, 3, true).bytes, expected);
    cr_assert_eq(asked_count, 1);
    cr_assert_eq(reduce(MPI_INT, 0, true).bytes, 0);
}

static bool is_known(MPI_Datatype type)
{
    return reduce(type, 3, true).bytes != SYN_OPEN_NO_BYTES;
}

/* Another predefined type, whose handle shares the place of `type`. */
static MPI_Datatype neighbor_of(MPI_Datatype type)
{
    for (uintptr_t number = 0x300; number < 0x1000; number++)
        if (syn_type_place(syn_self, (MPI_Datatype)number) == syn_type_place(syn_self, type))
            return (MPI_Datatype)number;
    return NULL;
}

/* A thread knows common types before its first call: the more frequent one of two that share a
 * place. */
Test(attributes, common_types_are_known_from_the_first_call_on)
{
    const MPI_Datatype first[] = {MPI_INT, MPI_DOUBLE, MPI_BYTE, MPI_CHAR, MPI_LONG};
    for (int i = 0; i < SYN_COMMON_TYPES / 2; i++) {
        syn_mpi.common_types[i] = first[i];
        syn_mpi.common_types[SYN_COMMON_TYPES / 2 + i] = neighbor_of(first[i]);
    }
    syn_types_learn_common(syn_self);
    memcpy(syn_self->sized_types, syn_first_types, sizeof syn_first_types);
    asked_count = 0;
    for (int i = 0; i < SYN_COMMON_TYPES; i++)
        cr_assert_eq(is_known(syn_mpi.common_types[i]), i < SYN_COMMON_TYPES / 2, "type %d", i);
    cr_assert_eq(reduce(MPI_DOUBLE, 3, true).bytes & SYN_PAYLOAD_BYTES_MASK, 24);
    cr_assert_eq(asked_count, 0);
}

/* A count that MPI will refuse. */
Test(attributes, bytes_beyond_all_memory_are_not_known)
{
    static struct syn_comm comm = {.size = 4};
    const struct syn_transfer transfer = {
        .recv_count = INT64_MAX / 16, .recv_type = MPI_DOUBLE, .root = -1};
    syn_type_size(MPI_DOUBLE);
    cr_assert_neq(syn_payload_known(SYN_PAYLOAD_RECV_BLOCK, 0, &transfer, &comm),
                  SYN_OPEN_NO_BYTES);
    cr_assert_eq(syn_payload_known(SYN_PAYLOAD_RECV_COUNT_TIMES_SIZE, 0, &transfer, &comm),
                 SYN_OPEN_NO_BYTES);
}

/* A handle that may be another's next is asked each time. */
Test(attributes, a_derived_type_is_asked_each_time)
{
    const MPI_Datatype derived = (MPI_Datatype)(void *)&asked_count;
    const uint64_t attributes = syn_attributes(SYN_REDUCTION_MAX, SYN_TYPE_DERIVED, 255);
    for (int i = 1; i <= 2; i++) {
        cr_assert_eq(reduce(derived, 2, false).bytes, 600 | attributes << SYN_ATTRIBUTES_SHIFT);
        cr_assert_eq(asked_count, i);
        cr_assert_eq(reduce(derived, 2, true).bytes, SYN_OPEN_NO_BYTES);
    }
}
