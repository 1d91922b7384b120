/* preload/recorder/stacks/walk_unwind.c - walks by libunwind: see walk.h. */
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

/* More than our own frames between the wrapper and the walk. */
#define OWN_FRAMES_MAX 8
/* A frame pointer this close below the frame's end is assumed to define it. */
#define FRAME_POINTER_REACH 64

/* ---- libunwind's pipe ---- */

/* RATIONALE: libunwind tests an address that it only guesses by writing a byte from there to a pipe
 * that it keeps open. If the program has reused these descriptors, the byte would go into its file.
 * So they are checked before each walk. */
static struct {
    struct syn_guarded ends[2];
    bool known; /* we were the first to use libunwind in this process */
} pipe_of_unwinder;

static bool is_pipe(int number, const struct stat *like)
{
    struct stat state;
    return fstat(number, &state) == 0 && S_ISFIFO(state.st_mode) &&
           (!like || (state.st_dev == like->st_dev && state.st_ino == like->st_ino));
}

/* Finds libunwind's pipe. `first`: the lowest descriptor that was free before. */
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
    /* libunwind 1.8 makes its pipe at the first step. */
    if (!unw_getcontext(&context) && !unw_init_local(&cursor, &context) && unw_step(&cursor) >= 0)
        find_pipe(first);
    /* The C library makes the thread-local variables of unw_backtrace at its first call, and ends
     * the process if it lacks memory. They are made only for the first thread, usually the main
     * one. RATIONALE: threads that have them take a lock of libunwind's when they end, which the
     * thread sanitizer reports. */
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

/* Walks without checks; skips our own frames, which come before `caller`. Some ports of libunwind
 * return the address before each return address: `less` corrects that. */
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
/* Walk by libunwind. RATIONALE: a step of libunwind takes 1 us, since it blocks all signals twice.
 * Our own frames are not stepped through: the wrapper's frame, which has a frame pointer, tells the
 * registers in its caller. */
struct walker {
    const struct syn_walk_start *start;
    unw_context_t context; /* of the wrapper's caller */
    unw_cursor_t cursor;
    bool unchecked; /* the next step: it comes from a signal's frame, which was not called */
};

static bool begin_at_caller(const struct syn_walk_start *start, const struct syn_walk_frame *frame,
                            struct walker *walker)
{
    if (unw_getcontext(&walker->context))
        return false;
    walker->start = start;
    walker->unchecked = false;
    greg_t *registers = walker->context.uc_mcontext.gregs;
    registers[REG_RIP] = (greg_t)start->caller;
    registers[REG_RSP] = (greg_t)frame->end;
    registers[REG_RBP] = (greg_t)frame->pointer;
    return unw_init_local(&walker->cursor, &walker->context) == 0;
}

/* Returns the address where the frame pointer of the current frame was saved; 0 if it was not. If
 * only the wrapper saved it, libunwind reports an address in the context: the register is then at
 * the wrapper's frame. */
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

/* Adds a check of the frame pointer if the frame's end depends on it. Frames of variable size
 * (alloca, variable arrays, realigned stacks) keep a frame pointer near their end. */
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

/* Steps one frame outwards. */
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
    walk->end = end;
    if (!walker->unchecked && (!check_frame_pointer(walk, walker->start, inner, end) ||
                               !syn_check_return_address(walk, walker->start, end, address)))
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

/* Steps one frame outwards, if there is a table for it. Without one libunwind guesses; it describes
 * such code as a function of one byte. */
static int step_by_table(void *of, struct syn_walk *walk)
{
    struct walker *const walker = of;
    unw_proc_info_t function;
    if (unw_get_proc_info(&walker->cursor, &function) || function.end_ip - function.start_ip < 2)
        return -1;
    walker->unchecked = unw_is_signal_frame(&walker->cursor) > 0;
    return step_unwound(walker, walk);
}

enum syn_walk_result syn_walk_unwound_to(const struct syn_walk_start *start, uintptr_t sought,
                                         struct syn_walk *walk)
{
    struct walker walker;
    if (!syn_walk_from_wrapper(start, walk) || !begin_at_caller(start, &walk->frames[0], &walker))
        return SYN_WALK_BROKE;
    return syn_walk_search(sought, step_by_table, &walker, walk);
}
#else
/* Not x86-64: it is unknown what a step of libunwind depends on, so no walk is verified. */
void syn_walk_verified(const struct syn_walk_start *start, const struct syn_walk *known,
                       struct syn_walk *walk)
{
    (void)known;
    syn_walk_caller_only(start, walk);
}

enum syn_walk_result syn_walk_to(const struct syn_walk_start *start, uintptr_t sought,
                                 struct syn_walk *walk)
{
    (void)sought;
    syn_walk_caller_only(start, walk);
    return SYN_WALK_BROKE;
}
#endif
#endif
