/* preload/calls/messages.c - see messages.h. */
#include "preload/calls/messages.h"

#include <mpi.h>

#include "preload/comms/communicators.h"
#include "sync/base/layout.h"

bool syn_messages_on, syn_message_events;

SYN_HOT uint32_t syn_open_index_of(uintptr_t key)
{
    const struct syn_comm *comm = syn_comm_before_call(key);
    return comm ? comm->index : SYN_OPEN_NO_COMM;
}

SYN_HOT uint32_t syn_open_index_learned(struct syn_thread *self, uintptr_t key)
{
    self->message_comm = syn_comm_before_call(key);
    return self->message_comm ? self->message_comm->index : SYN_OPEN_NO_COMM;
}

uint32_t syn_message_stack_walked(struct syn_thread *self, uintptr_t frame, uintptr_t caller,
                                  struct syn_message_site *site)
{
    site->stack = self->stacks ? syn_stack_index(self->stacks, frame, caller) : SYN_NO_STACK;
    site->caller = caller;
    site->frame = frame;
    return site->stack;
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
    if (last->sequence > 0) /* the note also has the wait of an earlier event: keep it */
        self->next[-1].start_ticks = 0;
    else
        syn_note_remove(self);
    return ticks;
}

/* The function that finalizes MPI, while the thread is inside. */
static struct {
    uint16_t id; /* of calls.h; 0: not called yet */
    uint32_t stack;
    int64_t start_ticks;
} finalizing;

void syn_open_finalize(uint16_t id, uintptr_t frame, uintptr_t caller)
{
    struct syn_thread *self = syn_self;
    if (!self || (self->guard > frame && !syn_guard_is_void(self, frame)))
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
