/* preload/base/large_stack.c - see large_stack.h. */
#include "preload/base/large_stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#define NEEDED_BYTES (512 * 1024)
#define OWN_BYTES    (1024 * 1024)

/* makecontext() passes only ints: what the new stack begins with is found by its thread. */
static __thread struct {
    void (*work)(void *argument);
    void *argument;
} entry;

static void enter(void)
{
    entry.work(entry.argument);
}

/* Returns true, too, where the stack's end is not known. */
static bool is_large(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return true;
    const bool is_known = !pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    return !is_known || (uintptr_t)__builtin_frame_address(0) - (uintptr_t)low >= NEEDED_BYTES;
}

void syn_on_large_stack(void (*work)(void *argument), void *argument)
{
    ucontext_t caller, own;
    void *stack = is_large() ? MAP_FAILED
                             : mmap(NULL, OWN_BYTES, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&own)) {
        work(argument);
    } else {
        entry.work = work;
        entry.argument = argument;
        own.uc_stack.ss_sp = stack;
        own.uc_stack.ss_size = OWN_BYTES;
        own.uc_link = &caller;
        makecontext(&own, enter, 0);
        swapcontext(&caller, &own);
    }
    if (stack != MAP_FAILED)
        munmap(stack, OWN_BYTES);
}
