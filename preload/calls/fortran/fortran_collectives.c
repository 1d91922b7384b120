/* preload/calls/fortran/fortran_collectives.c - the wrappers of the collectives on data for Fortran
 * (fortran_wrappers.h), expanded from trace/base/ops.def. */
#include "preload/calls/arguments/shapes.h"
#include "preload/calls/nonblocking.h"
#include "preload/calls/requests.h"
#include "preload/clocks/resync.h"
#include "preload/mpi/fortran.h"
#include "preload/mpi/fortran_wrappers.h"

#define OPERATION(NAME, PAYLOAD, FLAGS, FORM)                       \
    {                                                               \
        .rule = SYN_PAYLOAD_##PAYLOAD, .flags = (FLAGS),            \
        .id = SYN_ROW_##NAME + SYN_FORM_##FORM * SYN_OP_FORM_STRIDE \
    }

#define FUNCTION(member, row, operation_value, THEN, PARAMETERS, ARGUMENTS, TRANSFER)          \
    static void(*next_##member) PARAMETERS;                                                    \
    static void wrap_##member PARAMETERS                                                       \
    {                                                                                          \
        static const struct syn_operation operation = operation_value;                         \
        struct syn_thread *self =                                                              \
            syn_recorded[row] ? syn_enter((uintptr_t)__builtin_frame_address(0)) : NULL;       \
        if (!self) {                                                                           \
            next_##member ARGUMENTS;                                                           \
            return;                                                                            \
        }                                                                                      \
        SYN_NEED_RESULT(ierror);                                                               \
        if (SYN_IS_BLOCKING(operation.id)) {                                                   \
            syn_resync(self, syn_comm_f2c(*comm), operation.flags);                            \
            syn_align(self, syn_comm_f2c(*comm));                                              \
        }                                                                                      \
        const struct syn_transfer transfer = {TRANSFER};                                       \
        SYN_CALL_BEGIN(call, self,                                                             \
                       syn_open_operation(&call, &operation, syn_comm_f2c(*comm), &transfer)); \
        next_##member ARGUMENTS;                                                               \
        call.end_ticks = syn_now();                                                            \
        call.result = *ierror;                                                                 \
        THEN;                                                                                  \
    }

#define DONE syn_call_done(&call, &operation, syn_comm_f2c(*comm), &transfer)
#define STARTED \
    syn_call_started(&call, &operation, syn_comm_f2c(*comm), &transfer, syn_request_f2c(*request))
#define PREPARED \
    syn_call_prepared(&call, &operation, syn_comm_f2c(*comm), &transfer, syn_request_f2c(*request))

/* An argument in parentheses reaches FUNCTION as one argument. */
#define UNPACK(...) __VA_ARGS__
#define FORM(member, row, NAME, FORM_NAME, THEN, K, SHAPE, PAYLOAD, FLAGS, MORE, MORE_NAMES) \
    FUNCTION(member, row, UNPACK(OPERATION(NAME, PAYLOAD, FLAGS, FORM_NAME)), THEN,          \
             (SYN_PARAMETERS_##SHAPE(K) UNPACK MORE, MPI_Fint * ierror),                     \
             (SYN_ARGUMENTS_##SHAPE UNPACK MORE_NAMES, ierror), UNPACK(SYN_TRANSFER_##SHAPE(K)))

#define FAMILY(family, K, row, NAME, name, SHAPE, PAYLOAD, FLAGS)                           \
    FORM(family##_##name, row, NAME, BLOCKING, DONE, K, SHAPE, PAYLOAD, FLAGS, (), ())      \
    FORM(family##_i##name, row, NAME, NONBLOCKING, STARTED, K, SHAPE, PAYLOAD, FLAGS,       \
         (, MPI_Fint * request), (, request))                                               \
    FORM(family##_##name##_init, row, NAME, PERSISTENT, PREPARED, K, SHAPE, PAYLOAD, FLAGS, \
         (, MPI_Fint * info, MPI_Fint * request), (, info, request))

#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) \
    FAMILY(f, SYN_F, row, NAME, name, SHAPE, PAYLOAD, FLAGS)         \
    FAMILY(f08, SYN_F, row, NAME, name, SHAPE, PAYLOAD, FLAGS)       \
    FAMILY(ts, SYN_T, row, NAME, name, SHAPE, PAYLOAD, FLAGS)        \
    FAMILY(large, SYN_D, row, NAME, name, SHAPE, PAYLOAD, FLAGS)     \
    FAMILY(fts, SYN_T, row, NAME, name, SHAPE, PAYLOAD, FLAGS)
#include "trace/base/ops.def"

size_t syn_fortran_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define ADD_FORM(lower, UPPER, base)                       \
    SYN_FORTRAN_ADD(f_##base, SYN_SPELLINGS(lower, UPPER)) \
    SYN_FORTRAN_ADD(f08_##base, {lower "_f08_"})           \
    SYN_FORTRAN_ADD(ts_##base, {lower "_f08ts_"})
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS)  \
    ADD_FORM("mpi_" #name, "MPI_" #NAME, name)                        \
    ADD_FORM("mpi_i" #name, "MPI_I" #NAME, i##name)                   \
    ADD_FORM("mpi_" #name "_init", "MPI_" #NAME "_INIT", name##_init) \
    ADD_FORM("mpix_" #name "_init", "MPIX_" #NAME "_INIT", name##_init)
#include "trace/base/ops.def"
    return used;
}

size_t syn_fortran_wide_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) \
    SYN_FORTRAN_ADD_WIDE(name, "mpi_" #name)                         \
    SYN_FORTRAN_ADD_WIDE(i##name, "mpi_i" #name)                     \
    SYN_FORTRAN_ADD_WIDE(name##_init, "mpi_" #name "_init")
#include "trace/base/ops.def"
    return used;
}
