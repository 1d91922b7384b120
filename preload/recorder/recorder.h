/* preload/recorder/recorder.h - recording state and event buffer of each thread; the common part of
 * all wrappers.
 *
 * Each thread that makes a recorded call has its own state and buffer. Recording takes no lock. A
 * wrapper does, in this order:
 *
 *     syn_enter
 *     call stack, communicator, payload, without asking MPI: stored in the thread's open line
 *     start = syn_now(); the call; end = syn_now()
 *     facts that only MPI knows: the call succeeded, so its arguments are valid
 *     the event; the open line is closed
 *     syn_leave
 *
 * The open line and the call stack are taken even if the call is not recorded (MPI_Pcontrol,
 * --ranks): such a call may be the one that hangs. */
#ifndef SYN_RECORDER_H
#define SYN_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/recorder/idle.h"
#include "preload/recorder/stacks/within.h"
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

/* Size of one element of a datatype, and its attributes without a reduction
 * (trace/events/attributes.h). */
struct syn_sized_type {
    MPI_Datatype type;
    int16_t bytes; /* -1: not constant, ask MPI each time */
    uint16_t attributes;
};
/* Must be a power of two. */
#define SYN_SIZED_TYPES 64

/* Cache entry: the call stack of messages from `caller`, whose wrapper's frame address is
 * `frame`. */
struct syn_message_site {
    uintptr_t caller, frame;
    uint32_t stack;
};
/* Must be a power of two. */
#define SYN_MESSAGE_SITES 128

/* Run delay of a thread: time in which it was ready to run but had no processor. The kernel tells
 * it; between two readings of the kernel's value it is estimated (samples.c). */
struct syn_run_delay {
    uint64_t known_ns;     /* total up to the last sample that has one */
    uint64_t kernel_ns;    /* the kernel's value at the last reading */
    uint64_t estimated_ns; /* part of known_ns that was estimated since then */
    bool is_new;           /* not read yet for this thread */
    /* Time off the processor, for any reason, since an arbitrary origin: */
    int64_t off_cpu_ns;         /* at the last sample */
    int64_t counted_off_cpu_ns; /* known_ns covers the time up to here */
    int64_t first_read_ticks, last_read_ticks;
    int64_t due_ticks;           /* earliest time of the next reading */
    int64_t deferred_cost_ticks; /* delays it further: cost of the steps taken so far */
    unsigned step;               /* next step of the reading; 0: no reading is in progress */
};

/* Recording state of a thread. After the thread's end another thread takes it over: both have the
 * same number, and their events share one buffer. */
struct syn_thread {
    /* Frame address of the wrapper that this thread is in; 0 outside of wrappers. A call with a
     * lower frame address is made by MPI itself, or by another wrapper: it is not recorded, unless
     * the wrapper has been left (within.h).
     * RATIONALE: unlike a counter, an address stays right if an error handler throws or jumps out
     * of a call. UINTPTR_MAX: nothing is recorded. */
    uintptr_t guard;
    uintptr_t idle_guard; /* value of `guard` outside of wrappers: 0 or UINTPTR_MAX */
    struct syn_event *next;
    struct syn_event *limit;        /* when `next` reaches it, syn_thread_at_limit is called */
    struct syn_comm *comm;          /* the communicator looked up last */
    struct syn_comm *freed_comm;    /* freed by this thread, still to be released; or NULL */
    struct syn_stack_cache *stacks; /* NULL: no call stacks are taken */
    struct syn_open_line *line;     /* the open call; never NULL */
    uint32_t number;                /* 0: the thread that called MPI_Init */
    uint16_t pending_flags;         /* of the next event */
    int64_t latest_start_ticks;     /* --align window: a call that starts later is late */
    int64_t sample_due_ticks;       /* a call that ends later is followed by a sample */
    uint64_t message_count;         /* messages that are not recorded as events, */
    int64_t message_ticks;          /* and the time in them; */
    uint64_t one_sided_count;       /* of these, one-sided calls */
    struct syn_comm *message_comm;  /* like `comm`, for messages */
    uint32_t message_order;         /* messages posted so far (trace/events/message.h) */

    struct syn_event_block *blocks;    /* newest first; list by `older` */
    struct syn_event_block *spare;     /* prepared in advance, will be the next block; or NULL */
    struct syn_event_block *vacant;    /* empty block kept for the next thread; or NULL */
    struct syn_event_block *encoding;  /* one of `blocks`, being written to the file; or NULL */
    bool is_half_written;              /* some frames of `encoding` are in the file, not all */
    struct syn_batch *batch;           /* encoder of `encoding`; NULL: not needed yet */
    struct syn_event *after_steps;     /* value of `next` at the last steps */
    bool stopped_halfway;              /* the last stop was half-way between two shared stops */
    bool is_behind;                    /* less was done than was due, for lack of time */
    bool declarations_are_due;         /* declarations are to be written behind this call */
    size_t declaration_steps;          /* steps that wrote declarations for `encoding` */
    size_t declaration_steps_expected; /* number of such steps for the block before */
    uint64_t declared_until; /* `encoding` needs declarations up to here; 0: not known yet */
    size_t deferred_steps;   /* steps that were due and not taken, in units of 1/WHOLE_STEP */
    struct syn_sample last_sample;
    struct syn_sample counted_before; /* counts of the threads that had this state before */
    int64_t sample_cost_ticks;        /* cost of the last sample, without run delay */
    int64_t sample_first_due_ticks;   /* end of the first call after which a sample was due; 0: none
                                         yet */
    unsigned samples_since_usage;     /* samples since the last one with switches and faults */
    unsigned sample_postponed_count;  /* times the due sample was postponed */
    struct syn_run_delay run_delay;
    struct syn_thread *older;                           /* list of all states */
    struct syn_idle idle;                               /* used while no thread has this state */
    uint64_t life;                                      /* number of the thread, never used again */
    struct syn_sized_type sized_types[SYN_SIZED_TYPES]; /* hash table (calls/type_sizes.h) */
    struct syn_message_site message_sites[SYN_MESSAGE_SITES]; /* by caller (calls/messages.h) */
    struct syn_within within[SYN_WITHINS];                    /* by caller */
    /* Line that no other process reads: of calls that cannot wait, of calls within calls, and of a
     * thread that has no line in a file. */
    struct syn_open_line private_line;
    struct syn_event before_discard; /* all zeros: the entry before `discard` must be no note */
    struct syn_event discard;  /* events that cannot be kept are stored here, each over the last */
    struct syn_event sentinel; /* syn_event_done clears the flags of the entry after `discard` */
} __attribute__((aligned(64)));

/* State of the calling thread; NULL before its first recorded call. RATIONALE: static TLS is read
 * by one instruction. */
extern __thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
extern struct syn_tick_source syn_ticks;
/* Initial value of each thread's sized_types. */
extern struct syn_sized_type syn_first_types[SYN_SIZED_TYPES];
extern bool syn_recorded[SYN_ROW_COUNT];

/* ---- life of the recorder ---- */

struct syn_recorder_options {
    uint64_t buffer_bytes; /* limit for all threads together */
    int stack_depth;       /* 0: no call stacks */
    /* Prepare only one piece of memory at the start. RATIONALE: many ranks on one machine that
     * clear memory at the same time slow one another down. */
    bool small_first;
    /* Write entries of one thread to the file: events and `note_count` notes. Called by one thread
     * at a time. Handles failure itself (and may call syn_recorder_keep_no_more). Returns true if
     * they are written. */
    bool (*write)(uint32_t thread, const struct syn_event *entries, size_t entry_count,
                  size_t note_count);
    /* `write` in steps. new_batch returns an encoder (trace/write/batch.h) for a thread, or NULL
     * without memory; any thread may call it at any time. write_batch writes one piece of the
     * frames of an encoded batch of `event_count` events; call it until it sets *is_whole. `until`:
     * from write_declarations. Otherwise like `write`. */
    struct syn_batch *(*new_batch)(void);
    bool (*write_batch)(struct syn_batch *batch, size_t event_count, uint64_t until,
                        bool *is_whole);
    /* Take one step that writes declarations needed by a batch. *until: the number of declarations
     * that it needs; 0 before the first step, which sets it. Never called at the same time as
     * `write`. Returns false if nothing was left to write. */
    bool (*write_declarations)(uint64_t *until);
    /* Declare (communicators, modules, call stacks) what events may refer to and the file lacks.
     * Gives `comm` an index first, unless it is NULL. Returns true if write_due_declarations, which
     * takes steps that write declarations to the file, should be called soon. Neither is called at
     * the same time as `write`. */
    bool (*declare)(struct syn_comm *comm);
    void (*write_due_declarations)(void);
    /* Make a sample of the thread (samples.h): it becomes the last entry of a block and the first
     * of the next. Returns false if there is none. */
    bool (*sample)(struct syn_thread *self, struct syn_event *note);
    /* Move the events of pending messages from a full block to the next one. take_open copies up to
     * `most` events in first..end and turns their places into notes. put_open writes the copies to
     * `to`, or back to their places if `to` is NULL. Both return the number of events. */
    size_t (*take_open)(struct syn_event *first, const struct syn_event *end, size_t most);
    size_t (*put_open)(struct syn_event *to);
    /* Called by a thread that ends, and by the thread that takes over its state. */
    void (*leave)(struct syn_thread *self);
    void (*take_over)(struct syn_thread *self);
};

/* Start recording. The caller becomes thread 0. Returns 0 or SYN_ENOMEM. */
int syn_recorder_start(const struct syn_recorder_options *options);
/* Stop recording. A thread that is inside a call may still add its event. */
void syn_recorder_stop(void);
bool syn_recorder_running(void);
/* From now on count calls as lost instead of recording them. Events in memory stay there. Threads
 * inside a call may still add their events. */
void syn_recorder_keep_no_more(void);
/* Count calls whose events are in no file. */
void syn_recorder_lose(uint64_t call_count);
uint64_t syn_recorder_lost_count(void);
/* Number of calls after the end of recording: some MPIs run callbacks of the program then. */
uint64_t syn_recorder_late_count(void);
/* After syn_recorder_stop: write all buffers to the file, the oldest block of each thread first,
 * and free their memory. Returns 0; or SYN_ENOTSUP if this thread is a signal handler that
 * interrupted a write. */
int syn_recorder_drain(void);

/* Append the calls that threads are inside now, in the format of an OPEN frame. Returns their
 * number. */
size_t syn_recorder_put_open(struct syn_bytes *calls);

/* Pauses: times that a thread stopped after a call to prepare memory, or to encode and write
 * events. */
struct syn_recorder_pauses {
    uint64_t count;
    int64_t sum_ticks;
    int64_t longest_ticks;
};
struct syn_recorder_pauses syn_recorder_pauses(void);
/* Tell the recorder that the next event refers to something new (`declare`). */
void syn_recorder_declare_new(void);
/* Tell the recorder of a new communicator, which gets an index. Does nothing after the end of
 * recording. */
void syn_recorder_declare_comm(struct syn_comm *comm);
/* Defer thread cancellation; `declare` calls it before any cancellation point. */
void syn_recorder_hold(void);

/* ---- slow paths of the inline functions below ---- */

/* Find or make the state of the calling thread. Returns NULL if nothing is recorded. */
struct syn_thread *syn_thread_start(void);
/* `next` has reached `limit`: take steps, change blocks, or discard further events. */
void syn_thread_at_limit(struct syn_thread *self);

/* Returns true if a thread may stop after this event: its number on the communicator is the last of
 * each `every` calls. RATIONALE: a thread that stops alone makes all others wait. If all members of
 * a communicator stop after the same call, they wait only once. */
static inline bool syn_stop_is_shared(const struct syn_event *event, uint64_t every)
{
    const uint64_t number =
        syn_is_message(event->op) ? syn_message_order(event->sequence) : event->sequence;
    return (number + 1) % every == 0;
}

/* ---- every call ---- */

static inline int64_t syn_now(void)
{
    return syn_ticks_now(&syn_ticks);
}

/* The thread's guard is above `frame`. Returns true if the call is the program's all the same: the
 * wrapper that set the guard has been left. */
bool syn_guard_is_void(struct syn_thread *self, uintptr_t frame);
/* The thread's guard is above `frame`. Returns NULL if MPI itself makes the call, or recording has
 * ended; then the call is counted. Otherwise enters the wrapper. */
struct syn_thread *syn_enter_below(struct syn_thread *self, uintptr_t frame);

/* Enter a wrapper. `frame`: its frame address. Returns NULL if the wrapper should only call MPI. */
static inline struct syn_thread *syn_enter(uintptr_t frame)
{
    struct syn_thread *self = syn_self;
    if (__builtin_expect(!self, 0)) {
        self = syn_thread_start();
        if (!self)
            return NULL;
    }
    if (__builtin_expect(self->guard > frame, 0))
        return syn_enter_below(self, frame);
    self->guard = frame;
    return self;
}

static inline void syn_leave(struct syn_thread *self)
{
    self->guard = self->idle_guard;
}

/* Add a note to the thread's buffer. A note is never the last entry of a block: its event is in the
 * same block. */
void syn_note_add(struct syn_thread *self, const struct syn_event *note);
/* Remove the newest entry, which must be a note. */
void syn_note_remove(struct syn_thread *self);

/* Place of the next event. Invariant: `next` lies below `limit`, so there is always room for one
 * event, even if the file or memory has failed. syn_event_done restores the invariant before it
 * returns: a thread at its limit gets another block, or its entry `discard`. */
static inline struct syn_event *syn_event_next(struct syn_thread *self)
{
#ifdef __SANITIZE_ADDRESS__
    if (self->next >= self->limit)
        __builtin_trap();
#endif
    return self->next;
}

/* Completes the event. The flags are stored last: a reader of the block after a kill, or another
 * thread (MPI_Abort, exit), sees the event only then. The flags of the next entry are cleared
 * first, since a reused block still has old entries. */
static inline void syn_event_done(struct syn_thread *self, uint16_t flags)
{
    struct syn_event *const event = self->next, *const next = event + 1;
    __atomic_store_n(&next->flags, (uint16_t)0, __ATOMIC_RELAXED);
    __atomic_store_n(&event->flags, (uint16_t)(flags | SYN_EVENT_WRITTEN), __ATOMIC_RELEASE);
    __atomic_store_n(&self->next, next, __ATOMIC_RELEASE);
    if (__builtin_expect(next == self->limit, 0))
        syn_thread_at_limit(self);
}

/* Calls that are messages (calls/messages.h), summed over all threads. */
struct syn_message_counts {
    uint64_t call_count, one_sided_count;
    int64_t sum_ticks;
};
struct syn_message_counts syn_message_counts(void);

#endif
