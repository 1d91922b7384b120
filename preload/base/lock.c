/* preload/base/lock.c - see lock.h: what is done where a lock is held by somebody. */
#include "preload/base/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread bool syn_cancel_is_held __attribute__((tls_model("initial-exec"), aligned(8)));

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the kernel looks at the lower half of a holder, where SYN_LOCK_WAITED is");

static const volatile char never = 0;
const volatile char *syn_thread_is_alone SYN_NEAR = &never;

void syn_locks_start(const volatile char *alone)
{
    if (alone)
        syn_thread_is_alone = alone;
}

/* The holder will wake somebody. */
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

/* Source: U. Drepper, Futexes Are Tricky (2011), section 6, with the holder in place of a 1. */
bool syn_lock_wait(struct syn_lock *lock)
{
    const int error = errno; /* the program's, from its last call */
    bool taken = false;
    uintptr_t seen = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
    while (!taken && (seen & ~SYN_LOCK_WAITED) != syn_lock_me()) {
        if (seen == 0) {
            /* Others may sleep still: who takes it now wakes one of them. */
            taken =
                __atomic_compare_exchange_n(&lock->holder, &seen, syn_lock_me() | SYN_LOCK_WAITED,
                                            false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
        } else if (ask_to_wake(lock, &seen)) {
            /* It sleeps until it is woken, or not at all if the holder is another one than was
             * seen. */
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
