/* preload/facts/long_wait.c - see long_wait.h. */
#include "preload/facts/long_wait.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* Enough for tell(), which prints a line. The program's default may be less. */
#define STACK_BYTES (256 * 1024)

static struct {
    pthread_mutex_t mutex; /* guards `waits` */
    pthread_cond_t ended;
    bool waits;
    bool is_watched; /* there is a thread to join */
    pthread_t watcher;
    struct timespec until; /* CLOCK_MONOTONIC, the clock of `ended` */
    void (*tell)(void);
} wait = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void *watch(void *unused)
{
    int timed_out = 0;
    pthread_mutex_lock(&wait.mutex);
    while (wait.waits && !timed_out)
        timed_out = pthread_cond_timedwait(&wait.ended, &wait.mutex, &wait.until);
    const bool is_long = wait.waits;
    pthread_mutex_unlock(&wait.mutex);
    if (is_long)
        wait.tell();
    return unused;
}

/* Makes the condition and the deadline. CLOCK_MONOTONIC does not jump when the system time is set.
 * Returns false after an error. */
static bool prepare(int seconds)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return false;
    const bool failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) ||
                        pthread_cond_init(&wait.ended, &attributes);
    pthread_condattr_destroy(&attributes);
    clock_gettime(CLOCK_MONOTONIC, &wait.until);
    wait.until.tv_sec += seconds;
    return !failed;
}

/* Starts the second thread with all signals blocked, so that the program's own threads handle them.
 * Returns false after an error. */
static bool start_watcher(void)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes))
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool failed = pthread_attr_setstacksize(&attributes, STACK_BYTES) ||
                        pthread_create(&wait.watcher, &attributes, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return !failed;
}

void syn_long_wait_begin(int seconds, void (*tell)(void))
{
    if (wait.is_watched || !prepare(seconds))
        return;
    wait.tell = tell;
    wait.waits = true;
    wait.is_watched = start_watcher();
    if (!wait.is_watched)
        pthread_cond_destroy(&wait.ended);
}

void syn_long_wait_end(void)
{
    if (!wait.is_watched)
        return;
    pthread_mutex_lock(&wait.mutex);
    wait.waits = false;
    pthread_cond_signal(&wait.ended);
    pthread_mutex_unlock(&wait.mutex);
    pthread_join(wait.watcher, NULL);
    pthread_cond_destroy(&wait.ended);
    wait.is_watched = false;
}
