/* tests/unit/preload/preload_within_test.c - whether a call comes from within a wrapper, in every
 * situation that could deceive it. */
#include <alloca.h>
#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "preload/base/own_code.h"
#include "preload/recorder/stacks/walk.h"
#include "preload/recorder/stacks/within.h"

static struct syn_within known[SYN_WITHINS];
static uintptr_t guard; /* frame address of the wrapper */
static bool was_left;   /* as the innermost call finds it */
static jmp_buf back;

/* Stands for the library's own code. */
extern const char __start_own[], __stop_own[];

static __attribute__((noinline, section("own"))) void wrapper(void (*body)(void))
{
    guard = (uintptr_t)__builtin_frame_address(0);
    body();
    __asm__ volatile("# wrapper");
}

bool syn_own_code_has(uintptr_t address)
{
    return address - (uintptr_t)__start_own < (uintptr_t)(__stop_own - __start_own);
}

static __attribute__((noinline)) void call(void)
{
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    was_left = frame >= guard || syn_wrapper_was_left(known, guard, frame);
    __asm__ volatile("");
}

/* Stands for MPI's function: calls from within, or from anywhere. */
static __attribute__((noinline)) void call_on(void)
{
    call();
    __asm__ volatile("# on");
}

static __attribute__((noinline)) void call_sized(size_t bytes, void (*body)(void))
{
    volatile char *space = alloca(bytes);
    body();
    __asm__ volatile("" ::"r"(space));
}

static void call_from_near(void)
{
    call_sized(48, call_on);
}

static void call_from_far(void)
{
    call_sized(5000, call_on);
}

static void leave(void)
{
    longjmp(back, 1);
}

static void leave_wrapper(void)
{
    wrapper(leave);
}

static __attribute__((noinline)) void left_wrapper(void)
{
    if (!setjmp(back))
        call_sized(512, leave_wrapper);
}

Test(within, calls_from_within)
{
    for (int i = 0; i < 3; i++) {
        was_left = true;
        wrapper(call_on);
        cr_assert_not(was_left);
        was_left = true;
        wrapper(call_from_far);
        cr_assert_not(was_left);
    }
}

/* On aarch64 it is unknown whose frame lies exactly where the wrapper's was (walk_records.c). */
#ifdef __aarch64__
#define ALWAYS_KNOWN false
#else
#define ALWAYS_KNOWN true
#endif

/* For some number of bytes each function has its frame where the wrapper's was, or the words are as
 * they were within the wrapper. */
Test(within, calls_after_a_jump)
{
    int left = 0;
    wrapper(call_on); /* known from now on */
    for (size_t bytes = 16; bytes < 1024; bytes += 16) {
        void (*const ways[])(void) = {call_on, call_from_near, call_from_far};
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            left_wrapper();
            was_left = false;
            call_sized(bytes, ways[i]);
            left += was_left;
            cr_assert(was_left || !ALWAYS_KNOWN, "%zu bytes, way %zu", bytes, i);
        }
        was_left = true;
        wrapper(call_on);
        cr_assert_not(was_left);
    }
    cr_assert_gt(left, 180, "%d", left); /* of 189 */
}

/* ---- other stacks ---- */

static ucontext_t outside, inside;
static char stack[1 << 16];

static void go_elsewhere(void)
{
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, call_from_far, 0);
    swapcontext(&outside, &inside);
}

Test(within, a_call_from_another_stack_is_none_from_within)
{
    wrapper(go_elsewhere);
    cr_assert(was_left);
}

#if defined(SYN_HAVE_UNWIND) && defined(__x86_64__)
static void handle(int number)
{
    (void)number;
    call_from_far();
}

static void raise_signal(void)
{
    raise(SIGUSR1);
}

/* The tables say that a signal's frame is one; libunwind knows the rest. */
Test(within, a_signal_handler_calls_from_within)
{
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, NULL);
    sigaction(SIGUSR1, &action, NULL);
    was_left = true;
    wrapper(raise_signal);
    cr_assert_not(was_left);
    left_wrapper();
    call_sized(5000, raise_signal);
    cr_assert(was_left);
}

static enum syn_walk_result unwound;

static __attribute__((noinline)) void unwind(void)
{
    struct syn_walk walk;
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    const struct syn_walk_start start = {.frame = frame,
                                         .caller = (uintptr_t)__builtin_return_address(0),
                                         .stack_low = frame,
                                         .stack_high = guard + 2 * sizeof frame};
    syn_walk_begin();
    unwound = syn_walk_unwound_to(&start, guard, &walk);
}

static void unwind_from_far(void)
{
    call_sized(5000, unwind);
}

Test(within, libunwind_alone)
{
    wrapper(unwind_from_far);
    cr_assert_eq(unwound, SYN_WALK_MET);
    left_wrapper();
    call_sized(64, unwind_from_far);
    cr_assert_eq(unwound, SYN_WALK_PASSED);
}
#endif

#if defined(__x86_64__)
static void (*without_tables)(void);

static void unwind_or_call(void)
{
    without_tables();
}

/* Code that was made at run time has no tables: it is unknown who called it. */
Test(within, code_without_tables)
{
    static const unsigned char start[] = {0x48, 0x83, 0xec, 0x08, 0x48, 0xb8}; /* sub, mov to rax */
    static const unsigned char rest[] = {0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3};
    void (*const body)(void) = call_on;
    unsigned char *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, start, sizeof start);
    memcpy(code + sizeof start, &body, sizeof body);
    memcpy(code + sizeof start + sizeof body, rest, sizeof rest);
    memcpy(&without_tables, &code, sizeof code);
    was_left = true;
    wrapper(unwind_or_call);
    cr_assert_not(was_left);
    left_wrapper();
    was_left = true;
    call_sized(5000, unwind_or_call);
    cr_assert_not(was_left);
}
#endif
