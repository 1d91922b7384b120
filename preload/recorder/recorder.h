/* preload/recorder/recorder.h - state and events of a thread, and the way of a wrapped call.
 *
 * Each thread that makes a collective call has its own state and its own buffers, so that recording
 * takes no lock. A wrapper, in this order:
 *
 *     syn_enter
 *     call stack, communicator and payload, without asking MPI: the thread's open line has them
 *     start = syn_now(); the call; end = syn_now()
 *     what only MPI knows of them, for by now the call was valid
 *     the event; the open line is closed
 *     syn_leave
 *
 * A call has its line and its stack where it is not recorded, too (MPI_Pcontrol, --ranks): it may
 * be the one that hangs. */
#ifndef SYN_RECORDER_H
#define SYN_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/recorder/idle.h"
#include "sync/time/clock.h"
#include "trace/base/event.h"
#include "trace/base/open_line.h"
#include "trace/base/ops.h"
#include "trace/base/records.h"
#include "trace/events/message.h"

struct syn_batch;
struct syn_bytes;
struct syn_event_block;
struct syn_comm;
struct syn_stack_cache;

/* How many bytes an element of a type has, and its attributes without a reduction
 * (trace/events/attributes.h). */
struct syn_sized_type {
    MPI_Datatype type;
    int16_t bytes; /* -1: to be asked each time */
    uint16_t attributes;
};
/* A power of two. */
#define SYN_SIZED_TYPES 64

/* A call site of messages, with the frame address of the wrapper, and a stack that ends there. */
struct syn_message_site {
    uintptr_t caller, frame;
    uint32_t stack;
};
#define SYN_MESSAGE_SITES 32

/* How long a thread could have run but did not, as its samples tell it: what the kernel said, and
 * what was reckoned since from the time in which it did not run (samples.c). */
struct syn_run_delay {
    uint64_t known_ns;    /* of the last sample that has it */
    uint64_t said_ns;     /* by the kernel, when it was asked last; */
    uint64_t reckoned_ns; /*   what was added to known_ns since */
    bool is_new;          /* the kernel was not asked for this thread */
    /* Time without a processor, of any reason and from any origin: */
    int64_t off_cpu_ns;         /* at the last sample */
    int64_t counted_off_cpu_ns; /* up to here it is in known_ns where it belongs there */
    int64_t asked_first_ticks, asked_ticks;
    int64_t due_ticks;  /* to be asked again not before */
    int64_t owed_ticks; /* and so much later, for the steps towards it so far */
    unsigned step;      /* the next one; 0: none is under way */
};

/* The state of a thread, or of several that live one after another: they have one number, and their
 * events lie in one buffer. */
struct syn_thread {
    /* The stack address of the wrapper that this thread is in; 0 outside. A call from further down
     * the stack is one that MPI (or another wrapper) makes itself. Comparing addresses instead of
     * counting survives an error handler that throws or jumps out of a call. UINTPTR_MAX: nothing
     * is recorded. */
    uintptr_t guard;
    uintptr_t idle_guard; /* what `guard` is outside of calls: 0 or UINTPTR_MAX */
    struct syn_event *next;
    struct syn_event *limit; /* once `next` is there, there is something to do: mostly a step */
    struct syn_comm *comm;   /* the last communicator looked up: of what handle, it says itself */
    struct syn_comm *freed_comm; /* state of a communicator that the thread freed and still has to
                                    release; NULL: none */
    struct syn_stack_cache *stacks; /* NULL: none are captured */
    struct syn_open_line *line;     /* the call that it is inside; never NULL */
    uint32_t number;                /* 0: the thread that called MPI_Init */
    uint16_t pending_flags;         /* for the next event */
    int64_t latest_start_ticks;     /* --align window: a later start is late */
    int64_t sample_due_ticks;       /* a call that ends after it is followed by a sample */
    uint64_t message_count;         /* calls that are no events, */
    int64_t message_ticks;          /*   and the time in them */
    struct syn_comm *message_comm;  /* as `comm`, of messages */
    uint32_t message_order;         /* messages posted so far (trace/events/message.h) */

    struct syn_event_block *blocks;   /* newest first */
    struct syn_event_block *spare;    /* got ready to be the next one; NULL: none */
    struct syn_event_block *vacant;   /* without events and pages, while there are no `blocks` */
    struct syn_event_block *encoding; /* one of `blocks`, on its way into the file; NULL: none */
    bool is_half_written;             /*   some of its frames are there */
    struct syn_batch *batch;          /* by which it goes there; NULL: none was needed yet */
    struct syn_event *after_steps;    /* `next` at the last steps */
    bool stopped_halfway;             /* between two calls behind which all stop */
    bool is_behind;                   /* steps that were due were not taken, for want of time */
    bool is_to_pay;                   /* steps of what its calls declared are due */
    size_t ahead_count;               /* steps of what is written before its frames, */
    size_t ahead_expected;            /*   as many as the block before took, */
    uint64_t ahead_until;             /*   and how much that is; 0: not known yet */
    size_t owed_steps;                /* parts of a step that were due and not taken */
    struct syn_sample last_sample;
    struct syn_sample counted_before; /* by the threads before this one (samples.c) */
    int64_t sample_cost_ticks;        /* what it took, without run delay */
    int64_t sample_seen_ticks;        /* the first call behind which it was due; 0: none yet */
    unsigned samples_since_whole;     /* where calls are rare: without switches and faults */
    unsigned sample_put_off; /* so often since, for its calls were stopped for long already */
    struct syn_run_delay run_delay;
    struct syn_thread *older;                           /* the list of all states */
    struct syn_idle idle;                               /* while it has no thread */
    uint64_t life;                                      /* of the thread: no other has the same */
    struct syn_sized_type sized_types[SYN_SIZED_TYPES]; /* by hash (calls/type_sizes.h) */
    struct syn_message_site message_sites[SYN_MESSAGE_SITES]; /* by caller (calls/messages.h) */
    /* A line that no other process reads: for calls that cannot wait, for calls within calls, and
     * for a thread that has no line in a file. */
    struct syn_open_line private_line;
    struct syn_event none;    /* all zeros: the entry before `nowhere` is no note */
    struct syn_event nowhere; /* what cannot be kept is stored over and over here, and counted */
    struct syn_event behind;  /* the entry after it, whose flags are stored to */
} __attribute__((aligned(64)));

/* The thread's own state; NULL before its first recorded call. In static TLS: reading it is one
 * instruction. */
extern __thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
extern struct syn_tick_source syn_ticks;
/* Types that a thread knows from its first call on. */
extern struct syn_sized_type syn_first_types[SYN_SIZED_TYPES];
extern bool syn_recorded[SYN_ROW_COUNT];

/* ---- life of the recorder ---- */

struct syn_recorder_options {
    uint64_t buffer_bytes; /* what all threads may hold before they write it away */
    int stack_depth;       /* 0: no stacks */
    /* Only a piece of memory is got ready at the start: where many ranks share a machine, clearing
     * more each takes all of them a while. */
    bool small_first;
    /* Write entries of one thread away: events, with `note_count` notes among them. Called by one
     * thread at a time; copes with failure by itself (it may call syn_recorder_keep_no_more).
     * Returns whether they are written. */
    bool (*write)(uint32_t thread, const struct syn_event *entries, size_t entry_count,
                  size_t note_count);
    /* `write` in steps. new_batch makes a batch (trace/write/batch.h) for a thread; any thread may
     * call it at any time; NULL without memory. write_batch writes a piece of the batch's frames,
     * `event_count` events, once they are whole; call it again until *is_whole. It is otherwise
     * like `write`. */
    struct syn_batch *(*new_batch)(void);
    bool (*write_batch)(struct syn_batch *batch, size_t event_count, uint64_t until,
                        bool *is_whole);
    /* A step of what has to be in the file before a batch: *until says how much that is, 0 before
     * the first step. Never called at the same time as `write`. Returns whether there was any. */
    bool (*write_ahead)(uint64_t *until);
    /* Put down what events may refer to and no file has yet; `comm` (NULL: none) gets an index
     * before. Never called at the same time as `write`, as is `pay`. Returns whether `pay` is to be
     * called soon, which takes steps towards the file. */
    bool (*declare)(struct syn_comm *comm);
    void (*pay)(void);
    /* The last entry of a block, and the first one of the next: a sample of the thread (samples.h).
     * Returns false for none. */
    bool (*sample)(struct syn_thread *self, struct syn_event *note);
    /* Messages that are under way have their events in the thread's block, which ends. take_open
     * takes up to `most` events out of first..end: their places become notes. Returns how many.
     * put_open puts them at `to`, of the next block; NULL: back, for there is none. Returns how
     * many. */
    size_t (*take_open)(struct syn_event *first, const struct syn_event *end, size_t most);
    size_t (*put_open)(struct syn_event *to);
    /* Called by a thread that ends, and by the next one in its place. */
    void (*leave)(struct syn_thread *self);
    void (*take_over)(struct syn_thread *self);
};

/* From here on calls are recorded; the caller becomes thread 0. Returns 0 or SYN_ENOMEM. */
int syn_recorder_start(const struct syn_recorder_options *options);
/* From here on none are, but that a call which a thread is in may still add its event. */
void syn_recorder_stop(void);
bool syn_recorder_running(void);
/* From here on there is nowhere to put events: calls are only counted, as lost. What the blocks
 * hold stays there, and calls under way may still add theirs. */
void syn_recorder_keep_no_more(void);
/* Calls whose events are lost: they are in no file. */
void syn_recorder_lose(uint64_t call_count);
uint64_t syn_recorder_lost_count(void);
/* Calls that came behind the end: some MPIs run callbacks of the program then. */
uint64_t syn_recorder_late_count(void);
/* Write away what the buffers hold, oldest first for each thread, and give the memory back; after a
 * stop. Returns 0, or SYN_ENOTSUP if this very thread was interrupted in a write, which cannot be
 * taken up again. */
int syn_recorder_drain(void);

/* Append the calls that threads are inside now, as an OPEN frame has them; returns how many. */
size_t syn_recorder_put_open(struct syn_bytes *calls);

/* Times that a thread stopped behind a call, to get memory ready or to encode and write what it
 * recorded. */
struct syn_recorder_pauses {
    uint64_t count;
    int64_t sum_ticks;
    int64_t longest_ticks;
};
struct syn_recorder_pauses syn_recorder_pauses(void);
/* There is something new that the next event refers to. */
void syn_recorder_declare_new(void);
/* As before, and `comm` gets an index. Does nothing once recording has ended. */
void syn_recorder_declare_comm(struct syn_comm *comm);
/* Within `declare`, before anything that is a point of cancellation. */
void syn_recorder_hold(void);

/* ---- the slow ways out of the inline functions below ---- */

/* The state of a thread that has none yet; NULL while nothing is recorded. */
struct syn_thread *syn_thread_start(void);
/* The thread is at its limit: it takes steps, gets another block, or goes `nowhere`. */
void syn_thread_at_limit(struct syn_thread *self);

/* RATIONALE: who stops in a call of its own makes all others wait; who stops where all others do
 * costs nothing more. Members of a communicator stop behind the same call of it: one in `every`. */
static inline bool syn_stop_is_shared(const struct syn_event *event, uint64_t every)
{
    const uint64_t number =
        syn_is_message(event->op) ? syn_message_order(event->sequence) : event->sequence;
    return (number + 1) % every == 0;
}

/* ---- the way of every call ---- */

static inline int64_t syn_now(void)
{
    return syn_ticks_now(&syn_ticks);
}

/* The call is one that MPI makes itself, or comes behind the end and is counted. Returns NULL. */
struct syn_thread *syn_enter_refused(const struct syn_thread *self);

/* `frame` is the wrapper's frame address. NULL: call MPI and do nothing else. */
static inline struct syn_thread *syn_enter(uintptr_t frame)
{
    struct syn_thread *self = syn_self;
    if (__builtin_expect(!self, 0)) {
        self = syn_thread_start();
        if (!self)
            return NULL;
    }
    if (__builtin_expect(self->guard > frame, 0))
        return syn_enter_refused(self);
    self->guard = frame;
    return self;
}

static inline void syn_leave(struct syn_thread *self)
{
    self->guard = self->idle_guard;
}

/* The thread's buffer gets a note, now. It is never the last entry of a block: the event that it
 * belongs to is in the same one. */
void syn_note_add(struct syn_thread *self, const struct syn_event *note);
/* The newest entry, a note, is gone. */
void syn_note_remove(struct syn_thread *self);

/* The place of the next event. The invariant: there is room for one whenever no event is being
 * placed (`next` lies below `limit`), whatever became of the file, of memory and of the recorder.
 * syn_event_done keeps it: who is at the limit has another one, in the next block or `nowhere`,
 * before it returns. */
static inline struct syn_event *syn_event_next(struct syn_thread *self)
{
#ifdef __SANITIZE_ADDRESS__
    if (self->next >= self->limit)
        __builtin_trap();
#endif
    return self->next;
}

/* The event is complete but for its flags. Their store is the last, and says so to whoever reads
 * the block after a kill; a reader in another thread (MPI_Abort, exit) sees it only now. The entry
 * behind it is none before: a block that is used again still has those of the time before. */
static inline void syn_event_done(struct syn_thread *self, uint16_t flags)
{
    struct syn_event *const event = self->next, *const next = event + 1;
    __atomic_store_n(&next->flags, (uint16_t)0, __ATOMIC_RELAXED);
    __atomic_store_n(&event->flags, (uint16_t)(flags | SYN_EVENT_WRITTEN), __ATOMIC_RELEASE);
    __atomic_store_n(&self->next, next, __ATOMIC_RELEASE);
    if (__builtin_expect(next == self->limit, 0))
        syn_thread_at_limit(self);
}

/* Messages (calls/messages.h) of all threads. */
struct syn_message_counts {
    uint64_t call_count;
    int64_t sum_ticks;
};
struct syn_message_counts syn_message_counts(void);

#endif
