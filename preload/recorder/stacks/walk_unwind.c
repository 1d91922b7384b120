/* preload/recorder/stacks/walk_unwind.c - walking by libunwind: see walk.h. */
#include "preload/recorder/stacks/walk.h"

#if defined(SYN_HAVE_UNWIND) && !defined(__aarch64__)
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "preload/recorder/stacks/frame_rules.h"
#include "preload/recorder/stacks/outwards.h"
#include "trace/base/guarded.h"

/* Frames of our own between the wrapper and the walk; more than there are. */
#define OWN_FRAMES_MAX 8
/* A frame pointer that points this close below the frame's end is taken to define it. */
#define FRAME_POINTER_REACH 64

/* ---- libunwind's pipe ---- */

/* RATIONALE: libunwind tries an address that it only guesses by writing a byte from there into a
 * pipe, of which it keeps both ends for the whole run. Where the program has put files of its own
 * at these numbers, that byte would go into them. So the ends are looked at before each walk. */
static struct {
    struct syn_guarded ends[2];
    bool known; /* this process's first use of libunwind was ours */
} pipe_of_unwinder;

static bool is_pipe(int number, const struct stat *like)
{
    struct stat state;
    return fstat(number, &state) == 0 && S_ISFIFO(state.st_mode) &&
           (!like || (state.st_dev == like->st_dev && state.st_ino == like->st_ino));
}

/* `first`: the lowest number that was free before libunwind was used. */
static void find_pipe(int first)
{
    struct stat state;
    if (!is_pipe(first, NULL) || fstat(first, &state))
        return;
    int second = first + 1;
    while (second < first + 64 && !is_pipe(second, &state))
        second++;
    if (second == first + 64)
        return;
    syn_guarded_note(&pipe_of_unwinder.ends[0], first);
    syn_guarded_note(&pipe_of_unwinder.ends[1], second);
    pipe_of_unwinder.known = true;
}

static void begin_unwinder(void)
{
    unw_context_t context;
    unw_cursor_t cursor;
    void *found[1];
    const int first = eventfd(0, EFD_CLOEXEC);
    if (first < 0)
        return;
    close(first);
    /* (libunwind 1.8 makes it at the first step only.) */
    if (!unw_getcontext(&context) && !unw_init_local(&cursor, &context) && unw_step(&cursor) >= 0)
        find_pipe(first);
    /* unw_backtrace has variables of each thread, which the C library makes when they are first
     * needed: without memory for them it ends the process. Only of the thread that comes first,
     * the main one nearly always: others, which may never walk this way, would take a lock of
     * libunwind's when they end, where the thread sanitizer of a program looks no more. */
    (void)unw_backtrace(found, 1);
}

static void begin_once(void)
{
#if defined(__x86_64__)
    syn_frame_rules_begin();
#endif
    begin_unwinder();
}

void syn_walk_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin_once);
}

bool syn_walk_allowed(void)
{
    return !pipe_of_unwinder.known || (syn_guarded_get(&pipe_of_unwinder.ends[0]) >= 0 &&
                                       syn_guarded_get(&pipe_of_unwinder.ends[1]) >= 0);
}

/* ---- walking ---- */

/* The quick way. What comes before `caller` in it are frames of our own. (Some of libunwind's ports
 * give the address before each return address.) */
void syn_walk_quickly(const struct syn_walk_start *start, struct syn_walk *walk)
{
    void *found[SYN_STACK_DEPTH_MAX + OWN_FRAMES_MAX];
    const int count = unw_backtrace(found, (int)start->depth + OWN_FRAMES_MAX);
    int first = 0;
    while (first < count && start->caller - (uintptr_t)found[first] > 1)
        first++;
    syn_walk_caller_only(start, walk);
    if (first == count)
        return;
    const uintptr_t less = start->caller - (uintptr_t)found[first];
    for (int i = first + 1; i < count && walk->depth < start->depth; i++)
        walk->addresses[walk->depth++] = (uintptr_t)found[i] + less;
}

#if defined(__x86_64__)
/* RATIONALE: a step of libunwind takes a microsecond, for it blocks all signals twice. The frames
 * of our own between a wrapper and the walk are not stepped through: the wrapper keeps a frame
 * pointer, so its frame says what the registers were in its caller. */
struct walker {
    const struct syn_walk_start *start;
    unw_context_t context; /* the caller's */
    unw_cursor_t cursor;
};

static bool begin_at_caller(const struct syn_walk_start *start, const struct syn_walk_frame *frame,
                            struct walker *walker)
{
    if (unw_getcontext(&walker->context))
        return false;
    walker->start = start;
    greg_t *registers = walker->context.uc_mcontext.gregs;
    registers[REG_RIP] = (greg_t)start->caller;
    registers[REG_RSP] = (greg_t)frame->end;
    registers[REG_RBP] = (greg_t)frame->pointer;
    return unw_init_local(&walker->cursor, &walker->context) == 0;
}

/* Returns the address where the frame pointer of the walker's frame was saved; 0 if it is in no
 * memory. If no frame but the wrapper saved it, libunwind finds it in the context: it is at the
 * wrapper's frame. */
static uintptr_t pointer_saved_at(struct walker *walker)
{
    unw_save_loc_t saved;
    if (unw_get_save_loc(&walker->cursor, UNW_X86_64_RBP, &saved) || saved.type != UNW_SLT_MEMORY)
        return 0;
    const bool is_wrappers = saved.u.addr == (uintptr_t)&walker->context.uc_mcontext.gregs[REG_RBP];
    return is_wrappers ? walker->start->frame : saved.u.addr;
}

/* Describes the frame at the walker's cursor. */
static struct syn_walk_frame frame_of(struct walker *walker, uintptr_t end, size_t check_count)
{
    struct syn_walk_frame frame = {.end = end, .check_count = check_count};
    unw_word_t pointer = 0;
    frame.has_pointer = unw_get_reg(&walker->cursor, UNW_X86_64_RBP, &pointer) == 0;
    frame.pointer = pointer;
    frame.pointer_saved_at = pointer_saved_at(walker);
    return frame;
}

/* A frame whose size is not fixed (alloca, variable arrays, realigned stacks) keeps a frame pointer
 * near its end, and a walk finds the end from that: so where the frame pointer was saved has to be
 * the same too. */
static bool check_frame_pointer(struct syn_walk *walk, const struct syn_walk_start *start,
                                const struct syn_walk_frame *frame, uintptr_t end)
{
    const uintptr_t pointer = frame->pointer, saved_at = frame->pointer_saved_at;
    if (!frame->has_pointer)
        return false;
    if (pointer >= end || pointer + FRAME_POINTER_REACH < end)
        return true;
    return syn_check_word(walk, start, saved_at, pointer);
}

/* One frame outwards. */
static int step_unwound(void *of, struct syn_walk *walk)
{
    struct walker *const walker = of;
    const struct syn_walk_frame *inner = &walk->frames[walk->depth - 1];
    unw_word_t address, end;
    const int stepped = unw_step(&walker->cursor);
    if (stepped == 0)
        return 0;
    if (stepped < 0 || unw_get_reg(&walker->cursor, UNW_REG_IP, &address) ||
        unw_get_reg(&walker->cursor, UNW_REG_SP, &end))
        return -1;
    if (address == 0)
        return 0;
    if (!check_frame_pointer(walk, walker->start, inner, end) ||
        !syn_check_return_address(walk, walker->start, end, address))
        return -1;
    walk->addresses[walk->depth] = address;
    walk->frames[walk->depth++] = frame_of(walker, end, walk->check_count);
    return 1;
}

void syn_walk_unwound(const struct syn_walk_start *start, const struct syn_walk *known,
                      struct syn_walk *walk)
{
    struct walker walker;
    if (syn_walk_from_wrapper(start, walk) && begin_at_caller(start, &walk->frames[0], &walker))
        syn_walk_outwards(start, known, step_unwound, &walker, walk);
}
#else
/* Verified walks need x86-64: only for its frames is it known what a step depends on. */
void syn_walk_verified(const struct syn_walk_start *start, const struct syn_walk *known,
                       struct syn_walk *walk)
{
    (void)known;
    syn_walk_caller_only(start, walk);
}
#endif
#endif
