/* preload/run/lifecycle/first_wait.c - see first_wait.h.
 *
 * RATIONALE: while the nonblocking call is tested, the waiting thread itself can print the message.
 * Open MPI 4.1 is different: a nonblocking call would use up tags with which the program's
 * communicator numbers its messages (start.c, make_communicator), so a second thread prints it.
 * Open MPI has threads of its own anyway; under other MPIs a second thread would make the C
 * library's locks slower for good.
 *
 * RATIONALE: all processes make the same MPI calls here, even if the launcher gave them different
 * information. */
#include "preload/run/lifecycle/first_wait.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "preload/facts/attendance.h"
#include "preload/mpi/transport_pmpi.h"

#ifdef OPEN_MPI
/* Enough for syn_attendance_say_waiting, which prints a line. The program's default may be less. */
#define STACK_BYTES (256 * 1024)

static struct {
    pthread_mutex_t mutex; /* guards `waits` */
    pthread_cond_t ended;
    bool waits;
    bool is_watched; /* there is a thread to join */
    pthread_t watcher;
    struct timespec until; /* CLOCK_MONOTONIC, the clock of `ended` */
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
        syn_attendance_say_waiting();
    return unused;
}

/* Starts the second thread with all signals blocked, so that the program's own threads handle them.
 * CLOCK_MONOTONIC does not jump when the system time is set. After an error the wait is not
 * watched. */
void syn_first_wait_expect(void)
{
    pthread_condattr_t clock;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (wait.is_watched || pthread_condattr_init(&clock))
        return;
    const bool failed = pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) ||
                        pthread_cond_init(&wait.ended, &clock);
    pthread_condattr_destroy(&clock);
    if (failed)
        return;
    clock_gettime(CLOCK_MONOTONIC, &wait.until);
    wait.until.tv_sec += SYN_ATTENDANCE_LONG_S;
    wait.waits = true;
    if (pthread_attr_init(&attributes) == 0) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        wait.is_watched = !pthread_attr_setstacksize(&attributes, STACK_BYTES) &&
                          !pthread_create(&wait.watcher, &attributes, watch, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
    }
    if (!wait.is_watched)
        pthread_cond_destroy(&wait.ended);
}

int syn_first_wait_complete(MPI_Request *request)
{
    return syn_pmpi_await(request, false);
}

void syn_first_wait_over(void)
{
    if (wait.is_watched) {
        pthread_mutex_lock(&wait.mutex);
        wait.waits = false;
        pthread_cond_signal(&wait.ended);
        pthread_mutex_unlock(&wait.mutex);
        pthread_join(wait.watcher, NULL);
        pthread_cond_destroy(&wait.ended);
        wait.is_watched = false;
    }
    syn_attendance_leave();
}
#else
static bool is_told; /* used in the process's first call, by one thread at a time (lifecycle.c) */

void syn_first_wait_expect(void)
{
    is_told = true;
}

int syn_first_wait_complete(MPI_Request *request)
{
    return is_told
               ? syn_pmpi_await_telling(request, SYN_ATTENDANCE_LONG_S, syn_attendance_say_waiting)
               : syn_pmpi_await(request, false);
}

void syn_first_wait_over(void)
{
    is_told = false;
    syn_attendance_leave();
}
#endif
