/* preload/calls/other_collectives.c - the wrappers of the collectives on communicators, windows and
 * files in C, expanded from trace/base/ops.def. mpi.h need not declare these functions: they are
 * looked up when the program runs. */
#include "preload/calls/other_collectives.h"

#include "preload/calls/arguments/shapes_other.h"
#include "preload/calls/arguments/wrapper.h"

/* An argument in parentheses reaches FUNCTION as one argument. */
#define UNPACK(...) __VA_ARGS__
#define FUNCTION(member, PARAMETERS, ARGUMENTS, OPERATION, ENTER, OPEN, BEFORE, AFTER, UNRECORDED) \
    static int(*next_##member) PARAMETERS;                                                         \
    static int wrap_##member PARAMETERS                                                            \
    {                                                                                              \
        OPERATION;                                                                                 \
        ENTER;                                                                                     \
        if (!self) {                                                                               \
            const int result = next_##member ARGUMENTS;                                            \
            UNPACK UNRECORDED return result;                                                       \
        }                                                                                          \
        BEFORE                                                                                     \
        SYN_CALL_BEGIN(call, self, OPEN);                                                          \
        call.result = next_##member ARGUMENTS;                                                     \
        call.end_ticks = syn_now();                                                                \
        UNPACK AFTER return call.result;                                                           \
    }

/* Clear the handle that MPI_Comm_idup will set. Open MPI and MPICH set it when the call returns;
 * the recorder then sees that it is no longer MPI_COMM_NULL. The program may use the handle only
 * after the request is complete, so the change does no harm. */
#define BEFORE_BLOCKING(DOES, K, SHAPE)    SYN_BEFORE_##DOES(K, SHAPE)
#define BEFORE_SPLIT(DOES, K, SHAPE)       SYN_BEFORE_##DOES(K, SHAPE)
#define BEFORE_NONBLOCKING(DOES, K, SHAPE) CLEAR_##DOES
#define CLEAR_MAKES \
    if (made)       \
        *made = syn_mpi.comm_null;
#define CLEAR_TRANSFERS
#define CLEAR_USES

#define FORM(member, NAME, FORM_NAME, K, SHAPE, DOES)                                \
    FUNCTION(member, (SYN_PARAMETERS_##SHAPE(K) SYN_MORE_##FORM_NAME(K)),            \
             (SYN_ARGUMENTS_##SHAPE SYN_MORE_NAMES_##FORM_NAME),                     \
             SYN_OTHER_OPERATION(NAME, FORM_NAME, DOES), SYN_ENTER_##DOES(K, SHAPE), \
             SYN_OPEN_##DOES(K, SHAPE), BEFORE_##FORM_NAME(DOES, K, SHAPE),          \
             (SYN_AFTER_##DOES##_##FORM_NAME(K, SHAPE)),                             \
             (SYN_UNRECORDED_##DOES(K, SHAPE, result)))

/* Collectives on windows and files also have forms with large counts. */
#define FORMS_COMM(NAME, FORM_NAME, Name, SHAPE, DOES) \
    FORM(Name, NAME, FORM_NAME, SYN_C, SHAPE, DOES)
#define FORMS_WINDOW(NAME, FORM_NAME, Name, SHAPE, DOES) \
    FORM(Name, NAME, FORM_NAME, SYN_C, SHAPE, DOES)      \
    FORM(Name##_c, NAME, FORM_NAME, SYN_L, SHAPE, DOES)
#define FORMS_FILE(NAME, FORM_NAME, Name, SHAPE, DOES) \
    FORMS_WINDOW(NAME, FORM_NAME, Name, SHAPE, DOES)

#define SYN_OTHER(row, NAME, Name, name, CLASS, SHAPE, DOES) \
    FORMS_##CLASS(NAME, BLOCKING, Name, SHAPE, DOES)
#define SYN_OTHER_FORM(NAME, FORM_NAME, Name, name, UPPER, CLASS, SHAPE, DOES) \
    FORMS_##CLASS(NAME, FORM_NAME, Name, SHAPE, DOES)
#define SYN_OTHER_END(NAME, Name, name, UPPER, SHAPE)                                             \
    FUNCTION(Name, (SYN_PARAMETERS_##SHAPE(SYN_C)), (SYN_ARGUMENTS_##SHAPE), , SYN_ENTER_PLAINLY, \
             syn_other_open_end(&call, SYN_SUBJECT_##SHAPE(SYN_C)), ,                             \
             (syn_other_ended(&call, SYN_SUBJECT_##SHAPE(SYN_C));), ())
#define SYN_EXTENSION(row, NAME, Name, name, SHAPE, DOES) \
    FORMS_COMM(NAME, BLOCKING, Name, SHAPE, DOES)
#define SYN_EXTENSION_FORM(NAME, FORM_NAME, Name, name, UPPER, SHAPE, DOES) \
    FORMS_COMM(NAME, FORM_NAME, Name, SHAPE, DOES)
#include "trace/base/ops.def"

/* Checks the wrappers against mpi.h, except for functions that not every MPI has. */
#define CHECK(Name)                                                                      \
    _Static_assert(                                                                      \
        __builtin_types_compatible_p(__typeof__(&MPI_##Name), __typeof__(&wrap_##Name)), \
        "MPI_" #Name);
#define CHECK_BLOCKING(Name) CHECK(Name)
#if MPI_VERSION >= 4
#define CHECK_FORM(Name) CHECK(Name)
#else
#define MPI_Comm_idup_with_info          wrap_Comm_idup_with_info
#define MPI_Comm_create_from_group       wrap_Comm_create_from_group
#define MPI_Intercomm_create_from_groups wrap_Intercomm_create_from_groups
#define CHECK_FORM(Name)                 CHECK(Name)
#endif
#define SYN_OTHER(row, NAME, Name, name, CLASS, SHAPE, DOES)                   CHECK(Name)
#define SYN_OTHER_FORM(NAME, FORM_NAME, Name, name, UPPER, CLASS, SHAPE, DOES) CHECK_FORM(Name)
#define SYN_OTHER_END(NAME, Name, name, UPPER, SHAPE)                          CHECK(Name)
#include "trace/base/ops.def"

static int wrap_Comm_set_name(MPI_Comm comm, const char *name)
{
    const int result = syn_next.Comm_set_name(comm, name);
    if (result == MPI_SUCCESS)
        syn_comm_named(comm, name);
    return result;
}

size_t syn_other_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t count = 0;
    __typeof__(&MPI_Comm_set_name) const set_name = wrap_Comm_set_name; /* checks the type */
    wrappers[count++] = (struct syn_wrapper){"MPI_Comm_set_name", (void (*)(void))set_name};
#define ADD(name, member) \
    wrappers[count++] = syn_wrapper_of(host, name, &next_##member, (void (*)(void))wrap_##member);
#define ADD_COMM(Name) ADD("MPI_" #Name, Name)
#define ADD_WINDOW(Name)    \
    ADD("MPI_" #Name, Name) \
    ADD("MPI_" #Name "_c", Name##_c)
#define ADD_FILE(Name)                                                         ADD_WINDOW(Name)
#define SYN_OTHER(row, NAME, Name, name, CLASS, SHAPE, DOES)                   ADD_##CLASS(Name)
#define SYN_OTHER_FORM(NAME, FORM_NAME, Name, name, UPPER, CLASS, SHAPE, DOES) ADD_##CLASS(Name)
#define SYN_OTHER_END(NAME, Name, name, UPPER, SHAPE)                          ADD_COMM(Name)
#define SYN_EXTENSION(row, NAME, Name, name, SHAPE, DOES)                      ADD("MPIX_" #Name, Name)
#define SYN_EXTENSION_FORM(NAME, FORM_NAME, Name, name, UPPER, SHAPE, DOES)    ADD("MPIX_" #Name, Name)
#include "trace/base/ops.def"
    return count;
}
