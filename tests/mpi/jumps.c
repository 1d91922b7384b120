/* tests/mpi/jumps.c - leaves calls of MPI by jumps, and calls MPI from deeper functions afterwards.
 * usage: jumps WAY... Does each in turn and prints how many barriers it made outside of other calls
 * of MPI; one process.
 *   deeper      an error handler jumps to a function near main
 *   places      the same; functions of the program have their frames where the left call's was
 *   callbacks   after a jump: callbacks of attributes and an error handler call MPI from within
 *   freeing     out of MPI_Comm_free; a callback frees the communicator later
 *   messages    after a jump: sends and receives
 *   coroutines  jumps on stacks of the program's own
 *   yielding    a callback goes to another stack, where MPI is called
 *   signals     a signal handler with a stack of its own calls MPI from within, and jumps
 *   thread      an error handler jumps in a thread */
#include <alloca.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define DEEP        30
#define STACK_BYTES ((size_t)128 << 10)

static long made;
static MPI_Comm failing; /* its error handler jumps */
static int key;          /* of an attribute whose callbacks call MPI */
static MPI_Errhandler handler;
static sigjmp_buf back;
static void (*at_copy)(void); /* in the copy callback */

static void call(void)
{
    MPI_Barrier(MPI_COMM_SELF);
    made++;
}

static void call_within(void)
{
    MPI_Barrier(MPI_COMM_SELF);
}

/* Calls `body` from a function that is deeper on the stack by `depth` frames of some size. */
static __attribute__((noinline)) void deep(int depth, void (*body)(void))
{
    volatile char space[200];
    space[0] = (char)depth;
    if (depth > 0)
        deep(depth - 1, body);
    else
        body();
    space[1] = space[0];
}

static void jump_out(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    deep(3, call_within);
    siglongjmp(back, 1);
}

static void fail(void)
{
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, 99, failing);
    abort();
}

/* Returns after a jump out of a call that `body` makes. */
static __attribute__((noinline)) void leave(void (*body)(void))
{
    if (!sigsetjmp(back, 1))
        body();
}

static void call_deep(void)
{
    for (int i = 0; i < DEEP; i++)
        deep(i, call);
}

static int copy(MPI_Comm comm, int which, void *extra, void *value, void *out, int *flag)
{
    (void)comm, (void)which, (void)extra, (void)value, (void)out;
    *flag = 0;
    at_copy();
    return MPI_SUCCESS;
}

static void duplicate(void)
{
    MPI_Comm made_comm;
    MPI_Comm_dup(failing, &made_comm);
    MPI_Comm_free(&made_comm);
}

static void deeper(void)
{
    for (int i = 0; i < 3; i++) {
        leave(fail);
        call_deep();
    }
    leave(fail);
    call();
}

static __attribute__((noinline)) void shifted(size_t bytes)
{
    volatile char *space = alloca(bytes);
    space[0] = 0;
    deep(2, call);
    space[bytes - 1] = 0;
}

static void places(void)
{
    for (size_t i = 1; i <= 64; i++) {
        leave(fail);
        shifted(i * 16);
    }
}

static void all_within(void)
{
    deep(0, call_within);
    deep(5, call_within);
}

static void callbacks(void)
{
    at_copy = all_within;
    leave(fail);
    deep(5, duplicate);
    call_deep();
    duplicate();
}

/* ---- a communicator that is not freed at first ---- */

static MPI_Comm refusing;
static int refusals; /* calls that its delete callback still refuses */

static int refuse(MPI_Comm comm, int which, void *value, void *extra)
{
    (void)comm, (void)which, (void)value, (void)extra;
    return refusals-- > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void free_refusing(void)
{
    MPI_Comm_free(&refusing);
}

static void freeing(void)
{
    int refusing_key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &refusing_key, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &refusing);
    MPI_Comm_set_errhandler(refusing, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* MPICH calls this one */
    MPI_Comm_set_attr(refusing, refusing_key, NULL);
    MPI_Barrier(refusing);
    made++;
    refusals = 1;
    leave(free_refusing);
    at_copy = free_refusing;
    duplicate();
    call();
}

static void exchange(void)
{
    int sent = 1, received;
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}

static void messages(void)
{
    leave(fail);
    for (int i = 0; i < DEEP; i++)
        deep(i, exchange);
    call_deep();
}

/* ---- stacks of the program's own ---- */

static ucontext_t outside, inside[2];
static char stacks[2][STACK_BYTES];

static void jump_and_yield(void)
{
    leave(fail);
    swapcontext(&inside[1], &outside);
    call_deep();
    swapcontext(&inside[1], &outside);
}

static void call_and_yield(void)
{
    call_deep();
    swapcontext(&inside[0], &outside);
}

static void prepare(int number, void (*body)(void))
{
    getcontext(&inside[number]);
    inside[number].uc_stack.ss_sp = stacks[number];
    inside[number].uc_stack.ss_size = STACK_BYTES;
    makecontext(&inside[number], body, 0);
}

static void coroutines(void)
{
    for (int other = 0; other < 2; other++) {
        prepare(1, jump_and_yield);
        prepare(0, call_and_yield);
        swapcontext(&outside, &inside[1]);
        if (other)
            swapcontext(&outside, &inside[0]);
        swapcontext(&outside, &inside[1]);
    }
}

static void go_elsewhere(void)
{
    prepare(0, call_and_yield);
    swapcontext(&outside, &inside[0]);
}

static void yielding(void)
{
    at_copy = go_elsewhere;
    duplicate();
    call_deep();
}

/* ---- signals ---- */

static char signal_stack[STACK_BYTES];
static int jumps; /* the signal handler jumps */

static void handle(int number)
{
    (void)number;
    deep(3, call_within);
    if (jumps)
        siglongjmp(back, 1);
}

static void raise_signal(void)
{
    raise(SIGUSR2);
    call_within();
}

static void signals(void)
{
    const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR2, &action, NULL);
    at_copy = raise_signal;
    duplicate();
    jumps = 1;
    leave(duplicate);
    call_deep();
}

static void *run(void *argument)
{
    deeper();
    return argument;
}

static void thread(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, run, NULL) || pthread_join(other, NULL))
        abort();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"deeper", deeper},     {"places", places},     {"callbacks", callbacks},
                {"freeing", freeing},   {"messages", messages}, {"coroutines", coroutines},
                {"yielding", yielding}, {"signals", signals},   {"thread", thread}};
    int provided;
    /* MPICH still has its lock for several threads after a jump. */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_dup(MPI_COMM_SELF, &failing);
    MPI_Comm_create_errhandler(jump_out, &handler);
    MPI_Comm_set_errhandler(failing, handler);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(failing, key, &key);
    for (int i = 1; i < argc; i++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            if (strcmp(argv[i], ways[way].name) == 0)
                ways[way].run();
    printf("%ld calls\n", made);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
