/* preload/base/lock.h - locks of ours, in a program that may cancel its threads, and whose signal
 * handlers may call exit().
 *
 * A thread that is cancelled while it holds one would leave all others waiting for ever: so as long
 * as it holds one, it cannot be. And a handler may come upon its own thread holding one: then it
 * does not get it, and goes without. */
#ifndef SYN_LOCK_H
#define SYN_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct syn_lock {
    pthread_mutex_t mutex;
    int cancel_state; /* what the holder's syn_cancel_hold returned */
};

#define SYN_LOCK_INITIALIZER                              \
    {                                                     \
        .mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, \
    }

/* Somebody further up in this thread holds it already. */
#define SYN_CANCEL_HELD (-1)

extern __thread bool syn_cancel_is_held __attribute__((tls_model("initial-exec")));

/* Cancellation of this thread waits, until it is restored; what is said meanwhile comes then. Who
 * holds it within another's hold restores it before that one does.
 * RATIONALE: libpthread's call is an atomic operation, and a call that makes or frees something
 * takes several locks: all but the first go without. A signal's handler between two of these lines
 * finds cancellation disabled, and leaves it so. */
static inline int syn_cancel_hold(void)
{
    int state = PTHREAD_CANCEL_ENABLE;
    if (syn_cancel_is_held)
        return SYN_CANCEL_HELD;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    syn_cancel_is_held = true;
    return state;
}

static inline void syn_cancel_restore(int state)
{
    if (state == SYN_CANCEL_HELD)
        return;
    syn_cancel_is_held = false;
    pthread_setcancelstate(state, NULL);
}

/* False where this very thread holds it already. */
static inline bool syn_lock_take(struct syn_lock *lock)
{
    const int state = syn_cancel_hold();
    if (pthread_mutex_lock(&lock->mutex)) {
        syn_cancel_restore(state);
        return false;
    }
    lock->cancel_state = state;
    return true;
}

/* False where anybody holds it. */
static inline bool syn_lock_try(struct syn_lock *lock)
{
    const int state = syn_cancel_hold();
    if (pthread_mutex_trylock(&lock->mutex)) {
        syn_cancel_restore(state);
        return false;
    }
    lock->cancel_state = state;
    return true;
}

static inline void syn_lock_give(struct syn_lock *lock)
{
    const int state = lock->cancel_state;
    pthread_mutex_unlock(&lock->mutex);
    syn_cancel_restore(state);
}

/* For a few instructions that call nothing of ours and nothing that may end the thread: without the
 * two calls about cancellation. What such a section calls is in its own hands. */
static inline bool syn_lock_take_briefly(struct syn_lock *lock)
{
    return pthread_mutex_lock(&lock->mutex) == 0;
}

static inline void syn_lock_give_briefly(struct syn_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

#endif
