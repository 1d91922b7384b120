/* preload/base/signals.c - see signals.h. */
#include "preload/base/signals.h"

#include <errno.h>
#include <time.h>

#include "preload/base/lock.h"

static const int held_signals[] = {SIGXFSZ, SIGPIPE};
enum { HELD_COUNT = sizeof held_signals / sizeof *held_signals };

void syn_signals_hold(struct syn_signals *signals)
{
    const int error = errno;
    sigset_t hold;
    signals->cancel_state = syn_cancel_hold();
    sigemptyset(&hold);
    for (size_t i = 0; i < HELD_COUNT; i++)
        sigaddset(&hold, held_signals[i]);
    sigpending(&signals->pending);
    pthread_sigmask(SIG_BLOCK, &hold, &signals->before);
    errno = error;
}

void syn_signals_release(const struct syn_signals *signals)
{
    const int error = errno;
    const struct timespec no_wait = {0, 0};
    sigset_t discarded;
    sigemptyset(&discarded);
    for (size_t i = 0; i < HELD_COUNT; i++)
        if (!sigismember(&signals->pending, held_signals[i]))
            sigaddset(&discarded, held_signals[i]);
    while (sigtimedwait(&discarded, NULL, &no_wait) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    syn_cancel_restore(signals->cancel_state);
    errno = error;
}
