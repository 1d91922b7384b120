/* preload/recorder/samples.c - see samples.h.
 *
 * All by system calls of our own: a program may have put functions of its own before the C
 * library's, and they are not meant for us. */
#include "preload/recorder/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sync/base/integers.h"
#include "trace/notes.h"

/* What took c is done again after this many times c, at the earliest; samples and the reading of
 * run delay, which takes several times as long, each by themselves. What interrupts them is not
 * their cost: no more than so many intervals. */
#define COST_SHARE    4000
#define INTERVALS_MAX 10

/* A thread takes its sample after a call whose number on its communicator is a multiple of this, as
 * the other members do: else each would make all wait at another time. */
#define SHARED_CALLS 16

/* From the start of the run on as it is, but for the count, which is atomic. */
static struct {
    bool active;
    int64_t interval_ticks;
    uint64_t count;
    int run_delay_error; /* why the kernel does not tell it; 0: it does */
} samples;

/* How long it waited for a processor, which the kernel tells in a file only: opened, read and
 * closed, for a program may close what it did not open. */
static int read_run_delay(uint64_t *delay_ns)
{
    char text[96];
    const long file =
        syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    const long bytes = syscall(SYS_read, (int)file, text, sizeof text - 1);
    const int error = bytes < 0 ? errno : 0;
    syscall(SYS_close, (int)file);
    text[syn_largest(bytes, 0)] = '\0';
    const char *second = strchr(text, ' ');
    if (!second)
        return error ? error : ENODATA;
    *delay_ns = strtoull(second + 1, NULL, 10);
    return 0;
}

void syn_samples_start(bool on)
{
    uint64_t delay_ns;
    const int error_before = errno;
    samples.active = on;
    samples.run_delay_error = on ? read_run_delay(&delay_ns) : 0;
    samples.interval_ticks = syn_span_ticks(&syn_ticks, SYN_SAMPLE_INTERVAL_NS);
    errno = error_before;
}

static uint64_t cpu_time_ns(void)
{
    struct timespec now = {0};
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void add_usage(struct syn_sample *sample)
{
    struct rusage usage;
    if (syscall(SYS_getrusage, RUSAGE_THREAD, &usage))
        return;
    sample->voluntary_switches = (uint32_t)usage.ru_nvcsw;
    sample->involuntary_switches = (uint32_t)usage.ru_nivcsw;
    sample->minor_faults = (uint32_t)usage.ru_minflt;
    sample->major_faults = (uint32_t)usage.ru_majflt;
    sample->has |= SYN_SAMPLE_HAS_USAGE;
}

static int64_t next_in(int64_t cost_ticks)
{
    if (cost_ticks > INTERVALS_MAX * samples.interval_ticks / COST_SHARE)
        return INTERVALS_MAX * samples.interval_ticks;
    const int64_t wanted = cost_ticks * COST_SHARE;
    return syn_largest(wanted, samples.interval_ticks);
}

/* A thread that was not switched since has not waited for a processor since: no need to ask. */
static bool was_not_switched(const struct syn_sample *sample, const struct syn_sample *last)
{
    const uint16_t both = SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY;
    return (sample->has & SYN_SAMPLE_HAS_USAGE) && (last->has & both) == both &&
           sample->voluntary_switches == last->voluntary_switches &&
           sample->involuntary_switches == last->involuntary_switches;
}

static void ask_run_delay(struct syn_thread *self, struct syn_sample *sample)
{
    const int64_t began = syn_now();
    if (samples.run_delay_error || began < self->run_delay_due_ticks)
        return;
    if (read_run_delay(&sample->run_delay_ns) == 0)
        sample->has |= SYN_SAMPLE_HAS_RUN_DELAY;
    const int64_t ended = syn_now();
    self->run_delay_due_ticks = ended + next_in(ended - began);
}

/* RATIONALE: to ask takes as long as all else of the first call together. Who was not switched
 * until then need not. */
void syn_samples_begin(void)
{
    struct syn_thread *self = syn_self;
    const int error_before = errno;
    if (!samples.active || !self)
        return;
    add_usage(&self->last_sample);
    ask_run_delay(self, &self->last_sample);
    self->run_delay_due_ticks = 0; /* who was switched asks */
    errno = error_before;
}

static void add_run_delay(struct syn_thread *self, struct syn_sample *sample)
{
    if (!was_not_switched(sample, &self->last_sample)) {
        if (self->last_sample.time == 0) /* the first call: later, and not where a block ends */
            self->run_delay_due_ticks = sample->time + samples.interval_ticks;
        ask_run_delay(self, sample);
        return;
    }
    sample->run_delay_ns = self->last_sample.run_delay_ns;
    sample->has |= SYN_SAMPLE_HAS_RUN_DELAY;
}

bool syn_sample_make(struct syn_thread *self, struct syn_event *out)
{
    struct syn_sample sample = {0};
    const int error_before = errno;
    if (!samples.active)
        return false;
    sample.time = syn_now();
    sample.cpu_ns = cpu_time_ns();
    sample.processor = sched_getcpu();
    add_usage(&sample);
    self->sample_cost_ticks = syn_now() - sample.time;
    add_run_delay(self, &sample);
    self->last_sample = sample;
    *out = syn_note_of_sample(&sample);
    __atomic_add_fetch(&samples.count, 1, __ATOMIC_RELAXED);
    errno = error_before;
    return true;
}

/* Behind a call that others sample after too; or, where calls are few, half an interval late. */
static bool is_here(const struct syn_thread *self)
{
    const struct syn_event *last = self->next - 1;
    return syn_is_note(last) || syn_stop_is_shared(last, SHARED_CALLS) ||
           last->end_ticks - self->sample_due_ticks > samples.interval_ticks / 2;
}

void syn_sample_take(struct syn_thread *self)
{
    struct syn_event note;
    if (!is_here(self))
        return;
    if (!syn_sample_make(self, &note)) {
        self->sample_due_ticks = INT64_MAX;
        return;
    }
    syn_note_add(self, &note);
    self->sample_due_ticks = syn_now() + next_in(self->sample_cost_ticks);
}

void syn_samples_stop(void)
{
    struct syn_event note;
    struct syn_thread *self = syn_self;
    if (self && self->guard != UINTPTR_MAX && syn_recorder_running() &&
        syn_sample_make(self, &note))
        syn_note_add(self, &note);
}

uint64_t syn_sample_count(void)
{
    return __atomic_load_n(&samples.count, __ATOMIC_RELAXED);
}

void syn_samples_lacking(char *text, size_t bytes)
{
    snprintf(text, bytes, "instructions, cycles (not counted)");
    if (samples.run_delay_error)
        snprintf(text, bytes, "instructions, cycles (not counted), run delay (%s)",
                 strerror(samples.run_delay_error));
}
