/* tests/unit/preload/preload_stacks_test.c - call stacks by the cache are those of a walk, in every
 * situation that could deceive it. */
#include <alloca.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/base/options.h"
#include "preload/recorder/stacks/stacks.h"
#include "preload/recorder/stacks/walk.h"

/* More than of a stack that was foreseen. A sanitizer has pages of its own. */
#ifdef __SANITIZE_ADDRESS__
#define FEW_FAULTS 12
#else
#define FEW_FAULTS 6
#endif

static _Thread_local struct syn_stack_cache *cache;

static inline __attribute__((always_inline)) uint32_t look_up(uintptr_t frame, uintptr_t caller)
{
    return syn_stack_index(cache, frame, caller);
}

/* Stands for a wrapper: asks for the stack that called it. */
static __attribute__((noinline)) uint32_t stack_here(void)
{
    const uint32_t stack =
        look_up((uintptr_t)__builtin_frame_address(0), (uintptr_t)__builtin_return_address(0));
    __asm__ volatile(""); /* no tail call: a wrapper's frame is still there when it asks */
    return stack;
}

static __attribute__((noinline)) uint32_t from_a(void)
{
    const uint32_t stack = stack_here();
    __asm__ volatile("");
    return stack;
}

static __attribute__((noinline)) uint32_t from_b(void)
{
    const uint32_t stack = stack_here();
    __asm__ volatile("");
    return stack;
}

static __attribute__((noinline)) uint32_t sized(size_t bytes)
{
    volatile char *space = alloca(bytes);
    memset((char *)space, 0, bytes);
    const uint32_t stack = stack_here();
    __asm__ volatile("" ::"r"(space));
    return stack;
}

/* A function with a frame of some size, so that its callee's return address lies well below its
 * own. */
static __attribute__((noinline)) uint32_t sized_left(size_t bytes)
{
    volatile char space[256];
    space[0] = 0;
    const uint32_t stack = sized(bytes);
    __asm__ volatile("" ::"r"(space));
    return stack;
}

static __attribute__((noinline)) uint32_t sized_right(size_t bytes)
{
    const uint32_t stack = sized(bytes);
    __asm__ volatile("");
    return stack;
}

static void begin(void)
{
    cr_assert_eq(syn_stack_cache_new(8, &cache), 0);
}

TestSuite(stacks, .init = begin);

Test(stacks, two_callers_are_two_stacks_again_and_again)
{
    uint32_t a = 0, b = 0;
    for (int i = 0; i < 20; i++) {
        const uint32_t now_a = from_a(), now_b = from_b();
        cr_assert_neq(now_a, now_b);
        cr_assert(i == 0 || (now_a == a && now_b == b));
        a = now_a;
        b = now_b;
    }
    struct syn_stack_counts counts;
    syn_stack_counts(&counts);
    cr_assert_leq(counts.learned_count + counts.walked_count, 4, "learned %llu, walked %llu",
                  (unsigned long long)counts.learned_count,
                  (unsigned long long)counts.walked_count);
}

/* With one size of frame for one caller and another for the other, return addresses of the one lie
 * about where the other's are looked for. */
Test(stacks, frames_of_changing_size_do_not_deceive)
{
    uint32_t left = 0, right = 0;
    for (int i = 0; i < 400; i++) {
        const uint32_t now_left = sized_left(16 + 16 * (size_t)(i % 7));
        const uint32_t now_right = sized_right(16 + 16 * (size_t)(i % 5));
        cr_assert_neq(now_left, now_right);
        cr_assert(i == 0 || (now_left == left && now_right == right), "round %d", i);
        left = now_left;
        right = now_right;
    }
}

/* Leaves room that it never writes to, where return addresses of an earlier call still lie. */
static __attribute__((noinline)) uint32_t deeper(size_t bytes)
{
    volatile char *space = alloca(bytes);
    const uint32_t stack = sized_right(2048 - bytes);
    __asm__ volatile("" ::"r"(space));
    return stack;
}

/* Both from one call site. */
static __attribute__((noinline)) void call_both(size_t left_bytes, size_t deep_bytes,
                                                uint32_t stacks[2])
{
    uint32_t (*const ways[2])(size_t) = {sized_left, deeper};
    const size_t bytes[2] = {left_bytes, deep_bytes};
    for (volatile int i = 0; i < 2; i++)
        stacks[i] = ways[i](bytes[i]);
}

/* Two ways of equal length in bytes, from one call site: for some split of the bytes all return
 * addresses of the first way lie untouched in the second, at the same places, under the same frame.
 * Only the frame pointer tells. */
Test(stacks, stale_return_addresses_do_not_deceive)
{
    uint32_t expected = SYN_NO_STACK;
    for (size_t deep = 64; deep <= 1536; deep += 16) {
        for (size_t left = 1536; left <= 2560; left += 16) {
            uint32_t stacks[2];
            call_both(left, deep, stacks);
            cr_assert_neq(stacks[0], stacks[1], "%zu, %zu", left, deep);
            cr_assert(expected == SYN_NO_STACK || stacks[1] == expected);
            expected = stacks[1];
        }
    }
}

static __attribute__((noinline)) uint32_t sized_by_left(size_t bytes)
{
    const uint32_t stack = sized_right(bytes);
    __asm__ volatile("# left");
    return stack;
}

static __attribute__((noinline)) uint32_t sized_by_right(size_t bytes)
{
    const uint32_t stack = sized_right(bytes);
    __asm__ volatile("# right");
    return stack;
}

/* A frame of a mebibyte: what tells two ways to it apart lies too far from the wrapper's for the
 * slot's own check. */
Test(stacks, ways_are_told_apart_across_a_large_frame)
{
    uint32_t (*const ways[2])(size_t) = {sized_by_left, sized_by_right};
    uint32_t stacks[2] = {0, 0};
    struct syn_stack_counts counts;
    for (volatile int i = 0; i < 20; i++) {
        const uint32_t stack = ways[i % 2]((size_t)1 << 20);
        cr_assert(i < 2 || stack == stacks[i % 2], "round %d", i);
        stacks[i % 2] = stack;
    }
    cr_assert_neq(stacks[0], stacks[1]);
    syn_stack_counts(&counts);
    cr_assert_eq(counts.walked_count, 0);
    cr_assert_leq(counts.learned_count, 3);
}

#if !defined(__aarch64__) /* a frame address there is that of a record, above which the next lies \
                           */
/* As if its own frame, where the caller's frame pointer is saved, were not there on the next call.
 */
static __attribute__((noinline)) uint32_t stack_of_gone(void)
{
    const uint32_t stack =
        look_up((uintptr_t)__builtin_frame_address(0) + 16, (uintptr_t)__builtin_return_address(0));
    __asm__ volatile("");
    return stack;
}

static __attribute__((noinline)) uint32_t gone(size_t bytes)
{
    volatile char *space = alloca(bytes);
    const uint32_t stack = stack_of_gone();
    __asm__ volatile("" ::"r"(space));
    return stack;
}

Test(stacks, nothing_below_the_frame_is_trusted)
{
    struct syn_stack_counts counts;
    gone(64);
    syn_stack_counts(&counts);
    cr_assert_eq(counts.learned_count, 0);
    cr_assert_eq(counts.walked_count, 1);
}
#endif

static __attribute__((noinline)) uint32_t through(uint32_t (*site)(void))
{
    const uint32_t stack = site();
    __asm__ volatile("");
    return stack;
}

static __attribute__((noinline)) uint32_t through_left(uint32_t (*site)(void))
{
    const uint32_t stack = through(site);
    __asm__ volatile("# left");
    return stack;
}

static __attribute__((noinline)) uint32_t through_right(uint32_t (*site)(void))
{
    const uint32_t stack = through(site);
    __asm__ volatile("# right");
    return stack;
}

static __attribute__((noinline)) uint32_t recursing(int depth, uint32_t (*site)(void))
{
    const uint32_t stack = depth > 0 ? recursing(depth - 1, site) : site();
    __asm__ volatile("");
    return stack;
}

/* Once and thrice by turns. */
static __attribute__((noinline)) uint32_t recursing_by_turns(uint32_t (*site)(void))
{
    static int turn;
    const uint32_t stack = recursing(turn++ % 2 == 0 ? 1 : 3, site);
    __asm__ volatile("");
    return stack;
}

/* From site a by way 0, which is learned; then from site b, whose innermost frames are new, by way
 * 1, 0 and 1: all from one call site. */
static void by_both_ways(uint32_t (*const ways[2])(uint32_t (*)(void)), uint32_t stacks[4])
{
    uint32_t (*const sites[4])(void) = {from_a, from_b, from_b, from_b};
    for (volatile int i = 0; i < 4; i++)
        stacks[i] = ways[i % 2](sites[i]);
}

/* A walk takes outer frames from the one before, where they are as they were: here one in the
 * middle is, but who called it is not. */
Test(stacks, outer_frames_of_another_caller_are_not_taken)
{
    uint32_t (*const ways[2])(uint32_t(*)(void)) = {through_left, through_right};
    uint32_t stacks[4];
    by_both_ways(ways, stacks);
    cr_assert_neq(stacks[1], stacks[2]);
    cr_assert_eq(stacks[1], stacks[3]);
}

/* Recursion: one return address in each frame, but each frame at its own place. */
Test(stacks, a_frame_of_a_recursion_is_not_taken_for_another)
{
    uint32_t (*const ways[2])(uint32_t(*)(void)) = {recursing_by_turns, recursing_by_turns};
    uint32_t stacks[4];
    by_both_ways(ways, stacks);
    cr_assert_neq(stacks[1], stacks[2]);
    cr_assert_eq(stacks[1], stacks[3]);
}

static __attribute__((noinline)) uint32_t turn(uint32_t path, int turns);

static __attribute__((noinline)) uint32_t turn_left(uint32_t path, int turns)
{
    const uint32_t stack = turn(path, turns);
    __asm__ volatile("");
    return stack;
}

static __attribute__((noinline)) uint32_t turn_right(uint32_t path, int turns)
{
    const uint32_t stack = turn(path, turns);
    __asm__ volatile("" ::"r"(path));
    return stack;
}

/* To the left or right at each bit of the path: all of them end in the same frame. */
static __attribute__((noinline)) uint32_t turn(uint32_t path, int turns)
{
    uint32_t stack;
    if (turns == 0)
        stack = path % 3 ? from_a() : from_b();
    else if (path >> (turns - 1) & 1)
        stack = turn_right(path, turns - 1);
    else
        stack = turn_left(path, turns - 1);
    __asm__ volatile("");
    return stack;
}

#define TURNS 12

/* The tables are outgrown twice, and what was learned stays known: hardly any walk is needed again.
 * How many are depends on where the kernel places the stack: none in 286 of 300 runs, 5 at most. */
Test(stacks, thousands_of_paths_are_told_apart_again_and_again)
{
    static uint32_t first[1 << TURNS];
    static bool seen[4 << TURNS];
    struct syn_stack_counts learned, again;
    cr_assert_eq(syn_stack_cache_new(SYN_STACK_DEPTH_MAX, &cache), 0);
    for (uint32_t i = 0; i < 4 << TURNS; i++) {
        const uint32_t path = i * 2053 % (1 << TURNS);
        const uint32_t stack = turn(path, TURNS);
        cr_assert_lt(stack, 4 << TURNS);
        if (i < 1 << TURNS) {
            cr_assert_not(seen[stack], "path %u is a stack of its own", path);
            seen[stack] = true;
            first[path] = stack;
        }
        cr_assert_eq(stack, first[path]);
        if (i == (1 << TURNS) - 1)
            syn_stack_counts(&learned);
    }
    syn_stack_counts(&again);
#if defined(__x86_64__)
    const uint64_t walks =
        again.learned_count + again.walked_count - learned.learned_count - learned.walked_count;
    cr_assert_leq(walks, 16, "%llu of %d", (unsigned long long)walks, 3 << TURNS);
#endif
}

/* A foreseen stack has no number, and stacks are equal with it and without. */
Test(stacks, foreseen_or_not_stacks_are_the_same)
{
    struct syn_stack_counts counts;
    uint32_t stacks[2];
    syn_stack_prefault(cache);
    syn_stack_counts(&counts);
    cr_assert_eq(syn_stack_count(), 0);
    cr_assert_eq(counts.learned_count + counts.walked_count, 0);
    for (volatile int i = 0; i < 2; i++) {
        stacks[i] = from_a();
        cr_assert_eq(syn_stack_cache_new(8, &cache), 0);
    }
    cr_assert_eq(stacks[0], stacks[1]);
    cr_assert_eq(syn_stack_count(), 1);
}

#if defined(__x86_64__) && defined(SYN_HAVE_UNWIND)
static struct syn_walk walks[2], none;

/* Stands for a wrapper: by the tables, and by libunwind. */
static __attribute__((noinline)) void walk_duplicates(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    cr_assert_eq(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    const struct syn_walk_start start = {
        .frame = (uintptr_t)__builtin_frame_address(0),
        .caller = (uintptr_t)__builtin_return_address(0),
        .stack_low = (uintptr_t)low,
        .stack_high = (uintptr_t)low + bytes,
        .depth = SYN_STACK_DEPTH_MAX,
    };
    syn_walk_verified(&start, &none, &walks[0]);
    syn_walk_unwound(&start, &none, &walks[1]);
}

static void expect_same_walks(const char *where)
{
    cr_expect(walks[0].verifiable && walks[0].complete, "%s", where);
    cr_expect(walks[1].verifiable && walks[1].complete, "%s", where);
    cr_assert_eq(walks[0].depth, walks[1].depth, "%s: %zu and %zu", where, walks[0].depth,
                 walks[1].depth);
    for (size_t i = 0; i < walks[0].depth; i++) {
        const struct syn_walk_frame *ours = &walks[0].frames[i], *theirs = &walks[1].frames[i];
        cr_expect_eq(walks[0].addresses[i], walks[1].addresses[i], "%s: frame %zu", where, i);
        cr_expect(ours->end == theirs->end && ours->pointer == theirs->pointer, "%s: frame %zu",
                  where, i);
    }
}

static __attribute__((noinline)) void walk_sized(size_t bytes)
{
    volatile char *space = alloca(bytes);
    walk_duplicates();
    __asm__ volatile("" ::"r"(space));
}

struct wide {
    _Alignas(256) char bytes[256];
};

/* gcc finds the end of such a frame, which has arguments above it, by a word that it saved (with
 * -O0, too). */
static __attribute__((noinline)) void walk_realigned(size_t bytes, int b, int c, int d, int e,
                                                     int f, int above)
{
    volatile struct wide wide;
    volatile char *space = alloca(bytes);
    wide.bytes[0] = (char)bytes;
    walk_sized(bytes);
    __asm__ volatile("" ::"r"(&wide), "r"(space), "r"(b + c + d + e + f + above));
}

static int compare_and_walk(const void *a, const void *b)
{
    walk_realigned(64, 2, 3, 4, 5, 6, 7);
    return *(const int *)a - *(const int *)b;
}

static void *walk_in_a_thread(void *unused)
{
    walk_sized(32);
    return unused;
}

Test(stacks, tables_and_libunwind_walk_alike)
{
    int numbers[2] = {2, 1};
    pthread_t thread;
    walk_duplicates();
    expect_same_walks("here");
    walk_sized(1000);
    expect_same_walks("a frame of any size");
    walk_realigned(100, 2, 3, 4, 5, 6, 7);
    expect_same_walks("a realigned frame");
    qsort(numbers, 2, sizeof *numbers, compare_and_walk);
    expect_same_walks("through the C library");
    pthread_create(&thread, NULL, walk_in_a_thread, NULL);
    pthread_join(thread, NULL);
    expect_same_walks("in a thread");
}
#endif

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE) /* glibc 2.35 */
#define NUMBERS_MAX 64

/* Pipes among the lowest numbers. */
static void find_pipes(bool is_pipe[NUMBERS_MAX])
{
    struct stat state;
    for (int i = 0; i < NUMBERS_MAX; i++)
        is_pipe[i] = fstat(i, &state) == 0 && S_ISFIFO(state.st_mode);
}

/* Without the suite's beginning, for libunwind makes its pipe there. */
Test(stacks_alone, a_program_that_took_the_pipe_of_libunwind_has_whole_stacks)
{
    bool before[NUMBERS_MAX], after[NUMBERS_MAX];
    const int taken = open("/dev/null", O_RDWR);
    find_pipes(before);
    begin();
    find_pipes(after);
    for (int i = 0; i < NUMBERS_MAX; i++)
        if (after[i] && !before[i])
            dup2(taken, i);
    const struct syn_stack_record *record = syn_stack_at(from_a());
    cr_assert_not_null(record);
    cr_expect_gt(record->depth, 2);
}

#endif

#if defined(__x86_64__) /* elsewhere the cache may learn nothing, and touches nothing */
static long faults_of_the_first(bool foreseen)
{
    struct rusage before, after;
    if (foreseen)
        syn_stack_prefault(cache);
    getrusage(RUSAGE_THREAD, &before);
    from_a();
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_minflt - before.ru_minflt;
}

/* Each in a process of its own. */
Test(stacks, the_first_one_touches_new_pages)
{
    cr_expect_gt(faults_of_the_first(false), FEW_FAULTS);
}

Test(stacks, the_first_one_touches_hardly_any_where_it_was_foreseen)
{
    const long count = faults_of_the_first(true);
    cr_expect_leq(count, FEW_FAULTS, "%ld pages", count);
}
#endif

Test(stacks, frames_are_located)
{
    const struct syn_stack_record *record = syn_stack_at(from_a());
    cr_assert_not_null(record);
    cr_assert_gt(record->depth, 2);
    cr_assert_leq(record->depth, 8);
    const struct syn_module_record *module = syn_stack_module_at(record->frames[0].module);
    cr_assert_not_null(module);
    cr_assert_not_null(strstr(module->path, "preload_stacks_test"));
    cr_assert_null(syn_stack_at((uint32_t)syn_stack_count()));
}

static void *in_a_thread(void *out)
{
    begin();
    *(uint32_t *)out = from_a();
    return NULL;
}

Test(stacks, threads_number_alike)
{
    uint32_t first = 0, second = 1;
    pthread_t thread;
    pthread_create(&thread, NULL, in_a_thread, &first);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, in_a_thread, &second);
    pthread_join(thread, NULL);
    cr_assert_eq(first, second);
}

static ucontext_t back, coroutine;
static uint32_t coroutine_stack[2];

static void run_coroutine(void)
{
    for (volatile int i = 0; i < 2; i++)
        coroutine_stack[i] = from_a();
}

/* Outside the thread's own stack nothing is learned, for memory that was there once may be gone. */
Test(stacks, a_coroutine_is_walked)
{
    static char memory[256 << 10];
    struct syn_stack_counts before, after;
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = memory;
    coroutine.uc_stack.ss_size = sizeof memory;
    coroutine.uc_link = &back;
    makecontext(&coroutine, run_coroutine, 0);
    syn_stack_counts(&before);
    swapcontext(&back, &coroutine);
    syn_stack_counts(&after);
    cr_assert_eq(coroutine_stack[0], coroutine_stack[1]);
    cr_assert_eq(after.learned_count, before.learned_count);
    cr_assert_eq(after.walked_count, before.walked_count + 2);
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define FOUR_GIB ((uintptr_t)1 << 32)

#define COPIED_BYTES 4096

/* As if its frame were so much further down, with what lies above it. */
static __attribute__((noinline)) uint32_t stack_further_down(uintptr_t bytes)
{
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (bytes > 0)
        memcpy((void *)(frame - bytes), (const void *)frame, COPIED_BYTES);
    const uint32_t stack = look_up(frame - bytes, (uintptr_t)__builtin_return_address(0));
    __asm__ volatile("");
    return stack;
}

/* Distances from the stack's end are kept in 32 bits. */
Test(stacks, a_frame_four_gibibytes_away_is_walked)
{
    const size_t bytes = 64 << 10;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) / 4096 * 4096;
    struct syn_stack_counts counts[3];
    /* With few variables in the environment, the stack ends less than what is copied above. */
    __attribute__((unused)) volatile char above[COPIED_BYTES];
    if (mmap((void *)(here - bytes / 2 - FOUR_GIB), bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
        cr_skip_test("something else lies there");
    for (volatile int i = 0; i < 3; i++) {
        stack_further_down(i == 1 ? FOUR_GIB : 0);
        syn_stack_counts(&counts[i]);
    }
    cr_expect_eq(counts[1].walked_count, counts[0].walked_count + 1);
    cr_expect_eq(counts[1].learned_count, counts[0].learned_count);
    cr_expect_eq(counts[2].walked_count, counts[1].walked_count, "the near one is still known");
    cr_expect_eq(counts[2].learned_count, counts[1].learned_count);
}
#endif
