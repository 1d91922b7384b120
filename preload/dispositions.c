/* preload/dispositions.c - sigaction and signal, so that they tell what they would without us.
 *
 * The backend sets handlers for signals that would end the program (endings.h), in the place of the
 * default. A program that asks for a signal's action, to keep the one before and call it later (or
 * to set no handler where there is one), gets the answer that it would have got: the backend puts
 * the former action in the place of its own. Nothing else is changed, and in a process that
 * makes no MPI call nothing at all. */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>

#include "dispositions.h"

#define EXPORTED __attribute__((visibility("default")))

typedef void (*handler)(int);

static void (*hide)(int number, struct sigaction *action);

void syn_dispositions_hide(void (*function)(int number, struct sigaction *action))
{
    __atomic_store_n(&hide, function, __ATOMIC_RELEASE);
}

/* dlsym reads from its return address whose "next" is meant, so this must not become a tail call.
 */
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
    void (*function)(int, struct sigaction *) = __atomic_load_n(&hide, __ATOMIC_ACQUIRE);
    if (function && action)
        function(number, action);
}

EXPORTED int sigaction(int number, const struct sigaction *restrict now,
                       struct sigaction *restrict before)
{
    static void *next;
    int (*function)(int, const struct sigaction *, struct sigaction *) =
        (int (*)(int, const struct sigaction *, struct sigaction *))next_of("sigaction", &next);
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

/* signal and the names that it has in other standards. */
#define SIGNAL(name)                                                                         \
    EXPORTED handler name(int number, handler now);                                          \
    handler name(int number, handler now)                                                    \
    {                                                                                        \
        static void *next;                                                                   \
        handler (*function)(int, handler) = (handler(*)(int, handler))next_of(#name, &next); \
        return function ? former_handler(number, function(number, now)) : SIG_ERR;           \
    }
SIGNAL(signal)
SIGNAL(ssignal)
SIGNAL(bsd_signal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)
SIGNAL(sigset)
