/* The locks of the injected library: one thread at a time, whoever sleeps is woken, and a thread
 * never waits for itself. */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "preload/base/lock.h"

#define THREADS 4
#define ROUNDS  20000

static struct syn_lock lock = SYN_LOCK_INITIALIZER;
static long inside, sum, overlaps;

static void pause_us(long us)
{
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/* Not atomic: two at once lose some. */
static void *add_up(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        if (!syn_lock_take(&lock))
            return (void *)1;
        overlaps += inside++ != 0;
        sum++;
        if (i % 1000 == 0)
            pause_us(50); /* so that the others sleep */
        inside--;
        syn_lock_give(&lock);
    }
    return NULL;
}

Test(lock, lets_one_thread_in_and_wakes_the_others, .timeout = 60)
{
    pthread_t threads[THREADS];
    sum = overlaps = 0;
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, add_up, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        cr_assert_eq(pthread_join(threads[i], &failed), 0);
        cr_assert_null(failed);
    }
    cr_assert_eq(sum, (long)THREADS * ROUNDS);
    cr_assert_eq(overlaps, 0);
    cr_assert_eq(lock.holder, 0);
}

static void *try_it(void *got)
{
    *(bool *)got = syn_lock_try(&lock);
    if (*(bool *)got)
        syn_lock_give(&lock);
    return NULL;
}

static bool another_gets_it(void)
{
    pthread_t thread;
    bool got = false;
    cr_assert_eq(pthread_create(&thread, NULL, try_it, &got), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    return got;
}

/* A thread alone in its process, and one among others. */
static void take_duplicates(void)
{
    cr_assert(syn_lock_take(&lock));
    cr_assert_not(syn_lock_take(&lock));
    cr_assert_not(syn_lock_try(&lock));
    cr_assert_not(syn_lock_take_briefly(&lock));
    cr_assert_not(another_gets_it(), "it is still held");
    syn_lock_give(&lock);
    cr_assert(another_gets_it());
}

/* With and without what the C library says, and as if the thread were alone. */
Test(lock, is_not_taken_twice_by_a_thread, .timeout = 60)
{
    take_duplicates();
    syn_locks_start(NULL);
    take_duplicates();
    syn_locks_start(dlsym(RTLD_DEFAULT, "__libc_single_threaded"));
    take_duplicates();
    take_duplicates();
}

Test(lock, of_a_thread_alone_is_held_all_the_same, .timeout = 60)
{
    static volatile char alone = 1;
    syn_locks_start(&alone);
    cr_assert(syn_lock_take(&lock));
    cr_assert_not(syn_lock_take(&lock));
    cr_assert_not(syn_lock_try(&lock));
    alone = 0; /* a thread is made while it is held */
    cr_assert_not(another_gets_it());
    syn_lock_give(&lock);
    cr_assert(another_gets_it());
    cr_assert_eq(lock.holder, 0);
}

static volatile sig_atomic_t handler_got;

static void take_in_handler(int number)
{
    (void)number;
    handler_got = syn_lock_take(&lock);
    if (handler_got)
        syn_lock_give(&lock);
}

Test(lock, is_not_taken_by_a_handler_of_its_holder, .timeout = 60)
{
    signal(SIGUSR1, take_in_handler);
    cr_assert(syn_lock_take(&lock));
    raise(SIGUSR1);
    cr_assert_not(handler_got);
    syn_lock_give(&lock);
    raise(SIGUSR1);
    cr_assert(handler_got);
}

static pthread_t waiting;

/* Holds the lock while a waiting thread is interrupted. */
static void *hold_for_a_while(void *taken)
{
    syn_lock_take(&lock);
    __atomic_store_n((bool *)taken, true, __ATOMIC_RELEASE);
    pause_us(20000);
    pthread_kill(waiting, SIGUSR1);
    pause_us(20000);
    syn_lock_give(&lock);
    return NULL;
}

static void do_nothing(int number)
{
    (void)number;
}

Test(lock, leaves_errno_alone_where_it_waits, .timeout = 60)
{
    pthread_t thread;
    bool taken = false;
    waiting = pthread_self();
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = do_nothing}, NULL);
    cr_assert_eq(pthread_create(&thread, NULL, hold_for_a_while, &taken), 0);
    while (!__atomic_load_n(&taken, __ATOMIC_ACQUIRE))
        pause_us(100);
    errno = EDOM;
    cr_assert(syn_lock_take(&lock));
    cr_assert_eq(errno, EDOM);
    syn_lock_give(&lock);
    cr_assert_eq(errno, EDOM);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}
