/* preload/calls/fortran/fortran_other_collectives.c - the wrappers of the collectives on
 * communicators, windows and files for Fortran (fortran_wrappers.h), expanded from
 * trace/base/ops.def. All arguments are pointers, except the lengths of strings, which come last. A
 * LOGICAL is only compared with 0, which is .false. for all known compilers. */
#include "preload/calls/arguments/shapes_other.h"
#include "preload/calls/other_collectives.h"
#include "preload/mpi/fortran.h"
#include "preload/mpi/fortran_wrappers.h"

#define UNPACK(...) __VA_ARGS__
#define FUNCTION(member, PARAMETERS, ARGUMENTS, OPERATION, ENTER, OPEN, BEFORE, AFTER, UNRECORDED) \
    static void(*next_##member) PARAMETERS;                                                        \
    static void wrap_##member PARAMETERS                                                           \
    {                                                                                              \
        OPERATION;                                                                                 \
        ENTER;                                                                                     \
        SYN_NEED_RESULT(ierror);                                                                   \
        if (!self) {                                                                               \
            next_##member ARGUMENTS;                                                               \
            UNPACK UNRECORDED return;                                                              \
        }                                                                                          \
        BEFORE                                                                                     \
        SYN_CALL_BEGIN(call, self, OPEN);                                                          \
        next_##member ARGUMENTS;                                                                   \
        call.end_ticks = syn_now();                                                                \
        call.result = *ierror;                                                                     \
        UNPACK AFTER                                                                               \
    }

/* Parameters behind those of the shape: ierror and the lengths of SYN_STRINGS_<SHAPE> strings. */
#define TAIL(SHAPE)       TAIL_OF(SYN_STRINGS_##SHAPE)
#define TAIL_NAMES(SHAPE) TAIL_NAMES_OF(SYN_STRINGS_##SHAPE)
#define TAIL_OF(n)        PASTE(TAIL_, n)
#define TAIL_NAMES_OF(n)  PASTE(TAIL_NAMES_, n)
#define PASTE(a, b)       a##b
#define TAIL_0            , MPI_Fint *ierror
#define TAIL_NAMES_0      , ierror
#define TAIL_1            , MPI_Fint *ierror, size_t string_bytes
#define TAIL_NAMES_1      , ierror, string_bytes
#define TAIL_2            , MPI_Fint *ierror, size_t string_bytes, size_t other_bytes
#define TAIL_NAMES_2      , ierror, string_bytes, other_bytes

#define FORM(member, NAME, FORM_NAME, K, SHAPE, DOES)                                 \
    FUNCTION(member, (SYN_PARAMETERS_##SHAPE(K) SYN_MORE_##FORM_NAME(K) TAIL(SHAPE)), \
             (SYN_ARGUMENTS_##SHAPE SYN_MORE_NAMES_##FORM_NAME TAIL_NAMES(SHAPE)),    \
             SYN_OTHER_OPERATION(NAME, FORM_NAME, DOES), SYN_ENTER_##DOES(K, SHAPE),  \
             SYN_OPEN_##DOES(K, SHAPE), SYN_BEFORE_##DOES(K, SHAPE),                  \
             (SYN_AFTER_##DOES##_##FORM_NAME(K, SHAPE)),                              \
             (SYN_UNRECORDED_##DOES(K, SHAPE, *ierror)))
#define END(member, SHAPE)                                                   \
    FUNCTION(member, (SYN_PARAMETERS_##SHAPE(SYN_F) TAIL(SHAPE)),            \
             (SYN_ARGUMENTS_##SHAPE TAIL_NAMES(SHAPE)), , SYN_ENTER_PLAINLY, \
             syn_other_open_end(&call, SYN_SUBJECT_##SHAPE(SYN_F)), ,        \
             (syn_other_ended(&call, SYN_SUBJECT_##SHAPE(SYN_F));), ())

/* The families f, f08 and ts differ in how they pass buffers, which these wrappers do not read. So
 * their code is the same. */
#define FAMILIES(NAME, FORM_NAME, name, SHAPE, DOES)      \
    FORM(f_##name, NAME, FORM_NAME, SYN_F, SHAPE, DOES)   \
    FORM(f08_##name, NAME, FORM_NAME, SYN_F, SHAPE, DOES) \
    FORM(ts_##name, NAME, FORM_NAME, SYN_F, SHAPE, DOES)
/* The families for large counts exist for windows and files only. */
#define WIDE_COMM(NAME, FORM_NAME, name, SHAPE, DOES)
#define WIDE_WINDOW(NAME, FORM_NAME, name, SHAPE, DOES)     \
    FORM(large_##name, NAME, FORM_NAME, SYN_D, SHAPE, DOES) \
    FORM(fts_##name, NAME, FORM_NAME, SYN_F, SHAPE, DOES)
#define WIDE_FILE(NAME, FORM_NAME, name, SHAPE, DOES) \
    WIDE_WINDOW(NAME, FORM_NAME, name, SHAPE, DOES)

#define SYN_OTHER(row, NAME, Name, name, CLASS, SHAPE, DOES) \
    FAMILIES(NAME, BLOCKING, name, SHAPE, DOES)              \
    WIDE_##CLASS(NAME, BLOCKING, name, SHAPE, DOES)
#define SYN_OTHER_FORM(NAME, FORM_NAME, Name, name, UPPER, CLASS, SHAPE, DOES) \
    FAMILIES(NAME, FORM_NAME, name, SHAPE, DOES)                               \
    WIDE_##CLASS(NAME, FORM_NAME, name, SHAPE, DOES)
#define SYN_OTHER_ALIAS(NAME, Name, name, UPPER, CLASS, SHAPE, DOES) \
    FAMILIES(NAME, BLOCKING, name, SHAPE, DOES)                      \
    WIDE_##CLASS(NAME, BLOCKING, name, SHAPE, DOES)
#define SYN_OTHER_END(NAME, Name, name, UPPER, SHAPE) \
    END(f_##name, SHAPE)                              \
    END(f08_##name, SHAPE)                            \
    END(ts_##name, SHAPE)                             \
    END(large_##name, SHAPE)                          \
    END(fts_##name, SHAPE)
#define SYN_EXTENSION(row, NAME, Name, name, SHAPE, DOES) \
    FAMILIES(NAME, BLOCKING, name, SHAPE, DOES)
#define SYN_EXTENSION_FORM(NAME, FORM_NAME, Name, name, UPPER, SHAPE, DOES) \
    FAMILIES(NAME, FORM_NAME, name, SHAPE, DOES)
#include "trace/base/ops.def"

#define ADD_WITH(low, HIGH, name, UPPER)                             \
    SYN_FORTRAN_ADD(f_##name, SYN_SPELLINGS(low #name, HIGH #UPPER)) \
    SYN_FORTRAN_ADD(f08_##name, {low #name "_f08_"})                 \
    SYN_FORTRAN_ADD(ts_##name, {low #name "_f08ts_"})
#define ADD_FAMILIES(name, UPPER)  ADD_WITH("mpi_", "MPI_", name, UPPER)
#define ADD_EXTENSION(name, UPPER) ADD_WITH("mpix_", "MPIX_", name, UPPER)

size_t syn_fortran_other_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define SYN_OTHER(row, NAME, Name, name, CLASS, SHAPE, DOES) ADD_FAMILIES(name, NAME)
#define SYN_OTHER_FORM(NAME, FORM_NAME, Name, name, UPPER, CLASS, SHAPE, DOES) \
    ADD_FAMILIES(name, UPPER)
#define SYN_OTHER_ALIAS(NAME, Name, name, UPPER, CLASS, SHAPE, DOES) ADD_FAMILIES(name, UPPER)
#define SYN_OTHER_END(NAME, Name, name, UPPER, SHAPE)                ADD_FAMILIES(name, UPPER)
#define SYN_EXTENSION(row, NAME, Name, name, SHAPE, DOES)            ADD_EXTENSION(name, NAME)
#define SYN_EXTENSION_FORM(NAME, FORM_NAME, Name, name, UPPER, SHAPE, DOES) \
    ADD_EXTENSION(name, UPPER)
#include "trace/base/ops.def"
    return used;
}

size_t syn_fortran_wide_others_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define ADD_WIDE_COMM(name)
#define ADD_WIDE_WINDOW(name)                                SYN_FORTRAN_ADD_WIDE(name, "mpi_" #name)
#define ADD_WIDE_FILE(name)                                  ADD_WIDE_WINDOW(name)
#define SYN_OTHER(row, NAME, Name, name, CLASS, SHAPE, DOES) ADD_WIDE_##CLASS(name)
#define SYN_OTHER_FORM(NAME, FORM_NAME, Name, name, UPPER, CLASS, SHAPE, DOES) \
    ADD_WIDE_##CLASS(name)
#define SYN_OTHER_ALIAS(NAME, Name, name, UPPER, CLASS, SHAPE, DOES) ADD_WIDE_##CLASS(name)
#define SYN_OTHER_END(NAME, Name, name, UPPER, SHAPE)                ADD_WIDE_FILE(name)
#include "trace/base/ops.def"
    return used;
}
