/* preload/calls/collectives.c - the wrappers of the blocking collectives in C, expanded from
 * trace/base/ops.def. */
#include "preload/calls/collectives.h"

#include "preload/calls/arguments/shapes.h"
#include "preload/calls/call.h"
#include "preload/clocks/resync.h"
#include "preload/mpi/pmpi.h"

/* The payload after the call. `known` is the payload before the call.
 * RATIONALE: If MPI has to be asked, a second struct is made of the arguments. The first one can
 * then stay in registers, because its address is never taken. */
#define PAYLOAD(SHAPE, RULE, FLAGS, known, state)                                       \
    ({                                                                                  \
        struct syn_payload_value value = (known);                                       \
        if (__builtin_expect(value.bytes == SYN_OPEN_NO_BYTES, 0)) {                    \
            const struct syn_transfer again = {SYN_TRANSFER_##SHAPE(SYN_C)};            \
            value = syn_payload_after(value, SYN_PAYLOAD_##RULE, FLAGS, &again, state); \
        }                                                                               \
        value;                                                                          \
    })

#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, RULE, FLAGS)                            \
    static int wrap_##Name(SYN_PARAMETERS_##SHAPE(SYN_C))                                    \
    {                                                                                        \
        struct syn_thread *self =                                                            \
            syn_recorded[row] ? syn_enter((uintptr_t)__builtin_frame_address(0)) : NULL;     \
        if (!self)                                                                           \
            return syn_next.Name(SYN_ARGUMENTS_##SHAPE);                                     \
        syn_resync(self, comm, FLAGS);                                                       \
        syn_align(self, comm);                                                               \
        const struct syn_transfer transfer = {SYN_TRANSFER_##SHAPE(SYN_C)};                  \
        SYN_CALL_BEGIN(call, self,                                                           \
                       syn_open_collective(&call, SYN_OP_BLOCKING(NAME), SYN_PAYLOAD_##RULE, \
                                           FLAGS, comm, &transfer));                         \
        call.result = syn_next.Name(SYN_ARGUMENTS_##SHAPE);                                  \
        call.end_ticks = syn_now();                                                          \
        const bool failed = __builtin_expect(call.result != MPI_SUCCESS, 0);                 \
        struct syn_comm *state =                                                             \
            failed ? syn_comm_of_failed(comm, call.result) : syn_call_found(&call, comm);    \
        if (state) {                                                                         \
            const struct syn_payload_value payload =                                         \
                failed ? (struct syn_payload_value){.root = -1, .flags = SYN_EVENT_FAILED}   \
                       : PAYLOAD(SHAPE, RULE, FLAGS, call.payload, state);                   \
            syn_call_record(&call, state, SYN_OP_BLOCKING(NAME), payload);                   \
        }                                                                                    \
        syn_call_leave(&call);                                                               \
        return call.result;                                                                  \
    }
#include "trace/base/ops.def"

/* The initializers also check each wrapper's type against mpi.h. */
static struct {
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) __typeof__(&MPI_##Name) Name;
#include "trace/base/ops.def"
} const typed = {
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) .Name = wrap_##Name,
#include "trace/base/ops.def"
};

size_t syn_collectives_add(struct syn_wrapper *wrappers)
{
    size_t count = 0;
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) \
    wrappers[count++] = (struct syn_wrapper){"MPI_" #Name, (void (*)(void))typed.Name};
#include "trace/base/ops.def"
    return count;
}
