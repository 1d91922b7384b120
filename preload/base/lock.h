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
#include <stdint.h>

#include "sync/base/layout.h"

/* RATIONALE: not libpthread's, which takes a hundred instructions and two atomic operations each
 * time to know its holder. Making and freeing a communicator takes three locks, and mostly there is
 * one thread. */
struct syn_lock {
    uintptr_t holder; /* an address of its thread's own, and SYN_LOCK_WAITED; 0: nobody */
    int cancel_state; /* what the holder's syn_cancel_hold returned */
};

#define SYN_LOCK_INITIALIZER \
    {                        \
        .holder = 0,         \
    }

/* Others may sleep until it is given back. */
#define SYN_LOCK_WAITED ((uintptr_t)1)

/* Somebody further up in this thread holds it already. */
#define SYN_CANCEL_HELD (-1)

extern __thread bool syn_cancel_is_held __attribute__((tls_model("initial-exec"), aligned(8)));

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

/* Not 0 as long as the process has one thread. */
extern const volatile char *syn_thread_is_alone;
/* From here on `alone`, a variable of the C library's, says it; NULL: nobody does. */
void syn_locks_start(const volatile char *alone);

/* It is held by somebody: sleeps until it is this thread's; false where it is already. */
SYN_COLD bool syn_lock_wait(struct syn_lock *lock);
/* One of those who sleep. */
SYN_COLD void syn_lock_wake(struct syn_lock *lock);

static inline uintptr_t syn_lock_me(void)
{
    return (uintptr_t)&syn_cancel_is_held;
}

/* If nobody holds it. RATIONALE: alone in its process, a thread is interrupted by handlers only,
 * and they give back what they take: then a load and a store do, as in the C library. */
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

/* For a few instructions that call nothing of ours and nothing that may end the thread: without the
 * two calls about cancellation. What such a section calls is in its own hands. False where this
 * very thread holds it already. */
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

/* For what mostly is as brief: cancellation waits from syn_lock_hold on only. False where this very
 * thread holds it already.
 * RATIONALE: to hold off cancellation and to restore it are an atomic operation each, and a process
 * that runs MPI has mostly a second thread, of MPI's: without one a lock takes two of them and not
 * four. */
static inline bool syn_lock_take_openly(struct syn_lock *lock)
{
    if (!syn_lock_take_briefly(lock))
        return false;
    lock->cancel_state = SYN_CANCEL_HELD;
    return true;
}

/* By its holder, before anything that is a point of cancellation or may restore it: until the lock
 * is given back. */
static inline void syn_lock_hold(struct syn_lock *lock)
{
    if (lock->cancel_state == SYN_CANCEL_HELD)
        lock->cancel_state = syn_cancel_hold();
}

/* False where this very thread holds it already. */
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

/* False where anybody holds it. */
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
