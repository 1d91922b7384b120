/* preload/base/lock.h - the recorder's locks, for a program that may cancel its threads and whose
 * signal handlers may call exit().
 *
 * A thread that is cancelled while it holds a lock would block all other threads for ever. So a
 * thread cannot be cancelled while it holds a lock. A signal handler may interrupt the holder of a
 * lock in the same thread. It then does not get the lock: the functions return false, and the
 * handler goes on without it. */
#ifndef SYN_LOCK_H
#define SYN_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sync/base/layout.h"

/* A lock that knows its holder.
 * RATIONALE: Such a mutex of libpthread (error checking) takes a hundred instructions and two
 * atomic operations each time. Making and freeing a communicator takes three locks, and most
 * programs have one thread. */
struct syn_lock {
    uintptr_t holder; /* syn_lock_me() of the holding thread, with SYN_LOCK_WAITED; 0: free */
    int cancel_state; /* the result of the holder's syn_cancel_hold */
};

#define SYN_LOCK_INITIALIZER \
    {                        \
        .holder = 0,         \
    }

/* Bit of `holder`: other threads may sleep until the lock is free. */
#define SYN_LOCK_WAITED ((uintptr_t)1)

/* Result of syn_cancel_hold: a caller further up in this thread has disabled cancellation. */
#define SYN_CANCEL_HELD (-1)

extern __thread bool syn_cancel_is_held __attribute__((tls_model("initial-exec"), aligned(8)));

/* Disables cancellation of this thread until syn_cancel_restore, which gets the result. A
 * cancellation that is requested meanwhile takes effect then. Holds may be nested.
 * RATIONALE: pthread_setcancelstate contains an atomic operation, and a call that makes or frees a
 * communicator takes several locks. Nested holds do not call it. A signal handler that runs between
 * these lines finds cancellation disabled, and leaves it so. */
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

/* Points to a variable that is not 0 as long as the process has one thread. */
extern const volatile char *syn_thread_is_alone;
/* Sets that pointer to `alone`, a variable of the C library. NULL: the C library has none; then the
 * process counts as having several threads. */
void syn_locks_start(const volatile char *alone);

/* Sleeps until this thread gets the lock. Returns false if this thread holds it already. */
SYN_COLD bool syn_lock_wait(struct syn_lock *lock);
/* Wakes one of the threads that sleep in syn_lock_wait. */
SYN_COLD void syn_lock_wake(struct syn_lock *lock);

/* Returns an address that identifies this thread. */
static inline uintptr_t syn_lock_me(void)
{
    return (uintptr_t)&syn_cancel_is_held;
}

/* Takes the lock if it is free. Does not touch cancellation.
 * RATIONALE: If the process has one thread, only signal handlers can interrupt it, and they give
 * back each lock that they take. Then a load and a store are enough, as in the C library. */
static inline bool syn_lock_seize(struct syn_lock *lock)
{
    uintptr_t holder = 0;
    if (!*syn_thread_is_alone)
        return __atomic_compare_exchange_n(&lock->holder, &holder, syn_lock_me(), false,
                                           __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (__atomic_load_n(&lock->holder, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&lock->holder, syn_lock_me(), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

/* Takes the lock and leaves cancellation enabled, for a section of a few instructions. The section
 * must not contain a cancellation point or anything else that ends the thread. Returns false if
 * this thread holds the lock already. */
static inline bool syn_lock_take_briefly(struct syn_lock *lock)
{
    return syn_lock_seize(lock) || syn_lock_wait(lock);
}

static inline void syn_lock_give_briefly(struct syn_lock *lock)
{
    if (*syn_thread_is_alone)
        __atomic_store_n(&lock->holder, (uintptr_t)0, __ATOMIC_RELEASE);
    else if (__atomic_exchange_n(&lock->holder, (uintptr_t)0, __ATOMIC_RELEASE) & SYN_LOCK_WAITED)
        syn_lock_wake(lock);
}

/* Takes the lock for a section that rarely contains a cancellation point. Cancellation stays
 * enabled until the section calls syn_lock_disable_cancel. Give the lock back by syn_lock_give.
 * Returns false if this thread holds the lock already.
 * RATIONALE: Disabling cancellation and restoring it are one atomic operation each. So are taking a
 * lock and giving it back, since MPI has mostly started a second thread. This way a lock costs two
 * of them and not four. */
static inline bool syn_lock_take_cancellable(struct syn_lock *lock)
{
    if (!syn_lock_take_briefly(lock))
        return false;
    lock->cancel_state = SYN_CANCEL_HELD;
    return true;
}

/* Disables cancellation until the lock is given back, after syn_lock_take_cancellable. The holder
 * calls it before a cancellation point, and before anything that may enable cancellation. */
static inline void syn_lock_disable_cancel(struct syn_lock *lock)
{
    if (lock->cancel_state == SYN_CANCEL_HELD)
        lock->cancel_state = syn_cancel_hold();
}

/* Disables cancellation and takes the lock. Returns false if this thread holds the lock already. */
static inline bool syn_lock_take(struct syn_lock *lock)
{
    const int state = syn_cancel_hold();
    if (!syn_lock_take_briefly(lock)) {
        syn_cancel_restore(state);
        return false;
    }
    lock->cancel_state = state;
    return true;
}

/* Like syn_lock_take, but does not wait: returns false if any thread holds the lock. */
static inline bool syn_lock_try(struct syn_lock *lock)
{
    const int state = syn_cancel_hold();
    if (!syn_lock_seize(lock)) {
        syn_cancel_restore(state);
        return false;
    }
    lock->cancel_state = state;
    return true;
}

static inline void syn_lock_give(struct syn_lock *lock)
{
    const int state = lock->cancel_state;
    syn_lock_give_briefly(lock);
    syn_cancel_restore(state);
}

#endif
