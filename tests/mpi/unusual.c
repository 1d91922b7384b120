/* tests/mpi/unusual.c - threads as few programs have them. usage: unusual WAY... Does each in turn
 * and prints how many calls were made; one process.
 *   forgetful   removes a variable of the recorder before MPI is initialized
 *   small       threads with the smallest stack there may be, and more events than a block has
 *   rounds      destructors of a thread's own data call MPI in each of their rounds
 *   stacks      threads on memory of the program's, each time at another place
 *   coroutines  calls on stacks that go from one thread to another
 * MPI is initialized by a thread that ends. At last the main thread leaves by pthread_exit, and
 * another one ends MPI. */
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define COROUTINES  16
#define STACK_BYTES ((size_t)64 << 10)

static long made; /* atomic */
static pthread_key_t key;
static pthread_t main_thread;

static void call(void)
{
    MPI_Barrier(MPI_COMM_SELF);
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
}

static void run(const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, attributes, body, argument) || pthread_join(thread, NULL))
        abort();
}

static void *call_often(void *argument)
{
    for (int i = 0; i < 7000; i++)
        call();
    return argument;
}

static void small(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
    for (int i = 0; i < 3; i++)
        run(&attributes, call_often, NULL);
}

static void call_again(void *rounds)
{
    call();
    if ((long)rounds > 1)
        pthread_setspecific(key, (void *)((long)rounds - 1));
}

static void *leave_data(void *argument)
{
    pthread_setspecific(key, (void *)(long)PTHREAD_DESTRUCTOR_ITERATIONS);
    if (argument)
        call();
    return NULL;
}

static void rounds(void)
{
    pthread_key_create(&key, call_again);
    for (int i = 0; i < 50; i++)
        run(NULL, leave_data, i % 2 ? &key : NULL);
}

static void *call_some(void *argument)
{
    for (int i = 0; i < 10; i++)
        call();
    return argument;
}

static void stacks(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_attr_t attributes;
        void *stack = mmap(NULL, STACK_BYTES + (size_t)i * 4096, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, STACK_BYTES);
        run(&attributes, call_some, NULL);
        munmap(stack, STACK_BYTES + (size_t)i * 4096);
    }
}

static ucontext_t inside[COROUTINES], outside;
static char coroutine_stacks[COROUTINES][STACK_BYTES / 2];

static void coroutine(int number)
{
    for (;;) {
        call();
        swapcontext(&inside[number], &outside);
    }
}

static void *resume_all(void *argument)
{
    for (int i = 0; i < COROUTINES; i++)
        swapcontext(&outside, &inside[i]);
    return argument;
}

static void coroutines(void)
{
    for (int i = 0; i < COROUTINES; i++) {
        getcontext(&inside[i]);
        inside[i].uc_stack.ss_sp = coroutine_stacks[i];
        inside[i].uc_stack.ss_size = sizeof coroutine_stacks[i];
        makecontext(&inside[i], (void (*)(void))coroutine, 1, i);
    }
    for (int i = 0; i < 10; i++)
        run(NULL, resume_all, NULL);
}

static void *start(void *argument)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    return argument;
}

static void *end(void *argument)
{
    pthread_join(main_thread, NULL);
    call_some(NULL);
    printf("%ld calls\n", made);
    fflush(stdout);
    MPI_Finalize();
    return argument;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {
        {"small", small}, {"rounds", rounds}, {"stacks", stacks}, {"coroutines", coroutines}};
    if (argc > 1 && strcmp(argv[1], "forgetful") == 0)
        unsetenv("SYNCOPATE_OUTPUT");
    run(NULL, start, NULL);
    for (int i = 1; i < argc; i++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            if (strcmp(argv[i], ways[way].name) == 0)
                ways[way].run();
    pthread_t last;
    main_thread = pthread_self();
    pthread_create(&last, NULL, end, NULL);
    pthread_exit(NULL);
}
