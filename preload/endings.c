/* preload/endings.c - see endings.h. The handler calls nothing but getpid, raise and the handler
 * that was there before it. */
#include "endings.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "../trace/records.h"

static struct watched {
    int number;
    bool is_crash; /* raised by an instruction: it comes again when the handler returns */
    bool watched;
    struct sigaction former;
} signals[] = {
    {.number = SIGHUP},
    {.number = SIGINT},
    {.number = SIGQUIT},
    {.number = SIGUSR1},
    {.number = SIGUSR2},
    {.number = SIGPIPE},
    {.number = SIGALRM},
    {.number = SIGTERM},
    {.number = SIGXCPU},
    {.number = SIGXFSZ},
    {.number = SIGVTALRM},
    {.number = SIGPROF},
    {.number = SIGABRT},
    {.number = SIGILL, .is_crash = true},
    {.number = SIGBUS, .is_crash = true},
    {.number = SIGFPE, .is_crash = true},
    {.number = SIGSEGV, .is_crash = true},
    {.number = SIGSYS, .is_crash = true},
};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static uint32_t *ending;
static pid_t owner; /* a forked child shares the memory, and is not the run */

static bool is_default(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static struct watched *find(int number)
{
    size_t i = 0;
    while (i < SIGNAL_COUNT - 1 && signals[i].number != number)
        i++;
    return &signals[i];
}

static void note(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    const struct watched *watched = find(number);
    if (getpid() == owner)
        __atomic_store_n(ending, (uint32_t)(SYN_ENDING_SIGNAL + number), __ATOMIC_RELAXED);
    if (is_default(&watched->former)) {
        /* SA_RESETHAND has set the default again. A crash comes again by itself, with its own
         * address; anything else is sent once more, and arrives when this returns. */
        if (!watched->is_crash || info->si_code <= 0)
            raise(number);
    } else if (watched->former.sa_flags & SA_SIGINFO) {
        watched->former.sa_sigaction(number, info, context);
    } else {
        watched->former.sa_handler(number);
    }
    errno = error;
}

static const void *object_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Open MPI and UCX (under MPICH) print a stack trace when a program crashes, and set their handlers
 * in MPI_Init or when they are loaded. A handler that lies in a library is called as it would have
 * been: same mask, same flags. One of the program itself is left alone. */
static bool is_of_a_library(const struct watched *watched, const struct sigaction *now)
{
    const void *handler = now->sa_flags & SA_SIGINFO ? (const void *)(uintptr_t)now->sa_sigaction
                                                     : (const void *)(uintptr_t)now->sa_handler;
    const void *program = object_of((const void *)getauxval(AT_ENTRY));
    if (!(now->sa_flags & SA_SIGINFO) && now->sa_handler == SIG_IGN)
        return false;
    return (watched->is_crash || watched->number == SIGABRT) && program && object_of(handler) &&
           object_of(handler) != program;
}

static void watch(struct watched *watched)
{
    struct sigaction action;
    if (sigaction(watched->number, NULL, &action))
        return;
    watched->former = action;
    if (is_default(&action)) {
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESETHAND | SA_ONSTACK | SA_RESTART;
    } else if (!is_of_a_library(watched, &action)) {
        return;
    }
    action.sa_flags |= SA_SIGINFO;
    action.sa_sigaction = note;
    watched->watched = sigaction(watched->number, &action, NULL) == 0;
}

void syn_endings_watch(uint32_t *where)
{
    if (!where)
        return;
    ending = where;
    owner = getpid();
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        watch(&signals[i]);
}

void syn_endings_stop(void)
{
    struct sigaction now;
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct watched *watched = &signals[i];
        if (watched->watched && sigaction(watched->number, NULL, &now) == 0 &&
            (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == note)
            sigaction(watched->number, &watched->former, NULL);
        watched->watched = false;
    }
}
