/* preload/calls/messages.c - the wrappers of messages in C, expanded from messages.def
 * (messages.h). */
#include "preload/calls/messages.h"

#include <mpi.h>

#include "preload/comms/communicators.h"
#include "sync/base/layout.h"

#define WORD_INT(word)        ((int)(word))
#define WORD_COMM(word)       ((MPI_Comm)(word))
#define WORD_WINDOW_KEY(word) syn_key_of_window((MPI_Win)(word))

#define SMALL_FORM(Name, count, WAITS)
#define LARGE_FORM(Name, count, WAITS) SYN_MESSAGE_WRAPPER(Name##_c, count, SYN_CALL_##Name, WAITS)
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES) \
    SYN_MESSAGE_WRAPPER(Name, count, SYN_CALL_##Name, WAITS)           \
    LARGE##_FORM(Name, count, WAITS)
#include "trace/base/messages.def"

/* Checks mpi.h's functions: each has as many parameters, and of the kinds that messages.h needs: 0
 * is an integer and a pointer. */
#define ZEROS_1  0
#define ZEROS_2  0, 0
#define ZEROS_3  0, 0, 0
#define ZEROS_4  0, 0, 0, 0
#define ZEROS_5  0, 0, 0, 0, 0
#define ZEROS_6  0, 0, 0, 0, 0, 0
#define ZEROS_7  0, 0, 0, 0, 0, 0, 0
#define ZEROS_8  0, 0, 0, 0, 0, 0, 0, 0
#define ZEROS_9  0, 0, 0, 0, 0, 0, 0, 0, 0
#define ZEROS_10 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define ZEROS_12 ZEROS_6, ZEROS_6
#define ZEROS_13 ZEROS_6, ZEROS_7
#if MPI_VERSION >= 4 && !defined(SYN_MPI_IS_ABI) /* whose mpi.h here has no more than it needs */
#define SMALL_CHECK(Name, count)
#define LARGE_CHECK(Name, count) \
    _Static_assert(sizeof MPI_##Name##_c(ZEROS_##count) == sizeof(int), #Name "_c");
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES)      \
    _Static_assert(sizeof MPI_##Name(ZEROS_##count) == sizeof(int), #Name); \
    LARGE##_CHECK(Name, count)
#include "trace/base/messages.def"
#endif

bool syn_messages_on;

SYN_HOT uint32_t syn_open_index_of(uintptr_t key)
{
    const struct syn_comm *comm = syn_comm_before_call(key);
    return comm ? comm->index : SYN_OPEN_NO_COMM;
}

void syn_messages_note(struct syn_thread *self, int64_t ticks, int64_t wait_ticks)
{
    const struct syn_event note = syn_note_of_messages(ticks, wait_ticks);
    syn_note_add(self, &note);
}

int64_t syn_messages_take(struct syn_thread *self)
{
    const struct syn_event *last = self->next - 1;
    if (last->op != SYN_NOTE_MESSAGES)
        return 0;
    const int64_t ticks = last->start_ticks;
    syn_note_remove(self);
    return ticks;
}

static struct {
    uint16_t id; /* 0: it was not entered */
    uint32_t stack;
    int64_t start_ticks;
} finalizing;

void syn_open_finalize(uint16_t id, uintptr_t frame, uintptr_t caller)
{
    struct syn_thread *self = syn_self;
    if (!self || self->guard > frame)
        return;
    finalizing.stack = syn_message_stack(self, frame, caller);
    finalizing.start_ticks = syn_now();
    finalizing.id = id;
    syn_open_finalize_again();
}

void syn_open_finalize_again(void)
{
    struct syn_thread *self = syn_self;
    if (!self || finalizing.id == 0)
        return;
    struct syn_open_line *line = self->line;
    syn_open_line_begin(line);
    SYN_OPEN_SET(line->sequence, SYN_OPEN_NO_SEQUENCE);
    SYN_OPEN_SET(line->comm, SYN_OPEN_NO_COMM);
    SYN_OPEN_SET(line->call, finalizing.id);
    SYN_OPEN_SET(line->stack, finalizing.stack);
    syn_open_line_enter(line, finalizing.start_ticks);
}

void syn_open_finalize_over(void)
{
    if (syn_self)
        syn_open_line_leave(syn_self->line, syn_now());
}

static void add_wrapper(const struct syn_host *host, struct syn_wrapper *wrapper, const char *name,
                        void *next, void (*function)(void))
{
    void *found = host->symbol(name);
    *wrapper = found ? (struct syn_wrapper){name, function} : (struct syn_wrapper){0};
    if (found)
        __atomic_store_n((void **)next, found, __ATOMIC_RELAXED);
}

size_t syn_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define ADD(Name) \
    add_wrapper(host, &wrappers[used++], "MPI_" #Name, &next_##Name, (void (*)(void))wrap_##Name);
#define SMALL_ADD(Name)
#define LARGE_ADD(Name) ADD(Name##_c)
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES) \
    ADD(Name)                                                          \
    LARGE##_ADD(Name)
#include "trace/base/messages.def"
    return used;
}
