/* preload/collectives.c - the wrappers of the collectives, expanded from trace/ops.def. */
#include "collectives.h"

#include "../sync/status.h"
#include "communicators.h"
#include "payload.h"
#include "pmpi.h"
#include "recorder.h"
#include "shapes.h"
#include "stacks.h"

/* Did the ranks exchange anything? MPI refuses arguments before it communicates: such a call is no
 * collective, and the communicator's ranks do not count it. */
static bool was_refused(int error)
{
    int class = MPI_ERR_OTHER;
    syn_pmpi.Error_class(error, &class);
    switch (class) {
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_COMM:
    case MPI_ERR_ROOT:
    case MPI_ERR_RANK:
    case MPI_ERR_OP:
    case MPI_ERR_ARG:
    case MPI_ERR_GROUP:
    case MPI_ERR_TOPOLOGY:
        return true;
    default:
        return false;
    }
}

/* A call that returned an error: recorded if its communicator is known, without asking MPI about
 * arguments that may be invalid. */
static __attribute__((noinline)) struct syn_comm *comm_of_failed(MPI_Comm handle, int error)
{
    if (was_refused(error))
        return NULL;
    struct syn_comm *comm = syn_comm_known(handle);
    return comm ? syn_comm_lookup(handle) : NULL;
}

static inline void record(struct syn_thread *self, struct syn_comm *comm, uint16_t op,
                          uintptr_t frame, uintptr_t caller, int64_t start_ticks, int64_t end_ticks,
                          struct syn_payload_value payload)
{
    const uint32_t stack =
        self->stacks ? syn_stack_index(self->stacks, frame, caller) : SYN_NO_STACK;
    struct syn_event *event = syn_event_next(self);
    event->start_ticks = start_ticks;
    event->end_ticks = end_ticks;
    event->call_end_ticks = end_ticks;
    event->wait_start_ticks = start_ticks;
    event->bytes = payload.bytes;
    event->sequence = comm->sequence++;
    event->comm = comm->index;
    event->stack = stack;
    event->root = payload.root;
    event->op = op;
    event->flags = (uint16_t)(payload.flags | comm->event_flags | self->pending_flags);
    self->pending_flags = 0;
    syn_event_done(self);
}

#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS)                              \
    static int wrap_##Name(SYN_PARAMETERS_##SHAPE(int, int))                                      \
    {                                                                                             \
        const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);                            \
        struct syn_thread *self = syn_recorded[row] ? syn_enter(frame) : NULL;                    \
        if (!self)                                                                                \
            return syn_next.Name(SYN_ARGUMENTS_##SHAPE);                                          \
        const int64_t start_ticks = syn_now();                                                    \
        const int result = syn_next.Name(SYN_ARGUMENTS_##SHAPE);                                  \
        const int64_t end_ticks = syn_now();                                                      \
        const bool failed = __builtin_expect(result != MPI_SUCCESS, 0);                           \
        struct syn_comm *state = failed ? comm_of_failed(comm, result) : syn_comm_of(self, comm); \
        if (state) {                                                                              \
            const struct syn_transfer transfer = {SYN_TRANSFER_##SHAPE};                          \
            const struct syn_payload_value payload =                                              \
                failed ? (struct syn_payload_value){.root = -1, .flags = SYN_EVENT_FAILED}        \
                       : syn_payload_of(SYN_PAYLOAD_##PAYLOAD, FLAGS, &transfer, state);          \
            record(self, state, SYN_OP_BLOCKING(NAME), frame,                                     \
                   (uintptr_t)__builtin_return_address(0), start_ticks, end_ticks, payload);      \
        }                                                                                         \
        syn_leave(self);                                                                          \
        return result;                                                                            \
    }
#include "../trace/ops.def"

/* The initializers also check each wrapper's type against mpi.h. */
static struct {
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) __typeof__(&MPI_##Name) Name;
#include "../trace/ops.def"
} const typed = {
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) .Name = wrap_##Name,
#include "../trace/ops.def"
};

size_t syn_collectives_add(struct syn_wrapper *wrappers)
{
    size_t count = 0;
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) \
    wrappers[count++] = (struct syn_wrapper){"MPI_" #Name, (void (*)(void))typed.Name};
#include "../trace/ops.def"
    return count;
}
