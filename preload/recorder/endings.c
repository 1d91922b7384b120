/* preload/recorder/endings.c - see endings.h. The handler calls only getpid, raise, the clock and
 * the former handler. */
#include "preload/recorder/endings.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "preload/base/mappings.h"
#include "preload/entry/backend.h"
#include "trace/base/records.h"
#include "trace/write/raw.h"

static struct watched {
    int number;
    bool is_crash; /* raised by an instruction, which raises it again when the handler returns */
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

/* The C library's functions, not those of dispositions.c, which would call us. */
static struct {
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    void (*hide_actions)(void (*hide)(int number, struct sigaction *action));
    void (*take_actions)(bool (*take)(int number, const struct sigaction *now,
                                      struct sigaction *before));
} real;
/* Set once, before the handlers; *ending is atomic. */
static struct {
    uint32_t *ending;
    const struct syn_tick_source *ticks;
    pid_t owner; /* a forked child shares the memory but is not the run */
} run;

static bool is_default(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

void syn_endings_begin(const struct syn_host *host)
{
    void *function = host->next("sigaction");
    __atomic_store_n((void **)(void *)&real.sigaction, function, __ATOMIC_RELAXED);
    __atomic_store_n(&real.hide_actions, host->hide_actions, __ATOMIC_RELAXED);
    __atomic_store_n(&real.take_actions, host->take_actions, __ATOMIC_RELAXED);
}

static struct watched *find(int number)
{
    size_t i = 0;
    while (i < SIGNAL_COUNT - 1 && signals[i].number != number)
        i++;
    return &signals[i];
}

/* Our SIGBUS handler has no SA_RESETHAND; applies that flag for the program's handler. */
static void reset_if_requested(const struct watched *watched)
{
    static const struct sigaction usual = {.sa_handler = SIG_DFL};
    if (watched->number == SIGBUS && (unsigned)watched->former.sa_flags & SA_RESETHAND)
        real.sigaction(watched->number, &usual, NULL);
}

static void note(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    const struct watched *watched = find(number);
    if (number == SIGBUS && info->si_code > 0 && syn_mappings_mend(info->si_addr)) {
        errno = error;
        return;
    }
    if (getpid() == run.owner) {
        /* MPI_Wtime as the clock must not be called from a handler. */
        if (run.ticks->kind != SYN_CLOCK_FUNCTION)
            __atomic_store_n(syn_raw_end_ticks(run.ending), syn_ticks_now(run.ticks),
                             __ATOMIC_RELAXED);
        __atomic_store_n(run.ending, (uint32_t)(SYN_ENDING_SIGNAL + number), __ATOMIC_RELAXED);
    }
    if (is_default(&watched->former)) {
        /* Usually SA_RESETHAND has restored the default already. It has not if a handler of the
         * program, set by a system call of its own, calls this one. A crash is raised again by its
         * instruction; any other signal is sent again and arrives when this function returns. */
        real.sigaction(number, &watched->former, NULL);
        if (!watched->is_crash || info->si_code <= 0)
            raise(number);
    } else if (watched->former.sa_flags & SA_SIGINFO) {
        reset_if_requested(watched);
        watched->former.sa_sigaction(number, info, context);
    } else {
        reset_if_requested(watched);
        watched->former.sa_handler(number);
    }
    errno = error;
}

static const void *object_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Returns true if the handler lies in a library: it is then called by ours, with the same mask and
 * flags. Open MPI and UCX (under MPICH) set crash handlers that print a stack trace. A handler of
 * the program itself is left alone. */
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

/* Replaces our handler by the action that the program would see without us; see dispositions.h. */
static void hide_own(int number, struct sigaction *action)
{
    const struct watched *watched = find(number);
    if (watched->number != number || action->sa_sigaction != note)
        return;
    if (action->sa_flags & SA_SIGINFO)
        *action = watched->former;
    else /* signal() returns only the handler */
        action->sa_handler = watched->former.sa_handler;
}

/* Sets our handler with the mask and flags of `former`, which it will call. SIGBUS keeps our
 * handler after it was raised, since it may be raised again. */
static bool put_in_front(struct watched *watched, const struct sigaction *former)
{
    struct sigaction action = *former;
    if (is_default(former)) {
        sigemptyset(&action.sa_mask);
        action.sa_flags = (int)(SA_RESETHAND | SA_ONSTACK | SA_RESTART);
    }
    action.sa_flags |= SA_SIGINFO;
    if (watched->number == SIGBUS)
        action.sa_flags &= ~(int)SA_RESETHAND;
    action.sa_sigaction = note;
    watched->former = *former;
    return real.sigaction(watched->number, &action, NULL) == 0;
}

static bool is_ignored(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

bool syn_endings_is_first(void)
{
    struct sigaction now;
    return find(SIGBUS)->watched && real.sigaction(SIGBUS, NULL, &now) == 0 &&
           now.sa_flags & SA_SIGINFO && now.sa_sigaction == note;
}

/* The program sets a handler for SIGBUS: our handler will call it; see dispositions.h. */
static bool take_own(int number, const struct sigaction *now, struct sigaction *before)
{
    struct watched *watched = find(SIGBUS);
    const struct sigaction former = watched->former;
    if (number != SIGBUS || is_ignored(now) || !syn_endings_is_first() ||
        !put_in_front(watched, now))
        return false;
    if (before)
        *before = former;
    return true;
}

void syn_endings_watch(uint32_t *where, const struct syn_tick_source *ticks)
{
    if (!where || !real.sigaction)
        return;
    real.hide_actions(hide_own);
    real.take_actions(take_own);
    run.ending = where;
    run.ticks = ticks;
    run.owner = getpid();
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct watched *watched = &signals[i];
        struct sigaction action;
        if (real.sigaction(watched->number, NULL, &action))
            continue;
        watched->former = action;
        if (is_default(&action) || is_of_a_library(watched, &action) ||
            (watched->number == SIGBUS && !is_ignored(&action)))
            watched->watched = put_in_front(watched, &action);
    }
}

void syn_endings_stop(void)
{
    struct sigaction now;
    if (real.take_actions)
        real.take_actions(NULL);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct watched *watched = &signals[i];
        if (watched->watched && real.sigaction(watched->number, NULL, &now) == 0 &&
            (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == note)
            real.sigaction(watched->number, &watched->former, NULL);
        watched->watched = false;
    }
}
