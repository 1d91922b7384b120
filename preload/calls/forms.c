/* preload/calls/forms.c - see forms.h; the wrappers of the collectives, expanded from
 * trace/base/ops.def. mpi.h need not declare these functions: their prototypes follow from those of
 * the blocking ones. */
#include "preload/calls/forms.h"

#include "preload/calls/arguments/shapes.h"
#include "preload/calls/arguments/wrapper.h"
#include "preload/calls/nonblocking.h"
#include "preload/calls/requests.h"
#include "preload/clocks/resync.h"

#define OPERATION(NAME, PAYLOAD, FLAGS, FORM)                       \
    {                                                               \
        .rule = SYN_PAYLOAD_##PAYLOAD, .flags = (FLAGS),            \
        .id = SYN_ROW_##NAME + SYN_FORM_##FORM * SYN_OP_FORM_STRIDE \
    }

/* A wrapper. THEN: the steps after MPI's function. */
#define FUNCTION(member, row, operation_value, THEN, PARAMETERS, ARGUMENTS, TRANSFER)    \
    static int(*next_##member) PARAMETERS;                                               \
    static int wrap_##member PARAMETERS                                                  \
    {                                                                                    \
        static const struct syn_operation operation = operation_value;                   \
        struct syn_thread *self =                                                        \
            syn_recorded[row] ? syn_enter((uintptr_t)__builtin_frame_address(0)) : NULL; \
        if (!self)                                                                       \
            return next_##member ARGUMENTS;                                              \
        if (SYN_IS_BLOCKING(operation.id)) {                                             \
            syn_resync(self, comm, operation.flags);                                     \
            syn_align(self, comm);                                                       \
        }                                                                                \
        const struct syn_transfer transfer = {TRANSFER};                                 \
        SYN_CALL_BEGIN(call, self, OPEN);                                                \
        call.result = next_##member ARGUMENTS;                                           \
        call.end_ticks = syn_now();                                                      \
        THEN;                                                                            \
        return call.result;                                                              \
    }

/* RATIONALE: syn_open_collective is inlined, so that the operation is a constant in the wrapper.
 * The preparation of persistent collectives is rare, so its code is shared. */
#define OPEN                                                                              \
    operation.id / SYN_OP_FORM_STRIDE == SYN_FORM_PERSISTENT                              \
        ? syn_open_operation(&call, &operation, comm, &transfer)                          \
        : syn_open_collective(&call, operation.id, operation.rule, operation.flags, comm, \
                              &transfer)
#define DONE     syn_call_done(&call, &operation, comm, &transfer)
#define STARTED  syn_call_started(&call, &operation, comm, &transfer, *request)
#define PREPARED syn_call_prepared(&call, &operation, comm, &transfer, *request)

/* An argument in parentheses reaches FUNCTION as one argument. */
#define UNPACK(...) __VA_ARGS__
#define FORM(member, row, NAME, FORM_NAME, THEN, K, SHAPE, PAYLOAD, FLAGS, MORE, MORE_NAMES)     \
    FUNCTION(member, row, UNPACK(OPERATION(NAME, PAYLOAD, FLAGS, FORM_NAME)), THEN,              \
             (SYN_PARAMETERS_##SHAPE(K) UNPACK MORE), (SYN_ARGUMENTS_##SHAPE UNPACK MORE_NAMES), \
             UNPACK(SYN_TRANSFER_##SHAPE(K)))

#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS)                   \
    FORM(Name##_c, row, NAME, BLOCKING, DONE, SYN_L, SHAPE, PAYLOAD, FLAGS, (), ())    \
    FORM(I##name, row, NAME, NONBLOCKING, STARTED, SYN_C, SHAPE, PAYLOAD, FLAGS,       \
         (, MPI_Request * request), (, request))                                       \
    FORM(I##name##_c, row, NAME, NONBLOCKING, STARTED, SYN_L, SHAPE, PAYLOAD, FLAGS,   \
         (, MPI_Request * request), (, request))                                       \
    FORM(Name##_init, row, NAME, PERSISTENT, PREPARED, SYN_C, SHAPE, PAYLOAD, FLAGS,   \
         (, MPI_Info info, MPI_Request * request), (, info, request))                  \
    FORM(Name##_init_c, row, NAME, PERSISTENT, PREPARED, SYN_L, SHAPE, PAYLOAD, FLAGS, \
         (, MPI_Info info, MPI_Request * request), (, info, request))
#include "trace/base/ops.def"

/* Checks against mpi.h the forms that every MPI has. */
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS)                       \
    _Static_assert(                                                                        \
        __builtin_types_compatible_p(__typeof__(&MPI_I##name), __typeof__(&wrap_I##name)), \
        "MPI_I" #name);
#include "trace/base/ops.def"

/* Open MPI 4.1 has the persistent forms under the prefix MPIX only. */
size_t syn_forms_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t count = 0;
#define ADD(name, member) \
    wrappers[count++] = syn_wrapper_of(host, name, &next_##member, (void (*)(void))wrap_##member);
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) \
    ADD("MPI_" #Name "_c", Name##_c)                                 \
    ADD("MPI_I" #name, I##name)                                      \
    ADD("MPI_I" #name "_c", I##name##_c)                             \
    ADD("MPI_" #Name "_init", Name##_init)                           \
    ADD("MPI_" #Name "_init_c", Name##_init_c)                       \
    ADD("MPIX_" #Name "_init", Name##_init)
#include "trace/base/ops.def"
    return count;
}
