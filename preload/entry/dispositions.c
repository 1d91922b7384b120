/* preload/entry/dispositions.c - replaces sigaction and signal, so that a program reads the actions
 * that it would read without the recorder.
 *
 * The backend sets handlers for signals that would end the program (endings.h), where the action
 * was the default. A program may ask for a signal's action, to call it later or to set a handler
 * only if there is none. The backend then replaces its own action by the former one in the answer.
 * An action for SIGBUS is not set, but called by the backend's handler, which must first check
 * whether the fault lies in the recorder's memory. In a process that makes no MPI call nothing
 * changes. */
#include <dlfcn.h>
#include <signal.h>

#include "preload/entry/dispositions.h"

#define EXPORTED __attribute__((visibility("default")))

typedef void (*handler)(int);

/* Functions of the backend; atomic; NULL before it is loaded. */
static struct {
    void (*hide)(int number, struct sigaction *action);
    bool (*take)(int number, const struct sigaction *now, struct sigaction *before);
} backend;

void syn_dispositions_hide(void (*function)(int number, struct sigaction *action))
{
    __atomic_store_n(&backend.hide, function, __ATOMIC_RELEASE);
}

void syn_dispositions_take(bool (*function)(int number, const struct sigaction *now,
                                            struct sigaction *before))
{
    __atomic_store_n(&backend.take, function, __ATOMIC_RELEASE);
}

/* Returns whether the backend has taken the action, to call it from its own handler. */
static bool taken(int number, const struct sigaction *now, struct sigaction *before)
{
    bool (*function)(int, const struct sigaction *, struct sigaction *) =
        __atomic_load_n(&backend.take, __ATOMIC_ACQUIRE);
    return now && function && function(number, now, before);
}

/* Returns the next definition of a function, and keeps it in *kept. dlsym(RTLD_NEXT) finds the
 * calling object by its return address, so the call must not become a tail call. */
static void *next_of(const char *name, void **kept)
{
    void *found = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        __atomic_store_n(kept, found, __ATOMIC_RELEASE);
    }
    return found;
}

static void show_former(int number, struct sigaction *action)
{
    void (*function)(int, struct sigaction *) = __atomic_load_n(&backend.hide, __ATOMIC_ACQUIRE);
    if (function && action)
        function(number, action);
}

EXPORTED int sigaction(int number, const struct sigaction *restrict now,
                       struct sigaction *restrict before)
{
    static void *next;
    int (*function)(int, const struct sigaction *, struct sigaction *) =
        (int (*)(int, const struct sigaction *, struct sigaction *))next_of("sigaction", &next);
    if (taken(number, now, before))
        return 0;
    const int result = function(number, now, before);
    if (result == 0)
        show_former(number, before);
    return result;
}

static handler former_handler(int number, handler before)
{
    struct sigaction action = {.sa_handler = before};
    if (before != SIG_ERR)
        show_former(number, &action);
    return action.sa_handler;
}

/* Defines signal, and the functions of other standards that do the same, with the flags that each
 * sets. */
#define SIGNAL(name, flags)                                                                  \
    EXPORTED handler name(int number, handler now);                                          \
    handler name(int number, handler now)                                                    \
    {                                                                                        \
        static void *next;                                                                   \
        const struct sigaction action = {.sa_handler = now, .sa_flags = (int)(flags)};       \
        struct sigaction before;                                                             \
        handler (*function)(int, handler) = (handler(*)(int, handler))next_of(#name, &next); \
        if (taken(number, &action, &before))                                                 \
            return before.sa_handler;                                                        \
        return function ? former_handler(number, function(number, now)) : SIG_ERR;           \
    }
SIGNAL(signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(sysv_signal, SA_RESETHAND | SA_NODEFER)
SIGNAL(__sysv_signal, SA_RESETHAND | SA_NODEFER)
SIGNAL(sigset, 0)
