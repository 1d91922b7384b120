/* preload/base/lock.c - see lock.h: waits for a lock that another thread holds, by a futex. */
#include "preload/base/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread bool syn_cancel_is_held __attribute__((tls_model("initial-exec"), aligned(8)));

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the futex is the lower half of a holder, which contains SYN_LOCK_WAITED");

static const volatile char never = 0;
const volatile char *syn_thread_is_alone SYN_NEAR = &never;

void syn_locks_start(const volatile char *alone)
{
    if (alone)
        syn_thread_is_alone = alone;
}

/* Sets SYN_LOCK_WAITED, so that the holder will wake a waiting thread. Returns false if `holder` is
 * no longer *seen. Then *seen is its new value. */
static bool ask_to_wake(struct syn_lock *lock, uintptr_t *seen)
{
    if (*seen & SYN_LOCK_WAITED)
        return true;
    if (!__atomic_compare_exchange_n(&lock->holder, seen, *seen | SYN_LOCK_WAITED, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
    *seen |= SYN_LOCK_WAITED;
    return true;
}

/* Source: U. Drepper, Futexes Are Tricky (2011), section 6. `holder` takes the place of 1, and
 * SYN_LOCK_WAITED makes it 2. */
bool syn_lock_wait(struct syn_lock *lock)
{
    const int error = errno; /* of the program's last call: it must not change */
    bool taken = false;
    uintptr_t seen = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
    while (!taken && (seen & ~SYN_LOCK_WAITED) != syn_lock_me()) {
        if (seen == 0) {
            /* Other threads may still sleep, so this holder wakes one when it gives the lock back.
             */
            taken =
                __atomic_compare_exchange_n(&lock->holder, &seen, syn_lock_me() | SYN_LOCK_WAITED,
                                            false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
        } else if (ask_to_wake(lock, &seen)) {
            /* The kernel does not let the thread sleep if `holder` is no longer `seen`. */
            syscall(SYS_futex, (uint32_t *)(void *)&lock->holder, FUTEX_WAIT_PRIVATE,
                    (uint32_t)seen, NULL, NULL, 0);
            seen = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
        }
    }
    errno = error;
    return taken;
}

void syn_lock_wake(struct syn_lock *lock)
{
    const int error = errno;
    syscall(SYS_futex, (uint32_t *)(void *)&lock->holder, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = error;
}
